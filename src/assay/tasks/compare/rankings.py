"""The rankings that a report shows: of each query the first documents of every run, with grades and what each is worth.

Queries are in parts, which the page unpacks when one of their queries is opened.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.judged import stretches
from assay.core.text import given_id
from assay.data.texts import DOCUMENTS
from assay.report.answers import CHUNK, cut
from assay.tasks.compare.passages import wanted_texts
from assay.tasks.compare.worth import hit_worth

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from assay.core.judged import Judged
    from assay.tasks.compare.ranks import Ranks

# Relevant documents that no run found, shown per query, and judged ones further down a ranking.
MOST_MISSING = 50
MOST_BELOW = 50
# Characters of all passages in a page.
MOST_TEXT = 6_000_000
# Digits of what a document is worth.
DIGITS = 3


class RunHits(NamedTuple):
    """The judged documents that one run retrieved for each query: their numbers and ranks."""

    starts: Sequence[int]
    document: Sequence[int]
    rank: Sequence[int]


class Worth(NamedTuple):
    """What judged documents of one run are worth by a measure: per query their numbers and values, by rank."""

    starts: Sequence[int]
    document: Sequence[int]
    value: Sequence[float]

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
    texts = {} if corpus is None else shown_texts([listed.query(query) for query in queries], corpus)
    for number, start in enumerate(range(0, len(queries), CHUNK)):
        part = [listed.query(query) for query in queries[start : start + CHUNK]]
        named = {document for each in part for document in each["documents"]} & texts.keys()
        # Field by field they compress better than query by query.
        fields = {field: [each[field] for each in part] for field in part[0]}
        yield f"rankings-{number}", {"queries": fields, "texts": {name: texts[name] for name in sorted(named)}}


def shown_texts(shown: Sequence[Mapping[str, Any]], corpus: object) -> dict[str, str]:
    """The passages of the documents that are shown: those of the first queries, as far as there is room."""
    wanted = dict.fromkeys(document for each in shown for document in each["documents"])
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
        self.ranks, self.runs = ranks, runs
        self.rel = ranks.scorer.plan.policies.rel
        self.qrels = ranks.scorer.qrels
        first = next(iter(ranks.measures))
        self.index = self.qrels.index_under(ranks.scorer.plan.measures[first].policies.duplicates)
        self.grades = np.frombuffer(self.index.grades()).tolist()
        self.starts = list(self.qrels.index_starts)
        self.found = [found_of(ranks.judged[name, first]) for name in runs]
        self.retrieved = [ranks.judged[name, first].retrieved.tolist() for name in runs]
        self.tops = [(ranks.tops[name].starts.tolist(), ranks.tops[name].ids()) for name in runs]
        self.worth = {measure: [self.worth_of(name, measure) for name in runs] for measure in ranks.measures}

    def worth_of(self, name: str, measure: str) -> Worth | None:
        """What the judged documents that are shown are worth; None if that cannot be told."""
        judged = self.ranks.judged[name, measure]
        hits = judged.hits
        chosen = np.flatnonzero((hits.rank <= self.ranks.scorer.plan.top) | (hits.grade >= max(self.rel, judged.floor)))
        worth = hit_worth(self.ranks.measures[measure], judged, chosen)
        if worth is None:
            return None
        starts = stretches(judged.hits.query[chosen], judged.size).tolist()
        return Worth(starts, judged.hits.document[chosen].tolist(), np.round(worth, DIGITS).tolist())

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
        numbers = range(self.starts[number], self.starts[number + 1])
        names = {given_id(self.index.document(each)): each for each in numbers}
        places: dict[str, int] = {}
        tops = [ids[starts[number] : starts[number + 1]] for starts, ids in self.tops]
        ranked = [[first_or_place(name, places) for name in top] for top in tops]
        below = [self.below(run, number) for run in range(len(self.runs))]
        judged = [
            [*(names[name] for name in top if name in names), *(document for document, _ in further)]
            for top, further in zip(tops, below, strict=True)
        ]
        missing, more = self.missing(number, numbers)
        by_number = {each: name for name, each in names.items()}
        for document in [*(each for run in below for each, _ in run), *missing]:
            places.setdefault(by_number[document], len(places))
        place = {each: places[name] for name, each in names.items() if name in places}
        return {
            "documents": list(places),
            "grades": [self.grades[names[name]] if name in names else None for name in places],
            "ranked": ranked,
            "below": [[[place[each], rank] for each, rank in run] for run in below],
            "retrieved": [each[number] for each in self.retrieved],
            "worth": {
                measure: [
                    [] if each is None else each.of(number, documents)
                    for each, documents in zip(runs, judged, strict=True)
                ]
                for measure, runs in self.worth.items()
            },
            "missing": [place[each] for each in missing],
            "more": more,
        }

    def below(self, run: int, number: int) -> list[tuple[int, int]]:
        """The relevant documents of a query that a run has further down than is shown."""
        found = self.found[run]
        hits = range(found.starts[number], found.starts[number + 1])
        top = self.ranks.scorer.plan.top
        rows = [(found.document[hit], found.rank[hit]) for hit in hits if found.rank[hit] > top]
        return [row for row in rows if self.is_relevant(row[0])][:MOST_BELOW]

    def is_relevant(self, document: int) -> bool:
        """Whether a judged document, by its number, is relevant."""
        return bool(self.grades[document] >= self.rel and self.grades[document] > 0)

    def missing(self, number: int, numbers: range) -> tuple[list[int], int]:
        """The relevant documents that no run retrieved, the best first, and how many more there are."""
        found = {
            each.document[hit] for each in self.found for hit in range(each.starts[number], each.starts[number + 1])
        }
        left = [each for each in numbers if self.is_relevant(each) and each not in found]
        left.sort(key=lambda each: -self.grades[each])
        return left[:MOST_MISSING], max(0, len(left) - MOST_MISSING)


def first_or_place(name: str, places: dict[str, int]) -> int:
    """The place of a document, counted from 1; 0 for one that is new and comes last."""
    if name in places:
        return places[name] + 1
    places[name] = len(places)
    return 0


def found_of(judged: Judged) -> RunHits:
    """The hits of a run by query."""
    hits = judged.hits
    return RunHits(hits.starts.tolist(), hits.document.tolist(), hits.rank.tolist())
