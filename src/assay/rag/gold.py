"""Gold documents: which ones are wanted, and whether they were retrieved."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.io.qrels import Qrels
    from assay.rag.records import Record


def relevant(record: Record, qrels: Qrels, rel: float) -> list[set[str]]:
    """Sets of documents, of each of which one is wanted: one set of all, or one a group where there are groups."""
    if record.query_id not in qrels:
        return []
    if isinstance(record.gold, list) and any(isinstance(each, list) for each in record.gold):
        groups = list(qrels.groups(record.query_id).values())
    else:
        groups = [qrels[record.query_id]]
    found = [{document for document, grade in group.items() if grade >= rel} for group in groups]
    return [each for each in found if each]


def is_found(record: Record, wanted: list[set[str]]) -> bool:
    """Whether one document of each set was retrieved; of no set, nothing was."""
    retrieved = set() if record.retrieved is None else set(record.retrieved.ids)
    return bool(wanted) and all(each & retrieved for each in wanted)
