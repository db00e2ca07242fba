"""Computes the measures that share their policies, on what was ranked."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay._kernel import Options
from assay.core.errors import MeasureError, MismatchError
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind
from assay.core.text import some
from assay.engine.local import kernel_options, select

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from assay.conventions import Chosen, Refused
    from assay.core.judged import BoolArray, FloatArray, IntArray, Judged
    from assay.core.policies import Policies

# What reading the run comes upon is the same under all policies.
ALWAYS_COMMON = (NoteKind.UNJUDGED, NoteKind.SCATTERED, NoteKind.UNDEFINED)

# What becomes of queries, by the policy for them.
MISSING_EFFECTS = {"zero": "counted as empty rankings", "skip": "left out"}
NO_RELEVANT_EFFECTS = {
    "zero": "scored 0",
    "nan": "NaN for measures that need one",
    "nan_all": "left out of the mean",
    "skip": "left out",
}
NO_RESULTS_EFFECTS = {"nan": "left out of the mean", "skip": "left out"}


class Part(NamedTuple):
    """The measures that are computed under the same policies, and the number of the kernel's options for them."""

    policies: Policies
    measures: dict[str, Measure]
    number: int


class Scored(NamedTuple):
    """What was computed under one set of policies, for the queries in `keep`."""

    policies: Policies
    measures: dict[str, Measure]
    keep: IntArray
    scores: dict[str, FloatArray]
    means: dict[str, float]
    notes: list[Note]


def make_parts(measures: Mapping[str, Chosen]) -> tuple[list[Part], list[Options]]:
    """The measures by their policies, and the different options that the kernel needs for them."""
    groups: dict[Policies, dict[str, Measure]] = {}
    for name, (measure, policies) in measures.items():
        groups.setdefault(policies, {})[name] = measure
    parts, options = [], []
    for policies, group in groups.items():
        needs = {need for measure in group.values() for need in measure.definition.needs}
        wanted = kernel_options(policies, needs)
        if wanted not in options:
            options.append(wanted)
        parts.append(Part(policies, group, options.index(wanted)))
    return parts, options


def score_part(
    part: Part,
    judged: Judged,
    queries: list[str],
    present: BoolArray,
    notes: list[Note],
    *,
    unusable: Mapping[str, Collection[str]] = MappingProxyType({}),
) -> Scored:
    """Computes the measures of one part; `present` tells which queries the run has.

    `unusable` has the queries that a measure's tool refuses, by the measure's name: they have no value.
    """
    policies = part.policies
    refused = {name: is_among(queries, unusable.get(name, ())) for name in part.measures}
    # Before queries are left out: a scale that the judgments set is the same for every run.
    measures = {name: measure.bound(judged) for name, measure in part.measures.items()}
    has_relevant = judged.count_relevant(policies.rel) > 0
    has_results = judged.retrieved > 0
    is_used = ~np.logical_and.reduce(list(refused.values()))
    notes = notes + query_notes(queries, policies, present, has_relevant | ~is_used, has_results | ~is_used)
    keep = kept_queries(policies, present, has_relevant, has_results)
    if len(keep) < judged.size:
        judged = select(judged, keep)
    computed = compute_all(measures, judged)
    blank = {name: blanked(measure, judged, policies) | refused[name][keep] for name, measure in measures.items()}
    undefined = {name: int((np.isnan(scores) & ~blank[name]).sum()) for name, scores in computed.items()}
    scores = {name: np.where(blank[name], np.nan, each) for name, each in computed.items()}
    means = {
        name: float(measure.definition.corpus(without(judged, refused[name][keep]), **measure.values))
        for name, measure in measures.items()
        if measure.definition.corpus is not None
    }
    notes += [*judgment_notes(judged, policies), *measure_notes(measures, undefined, policies)]
    return Scored(policies, measures, keep, scores, means, notes)


def without(judged: Judged, refused: BoolArray) -> Judged:
    """The queries that are not refused."""
    return select(judged, np.flatnonzero(~refused)) if refused.any() else judged


def is_among(queries: list[str], some: Collection[str]) -> BoolArray:
    """Which of the queries are some of those."""
    if not some:
        return np.zeros(len(queries), dtype=np.bool_)
    return np.array([query in some for query in queries])


def kept_queries(policies: Policies, present: BoolArray, has_relevant: BoolArray, has_results: BoolArray) -> IntArray:
    """The queries that count."""
    keep = np.ones(len(present), dtype=np.bool_)
    if policies.missing == "skip":
        keep &= present
    if policies.no_relevant == "skip":
        keep &= has_relevant
    if policies.no_results == "skip":
        keep &= has_results
    return np.flatnonzero(keep)


def compute_all(measures: Mapping[str, Measure], judged: Judged) -> dict[str, FloatArray]:
    """The scores of every measure; one that has two names is computed once."""
    computed: dict[Measure, FloatArray] = {}
    for measure in measures.values():
        if measure not in computed:
            computed[measure] = compute(measure, judged)
    return {name: computed[measure] for name, measure in measures.items()}


