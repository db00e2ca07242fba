"""A drop-in for pytrec_eval: replace `import pytrec_eval` with `from assay.compat import pytrec_eval`.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "P.5"})
>>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 2.0}})
{'q1': {'map': 0.5, 'P_5': 0.2}}

Results, keys and the handling of queries are those of pytrec_eval. Errors are of pytrec_eval's types, and AssayErrors
too. Where pytrec_eval crashes the interpreter, a ValueError is raised. Infinite scores rank first or last and tie with
each other. NaN is an error, because pytrec_eval ranks it in no defined order.
"""

import operator
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from assay.conventions import expand_as_printed, find_convention
from assay.conventions.prepare import bounded
from assay.conventions.tools.trec_eval import TEXTS, TREC_EVAL, nicknames_with_texts, with_texts
from assay.core.errors import AssayError, DataError, DuplicateError, FormatError, MeasureError
from assay.core.judged import FloatArray
from assay.core.measure import SMALLEST_AVERAGE, Measure
from assay.core.text import show
from assay.results.result import Result
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

CONVENTION = find_convention("trec_eval_9")
ORDER = with_texts(CONVENTION.names)
# For preferences and judges, pytrec_eval only knows the nicknames, which are those of version 10.
NICKNAMES = nicknames_with_texts({**TREC_EVAL.nicknames, **CONVENTION.nicknames})

supported_measures: set[str] = set(ORDER)
supported_nicknames: dict[str, set[str]] = {nickname: set(names) for nickname, names in NICKNAMES.items()}
NOT_DOCUMENTS = "Expected mapping of document id to query relevance or matching score."
NOT_SCORES = "Unable to extract query/object scores."
PARAMETERS = r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)"


class ArgumentError(AssayError, TypeError):
    """An argument has the wrong type; pytrec_eval raises a TypeError."""


class RepeatError(DuplicateError, AssertionError):
    """A query lists a document twice; pytrec_eval raises an AssertionError."""


class RelevanceEvaluator:
    """Judgments and measures, prepared once for many runs."""

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
    ) -> None:
        level = check_level(relevance_level)
        self.columns = choose_columns(measures, level)
        judgments = {query: grades for query, grades in query_relevance.items() if len(grades)}
        check_types(judgments, str, "Expected string as key.")
        check_types(judgments.values(), dict, "Expected dictionary as value.")
        check_types(chain.from_iterable(judgments.values()), str, NOT_DOCUMENTS)
        grades: Iterable[object] = chain.from_iterable(map(dict.values, judgments.values()))  # type: ignore[arg-type]
        check_types(grades, int, "Expected relevance to be integer.")
        self.queries = judgments.keys()
        # These two counts show where trec_eval divides 0 by 0.
        names: list[str | Measure] = ["num_ret", "num_rel"]
        names += (each for each in self.columns.values() if each is not None)
        plan = make_plan(names, convention="trec_eval_9", rel=level, judged_only=bool(judged_docs_only_flag))
        self.evaluator = Scorer(plan, judgments) if judgments else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The value of each measure for each query that both the judgments and the run have."""
        if not scores:
            return {}
        check_types([scores], dict, "Argument object scores should be of type dictionary.")
        check_types(scores, str, NOT_SCORES)
        check_types(scores.values(), dict, NOT_SCORES)
        # Only the first document of each query: checking all of them would take longer than the evaluation.
        check_types((next(iter(each), "") for each in scores.values()), str, NOT_SCORES)
        if self.evaluator is None or self.queries.isdisjoint(scores):
            return {}
        try:
            result = self.evaluator.evaluate(scores)
        except DataError:
            check_scores(scores)
            result = self.evaluator.evaluate(finite_scores(scores))
        names = list(self.columns)
        values = [measure_column(result, each).tolist() for each in self.columns.values()]
        by_row = zip(*values, strict=True) if values else [()] * len(result.queries)
        rows = {query: dict(zip(names, row, strict=True)) for query, row in zip(result.queries, by_row, strict=True)}
        return {query: rows[query] for query in scores if query in rows}


def choose_columns(measures: Iterable[str], level: int) -> dict[str, Measure | None]:
    """The measures by the keys of the results, in order; None for texts, which have a meaningless number, mostly 0."""
    combined: dict[str, set[str]] = {}
    for name in measures:
        for each in supported_nicknames.get(name, {name}):
            base, parameters = each, ""
            if each not in supported_measures:
                found = (re.match(f"({re.escape(base)}){PARAMETERS}", each) for base in supported_measures)
                if (match := next(filter(None, found), None)) is None:
                    raise MeasureError(f"unsupported measure {each}")
                base, parameters = match.groups()
            combined.setdefault(base, set()).update(parameters.split(",") if parameters else ())
    columns: dict[str, Measure | None] = {}
    for base in sorted(combined, key=ORDER.index):
        columns.update(dict.fromkeys([base]) if base in TEXTS else make_columns(base, sorted(combined[base]), level))
    return columns


def make_columns(base: str, parameters: list[str], level: int) -> dict[str, Measure | None]:
    """The measures of one of trec_eval's names, by the keys of the results."""
    entry = CONVENTION.names[base]
    if base == "set_F":
        parameters = parameters[:1]
    takes_some = entry.cutoffs or entry.options
    name = f"{base}.{','.join(parameters)}" if parameters and takes_some else base
    try:
        found = expand_as_printed(name, CONVENTION, {"rel": level}) or {}
    except MeasureError as error:
        raise MeasureError(f"unsupported measure {name}: {error}") from error
    return {key: chosen.measure for key, chosen in found.items()}


