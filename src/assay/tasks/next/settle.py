"""When a comparison of two runs is settled: no further judgment can change which of them is better.

By an additive measure the difference is D = Σ c · gain over the judged documents, where c is the weight of a document's
rank in run b less that in run a. An unjudged document may still gain anything between the lowest and the highest gain,
so all that further judgments can lead to is the interval from D - Σ down to D + Σ up, where down and up are how far
each unjudged document can move D. It is settled if 0 is outside. Only moves against the present sign matter.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.text import count

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

# Sums of so many floats are right to this share of what is added up.
ROUNDING = 1e-13


@dataclass(frozen=True)
class Settlement:
    """How far judgments can still move the difference of two runs, b - a, by a measure.

    `difference`, `lowest` and `highest` are per query, over `queries` of them; a document that is not judged gains
    nothing, as everywhere. `opposing` unjudged documents can still move the difference against its sign (any way if it
    is 0), and `needed` judgments settle it if each finds a document that gains nothing; those that can move it most
    come first.
    """

    measure: str
    a: str
    b: str
    difference: float
    lowest: float
    highest: float
    queries: int
    is_settled: bool
    opposing: int
    needed: int

    @property
    def better(self) -> str | None:
        """The run that is better by the judgments so far; None if neither is."""
        return None if self.difference == 0 else self.b if self.difference > 0 else self.a

    def __str__(self) -> str:
        where = f"{self.measure}, {self.b} - {self.a}: {self.difference:+.4f}"
        range_ = f"further judgments can lead to {self.lowest:+.4f} to {self.highest:+.4f}"
        over = f"over {count(self.queries, 'query', 'queries')}"
        if self.is_settled:
            end = "" if self.lowest == self.highest else f"; {range_}"
            return f"settled: no further judgment can change the sign ({where} {over}{end})"
        moves = "it" if self.better is None else "it the other way"
        still = f"{count(self.opposing, 'unjudged document')} can still move {moves}"
        settle = "settles" if self.needed == 1 else "settle"
        more = f"{count(self.needed, 'more judgment')} {settle} it if none finds a relevant document"
        return f"not settled: {where} {over}; {range_}; {still}" + ("" if self.better is None else f"; {more}")

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON has them, with the sentence."""
        return asdict(self) | {"better": self.better, "sentence": str(self)}


def settle(
    difference: float, down: FloatArray, up: FloatArray, *, rounding: float, queries: int, per: int, **named: str
) -> Settlement:
    """The settlement of a sum of contributions, which each document can move `down` and `up`, 0 if it is judged.

    `per` is what sums are divided by, `rounding` how far from 0 a sum may be that is 0.
    """
    is_even = abs(difference) <= rounding
    difference = 0.0 if is_even else difference
    # The moves against the present sign, each way if there is none; the largest first.
    against = np.maximum(down, up) if is_even else down if difference > 0 else up
    against = against[against > 0]
    if not (against[1:] <= against[:-1]).all():
        against = np.sort(against)[::-1]
    # The moves that must go for the rest to be smaller than the difference.
    excess = float(against.sum()) - abs(difference) + rounding
    needed = len(against)
    if not is_even:
        needed = 0 if excess < 0 else min(needed, int(np.searchsorted(np.cumsum(against), excess, side="right")) + 1)
    return Settlement(
        difference=difference / per,
        lowest=(difference - float(down.sum())) / per,
        highest=(difference + float(up.sum())) / per,
        queries=queries,
        is_settled=needed == 0,
        opposing=len(against),
        needed=needed,
        **named,
    )
