"""Chunks of documents: rankings of chunks become rankings of documents, by a rule for their ids (`core/doc_id.py`).

For rankings in a given order, as those of RAG records and of a live retriever:

    found = Chunks(rule)                        # counts over all rankings what the notes say
    kept = found.collapse(ids, items)           # of one ranking: each document, and the place of its best chunk
    found.notes()                               # what was left out, and what the rule did not match
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from assay.core.note import Note, NoteKind
from assay.core.text import printable, some

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.doc_id import DocIdRule

# Ids that a note shows.
MOST_SHOWN = 3


@dataclass(slots=True)
class Chunks:
    """What became of the chunks of a run under a rule: how many there were, were left out, or have no document."""

    rule: DocIdRule
    retrieved: int = 0
    dropped: int = 0
    unmatched: int = 0
    shown: list[str] = field(default_factory=list)

    def documents(self, chunks: Sequence[str], items: Sequence[object] | None = None) -> list[str]:
        """The document of each chunk of a ranking, as a list with duplicates; `items` are what was retrieved.

        A chunk that the rule does not match is a document of its own.
        """
        if self.rule.is_field:
            found = [self.rule.match(*each) for each in zip(chunks, items or [None] * len(chunks), strict=True)]
        else:
            found = self.rule.match_all(chunks).to_list()
        lacking = [chunk for chunk, document in zip(chunks, found, strict=True) if document is None]
        self.retrieved += len(chunks)
        self.unmatched += len(lacking)
        self.shown += [each for each in dict.fromkeys(lacking) if each not in self.shown][
            : MOST_SHOWN - len(self.shown)
        ]
        return [document or chunk for chunk, document in zip(chunks, found, strict=True)]

    def collapse(self, chunks: Sequence[str], items: Sequence[object] | None = None) -> dict[str, int]:
        """The documents of a ranking, best first, each with the place of its first chunk, from 0.

        >>> from assay.core.doc_id import DocIdRule
        >>> Chunks(DocIdRule.parse("before:#")).collapse(["b#2", "a#1", "b#1", "c"])
        {'b': 0, 'a': 1, 'c': 3}
        """
        kept: dict[str, int] = {}
        for place, document in enumerate(self.documents(chunks, items)):
            kept.setdefault(document, place)
        self.dropped += len(chunks) - len(kept)
        return kept

    def notes(self) -> list[Note]:
        """How many chunks were left out, and which ids the rule does not match."""
        notes = []
        if self.dropped:
            notes.append(Note.of(NoteKind.CHUNKS, count=self.dropped))
        if self.unmatched:
            about = "none" if self.unmatched == self.retrieved else "some"
            how = {"rule": printable(self.rule), "ids": some(self.shown), "retrieved": f"{self.retrieved:,}"}
            notes.append(Note.of(NoteKind.CHUNKS, about=about, count=self.unmatched, **how))
        return notes
