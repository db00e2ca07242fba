"""A stand-in for pytrec_eval: `from assay.compat import pytrec_eval` is the whole change in a program that uses it.

>>> evaluator = RelevanceEvaluator({"q1": {"d1": 1, "d2": 0}}, {"map", "P.5"})
>>> evaluator.evaluate({"q1": {"d1": 1.0, "d2": 2.0}})
{'q1': {'map': 0.5, 'P_5': 0.2}}

Its results, its keys and what it makes of queries are those of pytrec_eval. Its errors are of pytrec_eval's types, and
AssayErrors too. Where pytrec_eval ends the interpreter, a ValueError is raised. Infinite scores stand first or last,
and several of them tie. NaN is an error: pytrec_eval puts such a document in no defined place.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.compat._scores import finite, is_nan
from assay.compat.pytrec_eval_names import choose_columns, supported_measures, supported_nicknames
from assay.core.errors import AssayError, DataError, DuplicateError, FormatError
from assay.core.measure import SMALLEST_AVERAGE
from assay.core.text import show
from assay.tasks.evaluate.api import Evaluator

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.core.judged import FloatArray
    from assay.core.measure import Measure
    from assay.results.result import Result

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]


class ArgumentError(AssayError, TypeError):
    """An argument is of a wrong type; pytrec_eval raises a TypeError."""


class RepeatError(DuplicateError, AssertionError):
    """A query lists a document again; pytrec_eval raises an AssertionError."""


class RelevanceEvaluator:
    """Judgments and measures made ready once, for many runs."""

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
        if not are_plain(judgments):
            for query, grades in judgments.items():
                check_judgments(query, grades)
        self.queries = judgments.keys()
        # Two counts that tell where trec_eval divides 0 by 0.
        names: list[str | Measure] = ["num_ret", "num_rel"]
        names += (each for each in self.columns.values() if each is not None)
        options = {"rel": level, "judged_only": bool(judged_docs_only_flag)}
        self.evaluator = Evaluator(judgments, names, convention="trec_eval_9", **options) if judgments else None

    def evaluate(self, scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
        """The value of each measure for each query that both the judgments and the run have."""
        if not scores:
            return {}
        if not isinstance(scores, dict):
            raise ArgumentError("Argument object scores should be of type dictionary.")
        is_plain = set(map(type, scores)) <= {str} and set(map(type, scores.values())) <= {dict}
        pairs = () if is_plain else scores.items()
        if not all(isinstance(query, str) and isinstance(each, dict) for query, each in pairs):
            raise ArgumentError("Unable to extract query/object scores.")
        # The first document of each query tells; to look at all of them would take longer than to evaluate them.
        if not all(isinstance(next(iter(each), ""), str) for each in scores.values()):
            raise ArgumentError("Unable to extract query/object scores.")
        if self.evaluator is None or self.queries.isdisjoint(scores):
            return {}
        try:
            result = self.evaluator.evaluate(scores)
        except DataError:
            check_scores(scores)
            result = self.evaluator.evaluate(finite(scores))
        return self.rows(result, scores)

    def rows(self, result: Result, scores: Mapping[str, object]) -> dict[str, dict[str, float]]:
        """The result as dicts, its queries in the order of the run."""
        names = list(self.columns)
        values = [column(result, each).tolist() for each in self.columns.values()]
        by_row = zip(*values, strict=True) if values else [()] * len(result.queries)
        rows = {query: dict(zip(names, row, strict=True)) for query, row in zip(result.queries, by_row, strict=True)}
        return {query: rows[query] for query in scores if query in rows}


def check_level(level: object) -> int:
    """The level of relevance as Python's integer: NumPy's will do, and what is none raises what pytrec_eval raises."""
    try:
        whole = operator.index(level)  # type: ignore[arg-type]
    except TypeError:
        raise ArgumentError("Expected object_relevance_per_qid dictionary and measures set.") from None
    if whole < 1:
        raise ArgumentError("Argument relevance_level should be positive.")
    return whole


def are_plain(judgments: Mapping[str, Mapping[str, int]]) -> bool:
    """Whether all judgments are dicts of strings and integers, told by their types alone."""
    keys, values = set(map(type, judgments)), set(map(type, judgments.values()))
    if not (keys <= {str} and values <= {dict}):
        return False
    every = judgments.values()
    documents = set(map(type, chain.from_iterable(every)))
    grades = set(map(type, chain.from_iterable(map(dict.values, every))))  # type: ignore[arg-type]
    return documents <= {str} and grades <= {int}


def check_judgments(query: object, grades: object) -> None:
    """Raises what pytrec_eval raises for judgments of a wrong type."""
    if not isinstance(query, str):
        raise ArgumentError("Expected string as key.")
    if not isinstance(grades, dict):
        raise ArgumentError("Expected dictionary as value.")
    if not all(issubclass(kind, str) for kind in set(map(type, grades))):
        raise ArgumentError("Expected mapping of document id to query relevance or matching score.")
    if not all(issubclass(kind, int) for kind in set(map(type, grades.values()))):
        raise ArgumentError("Expected relevance to be integer.")


def check_scores(scores: Mapping[str, Mapping[str, float]]) -> None:
    """Raises for what has no place in a ranking: ids and scores of a wrong type, as pytrec_eval does, and NaN."""
    for query, ranking in scores.items():
        for document, score in ranking.items():
            if not (isinstance(document, str) and isinstance(score, (int, float))):
                raise ArgumentError("Unable to extract query/object scores.")
            if is_nan(score):
                place = f"ranking of query {show(query)}, document {show(document)}"
                raise FormatError(f"{place}: the score is NaN, and pytrec_eval ranks that in no defined order")


def column(result: Result, measure: Measure | None) -> FloatArray:
    """The values of a measure as pytrec_eval gives them, one a query."""
    if measure is None:
        return np.zeros(len(result.queries))
    scores = result.scores[str(measure)]
    if measure.definition.aggregate == "geometric":
        return np.log(np.maximum(scores, SMALLEST_AVERAGE))
    points = measure.values.get("recalls", (measure.values.get("recall"),))
    if None in points:
        return scores
    # Nothing retrieved has no precision, and trec_eval gives it to the points of recall that ask for no document.
    asked = np.floor(min(points) * result.scores["num_rel"] + 0.9)
    return np.where((result.scores["num_ret"] == 0) & (asked == 0), np.nan, scores)


def compute_aggregated_measure(measure: str, values: Sequence[float]) -> float:
    """The one number of a measure's values: a sum for counts, a geometric mean for `gm_…`, else the mean."""
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
    return parse(f_run, "query Q0 document rank score tag", 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """The lines of TREC judgments as `{query: {document: grade}}`.

    >>> dict(parse_qrel(["q1 0 d1 2"]))
    {'q1': {'d1': 2}}
    """
    return parse(f_qrel, "query 0 document grade", 3, int)


def parse(lines: Iterable[str], fields: str, place: int, number: type) -> dict[str, dict[str, Any]]:
    """The lines as a dict of dicts; `place` is that of the number among the fields."""
    count = len(fields.split())
    result: dict[str, dict[str, Any]] = defaultdict(dict)
    for row, line in enumerate(lines, start=1):
        parts = line.split()
        if len(parts) != count:
            raise FormatError(f"line {row}: expected {count} fields ({fields}), found {len(parts)}: {show(line)}")
        query = result[parts[0]]
        if parts[2] in query:
            raise RepeatError(f"line {row}: query {show(parts[0])} lists {show(parts[2])} again")
        try:
            query[parts[2]] = number(parts[place])
        except ValueError as error:
            raise FormatError(f"line {row}: {show(parts[place])} is not a number; expected {fields}") from error
    return result
