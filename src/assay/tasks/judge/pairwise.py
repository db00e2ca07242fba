"""`pairwise`: which of two answers a judge prefers, asked in both orders; strengths for many systems.

A judge favours places: each pair is asked in both orders, and only a win in both counts. Whatever else is a tie; the
share of pairs in which the order decided is the flip rate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from assay.core.errors import DataError, MismatchError
from assay.core.note import Note
from assay.core.ruling import Finding, Prompt, Ruling, Rulings, Steps, Verdict, unjudgeable
from assay.core.text import count
from assay.data.records.read import read_records
from assay.render import Cell, Column, Exports, Table, json_fields, records
from assay.stats.intervals import Interval
from assay.stats.preferences import Games, bradley_terry, elo, strength_intervals, win_table
from assay.tasks.judge.drive import ask_all
from assay.tasks.judge.judge import Judge

FEWEST = 3
# What a reply is worth for the answer in the first place.
WORTH = {"A": 1.0, "B": 0.0, "tie": 0.5}

BETTER = Prompt(
    "better",
    1,
    """\
Two answers to the same question, A and B. Decide which one answers it better: more correct, more complete, and to the
point. If there is a reference, it is right. Length and style alone do not make an answer better, nor does its place.
Say "tie" if neither is better.""",
    {"reason": str, "better": ("A", "B", "tie")},
)


class Duel(NamedTuple):
    """Two systems' answers to one question."""

    query: str
    first: str
    second: str
    question: str | None
    reference: str | None
    answers: tuple[str | None, str | None]


