"""`assay probe`: asks a live retriever over HTTP, and scores what it returns."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import click

from assay.cli.options import (
    BARE,
    OutputFormat,
    convention_option,
    doc_id_option,
    given,
    load_option,
    loaded,
    measure_options,
    output_options,
    policy_options,
    qrels_format_option,
    report_option,
    split_names,
)
from assay.cli.saving import save_option, save_results
from assay.cli.terminal import Command, check_single_input, check_target, emit, say, say_loudly, source_of
from assay.core.errors import AssayError, DataError, FileError
from assay.core.note import LOUD
from assay.core.text import show
from assay.data.formats import FORMATS
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.data.source import read_text
from assay.data.write import losses
from assay.results.results import Results
from assay.tasks.probe.api import probe
from assay.tasks.probe.endpoint import DEFAULT_BODY, HttpSearch
from assay.tasks.probe.records import check_records_name, write_records
from assay.tasks.probe.result import Probe, describe_pace, failure_lines, terminal_text

MOST_FAILURES = 20


class ProbeCommand(Command):
    """A command whose arguments may be keys: those that are too many are not shown."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if not error.message.startswith("Got unexpected extra argument"):
                raise
            said = "too many arguments; put quotes around the value of an option that has spaces, such as --header"
            raise click.UsageError(said, ctx) from None


