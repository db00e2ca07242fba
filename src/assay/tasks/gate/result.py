"""`GateReport`: what a gate checked, what it found, and the queries to look at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.text import count, printable
from assay.render import Column, Exports, Table, finite, markdown, render

if TYPE_CHECKING:
    import polars

    from assay.core.note import Note

TEXT_COLUMNS = ("result", "measure", "check", "reason")


class Rules(NamedTuple):
    """How a gate decides. `samples` is None for a test that draws nothing."""

    alpha: float = 0.05
    strict: bool = False
    test: str = "randomization"
    samples: int | None = None
    seed: int = 0

    @property
    def draws(self) -> int:
        """How many samples are drawn, for tests that are all called alike."""
        return self.samples or 0

    def __str__(self) -> str:
        how = "strict" if self.strict else f"test={self.test} seed={self.seed} correction=holm"
        return f"{how} alpha={self.alpha:g}"


class Worst(NamedTuple):
    """A query that did badly: its value, what the baseline had, and where its relevant documents stand."""

    query: str
    value: float
    baseline: float | None
    documents: tuple[str, ...]

    def __str__(self) -> str:
        if self.baseline is None:
            return f"{self.query}  {self.value:.4f}"
        return f"{self.query}  {self.baseline:.4f} → {self.value:.4f}  ({self.value - self.baseline:+.4f})"


class GateCheck(NamedTuple):
    """One thing that a gate checked: `check` is `minimum` or `max_drop`, and `limit` what it allows.

    `drop` is how much worse the run is than the baseline, whichever way is better. `p` is how often chance alone makes
    a drop beyond the limit look as large; `p_corrected` is that for all drops of the gate together. `detectable` is
    the drop that so many queries show in four cases of five, NaN if they can show none. `too_few` says that the
    queries leave open whether more was lost than allowed, and that the drop is larger than allowed or that they show
    only drops of more than twice the limit.
    """

    measure: str
    check: str
    passed: bool
    value: float
    limit: float
    reason: str
    queries: int
    baseline: float | None = None
    drop: float | None = None
    p: float | None = None
    p_corrected: float | None = None
    detectable: float | None = None
    too_few: bool = False
    worst: tuple[Worst, ...] = ()


class GateReport(Exports):
    """What a gate found; see `assay.gate`. It is true where the gate passed."""

    def __init__(self, checks: tuple[GateCheck, ...], rules: Rules, signature: str, notes: tuple[Note, ...]) -> None:
        self.checks = checks
        self.rules = rules
        self.notes = notes
        self.signature = f"{signature} gate: {rules}"

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
        return f"<GateReport: {self.verdict}>"

    @property
    def verdict(self) -> str:
        """The outcome in a few words."""
        if self.passed:
            return f"passed, {count(len(self.checks), 'check')}"
        return f"failed, {len(self.failed)} of {count(len(self.checks), 'check')}"

    def __str__(self) -> str:
        width = max(len(printable(check.measure)) for check in self.checks)
        lines = [f"gate {self.verdict}", ""]
        lines += [f"{word(check)}  {printable(check.measure):<{width}}  {check.reason}" for check in self.checks]
        for check in self.failed:
            how = ", from the baseline to the run" if is_drop(check) else ""
            lines += ["", f"worst queries by {printable(check.measure)}{how}"] if check.worst else []
            for each in check.worst:
                lines += [f"  {printable(str(each))}", *(f"      {printable(line)}" for line in each.documents)]
        lines += ["", *(f"note: {printable(str(note))}" for note in self.notes)] if self.notes else []
        return "\n".join(lines)

    def table(self) -> Table:
        """One row a check."""
        names = ("result", "measure", "check", "value", "limit", "baseline", "drop", "p", "p_corrected", "detectable")
        columns = tuple(Column(name, is_text=name in TEXT_COLUMNS) for name in (*names, "queries", "reason"))
        rows = tuple(
            (word(check), *(getattr(check, name) for name in names[1:]), check.queries, check.reason)
            for check in self.checks
        )
        return Table(columns, rows, self.signature, tuple(map(str, self.notes)))

    def to_markdown(self) -> str:
        """What was checked and the worst queries, as GitHub's summary of a job shows them."""
        columns = tuple(Column(name, is_text=True) for name in ("result", "measure", "reason"))
        rows = tuple((word(check), check.measure, check.reason) for check in self.checks)
        parts = [f"## assay gate: {self.verdict}\n", render(Table(columns, rows), "markdown")]
        parts += [render(worst_table(check), "markdown") for check in self.failed if check.worst]
        notes = [f"Note: {note}" for note in self.notes]
        return "\n".join([*parts, *(f"{markdown(text)}\n" for text in (self.signature, *notes))])

    def to_polars(self) -> polars.DataFrame:
        """One row a check."""
        import polars

        return polars.DataFrame(
            [{name: value for name, value in check._asdict().items() if name != "worst"} for check in self.checks]
        )

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects: the checks, the worst queries, the notes and the signature."""
        checks = [{**plain(check), "worst": list(map(plain, check.worst))} for check in self.checks]
        notes = [note.to_dict() for note in self.notes]
        how = {"signature": self.signature, **self.rules._asdict()}
        return {"passed": self.passed, "checks": checks, **how, "notes": notes}


def plain(fields: GateCheck | Worst) -> dict[str, Any]:
    """The fields by name, with nothing for what is no number."""
    return {name: finite(value) for name, value in fields._asdict().items()}


def word(check: GateCheck) -> str:
    return "pass" if check.passed else "FAIL"


def is_drop(check: GateCheck) -> bool:
    return check.check == "max_drop"


def worst_table(check: GateCheck) -> Table:
    """The worst queries of a check, one row each."""
    heads = [Column(f"worst queries by {check.measure}", is_text=True), Column("baseline"), Column("run")]
    rows = [[each.query, each.baseline, each.value, "; ".join(each.documents)] for each in check.worst]
    if not is_drop(check):
        heads.pop(1)
        rows = [[row[0], *row[2:]] for row in rows]
    return Table((*heads, Column("relevant documents", is_text=True)), tuple(map(tuple, rows)))
