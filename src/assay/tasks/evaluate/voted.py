"""Judgments from votes: how far the mean would move if other people had voted.

The bootstrap over queries does not know that the same few people voted on all of them. So voters are drawn with
replacement, the run is scored with the grades that each draw gives, and the variance of the mean between draws is added
to that between queries: queries and voters as two crossed samples, as in Owen, The pigeonhole bootstrap, Annals of
Applied Statistics 1, 2007. The run is ranked once; a draw changes only grades.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import PolicyError
from assay.core.measure import is_anchorable
from assay.core.note import Note, NoteKind, loud_first
from assay.data.qrels import Qrels
from assay.engine.ranking import rank_hits
from assay.tasks.evaluate.score import score
from assay.tasks.vote.api import votes as read_votes
from assay.tasks.vote.result import Votes

if TYPE_CHECKING:
    from assay._kernel import Index, Rows
    from assay.core.judged import FloatArray, IntArray
    from assay.engine.ranking import Ranking
    from assay.results.result import Result
    from assay.tasks.evaluate.api import Scorer

# Draws of voters; the standard error of a variance from so many is a tenth of it.
DRAWS = 200
SEED = 0


class DrawnIndex(NamedTuple):
    """Judged documents with other grades, in place of the kernel's index."""

    known: Index
    values: FloatArray

    def starts(self) -> bytes:
        return self.known.starts()

    def row_documents(self) -> bytes:
        return self.known.row_documents()

    def document(self, number: int) -> str:
        return self.known.document(number)

    def grades(self) -> bytes:
        return self.values.tobytes()

    def best_first(self) -> bytes:
        starts = np.frombuffer(self.known.starts(), dtype=np.int64)
        owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        return self.values[np.lexsort((-self.values, owner))].tobytes()


class DrawnRows:
    """Judgments with other grades, in place of the kernel's rows."""

    def __init__(self, rows: Rows, drawn: DrawnIndex) -> None:
        self._rows, self._drawn = rows, drawn

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the kernel's rows have
        return getattr(self._rows, name)

    def values(self) -> bytes:
        return self._drawn.values[np.frombuffer(self._drawn.row_documents(), dtype=np.int64)].tobytes()


def read_voted(qrels: object, votes: object) -> tuple[Qrels, Votes]:
    """The judgments, if any, with those from votes in place of others of the same documents; and the votes."""
    votes = votes if isinstance(votes, Votes) else read_votes(votes)
    if qrels is None:
        return votes.qrels, votes
    grades = (qrels if isinstance(qrels, Qrels) else Qrels(qrels)).to_dict()
    if any(not isinstance(each, dict) for each in grades.values()):
        raise PolicyError("votes give grades to documents, and the judgments have groups; leave out one of them")
    for query in votes.qrels.queries:
        grades[query] = {**grades.get(query, {}), **votes.qrels[query]}
    return Qrels(grades), votes


def allow_for_voters(result: Result, scorer: Scorer, read: Ranking, votes: Votes) -> Result:
    """The result with wider intervals: the variance of each mean between draws of voters is added."""
    notes = [*votes.notes]
    voters = votes.voter_count
    means = {name: measure for name, measure in result.measures.items() if is_anchorable(measure)}
    if others := [name for name in result.measures if name not in means]:
        notes.append(Note.of(NoteKind.VOTES, about="plain", measures=others))
    if voters == 1:
        notes.append(Note.of(NoteKind.VOTES, about="one"))
        return replace(result, notes=loud_first((*result.notes, *notes)), matching=(*result.matching, votes.signature))
    notes.append(Note.of(NoteKind.VOTES, about="drawn", count=voters, draws=DRAWS))
    drawn = drawn_means(result, scorer, read, votes)
    noise = {
        # The share that the bootstrap of a few voters misses; and a mean's variance is that of a score by their number.
        name: np.full(len(result.queries), variance(drawn[name]) * voters / (voters - 1) * result.counted(name))
        for name in means
    }
    matching = (*result.matching, votes.signature)
    return replace(result, noise=noise, notes=loud_first((*result.notes, *notes)), matching=matching, _intervals={})


def variance(values: list[float]) -> float:
    known = np.array(values)[~np.isnan(values)]
    return float(known.var(ddof=1)) if len(known) > 1 else 0.0


def drawn_means(result: Result, scorer: Scorer, read: Ranking, votes: Votes) -> dict[str, list[float]]:
    places = document_numbers(scorer.qrels, votes)
    columns = [read.ordered_counts(group.policies, group.number) for group in scorer.plan.groups]
    unusable = scorer.plan.unusable(read)
    means: dict[str, list[float]] = {name: [] for name in result.measures}
    for grades in votes.drawn_grades(DRAWS, SEED):
        for group, counted in zip(scorer.plan.groups, columns, strict=True):
            index = scorer.qrels.index_under(group.policies.duplicates)
            values = np.frombuffer(index.grades(), dtype=np.float64).copy()
            values[places] = grades
            drawn = DrawnIndex(index, values)
            rows = DrawnRows(scorer.qrels.rows, drawn)
            judged, found = rank_hits(rows, drawn, counted, group.policies, repeated=scorer.qrels.duplicates)  # type: ignore[arg-type]
            bound = {name: result.measures[name] for name in group.measures}
            queries = scorer.qrels.queries
            part = score(judged, bound, group.policies, queries=queries, present=found >= 0, unusable=unusable)
            for name, scores in part.scores.items():
                means[name].append(float(np.nanmean(scores)) if (~np.isnan(scores)).any() else np.nan)
    return means


def document_numbers(qrels: Qrels, votes: Votes) -> IntArray:
    numbers = {}
    for place, query in enumerate(qrels.queries):
        for number in range(qrels.index_starts[place], qrels.index_starts[place + 1]):
            numbers[query, qrels.index.document(number)] = number
    return np.array([numbers[pair] for pair in votes.pair_names], dtype=np.int64)
