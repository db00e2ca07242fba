"""The judged documents that each run retrieved, with their ranks, and how much each document moved a measure.

The contribution of a document is what its own change of rank does to the measure while all others stay where they are.
Two answers are averaged: the document alone moves from its place in the first ranking to that in the second, or all
others have moved already and it follows. For a measure that adds up what each document is worth, such as nDCG, the
contributions add up to the change of the measure.

Texts are those behind a change: the question, the first line of each passage, and the wrong document that took the top,
for which the run is read once more. Of questions and passages, however many there are, only those shown are kept.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from assay.core.errors import MeasureError, MismatchError
from assay.core.judged import FloatArray, Hits, IntArray, Judged
from assay.core.measure import Measure
from assay.core.text import first_line, given_id, printable, shorten_text, some
from assay.data.partial import read_some
from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.data.texts import DOCUMENTS, QUESTIONS, TextKind, read_texts
from assay.engine.ranking import rebuild, repeat, select
from assay.render import finite
from assay.tasks.evaluate.api import Ranks, Scorer

# Hits that are scored at a time, to bound the memory.
MOST_HITS = 1 << 20
# A smaller contribution is rounding.
SMALLEST = 1e-12
SMALLEST_SHOWN = 0.00005
# Longer texts are cut when they are printed; exports for programs have the whole line.
TEXT_WIDTH = 70
# What hits have, apart from the number of queries.
COLUMNS = ("query", "grade", "rank", "score", "higher", "tied", "document")


class Document(NamedTuple):
    """A document of a query: its grade, its rank before and after, and how much its change of rank moved the measure.

    `grade` is None if it was not judged, a rank if it was not retrieved, `contribution` if the measure of a query does
    not depend on that query alone. `text` is the first line of its text, if texts were given.
    """

    document: str
    grade: float | None
    before: int | None
    after: int | None
    contribution: float | None = None
    text: str | None = None


class Move(NamedTuple):
    """A query's score before and after, and its judged documents, the largest contribution first.

    `before` is None if there is nothing to compare with, and `ranked_before` says whether the earlier ranks are known;
    if not, contributions are against the ideal ranking.
    """

    query: str
    before: float | None
    after: float
    documents: tuple[Document, ...]
    ranked_before: bool = True
    question: str | None = None

    @property
    def difference(self) -> float:
        """How much the score changed; NaN without an earlier one."""
        return math.nan if self.before is None else self.after - self.before

    def __str__(self) -> str:
        if self.before is None:
            return f"{self.query}  {self.after:.4f}"
        return f"{self.query}  {self.before:.4f} → {self.after:.4f}  ({self.difference:+.4f})"

    def to_dict(self) -> dict[str, Any]:
        """The query as JSON has it, with all its judged documents; those whose earlier rank is unknown have none."""
        numbers = {name: finite(getattr(self, name)) for name in ("before", "after", "difference")}
        names = [name for name in Document._fields if self.ranked_before or name != "before"]
        documents = [{name: finite(getattr(each, name)) for name in names} for each in self.documents]
        return {"query": self.query, "question": self.question, **numbers, "documents": documents}


def ranked_documents(ranks: Ranks, query: str, measure: str, a: str | None, b: str) -> tuple[Document, ...]:
    """A query's judged documents with their ranks in both runs, or against the ideal ranking if `a` is None."""
    qrels = ranks.scorer.qrels
    index = qrels.index_under(ranks.scorer.plan.measures[measure].policies.duplicates)
    number = qrels.number(query)
    numbers = np.arange(qrels.index_starts[number], qrels.index_starts[number + 1])
    grades = np.frombuffer(index.grades())[numbers]
    after = select(ranks.judged[b, measure], np.array([number]))
    before = ideal(after, numbers, grades) if a is None else select(ranks.judged[a, measure], np.array([number]))
    moved = contributions(ranks.measures[measure], before, after)
    old, new = {} if a is None else first_ranks(before.hits), first_ranks(after.hits)
    documents = []
    for each, grade in zip(numbers.tolist(), grades.tolist(), strict=True):
        name, contribution = given_id(index.document(each)), None if moved is None else moved.get(each, 0.0)
        documents.append(Document(name, grade, old.get(each), new.get(each), contribution))
    # The largest contribution first, then the highest grade.
    return tuple(sorted(documents, key=lambda each: (-abs(each.contribution or 0.0), -(each.grade or 0.0))))


def first_ranks(hits: Hits) -> dict[int, int]:
    """The rank of each document by number; the first of one that was retrieved more than once."""
    return dict(zip(hits.document[::-1].tolist(), hits.rank[::-1].tolist(), strict=True))