@click.command(
    "probe",
    cls=ProbeCommand,
    short_help="Ask a live retriever over HTTP, and score what it returns.",
    examples=(
        "assay probe http://localhost:8000/search --queries queries.jsonl --qrels qrels.txt",
        'assay probe "http://localhost:8000/search?q={query}&n={k}" --queries queries.tsv --qrels qrels.txt -k 20',
        "assay probe http://localhost:9200/docs/_search --queries q.jsonl --qrels qrels.txt --body @body.json --id _id",
        "assay probe URL --queries q.jsonl --qrels qrels.txt --header 'Authorization: Bearer $SEARCH_KEY'",
        "assay probe URL --queries q.jsonl --qrels qrels.txt --checkpoint probe.jsonl --run live.run",
        "assay probe URL --queries q.jsonl --qrels qrels.txt --answer-path data.reply --records out.jsonl",
    ),
)
@click.argument("url", metavar="URL")
@click.option("--queries", required=True, metavar="FILE", help="Questions, each with an id and a text.")
@click.option("--qrels", required=True, metavar="FILE", help="Judgments.")
@measure_options(("ndcg@K", "rr@K", "recall@K"))
@click.option(
    "-k", type=click.IntRange(min=1), default=10, show_default=True, help="Documents to request per question."
)
@click.option(
    "--body",
    metavar="JSON",
    help="Body to send; {query} and {k} are replaced by the question and k. @FILE reads it from a file.  "
    f"[default: {DEFAULT_BODY}]",
)
@click.option(
    "--path",
    "--contexts-path",
    "path",
    metavar="PATH",
    help="Where the list of documents, or of contexts, is in a response, such as data.hits; . is the whole response.",
)
@click.option(
    "--answer-path",
    metavar="PATH",
    help="Where a system that answers has its answer, such as data.reply.  [default: answer and other usual names]",
)
@click.option(
    "--references", metavar="FILE", help="Right answers, to keep in the records: each with a question id and a text."
)
@doc_id_option("--id")
@click.option(
    "--header",
    "headers",
    multiple=True,
    metavar="'NAME: VALUE'",
    help="Header to send (repeatable). $NAME in the value is taken from the environment, to keep keys out of commands.",
)
@click.option("--concurrency", type=int, default=8, show_default=True, help="Calls at a time.")
@click.option("--timeout", type=float, default=30.0, show_default=True, help="Seconds that a call may take.")
@click.option("--retries", type=int, default=2, show_default=True, help="Retries of a failed call.")
@click.option(
    "--checkpoint", metavar="FILE", help="Save every ranking to this file; if run again, only ask what is missing."
)
@click.option(
    "--run", "run_file", metavar="FILE", help="Save what was returned as a run: TREC, or the format of the file name."
)
@click.option(
    "--records",
    "records_file",
    metavar="FILE.jsonl",
    help="Save what was asked, retrieved and answered as records for assay rag, with gold and references.",
)
@convention_option
@save_option
@report_option
@output_options
@qrels_format_option
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
    answer_path: str | None,
    references: str | None,
    doc_id: str | None,
    headers: tuple[str, ...],
    concurrency: int,
    timeout: float,
    retries: int,
    checkpoint: str | None,
    run_file: str | None,
    save: str | None,
    report: str | None,
    records_file: str | None,
    convention: str,
    format_: OutputFormat,
    output: str | None,
    qrels_format: str | None,
    files: tuple[str, ...],
    **policies: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Asks the retriever at URL every judged question, and scores what it returns.

    Each question is sent as JSON with POST; a URL that contains {query} is called with GET. The response is JSON with a
    list of ids or documents, and with an answer if the system answers. The output shows quality and latency. Failed
    questions score 0 and are listed; the command fails only if no question was answered.
    """
    check_single_input((queries, qrels, *([] if references is None else [references])))
    if records_file is not None:
        check_records_name(records_file)
    for target in (run_file, records_file):
        check_target(target)
    chosen = given(policies)
    search = HttpSearch(
        url, body=read_template(body), path=path, answer_path=answer_path, headers=headers, timeout=timeout
    )
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
            references=None if references is None else source_of(references),
            convention=convention,
            **chosen,
        )
    say_loudly(probed.notes)
    attempt_each(
        lambda: save_results(Results({"probe": probed.result}), save),
        lambda: write_run(probed.run, run_file),
        lambda: keep_records(probed, records_file),
        lambda: None if report is None else probed.report(report),
        lambda: emit(format_probe(probed, format_), output, format_),
    )
    for line in remarks(probed, format_):
        say(line)


def attempt_each(*steps: Callable[[], object]) -> None:
    """Takes all steps, whichever of them fail: what was asked cannot be asked again for nothing."""
    failures: list[Exception] = []
    for step in steps:
        try:
            step()
        except (AssayError, OSError) as error:
            failures.append(error)
    for each in failures[:-1]:
        say(f"assay: {each}")
    if failures:
        raise failures[-1]


def keep_records(probed: Probe, target: str | None) -> None:
    """Writes the records if a file is named."""
    if target is not None:
        write_records(probed.records, target)


def write_run(run: Run, target: str | None) -> None:
    """Writes a run if a file is named, and says what the file does not hold, and which formats do."""
    if target is None:
        return
    lost = losses(run, target)
    run.write(target, lossy=True)
    for each in lost:
        say(f"note: {target} does not hold {each}; {formats_with(each)}")


def formats_with(what: str) -> str:
    """Which formats of runs hold something, in words."""
    names = [each.name for each in FORMATS if each.write and not each.runs_as and what not in each.cannot_hold]
    return f"{' and '.join(names)} {'does' if len(names) == 1 else 'do'}"


@contextmanager
def explained_interrupt() -> Iterator[None]:
    """After Ctrl-C, says how far it got."""
    try:
        yield
    except KeyboardInterrupt as stop:
        for note in getattr(stop, "__notes__", ()):
            say(f"assay: {note}")
        raise


def read_template(body: str | None) -> str | None:
    """The body, from a file if it begins with @."""
    if body is None or not body.startswith("@"):
        return body
    try:
        return read_text(body[1:])
    except (DataError, UnicodeError) as error:
        raise FileError(f"the body cannot be read from {show(body[1:])}: {error}") from None


def format_probe(probed: Probe, format_: OutputFormat) -> str:
    if format_ == "json":
        return probed.to_json()
    return terminal_text(probed) if format_ == "table" else format_.render(probed.table())


def remarks(probed: Probe, format_: str) -> list[str]:
    """What failed, and what a bare table has no room for."""
    quiet = [str(note) for note in probed.notes if note.kind not in LOUD]
    notes = [describe_pace(probed), *quiet] if format_ in BARE else []
    return [f"note: {note}" for note in notes] + [f"failed: {line}" for line in failure_lines(probed, MOST_FAILURES)]
