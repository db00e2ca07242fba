"""Preferences: how often a ranking puts first what a judge prefers.

A group of judgments is one judge, who prefers documents of a higher level to those of a lower level in the same
subgroup. Preferences are transitive across the subgroups of a group: a over c, if a over b and b over c. If a judge's
judgments contradict each other, the query has no preferences: a document has two levels, is relevant and not relevant,
or two documents are each preferred to the other. The ranking fulfils a preference if it retrieved the better document,
and the worse one lower down or not at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import nan
from typing import Annotated, Literal, NamedTuple

import numpy as np

from assay.core.judged import BoolArray, FloatArray, Groups, IntArray, Judged
from assay.core.measure import cites, computes, define, example, undefined_if

REFERENCE = "Carterette, Bennett, Chickering and Dumais, Here or There: Preference Judgments for Relevance, ECIR 2008."
Retrieved = Annotated[
    Literal["all", "either", "both"],
    "which preferences count: all, those with either document retrieved, or those with both retrieved",
]
CountedUnit = Annotated[
    Literal["preferences", "pairs", "groups", "balanced_groups"],
    "the unit to average over: preferences, pairs of documents, groups of judgments, or groups balanced to have as "
    "many non-relevant documents (level 0) as relevant ones",
]
CountedPreferences = Annotated[
    Literal["possible", "fulfilled", "fulfilled_both"],
    "count all preferences, those fulfilled, or those fulfilled with both documents retrieved",
]


@define("prefs", title="Preferences fulfilled")
@computes("f / p, where the ranking fulfils f of p preferences; or the mean of that ratio over pairs or groups")
@undefined_if("the preferences of one group contradict each other")
@cites(REFERENCE)
@example("prefs", [0, 2, 1], 1 / 3, "2 is preferred to 1 and to 0, and 1 to 0; only the first is fulfilled")
def preferences(judged: Judged, *, of: Retrieved = "all", over: CountedUnit = "preferences") -> FloatArray:
    """The share of the judges' preferences that the ranking fulfils."""

    def share(known: list[Assessor]) -> float:
        if over == "pairs":
            return by_pair(known, of)
        counts = [(balanced_counts if over == "balanced_groups" else count_fulfilled)(judge, of) for judge in known]
        if over == "preferences":
            counts = [(sum(fulfilled for fulfilled, _ in counts), sum(possible for _, possible in counts))]
        # A balanced group without preferences makes the query count 0, another counts 0 itself.
        is_counted = over != "balanced_groups" or all(possible for _, possible in counts)
        shares = [fulfilled / possible if possible and is_counted else 0.0 for fulfilled, possible in counts]
        return sum(shares) / len(shares)

    return each_query(judged, share)


@define("num_prefs", title="Number of preferences", range=(0, np.inf), aggregate="sum")
@computes("number of preferences, or of fulfilled preferences")
@undefined_if("the preferences of one group contradict each other")
@cites(REFERENCE)
@example("num_prefs", [0, 2, 1], 3, "2 is preferred to 1 and to 0, and 1 to 0")
def number_of_preferences(judged: Judged, *, count: CountedPreferences = "possible") -> FloatArray:
    """How many preferences the judges have or the ranking fulfils, summed over queries."""
    of = "both" if count == "fulfilled_both" else "all"
    place = 0 if count.startswith("fulfilled") else 1
    return each_query(judged, lambda known: sum(count_fulfilled(each, of)[place] for each in known))


def each_query(judged: Judged, figure: Callable[[list[Assessor]], float]) -> FloatArray:
    """A figure computed from the judges of each query; NaN for a contradiction, 0 without judges."""
    every = all_judges(judged)
    return np.array([nan if isinstance(each, Contradiction) else figure(each) if each else 0.0 for each in every])


def count_fulfilled(judge: Assessor, of: str) -> tuple[int, int]:
    counted = judge.is_among(of)
    return int((judge.fulfilled() & counted).sum()), int(counted.sum())


def by_pair(known: list[Assessor], of: str) -> float:
    """Every pair of documents that some judge has a preference for counts the same."""
    size = 1 + max(int(judge.place.max()) for judge in known)
    times = np.zeros(size * size, dtype=np.int64)
    for judge in known:
        counted = judge.is_among(of)
        times += np.bincount(judge.better[counted] * size + judge.worse[counted], minlength=size * size)
    wins = times.reshape(size, size)
    found = known[0].found
    upper, lower = np.nonzero(np.triu(wins + wins.T, 1))
    # Pairs of documents that were both retrieved are added first, as trec_eval does.
    order = np.argsort(lower >= found, kind="stable")
    upper, lower = upper[order], lower[order]
    shares = np.where(upper < found, wins[upper, lower], 0) / (wins[upper, lower] + wins[lower, upper])
    return float(np.cumsum(shares)[-1] / len(shares)) if len(shares) else 0.0


