"""`Tops`: the first documents of each query, which the kernel keeps on request while it ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from assay.core.judged import FloatArray, IntArray, floats, integers
from assay.core.text import EMPTY_ID, given_id

if TYPE_CHECKING:
    from assay._kernel import TopColumns


@dataclass(frozen=True, slots=True, eq=False)
class Tops:
    """The first documents of each judged query, by the query's number: in rank order, with the scores that rank them.

    `starts` has the place in `scores` and `ids()` where each query's documents begin, and the end of the last. The
    first of them has rank 1, the next rank 2. In a given order the scores are 0, -1, -2. A document with an empty id
    keeps its place, as it keeps its rank where it is excluded.
    """

    starts: IntArray
    scores: FloatArray
    # Where each id begins in the text, and the end of the last.
    offsets: IntArray
    text: bytes

    @classmethod
    def of(cls, columns: TopColumns) -> Tops:
        starts, scores, offsets = integers(columns["starts"]), floats(columns["scores"]), integers(columns["offsets"])
        return cls(starts, scores, offsets, columns["ids"])

    @classmethod
    def pack(cls, rankings: Sequence[Sequence[tuple[str, float]]]) -> Tops:
        """The first documents of each query, given with their scores."""
        ids = [document.encode() for ranking in rankings for document, _ in ranking]
        scores = [score for ranking in rankings for _, score in ranking]
        starts = np.cumsum([0, *map(len, rankings)], dtype=np.int64)
        offsets = np.cumsum([0, *map(len, ids)], dtype=np.int64)
        return cls(starts, np.array(scores, dtype=np.float64), offsets, b"".join(ids))

    def count(self, query: int) -> int:
        return int(self.starts[query + 1] - self.starts[query])

    def documents(self, query: int) -> list[str]:
        return self.some(int(self.starts[query]), int(self.starts[query + 1]))

    def ids(self) -> list[str]:
        return self.some(0, len(self.scores))

    def some(self, start: int, end: int) -> list[str]:
        first, last = int(self.offsets[start]), int(self.offsets[end])
        content = self.text[first:last]
        places = pairwise((self.offsets[start : end + 1] - first).tolist())
        if content.isascii():
            # A slice of text takes half the time of decoding one of bytes.
            text = content.decode()
            names = [text[one:other] for one, other in places]
        else:
            names = [content[one:other].decode() for one, other in places]
        return [given_id(name) for name in names] if EMPTY_ID.encode() in content else names

    def rankings(self) -> list[list[tuple[str, float]]]:
        rows = list(zip(self.ids(), self.scores.tolist(), strict=True))
        return [rows[start:end] for start, end in pairwise(self.starts.tolist())]
