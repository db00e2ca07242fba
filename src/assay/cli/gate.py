"""`assay gate`: stops a build if retrieval is not good enough, or got worse."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from assay.cli.options import (
    corpus_option,
    doc_id_option,
    format_result,
    given,
    load_option,
    loaded,
    output_options,
    policy_options,
    qrels_format_option,
    queries_option,
    report_option,
    run_format_option,
    texts_given,
    threads_option,
)
from assay.cli.terminal import (
    Command,
    check_single_input,
    emit,
    say,
    say_loudly,
    source_of,
    this_command,
    watched,
)
from assay.conventions import CONVENTIONS, find_convention
from assay.core.grammar import NUMBER
from assay.core.policies import Policies
from assay.data.qrels import Qrels
from assay.stats.paired import TESTS_OF_MEANS
from assay.tasks.gate.api import gate
from assay.tasks.gate.limits import LIMITS, by_meaning, meaning_under, read_settings
from assay.tasks.gate.result import GateReport

SUMMARY = "GITHUB_STEP_SUMMARY"
OPTIONS = {"minimum": "--min", "max_drop": "--max-drop"}


class LimitType(click.ParamType[Any]):
    """`MEASURE=NUMBER`; the name of the measure may contain an =."""

    name = "limit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:  # noqa: ANN401 - click's signature
        measure, _, text = str(value).rpartition("=")
        if not measure.strip() or not NUMBER.fullmatch(text.strip()):
            self.fail(f"{value!r} must be a measure and a number, such as ndcg@10=0.45", param, ctx)
        return measure.strip(), float(text)


@click.command(
    "gate",
    cls=Command,
    short_help="Stop a build if retrieval got worse.",
    examples=(
        "assay gate qrels.txt new.run --min ndcg@10=0.45",
        "assay gate qrels.txt new.run --baseline old.run --max-drop ndcg@10=0.01",
        "assay gate qrels.txt new.run --min ndcg@10=0.45 --queries queries.jsonl --corpus corpus.jsonl",
        "assay gate qrels.txt new.run --baseline baseline.json --max-drop ndcg@10=0.01 -o gate.json",
        "assay gate new.json --baseline old.json --max-drop ndcg@10=0.01    results stored with --save",
        "assay gate qrels.txt new.run --baseline old.run --max-drop ndcg@10=0.01 --report gate.html",
        "assay gate new.run                            using assay.toml or pyproject.toml",
    ),
)
@click.argument("qrels", required=False, metavar="[QRELS]")
@click.argument("run", required=False, metavar="RUN")
@click.option(
    "--min",
    "minimum",
    type=LimitType(),
    multiple=True,
    metavar="MEASURE=NUMBER",
    help="Minimum of a measure; repeatable.",
)
@click.option("--baseline", metavar="FILE", help="Earlier run, or a result stored with --save.")
@click.option(
    "--max-drop",
    type=LimitType(),
    multiple=True,
    metavar="MEASURE=NUMBER",
    help="Largest drop allowed against the baseline; repeatable.",
)
@click.option(
    "--alpha", type=float, help="Significance level: how often a drop equal to the limit may fail.  [default: 0.05]"
)
@queries_option
@corpus_option
@click.option("--strict/--no-strict", default=None, help="Fail every drop larger than the limit, significant or not.")
@click.option(
    "--failed-verdicts/--no-failed-verdicts",
    default=None,
    help="Pass even if a judge failed on more than 5 % of the questions.",
)
@click.option(
    "--test", type=click.Choice(TESTS_OF_MEANS), help="Significance test for drops.  [default: randomization]"
)
@click.option("--json", "as_json", is_flag=True, help="The same as --format json.")
@report_option
@output_options
@click.option(
    "--config", metavar="FILE", help="TOML file with settings.  [default: assay.toml or pyproject.toml in this folder]"
)
@click.option(
    "--convention",
    type=click.Choice(list(CONVENTIONS)),
    help="Compute like this tool: its names for measures, and its policies.  [default: assay]",
)
@doc_id_option()
@qrels_format_option
@run_format_option
@threads_option
@load_option
@policy_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    as_json: bool,
    format_: str,
    output: str | None,
    config: str | None,
    threads: int | None,
    files: tuple[str, ...],
    report: str | None,
    **options: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Checks that RUN reaches each minimum, and that no measure dropped against the baseline by more than its limit.

    A drop fails the gate only if it is larger than the limit and significantly so. If there are too few queries to
    tell, the gate passes and says so. Exit codes: 0 passed, 1 failed, 2 bad input.

    A failed check names the worst queries and the documents that moved the measure most; --queries and --corpus add the
    question, the first line of each passage, and the unjudged document that took the top.

    Settings can be kept in assay.toml under [gate], or in pyproject.toml under [tool.assay.gate]; options given here
    override them. If GITHUB_STEP_SUMMARY is set, as in GitHub Actions, the outcome is appended to that file in
    Markdown.
    """
    if as_json and format_ not in ("table", "json"):
        raise click.UsageError(f"--json and the format {format_} exclude each other; give one of them")
    if options["run"] is None:
        options["run"], options["qrels"] = options["qrels"], None
    settings = read_settings(config)
    both = merged(settings, options)
    texts = {name: both.get(name) for name in ("queries", "corpus")}
    with loaded(files):
        outcome = run_gate(both, threads)
        if report is not None:
            outcome.report(report, **texts_given(**texts), reproduce=this_command())
    say_loudly(outcome.notes)
    chosen = "json" if as_json else format_
    emit(format_result(outcome, chosen), output, chosen)
    add_summary(outcome)
    ctx.exit(0 if outcome.passed else 1)


