"""`GateReport`: what a gate checked, what it found, and the queries that caused it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from textwrap import wrap
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError
from assay.core.note import LOUD, Note
from assay.core.text import count, printable
from assay.render import Column, Exports, Table, finite, json_fields, markdown, render
from assay.tasks.compare.ranks import Move, document_lines, move_lines, query_cell

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    import polars

    from assay.core.policies import Signature
    from assay.results.result import Result
    from assay.tasks.gate.checks import Sides

# Longer reasons are wrapped.
WIDTH = 100
# Relevant documents shown per query.
WORST_DOCUMENTS = 3
TEXT_COLUMNS = ("result", "measure", "check", "reason")


class Rules(NamedTuple):
    """How a gate decides. `samples` is None for a test that draws none."""

    alpha: float = 0.05
    strict: bool = False
    test: str = "randomization"
    samples: int | None = None
    seed: int = 0

    @property
    def draws(self) -> int:
        """How many samples are drawn, 0 for a test that draws none."""
        return self.samples or 0

    def __str__(self) -> str:
        how = "strict" if self.strict else f"test={self.test} seed={self.seed} correction=holm"
        return f"{how} alpha={self.alpha:g}"


class GateCheck(NamedTuple):
    """One check of a gate: `check` is `minimum` or `max_drop`, `limit` its limit, `reason` the outcome in words.

    A check of the kind `overlap` is there only if it failed: the run or the baseline barely overlaps the judgments. Its
    value is the number of judged documents retrieved, and it has no limit. Nor has one of the kind `verdicts`: a judge
    failed on more than 5 % of the questions, and the value is on how many.

    `drop` is how much worse the run is than the baseline, whether higher or lower is better. `p` is the one-sided
    p-value of a drop beyond the limit, `p_corrected` the same corrected for all drops of the gate. `detectable` is the
    drop that this many queries detect with 80 % power, NaN if they cannot detect any. `too_few` says that the test is
    inconclusive, and that the drop is larger than the limit or that only drops of more than twice the limit can be
    detected. `worst` has the queries with the largest drops, or with the worst values.
    """

    measure: str
    check: str
    passed: bool
    value: float
    limit: float | None
    reason: str
    queries: int
    baseline: float | None = None
    drop: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    detectable: float | None = None
    too_few: bool = False
    worst: tuple[Move, ...] = ()


@dataclass(frozen=True, repr=False, eq=False)
class GateReport(Exports):
    """The outcome of a gate; see `assay.gate`. It is true if the gate passed."""

    checks: tuple[GateCheck, ...]
    rules: Rules
    notes: tuple[Note, ...]
    _run: Result
    # The run and the baseline with the ranks of their documents, for the report.
    _sides: Sides | None = None

    @cached_property
    def signature(self) -> Signature:
        """Every choice that made the numbers, and the version."""
        return self._run.signature.with_details(f"gate: {self.rules}")

    def __getstate__(self) -> dict[str, Any]:
        # The report only needs the signature of the run's result, whose own measures may not be picklable.
        return {**self.__dict__, "signature": self.signature, "_run": None, "_sides": None}

    @property
    def passed(self) -> bool:
        """Whether every check passed."""
        return all(check.passed for check in self.checks)

    @property
    def failed(self) -> tuple[GateCheck, ...]:
        """The checks that did not pass."""
        return tuple(check for check in self.checks if not check.passed)

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        return f"<GateReport: {self.summary}>"

    @property
    def summary(self) -> str:
        """The outcome in a few words."""
        total = count(len(self.checks), "check")
        return f"passed: {total}" if self.passed else f"failed: {len(self.failed)} of {total}"

    def __str__(self) -> str:
        width = max(len(printable(check.measure)) for check in self.checks)
        lines = [f"gate {self.summary}", ""]
        for check in self.checks:
            start = f"{outcome(check)}  {printable(check.measure):<{width}}  "
            lines += wrap(start + check.reason, max(WIDTH, 2 * len(start)), subsequent_indent=" " * len(start))
        for check in self.failed:
            lines += ["", printable(worst_title(check))] if check.worst else []
            for each in check.worst:
                lines += [f"  {line}" for line in move_lines(each, WORST_DOCUMENTS)]
        notes = [f"note: {printable(str(note))}" for note in self.notes if note.kind not in LOUD]
        lines += ["", *notes] if notes else []
        return "\n".join(lines)

    def table(self) -> Table:
        """One row per check."""
        names = ("result", "measure", "check", "value", "limit", "baseline", "drop", "p", "p_corrected", "detectable")
        columns = tuple(Column(name, is_text=name in TEXT_COLUMNS) for name in (*names, "queries", "reason"))
        fields = [column.name for column in columns[1:]]
        rows = tuple((outcome(check), *(getattr(check, name) for name in fields)) for check in self.checks)
        return Table(columns, rows, self.signature.summary, tuple(map(str, self.notes)), self.signature.hint)

    def to_markdown(self, *, digits: int | None = None, caption: str | None = None) -> str:
        """The checks and the worst queries, as the summary of a job on GitHub shows them."""
        columns = tuple(Column(name, is_text=True) for name in ("result", "measure", "reason"))
        rows = tuple((outcome(check), check.measure, check.reason) for check in self.checks)
        parts = [f"## assay gate {self.summary}\n", render(Table(columns, rows).styled(digits, caption), "markdown")]
        parts += [render(worst_table(check).styled(digits), "markdown") for check in self.failed if check.worst]
        notes = [f"Note: {note}" for note in self.notes if note.kind not in LOUD]
        return "\n".join([*parts, *(f"{markdown(text)}\n" for text in (self.signature.short, *notes))])

    def report(
        self,
        path: str | os.PathLike[str],
        *,
        queries: object = None,
        corpus: object = None,
        slices: Sequence[str] = (),
        top: int = 20,
        title: str = "assay gate",
        reproduce: str = "",
    ) -> None:
        """Writes a self-contained HTML page: each check, and run and baseline query by query, down to the passages.

        The options are those of `Comparison.report`.
        """
        from assay.report.content import base_core, notes_of
        from assay.results.results import Results
        from assay.tasks.compare.report import Shown, held, write_report

        if self._sides is None:
            raise DataError("a pickled report of a gate has no scores left; write the page where the gate ran")
        run, baseline, ranks = self._sides
        both = {"run": run} if baseline is None else {"baseline": baseline, "run": run}
        results = Results({name: result.only((baseline or run).measures) for name, result in both.items()})
        core = base_core(results, title) | {"notes": notes_of(self.notes), "signature": str(self.signature)}
        core["verdict"] = [{"text": f"gate {self.summary}", "state": "pass" if self.passed else "fail"}]
        core["verdict"] += [{"text": f"{check.measure}: {check.reason}", "state": None} for check in self.checks]
        core["gate"] = {"checks": []}
        for check in self.checks:
            fields = ("query", "before", "after")
            worst = [{name: finite(getattr(each, name)) for name in fields} for each in check.worst]
            core["gate"]["checks"].append({**finite_fields(check), "title": worst_title(check), "worst": worst})
        if ranks is not None and not set(both) <= {name for name, _ in ranks.judged}:
            ranks = None
        write_report(core, results, held(ranks), path, Shown(queries, corpus, slices, top, title, reproduce))

    def to_polars(self) -> polars.DataFrame:
        """One row per check."""
        import polars

        fields = [name for name in GateCheck._fields if name != "worst"]
        return polars.DataFrame([{name: getattr(check, name) for name in fields} for check in self.checks])

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: the checks, the worst queries, the notes and the signature."""
        checks = [{**finite_fields(check), "worst": [move.to_dict() for move in check.worst]} for check in self.checks]
        how = {"signature": str(self.signature), **self.rules._asdict()}
        how["notes"] = [note.to_dict() for note in self.notes]
        return json_fields("gate") | {"passed": self.passed, "checks": checks, **how}


def finite_fields(check: GateCheck) -> dict[str, Any]:
    return {name: finite(value) for name, value in check._asdict().items()}


def outcome(check: GateCheck) -> str:
    return "pass" if check.passed else "FAIL"


def worst_title(check: GateCheck, which: str = ", baseline → run") -> str:
    is_drop = check.check == "max_drop"
    return f"largest drops in {check.measure}{which}" if is_drop else f"worst queries by {check.measure}"


def worst_table(check: GateCheck) -> Table:
    sides = {"baseline": "before", "run": "after"} if check.check == "max_drop" else {"run": "after"}
    first, last = Column(worst_title(check, ""), is_text=True), Column("documents", is_text=True)
    rows = []
    for each in check.worst:
        scores = [getattr(each, side) for side in sides.values()]
        rows.append((query_cell(each), *scores, "; ".join(document_lines(each, WORST_DOCUMENTS))))
    return Table((first, *map(Column, sides), last), tuple(rows))
