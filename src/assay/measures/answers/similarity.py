"""Similarity of answer and reference: containment, edit distances of characters, and the cosine of embeddings."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Annotated, Any

import numpy as np

from assay.core.errors import DataError, MeasureError
from assay.core.judged import FloatArray, ratio
from assay.core.measure import AnswerExample, Definition, Measure, define
from assay.core.parameter import Bounds
from assay.core.text import count, show
from assay.measures import TABLE
from assay.measures.answers.data import Answers
from assay.measures.answers.tokens import Normalize, normalize_text, tokenize

UNDEFINED = "there is no reference"
WholeWords = Annotated[bool, "only whole words count; else any part of the text"]
PrefixWeight = Annotated[float, Bounds(low=0, high=0.25), "what each of the first four characters in common adds"]
# The time of a distance grows with the product of the lengths.
LONGEST_TEXT = 100_000


def normalized_answers(answers: Answers, normalize: str) -> tuple[list[list[str]], list[str]]:
    """References and predictions as they are compared."""
    references = [[normalize_text(each, normalize) for each in every] for every in answers.references]
    return references, [normalize_text(each, normalize) for each in answers.predictions]


def note_long_texts(answers: Answers, *, normalize: str, **_: Any) -> list[str]:  # noqa: ANN401 - other parameters
    """Whether a text is so long that only its beginning is compared."""
    references, predictions = normalized_answers(answers, normalize)
    long = sum(len(each) > LONGEST_TEXT for every in (*references, predictions) for each in every)
    return (
        [f"{count(long, 'text')} of more than {LONGEST_TEXT:,} characters compared by the first of them"]
        if long
        else []
    )


@define(
    "contains",
    title="Contains a reference",
    formula="1 if a normalised reference stands in the normalised answer, else 0",
    reference="Mallen et al., When not to trust language models, ACL 2023 (with words=false).",
    undefined=UNDEFINED,
    of="answers",
    example=AnswerExample("contains", ["Eiffel Tower"], "It is the Eiffel Tower in Paris.", 1, "eiffel tower is in it"),
)
def contains(answers: Answers, *, normalize: Normalize = "squad", words: WholeWords = True) -> FloatArray:
    """Whether the answer has a reference in it, but for case, punctuation and articles.

    A reference without a word stands only in an answer without one.
    """

    def text(each: str) -> str:
        return f" {' '.join(tokenize(each, normalize))} " if words else normalize_text(each, normalize)

    references = ([text(each) for each in every] for every in answers.references)
    return answers.best_of(stands_in, references, map(text, answers.predictions))


def stands_in(reference: str, prediction: str) -> float:
    return float(reference in prediction if reference.strip() else not prediction.strip())


@define(
    "levenshtein",
    title="Levenshtein similarity",
    formula="1 - d / max(|answer|, |reference|), d: characters to insert, delete or replace",
    reference="Levenshtein, Binary codes capable of correcting deletions, insertions and reversals, 1966.",
    undefined=UNDEFINED,
    of="answers",
    remarks=note_long_texts,
    example=AnswerExample("levenshtein", ["kitten"], "sitting", 1 - 3 / 7, "3 edits, 7 characters: 1 - 3/7"),
)
def levenshtein(answers: Answers, *, normalize: Normalize = "none") -> FloatArray:
    """How few characters have to change to make the answer a reference; two empty texts are the same.

    The best reference counts. Of a text of more than 100,000 characters the first are compared and the rest counts as
    different, so that time stays bounded; the value is then never too high.
    """
    return answers.best_of(edit_similarity, *normalized_answers(answers, normalize))


def edit_similarity(reference: str, prediction: str) -> float:
    return 1 - count_edits(reference, prediction, LONGEST_TEXT) / max(len(reference), len(prediction), 1)


@define(
    "jaro_winkler",
    title="Jaro-Winkler similarity",
    formula="J + 4 prefix_weight (1 - J) for four characters in common, J: mean share of matching characters and order",
    reference="Winkler, String comparator metrics and enhanced decision rules, 1990.",
    undefined=UNDEFINED,
    of="answers",
    remarks=note_long_texts,
    example=AnswerExample(
        "jaro_winkler", ["MARTHA"], "MARHTA", 0.9611, "J = (1 + 1 + 5/6) / 3 = 0.9444, J + 3 · 0.1 · (1 - J)"
    ),
)
def jaro_winkler(answers: Answers, *, normalize: Normalize = "none", prefix_weight: PrefixWeight = 0.1) -> FloatArray:
    """How alike short texts such as names are, with more weight on how they begin; two empty texts are the same.

    The best reference counts. Of a text of more than 100,000 characters only the first are compared.
    """
    from rapidfuzz.distance import JaroWinkler

    def score(reference: str, prediction: str) -> float:
        return JaroWinkler.similarity(reference[:LONGEST_TEXT], prediction[:LONGEST_TEXT], prefix_weight=prefix_weight)

    return answers.best_of(score, *normalized_answers(answers, normalize))


def count_edits(one: Sequence[Hashable], other: Sequence[Hashable], longest: int) -> int:
    """Insertions, deletions and substitutions that make one the other.

    Of sequences longer than `longest` the beginnings are compared and the rest counts as edits, so that the number is
    never too small.

    >>> count_edits("kitten", "sitting", 100), count_edits("abcdef", "bcdefg", 3), count_edits("abcdef", "bcdefg", 6)
    (3, 5, 2)
    """
    from rapidfuzz.distance import Levenshtein

    rest = max(len(one) - longest, len(other) - longest, 0)
    return int(Levenshtein.distance(one[:longest], other[:longest])) + rest


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
    if TABLE.has(name):
        raise MeasureError(f"a measure named {show(name)} already exists; choose another name")
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise MeasureError(f"semantic: batch must be a whole number at least 1, not {show(batch)}")

    def function(answers: Answers) -> FloatArray:
        """How near the meaning of the answer is to that of a reference."""
        starts = range(0, answers.size, batch)
        return np.concatenate(
            [cosine_similarities(answers, slice(start, start + batch), embed, batch) for start in starts]
        )

    return Definition(
        name,
        function,
        title="Semantic similarity",
        formula="cosine between the vectors of answer and reference; the best reference counts",
        range=(-1, 1),
        undefined="there is no reference",
        of="answers",
    )()


def cosine_similarities(answers: Answers, part: slice, embed: Embedder, batch: int) -> FloatArray:
    """The values of some questions."""
    references, predictions = answers.references[part], answers.predictions[part]
    places: dict[str, int] = {}
    for text in (*predictions, *(each for every in references for each in every)):
        places.setdefault(text, len(places))
    texts = list(places)
    vectors = np.concatenate(
        [embed_texts(texts[start : start + batch], embed) for start in range(0, len(texts), batch)]
    )
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    units = ratio(vectors, lengths)
    return answers.best_of(
        lambda right, given: float(np.clip(units[places[right]] @ units[places[given]], -1, 1)), references, predictions
    )


def embed_texts(texts: Sequence[str], embed: Embedder) -> FloatArray:
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
