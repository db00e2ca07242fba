"""Judges many items, such as the records of a RAG system: what is asked about each in turn, several at a time."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, Generic, TypeVar

from assay.core.measure import Draws, Measure
from assay.core.progress import Stage, bar, is_watched
from assay.core.prompt import Embed, Request
from assay.core.ruling import Finding, JudgeFailure, Ruling, RulingKind, Rulings, Steps, run_steps
from assay.data.records import Record
from assay.measures.judged.case import Case
from assay.tasks.judge.draws import score_draws
from assay.tasks.judge.estimate import EstimateOnly, estimate_all
from assay.tasks.judge.judge import Judge

# Seconds between the caller's looks for Ctrl-C, and seconds to wait for calls that are under way.
LOOK = 0.1
LAST_WAIT = 0.3


Item = TypeVar("Item")


def judge_records(records: Sequence[Record], measures: Mapping[str, Measure], judge: Judge) -> dict[str, Rulings]:
    """What a judge says of each record, by measure."""
    columns = {name: partial(steps_of, measure, room=judge.room) for name, measure in measures.items()}
    return judge_all(records, columns, judge, {name: measure.definition.draws for name, measure in measures.items()})


def steps_of(measure: Measure, record: Record, *, room: float = math.inf) -> Steps:
    """What a measure asks about a record."""
    steps: Steps = measure.definition.function(Case(record, room), **measure.values)
    return steps


def judge_all(
    items: Sequence[Item],
    columns: Mapping[str, Callable[[Item], Steps]],
    judge: Judge,
    draws: Mapping[str, Draws] | None = None,
) -> dict[str, Rulings]:
    """What a judge says of each item, by column; several items at a time. `draws` says how those of a column count."""
    if judge.estimate is not None:
        estimate_all(items, columns, judge, judge.estimate)
        raise EstimateOnly
    work = Work(items, columns, judge, draws or {})
    threads = [
        threading.Thread(target=work.run, daemon=True, name="assay-judge")
        for _ in range(min(judge.concurrency, len(items)))
    ]
    try:
        with judge.working(), bar("judging", work.stage) if is_watched() else nullcontext():
            work.wait_for(threads)
    except BaseException as error:
        work.error = work.error or error
        for thread in threads:
            if thread.is_alive():
                thread.join(LAST_WAIT / len(threads))
        raise
    return work.rulings


class Work(Generic[Item]):
    """The items, one after another, for several threads."""

    def __init__(
        self,
        items: Sequence[Item],
        columns: Mapping[str, Callable[[Item], Steps]],
        judge: Judge,
        draws: Mapping[str, Draws],
    ) -> None:
        self.judge = judge
        self.draws = draws
        self.columns = columns
        self.items = items
        self.rulings = {name: Rulings(len(items)) for name in columns}
        self.error: BaseException | None = None
        self.kinds: Counter[RulingKind] = Counter()
        self.started = time.monotonic()
        self._rest: Iterator[tuple[int, Item]] = enumerate(items)
        self._lock = threading.Lock()

    def wait_for(self, threads: Sequence[threading.Thread]) -> None:
        """Starts the threads and waits for them, with an open ear for Ctrl-C; raises what one of them raised."""
        for thread in threads:
            thread.start()
        for thread in threads:
            while thread.is_alive():
                thread.join(LOOK)
        if self.error is not None:
            raise self.error

    def run(self) -> None:
        """Takes an item and asks everything about it, until none is left."""
        try:
            while self.error is None:
                with self._lock:
                    taken = next(self._rest, None)
                if taken is None:
                    return
                for name, ask in self.columns.items():
                    ruling = rule(partial(ask, taken[1]), self.judge, self.draws.get(name, "mean"))
                    self.rulings[name].put(taken[0], ruling)
                    with self._lock:
                        self.kinds[ruling.kind] += 1
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self.error = self.error or error

    def stage(self) -> Stage:
        """How far the work is, how fast, what failed, and the time left."""
        done, total = self.kinds.total(), len(self.items) * len(self.columns)
        passed = time.monotonic() - self.started
        rate = done / passed if passed else 0.0
        failed = done - self.kinds[RulingKind.OK] - self.kinds[RulingKind.UNJUDGEABLE]
        left = f", {(total - done) / rate:.0f} s left" if rate else ""
        return Stage(done, total, f"{done:,} of {total:,}, {rate:.1f}/s, {failed:,} failed{left}")


def rule(ask: Callable[[], Steps], judge: Judge, how: Draws = "mean") -> Ruling:
    """What the judge says, from all draws; the verdicts are those of a draw with that score, if there is one."""
    drawn = [rule_once(ask, judge, sample) for sample in range(judge.samples)]
    valid = [each for each in drawn if each.is_ok]
    if not valid:
        return drawn[0]
    scores = tuple(each.score for each in valid)
    score = score_draws(scores, how)
    shown = next((each for each in valid if each.score == score), valid[0])
    return shown._replace(score=score, samples=scores if judge.samples > 1 else ())


def rule_once(ask: Callable[[], Steps], judge: Judge, sample: int) -> Ruling:
    """What the judge says, once."""
    try:
        finding = drive(ask(), judge, sample)
    except JudgeFailure as failure:
        if failure.kind not in (RulingKind.UNJUDGEABLE, RulingKind.NOT_ASKED):
            judge.usage.add(failed=1)
        return Ruling(failure.kind, detail=failure.detail)
    if math.isnan(finding.score):
        return Ruling(RulingKind.UNJUDGEABLE, verdicts=finding.verdicts, detail=finding.reason)
    return Ruling(RulingKind.OK, float(finding.score), finding.verdicts)


def drive(steps: Steps, judge: Judge, sample: int = 0) -> Finding:
    """Runs the steps of a measure: each request is answered and the reply sent back, until it returns its finding."""
    return run_steps(steps, lambda request: answer(request, judge, sample))


def answer(request: Request | Embed, judge: Judge, sample: int) -> Any:  # noqa: ANN401 - a reply or vectors
    return judge.embed(request) if isinstance(request, Embed) else judge.ask(request, sample=sample)
