"""How far two sets of judgments, of scores or of rankings agree, beyond what chance alone gives.

Cohen's kappa is 1 − Σ w·O / Σ w·E, where O counts the pairs of grades, E is what the same
grades would give by chance, and w is 1 for different grades, or for weighted kappa their distance or its square. Cohen,
Educational and Psychological Measurement 20, 1960; Psychological Bulletin 70, 1968.
Krippendorff's alpha is 1 − D_o / D_e, over the coincidences of grades within a unit, however many judged it:
Krippendorff, Content Analysis, 2004, chapter 11.
τ_AP is Kendall's τ with more weight on the top: Yilmaz, Aslam and Robertson, A new rank correlation coefficient for
information retrieval, SIGIR 2008.
Rank-biased overlap of two rankings: Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS
28(4), 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from assay.core.judged import FloatArray, IntArray
from assay.stats.intervals import DRAWS, FEWEST, Interval, Score, percentiles, resampled_times, resampled_totals

WEIGHTS = ("quadratic", "linear")
SCALES = ("nominal", "ordinal", "interval")
# Landis and Koch, The measurement of observer agreement for categorical data, Biometrics 33, 1977: the upper end of
# each kind of agreement, up to almost perfect.
KINDS = ((0.0, "poor"), (0.2, "slight"), (0.4, "fair"), (0.6, "moderate"), (0.8, "substantial"))
BEST_KIND = "almost perfect"
# All pairs of so many queries take 8 MB per table.
MOST_SQUARED = 1000
# Of rank-biased overlap.
PERSISTENCE = 0.9


class Estimate(NamedTuple):
    """A number with its interval, and how many resamples it is undefined in."""

    value: float
    interval: Interval
    undefined: int = 0


class GradePairs(NamedTuple):
    """Pairs of grades: the query of each pair, the place of both its grades among `grades`, and how many queries."""

    query: IntArray
    first: IntArray
    second: IntArray
    grades: FloatArray
    queries: int

    def table(self) -> FloatArray:
        """How many pairs have which grades: one row per grade of the first set, one column per grade of the second."""
        size = len(self.grades)
        codes = self.first * size + self.second
        return np.bincount(codes, minlength=size * size).reshape(size, size).astype(np.float64)

    def resampled_tables(self, samples: int, seed: int) -> FloatArray:
        size = len(self.grades)
        codes = self.first * size + self.second
        totals = np.empty((samples, size * size))
        # The same seed draws the same queries, so the cells can be taken block by block.
        block = max(1, DRAWS // max(self.queries, 1))
        for start in range(0, size * size, block):
            width = min(block, size * size - start)
            inside = (codes >= start) & (codes < start + width)
            places = self.query[inside] * width + codes[inside] - start
            counts = np.bincount(places, minlength=self.queries * width).reshape(self.queries, width)
            totals[:, start : start + width] = resampled_totals(counts.astype(np.float64), samples, seed)
        return totals.reshape(samples, size, size)


def pair_grades(query: IntArray, first: FloatArray, second: FloatArray) -> GradePairs:
    """The pairs of grades that two sets of judgments have, one per document that both judged."""
    grades = np.unique(np.concatenate([first, second]))
    names, numbers = np.unique(query, return_inverse=True)
    return GradePairs(numbers, np.searchsorted(grades, first), np.searchsorted(grades, second), grades, len(names))


def kappa(tables: FloatArray, grades: FloatArray, weights: str = "none") -> FloatArray:
    """Cohen's kappa of tables of pairs, one per table; NaN if every grade is the same."""
    apart = np.abs(grades[:, None] - grades[None, :])
    distance = {"none": (apart > 0).astype(np.float64), "linear": apart, "quadratic": apart**2}[weights]
    rows, columns = tables.sum(axis=-1), tables.sum(axis=-2)
    observed = (tables * distance).sum(axis=(-2, -1)) * tables.sum(axis=(-2, -1))
    expected = ((rows @ distance) * columns).sum(axis=-1)
    return one_less_ratio(observed, expected)


