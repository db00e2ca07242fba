"""The kinds of measures of a RAG system: what each needs of the records, and how it scores them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.conventions import find_convention
from assay.core.errors import DataError
from assay.core.note import Note, NoteKind, loud_notes
from assay.measures import SHORT_ANSWER_NAMES
from assay.measures.answers import Answers
from assay.measures.passages import Contents
from assay.results.result import Result
from assay.tasks.evaluate.answers import score_answers
from assay.tasks.evaluate.scores import score_records
from assay.tasks.rag.matching import Matched, unmatched_note

if TYPE_CHECKING:
    from assay.conventions import Chosen
    from assay.core.convention import Convention
    from assay.core.doc_id import DocIdRule
    from assay.core.measure import Measure
    from assay.core.policies import Policies
    from assay.core.ruling import Rulings
    from assay.data.records.record import Record
    from assay.tasks.judge.judge import Judge
    from assay.tasks.rag.gold import Gold
    from assay.tasks.rag.sources import Corpus


class ScoredKind(NamedTuple):
    """The result of measures of one kind, and what a judge said, by measure."""

    result: Result
    rulings: Mapping[str, Rulings] = {}


@dataclass(frozen=True, slots=True)
class RagEvaluation:
    """What is known on the way `read → match → complete → score → join`; each step returns it with more.

    `options` are the policies that were given by name, `policies` all of them. With `once`, a document counts once
    however many of its chunks were retrieved. With `is_short`, records have only the fields that make slices.
    """

    chosen: Mapping[str, Chosen]
    tool: Convention
    policies: Policies
    options: Mapping[str, Any]
    rule: DocIdRule | None = None
    once: bool = False
    judge: Judge | None = None
    records: list[Record] = field(default_factory=list)
    corpus: Corpus | None = None
    is_short: bool = False
    matched: Matched | None = None
    gold: Gold | None = None
    scored: tuple[ScoredKind, ...] = ()
    notes: tuple[Note, ...] = ()

    def of_kind(self, name: str) -> dict[str, Chosen]:
        """The measures of one kind."""
        return {key: each for key, each in self.chosen.items() if each.measure.definition.of == name}


class MeasureKind(NamedTuple):
    """A kind of measures: the parts that some record must have, in words, and how it scores the records."""

    needs: Mapping[str, str]
    score: Callable[[RagEvaluation, dict[str, Measure]], ScoredKind]

    def missing(self, records: list[Record]) -> list[str]:
        """The parts that no record has."""
        return [words for part, words in self.needs.items() if all(getattr(row, part) is None for row in records)]


def score(evaluation: RagEvaluation) -> RagEvaluation:
    """The evaluation with a result for each kind of measure that the records have the parts for."""
    scored: list[ScoredKind] = []
    notes = list(evaluation.notes)
    for name, kind in KINDS.items():
        measures = {key: each.measure for key, each in evaluation.of_kind(name).items()}
        if not measures:
            continue
        if missing := kind.missing(evaluation.records):
            meant = [SHORT_ANSWER_NAMES[key] for key in measures if name == "rankings" and key in SHORT_ANSWER_NAMES]
            hint = f"; for answers write {', '.join(meant)}" if meant else ""
            notes.append(Note.of(NoteKind.PARTS, measures=list(measures), missing=" and no ".join(missing) + hint))
        else:
            scored.append(kind.score(evaluation, measures))
    if not scored:
        raise DataError(f"nothing to compute: {'; '.join(map(str, notes))}")
    notes += dict.fromkeys(note for each in scored for note in each.result.notes)
    return replace(evaluation, scored=tuple(scored), notes=tuple(notes))


def score_rankings(evaluation: RagEvaluation, _: Mapping[str, Measure]) -> ScoredKind:
    """Scores retrieval, for the questions that have gold documents."""
    rows, gold, matched = evaluation.records, evaluation.gold, evaluation.matched
    if gold is None or gold.scorer is None or matched is None:
        raise AssertionError
    run = {row.query_id: row.retrieved.ranking for row in rows if row.retrieved is not None}
    result = gold.scorer.evaluate(run)
    notes = [note for note in result.notes if note.kind != NoteKind.UNJUDGED]
    if loud_notes(notes) and matched.queries.issuperset(gold.scorer.qrels.queries) and any(run.values()):
        notes = [unmatched_note(matched), *(note for note in notes if note.kind != NoteKind.OVERLAP)]
    bare = [row.query_id for row in rows if row.gold is None]
    if bare:
        notes.append(Note.of(NoteKind.GOLD, queries=bare, measures=list(result.measures)))
    return ScoredKind(replace(result, notes=tuple(notes)))


def score_texts(evaluation: RagEvaluation, measures: Mapping[str, Measure]) -> ScoredKind:
    """Scores answers, for the questions that have references."""
    rows = evaluation.records
    silent = [row.query_id for row in rows if row.answer is None and row.references]
    notes = [Note.of(NoteKind.MISSING, about="answers", queries=silent)] if silent else []
    ids, references = [row.query_id for row in rows], [row.references or () for row in rows]
    return ScoredKind(score_answers(Answers(ids, references, [row.answer or "" for row in rows]), measures, notes))


def score_contents(evaluation: RagEvaluation, measures: Mapping[str, Measure]) -> ScoredKind:
    """Scores the texts of passages, for the questions that have them."""
    rows = evaluation.records
    gold, retrieved = [row.gold_texts or () for row in rows], [row.retrieved_texts or () for row in rows]
    return ScoredKind(score_answers(Contents([row.query_id for row in rows], gold, retrieved), measures, []))


def score_given(evaluation: RagEvaluation, measures: Mapping[str, Measure]) -> ScoredKind:
    """Takes the scores that records have, or asks functions for them."""
    return ScoredKind(score_records(evaluation.records, measures))


def score_judged(evaluation: RagEvaluation, measures: Mapping[str, Measure]) -> ScoredKind:
    """Asks the judge. A question without a verdict has no value; the noise is the variance over its draws."""
    from assay.tasks.judge.drive import draws_variance, judge_records, verdict_notes

    judge, queries = evaluation.judge, [each.query_id for each in evaluation.records]
    if judge is None:
        raise AssertionError
    rulings = judge_records(evaluation.records, measures, judge)
    scores = {name: each.scores for name, each in rulings.items()}
    noise = {}
    for name, each in rulings.items() if judge.samples > 1 else ():
        drawn = np.array([draws_variance(ruling.samples, measures[name].definition.draws) for ruling in each])
        noise[name] = np.where(np.isnan(each.scores), np.nan, drawn)
    notes = tuple(note for name, each in rulings.items() for note in verdict_notes(name, queries, each, judge.samples))
    own = find_convention("assay")
    result = Result(dict(measures), queries, scores, own.name, own.policies, notes, noise=noise, subject="answers")
    return ScoredKind(result, rulings)


KINDS = {
    "rankings": MeasureKind({"gold": "gold documents", "retrieved": "retrieved documents"}, score_rankings),
    "answers": MeasureKind({"references": "reference answers", "answer": "answers"}, score_texts),
    "contents": MeasureKind(
        {"gold_texts": "texts of gold passages", "retrieved_texts": "texts of retrieved passages"}, score_contents
    ),
    # These say themselves what a record lacks.
    "scores": MeasureKind({}, score_given),
    "judged": MeasureKind({}, score_judged),
}
