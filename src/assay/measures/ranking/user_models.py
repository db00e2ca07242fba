"""User models: the expected gain of a user who reads down a ranking and stops with some probability.

Rank-biased precision: the user goes on with the same probability at each rank. Its residual is how much it could rise
if unjudged documents turned out relevant.
Expected reciprocal rank: the higher the grade of a document, the more likely the user is to stop there.
Measures of the C/W/L framework: Σ reach(i) · gain(i) / Σ reach(i), where reach(i) is the product of the probabilities
of continuing from the ranks above i. Gains are grades scaled to [0, 1]; an unjudged document gains nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Annotated, Literal

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Rel, Values, cites, computes, define, example, says, undefined_if
from assay.core.parameter import Bounds, GainMap
from assay.measures.ranking.discounted_gain import gains

Persistence = Annotated[
    float, Bounds(0, 1, open_low=True, open_high=True), "the probability that the user goes on to the next document"
]
Gain = Annotated[
    Literal["binary", "grade", "max"] | GainMap,
    "1 for a relevant document, its grade, or its grade as a share of the query's highest; or pairs grade:gain, "
    "rescaled to [0, 1] where necessary",
    {
        "binary": "a relevant document gains 1",
        "grade": "a document gains its grade",
        "max": "a document gains its grade as a share of the query's highest",
    },
]
Complete = Annotated[
    Literal["tail", "zero"],
    "if every retrieved document is judged: the weight of the ranks after the last, or 0 as in trec_eval",
]
Seen = Annotated[int | None, Bounds(low=1), "the user sees at most this many documents, whose weights then sum to 1"]


# Additive, unless gains depend on the query's other judgments: shares of its highest grade, and rescaled pairs.
@define("rbp", title="Rank-biased precision", symbol="RBP", range=(0, np.inf))
@says(additive=lambda values: values["gain"] in ("binary", "grade"))
@computes("(1 - p) Σ gain · p^(rank - 1)")
@cites("Moffat and Zobel, ACM TOIS 27(1), 2008.")
@example("rbp(p=0.5)", [1, 0, 1], 0.625, "0.5 · (1 + 0.25)")
def rank_biased_precision(
    judged: Judged, *, rel: Rel = 1, k: Cutoff = None, p: Persistence = 0.8, gain: Gain = "binary", limit: Seen = None
) -> FloatArray:
    """The expected gain per document of a user who goes on to the next document with probability p."""
    hits = judged.relevant(rel)
    gained = np.ones(len(hits.rank)) if gain == "binary" else hits.grade
    if gain == "max":
        gained = ratio(gained, judged.highest_grade()[hits.query])
    elif isinstance(gain, Mapping):
        # Rescaled to [0, 1], for each query whose gains are outside.
        gained, lowest = gains(hits.grade, gain, 0.0), min(0.0, *gain.values())
        highest = np.full(judged.size, max(0.0, *gain.values()))
        np.maximum.at(highest, judged.owner, gains(judged.grades, gain, 0.0))
        is_wider = ((highest > 1) | (lowest < 0))[hits.query]
        gained = np.where(is_wider, ratio(gained - lowest, (highest - lowest)[hits.query]), gained)
    last = k if limit is None else min(limit, limit if k is None else k)
    total = hits.sum(gained * powers(hits.rank, p), last)
    return (1 - p) * total / (1.0 if limit is None else 1 - p**limit)


@define("rbp_residual", title="Residual of rank-biased precision", higher_is_better=False)
@computes("1 - (1 - p) Σ p^(rank - 1) over the judged documents")
@cites("Moffat and Zobel, ACM TOIS 27(1), 2008.")
@example("rbp_residual(p=0.5)", [1, 0], 0.25, "1 - 0.5 · (1 + 0.5): the weight of ranks 3 and below")
def rank_biased_residual(judged: Judged, *, p: Persistence = 0.8, complete: Complete = "tail") -> FloatArray:
    """How much rank-biased precision could still rise if every unjudged document had the highest gain."""
    hits = judged.judged()
    residual = np.maximum(1.0 - (1 - p) * hits.sum(powers(hits.rank, p)), 0.0)
    return np.where(hits.count() < judged.retrieved, residual, 0.0) if complete == "zero" else residual


def powers(rank: IntArray, p: float) -> FloatArray:
    """p^(rank - 1), multiplied step by step."""
    steps = np.full(int(rank.max(initial=1)), p)
    steps[0] = 1.0
    return np.cumprod(steps)[rank - 1]


TopGrade = Annotated[
    float | None, Bounds(low=0, open_low=True), "the highest possible grade; by default the highest in the judgments"
]
ErrGain = Annotated[Literal["exp2", "identity"], "exp2: (2^g - 1) / 2^max; identity: the grade is a probability"]
Above = Annotated[Literal["error", "nan"], "a grade above max is an error, or makes its query undefined"]


def bind_top_grade(judged: Judged, values: Values) -> Values:
    """The highest grade in the judgments, unless `max` is set."""
    if values["max"] is not None or values["gain"] == "identity":
        return {}
    return {"max": float(judged.highest_grade().max(initial=0.0))}


@define("err", title="Expected reciprocal rank", symbol="ERR", bind=bind_top_grade)
@computes("Σ (1/i) r_i Π_{j<i} (1 - r_j), where r_i is the probability that document i satisfies the user")
@undefined_if("a document has a grade above max")
@cites("Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009.")
@example("err(gain=identity)", [0.2, 0.5, 0.8], 0.506667, "0.2 + 0.8·0.5/2 + 0.8·0.5·0.8/3")
def expected_reciprocal_rank(
    judged: Judged, *, k: Cutoff = None, max: TopGrade = None, gain: ErrGain = "exp2", above: Above = "error"
) -> FloatArray:
    """The expected 1/rank of the document that satisfies the user."""
    hits = judged.relevant(0.0).top(k)
    scale = 1.0 if gain == "identity" else max
    top = judged.grades.max(initial=0.0)
    if scale is not None and top > scale and above == "error":
        limit = "gain=identity needs probabilities" if gain == "identity" else f"max={scale:g}; use a larger max"
        raise MeasureError(f"err: the judgments contain grade {top:g}, but {limit}")
    highest = scale or 0.0
    # (2^g - 1) / 2^max, in a form that does not overflow.
    grade = np.minimum(hits.grade, highest)
    chance = hits.grade if gain == "identity" else np.exp2(grade - highest) - np.exp2(-highest)
    total = hits.sum(chance * hits.product_before(1.0 - chance) / hits.rank)
    return np.where(judged.highest_grade() > (np.inf if scale is None else scale), np.nan, total)


GoOn = Callable[[FloatArray, FloatArray], FloatArray]
Low = Annotated[float, "this grade and lower ones gain 0"]
High = Annotated[float | None, "this grade and higher ones gain 1; by default the highest judged grade"]
Depth = Annotated[int, Bounds(1, 1_000_000), "the user sees at most k documents"]
Limit = Annotated[int, Bounds(1, 1_000_000), "the user sees at most this many documents"]
Target = Annotated[float, Bounds(0, open_low=True), "the total gain the user wants; a document gains up to 1"]

NEARLY = "Azzopardi, Mackenzie and Moffat, ERR is not C/W/L, ICTIR 2021, equation {}."
# Documents processed together: enough for speed, few enough for any memory.
BLOCK = 2**20


def bind_full_grade(judged: Judged, values: Values) -> Values:
    """The highest judged grade, unless `max` is set."""
    if values["max"] is not None:
        return {}
    highest = float(judged.highest_grade().max(initial=0.0))
    return {"max": highest if highest > values["min"] else values["min"] + 1}


define_reader = partial(define, bind=bind_full_grade)


def expected_gain(judged: Judged, low: float, high: float | None, depth: int, go_on: GoOn) -> FloatArray:
    """The expected gain per document seen; `go_on` maps gains and ranks to the probabilities of continuing."""
    if high is None or high <= low:
        raise MeasureError(f"max must be above min={low:g}")
    hits = judged.judged().top(depth)
    gained = (np.clip(np.maximum(hits.grade, 0.0), low, high) - low) / (high - low)
    result = np.zeros(judged.size)
    rank = np.arange(1.0, depth + 1)
    step = max(1, BLOCK // depth)
    for begin in range(0, judged.size, step):
        rows = slice(*hits.starts[[begin, min(begin + step, judged.size)]])
        gains = np.zeros((len(result[begin : begin + step]), depth))
        gains[hits.query[rows] - begin, hits.rank[rows] - 1] = gained[rows]
        reach = np.ones_like(gains)
        np.cumprod(np.broadcast_to(go_on(gains, rank), gains.shape)[:, :-1], axis=1, out=reach[:, 1:])
        result[begin : begin + step] = (reach * gains).sum(axis=1) / reach.sum(axis=1)
    return result


def go_towards(target: float, found: FloatArray | float, rank: FloatArray) -> FloatArray:
    """The probability of continuing for a user who wants `target` and has found some of it."""
    still = rank + 2 * target - found
    return np.asarray(((still - 1) / still) ** 2)


@define_reader("sdcg", title="Scaled discounted cumulative gain", symbol="SDCG")
@says(additive=lambda values: values["max"] is not None)
@computes("Σ gain / log2(rank + 1) over the first k documents, divided by the sum for k documents of gain 1")
@cites("Moffat et al., Incorporating user expectations and behavior into the measurement of search, TOIS 2017.")
@example("sdcg(max=1)@2", [1, 0], 0.6131, "1 / (1 + 1 / log2(3))")
def sdcg(judged: Judged, *, k: Depth, min: Low = 0, max: High = None) -> FloatArray:
    """The discounted gain as a share of that of k documents of the highest grade."""
    # Of the discount 1 / log2(rank + 1), that of the next rank as a share of this rank's.
    return expected_gain(judged, min, max, k, lambda _, rank: np.log2(rank + 1) / np.log2(rank + 2))


@define_reader("bpm", title="Bejeweled player model", symbol="BPM")
@computes("the mean gain up to the rank where the gains reach the target, or up to k")
@cites("Zhang et al., Evaluating web search with a Bejeweled player model, SIGIR 2017; the static form.")
@example("bpm(max=1)@5", [0, 1, 1], 0.5, "the target is reached at rank 2: 1 / 2")
def bpm(judged: Judged, *, k: Depth, target: Target = 1, min: Low = 0, max: High = None) -> FloatArray:
    """The expected gain per document of a user who stops with enough gain or after k documents."""
    return expected_gain(judged, min, max, k, lambda gains, _: (np.cumsum(gains, axis=1) < target).astype(np.float64))


@define_reader("inst", title="INST", symbol="INST")
@computes("P(continue) = ((i + 2T - G - 1) / (i + 2T - G))², where G is the gain up to rank i and T the target")
@cites("Moffat et al., INST: an adaptive metric for information retrieval evaluation, ADCS 2015.")
@example("inst(max=1,limit=2)", [1, 0], 0.8, "P(continue) at rank 1 is (1/2)²: 1 / (1 + 1/4)")
def inst(judged: Judged, *, target: Target = 1, min: Low = 0, max: High = None, limit: Limit = 1000) -> FloatArray:
    """The expected gain per document of a user who is less likely to continue the more was found."""
    return expected_gain(judged, min, max, limit, lambda gains, rank: go_towards(target, gains.cumsum(axis=1), rank))


@define_reader("insq", title="INSQ", symbol="INSQ", additive=lambda values: values["max"] is not None)
@computes("P(continue) = ((i + 2T - 1) / (i + 2T))², where T is the target")
@cites("Moffat, Scholer and Thomas, Models and metrics: IR evaluation as a user process, ADCS 2012.")
@example("insq(max=1,limit=2)", [1, 0], 9 / 13, "P(continue) at rank 1 is (2/3)²: 1 / (1 + 4/9)")
def insq(judged: Judged, *, target: Target = 1, min: Low = 0, max: High = None, limit: Limit = 1000) -> FloatArray:
    """The expected gain per document of a user who is more likely to continue the deeper the rank."""
    return expected_gain(judged, min, max, limit, lambda _, rank: go_towards(target, 0.0, rank))


@define_reader("nerr8", title="Nearly expected reciprocal rank, to depth k", kin="err")
@computes("P(continue) = 1 - gain")
@cites(NEARLY.format(8))
@example("nerr8(max=1)@2", [0.5, 1], 2 / 3, "(0.5 + 0.5 · 1) / (1 + 0.5)")
def nerr8(judged: Judged, *, k: Depth, min: Low = 0, max: High = None) -> FloatArray:
    """The expected gain per document of a user who stops when satisfied."""
    return expected_gain(judged, min, max, k, lambda gains, _: 1 - gains)


@define_reader("nerr9", title="Nearly expected reciprocal rank, discounted, to depth k", kin="err")
@computes("P(continue) = i / (i + 1) · (1 - gain)")
@cites(NEARLY.format(9))
@example("nerr9(max=1)@2", [0.5, 1], 0.6, "(0.5 + 1/2 · 0.5 · 1) / (1 + 1/2 · 0.5)")
def nerr9(judged: Judged, *, k: Depth, min: Low = 0, max: High = None) -> FloatArray:
    """The expected gain per document of a user who stops when satisfied, or tires after the first ranks."""
    return expected_gain(judged, min, max, k, lambda gains, rank: rank / (rank + 1) * (1 - gains))


@define_reader("nerr10", title="Nearly expected reciprocal rank, with persistence", kin="err")
@computes("P(continue) = p · (1 - gain)")
@cites(NEARLY.format(10))
@example("nerr10(max=1,limit=2)", [0.5, 1], 0.6552, "(0.5 + 0.9 · 0.5 · 1) / (1 + 0.9 · 0.5)")
def nerr10(judged: Judged, *, p: Persistence = 0.9, min: Low = 0, max: High = None, limit: Limit = 1000) -> FloatArray:
    """The expected gain per document of a user who stops when satisfied, and otherwise continues with probability p."""
    return expected_gain(judged, min, max, limit, lambda gains, _: p * (1 - gains))


@define_reader("nerr11", title="Nearly expected reciprocal rank, with a target", kin="err")
@computes("P(continue) = ((i + 2T - 1) / (i + 2T))² · (1 - gain), where T is the target")
@cites(NEARLY.format(11))
@example("nerr11(max=1,limit=2)", [0.5, 1], 0.5909, "(0.5 + (2/3)² · 0.5 · 1) / (1 + (2/3)² · 0.5)")
def nerr11(judged: Judged, *, target: Target = 1, min: Low = 0, max: High = None, limit: Limit = 1000) -> FloatArray:
    """The expected gain per document of a user who stops when satisfied, but is more persistent deeper down."""
    return expected_gain(judged, min, max, limit, lambda gains, rank: go_towards(target, 0.0, rank) * (1 - gains))