def balanced_counts(judge: Assessor, of: str) -> tuple[int, int]:
    """How many preferences are fulfilled and possible in a group with as many non-relevant as relevant documents.

    If there are too few of these, each relevant document found fulfils one preference more for each that is missing.
    """
    is_found = judge.place < judge.found
    looked_at = is_found if of == "both" else np.ones_like(is_found)
    is_relevant = judge.level > 0
    is_nonrelevant = judge.level == 0 if judge.is_divided else judge.level <= 0
    relevant, nonrelevant = int((is_relevant & looked_at).sum()), int((is_nonrelevant & looked_at).sum())
    if relevant >= nonrelevant:
        fulfilled, possible = count_fulfilled(judge, of)
        lacking = relevant - nonrelevant
        return fulfilled + int((is_relevant & is_found).sum()) * lacking, possible + int(is_relevant.sum()) * lacking
    if not judge.is_divided:
        # Those among the higher levels, and, as in trec_eval, of every document, even of the lowest, over its first.
        is_lowest = judge.level == judge.level.min()
        upper, first = np.flatnonzero(~is_lowest), np.sort(judge.place[is_lowest])[:relevant]
        pairs = np.nonzero(judge.level[upper][:, None] > judge.level[upper])
        better = np.append(judge.place[upper[pairs[0]]], np.repeat(judge.place, len(first)))
        worse = np.append(judge.place[upper[pairs[1]]], np.tile(first, len(judge.place)))
        return count_fulfilled(replace(judge, better=better, worse=worse), of)
    # Only as many of the first non-relevant documents are kept.
    dropped = np.sort(judge.place[is_nonrelevant])[int(is_relevant.sum()) :]
    kept = ~(np.isin(judge.better, dropped) | np.isin(judge.worse, dropped))
    return count_fulfilled(replace(judge, better=judge.better[kept], worse=judge.worse[kept]), of)


@dataclass(frozen=True, slots=True, eq=False)
class Assessor:
    """The preferences of one judge: the places of the better and of the worse document of each.

    The `found` retrieved documents have places from 0 in rank order; all others follow. `place` and `level` are those
    of the judgments, or of the documents if the judge has several subgroups.
    """

    better: IntArray
    worse: IntArray
    place: IntArray
    level: FloatArray
    found: int
    is_divided: bool

    def fulfilled(self) -> BoolArray:
        """Which preferences the ranking fulfils: better document retrieved, worse one lower down or not at all."""
        return (self.better < self.worse) & (self.better < self.found)

    def is_among(self, of: str) -> BoolArray:
        """Which preferences count: all, those with either document retrieved, or those with both."""
        if of == "all":
            return np.ones(len(self.better), dtype=np.bool_)
        combine = np.minimum if of == "either" else np.maximum
        return np.asarray(combine(self.better, self.worse) < self.found, dtype=np.bool_)


class Contradiction(NamedTuple):
    """Why a judge's preferences cannot be used, and the places of the documents concerned."""

    reason: Literal["two levels", "relevant and not", "both ways"]
    place: int
    other: int


def all_judges(judged: Judged) -> list[list[Assessor] | Contradiction]:
    """The judges of each query in the order of their groups, or the first contradiction."""
    return judged.remember("judges", lambda: list(make_judges(judged)))


def make_judges(judged: Judged) -> Iterator[list[Assessor] | Contradiction]:
    groups = judged.groups()
    groups = groups.where(groups.grade >= judged.floor)
    number = np.zeros(len(groups.query), dtype=np.int64) if groups.group is None else groups.group
    order = np.lexsort((number, groups.query))
    place = document_places(judged, groups)[order]
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


def document_places(judged: Judged, groups: Groups) -> IntArray:
    """The place of each row's document: by rank if retrieved, otherwise after those, by number."""
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
    if subgroup is None or (subgroup == subgroup[0]).all():
        better, worse = (place[rows] for rows in np.nonzero(level[:, None] > level))
        if len(twice := better[better == worse]):
            return Contradiction("two levels", int(twice[0]), int(twice[0]))
        return Assessor(better, worse, place, level, found, is_divided=False)
    documents, row = np.unique(place, return_inverse=True)
    better, worse = np.nonzero((level[:, None] > level) & (subgroup[:, None] == subgroup))
    is_preferred = np.zeros((len(documents), len(documents)), dtype=np.bool_)
    is_preferred[row[better], row[worse]] = True
    is_relevant, is_nonrelevant = (np.bincount(row, mask, len(documents)) > 0 for mask in (level > 0, level == 0))
    if (is_relevant & is_nonrelevant).any():
        place_of_both = int(documents[is_relevant & is_nonrelevant][0])
        return Contradiction("relevant and not", place_of_both, place_of_both)
    # The transitive closure, without preferences of a document over itself.
    followed = np.zeros_like(is_preferred)
    while (followed != is_preferred).any():
        followed, steps = is_preferred, is_preferred.astype(np.float32)
        is_preferred = followed | (steps @ steps > 0)
    np.fill_diagonal(is_preferred, False)
    if (is_preferred & is_preferred.T).any():
        this, other = np.argwhere(is_preferred & is_preferred.T)[0].tolist()
        return Contradiction("both ways", int(documents[this]), int(documents[other]))
    levels = np.zeros(len(documents))
    levels[row] = level
    better, worse = np.nonzero(is_preferred)
    return Assessor(documents[better], documents[worse], documents, levels, found, is_divided=True)
