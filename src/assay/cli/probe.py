"""`assay probe`: asks a search that runs, over HTTP, and scores what it finds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from assay.cli.load import load_option, loaded
from assay.cli.options import (
    BARE,
    convention_option,
    format_choice,
    given,
    measure_options,
    output_options,
    policy_options,
    split_names,
)
from assay.cli.terminal import Command, check_single_input, check_target, emit, say, source_of
from assay.core.errors import FileError
from assay.core.text import show
from assay.data.qrels import Qrels
from assay.render import render
from assay.tasks.probe.api import probe
from assay.tasks.probe.http import HttpSearch
from assay.tasks.probe.request import DEFAULT_BODY
from assay.tasks.probe.result import Probe

MOST_FAILURES = 20


@click.command(
    "probe",
    cls=Command,
    short_help="Ask a running search over HTTP, and score what it finds.",
    examples=(
        "assay probe http://localhost:8000/search --queries queries.jsonl --qrels qrels.txt",
        'assay probe "http://localhost:8000/search?q={query}&n={k}" --queries queries.tsv --qrels qrels.txt -k 20',
        "assay probe http://localhost:9200/docs/_search --queries q.jsonl --qrels qrels.txt --body @body.json --id _id",
        "assay probe URL --queries q.jsonl --qrels qrels.txt --header 'Authorization: Bearer $SEARCH_KEY'",
        "assay probe URL --queries q.jsonl --qrels qrels.txt --checkpoint probe.jsonl --run live.run",
    ),
)
@click.argument("url", metavar="URL")
@click.option("--queries", required=True, metavar="FILE", help="The questions: an id and a text each.")
@click.option("--qrels", required=True, metavar="FILE", help="The judgments.")
@measure_options(("ndcg@K", "rr@K", "recall@K"))
@click.option("-k", type=click.IntRange(min=1), default=10, show_default=True, help="How many documents to ask for.")
@click.option(
    "--body",
    metavar="JSON",
    help="What to send; {query} and {k} stand for the question and k. @FILE reads it from a file.  "
    f"[default: {DEFAULT_BODY}]",
)
@click.option(
    "--path",
    metavar="PATH",
    help="Where the list of documents stands in an answer, such as data.hits; . is the whole answer.",
)
@click.option("--id", "doc_id", metavar="PATH", help="Where the id stands in a document, such as _source.url.")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="A header to send. $NAME in the value is taken from the environment, so that no key is in a command.",
)
@click.option("--concurrency", type=int, default=8, show_default=True, help="How many calls at a time.")
@click.option("--timeout", type=float, default=30.0, show_default=True, help="How many seconds a call may take.")
@click.option("--retries", type=int, default=2, show_default=True, help="How often a failed call is repeated.")
@click.option("--checkpoint", metavar="FILE", help="Keep what is answered; called again, only the rest is asked.")
@click.option("--run", "run_file", metavar="FILE", help="Keep what was found as a run: TREC, or what the name says.")
@convention_option
@output_options
@click.option("--qrels-format", type=format_choice, help="How the judgments are read, where it cannot be told.")
@load_option
@policy_options
def command(
    *,
    url: str,
    queries: str,
    qrels: str,
    measures: tuple[str, ...],
    k: int,
    body: str | None,
    path: str | None,
    doc_id: str | None,
    headers: tuple[str, ...],
    concurrency: int,
    timeout: float,
    retries: int,
    checkpoint: str | None,
    run_file: str | None,
    convention: str,
    format_: str,
    output: str | None,
    qrels_format: str | None,
    files: tuple[str, ...],
    **policies: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Asks the search at URL every judged question, and scores what it finds.

    Each question is sent as JSON with POST; a URL with {query} in it is asked with GET. The answer is JSON with a list
    of ids or documents. Beside quality you see how long calls took. Questions that failed score 0 and are named; the
    command fails only if nothing was answered.
    """
    check_single_input((queries, qrels))
    for target in (run_file, output):
        check_target(target)
    chosen = given(policies)
    search = HttpSearch(url, body=read_template(body), path=path, headers=headers, timeout=timeout)
    with loaded(files), explained_interrupt():
        probed = probe(
            search,
            source_of(queries),
            Qrels(source_of(qrels), format=qrels_format, duplicates=None),
            split_names(measures) if measures else None,
            k=k,
            concurrency=concurrency,
            timeout=timeout,
            retries=retries,
            checkpoint=checkpoint,
            doc_id=doc_id,
            convention=convention,
            **chosen,
        )
    emit(written(probed, format_), output)
    if run_file is not None:
        # A file without room for an order has scores that fall instead, and no line for what found nothing.
        probed.run.write(run_file, lossy=True)
    for line in talk(probed, format_):
        say(line)


@contextmanager
def explained_interrupt() -> Iterator[None]:
    """Says how far it came where Ctrl-C ends it."""
    try:
        yield
    except KeyboardInterrupt as stop:
        for note in getattr(stop, "__notes__", ()):
            say(f"assay: {note}")
        raise


def read_template(body: str | None) -> str | None:
    """The body, out of a file where it is named so."""
    if body is None or not body.startswith("@"):
        return body
    try:
        return Path(body[1:]).read_text(encoding="utf-8")
    except (OSError, UnicodeError) as error:
        raise FileError(f"the body cannot be read from {show(body[1:])}: {error}") from None


def written(probed: Probe, format_: str) -> str:
    """The probe as text."""
    if format_ == "json":
        return probed.to_json()
    return probed.text() if format_ == "table" else render(probed.table(), format_)


def talk(probed: Probe, format_: str) -> list[str]:
    """What failed, and what a bare table has no place for."""
    notes = [probed.pace, *map(str, probed.notes)] if format_ in BARE else []
    return [f"note: {note}" for note in notes] + [f"failed: {line}" for line in probed.failure_lines(MOST_FAILURES)]