@dataclass(frozen=True, repr=False)
class Preferences(Exports):
    """Who was preferred. `strengths` are Bradley–Terry's, on a logarithmic scale with mean 0."""

    systems: list[str]
    duels: Sequence[Duel]
    rulings: Rulings
    judge: str
    notes: tuple[Note, ...] = ()
    _intervals: dict[int, dict[str, Interval]] = field(default_factory=dict)

    def __repr__(self) -> str:
        return f"<Preferences: {', '.join(self.systems)}; {count(len(self.duels), 'duel')}>"

    @cached_property
    def _valid(self) -> list[tuple[Duel, Ruling]]:
        """The duels that have a verdict."""
        return [each for each in zip(self.duels, self.rulings, strict=True) if each[1].is_ok]

    @cached_property
    def games(self) -> Games:
        """The duels that have a verdict, as numbers."""
        number = {name: at for at, name in enumerate(self.systems)}
        queries = {query: at for at, query in enumerate(dict.fromkeys(duel.query for duel in self.duels))}
        if not self._valid:
            raise DataError(f"the judge gave no verdict: {'; '.join(map(str, self.notes))}")
        rows = [(number[duel.first], number[duel.second], queries[duel.query]) for duel, _ in self._valid]
        first, second, query = np.array(rows).T
        return Games(first, second, np.array([ruling.score for _, ruling in self._valid]), query)

    @property
    def flip_rate(self) -> float:
        """The share of duels in which the order of the answers decided."""
        # The same letter in both orders is another answer each time.
        flipped = [each.verdicts[0].value == each.verdicts[1].value != "tie" for _, each in self._valid]
        return float(np.mean(flipped)) if flipped else float("nan")

    @property
    def length_correlation(self) -> float:
        """Pearson's correlation of winning and being longer; far from 0, length may decide."""
        score = self.games.score
        lengths = [len(duel.answers[0] or "") - len(duel.answers[1] or "") for duel, _ in self._valid]
        if len(lengths) < FEWEST or not np.ptp(lengths) or not np.ptp(score):
            return float("nan")
        return float(np.corrcoef(score, lengths)[0, 1])

    @property
    def strengths(self) -> dict[str, float]:
        """Bradley–Terry's strength of each system."""
        return dict(zip(self.systems, bradley_terry(win_table(self.games, len(self.systems))).tolist(), strict=True))

    def intervals(self, seed: int = 0) -> dict[str, Interval]:
        """Bootstrap intervals of the strengths, over questions."""
        if seed not in self._intervals:
            drawn = strength_intervals(self.games, len(self.systems), seed)
            self._intervals[seed] = dict(zip(self.systems, drawn, strict=True))
        return self._intervals[seed]

    @property
    def elo(self) -> dict[str, float]:
        """Elo ratings, averaged over random orders of the duels."""
        return dict(zip(self.systems, elo(self.games, len(self.systems)).tolist(), strict=True))

    def table(self) -> Table:
        """One row per system, the strongest first: strength, interval, Elo, wins, ties and losses."""
        games, strengths, intervals, ratings = self.games, self.strengths, self.intervals(), self.elo
        rows: list[tuple[Cell, ...]] = []
        for name in sorted(self.systems, key=lambda name: -strengths[name]):
            at = self.systems.index(name)
            score = np.concatenate([games.score[games.first == at], 1 - games.score[games.second == at]])
            outcomes = (int((score == 1).sum()), int((score == WORTH["tie"]).sum()), int((score == 0).sum()))
            rows.append((name, strengths[name], *intervals[name], round(ratings[name]), *outcomes))
        names = ("strength", "low", "high", "elo", "wins", "ties", "losses")
        length = "undefined" if np.isnan(self.length_correlation) else f"{self.length_correlation:+.2f}"
        said = f"flip rate {self.flip_rate:.2f}, correlation of winning and length {length}"
        notes = (said, *map(str, self.notes))
        return Table((Column("system", is_text=True), *map(Column, names)), tuple(rows), self.judge, notes)

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects; docs/json.md describes it."""
        duels = []
        for duel, ruling in zip(self.duels, self.rulings, strict=True):
            who = {"query": duel.query, "first": duel.first, "second": duel.second, "outcome": str(ruling.kind)}
            reasons = [each.reason for each in ruling.verdicts]
            duels.append(who | {"score": ruling.score if ruling.is_ok else None, "reasons": reasons})
        return json_fields("preferences") | {
            "systems": records(self.table()),
            "flip_rate": self.flip_rate,
            "length_correlation": None if np.isnan(self.length_correlation) else self.length_correlation,
            "judge": self.judge,
            "duels": duels,
            "notes": [note.to_dict() for note in self.notes],
        }


def pairwise(systems: Mapping[str, object], *, judge: Judge) -> Preferences:
    """Asks a judge which answer is better, for every two systems and every question that both have, in both orders.

    `systems` has the records of each system by name, in any form that `evaluate_rag` takes.

    >>> import assay
    >>> def judge(messages):
    ...     right = messages[1]["content"].index("Paris") < messages[1]["content"].index("Lyon")
    ...     return f'{{"reason": "Paris is right.", "better": "{"A" if right else "B"}"}}'
    >>> one = [{"query_id": "q1", "question": "The capital of France?", "answer": "Paris"}]
    >>> other = [{"query_id": "q1", "question": "The capital of France?", "answer": "Lyon"}]
    >>> found = assay.judges.pairwise({"new": one, "old": other}, judge=assay.Judge(judge, cache=False))
    >>> found.games.score.tolist(), found.flip_rate
    ([1.0], 0.0)
    """
    if not isinstance(systems, Mapping) or len(systems) < 2:  # noqa: PLR2004 - a pair
        raise DataError("need the records of at least two systems, by name")
    given = {name: read_records(data, name=name).each for name, data in systems.items()}
    known = {name: {each.query_id: each for each in rows} for name, rows in given.items()}
    duels = []
    for first, second in combinations(known, 2):
        for query, one in known[first].items():
            if (other := known[second].get(query)) is not None:
                reference = next(iter(one.references or other.references or ()), None)
                answers = one.answer, other.answer
                duels.append(Duel(query, first, second, one.question or other.question, reference, answers))
    if not duels:
        raise MismatchError("no two systems answer the same question; the ids of the records must agree")
    names = [f"{duel.query} ({duel.first} and {duel.second})" for duel in duels]
    asked = ask_all("pairwise", duels, duel_steps, judge=judge, prompts=[BETTER], names=names)
    return Preferences(list(known), duels, *asked)


def duel_steps(duel: Duel) -> Steps:
    """Asks in both orders. The score is 1 if the first won both, 0 if the second did, else 0.5."""
    one, other = duel.answers
    if duel.question is None or not one or not other:
        raise unjudgeable("no question" if duel.question is None else "an answer is missing")
    fixed = {"question": duel.question} | ({"reference": duel.reference} if duel.reference else {})
    orders = ((one, other), (other, one))
    straight, turned = yield [BETTER.ask(fixed | {"answer A": a, "answer B": b}) for a, b in orders]
    verdicts = (
        Verdict(duel.first, straight["better"], straight["reason"], duel.second),
        Verdict(duel.second, turned["better"], turned["reason"], duel.first),
    )
    # In the second order the answers are exchanged.
    scores = {WORTH[straight["better"]], 1 - WORTH[turned["better"]]}
    return Finding(scores.pop() if len(scores) == 1 else WORTH["tie"], verdicts)
