"""Notes on what a live retriever gave."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.note import Note, NoteKind
from assay.core.text import count, some
from assay.data.passages import is_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.tasks.evaluate.evaluator import Evaluator
    from assay.tasks.probe.found import Answer


def failure_notes(failures: Mapping[str, str]) -> list[Note]:
    if not failures:
        return []
    return [
        Note(NoteKind.FAILED, f"{count(len(failures), 'question')} failed, counted as empty: {some(list(failures))}")
    ]


def answer_notes(answers: Mapping[str, Answer], k: int) -> list[Note]:
    """What was decided about the answers."""
    notes = []
    repeating = [query for query, answer in answers.items() if answer.repeats]
    if repeating:
        repeats = sum(answer.repeats for answer in answers.values())
        said = f"{count(repeats, 'repeated document')} left out, in the answers to {some(repeating)}"
        notes.append(Note(NoteKind.DUPLICATES, said))
    rising = [query for query, answer in answers.items() if answer.rose]
    if rising:
        said = f"scores that do not fall left out, the order given counts: {count(len(rising), 'answer')}"
        notes.append(Note(NoteKind.ORDER, f"{said}, to {some(rising)}"))
    longest = max(len(answer.ids) for answer in answers.values())
    if longest < k:
        said = f"no answer has more than {count(longest, 'document')}, where k is {k}"
        notes.append(Note(NoteKind.SHORT, f"{said}; the retriever may have a limit of its own"))
    return notes


def depth_notes(evaluator: Evaluator, k: int) -> list[Note]:
    """Which measures look further down than answers go."""
    deeper = [
        name
        for name, (measure, _) in evaluator.measures.items()
        if is_number(measure.values.get("k")) and measure.values["k"] > k
    ]
    return [Note(NoteKind.DEPTH, f"{', '.join(deeper)}: answers end at k={k}")] if deeper else []
