"""`assay probe`: asks a live retriever over HTTP, and scores what it returns."""

from collections.abc import Callable

import click

from assay import AssayError, Results, Run, probe
from assay.cli.command import Checked, Command, option, subcommand
from assay.cli.options import Scoring, measure_options, scoring_options, take_source
from assay.cli.output import Output, output_options, report_option, save_option, save_results
from assay.cli.servers import body_option, header_option, path_option
from assay.cli.terminal import check_single_input, say, say_loudly, say_notes
from assay.live import DEFAULT_BODY, HttpSearch, check_records_name, write_records
from assay.terminal import check_target, losses, source_of

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


@subcommand(
    "probe",
    "assay probe http://localhost:8000/search --queries queries.jsonl --qrels qrels.txt",
    'assay probe "http://localhost:8000/search?q={query}&n={k}" --queries queries.tsv --qrels qrels.txt -k 20',
    "assay probe http://localhost:9200/d/_search --queries q.jsonl --qrels qrels.txt --body @body.json",
    "assay probe URL --queries q.jsonl --qrels qrels.txt --header 'Authorization: Bearer $SEARCH_KEY'",
    "assay probe URL --queries q.jsonl --qrels qrels.txt --checkpoint probe.jsonl --save-run live.run",
    "assay probe URL --queries q.jsonl --qrels qrels.txt --answer-path data.reply --save-records out.jsonl",
    cls=ProbeCommand,
    usual="queries qrels measures k body path headers checkpoint run_file policies report format_ output",
)
@click.argument("url", metavar="URL")
@option("--queries FILE", "Questions, each with an id and a text.", required=True)
@option("--qrels FILE", "Judgments.", required=True)
@measure_options(("ndcg@K", "rr@K", "recall@K"))
@option("-k K", "Documents to request per query.", least=1, default=10)
@body_option(f"[default: {DEFAULT_BODY}]")
@path_option
@header_option
@option(
    "--answer-path PATH",
    "Where the answer is in a response, for systems that answer, such as data.reply.  "
    "[default: answer and other usual names]",
)
@option(
    "--references FILE", "Right answers to keep in the records, each with a query id and a text.", callback=take_source
)
@option("--concurrency N", "Requests at a time.", type=int, default=8)
@option("--timeout N", "Seconds per request.", type=float, default=30.0)
@option("--retries N", "Retries of a failed request.", type=int, default=2)
@option("--checkpoint FILE", "Save every ranking to FILE. If run again, only ask for what is missing.")
@option("--save-run FILE", "Save what was returned as a run: TREC, or the format of FILE's extension.", to="run_file")
@option(
    "--save-records FILE.jsonl",
    "Save what was asked, retrieved and answered as records for assay rag, with gold and references.",
    to="records_file",
)
@save_option
@report_option
@output_options()
@scoring_options()
def command(*, url: str, queries: str, qrels: str, out: Output, scoring: Scoring, **asking: Checked) -> None:
    """Sends every judged query to the retriever at URL, and scores what it returns.

    Each query is sent as JSON with POST; a URL that contains {query} is requested with GET. The response is JSON with a
    list of ids or documents, and with an answer if the system answers. The output shows quality and latency. Failed
    queries score 0 and are listed; the command fails only if no query was answered.
    """
    check_single_input(queries, qrels, asking["references"])
    targets = ("save", "run_file", "records_file", "report")
    save, run_file, records_file, report = (asking.pop(name) for name in targets)
    if records_file is not None:
        check_records_name(records_file)
    for target in (run_file, records_file):
        check_target(target)
    how = {name: asking.pop(name) for name in ("body", "path", "answer_path", "headers")}
    search = HttpSearch(url, timeout=asking["timeout"], **how)
    try:
        probed = probe(search, source_of(queries), scoring.qrels(qrels), **asking, **scoring.how)
    except KeyboardInterrupt as stop:
        # How far it got.
        for note in getattr(stop, "__notes__", ()):
            say(f"assay: {note}")
        raise
    say_loudly(probed.notes)
    attempt_each(
        lambda: save_results(Results({"probe": probed.result}), save),
        lambda: write_run(probed.run, run_file),
        lambda: None if records_file is None else write_records(probed.records, records_file),
        lambda: None if report is None else probed.report(report),
        lambda: out.write(out.text_of(probed)),
    )
    if out.is_bare:
        say(f"note: {probed.pace}")
        say_notes(probed.notes)
    for line in probed.failure_lines(MOST_FAILURES):
        say(f"failed: {line}")


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


def write_run(run: Run, target: str | None) -> None:
    """Writes a run if a file is named, and says what the file does not hold, and which formats do."""
    if target is None:
        return
    lost = losses(run, target)
    run.write(target, lossy=True)
    for what, formats in lost:
        do = "does" if len(formats) == 1 else "do"
        say(f"note: {target} does not hold {what}; {' and '.join(formats)} {do}")
