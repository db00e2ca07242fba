"""Preferences: which of two documents a judge would rather see first, told from the levels that the judge gave them.

A group of judgments is one judge. A document of a higher level is preferred to one of a lower level that the same
subgroup has too. What follows from the subgroups of a group together is preferred as well: a to c where a is preferred
to b and b to c. A judge who contradicts himself leaves the query without preferences: he has a document at two levels,
or as relevant and not, or prefers each of two documents to the other.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.core.judged import BoolArray, FloatArray, Groups, IntArray, Judged


@dataclass(frozen=True, slots=True, eq=False)
class Assessor:
    """The preferences of one judge: the places of the better and of the worse document of each.

    The `found` documents that were retrieved have the places from 0 in order of rank; all others come after them.
    `place` and `level` are those of the judgments, or of the documents where the judge has several subgroups.
    """

    better: IntArray
    worse: IntArray
    place: IntArray
    level: FloatArray
    found: int
    is_divided: bool

    def fulfilled(self) -> BoolArray:
        """Which preferences the ranking fulfils: the better document was retrieved, and the worse one later or not."""
        return (self.better < self.worse) & (self.better < self.found)

    def is_among(self, of: str) -> BoolArray:
        """Which preferences are looked at: all, those of which either document was retrieved, or those with both."""
        if of == "all":
            return np.ones(len(self.better), dtype=np.bool_)
        combine = np.minimum if of == "either" else np.maximum
        return np.asarray(combine(self.better, self.worse) < self.found, dtype=np.bool_)


class Contradiction(NamedTuple):
    """Why a judge's preferences cannot be used, and the places of the documents that it is about."""

    reason: Literal["two levels", "relevant and not", "both ways"]
    place: int
    other: int


def judges(judged: Judged) -> list[list[Assessor] | Contradiction]:
    """The judges of each query in the order of their groups, or the first contradiction."""
    return judged.remember("judges", lambda: list(make_judges(judged)))


def make_judges(judged: Judged) -> Iterator[list[Assessor] | Contradiction]:
    groups = judged.groups()
    groups = groups.where(groups.grade >= judged.floor)
    number = np.zeros(len(groups.query), dtype=np.int64) if groups.group is None else groups.group
    order = np.lexsort((number, groups.query))
    place = places(judged, groups)[order]
    query, number, level = groups.query[order], number[order], groups.grade[order]
    subgroup = None if groups.subgroup is None else groups.subgroup[order]
    found = judged.judged().distinct().count()
    starts = np.searchsorted(query, np.arange(judged.size + 1))
    for this in range(judged.size):
        edges = starts[this] + np.flatnonzero(np.diff(number[starts[this] : starts[this + 1]])) + 1
        bounds = [*([starts[this]] if starts[this] < starts[this + 1] else []), *edges, starts[this + 1]]
        made = [
            make_judge(place[low:high], level[low:high], None if subgroup is None else subgroup[low:high], found[this])
            for low, high in pairwise(bounds)
        ]
        wrong = next((each for each in made if isinstance(each, Contradiction)), None)
        yield wrong or [each for each in made if isinstance(each, Assessor)]


def places(judged: Judged, groups: Groups) -> IntArray:
    """The place of each row's document: by rank if it was retrieved, else after those, by number."""
    hits = judged.judged().distinct()
    highest = max(hits.document.max(initial=-1), groups.document.max(initial=-1))
    place = np.full(highest + 1, -1)
    place[hits.document] = hits.ordinal - 1
    documents, rows = np.unique(groups.document, return_index=True)
    unseen = place[documents] < 0
    documents, owner = documents[unseen], groups.query[rows][unseen]
    order = np.argsort(owner, kind="stable")
    documents, owner = documents[order], owner[order]
    ordinal = np.arange(len(owner)) - np.searchsorted(owner, owner)
    place[documents] = hits.count()[owner] + ordinal
    return np.asarray(place[groups.document], dtype=np.int64)


def make_judge(place: IntArray, level: FloatArray, subgroup: IntArray | None, found: int) -> Assessor | Contradiction:
    """The preferences of one group."""
    if subgroup is not None and (subgroup != subgroup[0]).any():
        return make_divided_judge(place, level, subgroup, found)
    better, worse = (place[rows] for rows in np.nonzero(level[:, None] > level))
    if len(twice := better[better == worse]):
        return Contradiction("two levels", int(twice[0]), int(twice[0]))
    return Assessor(better, worse, place, level, found, is_divided=False)


def make_divided_judge(place: IntArray, level: FloatArray, subgroup: IntArray, found: int) -> Assessor | Contradiction:
    """The preferences of a group that has several subgroups."""
    documents, row = np.unique(place, return_inverse=True)
    better, worse = np.nonzero((level[:, None] > level) & (subgroup[:, None] == subgroup))
    is_preferred = np.zeros((len(documents), len(documents)), dtype=np.bool_)
    is_preferred[row[better], row[worse]] = True
    is_relevant, is_nonrelevant = (np.bincount(row, mask, len(documents)) > 0 for mask in (level > 0, level == 0))
    if (is_relevant & is_nonrelevant).any():
        place_of_both = int(documents[is_relevant & is_nonrelevant][0])
        return Contradiction("relevant and not", place_of_both, place_of_both)
    is_preferred = with_what_follows(is_preferred)
    if (is_preferred & is_preferred.T).any():
        this, other = np.argwhere(is_preferred & is_preferred.T)[0].tolist()
        return Contradiction("both ways", int(documents[this]), int(documents[other]))
    levels = np.zeros(len(documents))
    levels[row] = level
    better, worse = np.nonzero(is_preferred)
    return Assessor(documents[better], documents[worse], documents, levels, found, is_divided=True)


def with_what_follows(is_preferred: BoolArray) -> BoolArray:
    """The preferences with those that follow from two others, until there are no more; of a document to itself none."""
    while True:
        more = is_preferred | (is_preferred.astype(np.float32) @ is_preferred.astype(np.float32) > 0)
        if (more == is_preferred).all():
            np.fill_diagonal(more, False)
            return more
        is_preferred = more
