"""Passages, judged: how many of the useful ones come first, what they contain of a reference, and what they mislead to.

    context_precision = Σ v_i · (v_1 + … + v_i) / i  /  Σ v_i      v_i is 1 if passage i was useful, else 0
    noise_sensitivity, from relevant passages:    mean over statements i of  ¬c_i ∧ ∃j (rel_j ∧ A_ij)
    noise_sensitivity, from irrelevant passages:  mean of  ¬c_i ∧ ∃j (¬rel_j ∧ A_ij) ∧ ¬∃j (rel_j ∧ A_ij)

c_i: the reference supports statement i of the answer; A_ij: passage j supports it; rel_j: passage j supports some
statement of the reference. Es et al. 2024, RAGAS: Automated Evaluation of Retrieval Augmented Generation.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

from assay.core.measure import cites, computes, judged_example, undefined_if
from assay.core.ruling import Asking, Finding, Steps, Verdict
from assay.core.text import first_line
from assay.measures.judged.case import RAGAS, VERDICT, Case, define_judged, no, packs, prompt, yes
from assay.measures.judged.statements import STATEMENTS, SUPPORT, check_support, share, split_statements

ABOUT_ZERO = 1e-10
ABOUT_ZERO_ENTITIES = 1e-8
SHOWN = 120

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
    Literal["unjudgeable", "zero"], "what a question has for which nothing was retrieved: no score, or 0 as in ragas"
]
EntityNorm = Annotated[
    Literal["reference", "about_reference"],
    "the divisor: the entities of the reference, or these plus 1e-8 as in ragas, so that a reference without any is 0",
]
NoiseMode = Annotated[
    Literal["relevant", "irrelevant"],
    "wrong statements that come from passages with something of the reference, or only from other passages",
]

USEFUL = prompt("useful", VERDICT)("""\
Decide whether the context was useful for arriving at the answer to the question: true if it contains information that
the answer uses or that is needed for it, false if it does not, even if it is about the same topic. Take the answer as
given; whether it is right does not matter.""")
ENTITIES = prompt("entities", {"entities": [str]})("""\
List the entities that the text names: people, organisations, places, works, products, events, dates and amounts. Write
each once, by the name that the text uses and without articles. Add nothing that the text does not name.""")


@define_judged("context_precision", title="Context precision", prompts=(USEFUL,))
@computes("Σ (useful passages up to the rank / rank) / useful passages, over the ranks of useful passages")
@undefined_if("nothing was retrieved")
@cites(RAGAS)
@judged_example(
    "context_precision(against=answer)",
    {
        "question": "Who built it?",
        "answer": "Eiffel's firm.",
        "retrieved_texts": ["Eiffel's firm built it.", "It is 330 m high.", "Eiffel led the firm."],
    },
    [yes("It names the builder."), no("The height is not asked for."), yes("It explains whose firm.")],
    5 / 6,
    "(1/1 + 2/3) / 2",
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
    verdicts, useful, total = [], 0.0, 0.0
    for rank, (text, reply) in enumerate(zip(contexts, replies, strict=True), start=1):
        value = float(reply["verdict"])
        useful += value
        total += value * useful / rank
        verdicts.append(Verdict(first_line(text, SHOWN), value, reply["reason"]))
    score = total / (useful + ABOUT_ZERO) if norm == "about_found" else total / useful if useful else 0.0
    return Finding(score, tuple(verdicts))


@define_judged("context_recall", title="Context recall", prompts=(STATEMENTS, SUPPORT))
@computes("statements of the reference that the retrieved passages support / statements of the reference")
@undefined_if("the reference makes no statement")
@cites(RAGAS)
@judged_example(
    "context_recall",
    {
        "question": "Who built it, and when?",
        "references": ["Eiffel's firm, in 1889."],
        "retrieved_texts": ["Eiffel's firm built it."],
    },
    [
        {"statements": ["Eiffel's firm built the tower.", "The tower was built in 1889."]},
        {"verdicts": [yes("Stated."), no("No year.")]},
    ],
    1 / 2,
    "1 of 2 statements of the reference",
)
def context_recall(case: Case) -> Steps:
    """The share of the reference answer's statements that follow from the retrieved passages."""
    reference, contexts = case.reference, case.contexts
    statements = yield from split_statements(reference, case.record.question)
    return share((yield from check_support(statements, contexts, case.room)), "the reference makes no statement")


@define_judged("context_entity_recall", title="Context entity recall", prompts=(ENTITIES,))
@computes("entities of the reference that the retrieved passages name / entities of the reference")
@undefined_if("the reference names no entity")
@cites(RAGAS)
@judged_example(
    "context_entity_recall",
    {"references": ["Gustave Eiffel, in Paris."], "retrieved_texts": ["The tower stands in Paris."]},
    [{"entities": ["Gustave Eiffel", "Paris"]}, {"entities": ["Paris"]}],
    1 / 2,
    "Paris, of Gustave Eiffel and Paris",
)
def context_entity_recall(case: Case, *, norm: EntityNorm = "reference") -> Steps:
    """The share of the entities in the reference answer that the retrieved passages name too."""
    reference, contexts = case.reference, case.contexts
    wanted = yield from list_entities([reference], case.room)
    found = yield from list_entities(contexts, case.room)
    verdicts = tuple(Verdict(name, float(name in found)) for name in wanted)
    size = len(wanted) + (ABOUT_ZERO_ENTITIES if norm == "about_reference" else 0)
    score = sum(float(each.value) for each in verdicts) / size if size else math.nan
    return Finding(score, verdicts, "the reference names no entity")


def list_entities(texts: Sequence[str], room: float) -> Asking:
    """The different entities that texts name, in order; texts that do not fit into a request are split."""
    names: list[str] = []
    for pack in packs(texts, room):
        reply = yield ENTITIES.ask({"text": "\n".join(pack)})
        names += [name.strip() for name in reply["entities"] if name.strip()]
    return list(dict.fromkeys(names))


@define_judged("noise_sensitivity", title="Noise sensitivity", higher_is_better=False, prompts=(STATEMENTS, SUPPORT))
@computes(
    "statements of the answer that the reference does not support and a relevant (or only an irrelevant) "
    "passage does / statements of the answer"
)
@undefined_if("the answer or the reference makes no statement")
@cites("Ru et al. 2024, RAGChecker: A Fine-grained Framework for Diagnosing RAG; ragas 0.4.3, NoiseSensitivity")
@judged_example(
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
        {"verdicts": [yes("Stated."), no("Not stated.")]},
        {"verdicts": [yes("Stated."), yes("Some say so.")]},
        {"verdicts": [yes("Stated.")]},
        {"verdicts": [no("No."), no("That is ships.")]},
        {"verdicts": [no("No year.")]},
    ],
    1 / 2,
    "of 2 statements, wood is wrong and comes from passage 1, which has the year of the reference",
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
    verdicts = []
    for each, row in zip(right, zip(*columns, strict=True), strict=True):
        passages = zip(contexts, relevant, row, strict=True)
        supporting = [(context, is_good) for context, is_good, is_stated in passages if is_stated]
        causes = [context for context, is_good in supporting if is_good == (mode == "relevant")]
        # What a relevant passage says too does not come from the others alone.
        is_told = mode == "relevant" or not any(is_good for _, is_good in supporting)
        is_noisy = bool(causes) and is_told and not each.value
        source = first_line(causes[0], SHOWN) if causes else ""
        verdicts.append(Verdict(each.subject, float(is_noisy), each.reason, source))
    return Finding(sum(float(each.value) for each in verdicts) / len(verdicts), tuple(verdicts))
