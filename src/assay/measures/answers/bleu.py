"""BLEU: how many n-grams of an answer stand in the references, with a penalty for short answers.

Papineni et al., BLEU: a method for automatic evaluation of machine translation, ACL 2002; Post, A call for clarity in
reporting BLEU scores, WMT 2018. Computed by sacrebleu.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray
from assay.core.measure import AnswerExample, measure
from assay.core.parameter import Bounds
from assay.measures.answers.data import Answers
from assay.measures.answers.pooled import UNDEFINED, Lowercase, Over, basis, gather, pooled, scores, signature

if TYPE_CHECKING:
    from sacrebleu.metrics.base import Metric

Tokenize = Annotated[
    Literal["13a", "intl", "char", "zh", "ja-mecab", "ko-mecab", "none"],
    "sacrebleu's tokenizer; those of Japanese and Korean need packages of their own",
]
Smooth = Annotated[Literal["exp", "floor", "add-k", "none"], "how sacrebleu treats an n-gram order without a match"]
SmoothValue = Annotated[float | None, Bounds(low=0), "the number that floor and add-k take; sacrebleu's own if none"]


def bleu_metric(
    *, tokenize: str, smooth: str, smooth_value: float | None, lowercase: bool, effective_order: bool = False
) -> Metric:
    from sacrebleu.metrics.bleu import BLEU

    try:
        return BLEU(
            lowercase=lowercase,
            tokenize=tokenize,
            smooth_method=smooth,
            smooth_value=smooth_value,
            effective_order=effective_order,
        )
    except (ImportError, RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise MeasureError(f"bleu: sacrebleu cannot use the tokenizer {tokenize}: {reason}") from error


def remarks(answers: Answers, *, aggregate: str, **values: Any) -> list[str]:  # noqa: ANN401 - as the measure's
    return [signature(answers, bleu_metric(**values, effective_order=aggregate == "mean"))]


@measure(
    "bleu",
    title="BLEU",
    formula="100 BP (p1 p2 p3 p4)^(1/4), pn: share of the answer's n-grams in references, BP = min(1, e^(1 - r/c))",
    reference="Papineni et al., ACL 2002; Post, A call for clarity in reporting BLEU scores, WMT 2018.",
    aliases={"sacrebleu": {}},
    range=(0, 100),
    undefined=UNDEFINED,
    of="answers",
    pooled=pooled(bleu_metric),
    basis=basis,
    remarks=remarks,
    example=AnswerExample(
        "bleu",
        ["the cat sat on the mat"],
        "the cat sat on a mat",
        53.7285,
        "p1 = 5/6, p2 = 3/5, p3 = 2/4, p4 = 1/3, no penalty: (1/12)^(1/4) = 0.5373",
    ),
)
def bleu(
    answers: Answers,
    *,
    aggregate: Over = "corpus",  # noqa: ARG001 - decides what becomes of the values
    tokenize: Tokenize = "13a",
    smooth: Smooth = "exp",
    smooth_value: SmoothValue = None,
    lowercase: Lowercase = False,
) -> FloatArray:
    """How much of an answer's wording is that of the references, from 0 to 100.

    A question's value is sentence BLEU with effective order; an empty answer has 0. The one number of all questions is
    corpus BLEU. N-grams of all references count, and the length of the closest.
    """
    values = {"tokenize": tokenize, "smooth": smooth, "smooth_value": smooth_value, "lowercase": lowercase}
    rows = gather(answers, bleu_metric, values)
    return scores(answers, bleu_metric(**values, effective_order=True), rows)  # type: ignore[arg-type]
