"""Measures that look across queries: abstention, and families of queries.

nAUC: whether a system can tell from its scores when to abstain. The least confident 0%, 10%, … 90% of the queries are
dropped. The mean of a measure over the remaining queries, plotted against that share, gives an area. It is normalised
between the area of dropping none and that of an oracle that drops the queries with the lowest values.

Families are queries that are variants of one another, identified by their ids. The worst value of a family shows
whether a system is robust to rewordings of a query. p-MRR shows whether it follows an instruction that makes documents
irrelevant. A family has one value, stored at its first query; the others are undefined, so that the mean is the mean
over families. A family with a query left out is undefined.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import FloatArray, IntArray, Judged
from assay.core.measure import Cutoff, Measure, Rel, cites, computes, define, example, says, undefined_if
from assay.core.parameter import Bounds

# The measures that another measure may build on.
InnerName = Literal["ndcg", "ap", "rr", "precision", "recall", "f", "hit_rate", "rbp"]
Rising = Annotated[InnerName, "the measure whose mean should rise as queries are dropped"]
Confidence = Annotated[
    Literal["max", "std", "diff1"],
    "confidence: the top score, the standard deviation of all scores, or the gap between the top two",
]
Tied = Annotated[
    Literal["mean", "order"],
    "equally confident queries: each counts their mean, or they are dropped in the order of the judgments",
]
RATES = np.linspace(0, 1, 11)[:-1]
# Values closer than this are equal.
ROUNDING = 1e-12
Inner = Annotated[InnerName, "the measure of each query"]
Whole = Annotated[bool, "a query counts 1 if the measure is 1, otherwise 0"]
Members = Annotated[int | None, Bounds(low=1), "a family with a different number of queries is undefined"]
IdPart = Annotated[
    Literal["first", "last"], "queries with the same id up to the first underscore, or the last, are a family"
]
ORIGINAL, CHANGED = "-og", "-changed"


def normalised_area(judged: Judged, *, of: Rising, k: Cutoff, rel: Rel, figure: Confidence, tied: Tied) -> float:
    """The area gained by confidence, as a share of the oracle's gain; NaN if there is nothing to gain."""
    if judged.spread is None:
        return float("nan")
    top, second, deviation = judged.spread
    confidence = {"max": top, "std": deviation, "diff1": top - second}[figure]
    values = inner_measure(of, k, rel)(judged)
    is_known = ~(np.isnan(confidence) | np.isnan(values))
    confidence, values = confidence[is_known], values[is_known]
    if not len(values) or np.ptp(values) < ROUNDING:
        return float("nan")
    flat = float(values.mean() * RATES[-1])
    return (curve_area(confidence, values, tied) - flat) / (curve_area(values, values, tied) - flat)


@define("nauc", title="Normalised area under the abstention curve", symbol="nAUC", range=(-np.inf, 1))
@says(needs=("spread",), corpus=normalised_area)
@computes("(A - flat) / (oracle - flat), A: area under the mean as the least confident queries are dropped")
@cites("Gisserot-Boukhlef et al., Towards trustworthy reranking, arXiv 2402.12997, 2024.")
@example("nauc(of=rr)", [0, 1], 0.5, "a query's value is its rr, 1/2; the area needs all queries")
def abstention(
    judged: Judged,
    *,
    of: Rising = "ndcg",
    k: Cutoff = None,
    rel: Rel = 1,
    figure: Confidence = "max",  # noqa: ARG001 - only the number of all queries depends on it
    tied: Tied = "mean",  # noqa: ARG001 - likewise
) -> FloatArray:
    """How well scores tell good queries from bad: 1 like an oracle, 0 not at all. A query's value is that of `of`."""
    return inner_measure(of, k, rel)(judged)


def inner_measure(of: str, k: int | None, rel: float) -> Measure:
    """The measure of that name; `rel` is dropped for measures that treat grades as gains."""
    from assay.measures import TABLE

    definition = TABLE[of]
    return definition(k=k, rel=rel) if definition.parameters["rel"].default == 1 else definition(k=k)


def curve_area(confidence: FloatArray, values: FloatArray, tied: str) -> float:
    """The area under the mean of the remaining values at each rate."""
    if tied == "mean":
        group = np.unique(confidence, return_inverse=True)[1]
        means = np.bincount(group, weights=values) / np.bincount(group)
        in_order = means[np.sort(group)]
    else:
        in_order = values[np.argsort(confidence, kind="stable")]
    size = len(values)
    curve = np.array([in_order[min(round(rate * size), size - 1) :].mean() for rate in RATES])
    return float(((curve[1:] + curve[:-1]) / 2 * np.diff(RATES)).sum())


