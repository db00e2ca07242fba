"""`assay compare`: which of several runs is better, and whether the difference is significant."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import (
    BARE,
    convention_option,
    load_option,
    loaded,
    measure_options,
    output_options,
    policy_options,
    prepare,
    reading_options,
    split_names,
)
from assay.cli.terminal import Command, check_single_input, emit, heard, say, source_of, watched
from assay.stats.significance import CORRECTIONS, FAMILIES, TESTS, ComparisonSettings, check_settings
from assay.tasks.compare.api import compare_results, find_baseline, name_runs, read_runs
from assay.tasks.compare.result import Comparison
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
@convention_option
@output_options
@reading_options
@load_option
@policy_options
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
    convention: str,
    format_: str,
    output: str | None,
    qrels_format: str | None,
    run_format: str | None,
    threads: int | None,
    files: tuple[str, ...],
    **policies: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Compares RUNs on the judgments in QRELS: differences with confidence intervals, p-values and effect sizes.

    Every pair of runs is compared, or every run with the baseline. Letters after a number name the runs that it is
    significantly better than. docs/comparing.md explains which test and which correction to choose.
    """
    check_single_input((qrels, *runs))
    paths = name_runs(runs)
    baseline = find_baseline(paths, baseline)
    named = {name: source_of(str(run)) for name, run in paths.items()}
    settings = check_settings(ComparisonSettings(test, correction, family, alpha, samples, seed, baseline))
    with loaded(files):
        names = split_names(measures) if measures else DEFAULT_MEASURES
        scorer = prepare(
            qrels, names, convention=convention, qrels_format=qrels_format, threads=threads, policies=policies
        )
        results, ranks = read_runs(scorer, named, format=run_format, watch=watched)
        with heard("comparing") as report:
            comparison = compare_results(results, ranks, settings, report)
        emit(write_comparison(comparison, format_), output)
    for note in comparison.notes if format_ in BARE else ():
        say(f"note: {note}")


def write_comparison(comparison: Comparison, format_: str) -> str:
    """The comparison as text."""
    text: str = str(comparison) + "\n" if format_ == "table" else getattr(comparison, f"to_{format_}")()
    return text
