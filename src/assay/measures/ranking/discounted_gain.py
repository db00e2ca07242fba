"""Discounted cumulative gain: plain, ideal, normalised, averaged over ranks, and normalised gain (G).

The discount is 1 / log2(rank + 1). The ideal ranking holds every judged document, from the highest gain to the lowest.
Some tools count every judgment as listed, cut the ideal ranking to the length of the ranking, or, like scikit-learn,
take only the documents that were retrieved.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal, NamedTuple

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio, reach, running_sums, stretches
from assay.core.measure import Cutoff, Rel, cites, computes, define, example, says, undefined_if
from assay.core.parameter import Bounds, GainMap

Gain = Annotated[
    Literal["linear", "exp2", "binary", "signed"] | GainMap,
    "linear: the grade; exp2: 2^grade - 1; binary: 1; signed: the grade, even below 0; or pairs grade:gain, "
    "where other grades gain themselves",
    {
        "linear": "a document gains its grade",
        "exp2": "a document gains 2^grade - 1",
        "binary": "every relevant document gains 1",
        "signed": "a document gains its grade, even below 0",
    },
]
PositiveGain = Annotated[
    Literal["linear", "exp2", "binary"] | GainMap,
    "linear: the grade; exp2: 2^grade - 1; binary: 1; or pairs grade:gain, where other grades gain themselves",
]
LeastGrade = Annotated[float, "grades below this gain nothing"]
DcgTies = Annotated[
    Literal["rank", "average"],
    "the discount of the document's rank, or the mean discount of the ranks that it is tied over",
    {"rank": "each tied document has its own discount", "average": "tied documents share the mean discount"},
]
Base = Annotated[float, Bounds(low=1, open_low=True), "the base of the discount's logarithm"]
IdealSource = Annotated[
    Literal["judged", "listed", "listed_cut", "retrieved"],
    "the ideal ranking holds each judged document; each judgment, duplicates and alternatives included; as many of "
    "those as were retrieved; or only retrieved documents",
    {
        "judged": "the ideal ranking holds every judged document",
        "listed": "the ideal ranking holds every judgment, duplicates and alternatives included",
        "listed_cut": "the ideal ranking holds as many judgments as were retrieved",
        "retrieved": "the ideal ranking holds only retrieved documents",
    },
]
Fewest = Annotated[int, Bounds(low=0), "a query that retrieved fewer documents is undefined"]
GradeLimit = Annotated[float | None, "a query with a higher grade is undefined"]
ANY = (-np.inf, np.inf)
# Floats end at 2^1024; this leaves room for sums.
LARGEST_EXPONENT = 1000
NeededGrade = Annotated[float, "a query without a document of this grade or higher scores 0"]


# Additive, unless tied documents share a discount, for which their rank is not enough.
@define("dcg", title="Discounted cumulative gain", symbol="DCG", aliases={"dcg_burges": {"gain": "exp2"}})
@says(range=ANY, additive=lambda values: values["ties"] == "rank" and not values["fewest"])
@computes("Σ gain / log2(rank + 1) over the first k documents")
@undefined_if("fewer documents were retrieved than fewest=")
@cites("Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; with gain=exp2 Burges et al., ICML 2005.")
@example("dcg@3", [3, 0, 2], 4, "3 / log2(2) + 2 / log2(4) = 3 + 1")
def dcg(
    judged: Judged,
    *,
    k: Cutoff = None,
    gain: Gain = "linear",
    rel: LeastGrade = 0,
    ties: DcgTies = "rank",
    base: Base = 2.0,
    fewest: Fewest = 0,
) -> FloatArray:
    """The sum of gains, discounted by rank."""
    ranked = gained_hits(judged, gain, rel)
    hits = ranked.hits
    if ties == "rank":
        total = hits.sum(ranked.worth, k)
    else:
        last = hits.higher + hits.tied + 1
        sums = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(np.arange(2.0, last.max(initial=0) + 2.0)))))
        first, end = (hits.higher, last) if k is None else (np.minimum(hits.higher, k), np.minimum(last, k))
        total = hits.sum(ranked.gain * (sums[end] - sums[first]) / (hits.tied + 1))
    if base != 2:  # noqa: PLR2004 - the discount's own base
        total = total * np.log2(base)
    return np.where(judged.retrieved < fewest, np.nan, total) if fewest else total


@define("ideal_dcg", title="Ideal discounted cumulative gain", symbol="IDCG", range=ANY)
@computes("DCG of the judged documents with a gain, sorted from the highest gain to the lowest")
@cites("Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.")
@example("ideal_dcg@3", [0, 2, 3], 4.2619, "3 / log2(2) + 2 / log2(3)")
def ideal_dcg(
    judged: Judged, *, k: Cutoff = None, gain: Gain = "linear", rel: LeastGrade = 0, ideal: IdealSource = "judged"
) -> FloatArray:
    """The DCG of the best possible ranking."""
    best = ideal_ranking(judged, gain, rel, ideal)
    worth = best.worth
    if ideal == "listed_cut":
        worth = np.where(best.rank <= judged.cut(k)[best.owner], worth, 0.0)
    elif k is not None:
        worth = np.where(best.rank <= reach(k, best.owner), worth, 0.0)
    return np.asarray(np.bincount(best.owner, weights=worth, minlength=judged.size), dtype=np.float64)


@define("ndcg", title="Normalised discounted cumulative gain", symbol="nDCG", aliases={"ndcg_burges": {"gain": "exp2"}})
@says(range=ANY, usual_range=(0, 1), needs_relevant=True)
@computes("DCG / DCG of the ideal ranking")
@undefined_if("fewest= or max= exclude the query, or ideal=retrieved and a retrieved grade is negative")
@cites("Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; with gain=exp2 Burges et al., ICML 2005.")
@example("ndcg@3", [3, 0, 2], 0.9386, "(3 + 1) / (3 / log2(2) + 2 / log2(3)) = 4 / 4.2619")
def ndcg(
    judged: Judged,
    *,
    k: Cutoff = None,
    gain: Gain = "linear",
    rel: LeastGrade = 0,
    ties: DcgTies = "rank",
    ideal: IdealSource = "judged",
    fewest: Fewest = 0,
    max: GradeLimit = None,
) -> FloatArray:
    """The discounted gain as a share of the best possible."""
    if max is not None and judged.grades.max(initial=0.0) > max:
        # Queries above the limit end up undefined; until then they must not overflow.
        hits = replace(judged.hits, grade=np.minimum(judged.hits.grade, max))
        below = replace(judged, grades=np.minimum(judged.grades, max), hits=hits, _memory={})
        share = ndcg.function(below, k=k, gain=gain, rel=rel, ties=ties, ideal=ideal, fewest=fewest)
        return np.where(judged.highest_grade() > max, np.nan, share)
    best = ideal_dcg.function(judged, k=k, gain=gain, rel=rel, ideal=ideal)
    share = ratio(dcg.function(judged, k=k, gain=gain, rel=rel, ties=ties), np.maximum(best, 0.0))
    if not fewest and ideal != "retrieved":
        return share
    is_unknown = judged.retrieved < fewest
    if ideal == "retrieved":
        hits = judged.judged()
        is_unknown |= hits.where(hits.grade < 0).count() > 0
    return np.where(is_unknown, np.nan, share)


@define("ndcg_rel", title="Average nDCG over relevant documents", needs_relevant=True, kin="ndcg")
@computes("the mean of DCG / ideal DCG at the ranks of documents with a gain; the final nDCG for each not retrieved")
@example("ndcg_rel", [0, 1], 0.3869, "0.6309 / 1.6309 at rank 2, and for the one not retrieved", ideal=[1, 1, 0])
def ndcg_at_relevant(judged: Judged, *, gain: PositiveGain = "linear", rel: LeastGrade = 0) -> FloatArray:
    """NDCG at the rank of each document with a gain, averaged over all such documents."""
    ranked, ideal = gained_hits(judged, gain, rel), ideal_ranking(judged, gain, rel)
    hits, gaining, possible = ranked.hits, ranked.gain > 0, np.diff(ideal.starts)
    query, rank = hits.query[gaining], hits.rank[gaining]
    best = running_sums(ideal.worth, ideal.starts)[ideal.starts[query] + np.minimum(rank, possible[query]) - 1]
    shares = np.zeros(len(hits.rank))
    shares[gaining] = hits.running(ranked.worth)[gaining] / best
    unseen = possible - np.bincount(query, minlength=judged.size)
    final = ratio(unseen * dcg.function(judged, gain=gain, rel=rel), ideal_dcg.function(judged, gain=gain, rel=rel))
    return ratio(np.maximum(hits.sum(shares) + final, 0.0), possible)


@define("rndcg", title="Average nDCG over levels of gain", symbol="RnDCG", needs_relevant=True, kin="ndcg")
@says(range=(-np.inf, 1))
@computes(
    "the mean of nDCG@b over the ranks b where the gain of the ideal ranking drops, and of the final nDCG if "
    "more than one document follows the last b"
)
@undefined_if("the relevant documents have no gain")
@example("rndcg", [1, 2], 0.6799, "nDCG@1 = 1/2 and nDCG@2 = 2.2619 / 2.6309: (0.5 + 0.8597) / 2")
def ndcg_at_levels(judged: Judged, *, gain: PositiveGain = "linear", rel: NeededGrade = 1) -> FloatArray:
    """The mean of nDCG at each rank where the gain of the ideal ranking drops."""
    ranked, ideal = gained_hits(judged, gain, 0.0), ideal_ranking(judged, gain, 0.0)
    changes = (np.diff(ideal.gain, append=0.0) != 0) | (np.diff(ideal.owner, append=judged.size) != 0)
    query, rank = ideal.owner[changes], ideal.rank[changes]
    # The discounted gain of each query up to that rank.
    hits, width = ranked.hits, int(max(ranked.hits.rank.max(initial=0), rank.max(initial=0))) + 1
    place = np.searchsorted(hits.query * width + hits.rank, query * width + rank, side="right")
    found = place > hits.starts[query]
    gained = np.zeros(len(query))
    gained[found] = hits.running(ranked.worth)[place[found] - 1]
    shares = gained / running_sums(ideal.worth, ideal.starts)[changes]
    points = np.bincount(query, minlength=judged.size)
    goes_on = (points > 0) & (judged.retrieved > np.diff(ideal.starts) + 1)
    final = np.where(goes_on, ratio(hits.sum(ranked.worth), ideal_dcg.function(judged, gain=gain)), 0.0)
    total = np.bincount(query, weights=shares, minlength=judged.size) + final
    has_relevant = judged.count_relevant(rel) > 0
    mean = np.where(has_relevant, ratio(total, points + goes_on), 0.0)
    return np.where(has_relevant & (points == 0), np.nan, mean)


@define("g", title="Normalised gain", range=(-np.inf, 1), needs_relevant=True)
@computes(
    "Σ gain / log2(2 + best - own), divided by the sum of all gains; own and best are the gains up to that "
    "rank of the ranking and of the ideal ranking, which counts at least 1 per rank"
)
@example("g", [0, 2, 1], 0.6309, "(2 / log2(2 + 3 - 2) + 1 / log2(2 + 4 - 3)) / 3 = 3 / 1.585 / 3")
def normalised_gain(judged: Judged, *, gain: PositiveGain = "linear", rel: LeastGrade = 0) -> FloatArray:
    """The sum of gains, each discounted by how far the ranking is behind the ideal ranking at that rank."""
    ranked, ideal = gained_hits(judged, gain, rel), ideal_ranking(judged, gain, rel)
    hits = ranked.hits
    best = np.concatenate(([0.0], running_sums(np.maximum(ideal.gain, 1.0), ideal.starts)))
    listed = np.minimum(hits.rank, np.diff(ideal.starts)[hits.query])
    cost = np.where(listed > 0, best[ideal.starts[hits.query] + listed], 0.0) + (hits.rank - listed)
    # With duplicates, a ranking could gain more than the ideal one.
    behind = np.maximum(cost - hits.running(ranked.gain), 0.0)
    possible = np.bincount(ideal.owner, weights=ideal.gain, minlength=judged.size)
    return ratio(hits.sum(ranked.gain / np.log2(2.0 + behind)), possible)


@define("bin_g", title="Binary normalised gain", needs_relevant=True, kin="g")
@computes("(1/R) Σ 1 / log2(2 + n) over the relevant documents, where n non-relevant documents rank above each")
@example("bin_g", [1, 0, 1], 0.8155, "(1 / log2(2) + 1 / log2(3)) / 2 = (1 + 0.6309) / 2")
def binary_normalised_gain(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Each relevant document counts less the more non-relevant documents rank above it."""
    hits = judged.relevant(rel)
    return ratio(hits.sum(1.0 / np.log2(2.0 + hits.rank - hits.ordinal)), judged.count_relevant(rel))


