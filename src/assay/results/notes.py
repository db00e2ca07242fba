"""Notes: what the data made assay decide, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.errors import MismatchError
from assay.core.text import count, some

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay._kernel import Ranker
    from assay.conventions import Refused
    from assay.core.judged import BoolArray, Judged
    from assay.core.measure import Measure
    from assay.core.policies import Policies
    from assay.data.qrels import Qrels
    from assay.stats.pairs import Finding


# What reading the run comes upon is the same under all policies.
ALWAYS_COMMON = ("unjudged", "scattered", "undefined")

# Which of the judgments of one document a policy takes.
COUNTED = {
    "first": "the first",
    "last": "the last",
    "count": "the highest grade",
    "once": "the highest grade",
}


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


def run_notes(ranker: Ranker, number: int, unknown: list[str]) -> list[Note]:
    """What reading the run came upon under the options of that number."""
    notes = []
    if unknown:
        said = queries_are(len(unknown), "has", "have", of=" of the run")
        are = "is" if len(unknown) == 1 else "are"
        notes.append(Note("unjudged", f"{said} no judgments and {are} left out: {some(sorted(unknown))}"))
    if ranker.scattered:
        said = f"the rows of {count(ranker.scattered, 'query', 'queries')} do not stand together and were gathered"
        notes.append(Note("scattered", said))
    if dropped := ranker.repeats_dropped(number):
        notes.append(Note("duplicates", f"{count(dropped, 'repeated document')} left out"))
    if excluded := ranker.excluded(number):
        notes.append(Note("excluded", f"{count(excluded, 'document')} named like the query left out"))
    return notes


def repeat_notes(qrels: Qrels, policies: Policies) -> list[Note]:
    """Which of the repeated judgments count."""
    if not qrels.repeats:
        return []
    which = COUNTED[qrels.duplicates or policies.duplicates]
    return [Note("duplicates", f"{count(qrels.repeats, 'repeated judgment')}: of each document {which} counts")]


def refused_notes(refused: Refused, what: str) -> list[Note]:
    """Which queries a tool can make nothing of.

    >>> print(*refused_notes({"autorag": ["q1", "q2"]}, "judgments"))
    autorag cannot use the judgments of 2 queries, left out of the mean: 'q1', 'q2'
    """
    notes = []
    for tool, queries in refused.items():
        said = f"{tool} cannot use the {what} of {count(len(queries), 'query', 'queries')}"
        notes.append(Note("prepared", f"{said}, left out of the mean: {some(queries)}"))
    return notes


def query_notes(
    queries: list[str], policies: Policies, present: BoolArray, has_relevant: BoolArray, has_results: BoolArray
) -> list[Note]:
    """Which queries are missing from the run, which have nothing to find and which found nothing.

    Raises if none may be missing.
    """
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
        effects = {
            "zero": "scored 0",
            "nan": "NaN where a measure needs one",
            "nan_all": "left out of the mean",
            "skip": "left out",
        }
        said = f"{queries_are(len(bare), 'has', 'have')} no relevant document, {effects[policies.no_relevant]}"
        notes.append(Note("no_relevant", f"{said}: {some(bare)}"))
    empty = [queries[number] for number in np.flatnonzero(~has_results & counted)]
    if empty and policies.no_results != "zero":
        effect = "left out of the mean" if policies.no_results == "nan" else "left out"
        notes.append(Note("no_results", f"{queries_are(len(empty))} without results, {effect}: {some(empty)}"))
    return notes


def policy_notes(own: Mapping[str, Policies], policies: Policies) -> list[Note]:
    """Which measures are computed under other policies than the rest."""
    names: dict[str, list[str]] = {}
    for name, each in own.items():
        names.setdefault(each.differing(policies), []).append(name)
    return [Note("policies", f"{', '.join(group)}: {differing}") for differing, group in names.items()]


def merge_notes(parts: Iterable[tuple[Policies, Iterable[str], list[Note]]], policies: Policies) -> list[Note]:
    """The notes of measures under several policies; what only other ones led to is said of their measures."""
    parts = list(parts)
    common = [note for own, _, notes in parts if own == policies or len(parts) == 1 for note in notes]
    merged = list(common)
    for _, measures, notes in parts:
        names = ", ".join(measures)
        merged += [
            note if note.kind in ALWAYS_COMMON else Note(note.kind, f"{names}: {note.text}")
            for note in notes
            if note not in common
        ]
    return list(dict.fromkeys(merged))


def judgment_notes(judged: Judged, policies: Policies) -> list[Note]:
    """What the judgments hold that was decided by a policy."""
    negative = int((judged.grades < 0).sum())
    if not negative:
        return []
    effect = "not judged" if policies.negative == "unjudged" else "not relevant"
    return [Note("negative", f"{count(negative, 'grade')} below 0 taken as {effect}")]


def measure_notes(measures: Mapping[str, Measure], undefined: Mapping[str, int], policies: Policies) -> list[Note]:
    """For how many queries a measure itself is not defined, and which measures an option does not touch."""
    notes = []
    for name, measure in measures.items():
        reason = measure.definition.undefined
        if undefined[name] and reason:
            said = f"{name}: {count(undefined[name], 'query', 'queries')} left out of the mean; {reason}"
            notes.append(Note("undefined", said))
    graded = [name for name, each in measures.items() if each.values.get("rel", 0) == 0 and "gain" in each.values]
    if policies.rel != 1 and graded:
        said = f"rel={policies.rel:g} does not change {', '.join(graded)}: their gains come from the grades"
        notes.append(Note("rel", said))
    return notes


def common_notes(notes: Mapping[str, Iterable[Note]]) -> list[Note]:
    """The notes of runs: once where they are the same for all, else with the name of the run."""
    runs: dict[Note, list[str]] = {}
    for name, each in notes.items():
        for note in each:
            runs.setdefault(note, []).append(name)
    return [
        note if len(names) == len(notes) else Note(note.kind, f"{', '.join(names)}: {note.text}")
        for note, names in runs.items()
    ]


def finding_notes(findings: Iterable[Finding], couples: int) -> list[Note]:
    """What was found, once for all pairs that it is true of."""
    pairs: dict[tuple[str, str, str], list[str]] = {}
    for each in findings:
        pairs.setdefault((each.kind, each.measure, each.text), []).append(" and ".join(each.runs))
    notes = []
    for (kind, measure, text), names in pairs.items():
        about = "every pair" if 1 < couples == len(names) else ", ".join(name for name in names if name)
        notes.append(Note(kind, f"{measure}, {about}: {text}" if about else f"{measure}: {text}"))
    return notes