def check_level(level: object) -> int:
    """The relevance level as a Python integer, also from NumPy's; anything else raises what pytrec_eval raises."""
    try:
        whole = operator.index(level)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError("Expected object_relevance_per_qid dictionary and measures set.") from None
    if whole < 1:
        raise ArgumentError("Argument relevance_level should be positive.")
    return whole


def check_types(values: Iterable[object], kind: type, message: str) -> None:
    """Raises what pytrec_eval raises if some values are of another type; by their types, as that is fast."""
    if not all(issubclass(each, kind) for each in set(map(type, values))):
        raise ArgumentError(message)


def check_scores(scores: Mapping[str, Mapping[str, float]]) -> None:
    """Raises for ids and scores of the wrong type, as pytrec_eval does, and for NaN."""
    for query, ranking in scores.items():
        for document, score in ranking.items():
            if not (isinstance(document, str) and isinstance(score, (int, float))):
                raise ArgumentError(NOT_SCORES)
            if score != score:  # noqa: PLR0124 - only NaN differs from itself
                place = f"ranking of query {show(query)}, document {show(document)}"
                raise FormatError(f"{place}: the score is NaN, which pytrec_eval ranks in no defined order")


def finite_scores(run: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """The run with infinite scores replaced by the largest finite ones, and bools by numbers. NaN stays."""
    return {
        query: {doc: int(score) if isinstance(score, bool) else bounded(score) for doc, score in ranking.items()}
        for query, ranking in run.items()
    }


def measure_column(result: Result, measure: Measure | None) -> FloatArray:
    """The values of a measure as pytrec_eval returns them, one per query."""
    if measure is None:
        return np.zeros(len(result.queries))
    scores = result.scores[str(measure)]
    if measure.definition.aggregate == "geometric":
        return np.log(np.maximum(scores, SMALLEST_AVERAGE))
    points = measure.values.get("recalls", (measure.values.get("recall"),))
    if None in points:
        return scores
    # An empty ranking has precision 0/0, which trec_eval gives to the recall points that need no document.
    asked = np.floor(min(points) * result.scores["num_rel"] + 0.9)
    return np.where((result.scores["num_ret"] == 0) & (asked == 0), np.nan, scores)


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """Aggregates the values of a measure: a sum for counts, a geometric mean for `gm_…`, else the mean."""
    if measure.startswith("num_"):
        return float(np.sum(values))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(values) / len(values)))
    return float(np.mean(values))


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """The lines of a TREC run as `{query: {document: score}}`.

    >>> dict(parse_run(["q1 Q0 d1 1 2.5 tag"]))
    {'q1': {'d1': 2.5}}
    """
    return parse_trec_lines(f_run, "query Q0 document rank score tag", 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The lines of TREC judgments as `{query: {document: grade}}`.

    >>> dict(parse_qrel(["q1 0 d1 2"]))
    {'q1': {'d1': 2}}
    """
    return parse_trec_lines(f_qrel, "query 0 document grade", 3, int)


def parse_trec_lines(lines: Iterable[str], fields: str, place: int, number: type) -> dict[str, dict[str, Any]]:
    """The lines as a dict of dicts; the number is the field at `place`."""
    count = len(fields.split())
    result: dict[str, dict[str, Any]] = defaultdict(dict)
    for row, line in enumerate(lines, start=1):
        parts = line.split()
        if len(parts) != count:
            raise FormatError(f"line {row}: expected {count} fields ({fields}), found {len(parts)}: {show(line)}")
        query = result[parts[0]]
        if parts[2] in query:
            raise RepeatError(f"line {row}: query {show(parts[0])} lists {show(parts[2])} twice")
        try:
            query[parts[2]] = number(parts[place])
        except ValueError as error:
            raise FormatError(f"line {row}: {show(parts[place])} is not a number; expected {fields}") from error
    return result
