"""BLEU, chrF and TER, as sacrebleu computes them.

A question's value is the score of its own statistics. The overall value is the score of the summed statistics, which is
sacrebleu's corpus score, unless `aggregate=mean`. Sums are scored by sacrebleu's formulas in NumPy, because a bootstrap
scores hundreds of thousands of them; tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, ratio
from assay.core.measure import Definition, Pooled, answer_example, cites, computes, define, says, undefined_if
from assay.core.parameter import Bounds
from assay.measures.answers.data import NO_REFERENCE, NO_TEXT, Answers, Blank, without_blank
from assay.measures.answers.statistics import Metric, References, bleu_rows, chrf_rows, note_without_shifts, ter_rows

CorpusOrMean = Annotated[
    Literal["corpus", "mean"], "the overall value: the score of the summed statistics, or the mean of the questions"
]
Lowercase = Annotated[bool, "ignore case"]
# sacrebleu's logarithm of 0.
LOG_OF_NOTHING = -9999999999.0
# What chrF++.py has instead of 0.
EPSILON = 1e-16


class CorpusMetric(NamedTuple):
    """A metric of sacrebleu: how it is made, its statistics of texts, and its score of rows of statistics."""

    make: Callable[..., Metric]
    # From references and predictions to one row of statistics per question.
    rows: Callable[[References, list[str], Metric], FloatArray]
    score: Callable[[Metric, FloatArray], FloatArray]

    def define(self, name: str, **about: Any) -> Callable[[Callable[..., Any]], Definition]:  # noqa: ANN401 - passed on
        """Defines a measure of answers by this metric, whose overall value is the score of its summed statistics."""
        pooled = Pooled(self.statistics, self.combine)
        return define(name, of="answers", basis=library_version, pooled=pooled, **about)

    def statistics(self, answers: Answers, *, aggregate: str = "", blank: str = "", **values: Any) -> FloatArray:  # noqa: ANN401, ARG002 - the measure's parameters
        """The statistics, one row per question; without references, those of an empty one."""
        references = [right or ("",) for right in answers.references]
        key = (self, *sorted(values.items()))
        return answers.remember(key, lambda: self.rows(references, answers.predictions, self.make(**values)))

    def combine(self, sums: FloatArray, *, aggregate: str, blank: str = "", **values: Any) -> FloatArray:  # noqa: ANN401, ARG002 - the measure's parameters
        """The corpus score that summed statistics give."""
        return self.score(self.make(**values), sums)

    def of_questions(self, answers: Answers, values: dict[str, Any], **own: bool) -> FloatArray:
        """The score of each question; NaN without references."""
        scores = self.score(self.make(**values, **own), self.statistics(answers, **values))
        return np.where([bool(each) for each in answers.references], scores, np.nan)

    def signature(self, answers: Answers, *, aggregate: str = "", blank: str = "", **values: Any) -> list[str]:  # noqa: ANN401, ARG002 - the measure's parameters
        """Sacrebleu's own signature, including the number of references."""
        own = {"effective_order": aggregate == "mean"} if self.make is bleu_metric else {}
        metric = self.make(**values, **own)
        numbers = {len(each) for each in answers.references if each}
        metric.num_refs = numbers.pop() if len(numbers) == 1 else -1
        return [f"sacrebleu signature {metric.get_signature()}"]


def library_version() -> str:
    import sacrebleu

    return f"sacrebleu {sacrebleu.__version__}"


def bleu_scores(metric: Metric, rows: FloatArray) -> FloatArray:
    """Rows: lengths of answer and reference, then shared n-grams by order, then all n-grams by order."""
    order, smooth = metric.max_ngram_order, metric.smooth_method
    given, right = rows[..., 0], rows[..., 1]
    common, total = rows[..., 2 : 2 + order].copy(), rows[..., 2 + order :].copy()
    has_match = common.any(axis=-1)
    value = metric.SMOOTH_DEFAULTS[smooth] if metric.smooth_value is None else metric.smooth_value
    if smooth == "add-k":
        common[..., 1:] += value
        total[..., 1:] += value
    # Orders count up to the first one that is longer than the answer.
    counts = np.logical_and.accumulate(total > 0, axis=-1)
    is_smoothed = counts & (common == 0)
    if smooth == "exp":
        common = np.where(is_smoothed, 0.5 ** np.cumsum(is_smoothed, axis=-1), common)
    elif smooth == "floor":
        common = np.where(is_smoothed, value, common)
    share = 100.0 * ratio(np.where(counts, common, 0.0), total)
    logs = np.where(share > 0, np.log(np.where(share > 0, share, 1.0)), LOG_OF_NOTHING)
    used = np.maximum(counts.sum(axis=-1), 1) if metric.effective_order else np.full(given.shape, order)
    mean = np.where(np.arange(order) < used[..., None], logs, 0.0).sum(axis=-1) / used
    penalty = np.where(given < right, np.exp(np.minimum(1 - ratio(right, given), 0.0)) * (given > 0), 1.0)
    return np.asarray(np.where(has_match, penalty * np.exp(mean), 0.0), dtype=np.float64)


