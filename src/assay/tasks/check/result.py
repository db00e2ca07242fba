"""`CheckReport`: what was found in judgments and runs, and what to do about it."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal, Self

from assay.core.text import count, printable
from assay.render import Column, Exports, Table, json_fields
from assay.render.text import terminal_width, wrapped

Subject = Literal["judgments", "run"]
Level = Literal["ok", "warn", "bad"]
LEVELS: tuple[Level, ...] = ("ok", "warn", "bad")
MOST_GRADES = 12
# Where the text of a finding begins; longer ones go on below, none is cut.
INDENT = " " * 8


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """One thing that was checked: how bad it is, its kind, what was found, what to do, and in which file."""

    level: Level
    kind: str
    text: str
    advice: str = ""
    place: str = ""


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """The judgments or a run: some figures, and the findings."""

    subject: Subject
    name: str
    facts: dict[str, Any]
    findings: tuple[CheckFinding, ...]

    @classmethod
    def of(cls, subject: Subject, name: str, facts: dict[str, Any], findings: Iterable[CheckFinding]) -> Self:
        """The findings, each with this file as its place."""
        return cls(subject, name, facts, tuple(replace(each, place=name) for each in findings))

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it; the place of each finding is the name above it."""
        plain = asdict(self)
        plain["findings"] = [{name: each[name] for name in each if name != "place"} for each in plain["findings"]]
        return plain


@dataclass(frozen=True, repr=False, eq=False)
class CheckReport(Exports):
    """What `assay.check` found: `files` has the figures and findings of each file, `findings` those of all of them.

    A finding has a `level` ("ok", "warn" or "bad"), a `kind`, a `text`, an `advice` and a `place`. `levels` counts the
    findings of each level.
    """

    files: tuple[CheckedFile, ...]

    @property
    def findings(self) -> tuple[CheckFinding, ...]:
        """The findings in all files, in order."""
        return tuple(finding for file in self.files for finding in file.findings)

    @property
    def levels(self) -> dict[Level, int]:
        """How many findings there are of each level."""
        found = [finding.level for finding in self.findings]
        return {level: found.count(level) for level in LEVELS}

    def __repr__(self) -> str:
        return f"<CheckReport: {self._summary()}>"

    def __str__(self) -> str:
        lines = [line for file in self.files for line in (*paragraph(file), "")]
        most = terminal_width()
        return "\n".join(wrapped(printable(line), most, INDENT) for line in [*lines, self._summary()])

    def _summary(self) -> str:
        levels = self.levels
        problems = count(levels["bad"], "problem") if levels["bad"] else "no problems"
        return f"{problems}, {count(levels['warn'], 'warning')}"

    def table(self) -> Table:
        """One row per finding."""
        names = ("subject", "place", "level", "kind", "text", "advice")
        rows = []
        for file in self.files:
            rows += [(file.subject, *(getattr(each, name) for name in names[1:])) for each in file.findings]
        return Table(tuple(Column(name, is_text=True) for name in names), tuple(rows))

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects."""
        return json_fields("check") | {"levels": self.levels, "reports": [file.to_dict() for file in self.files]}


def paragraph(file: CheckedFile) -> list[str]:
    figures: list[str] = []
    if file.facts:
        figures = judgment_figures(file.facts) if file.subject == "judgments" else run_figures(file.facts)
    lines = [f"{file.subject} {file.name}", *(f"  {figure}" for figure in figures)]
    for finding in sorted(file.findings, key=lambda each: -LEVELS.index(each.level)):
        lines.append(f"  {finding.level:<4}  {finding.text}")
        lines += [f"        → {finding.advice}"] if finding.advice else []
    return lines


def judgment_figures(facts: Mapping[str, Any]) -> list[str]:
    grades = "   ".join(f"{grade}: {times:,}" for grade, times in facts["grades"].items())
    values = list(facts["grades"])
    if len(values) > MOST_GRADES:
        grades = f"{len(values)} different values, {values[0]} to {values[-1]}"
    size = f"{count(facts['queries'], 'query', 'queries')}, {count(facts['judgments'], 'judgment')} "
    size += f"of {count(facts['documents'], 'document')}"
    return [size + (", in groups" if facts["groups"] else ""), f"grades  {grades}"]


def run_figures(facts: Mapping[str, Any]) -> list[str]:
    each = " to ".join(f"{length:,}" for length in sorted({facts["shortest"], facts["longest"]}))
    size = f"{count(facts['queries'], 'query', 'queries')}, {count(facts['documents'], 'document')}, {each} per query"
    return [size + (f", tag {facts['tag']}" if facts["tag"] else "")]
