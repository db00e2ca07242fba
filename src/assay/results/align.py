"""Results side by side: the same queries in the same order, and the same measures computed alike."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import measure_names
from assay.core.errors import MismatchError
from assay.core.measure import Measure
from assay.stats.pairs import is_complete

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from assay.core.judged import BoolArray, FloatArray
    from assay.results.result import Result


def align_by_query(result: Result, queries: list[str]) -> Result:
    """The result with its queries in this order, scores and statistics with them; unchanged if its queries differ."""
    if result.queries == queries or sorted(result.queries) != sorted(queries):
        return result
    places = {query: place for place, query in enumerate(result.queries)}
    # Summing in another order may change the last digit; the number of a result does not change.
    return replace(select_queries(result, [places[query] for query in queries]), _means=result.mean)


def select_queries(result: Result, places: Sequence[int]) -> Result:
    """The result with the queries at these places, in this order."""
    return change_columns(result, [result.queries[place] for place in places], lambda column: column[list(places)])


def spread_to_queries(result: Result, queries: list[str]) -> Result:
    """The result with a row for each of these queries, NaN for those that it does not have; its numbers are kept."""
    places = {query: place for place, query in enumerate(result.queries)}
    found = {row: places[query] for row, query in enumerate(queries) if query in places}

    def spread(values: FloatArray) -> FloatArray:
        wide = np.full((len(queries), *values.shape[1:]), np.nan)
        wide[list(found)] = values[list(found.values())]
        return wide

    return replace(change_columns(result, queries, spread), _means=result.mean)


def change_columns(result: Result, queries: list[str], change: Callable[[FloatArray], FloatArray]) -> Result:
    """The result with other queries and columns changed to match; its numbers are computed again."""
    columns: dict[str, Any] = {
        kind: {name: change(column) for name, column in getattr(result, kind).items()}
        for kind in ("scores", "statistics", "human", "noise")
    }
    return replace(result, queries=queries, **columns, _means={}, _intervals={}, _ranks=None)


def align_measures(results: Mapping[str, Result], measures: str | Iterable[str | Measure] | None) -> dict[str, Result]:
    """The results with these measures only, or with those of the first; raises unless all computed them alike."""
    first = next(iter(results.values()))
    wanted = list(first.measures) if measures is None else measure_names(measures)
    keys = [str(each) if isinstance(each, (str, Measure)) else first.key(each) for each in wanted]
    selected = {name: result.only(keys) for name, result in results.items()}
    first = next(iter(selected.values()))
    for key in keys:
        for other in selected.values():
            check_computed_alike(key, first, other)
    return selected


def check_computed_alike(key: str, first: Result, other: Result) -> None:
    """Raises unless a measure was computed in the same way in both results."""
    measures = [each.measures[each.key(key)] for each in (first, other)]
    policies = [each.policies_of(key) for each in (first, other)]
    if measures[0] != measures[1]:
        how = [each.full_name for each in measures]
    elif policies[0] != policies[1]:
        how = [policies[0].differing(policies[1]), policies[1].differing(policies[0])]
    elif measures[0].definition.of == "rankings" and first.matching != other.matching:
        how = [" ".join(each.matching) or "gold known by ids" for each in (first, other)]
    elif measures[0].definition.of == "judged" and first.judge != other.judge:
        how = [each.judge or "no judge" for each in (first, other)]
    else:
        rule: Any
        for rule in (each.doc_id for each in policies):
            if rule is not None and rule.is_forgotten:
                raise MismatchError(
                    f"{key}: the stored result has doc_id={rule}, and it is not known which function that was; "
                    "evaluate again with a rule, such as before:#, or with a function that has a name"
                )
        return
    said = f"{how[0]} in one result, {how[1]} in the other"
    raise MismatchError(f"{key} was not computed alike: {said}; compute both the same way")


def shared_queries(results: Iterable[Result], key: str) -> BoolArray:
    """The queries for which all results have a finite value; a result without any finite value does not count."""
    columns = np.stack([each.scores[key] for each in results], axis=1)
    has_any = np.isfinite(columns).any(axis=0)
    return is_complete(columns[:, has_any] if has_any.any() else columns)


def shared_means(results: Iterable[Result], key: str) -> list[float]:
    """The mean of each result, or its other aggregate, over the queries for which all have a value."""
    every = list(results)
    shared = shared_queries(every, key)
    places = np.flatnonzero(shared).tolist()
    return [each[key] if shared.all() else select_queries(each, places)[key] for each in every]
