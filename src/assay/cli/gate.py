"""`assay gate`: stops a build where retrieval is not good enough, or got worse."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from assay.cli.options import given, load_option, loaded, policy_options, qrels_format_option, run_format_option
from assay.cli.terminal import Command, check_single_input, emit, say, source_of, watched
from assay.conventions import CONVENTIONS, find_convention
from assay.core.grammar import number
from assay.core.policies import Policies
from assay.data.qrels import Qrels
from assay.stats.drop import TESTS_OF_MEANS
from assay.tasks.gate.api import gate
from assay.tasks.gate.file import LIMITS, read_settings
from assay.tasks.gate.limits import by_meaning, meaning_under
from assay.tasks.gate.result import GateReport

SUMMARY = "GITHUB_STEP_SUMMARY"
OPTIONS = {"minimum": "--min", "max_drop": "--max-drop"}


class Limit(click.ParamType[Any]):
    """`MEASURE=NUMBER`; the measure may have an = of its own."""

    name = "limit"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:  # noqa: ANN401 - click's signature
        measure, _, text = str(value).rpartition("=")
        limit = number(text)
        if not measure.strip() or limit is None:
            self.fail(f"{value!r} must be a measure and a number, such as ndcg@10=0.45", param, ctx)
        return measure.strip(), limit


@click.command(
    "gate",
    cls=Command,
    short_help="Stop a build where retrieval got worse.",
    examples=(
        "assay gate qrels.txt new.run --min ndcg@10=0.45",
        "assay gate qrels.txt new.run --baseline old.run --max-drop ndcg@10=0.01",
        "assay gate qrels.txt new.run --baseline baseline.json --max-drop ndcg@10=0.01 --json",
        "assay gate new.run                            with the settings in assay.toml or pyproject.toml",
    ),
)
@click.argument("qrels", required=False, metavar="[QRELS]")
@click.argument("run", required=False, metavar="RUN")
@click.option(
    "--min", "minimum", type=Limit(), multiple=True, metavar="MEASURE=NUMBER", help="What a measure must reach."
)
@click.option("--baseline", metavar="FILE", help="An earlier run, or a result stored with `result.save`.")
@click.option(
    "--max-drop", type=Limit(), multiple=True, metavar="MEASURE=NUMBER", help="What may be lost against the baseline."
)
@click.option(
    "--alpha", type=float, help="How often a drop that is just allowed may fail the gate by chance.  [default: 0.05]"
)
@click.option("--strict/--no-strict", default=None, help="Fail every drop larger than allowed, whatever the test says.")
@click.option("--test", type=click.Choice(TESTS_OF_MEANS), help="How drops are tested.  [default: randomization]")
@click.option("--json", "as_json", is_flag=True, help="Write JSON, with every digit.")
@click.option(
    "--config", metavar="FILE", help="Settings in TOML.  [default: assay.toml or pyproject.toml in this folder]"
)
@click.option(
    "--convention",
    type=click.Choice(list(CONVENTIONS)),
    help="Compute as this tool does: its names for measures, and its policies.  [default: assay]",
)
@qrels_format_option
@run_format_option
@click.option("--threads", type=click.IntRange(min=1), help="How many threads read; by default all there are.")
@load_option
@policy_options
@click.pass_context
def command(
    ctx: click.Context,
    /,
    *,
    as_json: bool,
    config: str | None,
    threads: int | None,
    files: tuple[str, ...],
    **options: Any,  # noqa: ANN401 - click has checked them
) -> None:
    """Checks that RUN reaches each minimum, and that it lost no more than allowed against the baseline.

    A drop fails the gate only where it is larger than allowed and a test says that this is no chance. Where the
    queries are too few to tell, the gate passes and says so. It exits with 0 if all is well, with 1 if not, and with 2
    if something cannot be read.

    Settings may stand in assay.toml under [gate] or in pyproject.toml under [tool.assay.gate]; what is given here
    counts first. With GitHub's GITHUB_STEP_SUMMARY set, the outcome is added to that file in Markdown.
    """
    if options["run"] is None:
        options["run"], options["qrels"] = options["qrels"], None
    settings = read_settings(config)
    with loaded(files):
        report = run_gate(merged(settings, options), threads)
    emit(report.to_json() if as_json else f"{report}\n")
    add_summary(report)
    ctx.exit(0 if report.passed else 1)


def merged(settings: dict[str, Any], options: dict[str, Any]) -> dict[str, Any]:
    """The settings of the file with what the command line says instead; limits are set measure by measure."""
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
    """The report on the files that the settings name."""
    names = ("qrels", "run", "baseline", "qrels_format", "run_format")
    qrels, run, baseline, qrels_format, run_format = (settings.pop(name, None) for name in names)
    if run is None:
        raise click.UsageError("name the RUN to check, here or in the settings")
    if qrels is None and qrels_format is not None:
        raise click.UsageError("--qrels-format says how QRELS is read, and there is none")
    check_single_input(tuple(each for each in (qrels, run, baseline) if each is not None))
    judgments = None
    if qrels is not None:
        judgments = Qrels(source_of(qrels), format=qrels_format, duplicates=None)
    earlier = None if baseline is None else source_of(baseline)
    with watched(run) as progress:
        how = {"format": run_format, "threads": threads, "progress": progress}
        return gate(judgments, source_of(run), baseline=earlier, **how, **settings)


def add_summary(report: GateReport) -> None:
    """Adds the outcome to the summary of a job on GitHub, where there is one."""
    target = os.environ.get(SUMMARY)
    if not target:
        return
    try:
        with Path(target).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{report.to_markdown()}\n")
    except OSError as error:
        say(f"note: the summary cannot be added to {target}: {error.strerror}")