def ideal(judged: Judged, numbers: IntArray, grades: FloatArray) -> Judged:
    """The best ranking of one query: all relevant documents on top, those of equal grade as they were retrieved."""
    relevant, grade, ranks = numbers[grades > 0], grades[grades > 0], first_ranks(judged.hits)
    order = np.lexsort((np.array([ranks.get(each, np.inf) for each in relevant.tolist()]), -grade))
    rank = np.arange(1, len(order) + 1)
    hits = Hits(1, np.zeros_like(rank), grade[order], rank, -rank.astype(float), rank - 1, 0 * rank, relevant[order])
    return rebuild(judged, hits=hits, retrieved=np.maximum(judged.retrieved, len(order)))


def contributions(measure: Measure, before: Judged, after: Judged) -> dict[int, float] | None:
    """What each document that moved contributed, by its number; None if the measure depends on other queries too."""
    old, new = first_ranks(before.hits), first_ranks(after.hits)
    moved = np.array(sorted(each for each in {*old, *new} if old.get(each) != new.get(each)), dtype=np.int64)
    try:
        with np.errstate(all="ignore"):
            there = moved_one_by_one(measure, before, after, moved)
            back = moved_one_by_one(measure, after, before, moved)
            whole = [measure(each)[0] for each in (before, after)]
    except (MeasureError, IndexError, ValueError):
        return None
    # The first value is that of the unchanged ranking; a measure of several queries gives another one here.
    if not (np.isfinite(there).all() and np.isfinite(back).all() and [there[0], back[0]] == whole):
        return None
    change = ((there[1:] - there[0]) + (back[0] - back[1:])) / 2
    return dict(zip(moved.tolist(), np.where(np.abs(change) < SMALLEST, 0.0, change).tolist(), strict=True))


