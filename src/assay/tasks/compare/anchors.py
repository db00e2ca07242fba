"""Runs compared on judgments of every query that people's labels anchor: which labels each run and measure has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.text import Option, some
from assay.data.run import read_again
from assay.results.results import Results
from assay.stats.anchored import compare_anchored
from assay.stats.significance import PPI, ComparisonSettings
from assay.tasks.compare.read import ScoredRuns, score_runs
from assay.tasks.evaluate.human import anchor_result, scored_by_people
from assay.tasks.evaluate.scores import read_given_scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.core.judged import FloatArray
    from assay.core.measure import Measure
    from assay.results.result import Result
    from assay.stats.anchored import Anchored
    from assay.stats.pairs import Caution, Measured, Pair
    from assay.tasks.compare.read import HowToRead


def score_anchored(
    qrels: object,
    runs: Mapping[str, object],
    measures: str | Iterable[str | Measure] | None,
    reading: HowToRead,
    human: object,
) -> ScoredRuns:
    """The results of runs, anchored by human judgments, or by human scores of each run."""
    # Runs are scored twice: under all judgments, and under those of people.
    runs = {name: read_again(run, reading.format) for name, run in runs.items()}
    scored = score_runs(qrels, runs, measures, reading)
    human = human.results if isinstance(human, Results) else human
    if isinstance(human, Mapping) and all(name in human for name in scored.results):
        people = {name: read_given_scores(human[name], list(scored.first.measures)) for name in scored.results}
    elif scored.ranks is None:
        raise DataError(
            "a finished result cannot be scored by human judgments; compare runs, or results that were "
            "anchored by them when they were scored"
        )
    else:
        scorer = scored_by_people(scored.ranks.scorer, human, scored.first)
        people = {name: scorer.evaluate(run, format=reading.format) for name, run in runs.items()}
    anchored = {name: anchor_result(result, people[name]) for name, result in scored.results.items()}
    return scored._replace(results=anchored)


def human_labels(results: Mapping[str, Result], measures: Iterable[str]) -> dict[str, dict[str, FloatArray]]:
    """The human values of each measure and run; raises unless all runs have them for all measures."""
    bare = [name for name, result in results.items() if not result.human]
    if bare:
        labelled = [name for name in results if name not in bare]
        raise MismatchError(f"{some(labelled)} has human labels and {some(bare)} has none; anchor all results, or none")
    for measure in measures:
        if missing := [name for name, result in results.items() if measure not in result.human]:
            raise MeasureError(
                f"{measure} is not anchored by human labels in {some(missing)}; leave it out, or compare without them"
            )
    return {measure: {name: result.human[measure] for name, result in results.items()} for measure in measures}


def anchored_settings(settings: ComparisonSettings) -> ComparisonSettings:
    """The settings with the one test that there is for anchored differences."""
    if settings.test not in (ComparisonSettings().test, PPI):
        raise PolicyError(
            f"differences that human labels anchor have a test of their own; leave out {Option('test', settings.test)}"
        )
    return settings._replace(test=PPI, samples=None)


def compare_with_people(
    results: Mapping[str, Result],
    measured: Mapping[str, Measured],
    couples: Sequence[tuple[str, str]],
    settings: ComparisonSettings,
) -> tuple[list[Pair], list[Caution], dict[tuple[str, str, str], Anchored]]:
    """The pairs, cautions about them, and how human labels anchor each pair by measure and names."""
    labels = human_labels(results, measured)
    pairs, anchors, cautions = compare_anchored(measured, labels, couples, settings)
    for pair, anchor in zip(pairs, anchors, strict=True):
        if anchor.human < 2:  # noqa: PLR2004 - one query does not vary
            raise DataError(
                f"{pair.measure}: {pair.a} and {pair.b} need at least 2 queries with human labels in both, "
                f"they have {anchor.human}"
            )
    return pairs, cautions, {pair[:3]: anchor for pair, anchor in zip(pairs, anchors, strict=True)}
