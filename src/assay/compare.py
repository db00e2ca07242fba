"""`compare`: which of several systems is better, and how sure that is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.comparison import Comparison, Pair, Settings
from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.text import count, show, some
from assay.evaluator import DEFAULT_MEASURES, Evaluator
from assay.io.source import describe
from assay.moves import Ranks, ranks_of
from assay.notes import Note
from assay.result import Result
from assay.results import Results
from assay.stats.correction import CORRECTIONS, correct
from assay.stats.difference import difference_interval
from assay.stats.effect import cliff_delta, cohen_d, detectable
from assay.stats.paired import PAIRED_TESTS
from assay.stats.tukey import TUKEY_TESTS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.judged import FloatArray
    from assay.core.measure import Measure

TESTS = (*PAIRED_TESTS, *TUKEY_TESTS)
FAMILIES = ("measure", "all")


def compare(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object],
    measures: str | Iterable[str | Measure] | None = None,
    *,
    baseline: str | None = None,
    test: str = "randomization",
    correction: str = "holm",
    family: str = "measure",
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = 0,
    convention: str = "assay",
    threads: int | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Comparison:
    """Compares systems on the same queries: differences, intervals, p-values, effect sizes, and what changed.

    `runs` are runs by name, paths, or finished results. With `baseline` every other run is compared to it; without,
    every pair is. In a pair `a` comes first; `difference` is what `b` has more, and a win is a query that `b` does
    better.

    >>> import assay
    >>> qrels = {f"q{n}": ["d"] for n in range(20)}
    >>> runs = {"old": {q: ["x", "d"] for q in qrels}, "new": {q: ["d", "x"] for q in qrels}}
    >>> pair = assay.compare(qrels, runs, ["rr"]).pairs[0]
    >>> pair.difference, pair.wins, pair.p < 0.0001
    (0.5, 20, True)

    Tests: `randomization`, `t`, `wilcoxon`, `sign`, `bootstrap`, and for all pairs at once `tukey` and
    `tukey_randomized`. Corrections: `holm`, `bonferroni`, `bh`, `by`, `none`, over the pairs of each measure or, with
    `family="all"`, of all measures together. The same seed gives the same numbers.
    """
    settings = checked(Settings(test, correction, family, alpha, samples, seed, baseline))
    named = name_runs(runs)
    results, ranks = results_of(qrels, named, measures, convention=convention, threads=threads, **policies)
    check_queries(results)
    if baseline is not None and baseline not in results:
        raise DataError(
            f"there is no run {show(baseline)} to be the baseline; there are {', '.join(map(show, results))}"
        )
    notes: list[Note] = []
    first = next(iter(results.values()))
    chosen = [name for name in first.measures if first.measures[name].definition.corpus is None]
    if not chosen:
        raise MeasureError("there is no measure that queries have values of, so nothing can be paired")
    pairs = [pair for name in chosen for pair in pairs_of(name, results, settings, notes)]
    return Comparison(corrected(pairs, settings), Results(results), settings, tuple(notes), ranks)


def checked(settings: Settings) -> Settings:
    """The settings, once they are known to be possible."""
    for name, allowed in (("test", TESTS), ("correction", tuple(CORRECTIONS)), ("family", FAMILIES)):
        value = getattr(settings, name)
        if value not in allowed:
            raise PolicyError(f"{name} must be {' or '.join(map(repr, allowed))}, not {show(value)}")
    if not (isinstance(settings.alpha, (int, float)) and 0 < settings.alpha < 1):
        raise PolicyError(f"alpha must be a number between 0 and 1, such as 0.05, not {show(settings.alpha)}")
    if not isinstance(settings.seed, int) or settings.seed < 0:
        raise PolicyError(f"seed must be a whole number from 0, not {show(settings.seed)}")
    if settings.samples is not None and not (isinstance(settings.samples, int) and settings.samples >= 1):
        raise PolicyError(f"samples must be a whole number from 1, not {show(settings.samples)}")
    return settings


def name_runs(runs: Mapping[str, object] | Sequence[object]) -> dict[str, object]:
    """The runs by name: paths are called by their file's name without its ending."""
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
    elif isinstance(runs, (list, tuple)) and all(isinstance(run, (str, os.PathLike)) for run in runs):
        from assay.io.naming import run_names

        named = dict(zip(run_names([os.fspath(run) for run in runs]), runs, strict=True))
    else:
        raise DataError(f"the runs must be a dict of name and run, or a list of paths, not {show(runs)}")
    if len(named) < 2:  # noqa: PLR2004 - it takes two
        raise DataError(f"it takes two runs to compare; there {'is one' if named else 'is none'}")
    return named


def results_of(
    qrels: object,
    runs: Mapping[str, object],
    measures: str | Iterable[str | Measure] | None,
    **options: Any,  # noqa: ANN401
) -> tuple[dict[str, Result], Ranks | None]:
    """The result of each run, and where its judged documents stand; finished results are as they are."""
    finished = {name: run for name, run in runs.items() if isinstance(run, Result)}
    if len(finished) == len(runs):
        return same_measures(finished, measures), None
    if finished:
        raise DataError("give runs or finished results, not both")
    evaluator = Evaluator(qrels, DEFAULT_MEASURES if measures is None else measures, **options)
    results, ranks = {}, Ranks(evaluator.qrels)
    for name, run in runs.items():
        judge, notes = evaluator.read(run)
        results[name] = evaluator.score(judge, describe(run), notes)
        ranks.add(name, ranks_of(evaluator, judge, describe(run)))
    return results, ranks