@define("worst", title="Worst of a query family")
@computes("the lowest value among the queries of a family")
@undefined_if("a query is not the first of its family, or the family is incomplete")
@cites("Oh et al., INSTRUCTIR: a benchmark for instruction following of information retrieval models, 2024.")
@example("worst(of=rr)", [0, 1], 0.5, "a single query is a family; with another of 1/3 it is 1/3")
def worst(
    judged: Judged,
    *,
    of: Inner = "ndcg",
    k: Cutoff = None,
    rel: Rel = 1,
    whole: Whole = False,
    members: Members = None,
    part: IdPart = "first",
) -> FloatArray:
    """The lowest value among queries that are variants of one another, stored at the first of them."""
    values = inner_measure(of, k, rel)(judged)
    # The part of its id that the queries of a family share; the whole id if it has no underscore.
    families = [(query.split if part == "first" else query.rsplit)("_", 1)[0] for query in judged.all_queries()]
    kept = families if judged.kept is None else [families[place] for place in judged.kept]
    numbers = {name: number for number, name in enumerate(dict.fromkeys(kept))}
    number = np.array([numbers[name] for name in kept], dtype=np.int64)
    lowest = np.full(len(numbers), np.inf)
    np.minimum.at(lowest, number, (values > 1 - ROUNDING).astype(np.float64) if whole else values)
    sizes = Counter(families)
    size = np.array([sizes[name] for name in numbers], dtype=np.int64)
    has_value = np.bincount(number, minlength=len(size)) == size
    if members is not None:
        has_value &= size == members
    scores = np.full(judged.size, np.nan)
    scores[np.unique(number, return_index=True)[1][has_value]] = lowest[has_value]
    return scores


@define("p_mrr", title="Pairwise change of reciprocal rank (p-MRR)", symbol="p-MRR", range=(-1, 1))
@computes(
    "mean of (1/a) / (1/b) - 1 if a >= b, else 1 - (1/b) / (1/a), over the documents that stop being relevant, "
    "at rank a for the original query and b for the changed one"
)
@undefined_if("a query is not the first of a pair q-og and q-changed, or no document stops being relevant between them")
@cites("Weller et al., FollowIR: evaluating and teaching information retrieval models to follow instructions, 2024.")
def pairwise_change(judged: Judged, *, rel: Rel = 1) -> FloatArray:
    """How far documents fall that an instruction makes irrelevant: 1 from first to last, below 0 if they rise.

    The ids of the two queries end in `-og` and `-changed`. A document counts if it is relevant to the first and judged
    not relevant to the second. A document not retrieved ranks after the last one. From rank 2 to 4 is 1/2.
    """
    scores = np.full(judged.size, np.nan)
    names = judged.all_queries()
    kept = names if judged.kept is None else [names[place] for place in judged.kept]
    place = {name: number for number, name in enumerate(kept)}
    pairs = [
        (number, place[changed])
        for number, name in enumerate(kept)
        if name.endswith(ORIGINAL) and (changed := name.removesuffix(ORIGINAL) + CHANGED) in place
    ]
    if not pairs:
        return scores
    before, after = np.array(pairs, dtype=np.int64).T
    rows = judged.groups()
    known = rows.where(rows.grade >= judged.floor)
    is_relevant = known.grade >= rel
    document = judged.id_order()
    span = len(document)
    original = np.unique(pair_keys(known.query, document[known.document], before, span)[is_relevant])
    changed = pair_keys(known.query, document[known.document], after, span)
    fallen = np.setdiff1d(np.intersect1d(original, changed), changed[is_relevant])
    fallen = fallen[fallen >= 0]
    old, new = (ranks_of(judged, fallen, queries, span) for queries in (before, after))
    moves = np.where(old >= new, (1 / old) / (1 / new) - 1, 1 - (1 / new) / (1 / old))
    pair = fallen // span
    count = np.bincount(pair, minlength=len(before))
    total = np.bincount(pair, weights=moves, minlength=len(before))
    scores[np.minimum(before, after)[count > 0]] = total[count > 0] / count[count > 0]
    return scores


def pair_keys(query: IntArray, document: IntArray, queries: IntArray, span: int) -> IntArray:
    """A number for each pair of a query and a document; -1 if the query is not among `queries`."""
    pair = np.full(max(query.max(initial=0), queries.max(initial=0)) + 1, -1)
    pair[queries] = np.arange(len(queries))
    return np.where(pair[query] < 0, -1, pair[query] * span + document)


def ranks_of(judged: Judged, wanted: IntArray, queries: IntArray, span: int) -> FloatArray:
    """The rank of each wanted pair; one past the last if it was not retrieved."""
    hits = judged.hits
    keys = pair_keys(hits.query, judged.id_order()[hits.document], queries, span)
    found, places = np.unique(keys, return_index=True)
    ranks = (judged.retrieved[queries[wanted // span]] + 1).astype(np.float64)
    spot = np.searchsorted(found, wanted)
    is_found = np.isin(wanted, found)
    ranks[is_found] = hits.rank[places[spot[is_found]]]
    return ranks
