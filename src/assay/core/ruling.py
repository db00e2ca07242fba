"""What a judged measure says of one question: verdicts, the score they give, or why there is none."""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Callable, Generator, Iterator, Sequence
from enum import StrEnum
from typing import Any, NamedTuple, TypeAlias, overload

import numpy as np

from assay.core.judged import FloatArray
from assay.core.prompt import Embed, Request

# A measure asks by yielding requests, one at a time or a list of them, gets the replies, and returns its finding.
Ask: TypeAlias = Request | Embed | list[Request]
Asking: TypeAlias = Generator[Ask, Any, Any]


class RulingKind(StrEnum):
    """How the judging of a question ended."""

    OK = "ok"
    UNJUDGEABLE = "unjudgeable"
    REFUSED = "refused"
    UNPARSABLE = "unparsable"
    TRUNCATED = "truncated"
    TIMED_OUT = "timed out"
    HTTP_ERROR = "HTTP error"
    NOT_ASKED = "not asked"


class Verdict(NamedTuple):
    """One verdict: on what, its value, the judge's reason, and against which text where there are several."""

    subject: str
    value: float | str
    reason: str = ""
    against: str = ""

    @property
    def shown(self) -> str:
        """The value as people read it."""
        return f"{self.value:g}" if isinstance(self.value, float | int) else self.value


class Finding(NamedTuple):
    """A score and the verdicts behind it; a score of NaN has its reason in words."""

    score: float
    verdicts: tuple[Verdict, ...] = ()
    reason: str = ""


Steps: TypeAlias = Generator[Ask, Any, Finding]


class Ruling(NamedTuple):
    """How the judging of one question ended: score and verdicts; `samples` are the scores of repeated draws."""

    kind: RulingKind
    score: float = math.nan
    verdicts: tuple[Verdict, ...] = ()
    detail: str = ""
    samples: tuple[float, ...] = ()

    @property
    def is_ok(self) -> bool:
        return self.kind is RulingKind.OK

    @property
    def is_flipped(self) -> bool:
        """Whether repeated draws disagree."""
        return len(set(self.samples)) > 1


class Rulings(Sequence[Ruling]):
    """One ruling per record, kept small: reasons of many verdicts take much memory."""

    def __init__(self, length: int) -> None:
        self.scores: FloatArray = np.full(length, np.nan)
        self.kinds: list[RulingKind] = [RulingKind.NOT_ASKED] * length
        self._rest: list[bytes] = [b""] * length

    def put(self, place: int, ruling: Ruling) -> None:
        """Enters what is known of a record."""
        self.scores[place] = ruling.score
        self.kinds[place] = ruling.kind
        self._rest[place] = zlib.compress(json.dumps([ruling.verdicts, ruling.detail, ruling.samples]).encode(), 1)

    def __len__(self) -> int:
        return len(self.kinds)

    @overload
    def __getitem__(self, place: int) -> Ruling: ...
    @overload
    def __getitem__(self, place: slice) -> list[Ruling]: ...
    def __getitem__(self, place: int | slice) -> Ruling | list[Ruling]:
        if isinstance(place, slice):
            return [self[each] for each in range(*place.indices(len(self)))]
        if not self._rest[place]:
            return Ruling(self.kinds[place])
        verdicts, detail, samples = json.loads(zlib.decompress(self._rest[place]))
        score = float(self.scores[place])
        return Ruling(self.kinds[place], score, tuple(Verdict(*each) for each in verdicts), detail, tuple(samples))

    def __iter__(self) -> Iterator[Ruling]:
        return (self[place] for place in range(len(self)))


class JudgeFailure(Exception):  # noqa: N818 - an outcome of one question, no error of the caller's
    """Why a question has no score.

    `spent` are the tokens sent and replied, if the model did reply, though not with a verdict: they cost as much.
    """

    def __init__(self, kind: RulingKind, detail: str, spent: tuple[int, int] | None = None) -> None:
        super().__init__(detail)
        self.kind = kind
        self.detail = detail
        self.spent = spent


def unjudgeable(detail: str) -> JudgeFailure:
    """The record lacks what the measure needs."""
    return JudgeFailure(RulingKind.UNJUDGEABLE, detail)


def run_steps(steps: Steps, reply_to: Callable[[Any], Any]) -> Finding:
    """Runs steps with any way to reply. A failure is raised where the measure asked: it may do without that reply."""
    try:
        wanted = next(steps)
        while True:
            try:
                reply = [reply_to(each) for each in wanted] if isinstance(wanted, list) else reply_to(wanted)
            except JudgeFailure as failure:
                wanted = steps.throw(failure)
            else:
                wanted = steps.send(reply)
    except StopIteration as end:
        finding: Finding = end.value
        return finding
