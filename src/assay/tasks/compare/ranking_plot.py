"""Charts that need the rankings themselves: curves, scores by grade, the share judged, agreement of runs."""

from __future__ import annotations

from itertools import combinations_with_replacement
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import DataError
from assay.core.text import count
from assay.stats.rankings import PERSISTENCE, common_tau, rank_biased_overlap
from assay.tasks.compare.rescore import measures_at, named_measures, top_documents

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.core.measure import Measure
    from assay.render.charts import Chart
    from assay.tasks.compare.rescore import Read

CUTOFFS = range(1, 101)
RECALLS = tuple(level / 10 for level in range(11))
# Rankings are compared to this depth, on at most so many queries.
DEPTH = 100
MOST_QUERIES = 500


def plot_rankings(read: Read, kind: str, *, measure: str | Measure | None) -> Chart:
    """A chart of the rankings of one run or several."""
    first = read.first
    if measure is not None:
        key = first.key(measure)
    else:
        has_cutoff = (name for name in first.measures if "k" in first.measures[name].definition.parameters)
        key = next(has_cutoff, next(iter(first.measures))) if kind == "cutoff" else next(iter(first.measures))
    return RANKING_KINDS[kind](read, key)


def plot_precision_recall(read: Read, key: str) -> Chart:
    from assay.render.charts.curves import precision_recall

    levels = named_measures(read, key, [f"iprec@{recall:g}" for recall in RECALLS])
    curves = {run: list(zip(RECALLS, read.means(run, key, levels), strict=True)) for run in read.results}
    return precision_recall(curves, f"Means over {queries_of(read, key)} at 11 levels of recall.")


def plot_cutoff(read: Read, key: str) -> Chart:
    from assay.render.charts.curves import cutoff

    at = measures_at(read, key, CUTOFFS)
    curves = {run: list(zip(CUTOFFS, read.means(run, key, at), strict=True)) for run in read.results}
    return cutoff(curves, name_at(at[0]), f"Means over {queries_of(read, key)}, k = 1…{CUTOFFS[-1]}.{unanchored(read)}")


def plot_judged(read: Read, key: str) -> Chart:
    from assay.render.charts.curves import judged

    at = named_measures(read, key, [f"judged@{cutoff}" for cutoff in CUTOFFS])
    curves = {run: list(zip(CUTOFFS, read.means(run, key, at), strict=True)) for run in read.results}
    return judged(curves, f"Share of the first k documents with a judgment, mean over {queries_of(read, key)}.")


def plot_scores(read: Read, key: str) -> Chart:
    from assay.render.charts.boxes import Grade, scores

    groups = []
    for run in read.results:
        hits = read.hits(run, key)
        finite = hits.where(np.isfinite(hits.score))
        grades = np.unique(finite.grade).tolist()
        groups += [Grade(run, grade, finite.score[finite.grade == grade]) for grade in grades]
    if not groups:
        raise DataError("no judged document was retrieved with a score")
    documents = count(sum(len(each.scores) for each in groups), "judged document")
    words = f"Scores of {documents} retrieved for {queries_of(read, key)}. Boxes: the middle half with the median; "
    return scores(groups, f"{words}lines: from 5 to 95 % of the documents.")


def plot_runs(read: Read, _: str) -> Chart:
    from assay.render.charts.heatmaps import Grid, runs

    names = list(read.results)
    chosen, tops = top_documents(read, DEPTH, MOST_QUERIES)
    overlap, tau = np.full((2, len(names), len(names)), np.nan)
    for a, b in combinations_with_replacement(range(len(names)), 2):
        couples = list(zip(tops[names[a]], tops[names[b]], strict=True))
        overlap[a, b] = overlap[b, a] = mean([rank_biased_overlap(*each) for each in couples])
        tau[a, b] = tau[b, a] = mean([common_tau(*each) for each in couples])
    grids = [Grid(f"RBO, p = {PERSISTENCE:g}", names, overlap.tolist()), Grid("Kendall's tau", names, tau.tolist())]
    total = len(read.first.queries)
    over = count(len(chosen), "query", "queries")
    over = over if len(chosen) == total else f"{over}, evenly spaced among {total:,}"
    words = f"Means over {over}; the first {DEPTH} documents. RBO: overlap of two rankings, their top counting most; "
    return runs(grids, f"{words}tau: order of the documents in both.")


def mean(values: Sequence[float]) -> float:
    """The mean of the values that are defined."""
    known = [value for value in values if value == value]  # noqa: PLR0124 - NaN is not equal to itself
    return sum(known) / len(known) if known else float("nan")


def queries_of(read: Read, key: str) -> str:
    """How many queries have a value, in words."""
    numbers = sorted({result.counted(key) for result in read.results.values()})
    over = count(numbers[-1], "query", "queries")
    return over if len(numbers) == 1 else f"{numbers[0]:,} to {over}"


def name_at(measure: Measure) -> str:
    """The name of a measure with `k` as its cutoff.

    >>> import assay
    >>> name_at(assay.parse_measure("ndcg@1"))
    'ndcg@k'
    """
    return f"{str(measure).removesuffix('@1')}@k"


def unanchored(read: Read) -> str:
    return " Human labels are not used." if any(each.human for each in read.results.values()) else ""


RANKING_KINDS: dict[str, Callable[[Read, str], Chart]] = {
    "precision_recall": plot_precision_recall,
    "cutoff": plot_cutoff,
    "scores": plot_scores,
    "judged": plot_judged,
    "runs": plot_runs,
}