class Ranked(NamedTuple):
    """The judged hits, the gain of each, and its discounted gain."""

    hits: Hits
    gain: FloatArray
    worth: FloatArray


class Ideal(NamedTuple):
    """The judged documents with a gain, best first, the query of each, and where each query starts."""

    owner: IntArray
    gain: FloatArray
    rank: IntArray
    worth: FloatArray
    starts: IntArray


def gained_hits(judged: Judged, gain: str | GainMap, rel: float) -> Ranked:
    def make() -> Ranked:
        hits = judged.judged()
        gained = gains(hits.grade, gain, rel)
        return Ranked(hits, gained, gained / np.log2(hits.rank + 1.0))

    return judged.remember(("gained", str(gain), rel), make)


def ideal_ranking(judged: Judged, gain: str | GainMap, rel: float, ideal: str = "judged") -> Ideal:
    source = "listed" if ideal == "listed_cut" else ideal

    def make() -> Ideal:
        owner, grades = judged.owner, judged.grades
        if source != "judged":
            rows = judged.groups() if source == "listed" else judged.judged()
            owner, grades = rows.query, rows.grade
        mask = grades >= judged.floor
        owner, gained = owner[mask], gains(grades[mask], gain, rel)
        if gain != "signed":
            owner, gained = owner[gained > 0], gained[gained > 0]
        if isinstance(gain, Mapping) or source != "judged":
            order = np.lexsort((-gained, owner))
            owner, gained = owner[order], gained[order]
        starts = stretches(owner, judged.size)
        rank: IntArray = np.arange(1, len(owner) + 1) - starts[owner]
        return Ideal(owner, gained, rank, gained / np.log2(rank + 1.0), starts)

    return judged.remember(("ideal", str(gain), rel, source), make)


def gains(grades: FloatArray, gain: str | GainMap, rel: float) -> FloatArray:
    if gain == "signed":
        return np.where((grades >= 0) & (grades < rel), 0.0, grades)
    positive = np.where(grades < rel, 0.0, np.maximum(grades, 0.0))
    if gain == "linear":
        return positive
    if gain == "binary":
        return (positive > 0).astype(np.float64)
    if gain == "exp2":
        highest = positive.max(initial=0.0)
        if highest > LARGEST_EXPONENT:
            raise MeasureError(f"gain=exp2: 2^{highest:g} is too large; use gain=linear, or pairs grade:gain")
        return np.exp2(positive) - 1.0
    for grade, value in gain.items() if isinstance(gain, Mapping) else ():
        positive[grades == grade] = value
    return positive
