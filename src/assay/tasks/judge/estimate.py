"""What judging will cost, before anything is asked: every measure runs with made-up replies of a usual length.

Replies that the cache has are taken from there, and cost nothing. Tokens are counted as four characters each, and how
many statements an answer has is a guess: the estimate is good to a factor of about two.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from assay.core.prompt import Embed, Reply, Request, Scale
from assay.core.ruling import JudgeFailure, Steps, run_steps
from assay.core.text import count
from assay.tasks.judge.model import estimate_tokens

if TYPE_CHECKING:
    from assay.tasks.judge.judge import Judge

Item = TypeVar("Item")
# A made-up text in a reply, and how many items a list has if nothing says so.
SENTENCE = "A sentence of about sixty characters, as a reason usually has."
ITEMS = 4


@dataclass(slots=True)
class Estimate:
    """Requests that would be made, those that the cache answers, tokens, and what they would cost (None: no prices)."""

    calls: int = 0
    kept: int = 0
    sent_tokens: int = 0
    reply_tokens: int = 0
    cost: float | None = None

    def __str__(self) -> str:
        """As people read it.

        >>> print(Estimate(calls=1200, kept=0, sent_tokens=600_000, reply_tokens=90_000, cost=0.144))
        about 1,200 calls, 600,000 tokens sent, 90,000 received, cost 0.1440
        """
        parts = [f"about {count(self.calls, 'call')}"]
        if self.kept:
            parts.append(f"{count(self.kept, 'reply', 'replies')} in the cache")
        parts += [f"{self.sent_tokens:,} tokens sent", f"{self.reply_tokens:,} received"]
        return ", ".join(parts) + ("" if self.cost is None else f", cost {self.cost:.4f}")


class EstimateOnly(Exception):  # noqa: N818 - the end of a dry run, no error
    """Ends a call once its cost is estimated."""


def estimate_all(
    items: Sequence[Item], columns: Mapping[str, Callable[[Item], Steps]], judge: Judge, total: Estimate
) -> None:
    """Adds what `judge_all` would cost."""
    for item in items:
        for ask in columns.values():
            for sample in range(judge.samples):
                try:
                    run_steps(ask(item), lambda request, sample=sample: guess(request, judge, sample, total))  # type: ignore[misc]
                except JudgeFailure:
                    # What a record lacks, no judge is asked for.
                    continue
    prices = judge.usage.prices
    total.cost = None if prices is None else prices.cost(total.sent_tokens, total.reply_tokens)


def guess(request: Request | Embed, judge: Judge, sample: int, total: Estimate) -> Any:  # noqa: ANN401 - a reply or vectors
    """The reply of the cache, or one of a usual length; counted."""
    if isinstance(request, Embed):
        total.calls += 1
        total.sent_tokens += sum(map(estimate_tokens, request.texts))
        return [[1.0]] * len(request.texts)
    known = judge.find(request, sample=sample)
    if known is not None:
        total.kept += 1
        return known
    value = made_up(request.prompt.reply, request.count)
    total.calls += 1
    total.sent_tokens += sum(estimate_tokens(each["content"]) for each in judge.messages(request))
    total.reply_tokens += estimate_tokens(json.dumps(value))
    return Reply(value)


def made_up(shape: Any, items: int | None = None) -> Any:  # noqa: ANN401 - a shape
    """A value of a shape.

    >>> made_up({"verdicts": [{"reason": str, "verdict": bool}]}, 1)["verdicts"][0]["verdict"]
    True
    """
    if isinstance(shape, Mapping):
        return {name: made_up(each, items) for name, each in shape.items()}
    if isinstance(shape, list):
        return [made_up(shape[0])] * (ITEMS if items is None else items)
    if isinstance(shape, Scale):
        return shape.high
    if isinstance(shape, tuple):
        return shape[0]
    return {str: SENTENCE, bool: True, int: 1, float: 1.0}[shape]