def same_measures(results: Mapping[str, Result], measures: str | Iterable[str | Measure] | None) -> dict[str, Result]:
    """Finished results with the measures asked for, or with those that all of them have."""
    first, *others = results.values()
    wanted = list(first.measures) if measures is None else [measures] if isinstance(measures, str) else list(measures)
    keys = [str(each) for each in wanted]
    picked = {}
    for name, result in results.items():
        picked[name] = result.only(keys)
    for other in others:
        for key in keys:
            check_meaning(key, first, other)
    return picked


def check_meaning(key: str, first: Result, other: Result) -> None:
    """Raises unless a measure was computed in the same way in both results."""
    measures = [each.measures[each.key(key)] for each in (first, other)]
    policies = [each.policies_of(key) for each in (first, other)]
    if measures[0] != measures[1]:
        how = [each.full_name for each in measures]
    elif policies[0] != policies[1]:
        how = [policies[0].differing(policies[1]), policies[1].differing(policies[0])]
    else:
        return
    raise MismatchError(f"the results do not mean the same by {key}: {how[0]} and {how[1]}; compute both alike")


def check_queries(results: Mapping[str, Result]) -> None:
    """Raises unless all results are of the same queries."""
    (name, first), *others = results.items()
    for other, result in others:
        if result.queries != first.queries:
            different = sorted(set(first.queries) ^ set(result.queries))
            shown = f": {some(different)}" if different else ", in another order"
            raise MismatchError(
                f"{show(name)} and {show(other)} are not of the same queries{shown}; "
                'missing="zero" counts those that a run lacks'
            )


def pairs_of(name: str, results: Mapping[str, Result], settings: Settings, notes: list[Note]) -> list[Pair]:
    """The comparisons by one measure, p not yet corrected."""
    names = list(results)
    couples = list(combinations(names, 2))
    if settings.baseline is not None:
        couples = [(settings.baseline, other) for other in names if other != settings.baseline]
    scores = {run: result.scores[name] for run, result in results.items()}
    p_values = chances(name, scores, couples, settings, notes)
    measure = next(iter(results.values())).measures[name]
    sign = 1 if measure.definition.higher_is_better else -1
    pairs = []
    for (a, b), p in zip(couples, p_values, strict=True):
        both = ~(np.isnan(scores[a]) | np.isnan(scores[b]))
        first, second = scores[a][both], scores[b][both]
        moved = second - first
        aggregate = measure.definition.aggregate
        mean_a, mean_b = results[a][name], results[b][name]
        low, high = difference_interval(first, second, aggregate, level=1 - settings.alpha, seed=settings.seed)
        pairs.append(
            Pair(
                measure=name,
                a=a,
                b=b,
                mean_a=mean_a,
                mean_b=mean_b,
                difference=mean_b - mean_a,
                low=low,
                high=high,
                p=float(p),
                p_corrected=float(p),
                cohen_d=cohen_d(moved),
                cliff_delta=cliff_delta(first, second),
                wins=int((sign * moved > 0).sum()),
                ties=int((moved == 0).sum()),
                losses=int((sign * moved < 0).sum()),
                detectable=detectable(moved, settings.alpha),
            )
        )
        notes.extend(pair_notes(pairs[-1], moved, int((~both).sum())))
    return pairs


def chances(
    name: str,
    scores: Mapping[str, FloatArray],
    couples: list[tuple[str, str]],
    settings: Settings,
    notes: list[Note],
) -> FloatArray:
    """The p-value of each couple."""
    if settings.test in PAIRED_TESTS:
        differences = np.stack([scores[b] - scores[a] for a, b in couples], axis=1)
        if not len(differences):
            return np.full(len(couples), np.nan)
        return PAIRED_TESTS[settings.test](differences, settings.samples, settings.seed)
    everything = np.stack(list(scores.values()), axis=1)
    whole = ~np.isnan(everything).any(axis=1)
    if not whole.all():
        left_out = count(int((~whole).sum()), "query", "queries")
        notes.append(Note("tukey", f"{name}: {left_out} left out of the test, where some run has no value"))
    if not whole.any():
        return np.full(len(couples), np.nan)
    p_values = TUKEY_TESTS[settings.test](everything[whole], settings.samples, settings.seed)
    place = {run: number for number, run in enumerate(scores)}
    return np.array([p_values[place[a], place[b]] for a, b in couples])


def pair_notes(pair: Pair, moved: FloatArray, left_out: int) -> list[Note]:
    """What makes a comparison say less than it seems to."""
    about = f"{pair.measure}, {pair.a} and {pair.b}"
    notes = []
    if left_out:
        notes.append(Note("undefined", f"{about}: {count(left_out, 'query', 'queries')} left out, without a value"))
    if not len(moved):
        notes.append(Note("few", f"{about}: no query to compare"))
    elif len(moved) == 1:
        notes.append(Note("few", f"{about}: one query tells nothing about others"))
    elif not moved.any():
        notes.append(Note("equal", f"{about}: the same score on every query"))
    elif np.ptp(moved) == 0:
        notes.append(Note("constant", f"{about}: the difference is the same on every query"))
    return notes


def corrected(pairs: list[Pair], settings: Settings) -> list[Pair]:
    """The pairs with p-values corrected over their family; Tukey's hold for all pairs as they are."""
    if settings.test in TUKEY_TESTS:
        return pairs
    families: dict[str, list[int]] = {}
    for number, pair in enumerate(pairs):
        families.setdefault(pair.measure if settings.family == "measure" else "", []).append(number)
    result = list(pairs)
    for numbers in families.values():
        values = correct(np.array([pairs[number].p for number in numbers]), settings.correction)
        for number, value in zip(numbers, values, strict=True):
            result[number] = pairs[number]._replace(p_corrected=float(value))
    return result
