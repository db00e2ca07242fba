"""Diversity: how many subtopics of a query a ranking covers, and how early. The groups of the judgments are subtopics.

A document counts for every subtopic it is relevant to, but less for one that documents above it already cover.
Subtopics without a relevant document are ignored. Without groups, a query has one subtopic.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Annotated, Literal, NamedTuple

import numpy as np

from assay.core.judged import BoolArray, FloatArray, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Rel, cites, computes, define, example
from assay.core.parameter import Bounds
from assay.measures.ranking.groups import join_hits
from assay.measures.ranking.precision_recall import Divisor
from assay.measures.ranking.user_models import Persistence

RankWorth = Callable[[IntArray], FloatArray]
Alpha = Annotated[float, Bounds(0, 1), "how much a subtopic loses with each document that already covers it"]
Depth = Annotated[int, Bounds(1, 1_000_000), "only the first k documents count"]
Norm = Annotated[
    Literal["ideal", "none", "ndeval"],
    "divide by the gain of k documents that are each relevant to every subtopic, or not at all; "
    "ndeval: not at k = 1, otherwise by the ideal",
]
# With duplicates, a ranking can pass 1.
define_diversity = partial(define, range=(0, np.inf), needs_relevant=True)


def by_log(rank: IntArray) -> FloatArray:
    return np.asarray(1.0 / np.log2(rank + 1.0), dtype=np.float64)


def novelty_gain(judged: Judged, covered: CoveredTopics, alpha: float, worth: RankWorth) -> FloatArray:
    """The gain over all subtopics, per query."""
    return covered.sum((1.0 - alpha) ** covered.seen * worth(covered.rank), judged.size)


def share_of_perfect(judged: Judged, worth: RankWorth, *, k: int, rel: float, alpha: float, norm: str) -> FloatArray:
    """The gain of the first k documents, as a share of k documents that cover every subtopic."""
    gained = novelty_gain(judged, coverage(judged, rel).top(k), alpha, worth)
    if norm == "none" or (norm == "ndeval" and k == 1):
        return gained
    ranks = np.arange(1, k + 1)
    perfect = float(((1.0 - alpha) ** (ranks - 1) * worth(ranks)).sum())
    most = np.asarray(find_subtopics(judged, rel).per_query(judged.size) * perfect, dtype=np.float64)
    return ratio(gained, most)


def share_of_best(judged: Judged, k: int | None, rel: float, alpha: float, worth: RankWorth) -> FloatArray:
    """The gain of the first k documents, as a share of the best ranking's."""
    ideal = novelty_gain(judged, ideal_coverage(judged, rel, alpha).top(k), alpha, worth)
    return ratio(novelty_gain(judged, coverage(judged, rel).top(k), alpha, worth), ideal)


@define_diversity("alpha_dcg", title="Alpha-DCG", symbol="alpha-DCG")
@computes("Σ (1 - α)^n / log2(rank + 1), n documents above already cover the subtopic; divided by the ideal sum")
@cites("Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.")
@example("alpha_dcg@2", [0, 1], 0.4796, "(1 / log2(3)) / (1 + 0.5 / log2(3)) = 0.6309 / 1.3155")
def alpha_dcg(judged: Judged, *, k: Depth, rel: Rel = 1, alpha: Alpha = 0.5, norm: Norm = "ideal") -> FloatArray:
    """The discounted gain over subtopics, each worth less the more often it was already covered."""
    return share_of_perfect(judged, by_log, k=k, rel=rel, alpha=alpha, norm=norm)


@define_diversity("alpha_ndcg", title="Alpha-nDCG", symbol="alpha-nDCG", kin="ndcg")
@computes("α-DCG / α-DCG of the best ranking, found greedily")
@cites("Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.")
@example("alpha_ndcg@2", [0, 1], 0.6309, "one subtopic, one relevant document: 1 / log2(3)")
def alpha_ndcg(judged: Judged, *, k: Cutoff = None, rel: Rel = 1, alpha: Alpha = 0.5) -> FloatArray:
    """The discounted gain over subtopics, as a share of the best ranking's."""
    return share_of_best(judged, k, rel, alpha, by_log)


@define_diversity("err_ia", title="Intent-aware expected reciprocal rank", symbol="ERR-IA", kin="err")
@computes("Σ (1 - α)^n / rank, n documents above already cover the subtopic; divided by the ideal sum")
@cites("Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009, as in ndeval.")
@example("err_ia@2", [0, 1], 0.4, "(1/2) / (1 + 0.5/2)")
def err_ia(judged: Judged, *, k: Depth, rel: Rel = 1, alpha: Alpha = 0.5, norm: Norm = "ideal") -> FloatArray:
    """The expected reciprocal rank at which a user is satisfied, over subtopics."""
    return share_of_perfect(judged, lambda rank: 1.0 / rank, k=k, rel=rel, alpha=alpha, norm=norm)


