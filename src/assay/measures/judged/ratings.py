"""Ratings of whole texts: how relevant, grounded, accurate or correct, on a few levels.

Two ratings by differently worded prompts are averaged, as in ragas: (r_1 + r_2) / 2, each from 0 to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal

from assay.core.measure import cites, computes, judged_example
from assay.core.parameter import Bounds
from assay.core.ruling import Asking, Finding, JudgeFailure, Prompt, Reply, RulingKind, Scale, Steps, Verdict
from assay.measures.judged.case import VERDICT, Case, define_judged, one_verdict, packs, prompt, said, within, yes

LEVELS = Scale(0, 2)
LOW, HIGH = 1, 5
RATING = {"reason": str, "rating": LEVELS}
REQUIRED = (RulingKind.UNJUDGEABLE, RulingKind.NOT_ASKED)
# On what a rating is, the prompt, and the texts that it shows beside the contexts.
RatingAsked = tuple[str, Prompt, Mapping[str, str]]

Either = Annotated[bool, "one of the two ratings is enough if the judge fails on the other, as in ragas"]
RelevanceMethod = Annotated[
    Literal["ratings", "points"],
    "the mean of two ratings, as in ragas; or two points for the subject and two for sufficiency, as in LlamaIndex",
]
PassingGrade = Annotated[
    float | None, Bounds(low=LOW, high=HIGH), "the score is 1 from this grade on, else 0; without it, the grade itself"
]

CONTEXT_RELEVANCE = (
    prompt("context_relevance_1", RATING)("""\
Rate how much the contexts help to answer the question: 2 if they contain what is needed for a full answer, 1 if they
contain part of it, 0 if they contain nothing of it. Use only the contexts, no knowledge of your own."""),
    prompt("context_relevance_2", RATING)("""\
Someone has to answer the question from the contexts alone. Say how far they would get: 0 nowhere, as the contexts are
about something else or beside the point; 1 part of the way; 2 all the way. Do not answer the question yourself."""),
)
GROUNDEDNESS = (
    prompt("groundedness_1", RATING)("""\
Rate how far the contexts support the answer: 2 if everything that it says follows from them, 1 if only a part does, 0
if nothing does or they contradict it. Use only the contexts, no knowledge of your own."""),
    prompt("groundedness_2", RATING)("""\
Check each claim of the answer against the contexts as its only source. Reply 0 if no claim can be found there, 1 if
some claims can, 2 if all of them can. That a claim is true elsewhere does not count."""),
)
ACCURACY = (
    prompt("accuracy_1", RATING)("""\
Rate how well the answer to the question agrees with the reference, which is right: 2 if it says the same, in whatever
words, 1 if it says a part of it and nothing that contradicts it, 0 if it says something else or contradicts it."""),
    prompt("accuracy_2", RATING)("""\
