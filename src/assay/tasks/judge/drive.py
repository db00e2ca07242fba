"""Judges many records: each measure's questions in turn, several records at a time."""

from __future__ import annotations

import math
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

from assay.core.measure import Measure
from assay.core.progress import Stage, bar, is_watched
from assay.core.prompt import Embed, Request
from assay.core.ruling import Finding, JudgeFailure, Ruling, RulingKind, Rulings, Steps
from assay.data.records import Record
from assay.measures.judged.case import Case
from assay.tasks.judge.judge import Judge

# Seconds between the caller's looks for Ctrl-C, and seconds to wait for calls that are under way.
LOOK = 0.1
LAST_WAIT = 0.3


def judge_records(records: Sequence[Record], measures: Mapping[str, Measure], judge: Judge) -> dict[str, Rulings]:
    """What a judge says of each record, by measure."""
    work = Work(records, measures, judge)
    threads = [
        threading.Thread(target=work.run, daemon=True, name="assay-judge")
        for _ in range(min(judge.concurrency, len(records)))
    ]
    with bar("judging", work.stage) if is_watched() else nullcontext():
        for thread in threads:
            thread.start()
        try:
            while any(thread.is_alive() for thread in threads):
                threads[0].join(LOOK) if threads[0].is_alive() else time.sleep(LOOK / 10)
        except BaseException:
            judge.stop()
            for thread in threads:
                thread.join(LAST_WAIT)
            raise
    if work.error is not None:
        raise work.error
    return work.rulings


class Work:
    """The records, one after another, for several threads."""

    def __init__(self, records: Sequence[Record], measures: Mapping[str, Measure], judge: Judge) -> None:
        self.judge = judge
        self.measures = measures
        self.records = records
        self.rulings = {name: Rulings(len(records)) for name in measures}
        self.error: BaseException | None = None
        self.kinds: Counter[RulingKind] = Counter()
        self.started = time.monotonic()
        self._rest: Iterator[tuple[int, Record]] = enumerate(records)
        self._lock = threading.Lock()

    def run(self) -> None:
        """Takes a record and applies all measures to it, until none is left."""
        try:
            while self.error is None:
                with self._lock:
                    place, record = next(self._rest, (None, None))
                if place is None or record is None:
                    return
                for name, measure in self.measures.items():
                    ruling = rule(measure, record, self.judge)
                    self.rulings[name].put(place, ruling)
                    with self._lock:
                        self.kinds[ruling.kind] += 1
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            self.error = self.error or error

    def stage(self) -> Stage:
        """How far the work is, how fast, what failed, and the time left."""
        done, total = self.kinds.total(), len(self.records) * len(self.measures)
        passed = time.monotonic() - self.started
        rate = done / passed if passed else 0.0
        failed = done - self.kinds[RulingKind.OK] - self.kinds[RulingKind.UNJUDGEABLE]
        left = f", {(total - done) / rate:.0f} s left" if rate else ""
        return Stage(done, total, f"{done:,} of {total:,}, {rate:.1f}/s, {failed:,} failed{left}")


def rule(measure: Measure, record: Record, judge: Judge) -> Ruling:
    """What the judge says of a record, from all samples."""
    drawn = [rule_once(measure, record, judge, sample) for sample in range(judge.samples)]
    valid = [each for each in drawn if each.is_ok]
    if not valid:
        return drawn[0]
    scores = tuple(each.score for each in valid)
    return valid[0]._replace(score=math.fsum(scores) / len(scores), samples=scores if judge.samples > 1 else ())


def rule_once(measure: Measure, record: Record, judge: Judge, sample: int) -> Ruling:
    """What the judge says of a record, once."""
    try:
        steps = measure.definition.function(Case(record, judge.room), **measure.values)
        finding = drive(steps, judge, sample)
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


def run_steps(steps: Steps, reply_to: Callable[[Any], Any]) -> Finding:
    """Runs steps with any way to reply."""
    try:
        wanted = next(steps)
        while True:
            reply = [reply_to(each) for each in wanted] if isinstance(wanted, list) else reply_to(wanted)
            wanted = steps.send(reply)
    except StopIteration as end:
        finding: Finding = end.value
        return finding
