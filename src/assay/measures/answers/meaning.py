"""Similarity of meaning: the cosine between the vectors that a user's own embedder gives answer and reference."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.core.errors import DataError, MeasureError
from assay.core.judged import FloatArray, ratio
from assay.core.measure import TABLE, Definition, Measure, all_names
from assay.core.text import show
from assay.measures.answers.data import Answers

Embedder = Callable[[list[str]], Any]
BATCH = 256


def semantic(embed: Embedder, name: str = "semantic", *, batch: int = BATCH) -> Measure:
    """A measure of answers: the cosine between answer and reference as `embed` sees them; the best reference counts.

    `embed` takes a list of texts, at most `batch` of them, and gives one vector a text: an array, a tensor or lists.
    It sees each text of some questions once, empty ones too. The name is what the result calls the measure, and should
    say which model it is; it is not entered among the measures that `assay measures` lists.

    >>> import assay
    >>> def letters(texts):
    ...     return [[text.count(letter) for letter in "abc"] for text in texts]
    >>> measure = assay.semantic(letters, "letters")
    >>> assay.evaluate_answers(["aab", "c"], ["aba", "cab"], [measure, "em"]).scores["letters"].round(4).tolist()
    [1.0, 0.5774]
    """
    if not callable(embed):
        raise MeasureError(f"semantic needs a function from texts to vectors, not {show(type(embed).__name__)}")
    if not isinstance(name, str) or not name.isidentifier():
        raise MeasureError(f"semantic: a name is one word of letters, digits and _, not {show(name)}")
    if name in all_names(TABLE):
        raise MeasureError(f"there is a measure named {show(name)} already; choose another name")
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise MeasureError(f"semantic: batch must be a whole number at least 1, not {show(batch)}")

    def function(answers: Answers) -> FloatArray:
        """How near the meaning of the answer is to that of a reference."""
        starts = range(0, answers.size, batch)
        return np.concatenate([similarities(answers, slice(start, start + batch), embed, batch) for start in starts])

    return Definition(
        name,
        function,
        title="Semantic similarity",
        formula="cosine between the vectors of answer and reference; the best reference counts",
        range=(-1, 1),
        undefined="there is no reference",
        of="answers",
    )()


def similarities(answers: Answers, part: slice, embed: Embedder, batch: int) -> FloatArray:
    """The values of some questions."""
    references, predictions = answers.references[part], answers.predictions[part]
    places: dict[str, int] = {}
    for text in (*predictions, *(each for every in references for each in every)):
        places.setdefault(text, len(places))
    texts = list(places)
    vectors = np.concatenate([vectors_of(texts[start : start + batch], embed) for start in range(0, len(texts), batch)])
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = ratio(vectors, lengths)
    return answers.best_of(
        lambda right, given: float(np.clip(units[places[right]] @ units[places[given]], -1, 1)), references, predictions
    )


def vectors_of(texts: Sequence[str], embed: Embedder) -> FloatArray:
    """What the embedder gives, checked: one vector a text, all of one length, of finite numbers."""
    try:
        vectors = np.asarray(embed(list(texts)), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the embedder gives no vectors of numbers: {error}") from error
    if vectors.ndim != 2 or len(vectors) != len(texts):  # noqa: PLR2004 - rows and columns
        raise DataError(f"the embedder gives an array of the shape {vectors.shape} for {len(texts)} texts")
    if not np.isfinite(vectors).all():
        raise DataError("the embedder gives a vector with a number that is not finite")
    return vectors
