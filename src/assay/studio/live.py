"""`Live`: the numbers of a studio, which follow the votes.

A vote changes the judgments of one query, and a measure of a query depends on that query alone: so only the queries
that a vote touched are scored again, by the same scorer that `evaluate` uses, and their scores replace the old ones.
Means, intervals and tests are computed from the scores when somebody looks. Measures that look at more than one query
(they take a scale from all judgments, or pool statistics) are scored whole each time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Collection as Some
from concurrent.futures import Future, wait
from dataclasses import replace
from threading import Lock, RLock
from typing import Any, Generic, TypeVar

import numpy as np

from assay.core.judged import BoolArray, FloatArray
from assay.core.measure import Measure, is_pooled
from assay.data.run import Run
from assay.engine.ranking import Ranking
from assay.results.result import Result
from assay.results.results import Results
from assay.stats.significance import ComparisonSettings
from assay.studio.collection import UnknownError
from assay.studio.judgments import JudgmentsInForce
from assay.tasks.compare.api import compare_results
from assay.tasks.compare.read import ScoredRuns
from assay.tasks.compare.result import Comparison
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

Made = TypeVar("Made")
# Seconds to wait for a value that takes longer than somebody waits, or that was never made.
HARDLY = 0.1


class Background(Generic[Made]):
    """What `make` gives for the present `version`; `done` is called when a new value is there.

    Whoever asks waits for it, at most as long as they say: then they get the one before, or None if there is none yet.
    They hardly wait if it is not to be expected in that time: nobody stands before a page that will not have it anyway.
    """

    def __init__(self, make: Callable[[], Made], version: Callable[[], object], done: Callable[[], None]) -> None:
        self._make, self._version, self._done = make, version, done
        self._lock = Lock()
        # What will be there once the value is that of now, or cannot be made.
        self._making: Future[None] | None = None
        # The seconds that it took the last time.
        self._took: float | None = None
        # The value with the version that it was made for, once there is one.
        self._known: tuple[object, Made] | None = None

    def get(self, patience: float) -> Made | None:
        """The value of now, or the last one if that takes longer; raises if it cannot be made."""
        if not self._is_current():
            with self._lock:
                if self._making is None or self._making.done():
                    self._making = Future()
                    work = threading.Thread(target=self._work, args=[self._making], name="assay-studio-background")
                    work.daemon = True
                    work.start()
                making = self._making
            is_expected = self._took is not None and self._took <= patience
            wait([making], patience if is_expected else min(patience, HARDLY))
            if making.done():
                making.result()
        return None if self._known is None else self._known[1]

    def _is_current(self) -> bool:
        return self._known is not None and self._known[0] == self._version()

    def _work(self, making: Future[None]) -> None:
        """Makes the value until it is that of now."""
        try:
            while not self._is_current():
                version, started = self._version(), time.monotonic()
                self._known, self._took = (version, self._make()), time.monotonic() - started
            making.set_result(None)
        except BaseException as error:  # noqa: BLE001 - it reaches whoever asked
            making.set_exception(error)
        self._done()


# Notes come with scoring everything. That is done again after so many times of what it takes.
RENEWAL = 20


class Scores:
    """The scores of one run: a row per query of the collection, NaN where it has none."""

    def __init__(self, whole: Result, places: Mapping[str, int]) -> None:
        self.whole = whole
        size = len(places)
        self.values: dict[str, FloatArray] = {name: np.full(size, np.nan) for name in whole.measures}
        self.is_scored: BoolArray = np.zeros(size, dtype=np.bool_)
        self.put(whole, whole.queries, places)

    def put(self, found: Result | None, queries: Some[str], places: Mapping[str, int]) -> None:
        """Takes over the scores of some queries; those that the result leaves out have none."""
        self.is_scored[[places[query] for query in queries]] = False
        if found is None:
            return
        own = [places[query] for query in found.queries]
        self.is_scored[own] = True
        for name, scores in found.scores.items():
            self.values[name][own] = scores

    def result(self, queries: Sequence[str]) -> Result:
        """The scores as a result, with the notes of the last time that the whole run was scored."""
        rows = np.flatnonzero(self.is_scored)
        scores = {name: each[rows] for name, each in self.values.items()}
        named = [queries[row] for row in rows.tolist()]
        return replace(self.whole, queries=named, scores=scores, statistics={}, _means={}, _intervals={})


class Live:
    """The scores of all runs under the judgments in force, and what follows from them."""

    def __init__(
        self,
        runs: Mapping[str, Run],
        judgments: JudgmentsInForce,
        measures: Sequence[str],
        settings: ComparisonSettings,
        **how: Any,  # noqa: ANN401 - convention and policies, as `evaluate` takes them
    ) -> None:
        self.runs, self.judgments, self.settings = runs, judgments, settings
        self.plan = make_plan(measures, **how)
        ranked = [query for run in runs.values() for query in run.queries]
        self.ranked = set(ranked)
        self.queries = list(dict.fromkeys([*judgments.base, *ranked]))
        self.places = {query: place for place, query in enumerate(self.queries)}
        self.lock = RLock()
        self._scores: dict[str, Scores] = {}
        self._compared: tuple[int, Comparison | None] | None = None
        self._changes = 0
        # The queries whose judgments changed; a vote does not wait for scores that are being computed.
        self._stale: set[str] = set()
        # Those whose judgments changed since everything began to be scored the last time.
        self._meanwhile: set[str] = set()
        self._stale_lock = Lock()
        # When everything was last scored, the seconds that it took, and the changes up to then.
        self._whole = (0.0, 0.0, 0)
        self._is_renewed = Lock()
        self._score_all()

    @property
    def measures(self) -> Mapping[str, Measure]:
        """The measures, by name; empty before anything is judged."""
        return next(iter(self._scores.values())).whole.measures if self._scores else {}

    @property
    def is_local(self) -> bool:
        """Whether the score of a query depends on that query alone, under every measure."""
        return not any(
            is_pooled(measure) or own.bind is not None or own.corpus is not None or "foreign" in own.needs
            for measure, own in ((each, each.definition) for each in self.measures.values())
        )

    def scorer(self, judgments: Mapping[str, Mapping[str, float]], top: int = 0) -> Scorer:
        return Scorer(replace(self.plan, top=top), judgments)

    def touch(self, queries: Some[str]) -> None:
        """Says that the judgments of queries changed; they are scored again when somebody looks."""
        known = {query for query in queries if query in self.places}
        with self._stale_lock:
            self._stale |= known
            self._meanwhile |= known

    def catch_up(self) -> None:
        """Scores the queries whose judgments changed."""
        with self.lock:
            with self._stale_lock:
                stale, self._stale = self._stale, set()
            if not stale:
                return
            try:
                if self._scores and self.is_local:
                    self._score_some(stale)
                else:
                    self._score_all()
            except BaseException:
                self.touch(stale)
                raise

    def _score_some(self, stale: set[str]) -> None:
        judged = {query: grades for query in stale if (grades := self.judgments.in_force(query))}
        scorer = self.scorer(judged) if judged else None
        for name, run in self.runs.items():
            found = None
            if scorer is not None:
                own = {query: run.as_given(query) for query in judged if query in run}
                found = self.plan.score(rank_given(scorer, own))
            self._scores[name].put(found, stale, self.places)
        self._changes += 1

    def _score_all(self) -> None:
        """Scores every query of every run, and takes the notes again; whoever looks meanwhile sees the old scores."""
        started = time.monotonic()
        with self._stale_lock:
            self._meanwhile = set()
        judged = {query: each for query, each in self.judgments.all_in_force().items() if query in self.places}
        scorer = self.scorer(judged) if judged else None
        found = {}
        if scorer is not None:
            found = {name: Scores(scorer.evaluate(run), self.places) for name, run in self.runs.items()}
        with self.lock, self._stale_lock:
            self._stale |= self._meanwhile
            self._scores = found
            self._changes += 1
            self._whole = (time.monotonic(), time.monotonic() - started, self._changes)

    def renew(self) -> None:
        """Takes the notes again, with all scores, if votes came since and nobody does it or did it just now."""
        self.catch_up()
        if not self._is_renewed.acquire(blocking=False):
            return
        try:
            when, took, changes = self._whole
            if self._changes != changes and time.monotonic() - when > RENEWAL * took:
                self._score_all()
        finally:
            self._is_renewed.release()

    def results(self) -> Results | None:
        """The results of all runs; None before anything is judged."""
        with self.lock:
            self.catch_up()
            if not any(each.is_scored.any() for each in self._scores.values()):
                return None
            return Results({name: each.result(self.queries) for name, each in self._scores.items()})

    def comparison(self) -> Comparison | None:
        """The runs compared on the judged queries; None if there is one run, or nothing is judged yet."""
        with self.lock:
            self.catch_up()
            if self._compared is not None and self._compared[0] == self._changes:
                return self._compared[1]
            changes, results = self._changes, self.results()
        found = None
        if results is not None and len(self.runs) > 1:
            found = compare_results(ScoredRuns(results.results), self.settings)
        with self.lock:
            self._compared = (changes, found)
        return found

    def score_rows(self, measure: str) -> dict[str, FloatArray]:
        """The scores of each run by a measure, one per query of the collection; NaN without one."""
        with self.lock:
            self.catch_up()
            if not self._scores:
                return {name: np.full(len(self.queries), np.nan) for name in self.runs}
            if measure not in self.measures:
                raise UnknownError(f"unknown measure {measure}; the studio computes {', '.join(self.measures)}")
            return {name: np.where(each.is_scored, each.values[measure], np.nan) for name, each in self._scores.items()}


def rank_given(scorer: Scorer, rankings: Mapping[str, object]) -> Ranking:
    """The rankings of some queries; a run may have none of them."""
    ranking = scorer.start()
    for query, documents in rankings.items():
        scorer.add(ranking, query, documents)
    return ranking
