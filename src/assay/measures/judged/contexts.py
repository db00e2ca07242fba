"""Passages, judged: how many of the useful ones come first, what they contain of a reference, and what they mislead to.

    context_precision = Σ v_i · (v_1 + … + v_i) / i  /  Σ v_i      v_i is 1 if passage i was useful, else 0
    noise_sensitivity, from relevant passages:    mean over statements i of  ¬c_i ∧ ∃j (rel_j ∧ A_ij)
    noise_sensitivity, from irrelevant passages:  mean of  ¬c_i ∧ ∃j (¬rel_j ∧ A_ij) ∧ ¬∃j (rel_j ∧ A_ij)

c_i: the reference supports statement i of the answer; A_ij: passage j supports it; rel_j: passage j supports some
statement of the reference. Es et al. 2024, RAGAS: Automated Evaluation of Retrieval Augmented Generation.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Annotated, Literal

from assay.core.measure import JudgedExample, define
from assay.core.ruling import Asking, Finding, Prompt, Steps, Verdict
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
NoiseMode = Annotated[
    Literal["relevant", "irrelevant"],
    "wrong statements that come from passages with something of the reference, or only from other passages",
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
    useful = total = 0.0
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
    size = len(wanted) + (ABOUT_ZERO_ENTITIES if norm == "about_reference" else 0)
    return len(wanted & set(found)) / size if size else math.nan


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


def noisy_statements(
    is_right: Sequence[bool],
    support: Sequence[Sequence[bool]],
    is_relevant: Sequence[bool],
    mode: str = "relevant",
) -> list[bool]:
    """Which statements are wrong because of a passage. `support` has one row per statement, one column per passage.

    >>> noisy_statements([False, True], [[True, False], [True, True]], [True, False])
    [True, False]
    """
    found = []
    for right, row in zip(is_right, support, strict=True):
        from_relevant = any(each and relevant for each, relevant in zip(row, is_relevant, strict=True))
        from_others = any(each and not relevant for each, relevant in zip(row, is_relevant, strict=True))
        cause = from_relevant if mode == "relevant" else from_others and not from_relevant
        found.append(cause and not right)
    return found


@define(
    "noise_sensitivity",
    title="Noise sensitivity",
    formula="statements of the answer that the reference does not support and a relevant (or only an irrelevant) "
    "passage does / statements of the answer",
    reference="Ru et al. 2024, RAGChecker: A Fine-grained Framework for Diagnosing RAG; ragas 0.4.3, NoiseSensitivity",
    undefined="the answer or the reference makes no statement",
    higher_is_better=False,
    of="judged",
    prompts=(STATEMENTS, SUPPORT),
    example=JudgedExample(
        "noise_sensitivity",
        {
            "question": "When was it built?",
            "answer": "In 1889, of wood.",
            "references": ["In 1889."],
            "retrieved_texts": ["Built in 1889, some say of wood.", "Ships were built of wood."],
        },
        [
            {"statements": ["It was built in 1889.", "It was built of wood."]},
            {"statements": ["It was built in 1889."]},
            {"verdicts": [{"reason": "Stated.", "verdict": True}, {"reason": "Not stated.", "verdict": False}]},
            {"verdicts": [{"reason": "Stated.", "verdict": True}, {"reason": "Some say so.", "verdict": True}]},
            {"verdicts": [{"reason": "Stated.", "verdict": True}]},
            {"verdicts": [{"reason": "No.", "verdict": False}, {"reason": "That is ships.", "verdict": False}]},
            {"verdicts": [{"reason": "No year.", "verdict": False}]},
        ],
        1 / 2,
        "of 2 statements, wood is wrong and comes from passage 1, which has the year of the reference",
    ),
)
def noise_sensitivity(case: Case, *, mode: NoiseMode = "relevant") -> Steps:
    """The share of the answer's statements that are wrong because a retrieved passage says so."""
    answer, reference, contexts = case.answer, case.reference, case.contexts
    statements = yield from split_statements(answer, case.record.question)
    wanted = yield from split_statements(reference, case.record.question)
    if not statements or not wanted:
        return Finding(math.nan, (), f"the {'answer' if not statements else 'reference'} makes no statement")
    right = yield from check_support(statements, [reference], case.room, "the reference")
    columns, relevant = [], []
    for context in contexts:
        found = yield from check_support(statements, [context], case.room)
        columns.append([bool(each.value) for each in found])
        covered = yield from check_support(wanted, [context], case.room)
        relevant.append(any(each.value for each in covered))
    support = list(zip(*columns, strict=True))
    noisy = noisy_statements([bool(each.value) for each in right], support, relevant, mode)
    causes = [
        [each and is_relevant == (mode == "relevant") for each, is_relevant in zip(row, relevant, strict=True)]
        for row in support
    ]
    sources = [first_line(contexts[row.index(True)], SHOWN) if any(row) else "" for row in causes]
    verdicts = tuple(
        Verdict(each.subject, float(is_noisy), each.reason, source)
        for each, is_noisy, source in zip(right, noisy, sources, strict=True)
    )
    return Finding(sum(noisy) / len(noisy), verdicts)
