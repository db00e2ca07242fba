"""The report on a RAG system: what causes wrong answers, the worst questions, and everything about each of them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.core.doc_id import field_of
from assay.core.errors import AssayError, DataError
from assay.core.measure import Measure
from assay.core.text import show
from assay.render import finite
from assay.report.content import (
    CHUNK,
    LENGTH,
    TITLE,
    UNKNOWN,
    answer_entry,
    answer_parts,
    base_core,
    length_of,
    passage_entries,
    slice_rows,
    slice_values,
)
from assay.report.page import Content, write_page
from assay.results.results import Results
from assay.tasks.rag.worst import gold_passages

if TYPE_CHECKING:
    from assay.tasks.rag.result import RagResult

RUN = "system"
WORST = 20


def write_rag(
    result: RagResult,
    path: str | os.PathLike[str],
    *,
    by: str | Measure | None = None,
    right: float | None = None,
    slices: Sequence[str] = (),
    title: str = TITLE,
    reproduce: str = "",
) -> None:
    results = Results({RUN: result})
    core = base_core(results, title)
    core["questions"] = [record.question for record in result.records]
    core["rag"] = rag_core(result, by, right)
    core["reproduce"] = reproduce
    core["answers"] = CHUNK
    add_record_slices(core, result, slices)
    answers = (answer_of(result, place) for place in range(len(result.queries)))
    write_page(Content(core, results.results, answer_parts(answers)), path)


def rag_core(result: RagResult, by: str | Measure | None, right: float | None) -> dict[str, Any]:
    """The worst questions, and how good answers are with and without a gold passage if there is something to join."""
    key = [*result.answer_measures, *result.measures][0] if by is None else result.key(by)
    worst = []
    for at in result.places_of_worst(key, WORST):
        value = finite(float(result.scores[key][at]))
        worst.append({"query": result.queries[at], "question": result.records[at].question, "value": value})
    core: dict[str, Any] = {"by": key, "worst": worst, "blame": None, "chart": None}
    if result.is_joined:
        try:
            table = result.blame(by, right=right).table()
        except AssayError:
            # The measure that chooses the worst questions need not be one of answers.
            table = result.blame(right=right).table()
        rows = [[finite(cell) for cell in row] for row in table.rows]
        columns = [column.name for column in table.columns]
        core["blame"] = {"columns": columns, "rows": rows, "notes": list(table.notes)}
        core["chart"] = result.plot("blame").spec
    return core


def answer_of(result: RagResult, place: int) -> dict[str, Any]:
    """One question: its answer, references, gold and retrieved passages, and what a judge said."""
    record = result.records[place]
    gold, wanted = result.gold_of(place)
    ids = [] if record.retrieved is None else record.retrieved.ids
    missed = [each for each in gold_passages(record, wanted, None) if each.document not in ids]
    said = []
    for name, each in result.rulings.items():
        ruling = each[place]
        reasons = [f" ({verdict.reason})" if verdict.reason.strip() else "" for verdict in ruling.verdicts]
        pairs = zip(ruling.verdicts, reasons, strict=True)
        said += [f"{name}: {verdict.shown}  {verdict.subject}{reason}" for verdict, reason in pairs]
        if not ruling.verdicts:
            said.append(f"{name}: {ruling.kind}" + (f", {ruling.detail}" if ruling.detail else ""))
    return answer_entry(
        record.answer,
        references=record.references or (),
        gold=gold,
        passages=passage_entries(ids, record.shown_texts or (), wanted),
        wanted=passage_entries([each.document for each in missed], [each.text for each in missed]),
        verdicts=said,
    )


def add_record_slices(core: dict[str, Any], result: RagResult, names: Sequence[str]) -> None:
    """The questions by fields of their records, or by the length of the question."""
    for name in names:
        if name == LENGTH:
            values = [length_of(record.question or "") for record in result.records]
        else:
            rows = ({"query_id": record.query_id, **(record.fields or {})} for record in result.records)
            found = [field_of(row, name) for row in rows]
            if all(value is None for value in found):
                raise DataError(f"the records have no field {show(name)}")
            values = [UNKNOWN if value is None else str(value) for value in found]
        values = slice_values(dict(zip(result.queries, values, strict=True)), result.queries)
        core["fields"][name] = values
        core["slices"].append(slice_rows(Results({RUN: result}), name, values))
