"""The report on runs, from the verdict down to the passages of a query.

`comparison_core` is what the page shows first; `tasks/compare/rankings.py` gives the rankings of each query.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import AssayError, DataError, NeedError
from assay.core.policies import check_whole
from assay.core.text import Option, count, show
from assay.data.texts import QUESTIONS, read_fields
from assay.render import Marked, finite
from assay.render.charts.kinds import KINDS
from assay.report.content import CHUNK, LENGTH, TITLE, base_core, length_of, notes_of, slice_rows, slice_values
from assay.report.page import Content, write_page
from assay.results.results import Results
from assay.tasks.check.api import check_sources
from assay.tasks.compare.passages import run_of, wanted_texts
from assay.tasks.compare.rankings import QueryLists, ranking_parts
from assay.tasks.evaluate.api import Ranks, Scorer

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from assay.results.result import Result
    from assay.tasks.compare.result import Comparison

TOP = 20
MOST_TOP = 1_000
# Documents of all runs, up to which they are read again for the data check and for charts of whole rankings.
MOST_CHECKED = 500_000
# Runs whose rankings are all compared with each other in a chart.
MOST_ALIKE = 12
NO_RANKINGS = (
    "No rankings: the report was made from stored results, from runs that can be read only once, or of a run of which "
    "`evaluate` kept none."
)


class Shown(NamedTuple):
    """What a report shows beside the numbers: texts, the fields that divide the queries, and how it is headed."""

    queries: object = None
    corpus: object = None
    slices: Sequence[str] = ()
    top: int = TOP
    title: str = TITLE
    reproduce: str = ""


def write_result(result: Result, name: str, path: str | os.PathLike[str], shown: Shown) -> None:
    """Writes the report on one run, under a name."""
    results = Results({name: result})
    ranks = None if result._ranks is None else result._ranks.named(name)  # noqa: SLF001 - the result's own report
    write_report(base_core(results, shown.title), results, held(ranks), path, shown)


def write_report(
    core: dict[str, Any], results: Results, ranks: Ranks | None, path: str | os.PathLike[str], shown: Shown
) -> None:
    """Writes the page of a core, with texts, slices and what is shown of rankings."""
    check_whole("top", shown.top, 1, MOST_TOP)
    queries = results[next(iter(results))].queries
    texts = {} if shown.queries is None else wanted_texts(shown.queries, set(queries), QUESTIONS)
    core["questions"] = [texts.get(query) for query in queries] if texts else []
    add_slices(core, results, shown, texts)
    core["reproduce"] = shown.reproduce
    ranks = with_tops(ranks, shown.top)
    if ranks is None:
        core["norankings"] = NO_RANKINGS
        write_page(Content(core, results.results), path)
        return
    listed = QueryLists(ranks, list(results))
    core.update(chunk=CHUNK, top=shown.top, rel=listed.rel, unattributed=listed.unattributed, check=findings_of(ranks))
    write_page(Content(core, results.results, ranking_parts(listed, queries, shown.corpus)), path)


def findings_of(ranks: Ranks) -> list[dict[str, str]]:
    """What `assay.check` finds in judgments and runs that can be held in memory; nothing if ids mean something else."""
    if not is_moderate(ranks):
        return []
    judgments, rel = ("judgments", ranks.scorer.qrels), ranks.scorer.plan.policies.rel
    runs = [(name, run) for name, run in ranks.runs.items() if ranks.can_read(name)]
    report = check_sources(judgments, runs, rel=rel, run_format=ranks.format)
    fields = ("level", "place", "text", "advice")
    return [{field: getattr(each, field) for field in fields} for each in report.findings]


def is_moderate(ranks: Ranks) -> bool:
    return count_retrieved(ranks) <= MOST_CHECKED and ranks.scorer.plan.policies.doc_id is None


def count_retrieved(ranks: Ranks) -> int:
    """How many documents all runs retrieved together, for judged queries."""
    first = next(iter(ranks.measures))
    return sum(int(ranks.judged[name, first].retrieved.sum()) for name in ranks.runs)


def add_slices(core: dict[str, Any], results: Results, shown: Shown, texts: Mapping[str, str]) -> None:
    """The queries by their fields; the length of the question needs no field."""
    queries = results[next(iter(results))].queries
    named = [name for name in shown.slices if name != LENGTH]
    if named and shown.queries is None:
        raise DataError(f"the questions have no field {show(named[0])}; pass a file of questions: {Option('queries')}")
    if LENGTH in shown.slices and not texts:
        raise DataError(f"the length of questions needs their texts; pass them: {Option('queries')}")
    fields = read_fields(shown.queries, named) if named else {}
    if LENGTH in shown.slices:
        fields[LENGTH] = {query: length_of(text) for query, text in texts.items()}
    for name in shown.slices:
        values = slice_values(fields[name], queries)
        core["fields"][name] = values
        core["slices"].append(slice_rows(results, name, values))


def comparison_core(comparison: Comparison, title: str, *, charts: bool = True) -> dict[str, Any]:
    """What the page shows of a comparison before its queries; without charts it takes a fraction of the time."""
    core = base_core(comparison.results, title)
    table = comparison.table()
    rows = {str(row[1]): row for row in table.rows}
    measures = [column.name for column in table.columns[2:]]
    for run in core["runs"]:
        run["mark"] = str(rows[run["name"]][0])
    for place, measure in enumerate(measures, start=2):
        for run, cell in zip(core["runs"], core["means"][measure], strict=True):
            found = rows[run["name"]][place]
            assert isinstance(found, Marked)  # noqa: S101 - a table of systems has nothing else
            cell.update(value=finite(found.value), place=found.place, beats=found.marks)
    # The two runs that are open at first: the baseline, or else the second best, and the best by the first measure.
    best, second, *_ = comparison._ordered_means(comparison.pairs[0].measure)  # noqa: SLF001 - its own report
    other = comparison.settings.baseline or second
    core.update(
        caption=f"{comparison.caption}; 95 % intervals below each mean",
        verdict=[{"text": text, "state": None} for text in comparison.verdict.texts],
        pairs=[{name: finite(value) for name, value in pair._asdict().items()} for pair in comparison.pairs],
        tested=f"{comparison.settings.words}, {count(len(comparison.pairs), 'comparison')}",
        notes=notes_of(comparison.notes),
        signature=str(comparison.signature),
        first={"a": second if other == best else other, "b": best},
    )
    if charts:
        core["forests"] = {measure: comparison.plot("differences", measure=measure).spec for measure in measures}
        core["charts"], core["unmet"] = charts_of(comparison)
    return core


def charts_of(comparison: Comparison) -> tuple[list[dict[str, Any]], list[str]]:
    """The charts that the comparison can give, in the order of the table, and why it cannot give the others."""
    ranks = comparison._ranks  # noqa: SLF001 - the comparison's own report
    is_large = len(comparison.results) > MOST_ALIKE or (ranks is not None and count_retrieved(ranks) > MOST_CHECKED)
    charts, unmet = [], []
    for kind in (each for each in KINDS.values() if each.heading):
        if kind.name == "runs" and is_large:
            most = f"{MOST_ALIKE} runs and {MOST_CHECKED:,} retrieved documents"
            unmet.append(f"{kind.heading}: the chart reads rankings again, for at most {most}")
            continue
        try:
            charts.append({"title": kind.heading, "spec": comparison.plot(kind.name).spec})
        except NeedError as error:
            unmet.append(f"{kind.heading}: {error}")
    return charts, unmet


def held(ranks: Ranks | None) -> Ranks | None:
    """The ranks with runs of moderate size in memory: the data check and the agreement of runs look at all rows.

    What cannot be held stays as it is; the data check says why.
    """
    if ranks is None or not is_moderate(ranks) or not all(map(ranks.can_read, ranks.runs)):
        return ranks
    try:
        runs: dict[str, object] = {name: run_of(each, ranks.format) for name, each in ranks.runs.items()}
    except AssayError:
        return ranks
    return ranks._replace(runs=runs, format=None)


def with_tops(ranks: Ranks | None, top: int) -> Ranks | None:
    """The ranks with the first documents of each run; the runs are read again if they were not kept.

    None if a run can be read only once.
    """
    if ranks is None or (ranks.tops and ranks.scorer.plan.top >= top):
        return ranks
    if not all(map(ranks.can_read, ranks.runs)):
        return None
    old = ranks.scorer
    scorer = Scorer(replace(old.plan, top=top), old.qrels, threads=old.threads)
    tops = {name: scorer.plan.tops(scorer.read(run, format=ranks.format)) for name, run in ranks.runs.items()}
    return ranks._replace(scorer=scorer, tops=tops)
