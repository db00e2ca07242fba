"""Subtopics, as the diversity measures see them: which of them a ranking covers, and which the best one would."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.judged import BoolArray, FloatArray, IntArray, Judged

if TYPE_CHECKING:
    from collections.abc import Iterator


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
        is_first = changes(query) | changes(group)
        topic = np.cumsum(is_first) - 1
        once = is_first | changes(document)
        return Subtopics(query[once], document[once], topic[once], query[is_first])

    return judged.remember(("subtopics", rel), make)


def coverage(judged: Judged, rel: float) -> Coverage:
    """What the rankings cover."""

    def make() -> Coverage:
        subtopics, hits = find_subtopics(judged, rel), judged.hits
        order = np.argsort(subtopics.document, kind="stable")
        documents = subtopics.document[order]
        begins = np.searchsorted(documents, hits.document)
        counts = np.searchsorted(documents, hits.document, side="right") - begins
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        topic = subtopics.topic[order][np.repeat(begins, counts) + within]
        return Coverage(np.repeat(hits.query, counts), np.repeat(hits.rank, counts), topic, seen_before(topic))

    return judged.remember(("coverage", rel), make)


def ideal_coverage(judged: Judged, rel: float, alpha: float) -> Coverage:
    """What the best rankings would cover, each document chosen for what it adds to those before it.

    The very best one is too hard to find; this is how ndeval does it too. Of documents that add as much the one with
    the highest id comes first.
    """

    def make() -> Coverage:
        subtopics, place = find_subtopics(judged, rel), judged.id_order()
        parts: list[tuple[int, int, IntArray]] = []
        for query, begin, end in spans(subtopics.query):
            topics, documents = subtopics.topic[begin:end], subtopics.document[begin:end]
            chosen = choose_greedily(topics, documents, place, alpha)
            parts += [(query, rank, each) for rank, each in enumerate(chosen, start=1)]
        lengths = [len(topics) for _, _, topics in parts]
        topic = np.concatenate([np.empty(0, dtype=np.int64), *(topics for _, _, topics in parts)])
        queries = np.repeat(np.array([query for query, _, _ in parts], dtype=np.int64), lengths)
        ranks = np.repeat(np.array([rank for _, rank, _ in parts], dtype=np.int64), lengths)
        return Coverage(queries, ranks, topic, seen_before(topic))

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


def changes(column: IntArray) -> BoolArray:
    """Which entries differ from the one before; the first one does."""
    return np.asarray(np.diff(column, prepend=column[:1] - 1) != 0)


def spans(query: IntArray) -> Iterator[tuple[int, int, int]]:
    """Each query with the begin and the end of its rows."""
    queries, begins = np.unique(query, return_index=True)
    return zip(queries.tolist(), begins.tolist(), [*begins.tolist(), len(query)][1:], strict=True)


def seen_before(topic: IntArray) -> IntArray:
    """For each entry, how many earlier ones are the same."""
    order = np.argsort(topic, kind="stable")
    ordered = topic[order]
    seen = np.empty_like(topic)
    seen[order] = np.arange(len(topic)) - np.searchsorted(ordered, ordered)
    return seen
