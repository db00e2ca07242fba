"""The rankings that a report shows: of each query the first documents of every run, with grades and what each is worth.

Queries are in parts, which the page unpacks when one of their queries is opened. What a hit is worth is how much the
measure would lose if the document in its place were not relevant; the judgments, and with them the ideal ranking, stay.
For a measure that adds up what each document is worth, such as nDCG, the values of a query add up to its score.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, IntArray, Judged, stretches
from assay.core.text import given_id
from assay.data.texts import DOCUMENTS
from assay.engine.ranking import rebuild
from assay.report.content import CHUNK, cut
from assay.tasks.compare.passages import wanted_texts
from assay.tasks.compare.ranks import repeat

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from assay.core.measure import Measure
    from assay.tasks.evaluate.api import Ranks

# Relevant documents that no run found, shown per query, and judged ones further down a ranking.
MOST_MISSING = 50
MOST_BELOW = 50
# Characters of all passages in a page.
MOST_TEXT = 6_000_000
# Digits of what a document is worth.
DIGITS = 3
# Hits that are scored at a time, to bound the memory.
MOST_ROWS = 1 << 20


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
        worth = hit_worth(ranks.measures[measure], judged, chosen)
        if worth is None:
            return None
        starts = stretches(hits.query[chosen], judged.size).tolist()
        return cls(starts, hits.document[chosen].tolist(), np.round(worth, DIGITS).tolist())

    def of(self, query: int, documents: Sequence[int]) -> list[float]:
        """The values of some judged documents of a query, 0 for those that are worth nothing; none after the last."""
        rows = slice(self.starts[query], self.starts[query + 1])
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
        self.hits = [
            (each.hits.starts.tolist(), each.hits.document.tolist(), each.hits.rank.tolist()) for each in judged
        ]
        self.retrieved = [each.retrieved.tolist() for each in judged]
        self.tops = [(ranks.tops[name].starts.tolist(), ranks.tops[name].ids()) for name in runs]
        self.worth = {measure: [Worth.of_run(ranks, name, measure) for name in runs] for measure in ranks.measures}

    @property
    def unattributed(self) -> list[str]:
        """The measures of which it cannot be told what a document is worth."""
        return [measure for measure, runs in self.worth.items() if any(each is None for each in runs)]

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
        hits = [
            list(zip(*(column[slice(*starts[number : number + 2])] for column in columns), strict=True))
            for starts, *columns in self.hits
        ]
        # The relevant documents that a run has further down than is shown, and those that no run retrieved.
        below = [[hit for hit in each if hit[1] > self.top and self.is_relevant(hit[0])][:MOST_BELOW] for each in hits]
        found = {document for each in hits for document, _ in each}
        missing = [each for each in ids if self.is_relevant(each) and each not in found]
        missing.sort(key=lambda each: -self.grades[each])
        shown = missing[:MOST_MISSING]
        judged = [
            [*(numbers[name] for name in top if name in numbers), *(document for document, _ in further)]
            for top, further in zip(tops, below, strict=True)
        ]
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
