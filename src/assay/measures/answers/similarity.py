"""How alike the characters of answer and reference are, and whether a reference stands in the answer."""

from __future__ import annotations

from typing import Annotated, Any

from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, measure
from assay.core.parameter import Bounds
from assay.core.text import count
from assay.measures.answers.data import Answers
from assay.measures.answers.edits import edits
from assay.measures.answers.tokens import Normalize, normalized, tokens

UNDEFINED = "there is no reference"
Words = Annotated[bool, "only whole words count; else any part of the text"]
PrefixWeight = Annotated[float, Bounds(low=0, high=0.25), "what each of the first four characters in common adds"]
# The time of a distance grows with the product of the lengths.
LONGEST = 100_000


def normalized_answers(answers: Answers, normalize: str) -> tuple[list[list[str]], list[str]]:
    """References and predictions as they are compared."""
    references = [[normalized(each, normalize) for each in every] for every in answers.references]
    return references, [normalized(each, normalize) for each in answers.predictions]


def remarks(answers: Answers, *, normalize: str, **_: Any) -> list[str]:  # noqa: ANN401 - other parameters
    """Whether a text is so long that only its beginning is compared."""
    references, predictions = normalized_answers(answers, normalize)
    long = sum(len(each) > LONGEST for every in (*references, predictions) for each in every)
    return [f"{count(long, 'text')} of more than {LONGEST:,} characters compared by the first of them"] if long else []


@measure(
    "contains",
    title="Contains a reference",
    formula="1 if a normalised reference stands in the normalised answer, else 0",
    reference="Mallen et al., When not to trust language models, ACL 2023 (with words=false).",
    undefined=UNDEFINED,
    of="answers",
    example=AnswerExample("contains", ["Eiffel Tower"], "It is the Eiffel Tower in Paris.", 1, "eiffel tower is in it"),
)
def contains(answers: Answers, *, normalize: Normalize = "squad", words: Words = True) -> FloatArray:
    """Whether the answer has a reference in it, but for case, punctuation and articles.

    A reference without a word stands only in an answer without one.
    """

    def text(each: str) -> str:
        return f" {' '.join(tokens(each, normalize))} " if words else normalized(each, normalize)

    references = ([text(each) for each in every] for every in answers.references)
    return answers.best_of(stands_in, references, map(text, answers.predictions))


def stands_in(reference: str, prediction: str) -> float:
    return float(reference in prediction if reference.strip() else not prediction.strip())


@measure(
    "levenshtein",
    title="Levenshtein similarity",
    formula="1 - d / max(|answer|, |reference|), d: characters to insert, delete or replace",
    reference="Levenshtein, Binary codes capable of correcting deletions, insertions and reversals, 1966.",
    undefined=UNDEFINED,
    of="answers",
    remarks=remarks,
    example=AnswerExample("levenshtein", ["kitten"], "sitting", 1 - 3 / 7, "3 edits, 7 characters: 1 - 3/7"),
)
def levenshtein(answers: Answers, *, normalize: Normalize = "none") -> FloatArray:
    """How few characters have to change to make the answer a reference; two empty texts are the same.

    The best reference counts. Of a text of more than 100,000 characters the first are compared and the rest counts as
    different, so that time stays bounded; the value is then never too high.
    """
    return answers.best_of(edit_similarity, *normalized_answers(answers, normalize))


def edit_similarity(reference: str, prediction: str) -> float:
    return 1 - edits(reference, prediction, LONGEST) / max(len(reference), len(prediction), 1)


@measure(
    "jaro_winkler",
    title="Jaro-Winkler similarity",
    formula="J + 4 prefix_weight (1 - J) for four characters in common, J: mean share of matching characters and order",
    reference="Winkler, String comparator metrics and enhanced decision rules, 1990.",
    undefined=UNDEFINED,
    of="answers",
    remarks=remarks,
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
        return JaroWinkler.similarity(reference[:LONGEST], prediction[:LONGEST], prefix_weight=prefix_weight)

    return answers.best_of(score, *normalized_answers(answers, normalize))
