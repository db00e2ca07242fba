"""Judgments from votes: how far the mean would move if other people had voted.

The bootstrap over queries does not know that the same few people voted on all of them. So voters are drawn with
replacement, the run is scored with the grades that each draw gives, and the variance of the mean between draws is added
to that between queries: queries and voters as two crossed samples, as in Owen, The pigeonhole bootstrap, Annals of
Applied Statistics 1, 2007. The run is ranked once; a draw changes only grades.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import PolicyError
from assay.core.judged import FloatArray, integers
from assay.core.measure import is_anchorable
from assay.core.note import Note, NoteKind, loud_first
from assay.data.qrels import Qrels
from assay.engine.ranking import Ranking, rank_hits
from assay.tasks.evaluate.score import score
from assay.tasks.vote.api import votes as read_votes
from assay.tasks.vote.result import Votes

if TYPE_CHECKING:
    from assay._kernel import Index, Rows
    from assay.results.result import Result
    from assay.tasks.evaluate.api import Scorer

# Draws of voters; the standard error of a variance from so many is a tenth of it.
DRAWS = 200
SEED = 0


class Drawn:
    """Judgments with other grades, in place of the kernel's rows and index."""

    def __init__(self, known: Rows | Index, index: Index, drawn: FloatArray) -> None:
        self._known, self._index, self._drawn = known, index, drawn

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401 - whatever the kernel's rows or index have
        return getattr(self._known, name)

    def values(self) -> bytes:
        return self._drawn[integers(self._index.row_documents())].tobytes()

    def grades(self) -> bytes:
        return self._drawn.tobytes()

    def best_first(self) -> bytes:
        starts = integers(self._index.starts())
        owner = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        return self._drawn[np.lexsort((-self._drawn, owner))].tobytes()


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
    notes, voters = [*result.notes, *votes.notes], votes.voter_count
    means = {name: measure for name, measure in result.measures.items() if is_anchorable(measure)}
    if others := [name for name in result.measures if name not in means]:
        notes.append(Note.of(NoteKind.VOTES, about="plain", measures=others))
    noise = {}
    if voters == 1:
        notes.append(Note.of(NoteKind.VOTES, about="one"))
    else:
        notes.append(Note.of(NoteKind.VOTES, about="drawn", count=voters, draws=DRAWS))
        drawn = drawn_means(result, scorer, read, votes)
        for name in means:
            known = np.array(drawn[name])[~np.isnan(drawn[name])]
            variance = float(known.var(ddof=1)) if len(known) > 1 else 0.0
            # With the share that few voters miss; and a mean's variance is that of a score by the number of scores.
            noise[name] = np.full(len(result.queries), variance * voters / (voters - 1) * result.counted(name))
    matching = (*result.matching, votes.signature)
    return replace(result, noise=noise, notes=loud_first(notes), matching=matching, _intervals={})


def drawn_means(result: Result, scorer: Scorer, read: Ranking, votes: Votes) -> dict[str, list[float]]:
    qrels = scorer.qrels
    numbers: dict[tuple[str, str], int] = {}
    for query, span in zip(qrels.queries, pairwise(qrels.index_starts), strict=True):
        numbers |= {(query, qrels.index.document(number)): number for number in range(*span)}
    places = [numbers[pair] for pair in votes.pair_names]
    columns = [read.ordered_counts(group.policies, group.number) for group in scorer.plan.groups]
    unusable = scorer.plan.unusable(read)
    means: dict[str, list[float]] = {name: [] for name in result.measures}
    for grades in votes.drawn_grades(DRAWS, SEED):
        for group, counted in zip(scorer.plan.groups, columns, strict=True):
            index = qrels.index_under(group.policies.duplicates)
            values = np.frombuffer(index.grades(), dtype=np.float64).copy()
            values[places] = grades
            rows, drawn = (Drawn(known, index, values) for known in (qrels.rows, index))
            judged, found = rank_hits(rows, drawn, counted, group.policies, repeated=qrels.duplicates)  # type: ignore[arg-type]
            bound = {name: result.measures[name] for name in group.measures}
            how: Any = {"queries": qrels.queries, "present": found >= 0, "unusable": unusable}
            part = score(judged, bound, group.policies, **how)
            for name, scores in part.scores.items():
                means[name].append(float(np.nanmean(scores)) if (~np.isnan(scores)).any() else np.nan)
    return means
