"""`Case`: a record as judged measures see it; what it lacks makes it unjudgeable, in words.

`replay` is what a measure finds, given the replies of a judge: for examples, and to try measures of one's own.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.core.errors import MeasureError
from assay.core.measure import Measure, define
from assay.core.ruling import Embed, Finding, JudgeFailure, Prompt, Reply, RulingKind, Verdict, run_steps, unjudgeable
from assay.data.records.record import Record

RAGAS = "Es et al. 2024, RAGAS: Automated Evaluation of Retrieval Augmented Generation"
VERDICT = {"reason": str, "verdict": bool}
define_judged = partial(define, of="judged")


def prompt(name: str, reply: Any) -> Callable[[str], Prompt]:  # noqa: ANN401 - a shape
    """The first version of a prompt, once its task is given: `prompt("polite", VERDICT)("Is the answer polite?")`."""
    return lambda task: Prompt(name, 1, task, reply)


def said(reason: str, **fields: Any) -> dict[str, Any]:  # noqa: ANN401 - as in a reply
    """A reply in an example."""
    return {"reason": reason, **fields}


yes, no = (partial(said, verdict=verdict) for verdict in (True, False))


@dataclass(frozen=True, slots=True)
class Case:
    """One record, and how many characters of texts fit into a request to the judge."""

    record: Record
    room: float = math.inf

    @property
    def question(self) -> str:
        return need(self.record.question, "question")

    @property
    def answer(self) -> str:
        return need(self.record.answer, "answer")

    @property
    def contexts(self) -> tuple[str, ...]:
        texts = self.record.retrieved_texts
        if texts is None:
            raise unjudgeable("no texts of retrieved passages; put them into the records, or pass the corpus")
        if not any(text.strip() for text in texts):
            raise unjudgeable("nothing was retrieved")
        return tuple(texts)

    @property
    def references(self) -> tuple[str, ...]:
        texts = tuple(text for text in self.record.references or () if text.strip())
        if not texts:
            raise unjudgeable("no reference answer")
        return texts

    @property
    def reference(self) -> str:
        return self.references[0]


def need(text: str | None, what: str) -> str:
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
    """A single verdict on the answer, whose value is the score."""
    return Finding(value, (Verdict("the answer", value, reason),))


def within(value: float, low: float, high: float, name: str) -> float:
    """A number of a reply, once it is known to be in its range."""
    if not low <= value <= high:
        raise JudgeFailure(RulingKind.UNPARSABLE, f"{name} is {value:g}, not from {low:g} to {high:g}")
    return value


def replay(measure: str | Measure, record: Mapping[str, Any], replies: Sequence[Any]) -> Finding:
    """What a measure finds in a record, given the replies of a judge in the order in which it asks.

    >>> words = {"question": "Why?", "answer": "It rained.", "retrieved_texts": ["It rained."]}
    >>> replay("context_precision(against=answer)", words, [{"reason": "", "verdict": True}]).score
    1.0
    """
    from assay.data.records.read import read_records
    from assay.measures import parse

    chosen = parse(measure) if isinstance(measure, str) else measure
    (only,) = read_records([{"query_id": "0", **record}]).each
    rest = iter(replies)

    def next_reply(request: Any) -> Any:  # noqa: ANN401 - a reply or vectors
        given = next(rest, MeasureError(f"{chosen} asks more than {len(replies)} times"))
        if isinstance(given, Exception):
            raise given
        return given if isinstance(request, Embed) or isinstance(given, Reply) else Reply(request.read(given))

    finding = run_steps(chosen.definition.function(Case(only), **chosen.values), next_reply)
    if left := len(list(rest)):
        raise MeasureError(f"{chosen} asks {len(replies) - left} times, not {len(replies)}")
    return finding
