"""Runs that were read, looked at again: other measures of the same hits, their scores, their first documents."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.conventions import find_convention, parse_measures
from assay.core.errors import DataError, MeasureError
from assay.core.measure import AGGREGATES, Measure
from assay.core.text import show
from assay.data.run import Run
from assay.engine.local import rebuild, select
from assay.tasks.evaluate.score import is_blank

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.core.judged import FloatArray, Hits, Judged
    from assay.results.result import Result
    from assay.tasks.compare.ranks import Ranks


class Read(NamedTuple):
    """Runs that were read: their results, and the ranks of their judged documents."""

    results: Mapping[str, Result]
    ranks: Ranks

    @property
    def first(self) -> Result:
        return next(iter(self.results.values()))

    def judged(self, run: str, measure: str) -> Judged:
        """The hits of a run under the policies of a measure, for the queries of its result."""
        judged = self.ranks.judged[run, measure]
        number = self.ranks.scorer.qrels.number
        places = np.array([number(query) for query in self.results[run].queries], dtype=np.int64)
        return rebuild(judged) if len(places) == judged.size else select(judged, places)

    def hits(self, run: str, measure: str) -> Hits:
        """The hits of the queries for which the measure has a value."""
        hits = self.judged(run, measure).judged()
        return hits.where(~np.isnan(self.results[run].scores[measure])[hits.query])

    def means(self, run: str, measure: str, others: Sequence[Measure]) -> list[float]:
        """The means of other measures, under the policies of one, over the queries for which that one has a value."""
        policies = self.ranks.scorer.measures[measure].policies
        judged, whole = self.judged(run, measure), self.ranks.judged[run, measure]
        undefined = np.isnan(self.results[run].scores[measure])
        means = []
        for each in others:
            bound = each.bound(whole)
            blank = undefined | is_blank(bound, judged, policies)
            values: FloatArray = np.where(blank, np.nan, bound(judged))
            means.append(AGGREGATES[bound.definition.aggregate](values))
        return means


def measures_at(read: Read, measure: str, cutoffs: Sequence[int]) -> list[Measure]:
    """A measure at other cutoffs."""
    base = read.ranks.scorer.measures[measure].measure
    if "k" not in base.definition.parameters or base.has_own_number:
        cut = [name for name in read.first.measures if "k" in read.first.measures[name].definition.parameters]
        which = f"; this comparison has {', '.join(cut)}" if cut else ", such as ndcg@10"
        raise MeasureError(f"{measure} has no cutoff; name a measure that has one{which}")
    return [Measure(base.definition, {**base.values, "k": cutoff}) for cutoff in cutoffs]


def named_measures(read: Read, measure: str, names: Sequence[str]) -> list[Measure]:
    """Measures by assay's own names, relevant from the same grade on as under the policies of another one."""
    rel = read.ranks.scorer.measures[measure].policies.rel
    return list(parse_measures(names, find_convention("assay"), rel).values())


def top_documents(read: Read, depth: int, most: int) -> tuple[list[str], dict[str, list[list[str]]]]:
    """The first documents of some queries in each run, ties by id as trec_eval has them; evenly spaced if many.

    The runs are read once more.
    """
    queries = read.first.queries
    step = max(1, -(-len(queries) // most))
    chosen = queries[::step]
    return chosen, {
        name: first_documents(name, run, read.ranks.format, chosen, depth) for name, run in read.ranks.runs.items()
    }


def first_documents(
    name: str, data: object, format_: str | None, queries: Sequence[str], depth: int
) -> list[list[str]]:
    """The first documents of each query; none for a query that the run lacks."""
    if isinstance(data, Iterator) or callable(getattr(data, "read", None)):
        raise DataError(f"{show(name)} cannot be read again; give the run as a file or as data in memory")
    run = data if isinstance(data, Run) else Run(data, format=format_)
    known = set(run.queries)
    found = []
    for query in queries:
        ranking = run[query] if query in known else []
        if ranking and isinstance(ranking[0], tuple):
            ranking = [document for document, _ in sorted(ranking, key=lambda each: (each[1], each[0]), reverse=True)]
        found.append(list(dict.fromkeys(map(str, ranking[:depth]))))
    return found
