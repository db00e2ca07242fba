"""Charts of compared runs: from pairs, results and ranks to the plain numbers that `render/charts` draws.

Curves, scores by grade, the share judged and the agreement of runs need the rankings themselves.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from itertools import combinations_with_replacement
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import find_convention, parse_measures
from assay.core.errors import MeasureError, NeedError
from assay.core.judged import Cutoffs, FloatArray, Judged
from assay.core.measure import AGGREGATES, Measure
from assay.core.text import count, show
from assay.engine.ranking import rebuild, repeat, select
from assay.results.plot import MeanRows, queries_in_words
from assay.results.results import select_queries, shared_queries
from assay.stats.agreement import PERSISTENCE, common_tau, rank_biased_overlap
from assay.stats.intervals import ROUNDING
from assay.stats.paired import TUKEY_TESTS
from assay.stats.significance import widened_interval
from assay.tasks.compare.ranks import run_of
from assay.tasks.compare.read import ScoredRuns
from assay.tasks.compare.verdict import in_favour
from assay.tasks.evaluate.score import is_blank

if TYPE_CHECKING:
    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice
    from assay.render.charts.systems import Difference
    from assay.stats.pairs import Pair
    from assay.tasks.compare.result import Comparison
    from assay.tasks.evaluate.api import Ranks

# A forest plot of more pairs has those of one run only.
MOST_PAIRS = 66
CUTOFFS = range(1, 101)
RECALLS = tuple(level / 10 for level in range(11))
# Rankings are compared to this depth, on at most so many queries.
DEPTH = 100
MOST_QUERIES = 500
# Hits that are measured at all cutoffs at once.
MOST_HITS = 1 << 14


def material(comparison: Comparison) -> dict[str, object]:
    """What charts of a comparison are drawn of, by need."""
    scored = ScoredRuns(comparison.results.results, comparison._ranks)  # noqa: SLF001 - its own
    return scored.material | {"means": partial(shared_mean_rows, comparison), "tests": comparison}


def shared_mean_rows(comparison: Comparison, measure: str | Measure | None) -> MeanRows:
    """The means of the comparison's table: over the queries with a value in every run, with their intervals."""
    from assay.render.charts.systems import Mean

    rows, counted = [], []
    for key in measures_of(comparison, measure):
        shared = shared_queries(comparison.results.results.values(), key)
        table = comparison._ordered_means(key)  # noqa: SLF001 - the numbers of its table
        for run, result in comparison.results.items():
            part = result if shared.all() else select_queries(result.only([key]), np.flatnonzero(shared).tolist())
            mean, low, high = part._numbers(key)  # noqa: SLF001 - the interval of its table
            # Two runs that human labels anchor have means of their own, which the interval is not about.
            is_own = mean is not None and math.isclose(mean, table[run], rel_tol=ROUNDING, abs_tol=ROUNDING)
            rows.append(Mean(run, key, table[run], *((low, high) if is_own else (None, None))))
            counted.append(part.counted(key))
    return rows, counted


def measures_of(comparison: Comparison, measure: str | Measure | None) -> list[str]:
    """The measures that were compared, or the one that is named."""
    compared = list(dict.fromkeys(pair.measure for pair in comparison.pairs))
    if measure is None:
        return compared
    key = next(iter(comparison.results.results.values())).key(measure)
    if key not in compared:
        raise MeasureError(f"{key} was not compared: it is one number for all queries")
    return [key]


