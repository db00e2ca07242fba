"""`assay diff`: which queries changed between two runs, and why."""

from __future__ import annotations

import click

from assay.cli.options import (
    ScoringOptions,
    corpus_option,
    format_result,
    loaded,
    output_options,
    queries_option,
    scoring_options,
    texts_given,
)
from assay.cli.terminal import Command, check_single_input, emit, say, say_loudly, say_notes, source_of, watched
from assay.core.errors import MeasureError
from assay.core.text import show
from assay.results.recognize import is_stored
from assay.results.results import Results, common_notes
from assay.tasks.compare.api import check_queries, named_runs, read_all
from assay.tasks.compare.moves import find_moves
from assay.tasks.evaluate.scorer import DEFAULT_MEASURES


@click.command(
    "diff",
    cls=Command,
    short_help="Show which queries changed between two runs, and why.",
    examples=(
        "assay diff qrels.txt bm25.run dense.run",
        "assay diff qrels.txt bm25.run dense.run -m rr@10 --top 3",
        "assay diff qrels.txt bm25.run dense.run --queries queries.jsonl --corpus passages.jsonl",
        "assay diff qrels.txt bm25.run dense.run -o moved.json",
        "assay diff old.json new.json                  results stored with --save",
    ),
)
@click.argument("qrels", metavar="[QRELS]")
@click.argument("before", metavar="RUN_A")
@click.argument("after", required=False, metavar="RUN_B")
@click.option(
    "-m",
    "--measure",
    metavar="MEASURE",
    help=f"Measure to compare by.  [default: {DEFAULT_MEASURES[0]}, or the first of a stored result]",
)
@click.option(
    "--top", type=click.IntRange(min=1), default=10, show_default=True, help="Queries to show in each direction."
)
@queries_option
@corpus_option
@output_options
@scoring_options
def command(
    *,
    qrels: str,
    before: str,
    after: str | None,
    measure: str | None,
    top: int,
    queries: str | None,
    corpus: str | None,
    format_: str,
    output: str | None,
    scoring: ScoringOptions,
) -> None:
    """Shows the queries that improved most and dropped most from RUN_A to RUN_B.

    Each query is listed with the documents that moved the measure most and their ranks in both runs; JSON has all
    judged documents. With --queries and --corpus, also the question, the first line of each passage, and the unjudged
    document that took the top; for it the runs are read once more.

    A run can also be a result that was stored with --save, which has no documents; if both are, there are no QRELS.
    """
    judgments: str | None = qrels
    if after is None:
        # Stored results need no judgments.
        judgments, before, after = None, qrels, before
    check_single_input((qrels, before, after, *(each for each in (queries, corpus) if each is not None)))
    named = {name: source_of(str(run)) for name, run in named_runs((before, after)).items()}
    with loaded(scoring.files):
        make = scoring.maker(judgments)
        has_own = measure is None and (is_stored(before) or is_stored(after))
        wanted = None if has_own else [measure or DEFAULT_MEASURES[0]]
        results, ranks = read_all(named, wanted, make, scoring.given, format=scoring.run_format, watch=watched)
        known = next(iter(results.values())).measures
        if len(known) > 1 and measure is not None:
            raise MeasureError(f"{show(measure)} names several measures: {', '.join(known)}; name one")
        check_queries(results)
        first, second = named
        key, texts = next(iter(known)), texts_given(queries, corpus)
        moves = find_moves(Results(results), ranks, key, (first, second), top, **texts)
        notes = common_notes(Results(results).notes)
        say_loudly(notes)
        emit(format_result(moves, format_), output, format_)
    if ranks is None:
        say("note: no documents are shown: a stored result has none")
    elif corpus is not None and "-" in (before, after):
        say("note: standard input is not read again, so an unjudged document on top of it is not shown")
    say_notes(notes)