def alpha(coincidences: FloatArray, grades: FloatArray, scale: str = "ordinal") -> FloatArray:
    """Krippendorff's alpha of symmetric tables of coincidences, one per table; NaN if every grade is the same."""
    counts = coincidences.sum(axis=-1)
    if scale == "nominal":
        distance = 1.0 - np.eye(len(grades))
    else:
        # How many grades lie between two, with half of each of the two: the distance of their middle ranks.
        places = np.cumsum(counts, axis=-1) - counts / 2 if scale == "ordinal" else grades
        distance = (places[..., :, None] - places[..., None, :]) ** 2
    observed = (coincidences * distance).sum(axis=(-2, -1)) * (counts.sum(axis=-1) - 1)
    expected = (counts[..., :, None] * counts[..., None, :] * distance).sum(axis=(-2, -1))
    return one_less_ratio(observed, expected)


def one_less_ratio(observed: FloatArray, expected: FloatArray) -> FloatArray:
    """1 − observed / expected; NaN if nothing but agreement can be expected."""
    is_defined = expected > 0
    return np.where(is_defined, 1 - observed / np.where(is_defined, expected, 1.0), np.nan)


def estimate(pairs: GradePairs, statistic: Score, drawn: FloatArray | None, level: float) -> Estimate:
    """A statistic of the table of pairs, with the interval that tables of resampled queries give."""
    return with_interval(float(statistic(pairs.table())), None if drawn is None else statistic(drawn), level)


def with_interval(value: float, drawn: FloatArray | None, level: float) -> Estimate:
    """A number with the percentile interval of its resamples; those in which it is undefined are left out."""
    if drawn is None or np.isnan(value):
        return Estimate(value, Interval(float("nan"), float("nan")))
    defined = drawn[~np.isnan(drawn)]
    interval = percentiles(defined if len(defined) else drawn, level)
    return Estimate(value, interval, len(drawn) - len(defined))


def kind_of(value: float) -> str:
    """The kind of agreement that Landis and Koch call a kappa."""
    return next((kind for bound, kind in KINDS if value < bound or value == bound > 0), BEST_KIND)


def ap_correlation(truth: FloatArray, values: FloatArray) -> float:
    """τ_AP of the order of systems by `values`, the highest first, where `truth` gives the right order.

    Systems that `values` ties are taken in every order, and τ_AP is averaged; a pair that `truth` ties counts half.
    """
    count = len(truth)
    # Whether the row's system is rightly above the column's.
    right = (np.sign(truth[:, None] - truth[None, :]) + 1) / 2
    total = 0.0
    above: IntArray = np.zeros(0, dtype=np.int64)
    for value in np.unique(values)[::-1]:
        tied = np.flatnonzero(values == value)
        size = len(tied)
        over = right[np.ix_(above, tied)].sum(axis=0)
        inside = right[np.ix_(tied, tied)].sum(axis=0) - 0.5
        for place in range(size):
            ahead = len(above) + place
            if ahead:
                inner = inside * place / (size - 1) if size > 1 else 0.0
                total += float((over + inner).mean()) / ahead
        above = np.concatenate([above, tied])
    return 2 * total / (count - 1) - 1


def kendall_tau(a: FloatArray, b: FloatArray) -> float:
    """Kendall's τ_b; NaN if one side has no order."""
    from scipy.stats import kendalltau

    return float(kendalltau(a, b).statistic)


def correlate(a: FloatArray, b: FloatArray, *, level: float, samples: int, seed: int) -> dict[str, Estimate]:
    """Pearson's, Spearman's and Kendall's correlation of two scores per query, with intervals over resamples."""
    if len(a) < FEWEST:
        return dict.fromkeys(("pearson", "spearman", "kendall"), with_interval(float("nan"), None, level))
    drawn = [weighted_correlations(a, b, times) for times in resampled_times(len(a), samples, seed)]
    return {
        name: with_interval(float(value), np.concatenate([each[name] for each in drawn]), level)
        for name, [value] in weighted_correlations(a, b, np.ones((1, len(a)))).items()
    }


