"""`assay compare`: which of several runs is better, and whether the difference is significant."""

from __future__ import annotations

import click

from assay.cli.options import (
    BARE,
    ScoringOptions,
    format_result,
    loaded,
    measure_options,
    output_options,
    scoring_options,
    split_names,
)
from assay.cli.terminal import Command, check_single_input, emit, progress_bar, say, source_of, watched
from assay.stats.significance import CORRECTIONS, FAMILIES, TESTS, ComparisonSettings, check_settings
from assay.tasks.compare.api import compare_results, find_baseline, named_runs
from assay.tasks.compare.ranks import read_runs
from assay.tasks.evaluate.api import DEFAULT_MEASURES


@click.command(
    "compare",
    cls=Command,
    short_help="Compare runs: which is better, and is it significant?",
    examples=(
        "assay compare qrels.txt bm25.run dense.run",
        "assay compare qrels.txt bm25.run dense.run hybrid.run --baseline bm25 -m ndcg@10 -m recall@100",
        "assay compare qrels.txt *.run -m ndcg@10 --test tukey_randomized",
        "assay compare qrels.txt bm25.run dense.run --format latex -o table.tex",
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN...")
@measure_options(DEFAULT_MEASURES)
@click.option("--baseline", metavar="NAME", help="Compare every run with this one: its name, or its file.")
@click.option("--test", type=click.Choice(TESTS), default="randomization", show_default=True, help="Significance test.")
@click.option(
    "--correction",
    type=click.Choice(list(CORRECTIONS)),
    default="holm",
    show_default=True,
    help="Correction for multiple comparisons; the tukey tests need none.",
)
@click.option(
    "--family",
    type=click.Choice(FAMILIES),
    default="measure",
    show_default=True,
    help="Correct over the pairs of each measure, or over all measures together.",
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Significance level.")
@click.option("--samples", type=int, help="Random samples that the test draws.  [default: depends on the test]")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed; the same seed gives the same numbers."
)
@output_options
@scoring_options
def command(
    *,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    test: str,
    correction: str,
    family: str,
    alpha: float,
    samples: int | None,
    seed: int,
    format_: str,
    output: str | None,
    scoring: ScoringOptions,
) -> None:
    """Compares RUNs on the judgments in QRELS: differences with confidence intervals, p-values and effect sizes.

    Every pair of runs is compared, or every run with the baseline. Letters after a number name the runs that it is
    significantly better than. docs/comparing.md explains which test and which correction to choose.
    """
    check_single_input((qrels, *runs))
    paths = named_runs(runs)
    baseline = find_baseline(paths, baseline)
    named = {name: source_of(str(run)) for name, run in paths.items()}
    settings = check_settings(ComparisonSettings(test, correction, family, alpha, samples, seed, baseline))
    with loaded(scoring.files):
        scorer = scoring.make_scorer(qrels, split_names(measures) if measures else DEFAULT_MEASURES)
        results, ranks = read_runs(scorer, named, format=scoring.run_format, watch=watched)
        with progress_bar("comparing") as report:
            comparison = compare_results(results, ranks, settings, report)
        emit(format_result(comparison, format_), output)
    for note in comparison.notes if format_ in BARE else ():
        say(f"note: {note}")
