"""What an LLM judges, as a `Result`: scores, and notes on the questions that have none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from assay.conventions import find_convention
from assay.core.judged import FloatArray
from assay.core.measure import Measure
from assay.core.ruling import Rulings
from assay.data.records import Record
from assay.render import Cell, Column, Table
from assay.results.result import Result
from assay.tasks.judge.draws import draws_variance
from assay.tasks.judge.drive import judge_records
from assay.tasks.judge.judge import Judge
from assay.tasks.judge.notes import verdict_notes
from assay.tasks.judge.prompts import check_prompts


def score_judged(
    records: Sequence[Record], measures: Mapping[str, Measure], judge: Judge
) -> tuple[Result, dict[str, Rulings]]:
    """The result of judged measures, and the rulings behind it. A question without a verdict has no value."""
    check_prompts(judge.prompts, [prompt for each in measures.values() for prompt in each.definition.prompts])
    rulings = judge_records(records, measures, judge)
    queries = [each.query_id for each in records]
    own = find_convention("assay")
    scores = {name: each.scores for name, each in rulings.items()}
    notes = tuple(note for name, each in rulings.items() for note in verdict_notes(name, queries, each, judge.samples))
    noise = {name: noise_of(each, measures[name]) for name, each in rulings.items()} if judge.samples > 1 else {}
    result = Result(dict(measures), queries, scores, own.name, own.policies, notes, noise=noise, subject="answers")
    return result, rulings


def noise_of(rulings: Rulings, measure: Measure) -> FloatArray:
    """The variance of each question's score, estimated from its draws; NaN if it has no score."""
    values = np.array([draws_variance(each.samples, measure.definition.draws) for each in rulings])
    return np.where(np.isnan(rulings.scores), np.nan, values)


def verdict_table(queries: Sequence[str], rulings: Rulings) -> Table:
    """One row per verdict."""
    columns = [Column(name, is_text=True) for name in ("query", "outcome", "subject", "verdict", "reason", "against")]
    rows: list[tuple[Cell, ...]] = []
    for query, ruling in zip(queries, rulings, strict=True):
        if not ruling.verdicts:
            rows.append((query, str(ruling.kind), None, None, ruling.detail or None, None))
        for each in ruling.verdicts:
            value = f"{each.value:g}" if isinstance(each.value, float | int) else each.value
            rows.append((query, str(ruling.kind), each.subject, value, each.reason or None, each.against or None))
    return Table(tuple(columns), tuple(rows))
