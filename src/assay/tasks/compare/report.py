"""The report on runs, from the verdict down to the passages of a query.

`comparison_core` is what the page shows first; `QueryLists` gives the rankings of each query, in parts, which the page
unpacks when one of their queries is opened. What a hit is worth is how much the measure would lose if the document in
its place were not relevant; the judgments, and with them the ideal ranking, stay. For a measure that adds up what each
document is worth, such as nDCG, the values of a query add up to its score.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import AssayError, DataError, MeasureError, NeedError
from assay.core.judged import FloatArray, IntArray, Judged, stretches
from assay.core.policies import check_whole
from assay.core.text import Option, count, given_id, show
from assay.data.texts import DOCUMENTS, QUESTIONS, read_fields
from assay.engine.ranking import rebuild, repeat
from assay.render import finite
from assay.render.charts.kinds import KINDS
from assay.report.content import CHUNK, LENGTH, TITLE, base_core, cut, length_of, notes_of, slice_rows, slice_values
from assay.report.page import Content, write_page
from assay.results.results import Results
from assay.tasks.check.api import check_sources
from assay.tasks.compare.ranks import run_of, wanted_texts
from assay.tasks.evaluate.api import Ranks, Scorer

if TYPE_CHECKING:
    from assay.core.measure import Measure
    from assay.results.result import Result
    from assay.tasks.compare.result import Comparison

TOP = 20
MOST_TOP = 1_000
# Documents of all runs, up to which they are read again for the data check and for charts of whole rankings.
MOST_CHECKED = 500_000
# Runs whose rankings are all compared with each other in a chart.
MOST_ALIKE = 12
# Relevant documents that no run found, shown per query, and judged ones further down a ranking.
MOST_MISSING = 50
MOST_BELOW = 50
# Characters of all passages in a page.
MOST_TEXT = 6_000_000
# Digits of what a document is worth.
DIGITS = 3
# Hits that are scored at a time, to bound the memory.
MOST_ROWS = 1 << 20
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
    # Of some measures it cannot be told what a document is worth.
    unattributed = [measure for measure, runs in listed.worth.items() if None in runs]
    core.update(chunk=CHUNK, top=shown.top, rel=listed.rel, unattributed=unattributed, check=findings_of(ranks))
    write_page(Content(core, results.results, ranking_parts(listed, queries, shown.corpus)), path)


def findings_of(ranks: Ranks) -> list[dict[str, str]]:
    """What `assay.check` finds in judgments and runs that can be held in memory; nothing if ids mean something else."""
    if not is_moderate(ranks):
        return []
    scorer, fields = ranks.scorer, ("level", "place", "text", "advice")
    runs = [(name, run) for name, run in ranks.runs.items() if ranks.can_read(name)]
    report = check_sources(("judgments", scorer.qrels), runs, rel=scorer.plan.policies.rel, run_format=ranks.format)
    return [{field: getattr(each, field) for field in fields} for each in report.findings]


def is_moderate(ranks: Ranks) -> bool:
    return count_retrieved(ranks) <= MOST_CHECKED and ranks.scorer.plan.policies.doc_id is None


def count_retrieved(ranks: Ranks) -> int:
    """How many documents all runs retrieved together, for judged queries."""
    return sum(int(ranks.judged[name, next(iter(ranks.measures))].retrieved.sum()) for name in ranks.runs)


def add_slices(core: dict[str, Any], results: Results, shown: Shown, texts: Mapping[str, str]) -> None:
    """The queries by their fields; the length of the question needs no field."""
    queries = results[next(iter(results))].queries
    named = [name for name in shown.slices if name != LENGTH]
    if named and shown.queries is None:
        raise DataError(f"the questions have no field {show(named[0])}; pass a file of questions: {Option('queries')}")
    if LENGTH in shown.slices and not texts:
        raise DataError(f"the length of questions needs their texts; pass them: {Option('queries')}")
    fields = read_fields(shown.queries, named) if named else {}
    fields[LENGTH] = {query: length_of(text) for query, text in texts.items()}
    for name in shown.slices:
        values = core["fields"][name] = slice_values(fields[name], queries)
        core["slices"].append(slice_rows(results, name, values))


def comparison_core(comparison: Comparison, title: str, *, charts: bool = True) -> dict[str, Any]:
    """What the page shows of a comparison before its queries; without charts it takes a fraction of the time."""
    core, table = base_core(comparison.results, title), comparison.table()
    # A row has a mark, the run, and its means.
    rows: dict[str, tuple[Any, ...]] = {str(run): (mark, *means) for mark, run, *means in table.rows}
    measures = [column.name for column in table.columns[2:]]
    for at, run in enumerate(core["runs"]):
        run["mark"], *means = rows[run["name"]]
        for measure, found in zip(measures, means, strict=True):
            core["means"][measure][at].update(value=finite(found.value), place=found.place, beats=found.marks)
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
    """The ranks with runs of moderate size in memory: the data check and the agreement of runs look at all rows."""
    if ranks is None or not is_moderate(ranks) or not all(map(ranks.can_read, ranks.runs)):
        return ranks
    # What cannot be held stays as it is; the data check says why.
    with suppress(AssayError):
        return ranks._replace(runs={name: run_of(run, ranks.format) for name, run in ranks.runs.items()}, format=None)
    return ranks


def with_tops(ranks: Ranks | None, top: int) -> Ranks | None:
    """The ranks with the first documents of each run, which is read again if need be; None if one cannot be."""
    if ranks is None or (ranks.tops and ranks.scorer.plan.top >= top):
        return ranks
    if not all(map(ranks.can_read, ranks.runs)):
        return None
    scorer = Scorer(replace(ranks.scorer.plan, top=top), ranks.scorer.qrels, threads=ranks.scorer.threads)
    tops = {name: scorer.plan.tops(scorer.read(run, format=ranks.format)) for name, run in ranks.runs.items()}
    return ranks._replace(scorer=scorer, tops=tops)


class Worth(NamedTuple):
    """What judged documents of one run are worth by a measure: per query their numbers and values, by rank."""

    starts: Sequence[int]
    document: Sequence[int]
    value: Sequence[float]

    @classmethod
    def of_run(cls, ranks: Ranks, name: str, measure: str) -> Worth | None:
        """That of the documents of a run that are shown; None if it cannot be told."""
        judged = ranks.judged[name, measure]
        hits, plan = judged.hits, ranks.scorer.plan
        chosen = np.flatnonzero((hits.rank <= plan.top) | (hits.grade >= max(plan.policies.rel, judged.floor)))
        if (worth := hit_worth(ranks.measures[measure], judged, chosen)) is None:
            return None
        starts = stretches(hits.query[chosen], judged.size).tolist()
        return cls(starts, hits.document[chosen].tolist(), np.round(worth, DIGITS).tolist())

    def of(self, query: int, documents: Sequence[int]) -> list[float]:
        """The values of some judged documents of a query, 0 for those that are worth nothing; none after the last."""
        rows = slice(*self.starts[query : query + 2])
        known = dict(zip(self.document[rows], self.value[rows], strict=True))
        values = [known.get(each, 0) or 0 for each in documents]
        while values and not values[-1]:
            values.pop()
        return values


def ranking_parts(listed: QueryLists, queries: Sequence[str], corpus: object) -> Iterator[tuple[str, dict[str, Any]]]:
    """The parts of a page's data with the rankings of these queries, under their names."""
    texts = {} if corpus is None else shown_texts([listed.query(query)["documents"] for query in queries], corpus)
    for number, start in enumerate(range(0, len(queries), CHUNK)):
        part = [listed.query(query) for query in queries[start : start + CHUNK]]
        named = {document for each in part for document in each["documents"]} & texts.keys()
        # Field by field they compress better than query by query.
        fields = {field: [each[field] for each in part] for field in part[0]}
        yield f"rankings-{number}", {"queries": fields, "texts": {name: texts[name] for name in sorted(named)}}


