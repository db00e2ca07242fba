"""`compare`: which of several systems is better, and how sure that is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError, MeasureError, MismatchError
from assay.core.interface import Option
from assay.core.measure import is_pooled
from assay.core.note import Note, NoteKind
from assay.core.policies import count_missing
from assay.core.text import show, some
from assay.data.run import name_runs
from assay.results.align import align_by_query, align_measures, check_unscored
from assay.results.embedded import SEPARATOR, report_runs, split_report
from assay.results.recognize import finished_result, is_page
from assay.results.result import Result, combine_statistics
from assay.results.results import Results, common_notes
from assay.stats.pairs import Measured
from assay.stats.pooled import POOLED_TESTS, Pool
from assay.stats.randomization import is_exact
from assay.stats.significance import ComparisonSettings, check_settings, compare_pairs
from assay.tasks.compare.ranks import Ranks
from assay.tasks.compare.result import Comparison
from assay.tasks.evaluate.score import warned
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES, make_scorer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.core.measure import Measure
    from assay.core.progress import Report
    from assay.stats.anchored import Anchored
    from assay.stats.pairs import Caution, Pair
    from assay.tasks.evaluate.scorer import Scorer


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
    human: object = None,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Comparison:
    """Compares systems on the same queries: differences, intervals, p-values, effect sizes, and what changed.

    `runs` are runs by name, paths, or finished results, also as files that `save` wrote. With `baseline`, a name or a
    path, every other run is compared with it; without, every pair is compared. In a pair `a` comes first; `difference`
    is `b` minus `a`, and a win is a query where `b` is better.

    >>> import assay
    >>> qrels = {f"q{n}": ["d"] for n in range(20)}
    >>> runs = {"old": {q: ["x", "d"] for q in qrels}, "new": {q: ["d", "x"] for q in qrels}}
    >>> pair = assay.compare(qrels, runs, ["rr"]).pairs[0]
    >>> pair.difference, pair.wins, pair.p < 0.0001
    (0.5, 20, True)

    Tests: `randomization`, `t`, `wilcoxon`, `sign`, `bootstrap`, and for all pairs at once `tukey` and
    `tukey_randomized`. Corrections: `holm`, `bonferroni`, `bh`, `by`, `none`, over the pairs of each measure or, with
    `family="all"`, of all measures together. The same seed gives the same numbers.

    Runs are scored as by `evaluate`, under a `convention` (by default assay's own) and its policies; `doc_id` finds the
    documents of chunks, as in `doc_id="before:#"`. Finished results are not scored again, so these options are an error
    for them.

    `human` are people's judgments of a random part of the queries, or for finished results their scores by run. The
    differences are then prediction-powered: right even if `qrels`, made by an LLM say, err. Results that `evaluate`
    anchored so need nothing more.
    """
    named = named_runs(runs)
    baseline = find_baseline(named, baseline)
    settings = check_settings(ComparisonSettings(test, correction, family, alpha, samples, seed, baseline))

    def make(chosen: str | Iterable[str | Measure]) -> Scorer:
        known = "assay" if convention is None else convention
        return make_scorer(qrels, chosen, convention=known, threads=threads, **policies)

    options = {"convention": convention, "threads": threads, **policies}
    results, ranks = anchored_results(named, human, measures, make, options)
    for name, result in results.items():
        warned(result, name)
    return compare_results(results, ranks, settings)


def anchored_results(
    runs: Mapping[str, object],
    human: object,
    measures: str | Iterable[str | Measure] | None,
    make: Callable[[str | Iterable[str | Measure]], Scorer],
    options: Mapping[str, object],
    **reading: Any,  # noqa: ANN401 - those of `Scorer.score_all`
) -> tuple[dict[str, Result], Ranks | None]:
    """What `read_all` gives, anchored by human labels if there are any."""
    if human is None:
        return read_all(runs, measures, make, options, **reading)
    from assay.tasks.compare.anchors import anchor_runs, read_runs_again

    format_ = reading.get("format")
    again = read_runs_again(runs, format_)
    results, ranks = read_all(again, measures, make, options, **reading)
    return anchor_runs(results, ranks, again, human, format_), ranks


def read_all(
    runs: Mapping[str, object],
    measures: str | Iterable[str | Measure] | None,
    make: Callable[[str | Iterable[str | Measure]], Scorer],
    options: Mapping[str, object],
    **reading: Any,  # noqa: ANN401 - those of `Scorer.score_all`
) -> tuple[dict[str, Result], Ranks | None]:
    """The results of runs, and the ranks of their documents unless some are finished results, or files of these.

    `make` makes the scorer of the others. If there are none, an option for scoring is an error.
    """
    finished = {name: result for name, run in runs.items() if (result := finished_result(run)) is not None}
    unscored = {name: run for name, run in runs.items() if name not in finished}
    if not unscored:
        check_unscored(options)
        return align_results(finished, measures), None
    if measures is None:
        measures = list(next(iter(finished.values())).measures) if finished else DEFAULT_MEASURES
    scorer = make(measures)
    scored, kept = scorer.score_all(unscored, **reading)
    ranks = Ranks(scorer, *kept)
    if not finished:
        return scored, ranks
    both = {**scored, **finished}
    return align_results({name: both[name] for name in runs}, measures), None


def align_results(results: Mapping[str, Result], measures: str | Iterable[str | Measure] | None) -> dict[str, Result]:
    """Finished results with the same measures, and with their queries in the order of the first."""
    aligned = align_measures(results, measures)
    queries = next(iter(aligned.values())).queries
    return {name: align_by_query(result, queries) for name, result in aligned.items()}


def compare_results(
    results: Mapping[str, Result], ranks: Ranks | None, settings: ComparisonSettings, report: Report | None = None
) -> Comparison:
    """Compares finished results on the same queries; `report` is told the progress of the test."""
    check_queries(results)
    measured, notes = paired_measures(results, settings.test)
    couples = list(combinations(results, 2))
    if settings.baseline is not None:
        couples = [(settings.baseline, other) for other in results if other != settings.baseline]
    anchors: dict[tuple[str, str, str], Anchored] = {}
    if any(result.human for result in results.values()):
        from assay.tasks.compare.anchors import anchored_settings, compare_with_people, pairs_note

        settings = anchored_settings(settings)
        pairs, cautions, anchors = compare_with_people(results, measured, couples, settings)
        notes.append(pairs_note())
    elif report is None and "ipykernel" in sys.modules:
        from assay.core.progress import progress_bar

        with progress_bar("comparing") as shown:
            pairs, cautions = compare_pairs(measured, couples, settings, shown)
    else:
        pairs, cautions = compare_pairs(measured, couples, settings, report)
    own = {name: result.notes for name, result in results.items()}
    notes = [*(common_notes(own) if any(own.values()) else ()), *notes, *caution_notes(cautions, len(couples))]
    if settings.test == "randomization" and not is_drawn(pairs, settings):
        settings = settings._replace(samples=None)
    split = frozenset((*each.note.measures, *each.runs) for each in cautions if each.note.kind is NoteKind.SPLIT)
    return Comparison(pairs, Results(dict(results)), settings, tuple(notes), ranks, split, anchors)


def caution_notes(cautions: Iterable[Caution], couples: int) -> list[Note]:
    """The cautions as notes: once for all pairs that share them, with the names of the pairs."""
    pairs: dict[Note, list[str]] = {}
    for note, runs in cautions:
        pairs.setdefault(note, []).append(" and ".join(runs))
    notes = []
    for note, names in pairs.items():
        about = "every pair" if 1 < couples == len(names) else ", ".join(filter(None, names))
        notes.append(replace(note, text=f"{note.text} ({about})") if about else note)
    return notes


def is_drawn(pairs: Iterable[Pair], settings: ComparisonSettings) -> bool:
    """Whether a randomization test has drawn samples, and not tried every sign pattern of every pair."""
    return any(not is_exact(each.wins + each.ties + each.losses, settings.samples or 0) for each in pairs)


def paired_measures(results: Mapping[str, Result], test: str) -> tuple[dict[str, Measured], list[Note]]:
    """The scores of each measure to be tested, and notes on measures that are not a mean over queries."""
    first = next(iter(results.values()))
    measured, notes = {}, []
    for name, measure in first.measures.items():
        definition, pool = measure.definition, None
        if is_pooled(measure):
            pool = pool_of(name, results, test)
            notes.append(Note.of(NoteKind.POOLED, measures=[name]))
        if definition.corpus is None:
            scores = {run: result.scores[name] for run, result in results.items()}
            measured[name] = Measured(scores, definition.aggregate, 1 if definition.higher_is_better else -1, pool)
        else:
            notes.append(Note.of(NoteKind.CORPUS, measures=[name]))
    if not measured:
        raise MeasureError("nothing to compare: none of the measures has a value per query")
    return measured, notes


def pool_of(name: str, results: Mapping[str, Result], test: str) -> Pool:
    """The statistics of a measure that scores their sums."""
    first = next(iter(results.values()))
    measure = first.measures[name]
    if test not in POOLED_TESTS:
        mean = ""
        if "aggregate" in measure.values:
            mean = f"; for any test, use the mean: {measure.definition(**{**measure.values, 'aggregate': 'mean'})}"
        allowed = " or ".join(str(Option("test", each)) for each in POOLED_TESTS)
        raise MeasureError(f"{name} is a score of summed statistics; it can only be tested with {allowed}{mean}")
    lacking = [run for run, result in results.items() if name not in result.statistics]
    if lacking:
        raise MeasureError(
            f"{name} is a score of summed statistics, and {some(lacking)} has none: it was stored by an older assay; "
            "evaluate again, or compare other measures"
        )
    return Pool(
        {run: result.statistics[name] for run, result in results.items()},
        partial(combine_statistics, first.measures[name]),
    )


def named_runs(runs: Mapping[str, object] | Sequence[object] | Results) -> dict[str, object]:
    """The runs to compare, by name."""
    named = named_data(runs)
    if len(named) < 2:  # noqa: PLR2004 - a comparison is of two
        raise DataError(f"need at least two runs to compare, got {len(named)}")
    return named


def named_data(runs: Mapping[str, object] | Sequence[object] | Results) -> dict[str, object]:
    """Any number of runs by name; a report among their paths stands for the runs in it."""
    if not isinstance(runs, (list, tuple)) or not all(isinstance(run, (str, os.PathLike)) for run in runs):
        return name_runs(runs.results if isinstance(runs, Results) else runs, (Result,))
    paths: list[str] = []
    names: list[str] = []
    for run in map(os.fspath, runs):
        inside = [] if not is_page(run) else report_runs(run) if split_report(run)[1] is None else [run]
        paths += [f"{run}{SEPARATOR}{name}" if name != run else run for name in inside] or [run]
        names += [name.rpartition(SEPARATOR)[2] for name in inside] or [run]
    return dict(zip(name_runs(names), paths, strict=True))


def find_baseline(named: Mapping[str, object], baseline: str | os.PathLike[str] | None) -> str | None:
    """The name of the run that is the baseline, which may be given as its path too."""
    if baseline is None or str(baseline) in named:
        return None if baseline is None else str(baseline)
    paths = {name: run for name, run in named.items() if isinstance(run, (str, os.PathLike))}
    found = [name for name, path in paths.items() if Path(path) == Path(str(baseline))]
    if len(found) != 1:
        raise DataError(f"unknown baseline {show(baseline)}; the runs are {', '.join(map(show, named))}")
    return found[0]


def check_queries(results: Mapping[str, Result]) -> None:
    """Raises unless all results have the same queries."""
    (name, first), *others = results.items()
    for other, result in others:
        if result.queries != first.queries:
            different = sorted(set(first.queries) ^ set(result.queries))
            raise MismatchError(
                f"{show(name)} and {show(other)} have different queries: {some(different)}; {count_missing()}"
            )
