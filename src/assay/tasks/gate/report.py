"""The report on a gate: each check, and the run beside its baseline, query by query."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.render import finite
from assay.report.content import base_core, notes_of
from assay.report.page import write_page
from assay.results.results import Results
from assay.tasks.compare.report import Shown, held, report_content, with_tops
from assay.tasks.gate.result import finite_fields, worst_title

if TYPE_CHECKING:
    import os

    from assay.tasks.gate.checks import Sides
    from assay.tasks.gate.result import GateReport

RUN, BASELINE = "run", "baseline"


def write_gate(report: GateReport, sides: Sides, path: str | os.PathLike[str], shown: Shown) -> None:
    """Writes the report on a gate."""
    both = {RUN: sides.run} if sides.baseline is None else {BASELINE: sides.baseline, RUN: sides.run}
    measures = list((sides.baseline or sides.run).measures)
    results = Results({name: result.only(measures) for name, result in both.items()})
    core = base_core(results, shown.title)
    state = "pass" if report.passed else "fail"
    core["verdict"] = [{"text": f"gate {report.summary}", "state": state}]
    core["verdict"] += [{"text": f"{check.measure}: {check.reason}", "state": None} for check in report.checks]
    core["gate"] = {"checks": [check_fields(check) for check in report.checks]}
    core["notes"] = notes_of(report.notes)
    core["signature"] = str(report.signature)
    ranks = sides.ranks if sides.ranks is not None and set(both) <= {name for name, _ in sides.ranks.judged} else None
    write_page(report_content(core, results, with_tops(held(ranks), shown.top), shown), path)


def check_fields(check: Any) -> dict[str, Any]:  # noqa: ANN401 - a GateCheck
    """A check as the page takes it."""
    worst = [{"query": each.query, "before": finite(each.before), "after": finite(each.after)} for each in check.worst]
    return {**finite_fields(check), "title": worst_title(check), "worst": worst}
