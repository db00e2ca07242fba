"""`JudgmentsInForce`: what is judged, from the file of judgments, people's votes and decisions.

A pair is a query and a document. Its grade in force is the last decision, if somebody decided it; else what the counted
votes give, if there are enough; else the grade in the file. Events are applied in the order of their ids, so the same
events give the same judgments whenever the studio starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from threading import RLock
from typing import Any, NamedTuple

from assay.core.errors import PolicyError
from assay.studio.store.schema import VoteEvent
from assay.tasks.vote.methods import OF_THUMBS, Settings, grade_of

COUNTED = {"people": ("person", "application"), "models": ("model",), "all": ("person", "application", "model")}
FEWEST_VOTERS = 2
THUMBS = 2

Pair = tuple[str, str]


class VoteCounting(NamedTuple):
    """How votes become grades: the method, the votes that a pair needs, and whose votes count."""

    method: str = "majority"
    min_votes: int = 1
    whose: str = "people"

    def check(self, grades: int) -> VoteCounting:
        """The same, if it fits so many grades."""
        if self.method in OF_THUMBS and grades != THUMBS:
            raise PolicyError(f"{self.method} takes votes that are up or down, and there are {grades} grades; use mean")
        return self


class JudgmentsInForce:
    """The judgments in force, and the votes behind them."""

    def __init__(self, base: Mapping[str, Mapping[str, float]], counting: VoteCounting) -> None:
        self.base = base
        # Votes come from one thread, and are looked at from others.
        self.lock = RLock()
        self.counting = counting
        # The votes in force on each pair, by voter.
        self.ballots: dict[Pair, dict[str, VoteEvent]] = {}
        # The decision in force on each pair, and the last of everybody who decided it.
        self.decisions: dict[Pair, VoteEvent] = {}
        self._decided: dict[Pair, dict[str, VoteEvent]] = {}
        self.kinds: dict[str, str] = {}
        # The pairs that each voter has voted on, in the order of their votes.
        self.voted: dict[str, dict[Pair, None]] = {}
        # The queries that somebody has voted on, which may be in no run.
        self.queries_voted: set[str] = set()
        self.revision = 0
        self._graded: dict[str, dict[str, float]] = {}

    def apply(self, events: Iterable[VoteEvent]) -> set[Pair]:
        """Takes events in; the pairs whose grade in force changed."""
        touched, revision = set(), self.revision
        with self.lock:
            for event in events:
                self._take(event)
                touched.add((event.query, event.document))
                revision = max(revision, event.id)
            changed = self._grade_all() if self.counting.method == "dawid_skene" else self._grade(touched)
            self.revision = revision
        return changed

    def in_force(self, query: str) -> dict[str, float]:
        """The grade of each judged document of a query."""
        with self.lock:
            return {**self.base.get(query, {}), **self._graded.get(query, {})}

    def grade(self, query: str, document: str) -> float | None:
        """The grade of a pair; None if it is not judged."""
        found = self._graded.get(query, {}).get(document)
        return self.base.get(query, {}).get(document) if found is None else found

    def all_in_force(self) -> dict[str, Mapping[str, float]]:
        """The grades of all queries that have any."""
        with self.lock:
            known = {query: each for query, each in self.base.items() if each}
            return {**known, **{query: self.in_force(query) for query in self._graded}}

    def is_last(self, event: VoteEvent) -> bool:
        """Whether a vote or decision was neither replaced nor taken back."""
        known = self._decided if event.kind == "decision" else self.ballots
        with self.lock:
            ballot = known.get((event.query, event.document), {}).get(event.voter)
        return ballot is not None and ballot.id == event.id

    def may_know(self, voter: str | None, pair: Pair) -> bool:
        """Whether a voter may know what others voted on a pair: once they have voted on it, or it is decided."""
        return pair in self.decisions or voter in self.ballots.get(pair, {})

    def is_blind(self, voter: str | None, pair: Pair) -> bool:
        """Whether there are votes on a pair that a voter may not know."""
        return bool(self.ballots.get(pair)) and not self.may_know(voter, pair)

    def votes_on(self, pair: Pair, voter: str | None) -> dict[str, Any]:
        """The votes on a pair that a voter may see: one's own, and those of others once one has voted."""
        with self.lock:
            ballots, decided = self.ballots.get(pair, {}), self.decisions.get(pair)
            mine = ballots.get(voter or "")
            others = [self.said(ballot) for name, ballot in ballots.items() if name != voter]
            return {
                "mine": mine and shown_vote(mine.vote),
                "id": mine and mine.id,
                "comment": mine.comment if mine else "",
                "count": len(ballots),
                "others": None if self.is_blind(voter, pair) else others,
                "decided": decided and decided.vote,
            }

    def said(self, ballot: VoteEvent) -> dict[str, Any]:
        kind = self.kinds.get(ballot.voter, "person")
        return {"voter": ballot.voter, "vote": shown_vote(ballot.vote), "kind": kind}

    def counted(self, pair: Pair) -> dict[str, float]:
        """The votes on a pair that count, by voter."""
        return {
            voter: ballot.vote
            for voter, ballot in self.ballots.get(pair, {}).items()
            if ballot.vote is not None and self.kinds.get(voter, "person") in COUNTED[self.counting.whose]
        }

    def _take(self, event: VoteEvent) -> None:
        pair = (event.query, event.document)
        self.queries_voted.add(event.query)
        decided = self._decided.setdefault(pair, {}) if event.kind == "decision" else self._decided.get(pair, {})
        is_undone = event.voter in decided and decided[event.voter].id == event.replaces
        if event.kind == "vote":
            self.ballots.setdefault(pair, {})[event.voter] = event
            voted = self.voted.setdefault(event.voter, {})
            # A pair that is voted on again is the last one voted on.
            voted.pop(pair, None)
            voted[pair] = None
        elif event.kind == "decision" or is_undone:
            # The last decision on a pair is in force that was not taken back.
            decided.pop(event.voter, None)
            if event.kind == "decision":
                decided[event.voter] = event
            self.decisions.pop(pair, None)
            if decided:
                self.decisions[pair] = max(decided.values(), key=lambda each: each.id)
        else:
            self.ballots.get(pair, {}).pop(event.voter, None)
            self.voted.get(event.voter, {}).pop(pair, None)
            if not self.ballots.get(pair, True):
                del self.ballots[pair]

    def _grade(self, pairs: Iterable[Pair], method: str | None = None) -> set[Pair]:
        settings = Settings(method or self.counting.method)
        grades: dict[Pair, float | None] = {}
        for pair in pairs:
            said = list(self.counted(pair).values())
            grades[pair] = grade_of(said, settings) if said and len(said) >= self.counting.min_votes else None
        return self._replace(grades)

    def _grade_all(self) -> set[Pair]:
        """Grades all pairs by voters' estimated reliability; by majority while there is a single voter."""
        from assay.tasks.vote.api import votes

        counted = {pair: self.counted(pair) for pair in self.ballots}
        every = {*counted, *self.decisions, *((q, d) for q, each in self._graded.items() for d in each)}
        if len({voter for each in counted.values() for voter in each}) < FEWEST_VOTERS:
            return self._grade(every, "majority")
        grades: dict[Pair, float | None] = dict.fromkeys(every)
        if max(map(len, counted.values())) >= self.counting.min_votes:
            rows = [
                {"query": query, "document": document, "voter": voter, "vote": vote}
                for (query, document), each in counted.items()
                for voter, vote in each.items()
            ]
            found = votes(rows, method="dawid_skene", min_votes=self.counting.min_votes, scale="grades")
            grades.update(zip(found.pair_names, found.grades.tolist(), strict=True))
        return self._replace(grades)

    def _replace(self, grades: Mapping[Pair, float | None]) -> set[Pair]:
        """Puts grades from votes into force, under decisions; the pairs that changed."""
        changed = set()
        for pair, voted in grades.items():
            query, document = pair
            decided = self.decisions.get(pair)
            grade = voted if decided is None else decided.vote
            before = self.grade(query, document)
            known = self._graded.setdefault(query, {})
            if grade is None:
                known.pop(document, None)
            else:
                known[document] = grade
            if not known:
                del self._graded[query]
            if self.grade(query, document) != before:
                changed.add(pair)
        return changed


def shown_vote(vote: float | None) -> float | str:
    return "?" if vote is None else vote
