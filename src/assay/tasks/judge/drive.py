"""Judges many items, such as the records of a RAG system: what is asked about each in turn, several at a time.

How the scores of repeated draws become one, and how far other draws would have moved it:

    mean: Σ s / n, variance s² / n         majority: what more than half of n verdicts of 0 or 1 say, a tie is ½

The variance of a majority is that of n new verdicts, each 1 as often as the n that were drawn.
"""

from __future__ import annotations

import math
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import partial
from typing import Any, NamedTuple, TypeVar

from assay.core.measure import Draws, Measure
from assay.core.note import Note, NoteKind, loud_first
from assay.core.progress import Stage, bar, is_watched
from assay.core.ruling import Embed, JudgeFailure, Prompt, Request, Ruling, RulingKind, Rulings, Steps, run_steps
from assay.data.records.record import Record
from assay.measures.judged.case import Case
from assay.net.calls import work_through
from assay.tasks.judge.judge import Judge
from assay.tasks.judge.limits import estimate_all
from assay.tasks.judge.words import check_prompts

# If a larger share failed, it is said loudly.
TOLERATED = 0.05

Item = TypeVar("Item")


def judge_records(records: Sequence[Record], measures: Mapping[str, Measure], judge: Judge) -> dict[str, Rulings]:
    if judge.prompts:
        check_prompts(judge.prompts, [prompt for each in measures.values() for prompt in each.definition.prompts])

    def ask(measure: Measure, record: Record) -> Any:  # noqa: ANN401 - the steps of any measure
        return measure.definition.function(Case(record, judge.room), **measure.values)

    columns = {name: partial(ask, measure) for name, measure in measures.items()}
    return judge_all(records, columns, judge, {name: measure.definition.draws for name, measure in measures.items()})


class JudgedItems(NamedTuple):
    """What a judge said of the items of a task: a ruling for each, who judged and how, and notes, loud ones first."""

    rulings: Rulings
    judge: str
    notes: tuple[Note, ...]


def ask_all(
    what: str, items: list[Item], ask: Callable[[Item], Steps], *, judge: Judge, prompts: list[Prompt], names: list[str]
) -> JudgedItems:
    """What a judge says of each item of a task; `names` are those of the items in notes."""
    check_prompts(judge.prompts, prompts)
    rulings = judge_all(items, {what: ask}, judge, {})[what]
    how = f"{judge.description} prompts={','.join(map(str, prompts))}"
    return JudgedItems(rulings, how, loud_first(verdict_notes(what, names, rulings, judge.samples)))


def judge_all(
    items: Sequence[Item], columns: Mapping[str, Callable[[Item], Steps]], judge: Judge, draws: Mapping[str, Draws]
) -> dict[str, Rulings]:
    """What a judge says of each item, by column; several items at a time. `draws` says how those of a column count."""
    if judge.estimate is not None:
        estimate_all(items, columns, judge, judge.estimate)
    rulings = {name: Rulings(len(items)) for name in columns}
    kinds: Counter[RulingKind] = Counter()
    total, started, lock = len(items) * len(columns), time.monotonic(), threading.Lock()

    def judge_in_turn(rest: Iterator[tuple[int, Item]]) -> None:
        for at, item in rest:
            for name, ask in columns.items():
                ruling = rule(partial(ask, item), judge, draws.get(name, "mean"))
                rulings[name].put(at, ruling)
                with lock:
                    kinds[ruling.kind] += 1

    def stage() -> Stage:
        done, passed = kinds.total(), time.monotonic() - started
        rate = done / passed if passed else 0.0
        failed = done - kinds[RulingKind.OK] - kinds[RulingKind.UNJUDGEABLE]
        left = f", {(total - done) / rate:.0f} s left" if rate else ""
        return Stage(done, total, f"{done:,} of {total:,}, {rate:.1f}/s, {failed:,} failed{left}")

    judge.restart()
    threads = min(judge.concurrency, len(items))
    with bar("judging", stage) if is_watched() else nullcontext():
        work_through(enumerate(items), judge_in_turn, threads, "assay-judge", stop=judge.stop)
    return rulings


def rule(ask: Callable[[], Steps], judge: Judge, how: Draws) -> Ruling:
    """What the judge says, from all draws; the verdicts are those of a draw with that score, if there is one."""
    drawn = [rule_once(ask(), judge, sample) for sample in range(judge.samples)]
    valid = [each for each in drawn if each.is_ok]
    if not valid:
        return drawn[0]
    scores = tuple(each.score for each in valid)
    score = score_draws(scores, how)
    shown = next((each for each in valid if each.score == score), valid[0])
    return shown._replace(score=score, samples=scores if judge.samples > 1 else ())


