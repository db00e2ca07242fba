"""Similarity of embeddings: of answer and reference, and of the question and those that the answer would answer."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Annotated, Literal

import numpy as np

from assay.core.measure import cites, computes, judged_example, undefined_if
from assay.core.parameter import Bounds
from assay.core.ruling import Asking, Embed, Finding, Steps, Verdict
from assay.measures.judged.case import RAGAS, Case, define_judged, prompt

Strictness = Annotated[int, Bounds(low=1, high=20), "how many questions are generated from the answer"]
Threshold = Annotated[
    float | None, Bounds(low=-1, high=1), "the score is 1 from here on, else 0; without it, the similarity itself"
]
Method = Annotated[
    Literal["questions", "points"],
    "questions are generated from the answer and compared with the one that was asked, as in ragas; or the judge gives "
    "a point for the subject and one for the focus, as in LlamaIndex",
]

QUESTIONS = prompt("questions_answered", {"questions": [{"question": str, "noncommittal": bool}]})("""\
Write questions that the answer would be a complete reply to, as different from one another as the answer allows. Use
only the answer. For each say whether the answer is noncommittal: true if it evades, is vague or says that it does not
know, false if it commits itself.""")
POINTS = prompt("answer_points", {"reason": str, "subject": bool, "focus": bool})("""\
Decide two things about the answer to the question. subject: true if the answer is about what the question asks about.
focus: true if it addresses the aspect or the point of view from which the question asks. Whether the answer is right
does not matter.""")


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors; NaN if one is zero."""
    first, second = np.asarray(one, dtype=np.float64), np.asarray(other, dtype=np.float64)
    size = float(np.linalg.norm(first) * np.linalg.norm(second))
    return float(np.clip(first @ second / size, -1.0, 1.0)) if size and math.isfinite(size) else math.nan


def similarity_of(answer: str, references: Sequence[str]) -> Asking:
    """The similarity of the answer and the nearest reference."""
    vectors = yield Embed((answer, *references))
    values = [cosine(vectors[0], each) for each in vectors[1:]]
    return max((each for each in values if not math.isnan(each)), default=math.nan)


@define_judged("answer_relevancy", title="Answer relevancy", range=(-1, 1), prompts=(QUESTIONS, POINTS))
@computes("mean over generated questions of cosine(question, generated); 0 if the answer is noncommittal each time")
@undefined_if("an embedding is zero")
@cites(RAGAS)
@judged_example(
    "answer_relevancy(strictness=2)",
    {"question": "Who built it?", "answer": "Eiffel's firm built it."},
    [
        {
            "questions": [
                {"question": "Who built it?", "noncommittal": False},
                {"question": "What did Eiffel's firm build?", "noncommittal": False},
            ]
        },
        [[1.0, 0.0], [1.0, 0.0], [0.6, 0.8]],
    ],
    0.8,
    "(1 + 0.6) / 2",
)
def answer_relevancy(case: Case, *, strictness: Strictness = 3, method: Method = "questions") -> Steps:
    """Whether the answer replies to the question; whether it is right does not matter."""
    question, answer = case.question, case.answer
    if method == "points":
        reply = yield POINTS.ask({"question": question, "answer": answer})
        verdicts = tuple(Verdict(name, float(reply[name]), reply["reason"]) for name in ("subject", "focus"))
        return Finding(sum(float(each.value) for each in verdicts) / len(verdicts), verdicts)
    reply = yield QUESTIONS.ask({"answer": answer}, count=strictness)
    asked = [each["question"] for each in reply["questions"]]
    vectors = yield Embed((question, *asked))
    similarities = [cosine(vectors[0], each) for each in vectors[1:]]
    evasive = [each["noncommittal"] for each in reply["questions"]]
    verdicts = tuple(
        Verdict(text, value, "noncommittal" if is_evasive else "")
        for text, value, is_evasive in zip(asked, similarities, evasive, strict=True)
    )
    score = 0.0 if all(evasive) else math.fsum(similarities) / len(similarities)
    return Finding(score, verdicts, "an embedding is zero")


@define_judged("semantic_similarity", title="Semantic similarity", range=(-1, 1))
@computes("cosine of the embeddings of answer and reference; the nearest of several references")
@undefined_if("an embedding is zero")
@cites("Risch et al. 2021, Semantic Answer Similarity for Evaluating Question Answering Models")
@judged_example(
    "semantic_similarity",
    {"answer": "Eiffel's firm.", "references": ["The firm of Gustave Eiffel."]},
    [[[1.0, 0.0], [3.0, 4.0]]],
    0.6,
    "(1 · 3 + 0 · 4) / (1 · 5)",
)
def semantic_similarity(case: Case, *, threshold: Threshold = None) -> Steps:
    """How near answer and reference are to the embedder; no judge is asked."""
    value = yield from similarity_of(case.answer, case.references)
    verdict = Verdict("similarity of answer and reference", value)
    score = value if threshold is None or math.isnan(value) else float(value >= threshold)
    return Finding(score, (verdict,), "an embedding is zero")