@define_diversity("nerr_ia", title="Normalised intent-aware expected reciprocal rank", symbol="nERR-IA", kin="err")
@computes("ERR-IA / ERR-IA of the best ranking, found greedily")
@cites("Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009, as in ndeval.")
@example("nerr_ia@2", [0, 1], 0.5, "one subtopic, one relevant document: 1 / 2")
def nerr_ia(judged: Judged, *, k: Cutoff = None, rel: Rel = 1, alpha: Alpha = 0.5) -> FloatArray:
    """Intent-aware expected reciprocal rank, as a share of the best ranking's."""
    return share_of_best(judged, k, rel, alpha, lambda rank: 1.0 / rank)


@define_diversity("nrbp", title="Novelty- and rank-biased precision", symbol="NRBP", kin="rbp")
@computes("(1 - (1 - α) p) / S · Σ (1 - α)^n p^(rank - 1), S subtopics, n documents above already cover it")
@cites("Clarke et al., An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009.")
@example("nrbp", [1, 0, 1], 0.8438, "(1 - 0.25) · (1 + 0.5 · 0.25)")
def nrbp(judged: Judged, *, rel: Rel = 1, alpha: Alpha = 0.5, p: Persistence = 0.5) -> FloatArray:
    """The gain over subtopics of a user who goes on to the next document with probability p."""
    gained = novelty_gain(judged, coverage(judged, rel), alpha, lambda rank: np.power(p, rank - 1.0))
    return ratio(gained * (1 - (1 - alpha) * p), find_subtopics(judged, rel).per_query(judged.size))


@define_diversity("nnrbp", title="Normalised novelty- and rank-biased precision", symbol="nNRBP", kin="rbp")
@computes("NRBP / NRBP of the best ranking, found greedily")
@cites("Clarke et al., A comparative analysis of cascade measures for novelty and diversity, WSDM 2011.")
@example("nnrbp", [1, 0, 1], 0.9, "(1 + 0.5 · 0.25) / (1 + 0.5 · 0.5)")
def nnrbp(judged: Judged, *, rel: Rel = 1, alpha: Alpha = 0.5, p: Persistence = 0.5) -> FloatArray:
    """Novelty- and rank-biased precision, as a share of the best ranking's."""
    return share_of_best(judged, None, rel, alpha, lambda rank: np.power(p, rank - 1.0))


