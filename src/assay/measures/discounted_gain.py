"""Discounted cumulative gain, plain and normalised.

The discount is 1 / log2(rank + 1). The ideal ranking holds every judged document, from the highest gain to the lowest;
or, as scikit-learn has it, those documents alone that were retrieved.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, measure
from assay.core.parameter import Bounds, GainMap

Gain = Annotated[
    Literal["linear", "exp2", "signed"] | GainMap,
    "linear: the grade; exp2: 2^grade - 1; signed: the grade, even below 0; or pairs grade:gain, others keeping theirs",
]
Least = Annotated[float, "grades below this gain nothing"]
Ties = Annotated[
    Literal["rank", "average"], "the discount of the rank, or the mean one of all ranks that tied documents take up"
]
Base = Annotated[float, Bounds(low=1, open_low=True), "the base of the discount's logarithm"]
Ideal = Annotated[Literal["judged", "retrieved"], "the best ranking of all judged documents, or of those retrieved"]
Fewest = Annotated[int, Bounds(low=0), "a query that retrieved fewer documents has no value"]
# A float ends at 2^1024; this leaves room for the sum of many.
LARGEST_EXPONENT = 1000


@measure(
    "dcg",
    title="Discounted cumulative gain",
    formula="Σ gain / log2(rank + 1) over the first k documents",
    reference="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; with gain=exp2 Burges et al., ICML 2005.",
    aliases={"dcg_burges": {"gain": "exp2"}},
    range=(-np.inf, np.inf),
    undefined="fewer documents were retrieved than fewest= asks for",
    example=Example("dcg@3", [3, 0, 2], 4, "3 / log2(2) + 2 / log2(4) = 3 + 1"),
)
def dcg(
    judged: Judged,
    *,
    k: Cutoff = None,
    gain: Gain = "linear",
    rel: Least = 0,
    ties: Ties = "rank",
    base: Base = 2.0,
    fewest: Fewest = 0,
) -> FloatArray:
    """The sum of gains, each worth less the later it comes."""
    hits = judged.judged()
    hits = hits.top(k) if ties == "rank" or k is None else hits.where(hits.higher < k)
    divisor = np.log2(hits.rank + 1.0) if ties == "rank" else tied_divisor(hits, k)
    total = hits.sum(gains(hits.grade, gain, rel) / (divisor / np.log2(base)))
    return np.where(judged.retrieved < fewest, np.nan, total)


@measure(
    "ndcg",
    title="Normalised discounted cumulative gain",
    formula="DCG / DCG of the ideal ranking",
    reference="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; with gain=exp2 Burges et al., ICML 2005.",
    aliases={"ndcg_burges": {"gain": "exp2"}, "ndcg_cut": {}},
    range=(-np.inf, 1),
    needs_relevant=True,
    undefined="fewer documents were retrieved than fewest= asks for, or one below grade 0 with ideal=retrieved",
    example=Example("ndcg@3", [3, 0, 2], 0.9386, "(3 + 1) / (3 / log2(2) + 2 / log2(3)) = 4 / 4.2619"),
)
def ndcg(
    judged: Judged,
    *,
    k: Cutoff = None,
    gain: Gain = "linear",
    rel: Least = 0,
    ties: Ties = "rank",
    ideal: Ideal = "judged",
    fewest: Fewest = 0,
) -> FloatArray:
    """The discounted gain, as a share of what the best possible ranking gains."""
    share = ratio(dcg(k=k, gain=gain, rel=rel, ties=ties)(judged), ideal_dcg(judged, k, gain, rel, ideal))
    is_unknown = judged.retrieved < fewest
    if ideal == "retrieved":
        hits = judged.judged()
        is_unknown |= hits.where(hits.grade < 0).count() > 0
    return np.where(is_unknown, np.nan, share)


def tied_divisor(hits: Hits, k: int | None) -> FloatArray:
    """One over the mean discount of the ranks that a hit shares with those that tie with it; past `k` it is 0."""
    last = hits.higher + hits.tied + 1
    total = np.concatenate(([0.0], np.cumsum(1.0 / np.log2(np.arange(2.0, last.max(initial=0) + 2.0)))))
    end = last if k is None else np.minimum(last, k)
    return np.asarray((hits.tied + 1) / (total[end] - total[hits.higher]), dtype=np.float64)


def ideal_dcg(judged: Judged, k: int | None, gain: str | GainMap, rel: float, ideal: str = "judged") -> FloatArray:
    """The discounted gain of the best possible ranking."""
    key = ("ideal", tuple(sorted(gain.items())) if isinstance(gain, Mapping) else gain, rel, ideal)
    owner, gained, rank = judged.remember(key, lambda: ideal_ranking(judged, gain, rel, ideal))
    worth = gained / np.log2(rank + 1.0)
    if k is not None:
        owner, worth = owner[rank <= k], worth[rank <= k]
    return np.asarray(np.bincount(owner, weights=worth, minlength=judged.size), dtype=np.float64)


def ideal_ranking(judged: Judged, gain: str | GainMap, rel: float, ideal: str) -> tuple[IntArray, FloatArray, IntArray]:
    """Query, gain and rank of the judged documents that gain anything, best first."""
    if ideal == "retrieved":
        owner, grades = judged.judged().query, judged.judged().grade
    else:
        mask = judged.grades >= judged.floor
        owner, grades = judged.owner[mask], judged.grades[mask]
    gained = gains(grades, gain, rel)
    owner, gained = owner[gained > 0], gained[gained > 0]
    if isinstance(gain, Mapping) or ideal == "retrieved":
        order = np.lexsort((-gained, owner))
        owner, gained = owner[order], gained[order]
    starts = np.searchsorted(owner, np.arange(judged.size))
    rank: IntArray = np.arange(1, len(owner) + 1) - starts[owner]
    return owner, gained, rank


def gains(grades: FloatArray, gain: str | GainMap, rel: float) -> FloatArray:
    """What each grade gains."""
    if gain == "signed":
        return np.where((grades >= 0) & (grades < rel), 0.0, grades)
    positive = np.where(grades < rel, 0.0, np.maximum(grades, 0.0))
    if gain == "linear":
        return positive
    if gain == "exp2":
        highest = positive.max(initial=0.0)
        if highest > LARGEST_EXPONENT:
            raise MeasureError(f"gain=exp2: 2^{highest:g} is too large; use gain=linear, or pairs grade:gain")
        return np.exp2(positive) - 1.0
    for grade, value in gain.items() if isinstance(gain, Mapping) else ():
        positive[grades == grade] = value
    return positive