def draw_differences(comparison: Comparison, choice: Choice) -> Chart:
    """A forest plot of the pairs: those of one measure if it is named, and of one run if it is."""
    from assay.render.charts.systems import differences

    keys, a, hidden = measures_of(comparison, choice.measure), choice.a, ""
    pairs = [pair for pair in comparison.pairs if pair.measure in keys]
    per_measure = len(pairs) // len(keys)
    if a is None and per_measure > MOST_PAIRS:
        a = next(iter(comparison._ordered_means(pairs[0].measure)))  # noqa: SLF001 - the order of its table
        hidden = f" Of {count(per_measure, 'pair')}, those with {show(a)}, the best run, are shown."
    if a is not None:
        comparison.results[a]
        pairs = [pair for pair in pairs if a in (pair.a, pair.b)]
    settings = comparison.settings
    tested = Counter(pair.measure for pair in comparison.pairs if not math.isnan(pair.p))
    sizes = dict.fromkeys(tested, tested.total()) if settings.family == "all" else tested
    rows = [difference_of(comparison, pair, a, sizes.get(pair.measure, 0)) for pair in pairs]
    level = f"{100 * (1 - settings.alpha):g} %"
    lines = f"Lines: {level} interval of each difference."
    if any(row.wide_low is not None for row in rows):
        lines = f"Thick lines: {level} interval of each difference; thin lines: widened for the number of comparisons."
    words = f"Over {comparison._counted()}. {lines} Filled: significant by the {settings.words}."  # noqa: SLF001 - the words of its table
    return differences(rows, words + hidden)


def difference_of(comparison: Comparison, pair: Pair, a: str | None, comparisons: int) -> Difference:
    """A pair as a row, with the interval widened for so many comparisons; seen from `a` if that is named."""
    from assay.render.charts.systems import Difference

    settings, winner = comparison.settings, comparison.winner(pair)
    is_corrected = comparisons > 1 and (settings.correction != "none" or settings.test in TUKEY_TESTS)
    is_wider = is_corrected and not math.isnan(pair.low)
    wide: tuple[float, ...] = widened_interval(pair, comparisons, settings.alpha) if is_wider else ()
    first, second = pair.a, pair.b
    if a == pair.b:
        first, second, wide = second, first, tuple(-end for end in reversed(wide))
    outcome = "same" if winner is None else "better" if winner == second else "worse"
    return Difference(pair.measure, first, second, *in_favour(pair, second), pair.p_corrected, outcome, *wide)


def draw_critical_difference(comparison: Comparison, choice: Choice) -> Chart:
    """Mean ranks of the runs over the queries with a value in all of them, and which differ significantly."""
    from scipy.stats import rankdata

    from assay.render.charts.systems import critical_difference

    if comparison.settings.baseline is not None:
        raise NeedError("a critical-difference diagram needs every pair of runs; compare without a baseline")
    key = measures_of(comparison, choice.measure)[0]
    results = comparison.results.results
    shared = shared_queries(results.values(), key)
    if not shared.any():
        raise NeedError(f"no query has a value of {key} in every run")
    scores = np.stack([each.scores[key][shared] for each in results.values()], axis=1)
    # 1 for the best; ties share the middle of their ranks.
    ranks = rankdata(-comparison._sign(key) * scores, axis=1).mean(axis=0).tolist()  # noqa: SLF001 - its own
    significant = [pair for pair in comparison.pairs if pair.measure == key and comparison.is_significant(pair)]
    different = {frozenset((pair.a, pair.b)) for pair in significant}
    words = f"Mean ranks over {count(int(shared.sum()), 'query', 'queries')}. A bar joins runs that do not differ "
    words += f"significantly by the {comparison.settings.words}."
    return critical_difference(dict(zip(results, ranks, strict=True)), different, key, words)


def draw_precision_recall(read: ScoredRuns, choice: Choice) -> Chart:
    """Interpolated precision at levels of recall."""
    from assay.render.charts.queries import precision_recall

    key = measure_of(read, choice)
    levels = {recall: assay_measure(read, key, f"iprec@{recall:g}") for recall in RECALLS}
    curves = {}
    for run in read.results:
        curves[run] = [(recall, means_at(read, run, key, each)[0]) for recall, each in levels.items()]
    return precision_recall(curves, f"Means over {queries_of(read, key)} at 11 levels of recall.")


