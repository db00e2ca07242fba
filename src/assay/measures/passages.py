"""Token overlap between retrieved and gold passages, as AutoRAG computes it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, define
from assay.measures.answers.overlap import token_overlap
from assay.measures.answers.tokens import Normalize, tokenize

REFERENCE = "AutoRAG, retrieval_token_precision, retrieval_token_recall and retrieval_token_f1."
UNDEFINED = "a text of the gold or the retrieved passages is missing or blank"
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
            pairs = zip(self.gold, self.retrieved, strict=True)
            values = [passage_overlap(gold, retrieved, normalize) for gold, retrieved in pairs]
            self._memory[normalize] = np.array(values, dtype=np.float64).reshape(-1, 3)
        return self._memory[normalize]


def passage_overlap(gold: tuple[str, ...], retrieved: tuple[str, ...], normalize: str) -> Any:  # noqa: ANN401 - three floats
    """Precision, recall and F1: each retrieved text against its best gold text, averaged over the retrieved texts.

    Unlike for answers, two texts without tokens have nothing in common. As in AutoRAG, a blank text leaves the question
    without a value.
    """
    if not gold or not retrieved or not all(text.strip() for text in (*gold, *retrieved)):
        return (np.nan,) * 3
    right = [Counter(tokenize(each, normalize)) for each in gold]
    given = [Counter(tokenize(each, normalize)) for each in retrieved]
    every = [
        [token_overlap(one, other, yes_no=False) if one and other else (0.0,) * 3 for one in right] for other in given
    ]
    return np.array(every).max(axis=1).mean(axis=0)


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
