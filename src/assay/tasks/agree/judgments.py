"""Two sets of judgments side by side: the documents that both judged, and the systems' order under both."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError, MismatchError
from assay.core.note import Note, NoteKind
from assay.core.text import Option, some
from assay.data.qrels import Qrels
from assay.data.run import name_runs, read_again
from assay.results.results import common_notes
from assay.stats.agreement import alpha, ap_correlation, estimate, kappa, kendall_tau, pair_grades
from assay.stats.intervals import FEWEST
from assay.tasks.agree.binary import Verdicts, threshold_figures
from assay.tasks.agree.result import Agreement, Counts, Disagreement, Figure, SystemMeans
from assay.tasks.evaluate.api import evaluate_many

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.core.judged import FloatArray, IntArray
    from assay.stats.agreement import GradePairs
    from assay.tasks.agree.result import AgreementSettings

# More different grades are scores, and a table of pairs says nothing about them.
MOST_GRADES = 50
DEFAULT_MEASURE = "ndcg@10"
# The verdicts of two grades are positive and negative.
BINARY = 2


class Crossed(NamedTuple):
    """The documents that both sides judged, with their queries and grades, and all judgments of the second side."""

    queries: list[str]
    documents: Sequence[str]
    query: IntArray
    first: FloatArray
    second: FloatArray
    every_query: IntArray
    every: FloatArray
    counts: Counts


def judgment_agreement(
    a: Qrels,
    b: Qrels,
    *,
    names: tuple[str, str],
    settings: AgreementSettings,
    top: int,
    scored: tuple[Any, Any, dict[str, Any]] | None,
) -> Agreement:
    """How far two sets of judgments agree; `scored` are runs, measures and options, to compare the systems' order."""
    crossed = cross(a, b, names)
    pairs = pair_grades(crossed.query, crossed.first, crossed.second)
    is_many = len(pairs.grades) > MOST_GRADES
    if is_many and settings.threshold is None:
        raise DataError(
            f"the grades have {len(pairs.grades)} different values; kappa is for categories: set a threshold, such as "
            f"{Option('threshold', round(float(np.median(pairs.grades)), 2))}"
        )
    sides = zip(names, (crossed.counts.only_a, crossed.counts.only_b), strict=True)
    notes = [Note.of(NoteKind.ONE_SIDED, count=number, side=name) for name, number in sides if number]
    figures: list[Figure] = []
    matrix: tuple[tuple[int, ...], ...] = ()
    if not is_many:
        figures, more = grade_figures(pairs, settings)
        notes += more
        matrix = tuple(tuple(int(number) for number in row) for row in pairs.table())
    threshold = settings.threshold
    if threshold is None and len(pairs.grades) == BINARY and set(np.unique(crossed.every)) <= set(pairs.grades):
        threshold = float(pairs.grades[1])
    if threshold is not None:
        verdicts = Verdicts(crossed.query, crossed.first, crossed.second, crossed.every_query, crossed.every)
        more_figures, more, table = threshold_figures(verdicts, threshold, settings)
        # Two grades have one kappa.
        is_same = len(pairs.grades) == BINARY and settings.threshold is None
        figures += more_figures[1:] if is_same else more_figures
        notes += more
        matrix = matrix or table
    systems, more_figures, more = ([], [], []) if scored is None else compare_orders(a, b, names, scored)
    return Agreement(
        names,
        "judgments",
        (*figures, *more_figures),
        crossed.counts,
        settings._replace(threshold=threshold),
        tuple(pairs.grades.tolist()) if not is_many else (0.0, 1.0),
        matrix,
        worst_documents(crossed, top),
        tuple(systems),
        (*notes, *more),
        "" if scored is None else " ".join(f"{name}={value}" for name, value in scored[2].items()),
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
    return Crossed(common, documents, np.array(query), first, second, every_query, np.array(b.grades), counts)


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
        notes.append(
            Note.of(NoteKind.UNDEFINED, about="agreement", count=len(pairs.query), which=" and ".join(undefined))
        )
    partly = max(each.undefined for each in found.values())
    if partly:
        notes.append(Note.of(NoteKind.UNDEFINED, about="resamples", count=partly, samples=f"{settings.samples:,}"))
    return figures, notes


def worst_documents(crossed: Crossed, top: int) -> tuple[Disagreement, ...]:
    """The documents whose grades are the farthest apart."""
    queries, documents, query, first, second = crossed[:5]
    apart = np.abs(first - second)
    return tuple(
        Disagreement(queries[query[number]], documents[number], float(first[number]), float(second[number]))
        for number in np.argsort(-apart, kind="stable")[:top]
        if apart[number] > 0
    )


def compare_orders(
    a: Qrels, b: Qrels, names: tuple[str, str], scored: tuple[Any, Any, dict[str, Any]]
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
    left_out = [query for side, other in ((a, b), (b, a)) for query in side.queries if query not in other]
    if left_out:
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
