"""Charts of compared runs: from pairs, results and ranks to the plain numbers that `render/charts` draws."""

from __future__ import annotations

import math
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import MeasureError, NeedError
from assay.core.text import count, show
from assay.results.align import select_queries, shared_queries
from assay.stats.intervals import ROUNDING
from assay.stats.significance import widened_interval
from assay.stats.tukey import TUKEY_TESTS
from assay.tasks.compare.read import ScoredRuns

if TYPE_CHECKING:
    from assay.core.measure import Measure
    from assay.render.charts import Chart
    from assay.render.charts.differences import Difference
    from assay.render.charts.kinds import Choice
    from assay.results.plot import MeanRows
    from assay.stats.pairs import Pair
    from assay.tasks.compare.result import Comparison

# A forest plot of more pairs has those of one run only.
MOST_PAIRS = 66


def material(comparison: Comparison) -> dict[str, object]:
    """What charts of a comparison are drawn of, by need."""
    results, ranks = comparison.results.results, comparison._ranks  # noqa: SLF001 - its own
    has: dict[str, object] = {"means": partial(shared_mean_rows, comparison), "scores": results, "tests": comparison}
    return has if ranks is None else has | {"rankings": ScoredRuns(results, ranks)}


def shared_mean_rows(comparison: Comparison, measure: str | Measure | None) -> MeanRows:
    """The means of the comparison's table: over the queries with a value in every run, with their intervals."""
    from assay.render.charts.means import Mean

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
    from assay.render.charts.differences import differences

    keys, a = measures_of(comparison, choice.measure), choice.a
    pairs = [pair for pair in comparison.pairs if pair.measure in keys]
    per_measure = len(pairs) // len(keys)
    hidden = ""
    if a is None and per_measure > MOST_PAIRS:
        a = next(iter(comparison._ordered_means(pairs[0].measure)))  # noqa: SLF001 - the order of its table
        hidden = f" Of {count(per_measure, 'pair')}, those with {show(a)}, the best run, are shown."
    if a is not None:
        comparison.results[a]
        pairs = [pair for pair in pairs if a in (pair.a, pair.b)]
    sizes = family_sizes(comparison)
    rows = [difference_of(comparison, pair, a, sizes[pair.measure]) for pair in pairs]
    is_wide = any(row.wide_low is not None for row in rows)
    return differences(rows, differences_caption(comparison, is_wide=is_wide) + hidden)


def difference_of(comparison: Comparison, pair: Pair, a: str | None, comparisons: int) -> Difference:
    """A pair as a row of the plot; seen from `a` if that is named."""
    from assay.render.charts.differences import Difference

    winner = comparison.winner(pair)
    outcome = "same" if winner is None else "better" if winner == pair.b else "worse"
    wide = wide_interval(comparison, pair, comparisons)
    row = Difference(
        pair.measure, pair.a, pair.b, pair.difference, pair.low, pair.high, pair.p_corrected, outcome, *wide
    )
    if a != pair.b:
        return row
    turned = {"better": "worse", "worse": "better", "same": "same"}[outcome]
    wide = (None, None) if wide[0] is None or wide[1] is None else (-wide[1], -wide[0])
    return Difference(pair.measure, pair.b, pair.a, -row.difference, -row.high, -row.low, row.p, turned, *wide)


def family_sizes(comparison: Comparison) -> dict[str, int]:
    """How many comparisons the correction of each measure is over."""
    tested = Counter(pair.measure for pair in comparison.pairs if not math.isnan(pair.p))
    is_whole = comparison.settings.family == "all"
    return {pair.measure: tested.total() if is_whole else tested[pair.measure] for pair in comparison.pairs}


def wide_interval(comparison: Comparison, pair: Pair, comparisons: int) -> tuple[float | None, float | None]:
    """The interval widened for so many comparisons; nothing if there is one, or no correction."""
    settings = comparison.settings
    is_corrected = settings.correction != "none" or settings.test in TUKEY_TESTS
    if comparisons <= 1 or not is_corrected or math.isnan(pair.low):
        return None, None
    return widened_interval(pair, comparisons, settings.alpha)


def differences_caption(comparison: Comparison, *, is_wide: bool) -> str:
    """How many queries, what the lines are, and which test."""
    level = f"{100 * (1 - comparison.settings.alpha):g} %"
    lines = f"Thick lines: {level} interval of each difference; thin lines: widened for the number of comparisons."
    if not is_wide:
        lines = f"Lines: {level} interval of each difference."
    queries = comparison._counted()  # noqa: SLF001 - the words of its table
    return f"Over {queries}. {lines} Filled: significant by the {comparison.settings.words}."


def draw_critical_difference(comparison: Comparison, choice: Choice) -> Chart:
    """Mean ranks of the runs over the queries with a value in all of them, and which differ significantly."""
    from assay.render.charts.ranks import critical_difference

    if comparison.settings.baseline is not None:
        raise NeedError("a critical-difference diagram needs every pair of runs; compare without a baseline")
    key = measures_of(comparison, choice.measure)[0]
    results = comparison.results.results
    shared = shared_queries(results.values(), key)
    if not shared.any():
        raise NeedError(f"no query has a value of {key} in every run")
    ranks = mean_ranks(np.stack([each.scores[key][shared] for each in results.values()], axis=1), comparison._sign(key))  # noqa: SLF001 - its own
    different = {
        frozenset((pair.a, pair.b))
        for pair in comparison.pairs
        if pair.measure == key and comparison.is_significant(pair)
    }
    queries = count(int(shared.sum()), "query", "queries")
    words = f"Mean ranks over {queries}. A bar joins runs that do not differ significantly by the "
    words += f"{comparison.settings.words}."
    return critical_difference(dict(zip(results, ranks, strict=True)), different, key, words)


def mean_ranks(scores: np.ndarray[tuple[int, int], np.dtype[np.float64]], sign: int) -> list[float]:
    """The mean rank of each column over the rows, 1 for the best; ties share the middle of their ranks.

    >>> mean_ranks(np.array([[0.5, 0.9, 0.5], [0.1, 0.2, 0.3]]), 1)
    [2.75, 1.5, 1.75]
    """
    from scipy.stats import rankdata

    found: list[float] = rankdata(-sign * scores, axis=1).mean(axis=0).tolist()
    return found
