"""Discounted cumulative gain, plain, ideal and normalised.

The discount is 1 / log2(rank + 1). The ideal ranking holds every judged document, from the highest gain to the lowest.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal, NamedTuple

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, Hits, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, measure
from assay.core.parameter import GainMap, write
from assay.core.segments import stretches

Gain = Annotated[
    Literal["linear", "exp2"] | GainMap,
    "linear: the grade; exp2: 2^grade - 1; or pairs grade:gain, other grades keeping theirs",
]
Least = Annotated[float, "grades below this gain nothing"]
# A float ends at 2^1024; this leaves room for the sum of many.
LARGEST_EXPONENT = 1000


@measure(
    "dcg",
    title="Discounted cumulative gain",
    formula="Σ gain / log2(rank + 1) over the first k documents",
    reference="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; with gain=exp2 Burges et al., ICML 2005.",
    aliases={"dcg_burges": {"gain": "exp2"}},
    range=(-np.inf, np.inf),
    example=Example("dcg@3", [3, 0, 2], 4, "3 / log2(2) + 2 / log2(4) = 3 + 1"),
)
def dcg(judged: Judged, *, k: Cutoff = None, gain: Gain = "linear", rel: Least = 0) -> FloatArray:
    """The sum of gains, each worth less the later it comes."""
    ranked = gained_hits(judged, gain, rel)
    return ranked.hits.sum(ranked.worth, k)


@measure(
    "ideal_dcg",
    title="Ideal discounted cumulative gain",
    formula="DCG of the judged documents from the highest gain to the lowest, of those that gain anything",
    reference="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002.",
    range=(0, np.inf),
    kin="dcg",
    example=Example("ideal_dcg@3", [0, 2, 3], 4.2619, "3 / log2(2) + 2 / log2(3)"),
)
def ideal_dcg(judged: Judged, *, k: Cutoff = None, gain: Gain = "linear", rel: Least = 0) -> FloatArray:
    """What the best possible ranking gains."""
    ideal = ideal_ranking(judged, gain, rel)
    worth = ideal.worth if k is None else np.where(ideal.rank <= k, ideal.worth, 0.0)
    return np.asarray(np.bincount(ideal.owner, weights=worth, minlength=judged.size), dtype=np.float64)


@measure(
    "ndcg",
    title="Normalised discounted cumulative gain",
    formula="DCG / DCG of the ideal ranking",
    reference="Järvelin and Kekäläinen, ACM TOIS 20(4), 2002; with gain=exp2 Burges et al., ICML 2005.",
    aliases={"ndcg_burges": {"gain": "exp2"}, "ndcg_cut": {}},
    range=(-np.inf, 1),
    needs_relevant=True,
    example=Example("ndcg@3", [3, 0, 2], 0.9386, "(3 + 1) / (3 / log2(2) + 2 / log2(3)) = 4 / 4.2619"),
)
def ndcg(judged: Judged, *, k: Cutoff = None, gain: Gain = "linear", rel: Least = 0) -> FloatArray:
    """The discounted gain, as a share of what the best possible ranking gains."""
    return ratio(dcg(k=k, gain=gain, rel=rel)(judged), ideal_dcg(k=k, gain=gain, rel=rel)(judged))


class Ranked(NamedTuple):
    """The judged hits, what each gains, and what that is worth at its rank."""

    hits: Hits
    gain: FloatArray
    worth: FloatArray


class Ideal(NamedTuple):
    """The judged documents that gain anything, best first, each with its query, and where each query's begin."""

    owner: IntArray
    gain: FloatArray
    rank: IntArray
    worth: FloatArray
    starts: IntArray


def gained_hits(judged: Judged, gain: str | GainMap, rel: float) -> Ranked:
    """What was gained, in order of rank."""

    def make() -> Ranked:
        hits = judged.judged()
        gained = gains(hits.grade, gain, rel)
        return Ranked(hits, gained, gained / np.log2(hits.rank + 1.0))

    return judged.remember(("gained", write(gain), rel), make)


def ideal_ranking(judged: Judged, gain: str | GainMap, rel: float) -> Ideal:
    """The best possible ranking."""

    def make() -> Ideal:
        mask = judged.grades >= judged.floor
        owner, gained = judged.owner[mask], gains(judged.grades[mask], gain, rel)
        owner, gained = owner[gained > 0], gained[gained > 0]
        if isinstance(gain, Mapping):
            order = np.lexsort((-gained, owner))
            owner, gained = owner[order], gained[order]
        starts = stretches(owner, judged.size)
        rank: IntArray = np.arange(1, len(owner) + 1) - starts[owner]
        return Ideal(owner, gained, rank, gained / np.log2(rank + 1.0), starts)

    return judged.remember(("ideal", write(gain), rel), make)


def gains(grades: FloatArray, gain: str | GainMap, rel: float) -> FloatArray:
    """What each grade gains."""
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