def rule_once(steps: Steps, judge: Judge, sample: int) -> Ruling:
    def reply_to(request: Request | Embed) -> Any:  # noqa: ANN401 - a reply or vectors
        return judge.embed(request) if isinstance(request, Embed) else judge.ask(request, sample=sample)

    try:
        finding = run_steps(steps, reply_to)
    except JudgeFailure as failure:
        if failure.kind not in (RulingKind.UNJUDGEABLE, RulingKind.NOT_ASKED):
            judge.usage.add(failed=1)
        return Ruling(failure.kind, detail=failure.detail)
    if math.isnan(finding.score):
        return Ruling(RulingKind.UNJUDGEABLE, verdicts=finding.verdicts, detail=finding.reason)
    return Ruling(RulingKind.OK, float(finding.score), finding.verdicts)


def score_draws(scores: Sequence[float], how: Draws = "mean") -> float:
    """One score from all draws."""
    mean = math.fsum(scores) / len(scores)
    return mean if how == "mean" else majority(mean)


def majority(share: float) -> float:
    return 0.5 if share == 0.5 else float(share > 0.5)  # noqa: PLR2004 - half of the votes


def draws_variance(scores: Sequence[float], how: Draws = "mean") -> float:
    """The variance of the score over new draws; 0 with a single draw, which says nothing of others."""
    number = len(scores)
    if number < 2:  # noqa: PLR2004 - a single draw
        return 0.0
    mean = math.fsum(scores) / number
    if how == "mean":
        return math.fsum((each - mean) ** 2 for each in scores) / (number - 1) / number
    chances = [math.comb(number, ones) * mean**ones * (1 - mean) ** (number - ones) for ones in range(number + 1)]
    votes = [majority(ones / number) for ones in range(number + 1)]
    expected = math.fsum(chance * vote for chance, vote in zip(chances, votes, strict=True))
    return math.fsum(chance * (vote - expected) ** 2 for chance, vote in zip(chances, votes, strict=True))


def verdict_notes(name: str, queries: Sequence[str], rulings: Rulings, draws: int = 1) -> list[Note]:
    """Which questions have no verdict, and why, loudly if the judge failed on many; and whose verdict changed."""
    lacking = {at: kind for at, kind in enumerate(rulings.kinds) if kind is not RulingKind.OK}
    failed = {at for at, kind in lacking.items() if kind is not RulingKind.UNJUDGEABLE}
    said = sorted(failed) if len(failed) > TOLERATED * len(queries) else []
    rest = [at for at in lacking if not said or at not in failed]
    notes = []
    for kind, places in ((NoteKind.FAILED_VERDICTS, said), (NoteKind.NO_VERDICT, rest)):
        if places:
            reasons = describe_reasons(rulings, places)
            without = [queries[at] for at in places]
            notes.append(Note.of(kind, queries=without, total=f"{len(queries):,}", reasons=reasons, measures=[name]))
    drawn = [len(each.samples) for each in rulings]
    if max(drawn, default=0) > 1:
        flipped = [query for query, each in zip(queries, rulings, strict=True) if each.is_flipped]
        told: dict[str, Any] = {"total": f"{sum(number > 1 for number in drawn):,}", "draws": max(drawn)}
        about = "" if flipped else "none"
        notes.append(Note.of(NoteKind.FLIPPED, about=about, queries=flipped, measures=[name], **told))
    if lost := sum(draws - number for number in drawn if 0 < number < draws):
        asked = f"{draws * sum(number > 0 for number in drawn):,}"
        notes.append(Note.of(NoteKind.FLIPPED, about="failed", count=lost, measures=[name], total=asked))
    return notes


def describe_reasons(rulings: Rulings, places: Sequence[int]) -> str:
    """How often each kind of failure occurred, with the most frequent detail."""
    details: defaultdict[RulingKind, Counter[str]] = defaultdict(Counter)
    for at in places:
        details[rulings[at].kind][rulings[at].detail] += 1
    counted = ((kind, each.total(), each.most_common(1)[0][0]) for kind, each in details.items())
    return "; ".join(f"{number:,} {kind}" + (f": {detail}" if detail else "") for kind, number, detail in counted)
