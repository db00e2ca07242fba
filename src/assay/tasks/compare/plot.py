"""Charts of a comparison: from its pairs, results and ranks to the plain numbers that `render/charts` draws."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import DataError
from assay.core.text import count, show
from assay.render.charts.kinds import refuse
from assay.results.plot import plot_results

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.measure import Measure
    from assay.render.charts import Chart
    from assay.render.charts.differences import Difference
    from assay.stats.pairs import Pair
    from assay.tasks.compare.result import Comparison

# A forest plot of more pairs has those of one run only.
MOST_PAIRS = 66


def plot_comparison(
    comparison: Comparison, kind: str, *, measure: str | Measure | None, a: str | None, b: str | None
) -> Chart:
    """A chart of a comparison."""
    results = comparison.results.results
    kinds: dict[str, Callable[[], Chart]] = {
        "means": lambda: plot_results(results, "means", measure=measure, a=a, b=b),
        "differences": lambda: plot_differences(comparison, measure, a),
        "queries": lambda: plot_results(results, "queries", measure=measure, a=a, b=b),
        "scatter": lambda: plot_results(results, "scatter", measure=measure, a=a, b=b),
    }
    if kind not in kinds:
        refuse(kind, kinds, "a comparison")
    return kinds[kind]()


def plot_differences(comparison: Comparison, measure: str | Measure | None, a: str | None) -> Chart:
    """A forest plot of the pairs: those of one measure if it is named, and of one run if it is."""
    from assay.render.charts.differences import differences

    first = next(iter(comparison.results.results.values()))
    key = None if measure is None else first.key(measure)
    pairs = [pair for pair in comparison.pairs if key in (None, pair.measure)]
    hidden = ""
    per_measure = len(pairs) // max(1, len({pair.measure for pair in pairs}))
    if a is None and per_measure > MOST_PAIRS:
        a = next(iter(comparison._ordered_means(pairs[0].measure)))  # noqa: SLF001 - the order of its table
        hidden = f" Of {count(per_measure, 'pair')}, those with {show(a)} are shown, the best run."
    if a is not None:
        if a not in comparison.results.results:
            raise DataError(f"unknown run {show(a)}; the runs are {', '.join(map(show, comparison.results))}")
        pairs = [pair for pair in pairs if a in (pair.a, pair.b)]
    rows = [difference_of(comparison, pair, a) for pair in pairs]
    return differences(rows, differences_caption(comparison) + hidden)


def difference_of(comparison: Comparison, pair: Pair, a: str | None) -> Difference:
    """A pair as a row of the plot; seen from `a` if that is named."""
    from assay.render.charts.differences import Difference

    winner = comparison.winner(pair)
    if a == pair.b:
        outcome = "same" if winner is None else "better" if winner == pair.a else "worse"
        turned = (-pair.difference, -pair.high, -pair.low)
        return Difference(pair.measure, pair.b, pair.a, *turned, pair.p_corrected, outcome)
    outcome = "same" if winner is None else "better" if winner == pair.b else "worse"
    return Difference(pair.measure, pair.a, pair.b, pair.difference, pair.low, pair.high, pair.p_corrected, outcome)


def differences_caption(comparison: Comparison) -> str:
    """How many queries, what the lines are, and which test."""
    level = f"{1 - comparison.settings.alpha:.4g}"
    queries = comparison._counted()  # noqa: SLF001 - the words of its table
    return (
        f"{queries[:1].upper()}{queries[1:]}. Lines: {float(level) * 100:g} % intervals of each difference. "
        f"Filled: significant by the {comparison.settings.words}."
    )
