"""`compare`: which of several systems is better, and how sure that is."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError, MeasureError, MismatchError
from assay.core.measure import is_pooled
from assay.core.note import Note, NoteKind
from assay.core.progress import Report, unheard
from assay.core.text import show, some
from assay.data.source import describe
from assay.results.align import align_by_query, align_measures, check_unscored
from assay.results.result import Result, combine_statistics
from assay.results.results import Results, common_notes
from assay.stats.paired import is_exact
from assay.stats.pairs import Caution, Measured, Pair
from assay.stats.pooled import POOLED_TESTS, Pool
from assay.stats.significance import ComparisonSettings, check_settings, compare_pairs
from assay.tasks.compare.moves import Ranks
from assay.tasks.compare.result import Comparison
from assay.tasks.evaluate.api import DEFAULT_MEASURES, Scorer, make_scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    from assay._kernel import Progress
    from assay.core.measure import Measure

COUNTED_ALONE = "wins, ties, losses and cliff delta are of each query by itself"


def compare(
    qrels: object,
    runs: Mapping[str, object] | Sequence[object] | Results,
    measures: str | Iterable[str | Measure] | None = None,
    *,
    baseline: str | os.PathLike[str] | None = None,
    test: str = "randomization",
    correction: str = "holm",
    family: str = "measure",
    alpha: float = 0.05,
    samples: int | None = None,
    seed: int = 0,
    convention: str | None = None,
    threads: int | None = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Comparison:
    """Compares systems on the same queries: differences, intervals, p-values, effect sizes, and what changed.

    `runs` are runs by name, paths, or finished results. With `baseline`, a name or a path, every other run is compared
    to it; without, every pair is. In a pair `a` comes first; `difference` is what `b` has more, and a win is a query
    that `b` does better.

    >>> import assay
    >>> qrels = {f"q{n}": ["d"] for n in range(20)}
    >>> runs = {"old": {q: ["x", "d"] for q in qrels}, "new": {q: ["d", "x"] for q in qrels}}
    >>> pair = assay.compare(qrels, runs, ["rr"]).pairs[0]
    >>> pair.difference, pair.wins, pair.p < 0.0001
    (0.5, 20, True)

    Tests: `randomization`, `t`, `wilcoxon`, `sign`, `bootstrap`, and for all pairs at once `tukey` and
    `tukey_randomized`. Corrections: `holm`, `bonferroni`, `bh`, `by`, `none`, over the pairs of each measure or, with
    `family="all"`, of all measures together. The same seed gives the same numbers.

    Runs are scored as `evaluate` does, under a `convention` (by default assay's own) and its policies. Finished
    results are as they are, so they go without these.
    """
    named = name_runs(runs)
    baseline = find_baseline(named, baseline)
    settings = check_settings(ComparisonSettings(test, correction, family, alpha, samples, seed, baseline))
    finished = {name: run for name, run in named.items() if isinstance(run, Result)}
    if len(finished) == len(named):
        check_unscored({"convention": convention, "threads": threads, **policies})
        return compare_results(align_results(finished, measures), None, settings)
    if finished:
        raise DataError("give runs or finished results, not both")
    chosen = DEFAULT_MEASURES if measures is None else measures
    known = "assay" if convention is None else convention
    scorer = make_scorer(qrels, chosen, convention=known, threads=threads, **policies)
    return compare_results(*read_runs(scorer, named), settings)


def align_results(results: Mapping[str, Result], measures: str | Iterable[str | Measure] | None) -> dict[str, Result]:
    """Finished results with the same measures, and with their queries in the order of the first."""
    aligned = align_measures(results, measures)
    queries = next(iter(aligned.values())).queries
    return {name: align_by_query(result, queries) for name, result in aligned.items()}


def read_runs(
    scorer: Scorer,
    runs: Mapping[str, object],
    *,
    format: str | None = None,
    watch: Callable[[str], AbstractContextManager[Progress | None]] = lambda _: nullcontext(),
) -> tuple[dict[str, Result], Ranks]:
    """The result of each run, and where its judged documents stand; `watch` stands around the work on each."""
    results, ranks = {}, Ranks(scorer)
    for name, run in runs.items():
        with watch(describe(run)) as progress:
            seen = scorer.read(run, format=format, progress=progress)
            results[name] = scorer.score(seen)
            ranks.add(name, seen)
    return results, ranks


def compare_results(
    results: Mapping[str, Result], ranks: Ranks | None, settings: ComparisonSettings, report: Report = unheard
) -> Comparison:
    """Compares finished results of the same queries; `report` hears how far the test is."""
    check_queries(results)
    measured, notes = paired_measures(results, settings.test)
    couples = list(combinations(results, 2))
    if settings.baseline is not None:
        couples = [(settings.baseline, other) for other in results if other != settings.baseline]
    pairs, cautions = compare_pairs(measured, couples, settings, report)
    notes = [*common_notes(Results(results).notes), *notes, *caution_notes(cautions, len(couples))]
    if settings.test == "randomization" and not is_drawn(pairs, settings):
        settings = settings._replace(samples=None)
    split = [(each.measure, *each.runs) for each in cautions if each.kind == "split"]
    return Comparison(pairs, Results(results), settings, tuple(notes), ranks, split=split)


def caution_notes(cautions: Iterable[Caution], couples: int) -> list[Note]:
    """What was found, once for all pairs that it is true of."""
    pairs: dict[tuple[str, str, str], list[str]] = {}
    for each in cautions:
        pairs.setdefault((each.kind, each.measure, each.text), []).append(" and ".join(each.runs))
    notes = []
    for (kind, measure, text), names in pairs.items():
        about = "every pair" if 1 < couples == len(names) else ", ".join(name for name in names if name)
        notes.append(Note(NoteKind.named(kind), f"{measure}, {about}: {text}" if about else f"{measure}: {text}"))
    return notes


def is_drawn(pairs: Iterable[Pair], settings: ComparisonSettings) -> bool:
    """Whether a randomization test has drawn samples, and not tried every sign pattern of every pair."""
    return any(not is_exact(each.wins + each.ties + each.losses, settings.samples or 0) for each in pairs)


def paired_measures(results: Mapping[str, Result], test: str) -> tuple[dict[str, Measured], list[Note]]:
    """What each measure gives a test to compare, and notes on those that are no mean of their queries."""
    first = next(iter(results.values()))
    measured, notes = {}, []
    for name, measure in first.measures.items():
        definition, pool = measure.definition, None
        if is_pooled(measure):
            pool = pool_of(name, results, test)
            notes.append(
                Note(NoteKind.POOLED, f"{name} is a score of summed statistics: it is what is tested; {COUNTED_ALONE}")
            )
        if definition.corpus is None:
            scores = {run: result.scores[name] for run, result in results.items()}
            measured[name] = Measured(scores, definition.aggregate, 1 if definition.higher_is_better else -1, pool)
        else:
            notes.append(Note(NoteKind.CORPUS, f"{name} is one number of all queries, so it has no pairs to compare"))
    if not measured:
        raise MeasureError("there is no measure that queries have values of, so nothing can be paired")
    return measured, notes


def pool_of(name: str, results: Mapping[str, Result], test: str) -> Pool:
    """The statistics of a measure whose number is a score of their sums."""
    first = next(iter(results.values()))
    measure = first.measures[name]
    if test not in POOLED_TESTS:
        mean = ""
        if "aggregate" in measure.values:
            mean = f"; {measure.definition(**{**measure.values, 'aggregate': 'mean'})} is a mean, which every test can"
        allowed = " or ".join(map(repr, POOLED_TESTS))
        raise MeasureError(f"{name} is a score of summed statistics, which only test={allowed} can compare{mean}")
    lacking = [run for run, result in results.items() if name not in result.statistics]
    if lacking:
        raise MeasureError(
            f"{name} is a score of summed statistics, which {some(lacking)} came without, as an older assay stored it; "
            "evaluate again, or name other measures to compare"
        )
    return Pool(
        {run: result.statistics[name] for run, result in results.items()},
        partial(combine_statistics, first.measures[name]),
    )


def name_runs(runs: Mapping[str, object] | Sequence[object] | Results) -> dict[str, object]:
    """The runs by name: paths are called by their file's name without its ending, results by their number."""
    if isinstance(runs, (Mapping, Results)):
        named = {str(name): run for name, run in runs.items()}
    elif isinstance(runs, (list, tuple)) and all(isinstance(run, (str, os.PathLike)) for run in runs):
        from assay.data.naming import run_names

        named = dict(zip(run_names([os.fspath(run) for run in runs]), runs, strict=True))
    elif isinstance(runs, (list, tuple)) and all(isinstance(run, Result) for run in runs):
        named = {f"run {number}": run for number, run in enumerate(runs, start=1)}
    else:
        raise DataError(f"the runs must be a dict of name and run, or a list of paths or results, not {show(runs)}")
    if len(named) < len(runs):
        raise DataError("two runs have the same name")
    if len(named) < 2:  # noqa: PLR2004 - it takes two
        raise DataError(f"it takes two runs to compare; there is {'one' if named else 'none'}")
    return named


def find_baseline(named: Mapping[str, object], baseline: str | os.PathLike[str] | None) -> str | None:
    """The name of the run that is the baseline, which may be given as its path too."""
    if baseline is None or str(baseline) in named:
        return None if baseline is None else str(baseline)
    paths = {name: run for name, run in named.items() if isinstance(run, (str, os.PathLike))}
    found = [name for name, path in paths.items() if Path(path) == Path(str(baseline))]
    if len(found) != 1:
        there = ", ".join(map(show, named))
        raise DataError(f"there is no run {show(baseline)} to be the baseline; there are {there}")
    return found[0]


def check_queries(results: Mapping[str, Result]) -> None:
    """Raises unless all results are of the same queries."""
    (name, first), *others = results.items()
    for other, result in others:
        if result.queries != first.queries:
            different = sorted(set(first.queries) ^ set(result.queries))
            raise MismatchError(
                f"{show(name)} and {show(other)} are not of the same queries: {some(different)}; "
                'missing="zero" (--missing zero) counts those that a run lacks'
            )
