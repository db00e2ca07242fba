"""Records of what a live system did, ready for `assay.evaluate_rag` and `assay rag`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import FormatError, MismatchError
from assay.core.text import quoted, some
from assay.data.formats import ending
from assay.data.records.read import read_records
from assay.data.write import open_replacement
from assay.files.replace import target_of
from assay.files.source import is_source

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from assay.data.qrels import Qrels
    from assay.tasks.probe.ask import Outcome

ENDINGS = (".jsonl", ".ndjson")


def make_records(
    questions: Mapping[str, str], outcomes: Mapping[str, Outcome], qrels: Qrels, references: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """One record per question; a failed one has nothing retrieved and, if others are answered, an empty answer."""
    gold = qrels.to_dict()
    rankings = {query: outcomes[query].ranking for query in questions}
    answers = any(each is not None and each.answer is not None for each in rankings.values())
    records = []
    for query, question in questions.items():
        ranking, outcome = rankings[query], outcomes[query]
        record: dict[str, Any] = {"query_id": query, "question": question, "gold": gold[query]}
        if query in references:
            record["references"] = references[query]
        record["retrieved"] = [] if ranking is None else ranking.ids
        if ranking is not None and ranking.scores is not None:
            record["retrieved_scores"] = ranking.scores
        if ranking is not None and ranking.texts is not None:
            record["retrieved_texts"] = ranking.texts
        if answers:
            record["answer"] = "" if ranking is None else ranking.answer or ""
        if ranking is None:
            record["failure"] = outcome.failure
        else:
            record["latency"] = outcome.seconds
        records.append(record)
    return records


def read_references(references: object, questions: Mapping[str, str]) -> dict[str, list[str]]:
    """The reference answers of each question: a dict of texts or lists of texts, or a file or frame of records."""
    if references is None:
        return {}
    is_dict = isinstance(references, Mapping) and not is_source(references)
    data = [{"query_id": key, "references": text} for key, text in references.items()] if is_dict else references  # type: ignore[attr-defined]
    found = {
        each.query_id: list(each.references)
        for each in read_records(data, name="the references").each
        if each.references
    }
    if found.keys().isdisjoint(questions):
        raise MismatchError(
            f"no question has a reference answer: the questions have the ids {some(list(questions))}, "
            f"the references {some(list(found))}"
        )
    return found


def check_records_name(path: str | os.PathLike[str]) -> None:
    """Raises unless the name of a file says JSON Lines."""
    if ending(Path(path)) not in ENDINGS:
        raise FormatError(f"records are written as JSON Lines; let the name of {quoted(path)} end in .jsonl")


def write_records(records: Iterable[Mapping[str, Any]], path: str | os.PathLike[str]) -> None:
    """Writes records to a file of JSON Lines, which is complete or not there."""
    check_records_name(path)
    with open_replacement(target_of(path)) as file:
        for record in records:
            file.write(json.dumps(record, ensure_ascii=False).encode("utf-8", errors="replace") + b"\n")