def draw_cutoff(read: ScoredRuns, choice: Choice) -> Chart:
    """A measure at every cutoff; by default the first that has one."""
    from assay.render.charts.queries import cutoff

    cut = [name for name, each in read.first.measures.items() if "k" in each.definition.parameters]
    key = cut[0] if choice.measure is None and cut else measure_of(read, choice)
    base = ranks_of(read).scorer.plan.measures[key].measure
    if "k" not in base.definition.parameters or base.has_own_number:
        which = f"; this comparison has {', '.join(cut)}" if cut else ", such as ndcg@10"
        raise NeedError(f"{key} has no cutoff; name a measure that has one{which}")
    curves = {run: list(zip(CUTOFFS, means_at(read, run, key, base, CUTOFFS), strict=True)) for run in read.results}
    name = f"{str(Measure(base.definition, {**base.values, 'k': 1})).removesuffix('@1')}@k"
    human = " Human labels are not used." if any(each.human for each in read.results.values()) else ""
    return cutoff(curves, name, f"Means over {queries_of(read, key)}, k = 1…{CUTOFFS[-1]}.{human}")


def draw_judged(read: ScoredRuns, choice: Choice) -> Chart:
    """The share of the first k documents with a judgment."""
    from assay.render.charts.queries import judged

    key = measure_of(read, choice)
    share = assay_measure(read, key, "judged")
    curves = {run: list(zip(CUTOFFS, means_at(read, run, key, share, CUTOFFS), strict=True)) for run in read.results}
    return judged(curves, f"Share of the first k documents with a judgment, mean over {queries_of(read, key)}.")


def draw_scores(read: ScoredRuns, choice: Choice) -> Chart:
    from assay.render.charts.queries import Grade, scores

    key, groups = measure_of(read, choice), []
    for run, result in read.results.items():
        hits = judged_of(read, run, key).judged()
        # Of the queries for which the measure has a value.
        hits = hits.where(~np.isnan(result.scores[key])[hits.query] & np.isfinite(hits.score))
        groups += [Grade(run, each, hits.score[hits.grade == each]) for each in np.unique(hits.grade).tolist()]
    if not groups:
        raise NeedError("no judged document was retrieved with a score")
    documents = count(sum(len(each.scores) for each in groups), "judged document")
    words = f"Scores of {documents} retrieved for {queries_of(read, key)}. Boxes: the middle half with the median; "
    return scores(groups, f"{words}lines: from 5 to 95 % of the documents.")