def merged(settings: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The settings of the file, overridden by the command line; limits are overridden measure by measure."""
    told = {name: options.pop(name) for name in LIMITS}
    both = {**settings, **given(options)}
    meaning = meaning_under(find_convention(both.get("convention", "assay")), policies_of(both))
    for name in LIMITS:
        in_file = by_meaning(settings.get(name, {}).items(), meaning, f"{name} in the settings")
        on_line = by_meaning(told[name], meaning, OPTIONS[name])
        both[name] = dict({**in_file, **on_line}.values())
    return both


def policies_of(settings: dict[str, Any]) -> dict[str, Any]:
    return {name: settings[name] for name in Policies.__slots__ if name in settings}


def run_gate(settings: dict[str, Any], threads: int | None) -> GateReport:
    """The report on the files named in the settings."""
    names = ("qrels", "run", "baseline", "qrels_format", "run_format")
    qrels, run, baseline, qrels_format, run_format = (settings.pop(name, None) for name in names)
    texts = [settings.pop(name, None) for name in ("queries", "corpus")]
    if run is None:
        raise click.UsageError("missing RUN; name the run to check, here or in the settings")
    if qrels is None and qrels_format is not None:
        raise click.UsageError("--qrels-format is set, but there is no QRELS")
    check_single_input(tuple(each for each in (qrels, run, baseline, *texts) if each is not None))
    judgments = None
    if qrels is not None:
        judgments = Qrels(source_of(qrels), format=qrels_format, duplicates=None)
    earlier = None if baseline is None else source_of(baseline)
    with watched(run) as progress:
        how = {"format": run_format, "threads": threads, "progress": progress, **texts_given(*texts)}
        return gate(judgments, source_of(run), baseline=earlier, **how, **settings)


def add_summary(report: GateReport) -> None:
    """Appends the outcome to the summary of a job on GitHub, if there is one."""
    target = os.environ.get(SUMMARY)
    if not target:
        return
    try:
        with Path(target).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{report.to_markdown()}\n")
    except OSError as error:
        say(f"note: cannot write the summary to {target}: {error.strerror}")
