"""`assay eval`: scores runs against judgments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay import AssayError, Qrels, Result, Results, Run, evaluate
from assay.cli.command import Command
from assay.cli.options import (
    MEASURES,
    Scoring,
    column_option,
    corpus_option,
    human_option,
    loaded,
    measure_options,
    queries_option,
    scoring_options,
    texts_given,
)
from assay.cli.output import Output, output_options, save_option, save_results
from assay.cli.terminal import check_single_input, say, say_loudly, say_notes
from assay.errors import FormatError
from assay.terminal import is_stored, named, source_of, watched

if TYPE_CHECKING:
    from collections.abc import Callable

BAD_INPUT = 2


@click.command(
    "eval",
    cls=Command,
    short_help="Score runs against judgments.",
    usual="measures per_query worst human convention policies format_ output save",
    examples=(
        "assay eval qrels.txt bm25.run",
        'assay eval qrels.txt bm25.run dense.run -m ndcg@10 -m "ap(rel=2)"',
        "assay eval qrels.txt bm25.run --convention trec_eval -m map -m P.5,10",
        'assay eval qrels.txt bm25.run -m "rr@10 recall@100" -q -o scores.csv',
        "assay eval qrels.txt bm25.run --worst 5 --queries queries.jsonl --corpus corpus.jsonl",
        "assay eval qrels.txt bm25.run --save baseline.json",
        "assay eval qrels.txt chunks.run --policy doc_id=before:#",
        "assay eval judge.txt bm25.run --human human.txt",
        "assay eval qrels.txt bm25.run --load mine.py -m my_measure",
        "zcat bm25.run.gz | assay eval qrels.txt -",
        'assay eval qrels.txt "s3a://bucket/run.parquet" --engine spark --master yarn',
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@measure_options(MEASURES)
@click.option("-q", "--per-query", is_flag=True, help="Print one row per query, then one with the means.")
@click.option(
    "--worst",
    type=click.IntRange(min=0),
    default=0,
    metavar="N",
    help="Show the N queries with the worst values of the first measure, and the documents that cost most.",
)
@queries_option
@corpus_option
@human_option
@click.option(
    "--merge-subqueries",
    "merging",
    is_flag=True,
    help="Merge subqueries such as q1_0 and q1_1 into one query. A document keeps its highest score.",
)
@column_option
@click.option(
    "--engine",
    type=click.Choice(("local", "spark")),
    default="local",
    show_default=True,
    help="What reads and ranks the runs: this machine, or Spark on any file system it knows.",
)
@click.option("--master", metavar="URL", help="Where Spark runs: local[4], yarn, spark://… or sc://… (Spark Connect).")
@save_option
@output_options(styled=True)
@scoring_options()
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    qrels: str,
    runs: tuple[str, ...],
    measures: str | None,
    per_query: bool,
    worst: int,
    queries: str | None,
    corpus: str | None,
    save: str | None,
    out: Output,
    scoring: Scoring,
    **special: Any,  # noqa: ANN401 - those of `scorer_of`
) -> None:
    """Scores each RUN against the judgments in QRELS.

    Files can be TREC, BEIR TSV, JSON, JSON Lines, CSV, TSV or Parquet, plain or compressed (.gz, .zst, .bz2, .xz);
    - is standard input. One run gives each measure's mean with its 95 % interval, several runs give one row per run.
    If one of several runs cannot be scored, the others are, and the exit code is 2.

    `assay measures` lists the measures. If the numbers look wrong, `assay check QRELS RUN` examines the data.
    """
    check_single_input(qrels, *runs, queries, corpus, special["human"])
    check_options(runs, worst, queries, corpus, out.format, **special)
    chosen = measures or MEASURES
    with loaded(scoring.files):
        score = scorer_of(scoring.qrels(qrels), chosen, scoring, is_single=len(runs) == 1, **special)
        results = score_each(runs, score)
        if not results:
            ctx.exit(BAD_INPUT)
        save_results(results, save)
        say_loudly(results.common_notes)
        text = text_of(results, out, per_query=per_query, is_single=len(runs) == 1)
        if worst:
            from assay import diff

            first = next(iter(results[next(iter(results))]))
            how: dict[str, Any] = {**texts_given(queries, corpus), **scoring.reading}
            text += f"\n{diff(scoring.qrels(qrels), runs[0], None, first, top=worst, **how)}\n"
        out.write(text)
    say_notes(results.common_notes if out.is_bare else ())
    if len(results) < len(runs):
        ctx.exit(BAD_INPUT)


def check_options(
    runs: tuple[str, ...],
    worst: int,
    queries: str | None,
    corpus: str | None,
    format_: str,
    *,
    human: str | None,
    merging: bool,
    columns: dict[str, str],
    engine: str,
    master: str | None,
) -> None:
    """Raises for options that cannot be combined, or have no effect."""
    is_local = engine == "local"
    local_only = {"--worst": worst, "--merge-subqueries": merging, "--human": human}
    used = next((name for name, value in local_only.items() if value), "")
    wrong = {
        "--human cannot be combined with --merge-subqueries; merge the files first": merging and human is not None,
        "--worst explains a single run, as it is, in a table; use assay diff for two runs": worst
        and (len(runs) > 1 or merging or format_ != "table"),
        "--worst reads the run once more, so it cannot be standard input; use a file": worst and "-" in runs,
        "--queries and --corpus are shown with the worst queries; add --worst 5": not worst and (queries or corpus),
        "--master is for Spark; add --engine spark": is_local and master is not None,
        "--column order is for Spark; add --engine spark": is_local and "order" in columns,
        f"{used} cannot be combined with --engine spark": not is_local and used,
        "Spark cannot read standard input; use a path": not is_local and "-" in runs,
    }
    for message, is_wrong in wrong.items():
        if is_wrong:
            raise click.UsageError(message)


def scorer_of(
    qrels: Qrels,
    measures: Any,  # noqa: ANN401 - names
    scoring: Scoring,
    *,
    is_single: bool,
    human: str | None,
    merging: bool,
    columns: dict[str, str],
    engine: str,
    master: str | None,
) -> Callable[..., Result]:
    """What scores one run."""
    if engine == "spark":
        from assay import spark

        session, order = spark.start_session(master), columns.pop("order", None)
        how: dict[str, Any] = {"run_column": None, "order_column": order, "columns": columns or None, **scoring.how}
        return lambda run, **_: spark.evaluate(
            qrels, spark.read_file(session, run, scoring.run_format), measures, **how
        )
    if merging:
        from assay.compat.mteb import merge_subqueries

        def score_merged(run: str, **_: object) -> Result:
            read = Run(source_of(run), format=scoring.run_format, columns=columns or None)
            return evaluate(*merge_subqueries(qrels, read), measures, **scoring.how)

        return score_merged
    # Scores by people are those of one run; judgments are read once.
    labels = source_of(human) if human is None or is_single else judgments_of(human)
    reading: dict[str, Any] = {"format": scoring.run_format, "columns": columns or None, "human": labels}
    return lambda run, **more: evaluate(qrels, source_of(run), measures, **reading, **more, **scoring.how)


def judgments_of(human: str) -> Qrels:
    """Judgments by people, for several runs."""
    try:
        return Qrels(source_of(human), duplicates=None)
    except AssayError as error:
        raise AssayError(f"{error}; several runs need judgments, as scores are those of one run") from error


def score_each(runs: tuple[str, ...], score: Callable[..., Result]) -> Results:
    """The results of the runs that can be scored; a single one must be."""
    results = {}
    for name, run in named(runs):
        with watched(run) as progress:
            try:
                if is_stored(run):
                    raise FormatError(
                        f"{run!r} is a result that was stored with --save; compare, diff and gate take it"
                    )
                results[name] = score(run, progress=progress)
            except AssayError as error:
                if len(runs) == 1:
                    raise
                say(f"assay: {error}")
    return Results(results)


def text_of(results: Results, out: Output, *, per_query: bool, is_single: bool) -> str:
    """The results as text, with the names of the runs unless there is a single one."""
    if out.format == "json":
        return results.to_json()
    shown: Any = results[next(iter(results))] if is_single else results
    return out.render(shown.query_table() if per_query else shown.table())
