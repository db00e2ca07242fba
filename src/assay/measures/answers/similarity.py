"""Similarity of answer and reference: containment, edit distances of characters, and the cosine of embeddings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from functools import partial
from itertools import chain
from typing import Annotated, Any

import numpy as np

from assay.core.errors import DataError, MeasureError
from assay.core.judged import FloatArray, ratio
from assay.core.measure import Definition, Measure, answer_example, cites, computes, define
from assay.core.parameter import Bounds
from assay.core.policies import check_whole
from assay.core.text import count, show
from assay.measures import TABLE
from assay.measures.answers.data import NO_REFERENCE, Answers, best_of
from assay.measures.answers.words import Normalize, normalize_text, tokenize

WholeWords = Annotated[bool, "match only whole words, rather than any part of the text"]
PrefixWeight = Annotated[float, Bounds(low=0, high=0.25), "the bonus for each of the first four characters that match"]
# The time for a distance grows with the product of the lengths.
LONGEST_TEXT = 100_000
Embedder = Callable[[list[str]], Any]
BATCH = 256
define_similarity = partial(define, undefined=NO_REFERENCE, of="answers")


def normalized_answers(answers: Answers, normalize: str) -> tuple[list[list[str]], list[str]]:
    references = [[normalize_text(each, normalize) for each in every] for every in answers.references]
    return references, [normalize_text(each, normalize) for each in answers.predictions]


def note_long_texts(answers: Answers, *, normalize: str, **_: Any) -> list[str]:  # noqa: ANN401 - other parameters
    """A remark if texts are so long that only their beginnings are compared."""
    references, predictions = normalized_answers(answers, normalize)
    long = sum(len(each) > LONGEST_TEXT for every in (*references, predictions) for each in every)
    told = f"{count(long, 'text')} of more than {LONGEST_TEXT:,} characters, compared only up to that length"
    return [told] if long else []


@define_similarity("contains", title="Contains a reference")
@computes("1 if the normalised answer contains a normalised reference, else 0")
@cites("Mallen et al., When not to trust language models, ACL 2023 (with words=false).")
@answer_example("contains", ["Eiffel Tower"], "It is the Eiffel Tower in Paris.", 1, "the answer contains eiffel tower")
def contains(answers: Answers, *, normalize: Normalize = "squad", words: WholeWords = True) -> FloatArray:
    """Whether the answer contains a reference, ignoring case, punctuation and articles.

    A reference without words matches only an answer without words.
    """

    def text(each: str) -> str:
        return f" {' '.join(tokenize(each, normalize))} " if words else normalize_text(each, normalize)

    def is_contained(reference: str, prediction: str) -> float:
        return float(reference in prediction if reference.strip() else not prediction.strip())

    return best_of(is_contained, (map(text, every) for every in answers.references), map(text, answers.predictions))


@define_similarity("levenshtein", title="Levenshtein similarity", remarks=note_long_texts)
@computes("1 - d / max(|answer|, |reference|), d: characters to insert, delete or replace")
@cites("Levenshtein, Binary codes capable of correcting deletions, insertions and reversals, 1966.")
@answer_example("levenshtein", ["kitten"], "sitting", 1 - 3 / 7, "3 edits, 7 characters: 1 - 3/7")
def levenshtein(answers: Answers, *, normalize: Normalize = "none") -> FloatArray:
    """How few characters must change to turn the answer into a reference; two empty texts are equal.

    The best reference counts. Only the first 100,000 characters of a text are compared, to bound the time; the rest
    counts as different, so the value is never too high.
    """

    def score(reference: str, prediction: str) -> float:
        return 1 - count_edits(reference, prediction, LONGEST_TEXT) / max(len(reference), len(prediction), 1)

    return best_of(score, *normalized_answers(answers, normalize))


@define_similarity("jaro_winkler", title="Jaro-Winkler similarity", remarks=note_long_texts)
@computes("J + n prefix_weight (1 - J), n ≤ 4 matching first characters, J: mean share of matches and their order")
@cites("Winkler, String comparator metrics and enhanced decision rules, 1990.")
@answer_example("jaro_winkler", ["MARTHA"], "MARHTA", 0.9611, "J = (1 + 1 + 5/6) / 3 = 0.9444, J + 3 · 0.1 · (1 - J)")
def jaro_winkler(answers: Answers, *, normalize: Normalize = "none", prefix_weight: PrefixWeight = 0.1) -> FloatArray:
    """How similar short texts such as names are, with more weight on their beginnings; two empty texts are equal.

    The best reference counts. Only the first 100,000 characters of a text are compared.
    """
    from rapidfuzz.distance import JaroWinkler

    def score(reference: str, prediction: str) -> float:
        return JaroWinkler.similarity(reference[:LONGEST_TEXT], prediction[:LONGEST_TEXT], prefix_weight=prefix_weight)

    return best_of(score, *normalized_answers(answers, normalize))


def count_edits(one: Sequence[Hashable], other: Sequence[Hashable], longest: int) -> int:
    """The insertions, deletions and substitutions that turn one sequence into the other.

    Past `longest` items nothing is compared and everything counts as an edit, so the number is never too small.
    """
    from rapidfuzz.distance import Levenshtein

    rest = max(len(one) - longest, len(other) - longest, 0)
    return int(Levenshtein.distance(one[:longest], other[:longest])) + rest


def semantic(embed: Embedder, name: str = "semantic", *, batch: int = BATCH) -> Measure:
    """A measure of answers: the cosine similarity of answer and reference embeddings; the best reference counts.

    `embed` takes a list of at most `batch` texts and returns one vector per text: an array, a tensor or lists. Within a
    batch of questions it gets each text once, including empty ones. `name` is the measure's name in the result and
    should say which model is used; `assay measures` does not list it.

    >>> import assay
    >>> def letters(texts):
    ...     return [[text.count(letter) for letter in "abc"] for text in texts]
    >>> measure = assay.judges.semantic(letters, "letters")
    >>> assay.evaluate_answers(["aab", "c"], ["aba", "cab"], [measure, "em"]).scores["letters"].round(4).tolist()
    [1.0, 0.5774]
    """
    if not callable(embed):
        given = show(type(embed).__name__)
        raise MeasureError(f"semantic: embed must be a function from texts to vectors, not {given}")
    if not isinstance(name, str) or not name.isidentifier():
        raise MeasureError(f"semantic: name must be one word of letters, digits and _, not {show(name)}")
    if TABLE.has(name):
        raise MeasureError(f"a measure named {show(name)} already exists; choose another name")
    batch = check_whole("semantic: batch", batch, 1, error=MeasureError)

    def function(answers: Answers) -> FloatArray:
        """How close the meaning of the answer is to that of a reference."""
        parts = [answers.part(start, start + batch) for start in range(0, answers.size, batch)]
        return np.concatenate([cosine_similarities(part, embed, batch) for part in parts])

    title, formula = "Semantic similarity", "cosine of the vectors of answer and reference; the best reference counts"
    return Definition(name, function, title, formula, range=(-1, 1), undefined=NO_REFERENCE, of="answers")()


def cosine_similarities(answers: Answers, embed: Embedder, batch: int) -> FloatArray:
    texts = list(dict.fromkeys((*answers.predictions, *chain.from_iterable(answers.references))))
    starts = range(0, len(texts), batch)
    vectors = np.concatenate([embed_texts(texts[start : start + batch], embed) for start in starts])
    units = dict(zip(texts, ratio(vectors, np.linalg.norm(vectors, axis=1, keepdims=True)), strict=True))

    def score(right: str, given: str) -> float:
        return float(np.clip(units[right] @ units[given], -1, 1))

    return best_of(score, answers.references, answers.predictions)


def embed_texts(texts: Sequence[str], embed: Embedder) -> FloatArray:
    """The embedder's vectors, checked: one per text, of equal length, of finite numbers."""
    try:
        vectors = np.asarray(embed(list(texts)), dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"the embedder did not return vectors of numbers: {error}") from error
    if vectors.ndim != 2 or len(vectors) != len(texts):  # noqa: PLR2004 - rows and columns
        shape = f"an array of shape {vectors.shape} for {len(texts)} texts"
        raise DataError(f"the embedder returned {shape}; expected one vector per text")
    if not np.isfinite(vectors).all():
        raise DataError("the embedder returned a vector with a NaN or infinite value")
    return vectors
