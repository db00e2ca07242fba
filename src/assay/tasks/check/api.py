"""`check`: looks at judgments and runs, and says what is wrong with them."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING, Literal

from assay.core.errors import AssayError, PolicyError
from assay.core.progress import watched
from assay.core.text import show
from assay.data.passages import is_number
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.files.source import describe, is_source
from assay.tasks.check.findings import check_qrels, check_run
from assay.tasks.check.result import CheckedFile, CheckFinding, CheckReport

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from contextlib import AbstractContextManager

    Watch = Callable[[str], AbstractContextManager[object]]


def check(
    qrels: object,
    *runs: object,
    rel: float = 1.0,
    qrels_format: str | None = None,
    run_format: str | None = None,
    progress: bool = False,
) -> CheckReport:
    """Looks at judgments and at any number of runs, and reports what is wrong with them and what to do.

    It finds ids that do not match and how they differ (`1` and `q1`, stray blanks), duplicate documents, queries that
    one side lacks, grades that mean nothing, how much was judged, short rankings, ties, and files that cannot be read.
    Data comes in any form that `assay.evaluate` takes; `rel` is the lowest relevant grade.
    `progress` shows a bar on a terminal while a file is read.

    >>> import assay
    >>> report = assay.check({"q1": {"d1": 1}}, {"1": {"d1": 0.5}})
    >>> [finding.text for finding in report.findings if finding.level == "bad"]
    ["1 query has a different id in the run: 'q1' vs. '1' (the prefix 'q' in the judgments)"]
    """
    if not (is_number(rel) and abs(rel) <= sys.float_info.max):
        raise PolicyError(f"rel must be a number, not {show(rel)}")
    return check_sources(
        (name_of(qrels, "qrels"), qrels),
        [(name_of(run, f"run {number}"), run) for number, run in enumerate(runs, start=1)],
        rel=rel,
        qrels_format=qrels_format,
        run_format=run_format,
        watch=watched if progress else nullcontext,
    )


def name_of(data: object, default: str) -> str:
    """What the report calls the data."""
    return describe(data) if is_source(data) else default


def check_sources(
    qrels: tuple[str, object],
    runs: Sequence[tuple[str, object]],
    *,
    rel: float,
    qrels_format: str | None = None,
    run_format: str | None = None,
    watch: Watch = nullcontext,
) -> CheckReport:
    """The report on data under the given names; `watch` is entered with a name while that data is read."""
    name, data = qrels
    judgments = None
    with watch(name):
        try:
            judgments = data if isinstance(data, Qrels) else Qrels(data, format=qrels_format, duplicates="first")
            files = [check_qrels(judgments, name, rel)]
        except AssayError as error:
            files = [unreadable("judgments", name, error)]
    for name, data in runs:
        # The run is held in memory, unlike in `evaluate`.
        with watch(name):
            try:
                run = data if isinstance(data, Run) else Run(data, format=run_format)
                files.append(check_run(run, name, judgments))
            except AssayError as error:
                files.append(unreadable("run", name, error))
    return CheckReport(files)


def unreadable(subject: Literal["judgments", "run"], name: str, error: AssayError) -> CheckedFile:
    """Data that cannot be read is a finding like any other."""
    advice = "fix this first; the rest of this file was not checked"
    return CheckedFile.of(subject, name, {}, [CheckFinding("bad", "reading", str(error), advice)])