@define_diversity("ap_ia", title="Intent-aware average precision", symbol="MAP-IA", kin="ap")
@computes("the mean over subtopics of their average precision")
@cites("Agrawal et al., Diversifying search results, WSDM 2009.")
@example("ap_ia", [1, 0, 1], 5 / 6, "one subtopic: (1/1 + 2/3) / 2")
def ap_ia(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The average precision for each subtopic, averaged over the subtopics."""
    subtopics, covered = find_subtopics(judged, rel), coverage(judged, rel).top(k)
    sizes = np.bincount(subtopics.topic, minlength=len(subtopics.owner))
    share = (covered.seen + 1) / covered.rank / sizes[covered.topic]
    return ratio(covered.sum(share, judged.size), subtopics.per_query(judged.size))


@define_diversity("precision_ia", title="Intent-aware precision", symbol="P-IA", kin="precision")
@computes("the mean over subtopics of their precision")
@cites("Agrawal et al., Diversifying search results, WSDM 2009.")
@example("precision_ia@2", [0, 1], 0.5, "one subtopic, 1 of the first 2 documents is relevant")
def precision_ia(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Divisor = "k") -> FloatArray:
    """The precision for each subtopic, averaged over the subtopics."""
    covered = coverage(judged, rel).top(k)
    found = covered.sum(np.ones(len(covered.rank)), judged.size)
    documents = judged.cut(k) if k is None or over == "retrieved" else k
    return ratio(found, find_subtopics(judged, rel).per_query(judged.size) * documents)


@define("subtopic_recall", title="Subtopic recall", symbol="ST-Recall", needs_relevant=True, kin="recall")
@computes("s / S, where s of the S subtopics have a relevant document among the first k")
@cites("Zhai et al., Beyond independent relevance, SIGIR 2003.")
@example("subtopic_recall@2", [0, 1], 1, "the one subtopic is covered")
def subtopic_recall(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The share of subtopics covered by a relevant document among the first k."""
    covered = coverage(judged, rel).top(k)
    found = covered.sum((covered.seen == 0).astype(np.float64), judged.size)
    return ratio(found, find_subtopics(judged, rel).per_query(judged.size))


class Subtopics(NamedTuple):
    """A row for each pair of a subtopic and a document relevant to it, by query and subtopic.

    Subtopics are numbered across queries; `owner` is the query of each. Those without a relevant document are left out.
    """

    query: IntArray
    document: IntArray
    topic: IntArray
    owner: IntArray

    def per_query(self, size: int) -> IntArray:
        """How many subtopics each of the `size` queries has."""
        return np.bincount(self.owner, minlength=size).astype(np.int64)


class CoveredTopics(NamedTuple):
    """A row for each pair of a ranked document and a subtopic it is relevant to, by query and rank.

    `seen` counts the documents above it that are relevant to the same subtopic.
    """

    query: IntArray
    rank: IntArray
    topic: IntArray
    seen: IntArray

    def top(self, k: int | None) -> CoveredTopics:
        """What the first `k` documents cover."""
        if k is None:
            return self
        mask = self.rank <= k
        return CoveredTopics(*(column[mask] for column in self))

    def sum(self, values: FloatArray, size: int) -> FloatArray:
        """The sum of the values for each of the `size` queries."""
        return np.asarray(np.bincount(self.query, weights=values, minlength=size), dtype=np.float64)


def find_subtopics(judged: Judged, rel: float) -> Subtopics:
    """The subtopics of all queries; one per query if the judgments have no groups."""

    def make() -> Subtopics:
        rows = judged.groups()
        rows = rows.where(rows.grade >= max(rel, judged.floor))
        group = np.zeros_like(rows.query) if rows.group is None else rows.group
        order = np.lexsort((rows.document, group, rows.query))
        query, group, document = rows.query[order], group[order], rows.document[order]
        is_first = differs_from_previous(query) | differs_from_previous(group)
        topic = np.cumsum(is_first) - 1
        once = is_first | differs_from_previous(document)
        return Subtopics(query[once], document[once], topic[once], query[is_first])

    return judged.remember(("subtopics", rel), make)


def coverage(judged: Judged, rel: float) -> CoveredTopics:
    def make() -> CoveredTopics:
        subtopics, hits = find_subtopics(judged, rel), judged.hits
        hit, row = join_hits(hits, subtopics.document)
        topic = subtopics.topic[row]
        return CoveredTopics(hits.query[hit], hits.rank[hit], topic, count_seen_before(topic))

    return judged.remember(("coverage", rel), make)


def ideal_coverage(judged: Judged, rel: float, alpha: float) -> CoveredTopics:
    """What the best rankings would cover, each document chosen greedily, as in ndeval; of equals, the highest id."""

    def make() -> CoveredTopics:
        subtopics, place = find_subtopics(judged, rel), judged.id_order()
        rows = []
        spans = np.unique(subtopics.query, return_index=True, return_counts=True)
        for query, begin, size in zip(*spans, strict=True):
            part = slice(begin, begin + size)
            chosen = choose_greedily(subtopics.topic[part], subtopics.document[part], place, alpha)
            rows += [(query, rank, topic) for rank, each in enumerate(chosen, start=1) for topic in each]
        query, rank, topic = np.array(rows, dtype=np.int64).reshape(-1, 3).T
        return CoveredTopics(query, rank, topic, count_seen_before(topic))

    return judged.remember(("ideal coverage", rel, alpha), make)


def choose_greedily(topics: IntArray, documents: IntArray, place: IntArray, alpha: float) -> Iterator[IntArray]:
    """The subtopics of one document after another, each time of the one that adds most."""
    names, column = np.unique(topics, return_inverse=True)
    numbers, row = np.unique(documents, return_inverse=True)
    is_relevant = np.zeros((len(numbers), len(names)), dtype=np.bool_)
    is_relevant[row, column] = True
    # Documents of the same subtopics add the same, so only the next of each kind is considered.
    kinds, kind = np.unique(is_relevant, axis=0, return_inverse=True)
    by_id = np.argsort(place[numbers])
    left = [place[numbers[by_id[kind.ravel()[by_id] == each]]].tolist() for each in range(len(kinds))]
    worth = np.ones(len(names))
    for _ in numbers:
        # Added one by one, so that ties in ndeval are ties here.
        gain = np.cumsum(kinds * worth, axis=1)[:, -1]
        best = max((each for each in range(len(kinds)) if left[each]), key=lambda each: (gain[each], left[each][-1]))
        left[best].pop()
        yield names[kinds[best]]
        worth[kinds[best]] *= 1 - alpha


def differs_from_previous(column: IntArray) -> BoolArray:
    """Which entries differ from the previous one; the first always does."""
    return np.asarray(np.diff(column, prepend=column[:1] - 1) != 0)


def count_seen_before(topic: IntArray) -> IntArray:
    order = np.argsort(topic, kind="stable")
    ordered = topic[order]
    seen = np.empty_like(topic)
    seen[order] = np.arange(len(topic)) - np.searchsorted(ordered, ordered)
    return seen
