"""The texts of documents, by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.core.text import count, some
from assay.notes import Note

if TYPE_CHECKING:
    from assay.rag.records import Record


def fill_texts(records: list[Record], corpus: Mapping[str, str]) -> tuple[list[Record], list[Note]]:
    """The records with the texts of their documents, where they have none themselves and the corpus has all."""
    unknown: dict[str, None] = {}

    def texts(ids: list[str]) -> tuple[str, ...] | None:
        unknown.update(dict.fromkeys(each for each in ids if each not in corpus))
        return tuple(corpus[each] for each in ids) if all(each in corpus for each in ids) else None

    filled = []
    for each in records:
        retrieved, gold = each.retrieved_texts, each.gold_texts
        if retrieved is None and each.retrieved is not None:
            retrieved = texts(each.retrieved.ids)
        if gold is None and each.gold is not None:
            gold = texts(gold_ids(each.gold))
        filled.append(each._replace(retrieved_texts=retrieved, gold_texts=gold))
    notes = []
    if unknown:
        said = f"{count(len(unknown), 'document')} not in the corpus, so that their questions have no texts"
        notes.append(Note("corpus", f"{said}: {some(list(unknown))}"))
    return filled, notes


def gold_ids(gold: Any) -> list[str]:  # noqa: ANN401 - any form of judgments
    """The ids of relevant documents, of all groups.

    >>> gold_ids([["d1", "d2"], ["d3"]]), gold_ids({"d1": 1, "d2": 0})
    (['d1', 'd2', 'd3'], ['d1'])
    """
    if isinstance(gold, Mapping):
        return [str(name) for name, grade in gold.items() if grade]
    return [str(name) for each in gold for name in (each if isinstance(each, list) else [each])]