def chrf_scores(metric: Metric, rows: FloatArray) -> FloatArray:
    """Rows: for each order, the n-grams of the answer, of the reference, and shared."""
    given, right, common = np.moveaxis(rows.reshape(*rows.shape[:-1], -1, 3), -1, 0)
    factor, sides = metric.beta**2, (given, right)
    if metric.eps_smoothing:
        # The mean over all orders of their F, with a tiny number instead of nothing, as in the program chrF++.py.
        precision, recall = (np.where(each > 0, ratio(common, each), EPSILON) for each in sides)
        total = factor * precision + recall
        scores = np.where(total > 0, ratio((1 + factor) * precision * recall, total), EPSILON)
        return np.asarray(100 * scores.mean(axis=-1), dtype=np.float64)
    counts = (given > 0) & (right > 0)
    orders = counts.sum(axis=-1)
    precision, recall = (ratio(np.where(counts, ratio(common, each), 0.0).sum(axis=-1), orders) for each in sides)
    return np.asarray(100 * ratio((1 + factor) * precision * recall, factor * precision + recall), dtype=np.float64)


def ter_scores(_: Metric, rows: FloatArray) -> FloatArray:
    """Rows: edits and words of the reference; an answer to an empty reference scores 100."""
    edits, words = rows[..., 0], rows[..., 1]
    return np.asarray(100 * np.where(words > 0, ratio(edits, words), edits > 0), dtype=np.float64)


BleuTokenizer = Annotated[
    Literal["13a", "intl", "char", "zh", "ja-mecab", "ko-mecab", "none"],
    "sacrebleu's tokenizer; those for Japanese and Korean need extra packages",
]
Smoothing = Annotated[
    Literal["exp", "floor", "add-k", "none"], "sacrebleu's smoothing for n-gram orders without a match"
]
LongestNgram = Annotated[int, Bounds(low=1, high=20), "the longest n-gram of words"]
SmoothValue = Annotated[float | None, Bounds(low=0), "the value for floor and add-k; by default sacrebleu's"]


def bleu_metric(*, tokenize: str, smooth: str, order: int, **same: Any) -> Metric:  # noqa: ANN401 - named alike there
    from sacrebleu.metrics import bleu

    try:
        return bleu.BLEU(tokenize=tokenize, smooth_method=smooth, max_ngram_order=order, **same)
    except (ImportError, RuntimeError, OSError) as error:
        reason = " ".join(str(error).split())
        raise MeasureError(f"bleu: sacrebleu cannot use the tokenizer {tokenize}: {reason}") from error


BLEU = CorpusMetric(bleu_metric, bleu_rows, bleu_scores)


@BLEU.define("bleu", title="BLEU", symbol="BLEU", range=(0, 100), remarks=BLEU.signature)
@computes("100 BP (p1 p2 p3 p4)^(1/4), pn: share of the answer's n-grams in a reference, BP = min(1, e^(1 - r/c))")
@undefined_if(NO_TEXT)
@cites("Papineni et al., ACL 2002; Post, A call for clarity in reporting BLEU scores, WMT 2018.")
@answer_example(
    "bleu",
    ["the cat sat on the mat"],
    "the cat sat on a mat",
    53.7285,
    "p1 = 5/6, p2 = 3/5, p3 = 2/4, p4 = 1/3, no penalty: (1/12)^(1/4) = 0.5373",
)
def bleu(
    answers: Answers,
    *,
    aggregate: CorpusOrMean = "corpus",  # noqa: ARG001 - decides what becomes of the values
    tokenize: BleuTokenizer = "13a",
    smooth: Smoothing = "exp",
    smooth_value: SmoothValue = None,
    lowercase: Lowercase = False,
    order: LongestNgram = 4,
    blank: Blank = "empty",
) -> FloatArray:
    """How much of an answer's wording matches the references, from 0 to 100.

    A question's value is sentence BLEU with effective order; an empty answer scores 0. The overall value is corpus
    BLEU. N-grams of all references count, and the length of the closest one.
    """
    words = {"tokenize": tokenize, "lowercase": lowercase, "order": order}
    values = {**words, "smooth": smooth, "smooth_value": smooth_value}
    return without_blank(answers, BLEU.of_questions(answers, values, effective_order=True), blank)


