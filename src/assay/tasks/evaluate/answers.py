"""`evaluate_answers`: references and predictions in, a `Result` out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.conventions import find_convention, measure_names, resolve
from assay.core.errors import MeasureError
from assay.core.measure import is_pooled
from assay.core.note import Note, NoteKind
from assay.core.policies import Policies
from assay.core.progress import heard
from assay.measures import SHORT_ANSWER_NAMES
from assay.measures.answers import Answers, pair_answers
from assay.measures.passages import Contents
from assay.results.result import Result
from assay.tasks.evaluate.score import measure_notes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.core.judged import FloatArray
    from assay.core.measure import Measure

DEFAULT_ANSWER_MEASURES = ("em", "f1")
# Questions that are scored at a time.
PART = 10_000


def evaluate_answers(
    references: object, predictions: object, measures: str | Iterable[str | Measure] = DEFAULT_ANSWER_MEASURES
) -> Result:
    """Scores answers against references.

    Both are dicts by question, lists, or frames. A question may have several references: the best one counts, or the
    measure has its own rule.

    >>> import assay
    >>> references = {"q1": "the Eiffel Tower", "q2": ["1889", "in 1889"]}
    >>> result = assay.evaluate_answers(references, {"q1": "Eiffel Tower in Paris", "q2": "1889"}, ["em", "f1"])
    >>> result.scores["em"].tolist(), result.scores["f1"].round(4).tolist()
    ([0.0, 1.0], [0.6667, 1.0])

    The short names `em`, `f1`, `precision` and `recall` are those of answers here. A measure may be an object too, such
    as `assay.semantic` makes of an embedder.
    """
    chosen = choose_answer_measures(measures)
    answers, missing, unknown = pair_answers(references, predictions)
    notes = []
    if missing:
        notes.append(Note.of(NoteKind.MISSING, about="predictions", queries=missing))
    if unknown:
        notes.append(Note.of(NoteKind.UNKNOWN, queries=unknown))
    return score_answers(answers, chosen, notes)


def score_answers(answers: Answers | Contents, measures: Mapping[str, Measure], notes: list[Note]) -> Result:
    """The result of texts that are put together with their references.

    Questions do not touch each other, so that they are scored in parts: what a measure keeps of the texts is that of
    one part, and on a terminal a bar shows how far the work has come.
    """
    scores: dict[str, list[FloatArray]] = {name: [] for name in measures}
    statistics: dict[str, list[FloatArray]] = {name: [] for name, each in measures.items() if is_pooled(each)}
    with heard("scoring answers") as report:
        for start in range(0, answers.size, PART):
            part = answers.part(start, start + PART)
            for number, (name, measure) in enumerate(measures.items(), start=1):
                scores[name].append(measure(part))
                if name in statistics:
                    statistics[name].append(measure.definition.pooled.statistics(part, **measure.values))  # type: ignore[union-attr]
                report((start + part.size * number / len(measures)) / answers.size)
    whole = {name: np.concatenate(parts) for name, parts in scores.items()}
    for name, measure in measures.items():
        remarks = measure.definition.remarks
        if remarks is not None:
            said = remarks(answers, **measure.values)
            notes = notes + [Note.of(NoteKind.MEASURE, measures=[name], remark=remark) for remark in said]
    undefined = {name: int(np.isnan(each).sum()) for name, each in whole.items()}
    notes = notes + measure_notes(measures, undefined, Policies())
    return Result(
        measures,
        answers.ids,
        whole,
        "assay",
        Policies(),
        tuple(notes),
        statistics={name: np.concatenate(parts) for name, parts in statistics.items()},
        subject="answers",
    )


def choose_answer_measures(measures: str | Iterable[str | Measure]) -> dict[str, Measure]:
    """The measures that names mean where only answers are measured."""
    found = resolve(measure_names(measures), find_convention("assay"), {}, SHORT_ANSWER_NAMES)
    if not found:
        raise MeasureError("no measure to compute; name one, such as f1")
    for key, (measure, _) in found.items():
        of = measure.definition.of
        if of != "answers":
            use = "assay.evaluate, or assay.evaluate_rag for both" if of == "rankings" else "assay.evaluate_rag"
            raise MeasureError(f"{key} is a measure of {of}; use {use}")
    return {key: chosen.measure for key, chosen in found.items()}
