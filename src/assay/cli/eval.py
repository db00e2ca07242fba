"""`assay eval`: scores runs against judgments."""

from collections.abc import Callable
from typing import Any

import click

from assay import AssayError, Qrels, Result, Results, Run, evaluate
from assay.cli.command import Checked, option, refuse, subcommand
from assay.cli.options import (
    MEASURES,
    Scoring,
    column_option,
    human_option,
    measure_options,
    scoring_options,
    texts_options,
)
from assay.cli.output import Output, output_options, save_option, save_results
from assay.cli.terminal import check_single_input, say
from assay.errors import FormatError
from assay.terminal import is_stored, named, source_of, watched

BAD_INPUT = 2


@subcommand(
    "eval",
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
    usual="measures per_query worst human convention policies format_ output save",
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@measure_options()
@option("-q --per-query", "Print one row per query, then one with the means.")
@option(
    "--worst N",
    "Show the N queries with the worst values of the first measure, and the documents that cost most.",
    default=0,
    least=0,
)
@texts_options
@human_option
@option(
    "--merge-subqueries",
    "Merge subqueries such as q1_0 and q1_1 into one query. A document keeps its highest score.",
    to="merging",
)
@column_option
@option(
    "--engine",
    "What reads and ranks the runs: this machine, or Spark on any file system it knows.",
    choices=("local", "spark"),
)
@option("--master URL", "Where Spark runs: local[4], yarn, spark://… or sc://… (Spark Connect).")
@save_option
@output_options(styled=True)
@scoring_options()
def command(*, qrels: str, runs: tuple[str, ...], out: Output, scoring: Scoring, **told: Checked) -> None:
    """Scores each RUN against the judgments in QRELS.

    Files can be TREC, BEIR TSV, JSON, JSON Lines, CSV, TSV or Parquet, plain or compressed (.gz, .zst, .bz2, .xz);
    - is standard input. One run gives each measure's mean with its 95 % interval, several runs give one row per run.
    If one of several runs cannot be scored, the others are, and the exit code is 2.

    `assay measures` lists the measures. If the numbers look wrong, `assay check QRELS RUN` examines the data.
    """
    texts = {name: told[name] for name in ("queries", "corpus")}
    check_single_input(qrels, *runs, *texts.values(), told["human"])
    check_options(runs, out.format, told)
    is_single = len(runs) == 1
    results = score_each(runs, scorer_of(scoring.qrels(qrels), scoring, told, is_single=is_single))
    leave = click.get_current_context().exit
    if not results:
        leave(BAD_INPUT)
    save_results(results, told["save"])
    first = results[next(iter(results))]
    if out.format == "json":
        text = results.to_json()
    else:
        shown: Any = first if is_single else results
        text = out.render(shown.query_table() if told["per_query"] else shown.table())
    if worst := told["worst"]:
        from assay import diff

        found = diff(scoring.qrels(qrels), runs[0], None, next(iter(first)), top=worst, **texts, **scoring.reading)
        text += f"\n{found}\n"
    out.write(text, results.common_notes)
    if len(results) < len(runs):
        leave(BAD_INPUT)


def check_options(runs: tuple[str, ...], format_: str, told: dict[str, Checked]) -> None:
    """Raises for options that cannot be combined, or have no effect."""
    human, merging, worst, is_local = told["human"], told["merging"], told["worst"], told["engine"] == "local"
    local_only = {"--worst": worst, "--merge-subqueries": merging, "--human": human}
    used = next((name for name, value in local_only.items() if value), "")
    refuse(
        {
            "--human cannot be combined with --merge-subqueries; merge the files first": merging and human is not None,
            "--worst explains a single run, as it is, in a table; use assay diff for two runs": worst
            and (len(runs) > 1 or merging or format_ != "table"),
            "--worst reads the run once more, so it cannot be standard input; use a file": worst and "-" in runs,
            "--queries and --corpus are shown with the worst queries; add --worst 5": not worst
            and (told["queries"] or told["corpus"]),
            "--master is for Spark; add --engine spark": is_local and told["master"] is not None,
            "--column order is for Spark; add --engine spark": is_local and "order" in told["columns"],
            f"{used} cannot be combined with --engine spark": not is_local and used,
            "Spark cannot read standard input; use a path": not is_local and "-" in runs,
        }
    )


def scorer_of(qrels: Qrels, scoring: Scoring, told: dict[str, Checked], *, is_single: bool) -> Callable[..., Result]:
    """What scores one run."""
    measures, human, columns = told["measures"] or MEASURES, told["human"], told["columns"]
    if told["engine"] == "spark":
        from assay import spark

        session, order = spark.start_session(told["master"]), columns.pop("order", None)
        how: dict[str, Any] = {"run_column": None, "order_column": order, "columns": columns or None, **scoring.how}
        return lambda run, **_: spark.evaluate(
            qrels, spark.read_file(session, run, scoring.run_format), measures, **how
        )
    if told["merging"]:
        from assay.compat.mteb import merge_subqueries

        def score_merged(run: str, **_: object) -> Result:
            read = Run(source_of(run), format=scoring.run_format, columns=columns or None)
            return evaluate(*merge_subqueries(qrels, read), measures, **scoring.how)

        return score_merged
    if human is not None and not is_single:
        # Scores by people are those of one run; judgments are read once.
        try:
            human = Qrels(human, duplicates=None)
        except AssayError as error:
            raise AssayError(f"{error}; several runs need judgments, as scores are those of one run") from error
    reading: dict[str, Any] = {"format": scoring.run_format, "columns": columns or None, "human": human}
    return lambda run, **more: evaluate(qrels, source_of(run), measures, **reading, **more, **scoring.how)


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
