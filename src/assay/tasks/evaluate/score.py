"""Computes the measures that share their policies, on what was ranked."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay._kernel import Options
from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.engine.local import kernel_options, select
from assay.results.notes import Note, judgment_notes, measure_notes, query_notes

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from assay.conventions import Chosen
    from assay.core.judged import BoolArray, FloatArray, IntArray, Judged
    from assay.core.policies import Policies


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