def shown_texts(shown: Sequence[Sequence[str]], corpus: object) -> dict[str, str]:
    """The passages of the documents that are shown: those of the first queries, as far as there is room."""
    wanted = dict.fromkeys(document for each in shown for document in each)
    found = wanted_texts(corpus, set(wanted), DOCUMENTS)
    texts: dict[str, str] = {}
    room = MOST_TEXT
    for name in wanted:
        if name in found and room > 0:
            texts[name] = cut(found[name]) or ""
            room -= len(texts[name])
    return texts


class QueryLists:
    """What is shown of each query, from the ranks of judged documents and the first documents of the runs."""

    def __init__(self, ranks: Ranks, runs: Sequence[str]) -> None:
        plan, self.qrels = ranks.scorer.plan, ranks.scorer.qrels
        self.rel, self.top = plan.policies.rel, plan.top
        first = next(iter(ranks.measures))
        self.index = self.qrels.index_under(plan.measures[first].policies.duplicates)
        self.grades = np.frombuffer(self.index.grades()).tolist()
        self.starts = list(self.qrels.index_starts)
        judged = [ranks.judged[name, first] for name in runs]
        # Of each run: where the hits of each query begin, and their documents and ranks.
        columns = [(each.hits.starts, each.hits.document, each.hits.rank) for each in judged]
        self.hits = [[column.tolist() for column in each] for each in columns]
        self.retrieved = [each.retrieved.tolist() for each in judged]
        self.tops = [(ranks.tops[name].starts.tolist(), ranks.tops[name].ids()) for name in runs]
        self.worth = {measure: [Worth.of_run(ranks, name, measure) for name in runs] for measure in ranks.measures}

    def query(self, query: str) -> dict[str, Any]:
        """One query: its documents, their grades, and the place of each in every run.

        A ranking is a list of places among the documents, counted from 1; 0 is the next one that no earlier ranking
        has. What documents are worth is listed for those of a ranking that are judged, then for those further down.
        """
        number = self.qrels.number(query)
        ids = {each: given_id(self.index.document(each)) for each in range(*self.starts[number : number + 2])}
        numbers = {name: each for each, name in ids.items()}
        places: dict[str, int] = {}
        tops = [top[starts[number] : starts[number + 1]] for starts, top in self.tops]
        ranked = [[first_or_place(name, places) for name in top] for top in tops]
        hits = []
        for starts, documents, ranks in self.hits:
            rows = slice(*starts[number : number + 2])
            hits.append(list(zip(documents[rows], ranks[rows], strict=True)))
        # The relevant documents that a run has further down than is shown, and those that no run retrieved.
        below = [[hit for hit in each if hit[1] > self.top and self.is_relevant(hit[0])][:MOST_BELOW] for each in hits]
        found = {document for each in hits for document, _ in each}
        missing = [each for each in ids if self.is_relevant(each) and each not in found]
        shown = sorted(missing, key=lambda each: -self.grades[each])[:MOST_MISSING]
        judged = []
        for top, further in zip(tops, below, strict=True):
            judged.append([numbers[name] for name in top if name in numbers] + [document for document, _ in further])
        for document in [*(each for run in below for each, _ in run), *shown]:
            places.setdefault(ids[document], len(places))

        def worth(runs: Sequence[Worth | None]) -> list[list[float]]:
            return [each.of(number, own) if each else [] for each, own in zip(runs, judged, strict=True)]

        return {
            "documents": list(places),
            "grades": [self.grades[numbers[name]] if name in numbers else None for name in places],
            "ranked": ranked,
            "below": [[[places[ids[each]], rank] for each, rank in run] for run in below],
            "retrieved": [each[number] for each in self.retrieved],
            "worth": {measure: worth(each) for measure, each in self.worth.items()},
            "missing": [places[ids[each]] for each in shown],
            "more": len(missing) - len(shown),
        }

    def is_relevant(self, document: int) -> bool:
        return bool(self.grades[document] >= self.rel and self.grades[document] > 0)


