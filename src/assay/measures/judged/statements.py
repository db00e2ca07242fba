"""Statements: what a text claims, one claim at a time, and which of them other texts support.

    answer_correctness = weighted mean of F_beta(TP, FP, FN) and the cosine of the two texts' embeddings

TP and FP are statements of the answer that the reference supports or not, FN those of the reference that the answer
lacks. Es et al. 2024, RAGAS; Min et al. 2023, FActScore.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from assay.core.errors import MeasureError
from assay.core.measure import cites, computes, judged_example, says, undefined_if
from assay.core.parameter import Bounds
from assay.core.ruling import Asking, Finding, Steps, Verdict
from assay.measures.judged.case import RAGAS, VERDICT, Case, define_judged, no, packs, prompt, yes
from assay.measures.judged.embeddings import similarity_of

# What ragas adds to divisors, so that they are not 0.
TINY = 1e-8

Unit = Annotated[
    Literal["statement", "answer"],
    "what gets a verdict: each statement, or the answer as a whole, which is then 1 or 0 as in LlamaIndex",
]
Beta = Annotated[float, Bounds(low=0, open_low=True), "how much more recall weighs than precision"]
Weights = Annotated[
    tuple[float, float], Bounds(low=0), "the weights of the statements and of the similarity; without it, no embedder"
]
Mode = Annotated[
    Literal["f1", "precision", "recall"], "precision of the answer's claims, recall of the reference's, or both as F"
]
Claims = Annotated[
    Literal["own", "mixed"],
    "what recall is over: the claims of the reference, or, as in ragas, the answer's supported claims and the "
    "reference's missing ones",
]
Digits = Annotated[int | None, Bounds(low=0, high=15), "decimals that a score is rounded to; 2 in ragas"]

STATEMENTS = prompt("statements", {"statements": [str]})("""\
Split the answer into statements. Each statement makes one claim, is a full sentence, and can be understood without the
others: write names in place of pronouns. Keep the meaning; add nothing and leave nothing out. An answer that claims
nothing, such as a refusal or a greeting, has no statements.""")
SUPPORT = prompt("support", {"verdicts": [VERDICT]})("""\
For each numbered statement decide whether the contexts support it: true if it follows from them directly, false if they
contradict it or do not say it. Use nothing but the contexts. Give one verdict for each statement, in their order.""")


def split_statements(answer: str, question: str | None = None) -> Asking:
    reply = yield STATEMENTS.ask({"question": question, "answer": answer} if question else {"answer": answer})
    return [each.strip() for each in reply["statements"] if each.strip()]


def check_support(statements: Sequence[str], contexts: Sequence[str], room: float, against: str = "") -> Asking:
    """A verdict on each statement: 1 if the contexts support it. Contexts that do not fit into a request are split."""
    found: list[list[Verdict]] = []
    for pack in packs(contexts, room - sum(map(len, statements))) if statements else ():
        reply = yield SUPPORT.ask({"context": pack, "statement": statements}, count=len(statements))
        pairs = zip(statements, reply["verdicts"], strict=True)
        found.append([Verdict(text, float(each["verdict"]), each["reason"], against) for text, each in pairs])
    # A statement is supported if any part of the contexts supports it.
    return tuple(max(each, key=lambda verdict: float(verdict.value)) for each in zip(*found, strict=True))


def share(verdicts: Sequence[Verdict], reason: str) -> Finding:
    """The share of verdicts that are 1; NaN with the reason if there are none."""
    values = [float(each.value) for each in verdicts]
    return Finding(math.fsum(values) / len(values) if values else math.nan, tuple(verdicts), "" if values else reason)


@define_judged("faithfulness", title="Faithfulness", prompts=(STATEMENTS, SUPPORT))
@computes("statements of the answer that the retrieved passages support / statements of the answer")
@undefined_if("the answer makes no statement")
@cites(RAGAS)
@judged_example(
    "faithfulness",
    {
        "question": "Who built it, and when?",
        "answer": "Eiffel's firm, in 1890.",
        "retrieved_texts": ["Eiffel's firm built it in 1889."],
    },
    [
        {"statements": ["Eiffel's firm built the tower.", "The tower was built in 1890."]},
        {"verdicts": [yes("Stated."), no("It was 1889.")]},
    ],
    1 / 2,
    "1 of 2 statements of the answer",
)
def faithfulness(case: Case, *, unit: Unit = "statement") -> Steps:
    """The share of the answer's statements that follow from the retrieved passages."""
    answer, contexts = case.answer, case.contexts
    statements = [answer] if unit == "answer" else (yield from split_statements(answer, case.record.question))
    return share((yield from check_support(statements, contexts, case.room)), "the answer makes no statement")


RECORD = {
    "question": "Who built it, and when?",
    "answer": "Eiffel, in 1890.",
    "references": ["Eiffel's firm built it in 1889, for the World's Fair."],
}
FOUND = [
    {"statements": ["Eiffel built it.", "It was built in 1890."]},
    {"statements": ["Eiffel's firm built it.", "It was built in 1889.", "It was built for the World's Fair."]},
    {"verdicts": [yes("Stated."), no("It was 1889.")]},
    {"verdicts": [yes("Stated."), no("It says 1890."), no("Not mentioned.")]},
]


