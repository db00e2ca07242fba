"""Diversity: how many subtopics of a query a ranking covers, and how soon. The groups of the judgments are subtopics.

A document counts for every subtopic that it is relevant to, but less for one that documents before it have covered.
Subtopics that no document is relevant to do not count. Without groups a query has one subtopic.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Annotated, Literal, NamedTuple

import numpy as np

from assay.core.judged import BoolArray, FloatArray, IntArray, Judged, ratio
from assay.core.measure import Cutoff, Example, Rel, define
from assay.core.parameter import Bounds
from assay.measures.ranking.groups import join_hits
from assay.measures.ranking.precision_recall import Divisor
from assay.measures.ranking.rank_biased_precision import Persistence

if TYPE_CHECKING:
    from collections.abc import Iterator

RankWorth = Callable[[IntArray], FloatArray]
Redundancy = Annotated[float, Bounds(0, 1), "how much less a subtopic is worth with each document that covered it"]
FixedCutoff = Annotated[int, Bounds(1, 1_000_000), "only the first k documents count"]
NoveltyNorm = Annotated[
    Literal["ideal", "none", "ndeval"],
    "divide by what k documents could gain that are each relevant to every subtopic, or by nothing; "
    "ndeval: by nothing at k = 1, else by the ideal",
]


def log_discount(rank: IntArray) -> FloatArray:
    return np.asarray(1.0 / np.log2(rank + 1.0), dtype=np.float64)


def reciprocal_discount(rank: IntArray) -> FloatArray:
    return 1.0 / rank


def persistence_discount(p: float) -> RankWorth:
    return lambda rank: np.asarray(p ** (rank - 1.0), dtype=np.float64)


def novelty_gain(judged: Judged, covered: Coverage, alpha: float, worth: RankWorth) -> FloatArray:
    """What is gained of all subtopics, one a query."""
    return covered.sum((1.0 - alpha) ** covered.seen * worth(covered.rank), judged.size)


def share_of_perfect(judged: Judged, worth: RankWorth, *, k: int, rel: float, alpha: float, norm: str) -> FloatArray:
    """What the first k documents gain, as a share of what they could gain in a perfect world."""
    gained = novelty_gain(judged, coverage(judged, rel).top(k), alpha, worth)
    if norm == "none" or (norm == "ndeval" and k == 1):
        return gained
    ranks = np.arange(1, k + 1)
    perfect = float(((1.0 - alpha) ** (ranks - 1) * worth(ranks)).sum())
    most = np.asarray(find_subtopics(judged, rel).per_query(judged.size) * perfect, dtype=np.float64)
    return ratio(gained, most)


def share_of_best(judged: Judged, k: int | None, rel: float, alpha: float, worth: RankWorth) -> FloatArray:
    """What the first k documents gain, as a share of what those of the best ranking gain."""
    ideal = novelty_gain(judged, ideal_coverage(judged, rel, alpha).top(k), alpha, worth)
    return ratio(novelty_gain(judged, coverage(judged, rel).top(k), alpha, worth), ideal)


@define(
    "alpha_dcg",
    title="Alpha-DCG",
    formula="Σ (1 - α)^seen / log2(rank + 1), seen documents before it covering the subtopic; over that of an ideal",
    reference="Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.",
    aliases={"alpha-dcg": {}},
    range=(0, np.inf),
    needs_relevant=True,
    example=Example("alpha_dcg@2", [0, 1], 0.4796, "(1 / log2(3)) / (1 + 0.5 / log2(3)) = 0.6309 / 1.3155"),
)
def alpha_dcg(
    judged: Judged, *, k: FixedCutoff, rel: Rel = 1, alpha: Redundancy = 0.5, norm: NoveltyNorm = "ideal"
) -> FloatArray:
    """The discounted gain of subtopics, each worth less the more often it was covered."""
    return share_of_perfect(judged, log_discount, k=k, rel=rel, alpha=alpha, norm=norm)


@define(
    "alpha_ndcg",
    title="Alpha-nDCG",
    formula="α-DCG / α-DCG of the best ranking, found greedily",
    reference="Clarke et al., Novelty and diversity in information retrieval evaluation, SIGIR 2008.",
    aliases={"alpha-ndcg": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="ndcg",
    example=Example("alpha_ndcg@2", [0, 1], 0.6309, "one subtopic, one relevant document: 1 / log2(3)"),
)
def alpha_ndcg(judged: Judged, *, k: Cutoff = None, rel: Rel = 1, alpha: Redundancy = 0.5) -> FloatArray:
    """The discounted gain of subtopics, as a share of what the best ranking gains."""
    return share_of_best(judged, k, rel, alpha, log_discount)


@define(
    "err_ia",
    title="Intent-aware expected reciprocal rank",
    formula="Σ (1 - α)^seen / rank, seen documents before it covering the subtopic; over that of an ideal",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009, as in ndeval.",
    aliases={"err-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="err",
    example=Example("err_ia@2", [0, 1], 0.4, "(1/2) / (1 + 0.5/2)"),
)
def err_ia(
    judged: Judged, *, k: FixedCutoff, rel: Rel = 1, alpha: Redundancy = 0.5, norm: NoveltyNorm = "ideal"
) -> FloatArray:
    """The expected reciprocal rank at which a reader is satisfied, over subtopics."""
    return share_of_perfect(judged, reciprocal_discount, k=k, rel=rel, alpha=alpha, norm=norm)


@define(
    "nerr_ia",
    title="Normalised intent-aware expected reciprocal rank",
    formula="ERR-IA / ERR-IA of the best ranking, found greedily",
    reference="Chapelle et al., Expected reciprocal rank for graded relevance, CIKM 2009, as in ndeval.",
    aliases={"nerr-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="err",
    example=Example("nerr_ia@2", [0, 1], 0.5, "one subtopic, one relevant document: 1 / 2"),
)
def nerr_ia(judged: Judged, *, k: Cutoff = None, rel: Rel = 1, alpha: Redundancy = 0.5) -> FloatArray:
    """Intent-aware expected reciprocal rank, as a share of that of the best ranking."""
    return share_of_best(judged, k, rel, alpha, reciprocal_discount)


@define(
    "nrbp",
    title="Novelty- and rank-biased precision",
    formula="(1 - (1 - α) p) / S · Σ (1 - α)^seen p^(rank - 1), S subtopics",
    reference="Clarke et al., An effectiveness measure for ambiguous and underspecified queries, ICTIR 2009.",
    range=(0, np.inf),
    needs_relevant=True,
    kin="rbp",
    example=Example("nrbp", [1, 0, 1], 0.8438, "(1 - 0.25) · (1 + 0.5 · 0.25)"),
)
def nrbp(judged: Judged, *, rel: Rel = 1, alpha: Redundancy = 0.5, p: Persistence = 0.5) -> FloatArray:
    """What a reader gains of all subtopics who goes on to the next document with probability p."""
    gained = novelty_gain(judged, coverage(judged, rel), alpha, persistence_discount(p))
    return ratio(gained * (1 - (1 - alpha) * p), find_subtopics(judged, rel).per_query(judged.size))


@define(
    "nnrbp",
    title="Normalised novelty- and rank-biased precision",
    formula="NRBP / NRBP of the best ranking, found greedily",
    reference="Clarke et al., A comparative analysis of cascade measures for novelty and diversity, WSDM 2011.",
    range=(0, np.inf),
    needs_relevant=True,
    kin="rbp",
    example=Example("nnrbp", [1, 0, 1], 0.9, "(1 + 0.5 · 0.25) / (1 + 0.5 · 0.5)"),
)
def nnrbp(judged: Judged, *, rel: Rel = 1, alpha: Redundancy = 0.5, p: Persistence = 0.5) -> FloatArray:
    """Novelty- and rank-biased precision, as a share of that of the best ranking."""
    return share_of_best(judged, None, rel, alpha, persistence_discount(p))


@define(
    "ap_ia",
    title="Intent-aware average precision",
    formula="the mean over subtopics of the average precision for each",
    reference="Agrawal et al., Diversifying search results, WSDM 2009.",
    aliases={"map_ia": {}, "map-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="ap",
    example=Example("ap_ia", [1, 0, 1], 5 / 6, "one subtopic: (1/1 + 2/3) / 2"),
)
def ap_ia(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The average precision for each subtopic, and of these the mean."""
    subtopics, covered = find_subtopics(judged, rel), coverage(judged, rel).top(k)
    share = (covered.seen + 1) / covered.rank / subtopics.sizes[covered.topic]
    return ratio(covered.sum(share, judged.size), subtopics.per_query(judged.size))