Two answers to a question are compared. Reply 2 if the second means the same as the first, 1 if one of them contains a
part of the other and they do not disagree, 0 if they disagree or have nothing in common."""),
)
CONTEXT_POINTS = prompt("context_points", {"reason": str, "subject": float, "sufficiency": float})("""\
Rate the contexts for the question, with 0 to 2 points for each of two things; parts of a point are allowed. subject:
the contexts are about what the question asks about. sufficiency: they alone are enough to answer it in full.""")
RELEVANCY = prompt("relevancy", VERDICT)("""\
Decide whether the answer replies to the question and agrees with the contexts: true if it does both, false if it misses
the question or says something that is not in the contexts.""")
CORRECTNESS = prompt("correctness", {"reason": str, "grade": float})("""\
Grade the answer to the question from 1 to 5; half grades are allowed. 1: it misses the question. 2 or 3: it is about
the question but wrong in something that matters. 4: it is right, with small gaps or slips. 5: it is fully right. If
there is a reference, it is right; judge the answer against it, by content and not by wording.""")


def best_reply(task: Prompt, texts: Mapping[str, str], contexts: Sequence[str], room: float, field: str) -> Asking:
    """The reply with the best value of a field, over the contexts in as few requests as they fit into."""
    best: Reply | None = None
    for pack in packs(contexts, room - sum(map(len, texts.values()))):
        reply = yield task.ask({**texts, "context": pack})
        best = reply if best is None or reply[field] > best[field] else best
    return best


def rate_twice(case: Case, asked: Sequence[RatingAsked], contexts: Sequence[str], *, either: bool) -> Steps:
    """The mean of two ratings, from 0 to 1. With `either`, one that the judge failed on is left out."""
    verdicts: list[Verdict] = []
    for subject, task, texts in asked:
        try:
            reply = yield from best_reply(task, texts, contexts, case.room, "rating")
        except JudgeFailure as failure:
            if not either or failure.kind in REQUIRED or (task is asked[-1][1] and not verdicts):
                raise
        else:
            verdicts.append(Verdict(subject, float(reply["rating"]), reply["reason"]))
    return Finding(sum(float(each.value) / LEVELS.high for each in verdicts) / len(verdicts), tuple(verdicts))


@define_judged("context_relevance", title="Context relevance", prompts=(*CONTEXT_RELEVANCE, CONTEXT_POINTS))
@computes("(r1 + r2) / 4, two ratings of the retrieved passages from 0 to 2")
@cites("ragas 0.4.3, ContextRelevance (NVIDIA); LlamaIndex core 0.14, ContextRelevancyEvaluator (points)")
@judged_example(
    "context_relevance",
    {"question": "Who built it, and when?", "retrieved_texts": ["Eiffel's firm built it."]},
    [said("No year.", rating=1), said("It names the builder.", rating=2)],
    0.75,
    "(1 + 2) / 4",
)
def context_relevance(case: Case, *, method: RelevanceMethod = "ratings", either: Either = False) -> Steps:
    """Whether the retrieved passages contain what the question asks for."""
    texts, contexts = {"question": case.question}, case.contexts
    if method == "ratings":
        asked = [("the contexts", each, texts) for each in CONTEXT_RELEVANCE]
        return (yield from rate_twice(case, asked, contexts, either=either))
    best = {name: Verdict(name, 0.0) for name in ("subject", "sufficiency")}
    for pack in packs(contexts, case.room - sum(map(len, texts.values()))):
        reply = yield CONTEXT_POINTS.ask({**texts, "context": pack})
        for name, known in best.items():
            if (value := within(reply[name], 0, 2, name)) >= float(known.value):
                best[name] = Verdict(name, value, reply["reason"])
    return Finding(sum(float(each.value) for each in best.values()) / 4, tuple(best.values()))


@define_judged("groundedness", title="Groundedness", prompts=GROUNDEDNESS)
@computes("(r1 + r2) / 4, two ratings from 0 to 2 of how far the retrieved passages support the answer")
@cites("ragas 0.4.3, ResponseGroundedness (NVIDIA)")
@judged_example(
    "groundedness",
    {"answer": "Eiffel's firm, in 1889.", "retrieved_texts": ["Eiffel's firm built it."]},
    [said("No year.", rating=1), said("Only the firm.", rating=1)],
    0.5,
    "(1 + 1) / 4",
)
def groundedness(case: Case, *, either: Either = False) -> Steps:
    """Whether the retrieved passages support the answer as a whole."""
    texts, contexts = {"answer": case.answer}, case.contexts
    asked = [("the answer", each, texts) for each in GROUNDEDNESS]
    return (yield from rate_twice(case, asked, contexts, either=either))


@define_judged("answer_accuracy", title="Answer accuracy", prompts=ACCURACY)
@computes("(r1 + r2) / 4, two ratings from 0 to 2; in the second one answer and reference change places")
@cites("ragas 0.4.3, AnswerAccuracy (NVIDIA)")
@judged_example(
    "answer_accuracy",
    {"question": "When?", "answer": "In 1889.", "references": ["In March 1889."]},
    [said("No month.", rating=1), said("The same year.", rating=2)],
    0.75,
    "(1 + 2) / 4",
)
def answer_accuracy(case: Case, *, either: Either = False) -> Steps:
    """Whether answer and reference agree, rated from both sides."""
    question, answer, reference = case.question, case.answer, case.reference
    first, second = ACCURACY
    asked = [
        ("the answer", first, {"question": question, "answer": answer, "reference": reference}),
        ("the reference", second, {"question": question, "first": reference, "second": answer}),
    ]
    return (yield from rate_twice(case, asked, (), either=either))


@define_judged("relevancy", title="Relevancy", prompts=(RELEVANCY,), draws="majority")
@computes(
    "1 if the answer replies to the question and agrees with the retrieved passages, else 0; of several draws, "
    "what most say"
)
@cites("LlamaIndex core 0.14, RelevancyEvaluator")
@judged_example(
    "relevancy",
    {"question": "Who?", "answer": "Eiffel's firm.", "retrieved_texts": ["Eiffel's firm built it."]},
    [yes("It says who, as the context does.")],
    1.0,
    "the verdict is yes",
)
def relevancy(case: Case) -> Steps:
    """Whether question, answer and retrieved passages are in line with each other."""
    texts, contexts = {"question": case.question, "answer": case.answer}, case.contexts
    reply = yield from best_reply(RELEVANCY, texts, contexts, case.room, "verdict")
    return one_verdict(float(reply["verdict"]), reply["reason"])


@define_judged("correctness", title="Correctness", range=(0, HIGH), usual_range=(LOW, HIGH), prompts=(CORRECTNESS,))
@computes("the judge's grade of the answer, from 1 to 5")
@cites("LlamaIndex core 0.14, CorrectnessEvaluator")
@judged_example(
    "correctness",
    {"question": "When?", "answer": "Around 1889.", "references": ["In March 1889."]},
    [said("Right, but vague.", grade=4)],
    4.0,
    "the grade; correctness(threshold=4) is 1, as it passes",
)
def correctness(case: Case, *, threshold: PassingGrade = None) -> Steps:
    """How right the answer is, by a reference if there is one."""
    texts = {"question": case.question, "answer": case.answer}
    if case.record.references and case.record.references[0].strip():
        texts["reference"] = case.reference
    reply = yield CORRECTNESS.ask(texts)
    grade = within(reply["grade"], LOW, HIGH, "grade")
    score = grade if threshold is None else float(grade >= threshold)
    return Finding(score, (Verdict("the answer", grade, reply["reason"]),))
