"""Runs to compare, in any form: their names, their results, and the ranks of their judged documents.

Runs are scored as by `evaluate`; finished results, and files of these, are taken as they are.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core.errors import DataError, MismatchError, PolicyError
from assay.core.measure import Measure
from assay.core.policies import count_missing
from assay.core.progress import watched
from assay.core.text import Option, show, some
from assay.data.run import SEPARATOR, is_page, is_stored, name_runs, read_again, run_names, split_report
from assay.files.source import StandardInput, describe, is_source
from assay.results.result import Result
from assay.results.results import Results, align_by_query, align_measures
from assay.tasks.evaluate.api import Ranks, Scorer
from assay.tasks.evaluate.plan import DEFAULT_MEASURES, make_plan

# Measures as they are asked for.
Wanted = str | Iterable[str | Measure]


class HowToRead(NamedTuple):
    """How runs are read and scored, as `evaluate` takes it; what is not set has its default."""

    convention: str | None = None
    threads: int | None = None
    format: str | None = None
    policies: Mapping[str, Any] = MappingProxyType({})
    top: int = 0
    progress: bool = False

    def check_unused(self) -> None:
        """Raises if an option for scoring is set where nothing is scored."""
        options = {"convention": self.convention, "threads": self.threads, "format": self.format, **self.policies}
        if given := [str(Option(name)) for name, value in options.items() if value is not None]:
            raise PolicyError(f"finished results are not scored again; leave out {' and '.join(given)}")


class ScoredRuns(NamedTuple):
    """The results of runs on the same judgments, and the ranks of their documents unless some were finished results."""

    results: Mapping[str, Result]
    ranks: Ranks | None = None

    @property
    def first(self) -> Result:
        return next(iter(self.results.values()))

    @property
    def material(self) -> dict[str, Any]:
        """What charts are drawn of, by need."""
        from assay.results.plot import mean_rows

        has: dict[str, Any] = {"means": partial(mean_rows, self.results), "scores": self.results}
        return has if self.ranks is None else has | {"rankings": self}


def name_all(
    qrels: object, runs: Mapping[str, object] | Sequence[object] | Results
) -> tuple[object, dict[str, object]]:
    """The judgments, and any number of runs by name; a report among their paths stands for the runs in it."""
    runs = runs.results if isinstance(runs, Results) else runs
    # A stored result in the place of the judgments is the first of the paths, as all are finished then.
    if isinstance(runs, (list, tuple)) and is_stored(qrels):
        qrels, runs = None, [qrels, *runs]
    paths = (str, os.PathLike, StandardInput)
    if not isinstance(runs, (list, tuple)) or not all(isinstance(run, paths) for run in runs):
        return qrels, name_runs(runs, (Result,))
    found: list[tuple[str, object]] = []
    for run in runs:
        path = "-" if isinstance(run, StandardInput) else os.fspath(run)
        if is_page(path) and split_report(path)[1] is None:
            from assay.results import load

            found += [(name, f"{path}{SEPARATOR}{name}") for name in load.run_names(load.read_page(path))]
        else:
            found.append((path.rpartition(SEPARATOR)[2] if is_page(path) else path, run))
    return qrels, dict(zip(run_names([name for name, _ in found]), (run for _, run in found), strict=True))


def find_baseline(named: Mapping[str, object], baseline: str | os.PathLike[str] | None) -> str | None:
    """The name of the run that is the baseline, which may be given as its path too."""
    if baseline is None or str(baseline) in named:
        return None if baseline is None else str(baseline)
    paths = {name: run for name, run in named.items() if isinstance(run, (str, os.PathLike))}
    found = [name for name, path in paths.items() if Path(path) == Path(str(baseline))]
    if len(found) != 1:
        raise DataError(f"unknown baseline {show(baseline)}; the runs are {', '.join(map(show, named))}")
    return found[0]


def finished_result(run: object) -> Result | None:
    """The result, given as such or as a stored file; None for a run."""
    if not is_stored(run):
        return run if isinstance(run, Result) else None
    from assay.results.load import load_result

    return load_result(run)  # type: ignore[arg-type]


def score_runs(
    qrels: object, runs: Mapping[str, object], measures: Wanted | None, reading: HowToRead, human: object = None
) -> ScoredRuns:
    """The results of runs, each read once, anchored by `human` judgments or scores; finished ones are only aligned."""
    if human is not None:
        runs = {name: read_again(run, reading.format) for name, run in runs.items()}
        return anchor_runs(score_runs(qrels, runs, measures, reading), runs, reading.format, human)
    finished = {name: result for name, run in runs.items() if (result := finished_result(run)) is not None}
    unscored = {name: run for name, run in runs.items() if name not in finished}
    if not unscored:
        reading.check_unused()
    else:
        if measures is None:
            measures = list(next(iter(finished.values())).measures) if finished else DEFAULT_MEASURES
        scored = score_unscored(qrels, unscored, measures, reading)
        if not finished:
            return scored
        finished |= scored.results
    # All have the same measures, and their queries in the order of the first.
    aligned = align_measures({name: finished[name] for name in runs}, measures)
    queries = next(iter(aligned.values())).queries
    return ScoredRuns({name: align_by_query(result, queries) for name, result in aligned.items()})


def score_unscored(qrels: object, runs: Mapping[str, object], measures: Wanted, reading: HowToRead) -> ScoredRuns:
    """The results of runs none of which is finished, and the ranks of their documents."""
    if qrels is None:
        raise DataError("a run needs judgments: they come first, unless every run is a stored result")
    plan = make_plan(measures, convention=reading.convention or "assay", top=reading.top, **reading.policies)
    watch = watched if reading.progress else lambda _: nullcontext()
    with watch(describe(qrels)) if is_source(qrels) else nullcontext():
        scorer = Scorer(plan, qrels, threads=reading.threads)
    return ScoredRuns(*scorer.score_all(runs, format=reading.format, watch=watch))


def anchor_runs(scored: ScoredRuns, runs: Mapping[str, object], format: str | None, human: object) -> ScoredRuns:
    """The results of runs, anchored by human judgments, or by human scores of each run."""
    from assay.tasks.evaluate.human import anchor_result, scored_by_people
    from assay.tasks.evaluate.scores import read_given_scores

    human = human.results if isinstance(human, Results) else human
    if isinstance(human, Mapping) and all(name in human for name in scored.results):
        people = {name: read_given_scores(human[name], list(scored.first.measures)) for name in scored.results}
    elif scored.ranks is None:
        advice = "compare runs, or results that were anchored by them when they were scored"
        raise DataError(f"a finished result cannot be scored by human judgments; {advice}")
    else:
        scorer = scored_by_people(scored.ranks.scorer, human, scored.first)
        people = {name: scorer.evaluate(run, format=format) for name, run in runs.items()}
    anchored = {name: anchor_result(result, people[name]) for name, result in scored.results.items()}
    return scored._replace(results=anchored)


def check_queries(results: Mapping[str, Result]) -> None:
    """Raises unless all results have the same queries."""
    (name, first), *others = results.items()
    for other, result in others:
        if result.queries != first.queries:
            different = some(sorted({*first.queries} ^ {*result.queries}))
            said = f"{show(name)} and {show(other)} have different queries: {different}"
            raise MismatchError(f"{said}; {count_missing(or_skip=False)}")
