"""`Case`: a record as judged measures see it; what it lacks makes it unjudgeable, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.core.ruling import Finding, JudgeFailure, RulingKind, Verdict, unjudgeable
from assay.data.records.record import Record


@dataclass(frozen=True, slots=True)
class Case:
    """One record, and how many characters of texts fit into a request to the judge."""

    record: Record
    room: float = math.inf

    @property
    def question(self) -> str:
        return self._need(self.record.question, "question")

    @property
    def answer(self) -> str:
        return self._need(self.record.answer, "answer")

    @property
    def contexts(self) -> tuple[str, ...]:
        """The texts of the retrieved passages, in order; raises if there are none."""
        texts = self.record.retrieved_texts
        if texts is None:
            raise unjudgeable("no texts of retrieved passages; put them into the records, or pass the corpus")
        if not any(text.strip() for text in texts):
            raise unjudgeable("nothing was retrieved")
        return tuple(texts)

    @property
    def references(self) -> tuple[str, ...]:
        """The right answers; raises if there are none."""
        texts = tuple(text for text in self.record.references or () if text.strip())
        if not texts:
            raise unjudgeable("no reference answer")
        return texts

    @property
    def reference(self) -> str:
        """The first reference answer."""
        return self.references[0]

    def _need(self, text: str | None, what: str) -> str:
        if text is None or not text.strip():
            raise unjudgeable(f"no {what}")
        return text


def packs(texts: Sequence[str], room: float) -> list[list[str]]:
    """Texts in as few groups as fit, in order; raises if one alone does not fit.

    >>> packs(["aaa", "bb", "cccc"], 5)
    [['aaa', 'bb'], ['cccc']]
    """
    groups: list[list[str]] = [[]]
    for text in texts:
        if len(text) > room:
            raise unjudgeable(f"a passage of {len(text):,} characters does not fit into the judge's window")
        if groups[-1] and sum(map(len, groups[-1])) + len(text) > room:
            groups.append([])
        groups[-1].append(text)
    return groups


def one_verdict(value: float, reason: str) -> Finding:
    """What a single verdict on the answer gives: its value is the score."""
    return Finding(value, (Verdict("the answer", value, reason),))


def within(value: float, low: float, high: float, name: str) -> float:
    """A number of a reply, once it is known to be in its range."""
    if not low <= value <= high:
        raise JudgeFailure(RulingKind.UNPARSABLE, f"{name} is {value:g}, not from {low:g} to {high:g}")
    return value
