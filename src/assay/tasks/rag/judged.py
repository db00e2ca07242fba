"""What an LLM judges, as a `Result`: scores, and notes on the questions that have none."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from assay.conventions import find_convention
from assay.core.errors import MeasureError
from assay.core.judged import FloatArray
from assay.core.measure import Measure
from assay.core.ruling import Rulings
from assay.core.text import nearest, show
from assay.data.records import Record
from assay.measures import TABLE
from assay.render import Cell, Column, Table
from assay.results.result import Result
from assay.tasks.judge.draws import draws_variance
from assay.tasks.judge.drive import judge_records
from assay.tasks.judge.judge import Judge
from assay.tasks.judge.notes import verdict_notes


def score_judged(
    records: Sequence[Record], measures: Mapping[str, Measure], judge: Judge
) -> tuple[Result, dict[str, Rulings]]:
    """The result of judged measures, and the rulings behind it. A question without a verdict has no value."""
    check_prompts(judge.prompts, measures)
    rulings = judge_records(records, measures, judge)
    queries = [each.query_id for each in records]
    own = find_convention("assay")
    scores = {name: each.scores for name, each in rulings.items()}
    notes = tuple(note for name, each in rulings.items() for note in verdict_notes(name, queries, each))
    noise = {name: noise_of(each, measures[name]) for name, each in rulings.items()} if judge.samples > 1 else {}
    result = Result(dict(measures), queries, scores, own.name, own.policies, notes, noise=noise, subject="answers")
    return result, rulings


def check_prompts(replaced: Collection[str], measures: Mapping[str, Measure]) -> None:
    """Raises if words are given for a prompt that does not exist; it may be one of measures that are not computed."""
    asked = {prompt.name for each in measures.values() for prompt in each.definition.prompts}
    if asked.issuperset(replaced):
        return
    from assay.tasks.judge.pairwise import BETTER
    from assay.tasks.judge.questions import ANSWERABLE, QUESTION
    from assay.tasks.judge.relevance import RELEVANCE

    known = {prompt.name for each in TABLE.values() if each.of == "judged" for prompt in each.prompts}
    known |= asked | {prompt.name for prompt in (BETTER, ANSWERABLE, QUESTION, RELEVANCE)}
    for name in replaced:
        if name not in known:
            near = nearest(name, known) or sorted(asked)
            raise MeasureError(f"prompts= of the judge: unknown prompt {show(name)}; did you mean {' or '.join(near)}?")


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
