"""`assay judge`: judgments, questions and preferences from an LLM."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from assay.cli.judge_options import judge_needed
from assay.cli.options import BARE, OutputFormat, output_options
from assay.cli.terminal import (
    Command,
    check_single_input,
    check_target,
    emit,
    say,
    say_loudly,
    say_notes,
    source_of,
    write_examples,
)
from assay.data.run import run_names
from assay.render import records as rows_of
from assay.tasks.judge.pairwise import pairwise
from assay.tasks.judge.questions import make_questions
from assay.tasks.judge.relevance import DEPTH, judge_relevance

if TYPE_CHECKING:
    from assay.tasks.judge.judge import Judge

QUESTIONS = 100


class Judging(click.Group):
    """The commands that ask an LLM, with an example of each."""

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The help, then the first example of each command."""
        super().format_help_text(ctx, formatter)
        known = (each for each in self.commands.values() if isinstance(each, Command))
        write_examples(formatter, tuple(each.examples[0] for each in known))


@click.group("judge", cls=Judging, short_help="Judgments, questions and preferences from an LLM.")
def command() -> None:
    """Asks an LLM for what people have not judged: relevance, questions about a corpus, the better of two answers.

    What it costs is said at the end; replies are kept, so that an interrupted command goes on where it stopped.
    """


@command.command(
    "relevance",
    cls=Command,
    short_help="Grade what runs retrieved, from 0 to 3.",
    examples=(
        "assay judge relevance queries.jsonl bm25.run dense.run --corpus corpus.jsonl --judge model.gguf -o qrels.txt",
        "assay judge relevance queries.jsonl bm25.run --corpus corpus.jsonl --human qrels.txt --judge … -o all.txt",
    ),
)
@click.argument("queries", metavar="QUERIES")
@click.argument("runs", nargs=-1, required=True, metavar="RUN...")
@click.option("--corpus", required=True, metavar="FILE", help="Texts of documents.")
@click.option("--depth", type=click.IntRange(min=1), default=DEPTH, show_default=True, help="Documents of each run.")
@click.option("--human", metavar="QRELS", help="Judgments by people; they stay as they are and are not asked for.")
@click.option("-o", "--output", required=True, metavar="FILE", help="File for the judgments.")
@click.option("--reasons", metavar="FILE", help="File for the judge's reasons, as JSON Lines.")
@judge_needed
def relevance(
    *,
    queries: str,
    runs: tuple[str, ...],
    corpus: str,
    depth: int,
    human: str | None,
    output: str,
    reasons: str | None,
    judge: Judge,
) -> None:
    """Grades the first documents of each RUN for the questions in QUERIES: from 0, unrelated, to 3, the exact answer.

    The file of judgments is what every other command takes. A pair that the judge gave no grade stays unjudged.
    """
    given = (queries, *runs, corpus, *([human] if human is not None else []))
    check_single_input(given)
    for target in (output, reasons):
        check_target(target)
    named = dict(zip(run_names(runs), map(source_of, runs), strict=True))
    found = judge_relevance(
        source_of(queries),
        named,
        source_of(corpus),
        judge=judge,
        depth=depth,
        human=None if human is None else source_of(human),
    )
    say_loudly(found.notes)
    found.qrels.write(output)
    if reasons is not None:
        emit(json_lines(rows_of(found.reasons())), reasons, "json")
    emit(f"{found}\n")


@command.command(
    "questions",
    cls=Command,
    short_help="Make questions that passages answer.",
    examples=("assay judge questions passages.jsonl -n 200 --judge model.gguf -o records.jsonl",),
)
@click.argument("corpus", metavar="CORPUS")
@click.option(
    "-n", "--number", type=click.IntRange(min=1), default=QUESTIONS, show_default=True, help="Questions to make."
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Seed that draws the passages.")
@click.option("-o", "--output", metavar="FILE", help="File for the records, as JSON Lines.  [default: standard output]")
@judge_needed
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
        say(f"assay: {len(made):,} of {number:,} questions; the rest was rejected or the corpus has no more passages")
    say_notes(made.notes)


@command.command(
    "pairwise",
    cls=Command,
    short_help="Which system answers better.",
    examples=("assay judge pairwise old.jsonl new.jsonl --judge http://localhost:8000/v1 --judge-model qwen3-8b",),
)
@click.argument("systems", nargs=-1, required=True, metavar="RECORDS...")
@judge_needed
@output_options
def preferences(
    *,
    systems: tuple[str, ...],
    format_: OutputFormat,
    output: str | None,
    judge: Judge,
) -> None:
    """Asks which of two answers is better, for every two systems and every question, in both orders.

    Only a win in both orders counts. Strengths are Bradley–Terry's, with bootstrap intervals over questions.
    """
    check_single_input(systems)
    found = pairwise(dict(zip(run_names(systems), map(source_of, systems), strict=True)), judge=judge)
    say_loudly(found.notes)
    emit(found.to_json() + "\n" if format_ == "json" else format_.render(found.table()), output, format_)
    say_notes(found.notes if format_ in BARE else ())


def json_lines(rows: list[dict[str, Any]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