def weighted_correlations(a: FloatArray, b: FloatArray, times: FloatArray) -> dict[str, FloatArray]:
    """Each correlation of samples in which a query occurs so many times, one per row of `times`."""
    ranks = []
    for side in (a, b):
        # The rank of each query in each sample, the middle one for ties.
        _, place = np.unique(side, return_inverse=True)
        order = np.argsort(place, kind="stable")
        counts = np.add.reduceat(times[:, order], np.flatnonzero(np.diff(place[order], prepend=-1)), axis=1)
        ranks.append((np.cumsum(counts, axis=1) - counts / 2)[:, place])
    if len(a) <= MOST_SQUARED:
        # From the signs of all pairs of queries.
        signs = [np.sign(side[:, None] - side[None, :]) for side in (a, b)]
        tables = (signs[0] * signs[1], np.abs(signs[0]), np.abs(signs[1]))
        same, first, second = (((times @ each) * times).sum(axis=1) for each in tables)
        varies = (first > 0) & (second > 0)
        tau = np.where(varies, same / np.sqrt(np.where(varies, first * second, 1.0)), np.nan)
    else:
        # All pairs of so many queries would take too much memory.
        tau = np.array([kendall_tau(np.repeat(a, row), np.repeat(b, row)) for row in times.astype(np.int64)])
    pearson = weighted_pearson(a - a.mean(), b - b.mean(), times)
    return {"pearson": pearson, "spearman": weighted_pearson(ranks[0], ranks[1], times), "kendall": tau}


def weighted_pearson(a: FloatArray, b: FloatArray, times: FloatArray) -> FloatArray:
    """Pearson's correlation per sample; NaN if a side does not vary."""
    total = times.sum(axis=1, keepdims=True)
    first, second = (side - (times * side).sum(axis=1, keepdims=True) / total for side in (a, b))
    squares = [(times * each**2).sum(axis=1) for each in (first, second)]
    # What rounding leaves of values that are all the same.
    least = [1e-24 * (times * np.asarray(side) ** 2).sum(axis=1) for side in (a, b)]
    varies = (squares[0] > least[0]) & (squares[1] > least[1])
    spread = np.sqrt(np.where(varies, squares[0] * squares[1], 1.0))
    return np.where(varies, np.clip((times * first * second).sum(axis=1) / spread, -1, 1), np.nan)


def rank_biased_overlap(a: Sequence[str], b: Sequence[str], p: float = PERSISTENCE) -> float:
    """The extrapolated rank-biased overlap, to the depth of the shorter ranking; NaN if both are empty."""
    depth = min(len(a), len(b))
    if not depth:
        return float("nan") if len(a) == len(b) else 0.0
    place = {document: number for number, document in enumerate(b[:depth])}
    # A document of both counts from the deeper of its two ranks on.
    shared = [max(number, place[document]) for number, document in enumerate(a[:depth]) if document in place]
    depths = np.arange(1, depth + 1)
    agreed = np.cumsum(np.bincount(shared, minlength=depth)) / depths
    return float(agreed[-1] * p**depth + (1 - p) / p * (agreed * p**depths).sum())


def common_tau(a: Sequence[str], b: Sequence[str]) -> float:
    """Kendall's τ of the order of the documents in both rankings; NaN for fewer than two."""
    place = {document: number for number, document in enumerate(b)}
    order = np.array([place[document] for document in a if document in place])
    if len(order) < FEWEST:
        return float("nan")
    in_order = int(np.triu(order[:, None] < order[None, :]).sum())
    couples = len(order) * (len(order) - 1) // 2
    return 2 * in_order / couples - 1
