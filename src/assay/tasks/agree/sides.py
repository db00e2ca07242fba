"""Two sides, judgments or scores, one beside the other: what both have, and the statistics of their agreement.

With a threshold, what both have is compared as positives and negatives: how well one side finds what the other calls
positive. With it, the share of positives in all that one side judged is corrected to what the other would have found.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from assay.conventions import measure_names
from assay.core.errors import DataError, MeasureError, MismatchError
from assay.core.judged import FloatArray, IntArray
from assay.core.note import Note, NoteKind
from assay.core.text import Option, nearest, some
from assay.data.qrels import Qrels
from assay.data.run import name_runs, read_again
from assay.measures.scores import EVERY
from assay.results.result import Result
from assay.results.results import common_notes
from assay.stats.agreement import (
    GradePairs,
    alpha,
    ap_correlation,
    correlate,
    estimate,
    kappa,
    kendall_tau,
    pair_grades,
    with_interval,
)
from assay.stats.anchored import corrected_shares
from assay.stats.intervals import FEWEST, difference_intervals, resampled_totals
from assay.tasks.agree.result import Agreement, AgreementSettings, Counts, Disagreement, Figure, SystemMeans
from assay.tasks.evaluate.api import evaluate_many
from assay.tasks.evaluate.scores import UNNAMED, find_measure

# More different grades are scores, and a table of pairs says nothing about them.
MOST_GRADES = 50
DEFAULT_MEASURE = "ndcg@10"
# The verdicts of two grades are positive and negative.
BINARY = 2
POSITIVE = np.array([0.0, 1.0])
# Runs, measures and options, to compare the order of systems.
Scored = tuple[Any, Any, dict[str, Any]]


class BothSides(NamedTuple):
    """What each side says of what both have, by number of the query, and the second side of all that it has."""

    query: IntArray
    first: FloatArray
    second: FloatArray
    every_query: IntArray
    every: FloatArray


class Crossed(NamedTuple):
    """The queries of both sides, the documents that both judged, and what each side says of them."""

    queries: list[str]
    documents: Sequence[str]
    sides: BothSides
    counts: Counts


def judgment_agreement(
    a: Qrels, b: Qrels, *, names: tuple[str, str], settings: AgreementSettings, top: int, scored: Scored | None
) -> Agreement:
    """How far two sets of judgments agree, and the order of the systems that are `scored` under both."""
    queries, documents, sides, counts = cross(a, b, names)
    pairs = pair_grades(*sides[:3])
    is_many = len(pairs.grades) > MOST_GRADES
    if is_many and settings.threshold is None:
        advice = f"set a threshold, such as {Option('threshold', round(float(np.median(pairs.grades)), 2))}"
        raise DataError(f"the grades have {len(pairs.grades)} different values; kappa is for categories: {advice}")
    alone = zip(names, (counts.only_a, counts.only_b), strict=True)
    notes = [Note.of(NoteKind.ONE_SIDED, count=number, side=name) for name, number in alone if number]
    figures: list[Figure] = []
    matrix: tuple[tuple[int, ...], ...] = ()
    if not is_many:
        figures, more = grade_figures(pairs, settings)
        notes += more
        matrix = tuple(tuple(int(number) for number in row) for row in pairs.table())
    threshold = settings.threshold
    if threshold is None and len(pairs.grades) == BINARY and set(np.unique(sides.every)) <= set(pairs.grades):
        threshold = float(pairs.grades[1])
    if threshold is not None:
        more_figures, more, table = threshold_figures(sides, threshold, settings)
        # Two grades have one kappa.
        is_same = len(pairs.grades) == BINARY and settings.threshold is None
        figures += more_figures[1:] if is_same else more_figures
        notes += more
        matrix = matrix or table
    query, first, second = (each.tolist() for each in sides[:3])
    order = np.argsort(-np.abs(sides.first - sides.second), kind="stable")[:top].tolist()
    order = [at for at in order if first[at] != second[at]]
    worst = tuple(Disagreement(queries[query[at]], documents[at], first[at], second[at]) for at in order)
    systems, more_figures, more = ([], [], []) if scored is None else compare_orders(a, b, names, scored)
    figures, notes, settings = figures + more_figures, notes + more, settings._replace(threshold=threshold)
    grades = (0.0, 1.0) if is_many else tuple(pairs.grades.tolist())
    how = "" if scored is None else " ".join(f"{name}={value}" for name, value in scored[2].items())
    return Agreement(
        names, "judgments", tuple(figures), counts, settings, grades, matrix, worst, tuple(systems), tuple(notes), how
    )


def cross(a: Qrels, b: Qrels, names: tuple[str, str]) -> Crossed:
    """The documents that both sides judged; raises if there is none."""
    common = [query for query in a.queries if query in b]
    rows = [
        (number, document, grade, second[document])
        for number, (first, second) in enumerate((a[query], b[query]) for query in common)
        for document, grade in first.items()
        if document in second
    ]
    if not rows:
        what = "no document" if common else "no query"
        where = "" if common else f": {names[0]} has {some(a.queries)}, {names[1]} has {some(b.queries)}"
        raise MismatchError(f"{what} was judged by both {names[0]} and {names[1]}{where}; nothing to compare")
    query, documents, *grades = zip(*rows, strict=True)
    counts = Counts(len(set(query)), len(rows), len(a.grades) - len(rows), len(b.grades) - len(rows))
    numbers = {each: number for number, each in enumerate(common)}
    # Queries of the second side only come after the common ones.
    order = [numbers.get(each, len(common) + place) for place, each in enumerate(b.queries)]
    every_query = np.repeat(order, np.diff(b.index_starts))
    first, second = map(np.array, grades)
    sides = BothSides(np.array(query), first, second, every_query, np.array(b.grades))
    return Crossed(common, documents, sides, counts)


def grade_figures(pairs: GradePairs, settings: AgreementSettings) -> tuple[list[Figure], list[Note]]:
    """Kappa, weighted kappa, alpha and the share of equal grades, and notes on them."""
    drawn = pairs.resampled_tables(settings.samples, settings.seed) if pairs.queries >= FEWEST else None
    statistics: dict[str, Callable[[FloatArray], FloatArray]] = {
        "kappa": partial(kappa, grades=pairs.grades),
        "weighted_kappa": partial(kappa, grades=pairs.grades, weights=settings.weights),
        "alpha": lambda tables: alpha(tables + tables.swapaxes(-1, -2), pairs.grades, settings.scale),
        "same": lambda tables: np.trace(tables, axis1=-2, axis2=-1) / tables.sum(axis=(-2, -1)),
    }
    found = {name: estimate(pairs, function, drawn, settings.level) for name, function in statistics.items()}
    figures = [Figure(name, each.value, *each.interval) for name, each in found.items()]
    notes = []
    if drawn is None:
        notes.append(Note.of(NoteKind.FEW, about="interval"))
    if undefined := [name for name, each in found.items() if np.isnan(each.value)]:
        which = " and ".join(undefined)
        notes.append(Note.of(NoteKind.UNDEFINED, about="agreement", count=len(pairs.query), which=which))
    if partly := max(each.undefined for each in found.values()):
        notes.append(Note.of(NoteKind.UNDEFINED, about="resamples", count=partly, samples=f"{settings.samples:,}"))
    return figures, notes


def compare_orders(
    a: Qrels, b: Qrels, names: tuple[str, str], scored: Scored
) -> tuple[list[SystemMeans], list[Figure], list[Note]]:
    """The means of runs under both sets of judgments, on the queries of both, and the correlation of their orders."""
    runs, measures, options = scored
    known = [query for query in a.queries if query in b]
    wanted = DEFAULT_MEASURE if measures is None else measures
    named = {name: read_again(run) for name, run in name_runs(runs).items()}
    if len(named) < FEWEST:
        raise DataError(f"need at least two runs to compare their order, got {len(named)}")
    sides = [evaluate_many(only(side, known), named, wanted, **options) for side in (a, b)]
    first = next(iter(sides[0].results.values()))
    systems, figures = [], []
    for measure in first.measures:
        means = [np.array([result[measure] for result in side.results.values()]) for side in sides]
        systems += [SystemMeans(run, measure, *map(float, pair)) for run, *pair in zip(sides[0], *means, strict=True)]
        tau, tau_ap = kendall_tau(*means), ap_correlation(*means)
        figures += [Figure("tau", tau, np.nan, np.nan, measure), Figure("tau_ap", tau_ap, np.nan, np.nan, measure)]
    own = {name: common_notes(side.notes) for name, side in zip(names, sides, strict=True)}
    # The queries of one side only are left out on purpose.
    notes = [note for note in common_notes(own) if note.kind is not NoteKind.UNJUDGED]
    if left_out := [query for side, other in ((a, b), (b, a)) for query in side.queries if query not in other]:
        notes.append(Note.of(NoteKind.ONE_SIDED, about="queries", queries=left_out))
    return systems, figures, notes


def only(qrels: Qrels, queries: list[str]) -> Qrels:
    """The judgments of some queries."""
    if len(queries) == len(qrels):
        return qrels
    if qrels.rows.has_groups():
        import polars

        return Qrels(qrels.to_polars().filter(polars.col("query_id").is_in(queries)), duplicates=qrels.duplicates)
    return Qrels({query: qrels[query] for query in queries})


def score_agreement(
    a: Result, b: Result, measures: object, *, names: tuple[str, str], settings: AgreementSettings, top: int
) -> Agreement:
    """How far two sets of scores agree, by each measure that both have."""
    keys = common_measures(a, b, measures, names)
    queries = [*a.queries, *(query for query in b.queries if query not in set(a.queries))]
    figures: list[Figure] = []
    notes: list[Note] = []
    worst: list[Disagreement] = []
    counts = Counts(0, 0, 0, 0)
    matrix: tuple[tuple[int, ...], ...] = ()
    for name, (key_a, key_b) in keys.items():
        first, second = column(a, key_a, queries), column(b, key_b, queries)
        both = np.isfinite(first) & np.isfinite(second)
        if not both.any():
            where = f"{names[0]} has {some(a.queries)}, {names[1]} has {some(b.queries)}; nothing to compare"
            raise MismatchError(f"{name}: no query has a value in both {names[0]} and {names[1]}: {where}")
        alone = [np.isfinite(side) & ~both for side in (first, second)]
        counts = Counts(*map(max, counts, (int(each.sum()) for each in (both, both, *alone))))
        about = [name] if len(keys) > 1 else []
        for side, chosen in zip(names, alone, strict=True):
            if lone := [queries[number] for number in np.flatnonzero(chosen)]:
                notes.append(Note.of(NoteKind.ONE_SIDED, about="scores", queries=lone, measures=about, side=side))
        pair, how = (first[both], second[both]), {"level": settings.level, "seed": settings.seed}
        found = correlate(*pair, samples=settings.samples, **how)  # type: ignore[arg-type]
        figures += [Figure(statistic, each.value, *each.interval, name) for statistic, each in found.items()]
        [bounds] = difference_intervals([pair[0]], [pair[1]], ["mean"], **how)  # type: ignore[arg-type]
        figures.append(Figure("mean_difference", float((pair[1] - pair[0]).mean()), *bounds, name))
        if settings.threshold is not None:
            numbers = np.arange(len(queries))
            known = np.isfinite(second)
            sides = BothSides(numbers[both], first[both], second[both], numbers[known], second[known])
            more, said, table = threshold_figures(sides, settings.threshold, settings, name)
            figures, notes, matrix = figures + more, notes + said, matrix or table
        moved = np.flatnonzero(both & (first != second))
        worst += [Disagreement(queries[at], None, float(first[at]), float(second[at]), name) for at in moved]
    if counts.queries < FEWEST:
        notes.append(Note.of(NoteKind.FEW, about="interval"))
    worst = sorted(worst, key=lambda each: -abs(each.a - each.b))[:top]
    grades = (0.0, 1.0) if matrix and len(keys) == 1 else ()
    matrix = matrix if grades else ()
    lasting = tuple(dict.fromkeys(notes))
    return Agreement(names, "scores", tuple(figures), counts, settings, grades, matrix, tuple(worst), notes=lasting)


def common_measures(a: Result, b: Result, measures: object, names: tuple[str, str]) -> dict[str, tuple[str, str]]:
    """The measures to compare, with their keys on both sides; a single score without a name has that of the other."""
    wanted = None if measures is None else [name for name in measure_names(measures) if name != EVERY] or None
    if wanted is None:
        if len(a) == len(b) == 1:
            (first,), (second,) = a, b
            named = [key for key in (first, second) if key != UNNAMED]
            return {(named or ["score"])[0]: (first, second)}
        found = {key: other for key in a if (other := key_in(b, key)) is not None}
        if not found:
            where = f"{names[0]} has {', '.join(a)}, {names[1]} has {', '.join(b)}"
            raise MismatchError(f"no measure in common: {where}; name one")
        return {key: (key, other) for key, other in found.items()}
    pairs = {}
    for name in wanted:
        keys = key_in(a, name), key_in(b, name)
        for key, result, where in zip(keys, (a, b), names, strict=True):
            if key is None:
                near = nearest(str(name), result.measures) or list(result.measures)
                raise MeasureError(f"{where} has no {name}; it has {', '.join(near)}")
        pairs[str(name)] = keys
    return pairs  # type: ignore[return-value]


def key_in(result: Result, name: str) -> str | None:
    """The key of a measure in a result; a single score without a name is any measure."""
    return UNNAMED if list(result) == [UNNAMED] else find_measure(result, name)


def column(result: Result, key: str, queries: list[str]) -> FloatArray:
    """The values of a measure for these queries; NaN for those that the result does not have."""
    values = dict(zip(result.queries, result.scores[key].tolist(), strict=True))
    return np.array([values.get(query, np.nan) for query in queries], dtype=np.float64)


def threshold_figures(
    sides: BothSides, threshold: float, settings: AgreementSettings, measure: str = ""
) -> tuple[list[Figure], list[Note], tuple[tuple[int, ...], ...]]:
    """The statistics of positives and negatives, notes on them, and their confusion matrix."""
    first, second, every = (each >= threshold for each in (sides.first, sides.second, sides.every))
    queries, numbers = np.unique(np.concatenate([sides.query, sides.every_query]), return_inverse=True)
    own, others = numbers[: len(first)], numbers[len(first) :]
    kinds = 2 * first + second
    # Per query: both negative, only the second positive, only the first, both; all of the second, and its positives.
    columns = [*(own[kinds == kind] for kind in range(4)), others, others[every]]
    counts = np.stack([np.bincount(each, minlength=len(queries)) for each in columns], axis=1).astype(np.float64)
    whole, drawn = counts.sum(axis=0), dict[str, FloatArray]()
    if len(queries) >= FEWEST:
        drawn = binary_statistics(resampled_totals(counts, settings.samples, settings.seed))
    values = binary_statistics(whole).items()
    found = {name: with_interval(float(value), drawn.get(name), settings.level) for name, value in values}
    figures = [Figure(name, each.value, *each.interval, measure) for name, each in found.items()]
    matrix = tuple(tuple(int(number) for number in row) for row in whole[:4].reshape(2, 2))
    is_known = not np.isnan(found["sensitivity"].value + found["specificity"].value)
    notes = []
    if is_known and np.isnan(found["corrected_share"].value):
        notes.append(Note.of(NoteKind.UNDEFINED, about="correction", measures=[measure] if measure else []))
    return figures, notes, matrix


def binary_statistics(counts: FloatArray) -> dict[str, FloatArray]:
    """Each statistic of rows of counts, as `threshold_figures` has them."""
    neither, only_b, only_a, both, every, positive = np.moveaxis(counts, -1, 0)

    def share(part: FloatArray, total: FloatArray) -> FloatArray:
        return np.where(total > 0, part / np.where(total > 0, total, 1.0), np.nan)

    own = {
        "share_b": share(positive, every),
        "sensitivity": share(both, only_a + both),
        "specificity": share(neither, neither + only_b),
    }
    return {
        "kappa_at_threshold": kappa(counts[..., :4].reshape(*counts.shape[:-1], 2, 2), POSITIVE),
        "share_a": share(only_a + both, counts[..., :4].sum(axis=-1)),
        **own,
        "corrected_share": corrected_shares(*own.values()),
    }
