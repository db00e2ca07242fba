"""The heart: measures computed on what was ranked, without I/O.

`score` computes the measures that share their policies; `merge_parts` makes one result of several such parts.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple, Protocol, TypeVar

import numpy as np

from assay.conventions import Chosen, Refused
from assay.core.errors import MeasureError, MismatchError
from assay.core.judged import BoolArray, FloatArray, IntArray, Judged
from assay.core.measure import Measure
from assay.core.note import LOUD, DataWarning, Note, NoteKind
from assay.core.policies import EFFECTS, Policies, count_missing
from assay.core.text import INTERFACE, Interface, Option, show, some
from assay.engine.ranking import select
from assay.results.result import Result

# What was found while reading the run is the same under all policies.
ALWAYS_COMMON = (NoteKind.UNJUDGED, NoteKind.SCATTERED, NoteKind.SURPLUS, NoteKind.UNDEFINED)

# Judgments and run barely overlap if less than this share of what is expected was found.
SHARE = 0.01


class HasNotes(Protocol):
    """Anything that was found out about a run."""

    @property
    def notes(self) -> tuple[Note, ...]: ...


Noted = TypeVar("Noted", bound=HasNotes)


class Scored(NamedTuple):
    """What was computed under one set of policies, for the queries in `keep`."""

    policies: Policies
    measures: dict[str, Measure]
    keep: IntArray
    scores: dict[str, FloatArray]
    means: dict[str, float]
    notes: list[Note]


def score(
    judged: Judged,
    measures: Mapping[str, Measure],
    policies: Policies,
    *,
    queries: list[str],
    present: BoolArray | None = None,
    unusable: Mapping[str, Collection[str]] = MappingProxyType({}),
    notes: Sequence[Note] = (),
) -> Scored:
    """Computes measures that share their policies, on what was ranked under these.

    `present` tells which of the queries the run has, all if it is None. `unusable` has the queries that a measure's
    tool refuses, by the measure's name: they have no value. `notes` are those that ranking led to.
    """
    present = np.ones(judged.size, dtype=np.bool_) if present is None else present
    refused = {name: is_among(queries, unusable.get(name, ())) for name in measures}
    # Before queries are left out: a scale that the judgments set is the same for every run.
    measures = {name: measure.bound(judged) for name, measure in measures.items()}
    has_relevant = judged.count_relevant(policies.rel) > 0
    has_results = judged.retrieved > 0
    is_used = ~np.logical_and.reduce(list(refused.values()))
    said = query_notes(queries, policies, present, has_relevant | ~is_used, has_results | ~is_used)
    is_kept = np.ones(judged.size, dtype=np.bool_)
    for policy, is_there in (("missing", present), ("no_relevant", has_relevant), ("no_results", has_results)):
        if getattr(policies, policy) == "skip":
            is_kept &= is_there
    keep = np.flatnonzero(is_kept)
    if policies.no_relevant == "skip_unjudged":
        keep = keep[np.isin(keep, judged.owner)]
    if len(keep) < judged.size:
        judged = select(judged, keep)
    # A measure that has two names is computed once.
    computed = {measure: compute(measure, judged) for measure in measures.values()}
    scores, means, undefined = {}, {}, {}
    for name, measure in measures.items():
        is_refused = refused[name][keep]
        blank = is_blank(measure, judged, policies) | is_refused
        undefined[name] = int((np.isnan(computed[measure]) & ~blank).sum())
        scores[name] = np.where(blank, np.nan, computed[measure])
        if measure.definition.corpus is not None:
            usable = select(judged, np.flatnonzero(~is_refused)) if is_refused.any() else judged
            means[name] = float(measure.definition.corpus(usable, **measure.values))
    if negative := int((judged.grades < 0).sum()):
        said.append(Note.of(NoteKind.NEGATIVE, count=negative, effect=EFFECTS["negative"][policies.negative]))
    said += measure_notes(measures, undefined, policies)
    return Scored(policies, measures, keep, scores, means, [*notes, *said])


def merge_parts(
    parts: Sequence[Scored],
    resolved: Mapping[str, Chosen],
    *,
    queries: list[str],
    convention: str,
    policies: Policies,
    notes: Sequence[Note] = (),
) -> Result:
    """One result of what was computed under each set of policies; `policies` are those of most measures."""
    # Not `np.unique`, which loads numpy.ma.
    keep = np.flatnonzero(np.bincount(np.concatenate([part.keep for part in parts]), minlength=len(queries)))
    if len(keep) < len(queries):
        queries = [queries[number] for number in keep]
    measures = {name: measure for part in parts for name, measure in part.measures.items()}
    means = {name: mean for part in parts for name, mean in part.means.items()}
    scores: dict[str, FloatArray] = {}
    for part in parts:
        for name, values in part.scores.items():
            scores[name] = values
            if len(part.keep) < len(keep):
                scores[name] = np.full(len(keep), np.nan)
                scores[name][np.searchsorted(keep, part.keep)] = values
    own = {name: each.policies for name, each in resolved.items() if each.policies != policies}
    others: dict[str, list[str]] = {}
    for name, each in own.items():
        others.setdefault(each.differing(policies), []).append(name)
    differing = [Note.of(NoteKind.POLICIES, measures=names, policies=how) for how, names in others.items()]
    # What only other policies led to names their measures.
    said = [note for part in parts if part.policies == policies or len(parts) == 1 for note in part.notes]
    common = {*said}
    for part in parts:
        for note in (each for each in part.notes if each not in common):
            is_common = note.kind in ALWAYS_COMMON or note.measures
            said.append(note if is_common else replace(note, measures=tuple(part.measures)))
    notes = (*notes, *differing, *dict.fromkeys(said))
    in_order = {name: measures[name] for name in resolved}
    return Result(in_order, queries, scores, convention, policies, notes, own, _means=means)


def warned(result: Noted, run: str = "") -> Noted:
    """The result, after its loud notes were given as warnings at the line that called the public function.

    Call it from the public function itself. The command says them in its own way, above its output.
    """
    for note in result.notes:
        if note.kind in LOUD and INTERFACE.get() is Interface.PYTHON:
            warnings.warn(f"{show(run)}: {note}" if run else str(note), DataWarning, stacklevel=3)
    return result


def is_among(queries: list[str], some: Collection[str]) -> BoolArray:
    return np.array([query in some for query in queries]) if some else np.zeros(len(queries), dtype=np.bool_)


def compute(measure: Measure, judged: Judged) -> FloatArray:
    scores = measure(judged)
    if scores.shape != (judged.size,):
        wanted = f"expected {judged.size} values, one per query"
        raise MeasureError(f"{measure}: {wanted}, got an array of shape {scores.shape}")
    return scores


def is_blank(measure: Measure, judged: Judged, policies: Policies) -> BoolArray:
    """The queries for which a policy leaves the measure without a value."""
    blank = np.zeros(judged.size, dtype=np.bool_)
    is_needed = policies.no_relevant == "nan" and measure.definition.needs_relevant
    if is_needed or policies.no_relevant == "nan_all":
        level = measure.definition.parameters.get("rel")
        least: float = measure.values.get("rel", 0)
        if level is None or level.default == 0:
            # Grades are gains here, and only positive ones add anything.
            least = max(least, float(np.nextafter(0, 1)))
        blank |= judged.count_relevant(least) == 0
    if policies.no_results == "nan":
        blank |= judged.retrieved == 0
    return blank


def query_notes(
    queries: list[str], policies: Policies, present: BoolArray, has_relevant: BoolArray, has_results: BoolArray
) -> list[Note]:
    """Which queries are missing, have no relevant documents, or have no results; raises if none may be missing."""

    def where(mask: BoolArray) -> list[str]:
        return [queries[number] for number in np.flatnonzero(mask)]

    notes = []
    missing = where(~present)
    if missing and policies.missing == "error":
        are = "query in the judgments is" if len(missing) == 1 else "queries in the judgments are"
        raise MismatchError(f"{len(missing):,} {are} missing from the run: {some(missing)}; {count_missing()}")
    if missing:
        advice = ("trec_eval leaves these out: ", Option("missing", "skip")) if policies.missing == "zero" else ()
        effect = EFFECTS["missing"][policies.missing]
        notes.append(Note.of(NoteKind.MISSING, queries=missing, effect=effect, advice=advice))
    counted = present if policies.missing == "skip" else np.ones_like(present)
    if bare := where(~has_relevant & counted):
        notes.append(Note.of(NoteKind.NO_RELEVANT, queries=bare, effect=EFFECTS["no_relevant"][policies.no_relevant]))
    if policies.no_results != "zero" and (empty := where(~has_results & counted)):
        notes.append(Note.of(NoteKind.NO_RESULTS, queries=empty, effect=EFFECTS["no_results"][policies.no_results]))
    return notes


def measure_notes(measures: Mapping[str, Measure], undefined: Mapping[str, int], policies: Policies) -> list[Note]:
    """For how many queries a measure itself is undefined, and which measures `rel` does not affect."""
    notes = [
        Note.of(NoteKind.UNDEFINED, count=undefined[name], measures=[name], reason=measure.definition.undefined)
        for name, measure in measures.items()
        if undefined[name] and measure.definition.undefined
    ]
    graded = [name for name, each in measures.items() if each.values.get("rel", 0) == 0 and "gain" in each.values]
    if policies.rel != 1 and graded:
        notes.append(Note.of(NoteKind.REL, measures=graded, rel=f"{policies.rel:g}"))
    return notes


def refused_notes(refused: Refused, what: str) -> list[Note]:
    """Which queries a tool cannot use."""
    return [Note.of(NoteKind.PREPARED, queries=each, tool=tool, what=what) for tool, each in refused.items()]