def first_or_place(name: str, places: dict[str, int]) -> int:
    """The place of a document, counted from 1; 0 for one that is new and comes last."""
    if name in places:
        return places[name] + 1
    places[name] = len(places)
    return 0


def hit_worth(measure: Measure, judged: Judged, chosen: IntArray) -> FloatArray | None:
    """What each of the chosen hits, by their places, is worth; None if the measure of a query is not its own."""
    if not len(chosen):
        return np.zeros(0)
    queries = judged.hits.query[chosen]
    # In parts whose queries have not too many hits together.
    ends = np.cumsum(np.diff(judged.hits.starts)[queries]) // MOST_ROWS
    parts = np.split(np.arange(len(chosen)), np.flatnonzero(np.diff(ends)) + 1)
    try:
        with np.errstate(all="ignore"):
            whole = measure(judged)
            # A measure that looks at other queries too gives another value for a query on its own.
            alone = measure(without(judged, queries[:1], np.array([-1])))
            if not np.array_equal(alone, whole[queries[:1]], equal_nan=True):
                return None
            values = [whole[queries[part]] - measure(without(judged, queries[part], chosen[part])) for part in parts]
    except (MeasureError, IndexError, ValueError, TypeError):
        return None
    worth = np.concatenate(values)
    return worth if np.isfinite(worth).all() else None


def without(judged: Judged, queries: IntArray, left_out: IntArray) -> Judged:
    """One query per entry of `queries`: that query, without the hit at the place in `left_out`, if there is one."""
    every = repeat(judged, queries)
    kept = np.ones(len(every.hits.query), dtype=np.bool_)
    kept[(every.hits.starts[:-1] + left_out - judged.hits.starts[queries])[left_out >= 0]] = False
    # What only other queries judged, and groups, would need documents left out of them too.
    return rebuild(every, hits=every.hits.where(kept), foreign=None, make_groups=None)
