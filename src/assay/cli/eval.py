"""`assay eval`: scores runs against judgments."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import (
    BARE,
    ScoringOptions,
    corpus_option,
    human_option,
    loaded,
    measure_options,
    output_options,
    queries_option,
    scoring_options,
    split_names,
    texts_given,
)
from assay.cli.saving import save_option, save_results
from assay.cli.terminal import Command, check_single_input, emit, say, say_loudly, say_notes, source_of, watched
from assay.core.errors import AssayError, FormatError
from assay.core.text import show
from assay.data.qrels import Qrels
from assay.data.run import Run, run_names
from assay.render import Column, Table
from assay.results.recognize import is_stored
from assay.results.result import Result
from assay.results.results import Results, common_notes
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from assay._kernel import Progress
    from assay.cli.options import OutputFormat
    from assay.data.subqueries import Subqueries
    from assay.tasks.evaluate.scorer import Scorer

BAD_INPUT = 2
ENGINES = ("local", "spark")


@click.command(
    "eval",
    cls=Command,
    short_help="Score runs against judgments.",
    examples=(
        "assay eval qrels.txt bm25.run",
        'assay eval qrels.txt bm25.run dense.run -m ndcg@10 -m "ap(rel=2)"',
        'assay eval qrels.txt bm25.run -m "rr@10 recall@100" -q -o scores.csv',
        "assay eval qrels.txt bm25.run --worst 5 --queries queries.jsonl --corpus corpus.jsonl",
        "assay eval qrels.txt bm25.run --save baseline.json",
        "assay eval judge.txt bm25.run --human human.txt",
        "assay eval qrels.txt bm25.run --convention trec_eval -m map -m P.5,10",
        "assay eval qrels.txt bm25.run --load mine.py -m my_measure",
        "zcat bm25.run.gz | assay eval qrels.txt -",
        'assay eval qrels.txt "s3a://bucket/run.parquet" --engine spark --master yarn',
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@measure_options(DEFAULT_MEASURES)
@click.option("-q", "--per-query", is_flag=True, help="One row per query, then one with the means.")
@click.option(
    "--merge-subqueries",
    "merging",
    is_flag=True,
    help="Merge subqueries such as q1_0 and q1_1 into one query; a document keeps its highest score.",
)
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=0,
    help="Show this many queries with the worst values of the first measure, and the documents that cost most.",
)
@queries_option
@corpus_option
@human_option("Judgments by people, or their scores,")
@click.option(
    "--engine",
    type=click.Choice(ENGINES),
    default="local",
    show_default=True,
    help="What reads and ranks the runs: this machine, or Spark, on any file system that it knows.",
)
@click.option("--master", metavar="URL", help="Where Spark runs: local[4], yarn, spark://…, sc://… (Spark Connect).")
@click.option("--order-column", metavar="NAME", help="For Spark: the column of whole numbers that orders the rows.")
@save_option
@output_options
@scoring_options
@click.pass_context
def command(
    ctx: click.Context,
    *,
    qrels: str,
    runs: tuple[str, ...],
    measures: tuple[str, ...],
    per_query: bool,
    merging: bool,
    worst: int,
    queries: str | None,
    corpus: str | None,
    human: str | None,
    engine: str,
    master: str | None,
    order_column: str | None,
    format_: OutputFormat,
    output: str | None,
    save: str | None,
    scoring: ScoringOptions,
) -> None:
    """Scores each RUN against the judgments in QRELS.

    Files can be TREC, BEIR TSV, JSON, JSON Lines, CSV, TSV or Parquet, plain or compressed (.gz, .zst, .bz2, .xz);
    - is standard input. One run gives each measure's mean with its 95 % interval, several runs give one row per run.
    If one of several runs cannot be scored, the others are, and the exit code is 2.

    `assay measures` lists the measures. If the numbers look wrong, `assay check QRELS RUN` examines the data.
    """
    files = (qrels, *runs, *(each for each in (queries, corpus, human) if each is not None))
    check_single_input(files)
    if merging and human is not None:
        raise click.UsageError("--human cannot be combined with --merge-subqueries; merge the files first")
    if worst and (len(runs) > 1 or merging or format_ != "table"):
        raise click.UsageError("--worst explains a single run, as it is, in a table; use assay diff for two runs")
    if not worst and (queries is not None or corpus is not None):
        raise click.UsageError("--queries and --corpus are shown with the worst queries; add --worst 5")
    only_local = {"--worst": worst, "--merge-subqueries": merging, "--human": human}
    check_engine(engine, files, only_local, {"--master": master, "--order-column": order_column})
    with loaded(scoring.files):
        names = split_names(measures) if measures else DEFAULT_MEASURES
        parts = subqueries(scoring.load_qrels(qrels)) if merging else None
        scorer = scoring.make_scorer(qrels if parts is None else parts.qrels, names)
        labels = None if human is None else read_labels(human, len(runs))
        score_locally = partial(score, scorer, parts=parts, labels=labels)
        in_spark = partial(spark_scorer, scorer.qrels, names, scoring, master, order_column)
        score_one = score_locally if engine == "local" else in_spark()
        results = {}
        for name, run in zip(run_names(runs), runs, strict=True):
            with watched(run) as progress:
                try:
                    results[name] = score_one(run, format_=scoring.run_format, progress=progress)
                except AssayError as error:
                    if len(runs) == 1:
                        raise
                    # The other runs are shown all the same.
                    say(f"assay: {error}")
        if not results:
            ctx.exit(BAD_INPUT)
        save_results(Results(results), save)
        notes = common_notes(Results(results).notes)
        say_loudly(notes)
        text = render_results(results, format_, per_query=per_query, single=len(runs) == 1)
        if worst:
            text += worst_queries(scorer, runs[0], worst, scoring.run_format, **texts_given(queries, corpus))
        emit(text, output, format_)
    say_notes(notes if format_ in BARE else ())
    if len(results) < len(runs):
        ctx.exit(BAD_INPUT)


def read_labels(human: str, runs: int) -> object:
    """The labels of people: judgments, or scores of the only run."""
    from assay.tasks.evaluate.given_scores import is_given_scores

    if not is_given_scores(source_of(human)):
        return Qrels(source_of(human), duplicates=None)
    if runs > 1:
        raise click.UsageError(f"{human} has scores, which are those of one run; use judgments for several runs")
    return human


def subqueries(qrels: Qrels) -> Subqueries:
    """What merges the subqueries of a run."""
    from assay.data.subqueries import Subqueries

    return Subqueries(qrels)


def check_engine(
    engine: str, files: tuple[str, ...], only_local: Mapping[str, object], only_spark: Mapping[str, object]
) -> None:
    """Raises for options of the other engine, and for what Spark cannot read."""
    if engine == "local":
        if used := [name for name, value in only_spark.items() if value is not None]:
            raise click.UsageError(f"{used[0]} is for Spark; add --engine spark")
        return
    if used := [name for name, value in only_local.items() if value]:
        raise click.UsageError(f"{used[0]} cannot be combined with --engine spark")
    if "-" in files:
        raise click.UsageError("Spark cannot read standard input; use a path")


def spark_scorer(
    qrels: Qrels, measures: Iterable[str], scoring: ScoringOptions, master: str | None, order_column: str | None
) -> Callable[..., Result]:
    """What scores a run with Spark."""
    from assay.engine.spark_files import read_file, start_session
    from assay.tasks.evaluate.spark import evaluate

    session = start_session(master)

    def score_run(run: str, *, format_: str | None, progress: Progress | None) -> Result:  # noqa: ARG001 - Spark shows none
        frame = read_file(session, run, format_)
        how: dict[str, Any] = {"convention": scoring.convention, "run_column": None, "order_column": order_column}
        result: Result = evaluate(qrels, frame, measures, **how, **scoring.policies)
        return result

    return score_run


def score(
    scorer: Scorer,
    run: str,
    parts: Subqueries | None,
    labels: object,
    *,
    format_: str | None,
    progress: Progress | None,
) -> Result:
    """The result of one run, with its subqueries merged and anchored by human labels, if there are any."""
    if is_stored(run):
        raise FormatError(f"{show(run)} is a result that was stored with --save; compare, diff and gate take it")
    data = source_of(run) if parts is None else parts.merge(Run(source_of(run), format=format_))
    if labels is None:
        return scorer.evaluate(data, format=format_, progress=progress)
    from assay.tasks.evaluate.human import evaluate_anchored

    return evaluate_anchored(scorer, data, labels, format=format_, progress=progress)


def worst_queries(
    scorer: Scorer, run: str, number: int, format_: str | None, *, queries: object, corpus: object
) -> str:
    """The queries with the worst values, with the documents that cost most against the ideal ranking; reads again."""
    if run == "-":
        raise click.UsageError("--worst reads the run once more, so it cannot be standard input; use a file")
    from assay.tasks.compare.ranks import Ranks
    from assay.tasks.compare.worst import find_worst

    results, kept = scorer.score_all({run: run}, format=format_)
    measure = next(iter(results[run].measures))
    return f"\n{find_worst(results[run], Ranks(scorer, *kept), run, measure, number, queries=queries, corpus=corpus)}\n"


def render_results(results: dict[str, Result], format_: OutputFormat, *, per_query: bool, single: bool) -> str:
    """The results as text, with the names of the runs unless there is a single one."""
    one = next(iter(results.values())) if single else None
    many = Results(results)
    if format_ == "json":
        return many.to_json()
    if one is not None:
        table = one.query_table() if per_query else one.table()
    else:
        table = query_table(many) if per_query else many.table()
    return format_.render(table)


def query_table(results: Results) -> Table:
    """One row per run and query, and after each run one with its means."""
    tables = {name: result.query_table() for name, result in results.items()}
    columns = next(iter(tables.values())).columns
    rows = tuple((name, *row) for name, each in tables.items() for row in each.rows)
    whole = results.table()
    return Table((Column("run", is_text=True), *columns), rows, whole.caption, whole.notes, whole.hint)
