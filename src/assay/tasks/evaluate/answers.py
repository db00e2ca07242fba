"""`evaluate_answers`: references and predictions in, a `Result` out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from assay.conventions import find_convention
from assay.core.judged import FloatArray
from assay.core.measure import Measure, is_pooled
from assay.core.note import Note, NoteKind
from assay.core.policies import Policies
from assay.core.progress import progress_bar
from assay.data.records.record import Record
from assay.measures import SHORT_ANSWER_NAMES
from assay.measures.answers import Answers, pair_answers
from assay.measures.answers.overlap import Contents
from assay.measures.scores import Score
from assay.results.result import Result, subject_of
from assay.tasks.evaluate.plan import resolve_measures
from assay.tasks.evaluate.score import measure_notes

DEFAULT_ANSWER_MEASURES = ("em", "f1")
# Questions scored at a time.
PART = 10_000


def evaluate_answers(
    references: object,
    predictions: object,
    measures: str | Score | Iterable[str | Measure | Score] = DEFAULT_ANSWER_MEASURES,
    *,
    convention: str = "assay",
) -> Result:
    """Scores answers against references.

    Both are dicts by question, lists, or frames. If a question has several references, the best one counts, unless the
    measure has its own rule.

    >>> import assay
    >>> references = {"q1": "the Eiffel Tower", "q2": ["1889", "in 1889"]}
    >>> result = assay.evaluate_answers(references, {"q1": "Eiffel Tower in Paris", "q2": "1889"}, ["em", "f1"])
    >>> result.scores["em"].tolist(), result.scores["f1"].round(4).tolist()
    ([0.0, 1.0], [0.6667, 1.0])

    The short names `em`, `f1`, `precision` and `recall` mean the measures of answers here. A measure can also be an
    object, such as `assay.judges.semantic` creates from an embedder, or a function of your own, which gets a record
    with `query_id`, `answer` and `references` and returns a number (see `assay.extend.score`).
    """
    own = find_convention(convention)
    resolved = resolve_measures(measures, own, {}, kinds=("answers", "scores"), short=SHORT_ANSWER_NAMES)
    answers, missing, unknown = pair_answers(references, predictions)
    notes = [Note.of(NoteKind.MISSING, about="predictions", queries=missing)] if missing else []
    notes += [Note.of(NoteKind.UNKNOWN, queries=unknown)] if unknown else []
    chosen = {name: each.measure for name, each in resolved.items()}
    functions = {name: each for name, each in chosen.items() if each.definition.of == "scores"}
    texts = {name: each for name, each in chosen.items() if name not in functions}
    result = score_answers(answers, texts, notes)
    if not functions:
        return result
    from assay.tasks.evaluate.scores import score_records

    rows = zip(answers.ids, answers.predictions, answers.references, strict=True)
    records = [Record(name, answer=text, references=right) for name, text, right in rows]
    outside = score_records(records, functions)
    known, scores = {**result.measures, **outside.measures}, {**result.scores, **outside.scores}
    subject = subject_of(known, result.convention, result.policies)
    merged = replace(result, measures=known, scores=scores, notes=(*result.notes, *outside.notes), subject=subject)
    return merged.only(chosen)


def score_answers(answers: Answers | Contents, measures: Mapping[str, Measure], notes: list[Note]) -> Result:
    """The result of texts paired with their references, in parts: a measure holds intermediate data for one only."""
    scores: dict[str, list[FloatArray]] = {name: [] for name in measures}
    statistics: dict[str, list[FloatArray]] = {name: [] for name, each in measures.items() if is_pooled(each)}
    with progress_bar("scoring answers") as report:
        for start in range(0, answers.size, PART):
            part = answers.part(start, start + PART)
            for number, (name, measure) in enumerate(measures.items(), start=1):
                scores[name].append(measure(part))
                if name in statistics:
                    statistics[name].append(measure.definition.pooled.statistics(part, **measure.values))  # type: ignore[union-attr]
                report((start + part.size * number / len(measures)) / answers.size)
    whole, sums = ({name: np.concatenate(parts) for name, parts in each.items()} for each in (scores, statistics))
    said = [*notes]
    for name, measure in measures.items():
        if measure.definition.remarks is not None:
            remarks = measure.definition.remarks(answers, **measure.values)
            said += [Note.of(NoteKind.MEASURE, measures=[name], remark=remark) for remark in remarks]
    said += measure_notes(measures, {name: int(np.isnan(each).sum()) for name, each in whole.items()}, Policies())
    return Result(measures, answers.ids, whole, "assay", Policies(), tuple(said), statistics=sums, subject="answers")