def moved_one_by_one(measure: Measure, base: Judged, other: Judged, documents: IntArray) -> FloatArray:
    """The value of a ranking, and then that with each of the documents where the other ranking has it."""
    size = max(1, MOST_HITS // (len(base.hits.query) + 1))
    # No document has the number -1: the first ranking is unchanged.
    chosen = np.concatenate(([-1], documents))
    parts = np.split(chosen, range(size, len(chosen), size))
    return np.concatenate([measure(variants(base, other, part)) for part in parts])


def variants(base: Judged, other: Judged, documents: IntArray) -> Judged:
    """One query per document: the first ranking, with this one document where the other ranking has it."""
    size, place = len(documents), {document: number for number, document in enumerate(documents.tolist())}
    moving = np.array([place.get(each, -1) for each in other.hits.document.tolist()], dtype=np.int64)
    moved = replace(other.hits.where(moving >= 0), size=size, query=moving[moving >= 0])
    every = repeat(base, np.zeros(size, dtype=np.int64))
    kept = every.hits.where(every.hits.document != documents[every.hits.query])
    # On the same rank, the document that moved comes first.
    hits = Hits(size, *(np.concatenate([getattr(each, name) for each in (moved, kept)]) for name in COLUMNS))
    hits = hits.where(np.lexsort((hits.rank, hits.query)))
    np.maximum.at(every.retrieved, hits.query, hits.rank)
    return rebuild(every, hits=hits)


def is_shown(document: Document) -> bool:
    """Whether a document is shown to people: relevant, or with a contribution, or wrong and on top of a ranking."""
    is_relevant, is_on_top = (document.grade or 0) > 0, 1 in (document.before, document.after)
    return is_relevant or is_on_top or document.contribution not in (None, 0.0)


def query_cell(move: Move) -> str:
    return f"{move.query}: {move.question}" if move.question else move.query


def move_lines(move: Move, most: int) -> list[str]:
    """A query with its question and its documents, one per line, each with the first line of its text below it."""
    asked = [printable(shorten_text(move.question, TEXT_WIDTH) or "")] if move.question else []
    lines = [line.replace("\n", f"\n{'':10}") for line in document_lines(move, most, "\n")]
    return [printable(str(move)), *(f"    {line}" for line in (*asked, *lines))]


def document_lines(move: Move, most: int, gap: str = ": ") -> list[str]:
    """The documents to show, in words: up to `most`, and then the wrong ones on top; `gap` comes before a text."""
    known = [each for each in move.documents if is_shown(each)]
    shown = known if move.ranked_before else [each._replace(before=each.after) for each in known]
    wrong = [each for each in shown if not ((each.grade or 0) > 0 or each.contribution)]
    first = [each for each in shown if each not in wrong]
    rest = [f"and {len(first) - most:,} more"] if len(first) > most else []
    return [*(document_line(each, gap) for each in first[:most]), *rest, *(document_line(each, gap) for each in wrong)]


def document_line(document: Document, gap: str) -> str:
    """A document with its ranks before and after, its contribution, and the first line of its text."""
    before, after = ("not retrieved" if rank is None else f"rank {rank}" for rank in (document.before, document.after))
    ranks = before if before == after else f"{before} → {after.removeprefix('rank ') if document.before else after}"
    grade = "not judged" if document.grade is None else f"grade {document.grade:g}"
    moved = document.contribution or 0.0
    contribution = f" ({moved:+.4f})" if abs(moved) >= SMALLEST_SHOWN else ""
    text = f"{gap}{printable(shorten_text(document.text, TEXT_WIDTH) or '')}" if document.text else ""
    return f"{printable(document.document) or repr('')} ({grade}): {ranks}{contribution}{text}"


Moves = tuple[Move, ...]


class Changed(NamedTuple):
    """Queries that changed by a measure, from one run (None if there is no other) to another."""

    moves: Moves
    measure: str
    before: str | None
    after: str


def add_texts(changed: Sequence[Changed], ranks: Ranks | None, queries: object, corpus: object) -> list[Moves]:
    """The moves of each group, with questions if they are given, and with first lines of passages if a corpus is."""
    groups = [each.moves if corpus is None or ranks is None else add_tops(each, ranks) for each in changed]
    lines, asked = {}, {}
    if corpus is not None:
        shown = {each.document for moves in groups for move in moves for each in move.documents if is_shown(each)}
        lines = {name: first_line(text, None) for name, text in wanted_texts(corpus, shown, DOCUMENTS).items()}
    if queries is not None:
        asked = wanted_texts(queries, {move.query for moves in groups for move in moves}, QUESTIONS)

    def with_texts(move: Move) -> Move:
        documents = (each._replace(text=lines.get(each.document, each.text)) for each in move.documents)
        return move._replace(documents=tuple(documents), question=asked.get(move.query, move.question))

    return [tuple(map(with_texts, moves)) for moves in groups]


def wanted_texts(data: object, wanted: set[str], kind: TextKind) -> dict[str, str]:
    """The texts of these questions or documents; an error if none of them is there."""
    if not wanted:
        return {}
    found = read_texts(data, kind, only=wanted)
    if not found:
        said = f"none of the {kind.noun}s to show has a text: they are {some(sorted(wanted))}"
        raise MismatchError(f"{said}; pass the {kind.noun}s of this collection, with the same ids")
    return found


def add_tops(changed: Changed, ranks: Ranks) -> Moves:
    """The moves with the unjudged document on top of either ranking among their documents."""
    wanted = {move.query for move in changed.moves}
    runs = [rankings_of(ranks, name, changed.measure, wanted) for name in (changed.before, changed.after)]
    moves = []
    for move in changed.moves:
        judged = {each.document for each in move.documents}
        before, after = (each.get(move.query, {}) for each in runs)
        tops = dict.fromkeys(name for ranking in (after, before) for name, rank in ranking.items() if rank == 1)
        added = [Document(name, None, before.get(name), after.get(name)) for name in tops if name not in judged]
        moves.append(move._replace(documents=(*move.documents, *added)))
    return tuple(moves)


def rankings_of(ranks: Ranks, name: str | None, measure: str, wanted: set[str]) -> dict[str, dict[str, int]]:
    """The ranks of all documents that a run retrieved, as if all were judged; empty if it cannot be read again."""
    scorer, policies = ranks.scorer, ranks.scorer.plan.measures[measure].policies
    if name is None or name not in ranks.runs or not ranks.can_read(name) or policies.judged_only:
        return {}
    run, documents = retrieved(scorer, ranks.runs[name], ranks.format, wanted)
    if not documents:
        return {}
    everything = Qrels({query: dict.fromkeys(each, 1) for query, each in documents.items()}, duplicates=None)
    every = Scorer(scorer.plan.only(measure), everything, threads=scorer.threads)
    judged, _ = every.read(run).judged(every.plan.groups[0].policies, 0)
    index = everything.index_under(policies.duplicates)
    places: dict[str, dict[str, int]] = {query: {} for query in everything.queries}
    for query, document, rank in zip(judged.hits.query, judged.hits.document, judged.hits.rank, strict=True):
        places[everything.queries[query]].setdefault(given_id(index.document(int(document))), int(rank))
    return places


def run_of(data: Any, format: str | None) -> Run:  # noqa: ANN401 - a run in any form
    return data if isinstance(data, Run) else Run(data, format=format)


def retrieved(scorer: Scorer, data: Any, format: str | None, wanted: set[str]) -> tuple[object, dict[str, list[str]]]:  # noqa: ANN401 - a run in any form
    """A run with some of its queries, and the documents retrieved for each; a chunk counts as its document."""
    rule: Any = scorer.plan.policies.doc_id
    if rule is not None and rule.is_field:
        return data, {}
    if isinstance(data, (str, os.PathLike)):
        run = read_some(data, wanted, format)
    elif isinstance(data, Mapping):
        data = {query: ranking for query, ranking in data.items() if str(query) in wanted}
        run = Run(data) if data else None
    else:
        run = run_of(data, format)
    if run is None:
        return run, {}
    known = [query for query in run.queries if query in wanted]
    documents = {query: run.rows.documents(run.number(query)) for query in known}
    if rule is not None:
        documents = {query: [rule.of(chunk) for chunk in each] for query, each in documents.items()}
    return run, {query: list(dict.fromkeys(each)) for query, each in documents.items() if each}
