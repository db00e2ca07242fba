"""Two sets of scores side by side: one number per query and measure on each side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.conventions import measure_names
from assay.core.errors import MismatchError
from assay.core.note import Note, NoteKind
from assay.core.text import some
from assay.measures.scores import EVERY
from assay.stats.agreement import correlate
from assay.stats.intervals import FEWEST, difference_intervals
from assay.tasks.agree.binary import Verdicts, threshold_figures
from assay.tasks.agree.result import Agreement, Counts, Disagreement, Figure
from assay.tasks.evaluate.scores import UNNAMED, find_measure, unknown_measure

if TYPE_CHECKING:
    from assay.core.judged import FloatArray
    from assay.results.result import Result
    from assay.tasks.agree.result import AgreementSettings


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
            raise MismatchError(
                f"{name}: no query has a value in both {names[0]} and {names[1]}: {names[0]} has {some(a.queries)}, "
                f"{names[1]} has {some(b.queries)}; nothing to compare"
            )
        alone = [np.isfinite(side) & ~both for side in (first, second)]
        tally = (int(each.sum()) for each in (both, both, *alone))
        counts = Counts(*map(max, counts, tally))
        about = [name] if len(keys) > 1 else []
        for side, chosen in zip(names, alone, strict=True):
            if lone := [queries[number] for number in np.flatnonzero(chosen)]:
                notes.append(Note.of(NoteKind.ONE_SIDED, about="scores", queries=lone, measures=about, side=side))
        figures += correlation_figures(first[both], second[both], settings, name)
        if settings.threshold is not None:
            numbers = np.arange(len(queries))
            known = np.isfinite(second)
            verdicts = Verdicts(numbers[both], first[both], second[both], numbers[known], second[known])
            more, said, table = threshold_figures(verdicts, settings.threshold, settings, name)
            figures, notes, matrix = figures + more, notes + said, matrix or table
        worst += [
            Disagreement(queries[number], None, float(first[number]), float(second[number]), name)
            for number in np.flatnonzero(both & (first != second))
        ]
    if counts.queries < FEWEST:
        notes.append(Note.of(NoteKind.FEW, about="interval"))
    worst.sort(key=lambda each: -abs(each.a - each.b))
    grades = (0.0, 1.0) if matrix and len(keys) == 1 else ()
    return Agreement(
        names,
        "scores",
        tuple(figures),
        counts,
        settings,
        grades,
        matrix if grades else (),
        tuple(worst[:top]),
        notes=tuple(dict.fromkeys(notes)),
    )


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
            raise MismatchError(
                f"no measure in common: {names[0]} has {', '.join(a)}, {names[1]} has {', '.join(b)}; name one"
            )
        return {key: (key, other) for key, other in found.items()}
    pairs = {}
    for name in wanted:
        keys = key_in(a, name), key_in(b, name)
        for key, result, where in zip(keys, (a, b), names, strict=True):
            if key is None:
                raise unknown_measure(name, result, where)
        pairs[str(name)] = keys
    return pairs  # type: ignore[return-value]


def key_in(result: Result, name: str) -> str | None:
    """The key of a measure in a result; a single score without a name is any measure."""
    return UNNAMED if list(result) == [UNNAMED] else find_measure(result, name)


def column(result: Result, key: str, queries: list[str]) -> FloatArray:
    """The values of a measure for these queries; NaN for those that the result does not have."""
    values = dict(zip(result.queries, result.scores[key].tolist(), strict=True))
    return np.array([values.get(query, np.nan) for query in queries], dtype=np.float64)


def correlation_figures(a: FloatArray, b: FloatArray, settings: AgreementSettings, measure: str) -> list[Figure]:
    """Each correlation, and the mean difference."""
    how = {"level": settings.level, "seed": settings.seed}
    found = correlate(a, b, samples=settings.samples, **how)  # type: ignore[arg-type]
    figures = [Figure(name, each.value, *each.interval, measure) for name, each in found.items()]
    [bounds] = difference_intervals([a], [b], ["mean"], **how)  # type: ignore[arg-type]
    return [*figures, Figure("mean_difference", float((b - a).mean()), *bounds, measure)]
