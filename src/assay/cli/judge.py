"""`assay judge`: judgments, questions and preferences from an LLM."""

import json
from typing import Any

import click

from assay import Judge
from assay.cli.command import Checked, CommandGroup, option
from assay.cli.options import pool_option, take_source
from assay.cli.output import Output, output_options
from assay.cli.servers import judge_options
from assay.cli.terminal import check_single_input, emit, say, say_loudly, say_notes
from assay.judges import judge_relevance, make_questions, pairwise
from assay.render import records as rows_of
from assay.terminal import check_target, named, source_of

EXAMPLES = (
    "assay judge relevance queries.jsonl bm25.run dense.run --corpus corpus.jsonl --judge model.gguf -o qrels.txt",
    "assay judge questions passages.jsonl -n 200 --judge model.gguf -o records.jsonl",
    "assay judge pairwise old.jsonl new.jsonl --judge http://localhost:8000/v1 --judge-model qwen3-8b",
)


@click.group("judge", cls=CommandGroup, examples=EXAMPLES)
def command() -> None:
    """Asks an LLM for what people have not judged: relevance, questions about a corpus, the better of two answers.

    The cost is shown at the end. Replies are kept, so that an interrupted command continues where it stopped.
    """


@command.command(
    "relevance",
    short_help="Grade what runs retrieved, from 0 to 3.",
    usual="corpus output depth human reasons judge judge_model judge_cache judge_options dry_run",
    examples=(
        EXAMPLES[0],
        "assay judge relevance queries.jsonl bm25.run --corpus corpus.jsonl --known qrels.txt --judge … -o all.txt",
    ),
)
@click.argument("queries", metavar="QUERIES")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@option("--corpus FILE", "Texts of the documents.", required=True, callback=take_source)
@pool_option
@option("--known QRELS", "Judgments to keep. These pairs are not asked for.", to="human", callback=take_source)
@option("-o --output FILE", "File for the judgments.", required=True)
@option("--reasons FILE", "File for the judge's reasons, as JSON Lines.")
@judge_options(is_needed=True)
def relevance(
    *, queries: str, runs: tuple[str, ...], output: str, reasons: str | None, judge: Judge, **how: Checked
) -> None:
    """Grades the first documents of each RUN for the questions in QUERIES: from 0, unrelated, to 3, the exact answer.

    The file of judgments is what every other command takes. A pair that the judge gave no grade stays unjudged.
    """
    check_single_input(queries, *runs, how["corpus"], how["human"])
    for target in (output, reasons):
        check_target(target)
    found = judge_relevance(source_of(queries), {name: source_of(run) for name, run in named(runs)}, judge=judge, **how)
    say_loudly(found.notes)
    found.qrels.write(output)
    if reasons is not None:
        emit(json_lines(rows_of(found.reasons())), reasons, "json")
    emit(f"{found}\n")


@command.command(
    "questions",
    short_help="Make questions that passages answer.",
    usual="number output seed judge judge_model judge_cache judge_options dry_run",
    examples=(EXAMPLES[1],),
)
@click.argument("corpus", metavar="CORPUS")
@option("-n --number N", "Questions to make.", least=1, default=100)
@option("--seed N", "Random seed of the passages.", default=0, least=0)
@option("-o --output FILE", "File for the records, as JSON Lines.  [default: standard output]")
@judge_options(is_needed=True)
def questions(*, corpus: str, number: int, seed: int, output: str | None, judge: Judge) -> None:
    """Makes questions from passages of CORPUS: records for rag and probe.

    A record has the passage as gold, and a reference answer. Each question is checked by asking whether the passage
    alone answers it; near duplicates are left out.
    """
    check_target(output)
    made = make_questions(source_of(corpus), number, judge=judge, seed=seed)
    say_loudly(made.notes)
    emit(json_lines(made.records), output, "json")
    if len(made) < number:
        say(f"assay: {len(made):,} of {number:,} questions; the rest was rejected, or there are no more passages")
    say_notes(made.notes)


@command.command(
    "pairwise",
    short_help="Find out which system answers better.",
    usual="judge judge_model judge_cache judge_options dry_run format_ output",
    examples=(EXAMPLES[2],),
)
@click.argument("systems", nargs=-1, required=True, metavar="RECORDS...")
@judge_options(is_needed=True)
@output_options(styled=True)
def preferences(*, systems: tuple[str, ...], out: Output, judge: Judge) -> None:
    """Asks which of two answers is better, for every two systems and every question, in both orders.

    Only a win in both orders counts. Strengths are Bradley–Terry's, with bootstrap intervals over questions.
    """
    check_single_input(*systems)
    found = pairwise({name: source_of(records) for name, records in named(systems)}, judge=judge)
    out.write(found.to_json() + "\n" if out.format == "json" else out.render(found.table()), found.notes)


def json_lines(rows: list[dict[str, Any]]) -> str:
    """One row per line."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