def f_beta(precision: float, recall: float, beta: float = 1.0) -> float:
    """The weighted harmonic mean; 0 if both are."""
    both = precision * recall
    return (1 + beta**2) * both / (beta**2 * precision + recall) if precision or recall else 0.0


def f_of_verdicts(answer: Sequence[float], reference: Sequence[float], beta: float = 1.0) -> float:
    """F of the supported statements of the answer, those not supported, and those of the reference that it lacks."""
    tp = sum(answer)
    wanted = tp + len(reference) - sum(reference)
    return f_beta(tp / len(answer) if answer else 0.0, tp / wanted if wanted else 0.0, beta)


def factual_score(
    answer: Sequence[float], reference: Sequence[float], mode: str = "f1", *, beta: float = 1.0, claims: str = "own"
) -> float:
    """Precision, recall or F of verdicts on the claims of answer and reference; NaN if there are none to count."""
    if claims == "mixed":
        if mode == "f1":
            return f_of_verdicts(answer, reference, beta)
        tp = sum(answer)
        return tp / ((len(answer) if mode == "precision" else tp + len(reference) - sum(reference)) + TINY)
    precision = sum(answer) / len(answer) if answer else math.nan
    recall = sum(reference) / len(reference) if reference else math.nan
    if mode != "f1":
        return precision if mode == "precision" else recall
    # An answer that claims nothing misses all that the reference claims.
    return f_beta(precision if answer else 0.0, recall, beta) if reference else math.nan


def check_both(case: Case, *, question: str | None, needs_answer: bool = True, needs_reference: bool = True) -> Asking:
    answer, reference = case.answer, case.reference
    of_answer = (yield from split_statements(answer, question)) if needs_answer else []
    of_reference = (yield from split_statements(reference, question)) if needs_reference else []
    found = yield from check_support(of_answer, [reference], case.room, "the reference")
    covered = yield from check_support(of_reference, [answer], case.room, "the answer")
    return found, covered


@define_judged("answer_correctness", title="Answer correctness", prompts=(STATEMENTS, SUPPORT))
@says(range=(-1, 1), usual_range=(-0.25, 1))
@computes(
    "(w1 · F_beta(TP, FP, FN) + w2 · cosine of the embeddings of answer and reference) / (w1 + w2); "
    "F is 1 if neither text makes a statement"
)
@undefined_if("an embedding is zero")
@cites("ragas 0.4.3, AnswerCorrectness")
@judged_example(
    "answer_correctness",
    RECORD,
    [*FOUND, [[1.0, 0.0], [0.6, 0.8]]],
    0.45,
    "TP = 1, FP = 1, FN = 2: F = 2 · 1 / (2 · 1 + 1 + 2) = 0.4; cosine 0.6: 0.75 · 0.4 + 0.25 · 0.6",
)
def answer_correctness(case: Case, *, weights: Weights = (0.75, 0.25), beta: Beta = 1.0) -> Steps:
    """Whether the answer says what the reference says, by statements and by similarity."""
    if not sum(weights):
        raise MeasureError("answer_correctness: weights must not both be 0")
    answer, covered = yield from check_both(case, question=case.record.question)
    score = f_of_verdicts([each.value for each in answer], [each.value for each in covered], beta)
    score, similarity, verdicts = score if answer or covered else 1.0, 0.0, [*answer, *covered]
    if weights[1]:
        similarity = yield from similarity_of(case.answer, [case.reference])
        verdicts.append(Verdict("similarity of answer and reference", similarity))
    total = (weights[0] * score + weights[1] * similarity) / sum(weights)
    return Finding(total, tuple(verdicts), "an embedding is zero")


@define_judged("factual_correctness", title="Factual correctness", prompts=(STATEMENTS, SUPPORT))
@computes(
    "precision = claims of the answer that the reference supports / claims of the answer; recall = claims of "
    "the reference that the answer supports / claims of the reference; F_beta of both"
)
@undefined_if("the reference makes no claim, or for precision the answer")
@cites(
    "Min et al. 2023, FActScore: Fine-grained Atomic Evaluation of Factual Precision; ragas 0.4.3, FactualCorrectness"
)
@judged_example(
    "factual_correctness",
    {name: text for name, text in RECORD.items() if name != "question"},
    FOUND,
    0.4,
    "P = 1/2, R = 1/3: 2PR / (P + R) = 2/5",
)
def factual_correctness(
    case: Case, *, mode: Mode = "f1", beta: Beta = 1.0, claims: Claims = "own", digits: Digits = None
) -> Steps:
    """How many claims of the answer the reference supports, and the other way round."""
    needs = {"needs_answer": mode != "recall" or claims == "mixed", "needs_reference": mode != "precision"}
    answer, covered = yield from check_both(case, question=None, **needs)
    values = [each.value for each in answer], [each.value for each in covered]
    score = factual_score(*values, mode, beta=beta, claims=claims)
    score = score if digits is None else float(np.round(score, digits))
    whose = "answer" if mode == "precision" else "reference"
    return Finding(score, (*answer, *covered), f"the {whose} makes no claim")
