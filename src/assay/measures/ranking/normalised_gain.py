"""G and its binary form: a gain is worth less the more could have been gained before it."""

from __future__ import annotations

import numpy as np

from assay.core.judged import FloatArray, Judged, ratio, running_sums
from assay.core.measure import Example, Rel, measure
from assay.measures.ranking.discounted_gain import Least, PositiveGain, gained_hits, ideal_ranking


@measure(
    "g",
    title="Normalised gain",
    formula="Σ gain / log2(2 + best - own), divided by all gains; own is what the ranking gained up to there, best "
    "what the ideal ranking did, at least 1 a rank",
    range=(-np.inf, 1),
    needs_relevant=True,
    example=Example("g", [0, 2, 1], 0.6309, "(2 / log2(2 + 3 - 2) + 1 / log2(2 + 4 - 3)) / 3 = 3 / 1.585 / 3"),
)
def normalised_gain(judged: Judged, *, gain: PositiveGain = "linear", rel: Least = 0) -> FloatArray:
    """The sum of gains, each discounted by how much less the ranking gained until then than the best one."""
    ranked, ideal = gained_hits(judged, gain, rel), ideal_ranking(judged, gain, rel)
    hits = ranked.hits
    best = np.concatenate(([0.0], running_sums(np.maximum(ideal.gain, 1.0), ideal.starts)))
    listed = np.minimum(hits.rank, np.diff(ideal.starts)[hits.query])
    cost = np.where(listed > 0, best[ideal.starts[hits.query] + listed], 0.0) + (hits.rank - listed)
    # What is listed twice could gain more than the best ranking does.
    behind = np.maximum(cost - hits.running(ranked.gain), 0.0)
    possible = np.bincount(ideal.owner, weights=ideal.gain, minlength=judged.size)
    return ratio(hits.sum(ranked.gain / np.log2(2.0 + behind)), possible)


@measure(
    "bin_g",
    title="Binary normalised gain",
    formula="(1/R) Σ 1 / log2(2 + n) over the relevant documents, n documents before it not being relevant",
    aliases={"bing": {}},
    needs_relevant=True,
    kin="g",
    example=Example("bin_g", [1, 0, 1], 0.8155, "(1 / log2(2) + 1 / log2(3)) / 2 = (1 + 0.6309) / 2"),
)
def binary_normalised_gain(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """Each relevant document counts less the more others came before it; relevant ones before it do no harm."""
    hits = judged.relevant(rel)
    return ratio(hits.sum(1.0 / np.log2(2.0 + hits.rank - hits.ordinal)), judged.count_relevant(rel))