@define(
    "precision_ia",
    title="Intent-aware precision",
    formula="the mean over subtopics of the precision for each",
    reference="Agrawal et al., Diversifying search results, WSDM 2009.",
    aliases={"p_ia": {}, "p-ia": {}},
    range=(0, np.inf),
    needs_relevant=True,
    kin="precision",
    example=Example("precision_ia@2", [0, 1], 0.5, "one subtopic, one relevant document among two"),
)
def precision_ia(judged: Judged, *, rel: Rel = 1, k: Cutoff = None, over: Divisor = "k") -> FloatArray:
    """The precision for each subtopic, and of these the mean."""
    covered = coverage(judged, rel).top(k)
    found = covered.sum(np.ones(len(covered.rank)), judged.size)
    documents = judged.cut(k) if k is None or over == "retrieved" else k
    return ratio(found, find_subtopics(judged, rel).per_query(judged.size) * documents)


@define(
    "subtopic_recall",
    title="Subtopic recall",
    formula="s / S, where s of the S subtopics have a relevant document among the first k",
    reference="Zhai et al., Beyond independent relevance, SIGIR 2003.",
    aliases={"strecall": {}, "strec": {}, "s_recall": {}},
    needs_relevant=True,
    kin="recall",
    example=Example("subtopic_recall@2", [0, 1], 1, "the one subtopic is covered"),
)
def subtopic_recall(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
    """The share of subtopics that a relevant document among the first k covers."""
    covered = coverage(judged, rel).top(k)
    found = covered.sum((covered.seen == 0).astype(np.float64), judged.size)
    return ratio(found, find_subtopics(judged, rel).per_query(judged.size))


class Subtopics(NamedTuple):
    """A row for each subtopic and each document that is relevant to it, by query and subtopic.

    Subtopics are numbered over all queries; `owner` has the query of each. One without a relevant document is none.
    """

    query: IntArray
    document: IntArray
    topic: IntArray
    owner: IntArray

    @property
    def sizes(self) -> IntArray:
        """How many documents are relevant to each subtopic."""
        return np.bincount(self.topic, minlength=len(self.owner)).astype(np.int64)

    def per_query(self, size: int) -> IntArray:
        """How many subtopics each of so many queries has."""
        return np.bincount(self.owner, minlength=size).astype(np.int64)


class Coverage(NamedTuple):
    """A row for each document of a ranking and each subtopic that it is relevant to, by query and rank.

    `seen` counts the documents further up that are relevant to the same subtopic.
    """

    query: IntArray
    rank: IntArray
    topic: IntArray
    seen: IntArray

    def top(self, k: int | None) -> Coverage:
        """What the first `k` documents cover."""
        if k is None:
            return self
        mask = self.rank <= k
        return Coverage(*(column[mask] for column in self))

    def sum(self, values: FloatArray, size: int) -> FloatArray:
        """The sum of the values, one for each of so many queries."""
        return np.asarray(np.bincount(self.query, weights=values, minlength=size), dtype=np.float64)


def find_subtopics(judged: Judged, rel: float) -> Subtopics:
    """The subtopics of all queries; all documents are of one where the judgments have no groups."""

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


def coverage(judged: Judged, rel: float) -> Coverage:
    """What the rankings cover."""

    def make() -> Coverage:
        subtopics, hits = find_subtopics(judged, rel), judged.hits
        hit, row = join_hits(hits, subtopics.document)
        topic = subtopics.topic[row]
        return Coverage(hits.query[hit], hits.rank[hit], topic, count_seen_before(topic))

    return judged.remember(("coverage", rel), make)


def ideal_coverage(judged: Judged, rel: float, alpha: float) -> Coverage:
    """What the best rankings would cover, each document chosen for what it adds to those before it.

    The very best one is too hard to find; this is how ndeval does it too. Of documents that add as much the one with
    the highest id comes first.
    """

    def make() -> Coverage:
        subtopics, place = find_subtopics(judged, rel), judged.id_order()
        parts: list[tuple[int, int, IntArray]] = []
        for query, begin, end in query_spans(subtopics.query):
            topics, documents = subtopics.topic[begin:end], subtopics.document[begin:end]
            chosen = choose_greedily(topics, documents, place, alpha)
            parts += [(query, rank, each) for rank, each in enumerate(chosen, start=1)]
        lengths = [len(topics) for _, _, topics in parts]
        topic = np.concatenate([np.empty(0, dtype=np.int64), *(topics for _, _, topics in parts)])
        queries = np.repeat(np.array([query for query, _, _ in parts], dtype=np.int64), lengths)
        ranks = np.repeat(np.array([rank for _, rank, _ in parts], dtype=np.int64), lengths)
        return Coverage(queries, ranks, topic, count_seen_before(topic))

    return judged.remember(("ideal coverage", rel, alpha), make)


def choose_greedily(topics: IntArray, documents: IntArray, place: IntArray, alpha: float) -> Iterator[IntArray]:
    """The subtopics of one document after another, always of the one that adds most."""
    names, column = np.unique(topics, return_inverse=True)
    numbers, row = np.unique(documents, return_inverse=True)
    is_relevant = np.zeros((len(numbers), len(names)), dtype=np.bool_)
    is_relevant[row, column] = True
    # Documents of the same subtopics add the same, so only the next of each kind has to be looked at.
    kinds, kind = np.unique(is_relevant, axis=0, return_inverse=True)
    by_id = np.argsort(place[numbers])
    left = [place[numbers[by_id[kind.ravel()[by_id] == each]]].tolist() for each in range(len(kinds))]
    worth = np.ones(len(names))
    for _ in numbers:
        # Added one after another, so that what ties in ndeval ties here.
        gain = np.cumsum(kinds * worth, axis=1)[:, -1]
        best = max((each for each in range(len(kinds)) if left[each]), key=lambda each: (gain[each], left[each][-1]))
        left[best].pop()
        yield names[kinds[best]]
        worth[kinds[best]] *= 1 - alpha


def differs_from_previous(column: IntArray) -> BoolArray:
    """Which entries differ from the one before; the first one does."""
    return np.asarray(np.diff(column, prepend=column[:1] - 1) != 0)


def query_spans(query: IntArray) -> Iterator[tuple[int, int, int]]:
    """Each query with the begin and the end of its rows."""
    queries, begins = np.unique(query, return_index=True)
    return zip(queries.tolist(), begins.tolist(), [*begins.tolist(), len(query)][1:], strict=True)


def count_seen_before(topic: IntArray) -> IntArray:
    """For each entry, how many earlier ones are the same."""
    order = np.argsort(topic, kind="stable")
    ordered = topic[order]
    seen = np.empty_like(topic)
    seen[order] = np.arange(len(topic)) - np.searchsorted(ordered, ordered)
    return seen