Order = Annotated[int, Bounds(low=1, high=20), "the longest n-gram of characters"]
Words = Annotated[int, Bounds(low=0, high=20), "the longest n-gram of words, counted too; 2 is chrF++"]
RecallFactor = Annotated[int, Bounds(low=1, high=1000), "how many times as much recall counts as precision"]
Smoothed = Annotated[bool, "orders without n-grams count, smoothed as in chrF++.py, Moses and nltk"]
Whitespace = Annotated[bool, "count whitespace as characters"]


def chrf_metric(*, order: int, words: int, eps: bool, **same: Any) -> Metric:  # noqa: ANN401 - named alike there
    from sacrebleu.metrics import chrf

    return chrf.CHRF(char_order=order, word_order=words, eps_smoothing=eps, **same)


CHRF = CorpusMetric(chrf_metric, chrf_rows, chrf_scores)


@CHRF.define("chrf", title="chrF", symbol="chrF", range=(0, 100), remarks=CHRF.signature)
@says(aliases={"chrf++": {"words": 2}})
@computes("100 · (1 + beta²) P R / (beta² P + R); P and R: means over n of the shares of matching character n-grams")
@undefined_if(NO_REFERENCE)
@cites("Popović, chrF, WMT 2015; chrF++ (words=2), WMT 2017.")
@answer_example(
    "chrf(order=2)", ["abcd"], "abc", 100 * 5 * (17 / 24) / (4 + 17 / 24), "P = 1, R = (3/4 + 2/3) / 2 = 0.7083"
)
def chrf(
    answers: Answers,
    *,
    aggregate: CorpusOrMean = "corpus",  # noqa: ARG001 - decides what becomes of the values
    order: Order = 6,
    words: Words = 0,
    beta: RecallFactor = 2,
    lowercase: Lowercase = False,
    whitespace: Whitespace = False,
    eps: Smoothed = False,
) -> FloatArray:
    """How many character n-grams answer and reference share, from 0 to 100.

    It needs no words, so it suits inflected languages and scripts without spaces. An empty answer scores 0. The best
    reference counts. The overall value is corpus chrF.
    """
    values = {
        "order": order,
        "words": words,
        "beta": beta,
        "lowercase": lowercase,
        "whitespace": whitespace,
        "eps": eps,
    }
    return CHRF.of_questions(answers, values)


TerNormalize = Annotated[bool, "split off punctuation as Tercom does"]
Punctuation = Annotated[bool, "keep punctuation"]
Asian = Annotated[bool, "extend normalize and punctuation to Chinese and Japanese characters"]
Case = Annotated[bool, "distinguish upper and lower case"]


def ter_metric(*, normalize: bool, punctuation: bool, asian: bool, case: bool) -> Metric:
    from sacrebleu.metrics import ter

    return ter.TER(normalized=normalize, no_punct=not punctuation, asian_support=asian, case_sensitive=case)


TER = CorpusMetric(ter_metric, ter_rows, ter_scores)


def ter_remarks(answers: Answers, *, aggregate: str, **values: Any) -> list[str]:  # noqa: ANN401, ARG001 - as the measure's
    noted = note_without_shifts(answers.references, answers.predictions, ter_metric(**values))
    return [*TER.signature(answers, **values), *noted]


@TER.define("ter", title="Translation edit rate", symbol="TER", range=(0, float("inf")))
@says(higher_is_better=False, remarks=ter_remarks)
@computes("100 · edits / words of the reference; an insertion, a deletion, a substitution or a shift is one edit")
@undefined_if(NO_REFERENCE)
@cites("Snover et al., AMTA 2006.")
@answer_example(
    "ter", ["in 1889 the tower was built"], "the tower was built in 1889", 100 / 6, "1 shift, 6 words: 1 / 6"
)
def ter(
    answers: Answers,
    *,
    aggregate: CorpusOrMean = "corpus",  # noqa: ARG001 - decides what becomes of the values
    normalize: TerNormalize = False,
    punctuation: Punctuation = True,
    asian: Asian = False,
    case: Case = False,
) -> FloatArray:
    """The number of edits that turn the answer into a reference, per 100 words of the reference.

    The fewest edits count, over the mean length of the references. An answer to an empty reference scores 100. If a
    text has more than 200 words, shifts are not considered; words past the 10,000th are not compared and count as
    edits. The overall value is corpus TER.
    """
    values = {"normalize": normalize, "punctuation": punctuation, "asian": asian, "case": case}
    return TER.of_questions(answers, values)
