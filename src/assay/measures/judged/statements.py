"""Statements: what a text claims, one claim at a time, and which of them other texts support."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

from assay.core.measure import JudgedExample, define
from assay.core.prompt import Prompt
from assay.core.ruling import Asking, Finding, Steps, Verdict
from assay.measures.judged.case import Case, packs

Unit = Annotated[
    Literal["statement", "answer"],
    "what gets a verdict: each statement, or the answer as a whole, which is then 1 or 0 as in LlamaIndex",
]

STATEMENTS = Prompt(
    "statements",
    1,
    """\
Split the answer into statements. Each statement makes one claim, is a full sentence, and can be understood without the
others: write names in place of pronouns. Keep the meaning; add nothing and leave nothing out. An answer that claims
nothing, such as a refusal or a greeting, has no statements.""",
    {"statements": [str]},
)
SUPPORT = Prompt(
    "support",
    1,
    """\
For each numbered statement decide whether the contexts support it: true if it follows from them directly, false if they
contradict it or do not say it. Use nothing but the contexts. Give one verdict for each statement, in their order.""",
    {"verdicts": [{"reason": str, "verdict": bool}]},
)


def split_statements(answer: str, question: str | None = None) -> Asking:
    """The statements of a text."""
    texts = {"question": question, "answer": answer} if question else {"answer": answer}
    reply = yield STATEMENTS.ask(texts)
    return [each.strip() for each in reply["statements"] if each.strip()]


def check_support(
    statements: Sequence[str], contexts: Sequence[str], room: float = math.inf, against: str = ""
) -> Asking:
    """A verdict on each statement: 1 if the contexts support it. Contexts that do not fit into a request are split."""
    if not statements:
        return ()
    best: list[Verdict] | None = None
    used = sum(map(len, statements))
    for pack in packs(contexts, room - used):
        reply = yield SUPPORT.ask({"context": pack, "statement": statements}, count=len(statements))
        verdicts = [
            Verdict(statement, float(each["verdict"]), each["reason"], against)
            for statement, each in zip(statements, reply["verdicts"], strict=True)
        ]
        # A statement is supported if any part of the contexts supports it.
        best = verdicts if best is None else [max(pair, key=value_of) for pair in zip(best, verdicts, strict=True)]
    return tuple(best or ())


def value_of(verdict: Verdict) -> Any:  # noqa: ANN401 - a number or a word
    return verdict.value


def share(verdicts: Sequence[Verdict], reason: str = "no statements") -> Finding:
    """The share of verdicts that are 1.

    >>> share([Verdict("a", 1.0), Verdict("b", 0.0)]).score, share([]).reason
    (0.5, 'no statements')
    """
    if not verdicts:
        return Finding(math.nan, (), reason)
    return Finding(math.fsum(float(each.value) for each in verdicts) / len(verdicts), tuple(verdicts))


@define(
    "faithfulness",
    title="Faithfulness",
    formula="statements of the answer that the retrieved passages support / statements of the answer",
    reference="Es et al. 2024, RAGAS: Automated Evaluation of Retrieval Augmented Generation",
    undefined="the answer makes no statement",
    of="judged",
    prompts=(STATEMENTS, SUPPORT),
    example=JudgedExample(
        "faithfulness",
        {
            "question": "Who built it, and when?",
            "answer": "Eiffel's firm, in 1890.",
            "retrieved_texts": ["Eiffel's firm built it in 1889."],
        },
        [
            {"statements": ["Eiffel's firm built the tower.", "The tower was built in 1890."]},
            {"verdicts": [{"reason": "Stated.", "verdict": True}, {"reason": "It was 1889.", "verdict": False}]},
        ],
        1 / 2,
        "1 of 2 statements of the answer",
    ),
)
def faithfulness(case: Case, *, unit: Unit = "statement") -> Steps:
    """The share of the answer's statements that follow from the retrieved passages."""
    answer, contexts = case.answer, case.contexts
    if unit == "answer":
        return share((yield from check_support([answer], contexts, case.room)))
    statements = yield from split_statements(answer, case.record.question)
    return share((yield from check_support(statements, contexts, case.room)), "the answer makes no statement")
