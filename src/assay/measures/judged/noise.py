"""Noise sensitivity: wrong statements of the answer that come from the retrieved passages.

    relevant:    mean over statements i of  ¬c_i ∧ ∃j (rel_j ∧ A_ij)
    irrelevant:  mean over statements i of  ¬c_i ∧ ∃j (¬rel_j ∧ A_ij) ∧ ¬∃j (rel_j ∧ A_ij)

c_i: the reference supports statement i; A_ij: passage j supports it; rel_j: passage j supports some statement of the
reference.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

from assay.core.measure import JudgedExample, define
from assay.core.ruling import Finding, Steps, Verdict
from assay.core.text import first_line
from assay.measures.judged.case import Case
from assay.measures.judged.contexts import SHOWN
from assay.measures.judged.statements import STATEMENTS, SUPPORT, check_support, split_statements

NoiseMode = Annotated[
    Literal["relevant", "irrelevant"],
    "wrong statements that come from passages with something of the reference, or only from other passages",
]


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
        columns.append((yield from check_support(statements, [context], case.room)))
        covered = yield from check_support(wanted, [context], case.room)
        relevant.append(any(each.value for each in covered))
    support = [[bool(column[row].value) for column in columns] for row in range(len(statements))]
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