def compute(measure: Measure, judged: Judged) -> FloatArray:
    """The scores of one measure."""
    scores = measure(judged)
    if scores.shape != (judged.size,):
        raise MeasureError(
            f"{measure}: expected {judged.size} values, one a query, found an array of shape {scores.shape}"
        )
    return scores


def blanked(measure: Measure, judged: Judged, policies: Policies) -> BoolArray:
    """The queries for which a policy says that the measure has no value."""
    blank = np.zeros(judged.size, dtype=np.bool_)
    is_needed = policies.no_relevant == "nan" and measure.definition.needs_relevant
    if is_needed or policies.no_relevant == "nan_all":
        blank |= judged.count_relevant(least_grade(measure)) == 0
    if policies.no_results == "nan":
        blank |= judged.retrieved == 0
    return blank


def least_grade(measure: Measure) -> float:
    """The lowest grade that is worth anything to a measure."""
    level = measure.definition.parameters.get("rel")
    least: float = measure.values.get("rel", 0)
    if level is None or level.default == 0:
        # Grades are gains here, and only what is above 0 can be gained.
        return max(least, float(np.nextafter(0, 1)))
    return least


def query_notes(
    queries: list[str], policies: Policies, present: BoolArray, has_relevant: BoolArray, has_results: BoolArray
) -> list[Note]:
    """Which queries are missing from the run, which have no relevant documents and which have no results.

    Raises if none may be missing.
    """
    notes = []
    missing = [queries[number] for number in np.flatnonzero(~present)]
    if missing and policies.missing == "error":
        raise missing_error(missing)
    if missing:
        notes.append(Note.of(NoteKind.MISSING, queries=missing, effect=MISSING_EFFECTS[policies.missing]))
    counted = present if policies.missing == "skip" else np.ones_like(present)
    bare = [queries[number] for number in np.flatnonzero(~has_relevant & counted)]
    if bare:
        notes.append(Note.of(NoteKind.NO_RELEVANT, queries=bare, effect=NO_RELEVANT_EFFECTS[policies.no_relevant]))
    empty = [queries[number] for number in np.flatnonzero(~has_results & counted)]
    if empty and policies.no_results != "zero":
        notes.append(Note.of(NoteKind.NO_RESULTS, queries=empty, effect=NO_RESULTS_EFFECTS[policies.no_results]))
    return notes


def missing_error(missing: list[str]) -> MismatchError:
    """The error for queries that the run lacks where none may be missing."""
    hint = '; missing="zero" counts them as empty rankings, missing="skip" leaves them out'
    are = "query in the judgments is" if len(missing) == 1 else "queries in the judgments are"
    return MismatchError(f"{len(missing):,} {are} missing from the run: {some(missing)}{hint}")


def judgment_notes(judged: Judged, policies: Policies) -> list[Note]:
    """How negative grades are treated."""
    negative = int((judged.grades < 0).sum())
    effect = "unjudged" if policies.negative == "unjudged" else "not relevant"
    return [Note.of(NoteKind.NEGATIVE, count=negative, effect=effect)] if negative else []


def measure_notes(measures: Mapping[str, Measure], undefined: Mapping[str, int], policies: Policies) -> list[Note]:
    """For how many queries a measure itself is undefined, and which measures `rel` does not affect."""
    notes = []
    for name, measure in measures.items():
        reason = measure.definition.undefined
        if undefined[name] and reason:
            notes.append(Note.of(NoteKind.UNDEFINED, count=undefined[name], measures=[name], reason=reason))
    graded = [name for name, each in measures.items() if each.values.get("rel", 0) == 0 and "gain" in each.values]
    if policies.rel != 1 and graded:
        notes.append(Note.of(NoteKind.REL, measures=graded, rel=f"{policies.rel:g}"))
    return notes


def policy_notes(own: Mapping[str, Policies], policies: Policies) -> list[Note]:
    """Which measures are computed under other policies than the rest."""
    names: dict[str, list[str]] = {}
    for name, each in own.items():
        names.setdefault(each.differing(policies), []).append(name)
    return [Note.of(NoteKind.POLICIES, measures=group, policies=differing) for differing, group in names.items()]


def refused_notes(refused: Refused, what: str) -> list[Note]:
    """Which queries a tool cannot use.

    >>> print(*refused_notes({"autorag": ["q1", "q2"]}, "judgments"))
    autorag cannot use the judgments of 2 queries; left out of the mean: 'q1', 'q2'
    """
    return [Note.of(NoteKind.PREPARED, queries=each, tool=tool, what=what) for tool, each in refused.items()]


def merge_notes(parts: Iterable[tuple[Policies, Iterable[str], list[Note]]], policies: Policies) -> list[Note]:
    """The notes of measures under several policies; what only other policies led to names their measures."""
    parts = list(parts)
    common = [note for own, _, notes in parts if own == policies or len(parts) == 1 for note in notes]
    merged = list(common)
    for _, measures, notes in parts:
        merged += [
            note if note.kind in ALWAYS_COMMON or note.measures else replace(note, measures=tuple(measures))
            for note in notes
            if note not in common
        ]
    return list(dict.fromkeys(merged))
