"""chrF: the F score of the character n-grams that answer and reference have in common.

Popović, chrF: character n-gram F-score for automatic MT evaluation, WMT 2015; chrF++: words helping character n-grams,
WMT 2017. Computed by sacrebleu.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, measure
from assay.core.parameter import Bounds
from assay.measures.answers.data import Answers
from assay.measures.answers.pooled import UNDEFINED, Lowercase, Over, basis, gather, pooled, scores, signature

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

Order = Annotated[int, Bounds(low=1, high=20), "the longest n-gram of characters"]
Words = Annotated[int, Bounds(low=0, high=20), "the longest n-gram of words that counts too; 2 is chrF++"]
Beta = Annotated[int, Bounds(low=1, high=1000), "how many times as much recall counts as precision"]
Whitespace = Annotated[bool, "blanks are characters too"]


def chrf_metric(*, order: int, words: int, beta: int, lowercase: bool, whitespace: bool) -> Metric:
    from sacrebleu.metrics.chrf import CHRF

    return CHRF(char_order=order, word_order=words, beta=beta, lowercase=lowercase, whitespace=whitespace)


def remarks(answers: Answers, *, aggregate: str, **values: Any) -> list[str]:  # noqa: ANN401, ARG001 - as the measure's
    return [signature(answers, chrf_metric(**values))]


@measure(
    "chrf",
    title="chrF",
    formula="100 · (1 + beta²) P R / (beta² P + R); P and R: means over n of the n-grams of characters in common",
    reference="Popović, chrF, WMT 2015; chrF++ (words=2), WMT 2017.",
    aliases={"chrf++": {"words": 2}},
    range=(0, 100),
    undefined=UNDEFINED,
    of="answers",
    pooled=pooled(chrf_metric),
    basis=basis,
    remarks=remarks,
    example=AnswerExample(
        "chrf(order=2)", ["abcd"], "abc", 100 * 5 * (17 / 24) / (4 + 17 / 24), "P = 1, R = (3/4 + 2/3) / 2 = 0.7083"
    ),
)
def chrf(
    answers: Answers,
    *,
    aggregate: Over = "corpus",  # noqa: ARG001 - decides what becomes of the values
    order: Order = 6,
    words: Words = 0,
    beta: Beta = 2,
    lowercase: Lowercase = False,
    whitespace: Whitespace = False,
) -> FloatArray:
    """How many sequences of characters answer and reference have in common, from 0 to 100.

    It needs no words, and so suits languages with many endings and scripts without blanks. An empty answer has 0. The
    best reference counts. The one number of all questions is corpus chrF.
    """
    values = {"order": order, "words": words, "beta": beta, "lowercase": lowercase, "whitespace": whitespace}
    return scores(answers, chrf_metric(**values), gather(answers, chrf_metric, values))  # type: ignore[arg-type]
