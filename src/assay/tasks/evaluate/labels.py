"""`evaluate_labels`: scores rankings given as grades in rank order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from numbers import Integral
from typing import Any

import numpy as np

from assay.conventions import find_convention
from assay.core.errors import DataError
from assay.core.judged import FloatArray, Groups, Hits, Judged
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind
from assay.core.text import show
from assay.engine.ranking import restrict
from assay.results.result import Result
from assay.tasks.evaluate.plan import by_policies, resolve_measures
from assay.tasks.evaluate.score import merge_parts, score

# Sums of grades must stay finite; the kernel has the same limit.
LARGEST_GRADE = 1e100
MOST_RELEVANT = 10_000_000


def evaluate_labels(
    labels: Sequence[Sequence[float | None]],
    measures: str | Iterable[str | Measure],
    *,
    relevant: int | Sequence[int] | None = None,
    ideal: Sequence[Sequence[float]] | None = None,
    convention: str = "assay",
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Result:
    """Scores rankings given as grades in rank order; None marks a document without a judgment.

    >>> import assay
    >>> result = assay.evaluate_labels([[3, 0, 2], [1, 0, 1, 0]], ["ndcg@3", "ap"], relevant=[3, 2])
    >>> result.scores["ap"].round(4).tolist()
    [0.5556, 0.8333]

    `relevant` is the number of relevant documents per query, or one number for all; those not in the ranking are added
    at the grade `rel`, with a note. `ideal` lists all grades of each query instead, in any order.
    """
    tool = find_convention(convention)
    resolved = resolve_measures(measures, tool, policies)
    usual = tool.policies.changed(policies)
    rankings = [check_grades(each, f"labels[{n}]", unjudged=True) for n, each in enumerate(as_list(labels, "labels"))]
    size = len(rankings)
    if not size:
        raise DataError("no ranking to evaluate; pass at least one")
    notes: list[Note] = []
    judged_grades = [grades[~np.isnan(grades)] for grades in rankings]
    if relevant is not None and ideal is not None:
        raise DataError("give relevant= or ideal=, not both")
    everything = judged_grades if ideal is None else read_ideal(judged_grades, ideal)
    if relevant is not None:
        everything = with_unseen(judged_grades, relevant, usual.rel, notes)
    lengths = np.array([len(grades) for grades in rankings])
    query = np.repeat(np.arange(size), lengths)
    rank = np.concatenate([np.arange(1, length + 1) for length in lengths])
    grade = np.concatenate(rankings)
    known = ~np.isnan(grade)
    query, rank, grade = query[known], rank[known], grade[known]
    hits = Hits(size, query, grade, rank, -rank.astype(np.float64), rank - 1, np.zeros_like(rank), np.arange(len(rank)))
    owner = np.repeat(np.arange(size), [len(grades) for grades in everything])
    grades = np.concatenate(everything)
    order = np.lexsort((-grades, owner))
    queries = [str(number) for number in range(size)]
    parts = []
    for each, group in by_policies(resolved).items():
        floor = 0.0 if each.negative == "unjudged" else -np.inf
        cut = np.trunc if each.grades == "whole" else np.asarray
        all_grades = cut(grades[order])
        ranked = replace(hits, grade=cut(hits.grade))
        groups = partial(ungrouped, ranked, [cut(each) for each in everything])
        judged = Judged(size, lengths, owner[order], all_grades, ranked, floor, make_groups=groups)
        parts.append(score(restrict(judged, each), group, each, queries=queries, notes=notes))
    return merge_parts(parts, resolved, queries=queries, convention=tool.name, policies=usual)


def ungrouped(hits: Hits, everything: list[FloatArray]) -> Groups:
    """The judgments as rows without groups: the documents in the rankings, then those that were not retrieved."""
    seen = np.split(hits.grade, hits.starts[1:-1])
    unseen = [lacking(found, known) for found, known in zip(seen, everything, strict=True)]
    query = np.concatenate([hits.query, np.repeat(np.arange(hits.size), [len(each) for each in unseen])])
    grade = np.concatenate([hits.grade, *unseen])
    order = np.argsort(query, kind="stable")
    return Groups(query[order], np.arange(len(grade))[order], grade[order], None)


def as_list(values: object, place: str) -> list[Any]:
    if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
        raise DataError(f"{place} must be a list, not {show(values)}")
    return list(values)


def check_grades(grades: Sequence[float | None], place: str, *, unjudged: bool) -> FloatArray:
    given = as_list(grades, place)
    for grade in given:
        is_number = isinstance(grade, (int, float, np.integer, np.floating, np.bool_))
        if not (is_number or (grade is None and unjudged)):
            raise DataError(f"{place} must be a list of grades, not {show(given)}")
        # A 16-bit or 32-bit float cannot be compared with a limit beyond its range, and a large integer is not a float.
        if is_number and not abs(grade if isinstance(grade, int) else float(grade)) <= LARGEST_GRADE:
            allowed = f"grades must be between -{LARGEST_GRADE:g} and {LARGEST_GRADE:g}"
            raise DataError(f"{place} has the grade {show(grade)}; {allowed}")
    return np.array([np.nan if grade is None else float(grade) for grade in given], dtype=np.float64)


def read_ideal(retrieved: list[FloatArray], ideal: Sequence[Sequence[float]]) -> list[FloatArray]:
    """The ideal grades, if they include those of the rankings."""
    lists = as_list(ideal, "ideal=")
    if len(lists) != len(retrieved):
        raise DataError(f"ideal= must have one list per ranking: {len(retrieved)}, not {len(lists)}")
    everything = [check_grades(grades, f"ideal[{number}]", unjudged=False) for number, grades in enumerate(lists)]
    for number, (found, known) in enumerate(zip(retrieved, everything, strict=True)):
        if len(lacking(known, found[found > 0])):
            raise DataError(f"ideal[{number}] must include every grade above 0 in labels[{number}]; some are missing")
    # An ideal ranking may omit documents that gain nothing; those that were retrieved are judged all the same.
    return [np.concatenate([known, lacking(known, found)]) for known, found in zip(everything, retrieved, strict=True)]


def with_unseen(
    retrieved: list[FloatArray], relevant: int | Sequence[int], rel: float, notes: list[Note]
) -> list[FloatArray]:
    """The retrieved grades, and the lowest relevant grade for each relevant document that was not retrieved."""
    size = len(retrieved)
    totals = [relevant] * size if isinstance(relevant, Integral) else as_list(relevant, "relevant=")
    for total in totals:
        if not isinstance(total, Integral) or isinstance(total, bool):
            raise DataError(f"relevant= must be whole numbers, not {show(total)}")
    if len(totals) != size:
        raise DataError(f"relevant= must have one number per ranking: {size}, not {len(totals)}")
    unseen = []
    for number, (total, grades) in enumerate(zip(totals, retrieved, strict=True)):
        seen = int((grades >= rel).sum())
        if total > MOST_RELEVANT:
            raise DataError(f"relevant[{number}] is {total}; the maximum is {MOST_RELEVANT:,}")
        if total < seen:
            raise DataError(f"relevant[{number}] is {total}, but labels[{number}] has {seen} relevant documents")
        unseen.append(int(total) - seen)
    if any(unseen):
        notes.append(Note.of(NoteKind.UNSEEN, count=sum(unseen), grade=f"{rel:g}"))
    return [np.append(grades, [rel] * missing) for grades, missing in zip(retrieved, unseen, strict=True)]


def lacking(everything: FloatArray, some: FloatArray) -> FloatArray:
    """The values of `some` that are missing from `everything`, each as often as it is missing."""
    missing = Counter(some.tolist()) - Counter(everything.tolist())
    return np.array(sorted(missing.elements()), dtype=np.float64)
