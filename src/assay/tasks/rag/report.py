"""The report on a RAG system: what causes wrong answers, the worst questions, and everything about each of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.core.doc_id import field_of
from assay.core.errors import AssayError, DataError
from assay.core.measure import Measure
from assay.core.text import show
from assay.render import finite
from assay.report.content import LENGTH, answer_entry, length_of, passage_entries, slice_rows, slice_values
from assay.results.results import Results
from assay.tasks.rag.worst import gold_passages

if TYPE_CHECKING:
    from assay.tasks.rag.result import RagResult

RUN = "system"
WORST = 20


def rag_core(result: RagResult, by: str | Measure | None, right: float | None) -> dict[str, Any]:
    """The worst questions, and how good answers are with and without a gold passage if there is something to join."""
    key = [*result.answer_measures, *result.measures][0] if by is None else result.key(by)
    worst = []
    for at in result.places_of_worst(key, WORST):
        value = finite(float(result.scores[key][at]))
        worst.append({"query": result.queries[at], "question": result.records[at].question, "value": value})
    if not result.is_joined:
        return {"by": key, "worst": worst, "blame": None, "chart": None}
    try:
        table = result.blame(by, right=right).table()
    except AssayError:
        # The measure that chooses the worst questions need not be one of answers.
        table = result.blame(right=right).table()
    rows = [[finite(cell) for cell in row] for row in table.rows]
    blame = {"columns": [column.name for column in table.columns], "rows": rows, "notes": list(table.notes)}
    return {"by": key, "worst": worst, "blame": blame, "chart": result.plot("blame").spec}


def answer_of(result: RagResult, place: int) -> dict[str, Any]:
    """One question: its answer, references, gold and retrieved passages, and what a judge said."""
    record = result.records[place]
    gold, wanted = result.gold_of(place)
    ids = [] if record.retrieved is None else record.retrieved.ids
    missed = [each for each in gold_passages(record, wanted, None) if each.document not in ids]
    said = []
    for name, each in result.rulings.items():
        ruling = each[place]
        for verdict in ruling.verdicts:
            reason = f" ({verdict.reason})" if verdict.reason.strip() else ""
            said.append(f"{name}: {verdict.shown}  {verdict.subject}{reason}")
        if not ruling.verdicts:
            said.append(f"{name}: {ruling.kind}" + (f", {ruling.detail}" if ruling.detail else ""))
    passages = passage_entries(ids, record.shown_texts or (), wanted)
    lacking = passage_entries([each.document for each in missed], [each.text for each in missed])
    right = record.references or ()
    return answer_entry(record.answer, references=right, gold=gold, passages=passages, wanted=lacking, verdicts=said)


def add_record_slices(core: dict[str, Any], result: RagResult, names: Sequence[str]) -> None:
    """The questions by fields of their records, or by the length of the question."""
    for name in names:
        known: dict[str, str] = {}
        for record in result.records:
            row = {"query_id": record.query_id, **(record.fields or {})}
            value = length_of(record.question or "") if name == LENGTH else field_of(row, name)
            if value is not None:
                known[record.query_id] = str(value)
        if not known:
            raise DataError(f"the records have no field {show(name)}")
        values = slice_values(known, result.queries)
        core["fields"][name] = values
        core["slices"].append(slice_rows(Results({RUN: result}), name, values))
