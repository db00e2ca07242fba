"""What an LLM judges, as a `Result`: scores, and notes on the questions that have none."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from assay.conventions import find_convention
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind
from assay.core.ruling import RulingKind, Rulings
from assay.data.records import Record
from assay.render import Cell, Column, Table
from assay.results.result import Result
from assay.tasks.judge.drive import judge_records
from assay.tasks.judge.judge import Judge

# If a larger share failed, it is said loudly.
TOLERATED = 0.05


def score_judged(
    records: Sequence[Record], measures: Mapping[str, Measure], judge: Judge
) -> tuple[Result, dict[str, Rulings]]:
    """The result of judged measures, and the rulings behind it. A question without a verdict has no value."""
    rulings = judge_records(records, measures, judge)
    queries = [each.query_id for each in records]
    own = find_convention("assay")
    scores = {name: each.scores for name, each in rulings.items()}
    notes = tuple(note for name, each in rulings.items() for note in verdict_notes(name, queries, each))
    return Result(dict(measures), queries, scores, own.name, own.policies, notes, subject="answers"), rulings


def verdict_notes(name: str, queries: Sequence[str], rulings: Rulings) -> list[Note]:
    """Which questions have no verdict, and why; loudly if the judge failed on many."""
    lacking = {at: kind for at, kind in enumerate(rulings.kinds) if kind is not RulingKind.OK}
    if not lacking:
        return []
    failed = [at for at, kind in lacking.items() if kind is not RulingKind.UNJUDGEABLE]
    is_loud = len(failed) > TOLERATED * len(queries)
    notes = []
    for kind, places in (
        (NoteKind.FAILED_VERDICTS, failed if is_loud else []),
        (NoteKind.NO_VERDICT, [at for at in lacking if not (is_loud and at in set(failed))]),
    ):
        if places:
            reasons = describe_reasons(rulings, places)
            about = {"total": f"{len(queries):,}", "reasons": reasons, "measures": [name]}
            notes.append(Note.of(kind, queries=[queries[at] for at in places], **about))  # type: ignore[arg-type]
    return notes


def describe_reasons(rulings: Rulings, places: Sequence[int]) -> str:
    """How often each kind of failure occurred, with the most frequent detail."""
    details: dict[RulingKind, Counter[str]] = {}
    for at in places:
        ruling = rulings[at]
        details.setdefault(ruling.kind, Counter())[ruling.detail] += 1
    parts = []
    for kind, each in details.items():
        detail = each.most_common(1)[0][0]
        parts.append(f"{each.total():,} {kind}" + (f": {detail}" if detail else ""))
    return "; ".join(parts)


def verdict_table(queries: Sequence[str], rulings: Rulings) -> Table:
    """One row per verdict."""
    columns = [Column(name, is_text=True) for name in ("query", "outcome", "subject", "verdict", "reason", "against")]
    rows: list[tuple[Cell, ...]] = []
    for query, ruling in zip(queries, rulings, strict=True):
        if not ruling.verdicts:
            rows.append((query, str(ruling.kind), None, None, ruling.detail or None, None))
        for each in ruling.verdicts:
            value = f"{each.value:g}" if isinstance(each.value, float | int) else each.value
            rows.append((query, str(ruling.kind), each.subject, value, each.reason or None, each.against or None))
    return Table(tuple(columns), tuple(rows))
