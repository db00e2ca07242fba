"""Passages, judged: how many of the useful ones come first, and how much of a reference answer they contain.

    context_precision = Σ v_i · (v_1 + … + v_i) / i  /  Σ v_i      v_i is 1 if passage i was useful, else 0

Es et al. 2024, RAGAS: Automated Evaluation of Retrieval Augmented Generation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Annotated, Literal

from assay.core.measure import JudgedExample, define
from assay.core.prompt import Prompt
from assay.core.ruling import Asking, Finding, Steps, Verdict
from assay.core.text import first_line
from assay.measures.judged.case import Case, packs
from assay.measures.judged.statements import STATEMENTS, SUPPORT, check_support, share, split_statements

ABOUT_ZERO = 1e-10
ABOUT_ZERO_ENTITIES = 1e-8
SHOWN = 120
RAGAS = "Es et al. 2024, RAGAS: Automated Evaluation of Retrieval Augmented Generation"

Against = Annotated[
    Literal["reference", "answer"],
    "what a useful passage helps to arrive at: the reference answer, or the system's own, which needs no ground truth",
]
Norm = Annotated[
    Literal["found", "about_found"],
    "the divisor: the useful passages, or these plus 1e-10 as in ragas",
    {"found": "divides by the useful passages", "about_found": "divides by the useful passages plus 1e-10"},
]
Nothing = Annotated[
    Literal["unjudgeable", "zero"],
    "what a question has for which nothing was retrieved: no score, or 0 as in ragas",
]
EntityNorm = Annotated[
    Literal["reference", "about_reference"],
    "the divisor: the entities of the reference, or these plus 1e-8 as in ragas, so that a reference without any is 0",
]

USEFUL = Prompt(
    "useful",
    1,
    """\
Decide whether the context was useful for arriving at the answer to the question: true if it contains information that
the answer uses or that is needed for it, false if it does not, even if it is about the same topic. Take the answer as
given; whether it is right does not matter.""",
    {"reason": str, "verdict": bool},
)
ENTITIES = Prompt(
    "entities",
    1,
    """\
List the entities that the text names: people, organisations, places, works, products, events, dates and amounts. Write
each once, by the name that the text uses and without articles. Add nothing that the text does not name.""",
    {"entities": [str]},
)


def useful_first(verdicts: Sequence[float], norm: str = "found") -> float:
    """Average precision over the useful passages that were retrieved; 0 if none is useful.

    >>> round(useful_first([1, 0, 1]), 4), useful_first([0, 0])
    (0.8333, 0.0)
    """
    useful = 0.0
    total = 0.0
    for rank, verdict in enumerate(verdicts, start=1):
        useful += verdict
        total += verdict * useful / rank
    if norm == "about_found":
        return total / (useful + ABOUT_ZERO)
    return total / useful if useful else 0.0


def entity_recall(reference: Collection[str], found: Collection[str], norm: str = "reference") -> float:
    """The share of the reference's entities that were found, by their exact names; NaN if it has none.

    >>> entity_recall(["Ada", "Rome", "Rome"], ["Rome", "Paris"])
    0.5
    """
    wanted = set(reference)
    hits = len(wanted & set(found))
    if norm == "about_reference":
        return hits / (len(wanted) + ABOUT_ZERO_ENTITIES)
    return hits / len(wanted) if wanted else math.nan


@define(
    "context_precision",
    title="Context precision",
    formula="Σ (useful passages up to the rank / rank) / useful passages, over the ranks of useful passages",
    reference=RAGAS,
    undefined="nothing was retrieved",
    of="judged",
    prompts=(USEFUL,),
    example=JudgedExample(
        "context_precision(against=answer)",
        {
            "question": "Who built it?",
            "answer": "Eiffel's firm.",
            "retrieved_texts": ["Eiffel's firm built it.", "It is 330 m high.", "Eiffel led the firm."],
        },
        [
            {"reason": "It names the builder.", "verdict": True},
            {"reason": "The height is not asked for.", "verdict": False},
            {"reason": "It explains whose firm.", "verdict": True},
        ],
        5 / 6,
        "(1/1 + 2/3) / 2",
    ),
)
def context_precision(
    case: Case, *, against: Against = "reference", norm: Norm = "found", nothing: Nothing = "unjudgeable"
) -> Steps:
    """Whether the useful passages come first; those that were not retrieved do not count."""
    target = case.reference if against == "reference" else case.answer
    if nothing == "zero" and case.record.retrieved_texts == ():
        return Finding(0.0)
    question, contexts = case.question, case.contexts
    replies = yield [USEFUL.ask({"question": question, "answer": target, "context": each}) for each in contexts]
    verdicts = [
        Verdict(first_line(text, SHOWN), float(reply["verdict"]), reply["reason"])
        for text, reply in zip(contexts, replies, strict=True)
    ]
    return Finding(useful_first([float(each.value) for each in verdicts], norm), tuple(verdicts))


@define(
    "context_recall",
    title="Context recall",
    formula="statements of the reference that the retrieved passages support / statements of the reference",
    reference=RAGAS,
    undefined="the reference makes no statement",
    of="judged",
    prompts=(STATEMENTS, SUPPORT),
    example=JudgedExample(
        "context_recall",
        {
            "question": "Who built it, and when?",
            "references": ["Eiffel's firm, in 1889."],
            "retrieved_texts": ["Eiffel's firm built it."],
        },
        [
            {"statements": ["Eiffel's firm built the tower.", "The tower was built in 1889."]},
            {"verdicts": [{"reason": "Stated.", "verdict": True}, {"reason": "No year.", "verdict": False}]},
        ],
        1 / 2,
        "1 of 2 statements of the reference",
    ),
)
def context_recall(case: Case) -> Steps:
    """The share of the reference answer's statements that follow from the retrieved passages."""
    reference, contexts = case.reference, case.contexts
    statements = yield from split_statements(reference, case.record.question)
    return share((yield from check_support(statements, contexts, case.room)), "the reference makes no statement")


@define(
    "context_entity_recall",
    title="Context entity recall",
    formula="entities of the reference that the retrieved passages name / entities of the reference",
    reference=RAGAS,
    undefined="the reference names no entity",
    of="judged",
    prompts=(ENTITIES,),
    example=JudgedExample(
        "context_entity_recall",
        {"references": ["Gustave Eiffel, in Paris."], "retrieved_texts": ["The tower stands in Paris."]},
        [{"entities": ["Gustave Eiffel", "Paris"]}, {"entities": ["Paris"]}],
        1 / 2,
        "Paris, of Gustave Eiffel and Paris",
    ),
)
def context_entity_recall(case: Case, *, norm: EntityNorm = "reference") -> Steps:
    """The share of the entities in the reference answer that the retrieved passages name too."""
    reference, contexts = case.reference, case.contexts
    wanted = yield from list_entities([reference], case.room)
    found = yield from list_entities(contexts, case.room)
    verdicts = tuple(Verdict(name, float(name in found)) for name in wanted)
    return Finding(entity_recall(wanted, found, norm), verdicts, "the reference names no entity")


def list_entities(texts: Sequence[str], room: float) -> Asking:
    """The different entities that texts name, in order; texts that do not fit into a request are split."""
    names: list[str] = []
    for pack in packs(texts, room):
        reply = yield ENTITIES.ask({"text": "\n".join(pack)})
        names += [name.strip() for name in reply["entities"] if name.strip()]
    return list(dict.fromkeys(names))
