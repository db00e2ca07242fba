"""`compare`: which of several systems is better, and how sure that is.

Runs become results, which human labels can anchor (`read.py`); `compare_results` tests every pair, and the `Comparison`
words its verdict when it is asked.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError, MeasureError, MismatchError, PolicyError
from assay.core.measure import Measure, is_pooled
from assay.core.note import Note, NoteKind
from assay.core.progress import progress_bar
from assay.core.text import Option, some
from assay.results.result import Result, combine_statistics
from assay.results.results import Results, common_notes
from assay.stats.pairs import Caution, Measured, Pair, Pool
from assay.stats.randomization import POOLED_TESTS, is_exact
from assay.stats.significance import PPI, ComparisonSettings, check_settings, compare_pairs
from assay.tasks.compare.read import HowToRead, ScoredRuns, check_queries, find_baseline, name_all, score_runs
from assay.tasks.compare.result import Comparison
from assay.tasks.evaluate.score import warned

if TYPE_CHECKING:
    from assay.stats.anchored import Anchored


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
    human: object = None,
    convention: str | None = None,
    format: str | None = None,
    threads: int | None = None,
    top: int = 0,
    progress: bool = False,
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Comparison:
    """Compares systems on the same queries: differences, intervals, p-values, effect sizes, and what changed.

    `runs` are runs by name, paths, or finished results, also as files that `save` wrote, and reports for the runs in
    them. If all are finished, `qrels` may be None, or the first of the files. With `baseline`, a name or a path, every
    other run is compared with it; without, every pair is compared. In a pair `a` comes first; `difference` is `b` minus
    `a`, and a win is a query where `b` is better.

    >>> import assay
    >>> qrels = {f"q{n}": ["d"] for n in range(20)}
    >>> runs = {"old": {q: ["x", "d"] for q in qrels}, "new": {q: ["d", "x"] for q in qrels}}
    >>> pair = assay.compare(qrels, runs, ["rr"]).pairs[0]
    >>> pair.difference, pair.wins, pair.p < 0.0001
    (0.5, 20, True)

    Tests: `randomization`, `t`, `wilcoxon`, `sign`, `bootstrap`, and for all pairs at once `tukey` and
    `tukey_randomized`. Corrections: `holm`, `bonferroni`, `bh`, `by`, `none`, over the pairs of each measure or, with
    `family="all"`, of all measures together. The same seed gives the same numbers.

    Runs are read and scored as by `evaluate`, under a `convention` (by default assay's own) and its policies; `doc_id`
    finds the documents of chunks, as in `doc_id="before:#"`. Finished results are not scored again, so these options
    are an error for them. `top` keeps so many first documents of each ranking, so that `report` reads no run again, and
    `progress` shows bars on a terminal.

    `human` are people's judgments of a random sample of the queries, or for finished results their scores by run. The
    differences are then prediction-powered: right even if `qrels`, made by an LLM say, err. Results that `evaluate`
    anchored so need nothing more.
    """
    qrels, named = name_all(qrels, runs)
    if len(named) < 2:  # noqa: PLR2004 - a comparison is of two
        raise DataError(f"need at least two runs to compare, got {len(named)}")
    baseline = find_baseline(named, baseline)
    settings = check_settings(ComparisonSettings(test, correction, family, alpha, samples, seed, baseline))
    reading = HowToRead(convention, threads, format, policies, top, progress)
    scored = score_runs(qrels, named, measures, reading, human)
    for name, result in scored.results.items():
        warned(result, name)
    return compare_results(scored, settings, progress=progress)


def compare_results(scored: ScoredRuns, settings: ComparisonSettings, *, progress: bool = False) -> Comparison:
    """Tests every pair of runs, or every run against the baseline, on the same queries."""
    results = scored.results
    check_queries(results)
    measured, notes = paired_measures(results, settings.test)
    couples = list(combinations(results, 2))
    if settings.baseline is not None:
        couples = [(settings.baseline, other) for other in results if other != settings.baseline]
    anchors: dict[tuple[str, str, str], Anchored] = {}
    if any(result.human for result in results.values()):
        if settings.test not in (ComparisonSettings().test, PPI):
            leave = f"leave out {Option('test', settings.test)}"
            raise PolicyError(f"differences that human labels anchor have a test of their own; {leave}")
        settings = settings._replace(test=PPI, samples=None)
        pairs, cautions, anchors = compare_with_people(results, measured, couples, settings)
        notes.append(Note.of(NoteKind.ANCHORED, about="pairs"))
    else:
        with progress_bar("comparing") if progress or "ipykernel" in sys.modules else nullcontext() as report:
            pairs, cautions = compare_pairs(measured, couples, settings, report)
    own = {name: result.notes for name, result in results.items()}
    notes = [*(common_notes(own) if any(own.values()) else ()), *notes, *caution_notes(cautions, len(couples))]
    sizes = [each.wins + each.ties + each.losses for each in pairs]
    # If every sign pattern of every pair was tried, no samples were drawn.
    if settings.test == "randomization" and all(is_exact(size, settings.samples or 0) for size in sizes):
        settings = settings._replace(samples=None)
    split = frozenset((*each.note.measures, *each.runs) for each in cautions if each.note.kind is NoteKind.SPLIT)
    return Comparison(pairs, Results(dict(results)), settings, tuple(notes), scored.ranks, split, anchors)


def compare_with_people(
    results: Mapping[str, Result],
    measured: Mapping[str, Measured],
    couples: Sequence[tuple[str, str]],
    settings: ComparisonSettings,
) -> tuple[list[Pair], list[Caution], dict[tuple[str, str, str], Anchored]]:
    """The pairs, cautions about them, and how human labels, which all runs must have, anchor each pair."""
    from assay.stats.anchored import compare_anchored

    if bare := [name for name, result in results.items() if not result.human]:
        labelled = [name for name in results if name not in bare]
        raise MismatchError(f"{some(labelled)} has human labels and {some(bare)} has none; anchor all results, or none")
    for measure in measured:
        if missing := [name for name, result in results.items() if measure not in result.human]:
            said = f"{measure} is not anchored by human labels in {some(missing)}"
            raise MeasureError(f"{said}; leave it out, or compare without them")
    labels = {measure: {name: each.human[measure] for name, each in results.items()} for measure in measured}
    pairs, anchors, cautions = compare_anchored(measured, labels, couples, settings)
    by_pair = {pair[:3]: anchor for pair, anchor in zip(pairs, anchors, strict=True)}
    for (measure, a, b), anchor in by_pair.items():
        if anchor.human < 2:  # noqa: PLR2004 - one query does not vary
            needed = f"{measure}: {a} and {b} need at least 2 queries with human labels in both"
            raise DataError(f"{needed}, they have {anchor.human}")
    return pairs, cautions, by_pair


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


def paired_measures(results: Mapping[str, Result], test: str) -> tuple[dict[str, Measured], list[Note]]:
    """The scores of each measure to be tested, and notes on measures that are not a mean over queries."""
    measured, notes = {}, []
    for name, measure in next(iter(results.values())).measures.items():
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
    measure, what = next(iter(results.values())).measures[name], f"{name} is a score of summed statistics"
    if test not in POOLED_TESTS:
        mean = ""
        if "aggregate" in measure.values:
            mean = f"; for any test, use the mean: {measure.definition(**{**measure.values, 'aggregate': 'mean'})}"
        allowed = " or ".join(str(Option("test", each)) for each in POOLED_TESTS)
        raise MeasureError(f"{what}; it can only be tested with {allowed}{mean}")
    if lacking := [run for run, result in results.items() if name not in result.statistics]:
        why = f"{some(lacking)} has none: it was stored by an older assay"
        raise MeasureError(f"{what}, and {why}; evaluate again, or compare other measures")
    statistics = {run: result.statistics[name] for run, result in results.items()}
    return Pool(statistics, partial(combine_statistics, measure))
