"""`assay gate`: stops a build if retrieval is not good enough, or got worse."""

import os
from pathlib import Path
from typing import Any

import click

from assay import GateReport, Qrels, gate
from assay.cli.command import Checked, Setting, number, option, subcommand, truth, whole
from assay.cli.options import Scoring, scoring_options, texts_options
from assay.cli.output import Output, output_options, report_option
from assay.cli.terminal import check_single_input, say, this_command
from assay.terminal import gate_settings, source_of

TESTS = ("randomization", "t", "bootstrap")


class LimitType(click.ParamType[Any]):
    """`MEASURE=NUMBER`; the name of the measure may contain an =."""

    name = "limit"

    def convert(self, value: Checked, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, float]:
        measure, _, text = str(value).rpartition("=")
        try:
            return measure.strip(), number(text.strip() if measure.strip() else "")
        except click.BadParameter:
            self.fail(f"{value!r} must be a measure and a number, such as ndcg@10=0.45", param, ctx)


@subcommand(
    "gate",
    "assay gate qrels.txt new.run --min ndcg@10=0.45",
    "assay gate qrels.txt new.run --baseline old.run --max-drop ndcg@10=0.01",
    "assay gate qrels.txt new.run --min ndcg@10=0.45 --queries queries.jsonl --corpus corpus.jsonl",
    "assay gate qrels.txt new.run --baseline baseline.json --max-drop ndcg@10=0.01 -o gate.json",
    "assay gate new.json --baseline old.json --max-drop ndcg@10=0.01    results stored with --save",
    "assay gate qrels.txt new.run --baseline old.run --max-drop ndcg@10=0.01 --report gate.html",
    "assay gate new.run                            using assay.toml or pyproject.toml",
    usual="minimum baseline max_drop queries corpus strict test policies report format_ output config",
)
@click.argument("qrels", required=False, metavar="[QRELS]")
@click.argument("run", required=False, metavar="RUN")
@option("--min MEASURE=NUMBER", "Minimum of a measure (repeatable).", to="minimum", type=LimitType())
@option("--baseline FILE", "Earlier run, or a result stored with --save.")
@option("--max-drop MEASURE=NUMBER", "Largest drop allowed against the baseline (repeatable).", type=LimitType())
@texts_options
@option("--strict/--no-strict", "Fail every drop larger than the limit, significant or not.", default=None)
@option(
    "--test TEST",
    f"Significance test of a drop: {', '.join(TESTS)}.  [default: randomization]",
    type=click.Choice(TESTS),
)
@report_option
@output_options()
@option("--config FILE", "TOML file with settings.  [default: assay.toml or pyproject.toml in this folder]")
@scoring_options(
    Setting("alpha", number, "significance level: how often a drop equal to the limit may fail (default 0.05)"),
    Setting("samples", whole, "random samples that the test draws (default: depends on the test)"),
    Setting("seed", whole, "random seed; the same seed gives the same numbers (default 0)"),
    Setting("failed_verdicts", truth, "yes: pass even if a judge failed on more than 5 % of the questions"),
)
def command(*, out: Output, config: str | None, report: str | None, scoring: Scoring, **options: Checked) -> None:
    """Checks that RUN reaches each minimum, and that no measure dropped against the baseline by more than its limit.

    A drop fails the gate only if it is larger than the limit and significantly so. If there are too few queries to
    tell, the gate passes and says so. Exit codes: 0 passed, 1 failed, 2 bad input.

    A failed check names the worst queries and the documents that moved the measure most; --queries and --corpus add the
    question, the first line of each passage, and the unjudged document that took the top.

    Settings can be kept in assay.toml under [gate], or in pyproject.toml under [tool.assay.gate]; options given here
    override them. If GITHUB_STEP_SUMMARY is set, as in GitHub Actions, the outcome is appended to that file in
    Markdown.
    """
    if options["run"] is None:
        options["run"], options["qrels"] = options["qrels"], None
    settings = gate_settings(config, {**options, **scoring.how, **scoring.named_formats})
    texts = {name: source_of(settings.pop(name, None)) for name in ("queries", "corpus")}
    names = ("qrels", "run", "baseline", "qrels_format", "run_format")
    qrels, run, baseline, qrels_format, run_format = (settings.pop(name, None) for name in names)
    if run is None:
        raise click.UsageError("missing RUN; name the run to check, here or in the settings")
    if qrels is None and qrels_format is not None:
        raise click.UsageError("--from qrels=… is set, but there is no QRELS")
    check_single_input(qrels, run, baseline, *texts.values())
    judgments = None if qrels is None else Qrels(source_of(qrels), format=qrels_format, duplicates=None)
    how = {"baseline": source_of(baseline), "format": run_format, "progress": True, **texts, **settings}
    outcome = gate(judgments, source_of(run), **how)
    if report is not None:
        outcome.report(report, **texts, reproduce=this_command())
    out.show(outcome)
    add_summary(outcome)
    click.get_current_context().exit(0 if outcome.passed else 1)


def add_summary(report: GateReport) -> None:
    """Appends the outcome to the summary of a job on GitHub, if there is one."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if not target:
        return
    try:
        with Path(target).open("a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(f"{report.to_markdown()}\n")
    except OSError as error:
        say(f"note: cannot write the summary to {target}: {error.strerror}")
