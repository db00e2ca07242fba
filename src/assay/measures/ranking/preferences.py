"""Preferences fulfilled: how often a ranking puts first which of two documents a judge prefers.

A judge prefers a document of a higher level to one of a lower level; see `assay.core.preferences`. The ranking fulfils
a preference if it has the better document, and the worse one later or not at all.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Literal

import numpy as np

from assay.core.judged import BoolArray, FloatArray, Judged
from assay.core.measure import Example, measure
from assay.core.preferences import Assessor, Contradiction, judges

REFERENCE = "Carterette, Bennett, Chickering and Dumais, Here or There: Preference Judgments for Relevance, ECIR 2008."
Of = Annotated[
    Literal["all", "either", "both"],
    "which preferences count: all, those of which either document was retrieved, or those of which both were",
]
Over = Annotated[
    Literal["preferences", "pairs", "groups", "balanced_groups"],
    "what counts as one: a preference, a pair of documents, a group of judgments, or such a group with as many "
    "documents that are not relevant (level 0) as are",
]
Counted = Annotated[
    Literal["possible", "fulfilled", "fulfilled_both"],
    "all preferences, those that are fulfilled, or those of them of which both documents were retrieved",
]


@measure(
    "prefs",
    title="Preferences fulfilled",
    formula="f / p, where the ranking fulfils f of the p preferences; or the mean of that ratio over pairs or groups",
    reference=REFERENCE,
    undefined="the preferences of one group contradict each other",
    example=Example("prefs", [0, 2, 1], 1 / 3, "2 is preferred to 1 and to 0, and 1 to 0; only the first is fulfilled"),
)
def preferences(judged: Judged, *, of: Of = "all", over: Over = "preferences") -> FloatArray:
    """The share of the judges' preferences that the ranking fulfils."""
    ratios = {"preferences": all_alike, "pairs": by_pair, "groups": by_group, "balanced_groups": by_balanced_group}
    return each_query(judged, lambda known: ratios[over](known, of))


@measure(
    "num_prefs",
    title="Number of preferences",
    formula="number of preferences that are possible, or that are fulfilled",
    reference=REFERENCE,
    range=(0, np.inf),
    aggregate="sum",
    undefined="the preferences of one group contradict each other",
    example=Example("num_prefs", [0, 2, 1], 3, "2 is preferred to 1 and to 0, and 1 to 0"),
)
def number_of_preferences(judged: Judged, *, count: Counted = "possible") -> FloatArray:
    """How many preferences the judges have, or the ranking fulfils; over queries the sum."""
    of = "both" if count == "fulfilled_both" else "all"
    place = 0 if count.startswith("fulfilled") else 1
    return each_query(judged, lambda known: sum(counts(each, of)[place] for each in known))


def each_query(judged: Judged, figure: Callable[[list[Assessor]], float]) -> FloatArray:
    """A figure of the judges of each query; NaN where one contradicts himself, 0 where there is none."""
    return np.array(
        [np.nan if isinstance(known, Contradiction) else figure(known) if known else 0.0 for known in judges(judged)]
    )


def counts(judge: Assessor, of: str) -> tuple[int, int]:
    """How many preferences are fulfilled, and how many there are."""
    counted = judge.is_among(of)
    return int((judge.fulfilled() & counted).sum()), int(counted.sum())


def all_alike(known: list[Assessor], of: str) -> float:
    """Every preference counts the same."""
    fulfilled, possible = (sum(each) for each in zip(*(counts(judge, of) for judge in known), strict=True))
    return fulfilled / possible if possible else 0.0


def by_group(known: list[Assessor], of: str) -> float:
    """Every group counts the same; one without preferences counts 0."""
    total = 0.0
    for judge in known:
        fulfilled, possible = counts(judge, of)
        total += fulfilled / possible if possible else 0.0
    return total / len(known)


def by_pair(known: list[Assessor], of: str) -> float:
    """Every pair of documents that anyone has a preference for counts the same."""
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


def by_balanced_group(known: list[Assessor], of: str) -> float:
    """Every group counts the same, made to hold as many documents that are not relevant as are.

    Where there are too few, each relevant document found fulfils so many preferences more. Where there are too many,
    only the first are kept. If a group is left without preferences the query counts 0.
    """
    total = 0.0
    for judge in known:
        fulfilled, possible = balanced_counts(judge, of)
        if not possible:
            return 0.0
        total += fulfilled / possible
    return total / len(known)


def balanced_counts(judge: Assessor, of: str) -> tuple[int, int]:
    """How many preferences are fulfilled and possible once relevant and other documents are as many."""
    is_found = judge.place < judge.found
    looked_at = is_found if of == "both" else np.ones_like(is_found)
    is_relevant = judge.level > 0
    is_nonrelevant = judge.level == 0 if judge.is_divided else judge.level <= 0
    relevant, nonrelevant = int((is_relevant & looked_at).sum()), int((is_nonrelevant & looked_at).sum())
    if relevant >= nonrelevant:
        fulfilled, possible = counts(judge, of)
        lacking = relevant - nonrelevant
        return fulfilled + int((is_relevant & is_found).sum()) * lacking, possible + int(is_relevant.sum()) * lacking
    if judge.is_divided:
        return counts(without_last(judge, is_nonrelevant, int(is_relevant.sum())), of)
    return counts(against_first(judge, relevant), of)


def without_last(judge: Assessor, is_nonrelevant: BoolArray, size: int) -> Assessor:
    """The preferences without those about any but the first `size` documents that are not relevant."""
    dropped = np.sort(judge.place[is_nonrelevant])[size:]
    kept = ~(np.isin(judge.better, dropped) | np.isin(judge.worse, dropped))
    return Assessor(judge.better[kept], judge.worse[kept], judge.place, judge.level, judge.found, judge.is_divided)


def against_first(judge: Assessor, size: int) -> Assessor:
    """The preferences among the higher levels, and those of every document to the first `size` of the lowest level.

    That these are every document, those of the lowest level too, is how trec_eval counts.
    """
    is_lowest = judge.level == judge.level.min()
    upper = np.flatnonzero(~is_lowest)
    first = np.sort(judge.place[is_lowest])[:size]
    better, worse = (judge.place[upper[rows]] for rows in np.nonzero(judge.level[upper][:, None] > judge.level[upper]))
    more_better, more_worse = np.repeat(judge.place, len(first)), np.tile(first, len(judge.place))
    return Assessor(
        np.append(better, more_better),
        np.append(worse, more_worse),
        judge.place,
        judge.level,
        judge.found,
        is_divided=False,
    )
