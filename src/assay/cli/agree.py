"""`assay agree`: how far two sets of judgments or of scores agree."""

from __future__ import annotations

from typing import Any

import click

from assay.cli.options import (
    BARE,
    OutputFormat,
    ScoringOptions,
    format_result,
    loaded,
    output_options,
    scoring_options,
    split_names,
)
from assay.cli.terminal import Command, check_single_input, emit, say_loudly, say_notes, source_of
from assay.data.qrels import Qrels
from assay.data.run import Run, run_names
from assay.render.narrow import terminal_width
from assay.stats.agreement import SCALES, WEIGHTS
from assay.stats.intervals import SAMPLES
from assay.tasks.agree.api import agreement
from assay.tasks.agree.judgments import DEFAULT_MEASURE
from assay.tasks.agree.result import Agreement


@click.command(
    "agree",
    cls=Command,
    short_help="Show how far two sets of judgments or of scores agree.",
    examples=(
        "assay agree human.txt judge.txt",
        "assay agree human.txt judge.txt --threshold 2 --top 20",
        "assay agree human.txt judge.txt --run bm25.run --run dense.run --run hybrid.run -m ndcg@10",
        "assay agree people.jsonl judge.jsonl -m score:faithfulness --threshold 0.5",
        "assay agree old.json new.json                 results stored with --save",
    ),
)
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--run",
    "runs",
    multiple=True,
    metavar="RUN",
    help="Run to score under both judgments (repeatable): do both put the systems in the same order?",
)
@click.option(
    "-m",
    "--measure",
    "measures",
    multiple=True,
    metavar="MEASURE",
    help=f"Measure of the runs or of the scores (repeatable).  [default: {DEFAULT_MEASURE}, or all scores of both]",
)
@click.option(
    "--weights",
    type=click.Choice(WEIGHTS),
    default=WEIGHTS[0],
    show_default=True,
    help="How weighted kappa counts the distance of two grades.",
)
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="ordinal",
    show_default=True,
    help="How Krippendorff's alpha takes the grades: as names, as ranks, or as numbers.",
)
@click.option("--threshold", type=float, help="Also compare positives: grades or scores of at least this much.")
@click.option(
    "--top", type=click.IntRange(min=0), default=10, show_default=True, help="Number of disagreements to show."
)
@click.option("--level", type=float, default=0.95, show_default=True, help="Level of the intervals.")
@click.option("--samples", type=int, default=SAMPLES, show_default=True, help="Resamples of the queries.")
@click.option(
    "--seed", type=int, default=0, show_default=True, help="Random seed; the same seed gives the same numbers."
)
@output_options
@scoring_options
def command(
    *,
    a: str,
    b: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    weights: str,
    scale: str,
    threshold: float | None,
    top: int,
    level: float,
    samples: int,
    seed: int,
    format_: OutputFormat,
    output: str | None,
    scoring: ScoringOptions,
) -> None:
    """Shows how far A and B agree: two files of judgments, or two of scores. A is the side to trust, usually people.

    Judgments: Cohen's kappa, weighted kappa and Krippendorff's alpha over the documents that both judged, with 95 %
    intervals over queries, the confusion matrix and the largest disagreements. With --run, also Kendall's tau and
    tau_AP of the systems' order under both. Scores (results stored with --save, or records with scores): correlations
    and the mean difference per measure. docs/agreement.md explains the numbers.
    """
    check_single_input((a, b, *runs))
    check_unused(scoring, runs)
    with loaded(scoring.files):
        how: dict[str, Any] = {}
        if runs:
            how = {"convention": scoring.convention, "threads": scoring.threads, **scoring.policies}
        named = {name: read_run(run, scoring.run_format) for name, run in zip(run_names(runs), runs, strict=True)}
        found = agreement(
            read_side(a, scoring.qrels_format),
            read_side(b, scoring.qrels_format),
            split_names(measures) or None,
            runs=named or None,
            weights=weights,
            scale=scale,
            threshold=threshold,
            top=top,
            level=level,
            samples=samples,
            seed=seed,
            names=run_names((a, b)),
            **how,
        )
        say_loudly(found.notes)
        emit(format_agreement(found, format_, to_file=output is not None), output, format_)
    say_notes(found.notes if format_ in BARE else ())


def read_side(path: str, format_: str | None) -> object:
    """One of the two sides: judgments if a format is set, else whatever the file holds."""
    return source_of(path) if format_ is None else Qrels(source_of(path), format=format_)


def read_run(path: str, format_: str | None) -> object:
    """A run, or its file if the format can be inferred."""
    return source_of(path) if format_ is None else Run(source_of(path), format=format_)


def check_unused(scoring: ScoringOptions, runs: tuple[str, ...]) -> None:
    """Raises if an option for scoring runs is set and there are none."""
    unused = [name for name in scoring.given if name != "--qrels-format"]
    if unused and not runs:
        raise click.UsageError(f"{unused[0]} is for scoring runs, and there are none; leave it out, or add --run")


def format_agreement(found: Agreement, format_: OutputFormat, *, to_file: bool) -> str:
    """The agreement in one of the formats; a table is no wider than the terminal that it is printed to."""
    if format_ == "table":
        return found.to_text(width=None if to_file else terminal_width()) + "\n"
    return format_result(found, format_)