def draw_runs(read: ScoredRuns, _: Choice) -> Chart:
    """How alike rankings are; the runs are read once more, and of many queries some are taken, evenly spaced."""
    from assay.render.charts.systems import Grid, runs

    names, total = list(read.results), len(read.first.queries)
    chosen = read.first.queries[:: max(1, -(-total // MOST_QUERIES))]
    tops = {name: first_documents(name, ranks_of(read), chosen) for name in names}
    overlap, tau = np.full((2, len(names), len(names)), np.nan)
    for a, b in combinations_with_replacement(range(len(names)), 2):
        couples = list(zip(tops[names[a]], tops[names[b]], strict=True))
        for grid, alike in ((overlap, rank_biased_overlap), (tau, common_tau)):
            known = [value for value in (alike(*each) for each in couples) if not math.isnan(value)]
            grid[a, b] = grid[b, a] = sum(known) / len(known) if known else math.nan
    grids = [Grid(f"RBO, p = {PERSISTENCE:g}", names, overlap.tolist()), Grid("Kendall's tau", names, tau.tolist())]
    over = count(len(chosen), "query", "queries")
    over += "" if len(chosen) == total else f", evenly spaced among {total:,}"
    words = f"Means over {over}; the first {DEPTH} documents. RBO: overlap of two rankings, their top counting most; "
    return runs(grids, f"{words}tau: order of the documents in both.")


def first_documents(name: str, ranks: Ranks, queries: Sequence[str]) -> list[list[str]]:
    """The first documents of each query, ties by id as trec_eval has them; none for a query that the run lacks."""
    if not ranks.can_read(name):
        raise NeedError(f"{show(name)} cannot be read again; give the run as a file or as data in memory")
    run = run_of(ranks.runs[name], ranks.format)
    known, found = set(run.queries), []
    for query in queries:
        ranking = run[query] if query in known else []
        if ranking and isinstance(ranking[0], tuple):
            ranking = [document for document, _ in sorted(ranking, key=lambda each: (each[1], each[0]), reverse=True)]
        found.append(list(dict.fromkeys(map(str, ranking[:DEPTH]))))
    return found


def measure_of(read: ScoredRuns, choice: Choice) -> str:
    return next(iter(read.first.measures)) if choice.measure is None else read.first.key(choice.measure)


def assay_measure(read: ScoredRuns, measure: str, name: str) -> Measure:
    """A measure by assay's own name, relevant from the same grade on as under the policies of another one."""
    rel = ranks_of(read).scorer.plan.measures[measure].policies.rel
    return next(iter(parse_measures([name], find_convention("assay"), rel).values()))


def queries_of(read: ScoredRuns, key: str) -> str:
    return queries_in_words(result.counted(key) for result in read.results.values())


def ranks_of(read: ScoredRuns) -> Ranks:
    """The ranks of the runs, which a chart of rankings is given."""
    assert read.ranks is not None  # noqa: S101 - what it is drawn of
    return read.ranks


def judged_of(read: ScoredRuns, run: str, measure: str) -> Judged:
    ranks = ranks_of(read)
    judged = ranks.judged[run, measure]
    places = np.array([ranks.scorer.qrels.number(query) for query in read.results[run].queries], dtype=np.int64)
    return rebuild(judged) if len(places) == judged.size else select(judged, places)


def means_at(
    read: ScoredRuns, run: str, measure: str, other: Measure, cutoffs: Sequence[int] | None = None
) -> list[float]:
    """The mean of another measure, at each cutoff if any, under the policies of one and over the queries it has."""
    ranks, judged = ranks_of(read), judged_of(read, run, measure)
    bound = other.bound(ranks.judged[run, measure])
    blank = is_blank(bound, judged, ranks.scorer.plan.measures[measure].policies)
    blank = blank | np.isnan(read.results[run].scores[measure])
    rows = [bound(judged)] if cutoffs is None else values_at(bound, judged, cutoffs)
    return [AGGREGATES[bound.definition.aggregate](np.where(blank, np.nan, row)) for row in rows]


def values_at(measure: Measure, judged: Judged, cutoffs: Sequence[int]) -> list[FloatArray]:
    """The values of a measure at each cutoff: all in one call where the measure and the number of hits allow."""
    # In the one call every query stands once per cutoff, each with its own. A measure that takes only one cutoff for
    # all fails there, or gives other values than on its own, which its first and last cutoff show.
    ends = {k: at(measure, k)(judged) for k in {cutoffs[0], cutoffs[-1]}}
    rows: list[FloatArray] = []
    if len(judged.hits.rank) * len(cutoffs) <= MOST_HITS:
        own = np.repeat(np.array(cutoffs, dtype=np.int64), judged.size).view(Cutoffs)
        every = repeat(judged, np.tile(np.arange(judged.size), len(cutoffs)))
        with suppress(MeasureError, IndexError, ValueError, TypeError):
            rows = np.split(at(measure, own)(every), len(cutoffs))
    found = dict(zip(cutoffs, rows, strict=False))
    if all(k in found and np.array_equal(found[k], values, equal_nan=True) for k, values in ends.items()):
        return rows
    return [ends[k] if k in ends else at(measure, k)(judged) for k in cutoffs]


def at(measure: Measure, k: Any) -> Measure:  # noqa: ANN401 - a cutoff, or one per query
    return Measure(measure.definition, {**measure.values, "k": k})
