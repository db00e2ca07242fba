"""Notes: what the data made assay decide, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.errors import MismatchError
from assay.core.text import count, some

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay._kernel import Judge
    from assay.core.convention import Policies
    from assay.core.judged import BoolArray, FloatArray, Judged
    from assay.core.measure import Measure


class Note(NamedTuple):
    """A word for what kind of decision it was, and a sentence."""

    kind: str
    text: str

    def __str__(self) -> str:
        return self.text


def queries_are(number: int, singular: str = "is", plural: str = "are", of: str = "") -> str:
    """A number of queries as the subject of a sentence.

    >>> queries_are(1, of=" of the run"), queries_are(3, "has", "have")
    ('1 query of the run is', '3 queries have')
    """
    return f"{count(number, 'query', 'queries')}{of} {singular if number == 1 else plural}"


def run_notes(judge: Judge, unknown: list[str]) -> list[Note]:
    """What reading the run came upon."""
    notes = []
    if unknown:
        said = queries_are(len(unknown), "has", "have", of=" of the run")
        are = "is" if len(unknown) == 1 else "are"
        notes.append(Note("unjudged", f"{said} no judgments and {are} left out: {some(sorted(unknown))}"))
    if judge.scattered:
        said = f"the rows of {count(judge.scattered, 'query', 'queries')} do not stand together and were gathered"
        notes.append(Note("scattered", said))
    if judge.repeats_dropped:
        notes.append(Note("duplicates", f"{count(judge.repeats_dropped, 'repeated document')} left out"))
    if judge.excluded:
        notes.append(Note("excluded", f"{count(judge.excluded, 'document')} named like the query left out"))
    return notes


def query_notes(queries: list[str], policies: Policies, present: BoolArray, has_relevant: BoolArray) -> list[Note]:
    """Which queries are missing from the run, and which have nothing to find. Raises if none may be missing."""
    notes = []
    missing = [queries[number] for number in np.flatnonzero(~present)]
    if missing:
        said = f"{queries_are(len(missing), of=' of the judgments')} missing from the run"
        if policies.missing == "error":
            hint = 'missing="zero" counts them as empty rankings, "skip" leaves them out'
            raise MismatchError(f"{said}: {some(missing)}; {hint}")
        effect = "counted as empty rankings" if policies.missing == "zero" else "left out"
        notes.append(Note("missing", f"{said}, {effect}: {some(missing)}"))
    counted = present if policies.missing == "skip" else np.ones_like(present)
    bare = [queries[number] for number in np.flatnonzero(~has_relevant & counted)]
    if bare:
        effects = {"zero": "scored 0", "nan": "NaN where a measure needs one", "skip": "left out"}
        said = f"{queries_are(len(bare), 'has', 'have')} no relevant document, {effects[policies.no_relevant]}"
        notes.append(Note("no_relevant", f"{said}: {some(bare)}"))
    return notes


def judgment_notes(judged: Judged, policies: Policies) -> list[Note]:
    """What the judgments hold that was decided by a policy."""
    negative = int((judged.grades < 0).sum())
    if not negative:
        return []
    effect = "not judged" if policies.negative == "unjudged" else "not relevant"
    return [Note("negative", f"{count(negative, 'grade')} below 0 taken as {effect}")]


def measure_notes(measures: Mapping[str, Measure], scores: Mapping[str, FloatArray], policies: Policies) -> list[Note]:
    """Where a measure is not defined, and which ones an option does not touch."""
    notes = []
    for name, measure in measures.items():
        undefined = int(np.isnan(scores[name]).sum())
        reason = measure.definition.undefined
        if undefined and reason:
            said = f"{name}: {count(undefined, 'query', 'queries')} left out of the mean; {reason}"
            notes.append(Note("undefined", said))
    graded = [name for name, each in measures.items() if each.values.get("rel", 0) == 0 and "gain" in each.values]
    if policies.rel != 1 and graded:
        said = f"rel={policies.rel:g} does not change {', '.join(graded)}: their gains come from the grades"
        notes.append(Note("rel", said))
    return notes
