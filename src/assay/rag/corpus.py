"""The texts of documents, by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError
from assay.core.text import count, show, some
from assay.io.passages import ID, TEXT
from assay.notes import Note
from assay.rag.fields import FIELDS
from assay.rag.rows import read_rows

if TYPE_CHECKING:
    from assay.rag.records import Record


def read_corpus(data: object) -> Mapping[str, str]:
    """The text of each document: a dict, or a file or frame with ids and texts."""
    if isinstance(data, Mapping) and all(isinstance(each, str) for each in data.values()):
        return {str(name): text for name, text in data.items()}
    return texts_of(data)


def texts_of(data: object) -> dict[str, str]:
    """The text of each id, of rows that have both."""
    rows = read_rows(data)
    names = {name for row in rows.rows[:1] for name in row}
    ids = next((each for each in (*ID, *FIELDS["query_id"]) if each in names), None)
    text = next((each for each in (*TEXT, *FIELDS["question"]) if each in names), None)
    if not rows.rows:
        raise DataError(f"{rows.name}: there is nothing in it")
    if ids is None or text is None:
        there = ", ".join(map(show, names))
        raise DataError(f"{rows.name}: expected rows with an id and a text, such as _id and text; there are {there}")
    return {str(row.get(str(ids))): str(row.get(str(text)) or "") for row in rows.rows}


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
