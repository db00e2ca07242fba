"""Token overlap between retrieved and gold passages, as AutoRAG computes it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, define
from assay.measures.answers.overlap import overlap_scores
from assay.measures.answers.tokens import Normalize
from assay.measures.answers.words import NORMALIZED, AnswerWords

REFERENCE = "AutoRAG, retrieval_token_precision, retrieval_token_recall and retrieval_token_f1."
UNDEFINED = "a text of the gold or the retrieved passages is missing or blank"
# Questions at a time: every gold text is split again for each retrieved one.
BLOCK = 256
GOLD = ["The tower was built in 1889."]
RETRIEVED = ["The tower opened in 1889.", "Paris is a city."]


@dataclass(frozen=True, slots=True, eq=False)
class Contents:
    """Per question its id, the texts of its gold passages and of the retrieved ones; empty where unknown."""

    ids: list[str]
    gold: list[tuple[str, ...]]
    retrieved: list[tuple[str, ...]]
    _memory: dict[Hashable, FloatArray] = field(default_factory=dict, repr=False, compare=False)

    @property
    def size(self) -> int:
        return len(self.ids)

    def part(self, start: int, stop: int) -> Contents:
        """The questions from `start` to `stop`."""
        return Contents(self.ids[start:stop], self.gold[start:stop], self.retrieved[start:stop])

    def overlaps(self, normalize: str) -> FloatArray:
        """Precision, recall and F1 of each question; computed once for all three measures."""
        if normalize not in self._memory:
            starts = range(0, self.size, BLOCK)
            values = [passage_overlaps(self.part(start, start + BLOCK), normalize) for start in starts]
            self._memory[normalize] = np.concatenate([np.empty((0, 3)), *values])
        return self._memory[normalize]


def passage_overlaps(contents: Contents, normalize: str) -> FloatArray:
    """Precision, recall and F1: each retrieved text against its best gold text, averaged over the retrieved texts.

    Unlike for answers, two texts without tokens have nothing in common. As in AutoRAG, a blank text leaves the question
    without a value.
    """
    pairs = list(zip(contents.gold, contents.retrieved, strict=True))
    known = [
        bool(gold and retrieved) and all(text.strip() for text in (*gold, *retrieved)) for gold, retrieved in pairs
    ]
    rows = [(gold, text) for is_known, (gold, every) in zip(known, pairs, strict=True) if is_known for text in every]
    words = AnswerWords([gold for gold, _ in rows], [text for _, text in rows], NORMALIZED[normalize])
    scores = overlap_scores(words, np.ravel(words.shared(1)), empty=0.0)
    ends = np.cumsum([len(every) * is_known for is_known, (_, every) in zip(known, pairs, strict=True)]).tolist()
    means = [scores[start:end].mean(axis=0) if end > start else [np.nan] * 3 for start, end in pairwise([0, *ends])]
    return np.array(means, dtype=np.float64).reshape(-1, 3)


@define(
    "retrieval_token_f1",
    title="Token F1 of retrieved passages",
    formula="the mean over the retrieved passages of 2 P R / (P + R) against the best gold passage for each",
    reference=REFERENCE,
    undefined=UNDEFINED,
    of="contents",
    example=AnswerExample(
        "retrieval_token_f1", GOLD, RETRIEVED, 1 / 3, "3 of 4 words and 3 of 5: 2 · 3 / (4 + 5) = 2/3; 0 for the second"
    ),
)
def retrieval_token_f1(contents: Contents, *, normalize: Normalize = "squad") -> FloatArray:
    """How well the words of the retrieved passages match those of gold passages."""
    return contents.overlaps(normalize)[:, 2]


@define(
    "retrieval_token_precision",
    title="Token precision of retrieved passages",
    formula="the mean over the retrieved passages of tokens shared with its best gold passage / its tokens",
    reference=REFERENCE,
    undefined=UNDEFINED,
    of="contents",
    example=AnswerExample("retrieval_token_precision", GOLD, RETRIEVED, 3 / 8, "3 of 4 words; 0 for the second"),
)
def retrieval_token_precision(contents: Contents, *, normalize: Normalize = "squad") -> FloatArray:
    """The share of a retrieved passage's words that are in a gold passage."""
    return contents.overlaps(normalize)[:, 0]


@define(
    "retrieval_token_recall",
    title="Token recall of retrieved passages",
    formula="the mean over the retrieved passages of shared tokens / the tokens of its best gold passage",
    reference=REFERENCE,
    undefined=UNDEFINED,
    of="contents",
    example=AnswerExample("retrieval_token_recall", GOLD, RETRIEVED, 3 / 10, "3 of 5 words; 0 for the second"),
)
def retrieval_token_recall(contents: Contents, *, normalize: Normalize = "squad") -> FloatArray:
    """The share of a gold passage's words that are in a retrieved passage."""
    return contents.overlaps(normalize)[:, 1]
