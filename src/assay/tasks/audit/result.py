"""`Audit`: the number each tool gives a run, and the choices that lead from one number to another."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from assay.core.errors import MeasureError
from assay.core.note import Note
from assay.core.text import count, printable, show
from assay.render import Column, Exports, Table, finite, json_fields, render, shown

# Numbers that differ by no more than this, absolutely or relatively, are the same: the rest is rounding.
LEAST = 1e-9
# The smallest step that four decimals can show.
SHOWN = 5e-5
# How many choices a row of the table names; the steps below it name all.
MAIN = 2


class Step(NamedTuple):
    """One choice, how much it changes the number, and the number after it."""

    choice: str
    worth: float
    value: float


class Account(NamedTuple):
    """One tool's number, and the steps that lead to it from the first tool's.

    `beside` is what is needed apart from the tool's name: a switch of the tool, or a run that is cut. `idle` are the
    choices that make no difference on this data.
    """

    tool: str
    name: str
    beside: str
    measure: str
    policies: str
    value: float
    queries: int
    steps: tuple[Step, ...]
    idle: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The name, and what is needed beside it."""
        return f"{self.name}, {self.beside}" if self.beside else self.name


class Ties(NamedTuple):
    """How much of the run is tied or unjudged up to the cutoff, and the range of values over all orders of ties."""

    tied: int
    hits: int
    unjudged: float
    low: float
    high: float


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Exports):
    """The numbers of all tools, for each measure; see `assay.audit`."""

    accounts: dict[str, tuple[Account, ...]]
    ties: dict[str, Ties]
    notes: tuple[Note, ...]

    def __repr__(self) -> str:
        return f"<Audit: {', '.join(f'{len(each)} readings of {name}' for name, each in self.accounts.items())}>"

    def __iter__(self) -> Iterator[str]:
        return iter(self.accounts)

    def __getitem__(self, measure: str) -> tuple[Account, ...]:
        if measure not in self.accounts:
            raise MeasureError(f"{show(measure)} was not audited; the audit has {', '.join(self.accounts)}")
        return self.accounts[measure]

    def __str__(self) -> str:
        return "\n\n".join([*map(self._text, self.accounts), *(f"note: {printable(str(note))}" for note in self.notes)])

    def _text(self, measure: str) -> str:
        """One measure for a terminal: the table, and the steps from the first number to each of the others."""
        first, *others = self[measure]
        columns = self.table().columns[1:]
        rows = tuple((each.tool, each.shown, each.value, each.queries, main_choices(each)) for each in self[measure])
        lines = [measure, "", render(Table(columns, rows), "table"), printable(self._ties_text(measure)), ""]
        ways: dict[tuple[Step, ...], list[str]] = {}
        for each in others:
            if each.steps or is_same(each.value, first.value):
                ways.setdefault(each.steps, []).append(f"{each.tool} {each.shown}")
        if same := ways.pop((), []):
            lines += [f"same as {first.tool}: {', '.join(same)}", ""]
        for steps, names in ways.items():
            start, end = (shown(value, Column("")) for value in (first.value, steps[-1].value))
            lines.append(f"from {first.tool} {start} to {', '.join(names)}:")
            lines += [f"  {signed(step.worth)}  {step.choice}" for step in steps]
            lines += [f"  {end}", ""]
        return "\n".join(lines).rstrip("\n")

    def _ties_text(self, measure: str) -> str:
        """Ties and unjudged documents of a measure, up to its cutoff if it has one, in one line."""
        ties, where = self.ties[measure], " up to the cutoff" if "@" in self[measure][0].measure else ""
        verb = "is" if ties.tied == 1 else "are"
        said = f"{ties.tied:,} of {count(ties.hits, 'judged document')} retrieved{where} {verb} tied"
        if ties.high > ties.low and not is_same(ties.high, ties.low):
            said += f" (other orders give {ties.low:.4f} to {ties.high:.4f})"
        return f"{said}; {ties.unjudged:.1%} of the documents retrieved{where} are unjudged"

    def table(self) -> Table:
        """One row per measure and tool."""
        names = ("measure", "tool", "name", "value", "queries", "why it differs")
        columns = tuple(Column(name, is_text=name not in ("value", "queries")) for name in names)
        rows = []
        for measure, each in ((name, each) for name in self for each in self[name]):
            choices = "; ".join(f"{step.choice} ({signed(step.worth)})" for step in each.steps)
            rows.append((measure, each.tool, each.shown, each.value, each.queries, choices))
        notes = (*map(str, self.notes), *(f"{name}: {self._ties_text(name)}" for name in self.ties))
        return Table(columns, tuple(rows), notes=notes)

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: every number and every step."""

        def plain(record: NamedTuple) -> dict[str, Any]:
            return {name: finite(value) for name, value in record._asdict().items()}

        measures = {}
        for measure, accounts in self.accounts.items():
            tools = [plain(each) | {"steps": [*map(plain, each.steps)], "idle": [*each.idle]} for each in accounts]
            measures[measure] = {"tools": tools, "ties": plain(self.ties[measure])}
        return json_fields("audit") | {"measures": measures, "notes": [note.to_dict() for note in self.notes]}


def is_same(one: float, other: float) -> bool:
    """Whether two numbers are the same up to rounding, or both undefined."""
    return (math.isnan(one) and math.isnan(other)) or math.isclose(one, other, rel_tol=LEAST, abs_tol=LEAST)


def signed(worth: float) -> str:
    if math.isnan(worth):
        return "undefined"
    return f"{worth:+.4f}" if abs(worth) >= SHOWN else f"{worth:+.0e}"


def main_choices(account: Account) -> str:
    """The one or two choices that moved the number most, and how many more there are."""
    steps = sorted(account.steps, key=lambda step: -abs(step.worth))
    rest = len(steps) - MAIN
    return "; ".join(step.choice for step in steps[:MAIN]) + (f"; and {rest} more" if rest > 0 else "")
