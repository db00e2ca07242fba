"""The texts of documents, by id."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.core.note import Note, NoteKind
from assay.core.text import count, some

if TYPE_CHECKING:
    from assay.tasks.rag.gold import Gold
    from assay.tasks.rag.records import Record


def fill_texts(records: list[Record], corpus: Mapping[str, str], gold: Gold | None) -> tuple[list[Record], list[Note]]:
    """The records with the texts of their documents, where they have none themselves and the corpus has all."""
    unknown: dict[str, None] = {}

    def texts(ids: list[str]) -> tuple[str, ...] | None:
        unknown.update(dict.fromkeys(each for each in ids if each not in corpus))
        return tuple(corpus[each] for each in ids) if all(each in corpus for each in ids) else None

    filled = []
    for each in records:
        retrieved, wanted = each.retrieved_texts, each.gold_texts
        if retrieved is None and each.retrieved is not None:
            retrieved = texts(each.retrieved.ids)
        if wanted is None and each.gold is not None and gold is not None:
            wanted = texts(sorted({document for group in gold.wanted(each) for document in group}))
        filled.append(each._replace(retrieved_texts=retrieved, gold_texts=wanted))
    notes = []
    if unknown:
        said = f"{count(len(unknown), 'document')} not in the corpus, so that their questions have no texts"
        notes.append(Note(NoteKind.CORPUS, f"{said}: {some(list(unknown))}"))
    return filled, notes
