"""A provider for ir_measures that computes its measures with assay; the numbers are those of its default pipeline."""
# mypy: allow-untyped-calls

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import ir_measures
from ir_measures import Measure, Metric, providers
from ir_measures.util import QrelsConverter, RunConverter

from assay.compat.pytrec_eval import finite_scores
from assay.conventions import find_convention, resolve
from assay.core.errors import DataError, MeasureError, MismatchError
from assay.core.parameter import LARGEST
from assay.data.frames.columns import find_columns
from assay.data.frames.frame import is_frame, to_polars
from assay.data.qrels import Qrels
from assay.results.result import Result
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

CONVENTION = find_convention("ir_measures")
QREL = ("query_id", "doc_id", "relevance", "iteration")
SCORED = ("query_id", "doc_id", "score")
# For these, a query missing from the run has no value in assay and the measure's default in ir_measures.
ONLY_PRESENT = ("NumQ", "NumRel")


class AssayProvider(providers.Provider):
    """All measures of ir_measures, computed by assay."""

    NAME = "assay"

    def supports(self, measure: Measure) -> bool:
        """Whether assay has the measure."""
        measure.validate_params()
        if not type(measure).__module__.startswith("ir_measures.measures."):
            return False
        try:
            resolve([str(measure)], CONVENTION, {})
        except MeasureError:
            return False
        return True

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> AssayEvaluator:  # noqa: ANN401 - any form of qrels
        return AssayEvaluator(measures, qrels)


class AssayEvaluator(providers.Evaluator):
    """Judgments and measures, ready for runs."""

    def __init__(self, measures: Iterable[Measure], qrels: Any) -> None:  # noqa: ANN401 - any form of qrels
        judgments = as_read(qrels, QrelsConverter, QREL)
        names = list(map(str, measures := list(measures)))
        self.ready = None
        if len(judgments):
            # Iterations are groups.
            if not isinstance(judgments, dict):
                judgments = Qrels(judgments, duplicates=CONVENTION.policies.duplicates)
            self.ready = Scorer(make_plan(names, convention=CONVENTION.name), judgments)
        self.queries = [] if self.ready is None else self.ready.qrels.queries
        super().__init__(measures, self.queries)

    def iter_calc(self, run: Any) -> Iterator[Metric]:  # noqa: ANN401 - any form of run
        """The value of each measure for each query, if it is defined."""
        result = self.score(run)
        known = {} if result is None else result.per_query()
        for measure in self.measures:
            is_zero = result is None or measure.NAME in ONLY_PRESENT
            for query in self.queries:
                value = known[query][str(measure)] if query in known else math.nan
                if not math.isnan(value):
                    yield ir_measures.Metric(query, measure, value)
                elif is_zero and measure.NAME != "Accuracy":
                    yield ir_measures.Metric(query, measure, measure.DEFAULT)

    def score(self, run: Any) -> Result | None:  # noqa: ANN401 - any form of run
        """The result of a run, or None if it has no query in common with the judgments."""
        if self.ready is None:
            return None
        rows = as_read(run, RunConverter, SCORED)
        try:
            return self.ready.evaluate(rows)
        except MismatchError:
            return None
        except DataError:
            return None if len(rows) == 0 else self.ready.evaluate(finite_run(rows))


def finite_run(run: Any) -> Any:  # noqa: ANN401 - any form of run
    """The run with infinite scores replaced by finite ones. NaN stays, as providers rank it differently."""
    import polars

    if isinstance(run, dict):
        return finite_scores(run)
    frame = to_polars(run, None, judgments=False)
    score = find_columns(frame.columns, None, judgments=False, name="the frame")["value"]
    return frame.with_columns(polars.col(score).clip(-LARGEST, LARGEST)) if frame[score].dtype.is_float() else frame


def as_read(data: Any, converter: Any, fields: tuple[str, ...]) -> Any:  # noqa: ANN401 - any form of qrels or run
    """The data as assay reads it: any other form as a frame of the fields that all rows have."""
    if isinstance(data, dict) or is_frame(data):
        return data
    import polars

    rows = list(converter(data).as_namedtuple_iter())
    known = [field for field in fields if all(hasattr(row, field) for row in rows)]
    return polars.DataFrame({field: [getattr(row, field) for row in rows] for field in known}, strict=False)


assay = providers.register(AssayProvider())
DefaultPipeline = providers.FallbackProvider([assay, *ir_measures.DefaultPipeline.providers])
