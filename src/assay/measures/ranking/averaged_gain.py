"""nDCG averaged over several ranks of a query: at its relevant documents, or where the ideal ranking's gain changes."""

from __future__ import annotations

from typing import Annotated

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged, ratio, running_sums
from assay.core.measure import Example, measure
from assay.measures.ranking.discounted_gain import (
    Least,
    PositiveGain,
    Ranked,
    dcg,
    gained_hits,
    ideal_dcg,
    ideal_ranking,
)

Needed = Annotated[float, "a query without a document of at least this grade scores 0"]


@measure(
    "ndcg_rel",
    title="Average nDCG over relevant documents",
    formula="the mean of DCG / ideal DCG at the ranks of the documents that gain; one not retrieved has the last DCG",
    needs_relevant=True,
    kin="ndcg",
    example=Example(
        "ndcg_rel", [0, 1], 0.3869, "0.6309 / 1.6309 at rank 2, and for the one not retrieved", ideal=[1, 1, 0]
    ),
)
def ndcg_at_relevant(judged: Judged, *, gain: PositiveGain = "linear", rel: Least = 0) -> FloatArray:
    """NDCG at the rank of each document that gains something, averaged over all such documents."""
    ranked, ideal = gained_hits(judged, gain, rel), ideal_ranking(judged, gain, rel)
    hits = ranked.hits
    gaining = ranked.gain > 0
    possible = np.diff(ideal.starts)
    query, rank = hits.query[gaining], hits.rank[gaining]
    best = running_sums(ideal.worth, ideal.starts)[ideal.starts[query] + np.minimum(rank, possible[query]) - 1]
    shares = np.zeros(len(hits.rank))
    shares[gaining] = hits.running(ranked.worth)[gaining] / best
    unseen = possible - np.bincount(query, minlength=judged.size)
    final = ratio(unseen * dcg(gain=gain, rel=rel)(judged), ideal_dcg(gain=gain, rel=rel)(judged))
    return ratio(np.maximum(hits.sum(shares) + final, 0.0), possible)


@measure(
    "rndcg",
    title="Average nDCG over levels of gain",
    formula="the mean of nDCG@b over the ranks b after which the ideal ranking gains less, and of nDCG at the end if "
    "more than one document follows the last b",
    range=(-np.inf, 1),
    needs_relevant=True,
    undefined="there are relevant documents, but none of them gains anything",
    kin="ndcg",
    example=Example("rndcg", [1, 2], 0.6799, "nDCG@1 = 1/2 and nDCG@2 = 2.2619 / 2.6309: (0.5 + 0.8597) / 2"),
)
def ndcg_at_levels(judged: Judged, *, gain: PositiveGain = "linear", rel: Needed = 1) -> FloatArray:
    """NDCG at each rank where the ideal ranking goes from one gain to a lower one, averaged."""
    ranked, ideal = gained_hits(judged, gain, 0.0), ideal_ranking(judged, gain, 0.0)
    changes = (np.diff(ideal.gain, append=0.0) != 0) | (np.diff(ideal.owner, append=judged.size) != 0)
    query, rank = ideal.owner[changes], ideal.rank[changes]
    shares = gained_until(ranked, query, rank) / running_sums(ideal.worth, ideal.starts)[changes]
    points = np.bincount(query, minlength=judged.size)
    goes_on = (points > 0) & (judged.retrieved > np.diff(ideal.starts) + 1)
    final = np.where(goes_on, ratio(ranked.hits.sum(ranked.worth), ideal_dcg(gain=gain)(judged)), 0.0)
    total = np.bincount(query, weights=shares, minlength=judged.size) + final
    has_relevant = judged.count_relevant(rel) > 0
    mean = np.where(has_relevant, ratio(total, points + goes_on), 0.0)
    return np.where(has_relevant & (points == 0), np.nan, mean)


def gained_until(ranked: Ranked, query: IntArray, rank: IntArray) -> FloatArray:
    """The discounted gain of a query up to a rank."""
    hits = ranked.hits
    width = int(max(hits.rank.max(initial=0), rank.max(initial=0))) + 1
    place = np.searchsorted(hits.query * width + hits.rank, query * width + rank, side="right")
    found = place > hits.starts[query]
    gained = np.zeros(len(query))
    gained[found] = hits.running(ranked.worth)[place[found] - 1]
    return gained
