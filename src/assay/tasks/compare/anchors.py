"""Runs compared on judgments of every query that people's labels anchor: which labels each run and measure has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.interface import Option
from assay.core.note import Note, NoteKind
from assay.core.text import some
from assay.data.run import read_again
from assay.results.results import Results
from assay.stats.anchored import compare_anchored
from assay.stats.significance import PPI, ComparisonSettings
from assay.tasks.evaluate.given_scores import read_given_scores
from assay.tasks.evaluate.human import anchor_result, scored_by_people

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from assay.core.judged import FloatArray
    from assay.results.result import Result
    from assay.stats.anchored import Anchored
    from assay.stats.pairs import Caution, Measured, Pair
    from assay.tasks.compare.ranks import Ranks


def read_runs_again(runs: Mapping[str, object], format: str | None = None) -> dict[str, object]:
    """The runs in forms that can be scored twice: under all judgments, and under those of people."""
    return {name: read_again(run, format) for name, run in runs.items()}


def anchor_runs(
    results: Mapping[str, Result],
    ranks: Ranks | None,
    runs: Mapping[str, object],
    human: object,
    format: str | None = None,
) -> dict[str, Result]:
    """The results, anchored by human judgments, or by human scores of each run."""
    human = human.results if isinstance(human, Results) else human
    if isinstance(human, Mapping) and all(name in human for name in results):
        measures = list(next(iter(results.values())).measures)
        return {name: anchor_result(each, read_given_scores(human[name], measures)) for name, each in results.items()}
    if ranks is None:
        raise DataError(
            "a finished result cannot be scored by human judgments; compare runs, or results that were "
            "anchored by them when they were scored"
        )
    people = scored_by_people(ranks.scorer, human, next(iter(results.values())))
    return {name: anchor_result(result, people.evaluate(runs[name], format=format)) for name, result in results.items()}


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


def pairs_note() -> Note:
    """What is anchored in a comparison, and what is not."""
    return Note.of(NoteKind.ANCHORED, about="pairs")
