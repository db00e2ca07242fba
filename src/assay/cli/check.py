"""`assay check`: looks at judgments and runs, and says what is wrong with them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import format_choice
from assay.cli.terminal import Command, check_single_input, emit, source_of, watched
from assay.core.errors import AssayError
from assay.core.text import count, printable
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.render import write_json
from assay.tasks.check.judgments import check_qrels
from assay.tasks.check.result import Finding, Report, count_levels
from assay.tasks.check.runs import check_run

if TYPE_CHECKING:
    from assay.tasks.check.result import Level

MOST_GRADES = 12


@click.command(
    "check",
    cls=Command,
    short_help="Find out what is wrong with the data.",
    examples=(
        "assay check qrels.txt",
        "assay check qrels.txt bm25.run dense.run",
        "assay check qrels.txt bm25.run --format json",
    ),
)
@click.argument("qrels", metavar="QRELS")
@click.argument("runs", nargs=-1, metavar="[RUN...]")
@click.option(
    "--format",
    "format_",
    type=click.Choice(("text", "json")),
    default="text",
    show_default=True,
    help="How to write it.",
)
@click.option("--qrels-format", type=format_choice, help="How QRELS is read, where it cannot be told.")
@click.option("--run-format", type=format_choice, help="How each RUN is read, where it cannot be told.")
@click.option("--rel", type=click.FLOAT, default=1.0, show_default=True, help="The lowest grade that is relevant.")
@click.pass_context
def command(
    ctx: click.Context,
    *,
    qrels: str,
    runs: tuple[str, ...],
    format_: str,
    qrels_format: str | None,
    run_format: str | None,
    rel: float,
) -> None:
    """Looks at the judgments in QRELS and at each RUN, and says what is wrong and what to do.

    It finds ids that do not meet and how they differ (1 against q1, stray blanks), documents listed twice, queries
    that one side lacks, grades that mean nothing, how much was judged, short rankings, ties, and lines that cannot be
    read. It exits with 1 if something is bad, so that a script can stop.
    """
    check_single_input((qrels, *runs))
    judgments, report = look_at_qrels(qrels, qrels_format, rel)
    reports = [report, *(look_at_run(run, run_format, judgments) for run in runs)]
    levels = count_levels(reports)
    emit(as_json(reports, levels) if format_ == "json" else as_text(reports, levels))
    ctx.exit(1 if levels["bad"] else 0)


def look_at_qrels(argument: str, format_: str | None, rel: float) -> tuple[Qrels | None, Report]:
    """The judgments, if they can be read, and the report on them."""
    with watched(argument):
        try:
            qrels = Qrels(source_of(argument), format=format_, duplicates="first")
        except AssayError as error:
            return None, Report("judgments", argument, {}, [unreadable(error)])
        return qrels, check_qrels(qrels, argument, rel)


def look_at_run(argument: str, format_: str | None, qrels: Qrels | None) -> Report:
    """The report on a run. It is held whole, unlike in `assay eval`."""
    with watched(argument):
        try:
            run = Run(source_of(argument), format=format_)
        except AssayError as error:
            return Report("run", argument, {}, [unreadable(error)])
        return check_run(run, argument, qrels)


def unreadable(error: AssayError) -> Finding:
    """A file that cannot be read is a finding like any other."""
    return Finding("bad", "reading", str(error), "mend this first; nothing else was looked at in this file")


def as_json(reports: list[Report], levels: dict[Level, int]) -> str:
    data: dict[str, Any] = {"levels": levels, "reports": [report.to_dict() for report in reports]}
    return write_json(data)


def as_text(reports: list[Report], levels: dict[Level, int]) -> str:
    """One paragraph a file, and the sum of it all in the last line."""
    lines = [line for report in reports for line in (*paragraph(report), "")]
    warnings = count(levels["warn"], "warning")
    lines.append(f"{levels['bad']} bad, {warnings}" if levels["bad"] else f"nothing bad, {warnings}")
    return "".join(printable(line) + "\n" for line in lines)


def paragraph(report: Report) -> list[str]:
    """What is said about one file: the worst first."""
    lines = [f"{report.subject} {report.name}", *(f"  {fact}" for fact in FACTS[report.subject](report.facts))]
    order = {"bad": 0, "warn": 1, "ok": 2}
    for finding in sorted(report.findings, key=lambda each: order[each.level]):
        lines.append(f"  {finding.level:<4}  {finding.text}")
        lines += [f"        → {finding.advice}"] if finding.advice else []
    return lines


def judgment_facts(facts: dict[str, Any]) -> list[str]:
    if not facts:
        return []
    grades = [f"{grade}: {times:,}" for grade, times in facts["grades"].items()]
    shown = "   ".join(grades) if len(grades) <= MOST_GRADES else f"{len(grades)} different ones, {grade_range(facts)}"
    size = f"{count(facts['queries'], 'query', 'queries')}, {count(facts['judgments'], 'judgment')} "
    size += f"of {count(facts['documents'], 'document')}"
    return [size + (", in groups" if facts["groups"] else ""), f"grades  {shown}"]


def grade_range(facts: dict[str, Any]) -> str:
    grades = list(facts["grades"])
    return f"{grades[0]} to {grades[-1]}"


def run_facts(facts: dict[str, Any]) -> list[str]:
    if not facts:
        return []
    lengths = f"{facts['shortest']:,} to {facts['longest']:,}"
    each = f"{facts['longest']:,}" if facts["shortest"] == facts["longest"] else lengths
    size = f"{count(facts['queries'], 'query', 'queries')}, {count(facts['documents'], 'document')}, {each} a query"
    return [size + (f", tag {facts['tag']}" if facts["tag"] else "")]


FACTS = {"judgments": judgment_facts, "run": run_facts}
