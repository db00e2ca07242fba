"""Nuggets: the facts that a good answer contains, and how many of them it supports.

    all = Σ s / n      vital = Σ_vital s / n_vital      weighted = (Σ_vital s + ½ Σ_okay s) / (n_vital + ½ n_okay)

s is 1 for support, ½ for partial support (strict: 0), 0 for none. Pradeep et al. 2024, Initial Nugget Evaluation
Results for the TREC 2024 RAG Track with the AutoNuggetizer Framework.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Literal, NamedTuple

from assay.core.measure import cites, computes, judged_example, undefined_if
from assay.core.ruling import Asking, Finding, Steps, Verdict, unjudgeable
from assay.core.text import show
from assay.measures.judged.case import Case, define_judged, packs, prompt, said

MOST = 30
WINDOW = 10
IMPORTANCE = ("vital", "okay")
SUPPORTED = {"support": 1.0, "partial": 0.5, "none": 0.0}
# What a nugget that is not vital weighs.
OTHERS = {"all": 1.0, "vital": 0.0, "weighted": 0.5}

NuggetScore = Annotated[
    Literal["all", "vital", "weighted"], "which nuggets count: all alike, only vital ones, or the others half as much"
]
Strict = Annotated[bool, "partial support counts as none"]

CREATE = prompt("nuggets_create", {"nuggets": [str]})("""\
List the nuggets of information that a good answer to the question contains: atomic facts of 1 to 12 words each, taken
from the contexts only. Begin with the nuggets that are given, if any: keep them, drop none unless two say the same, and
add what the contexts have beside them. At most 30, the most important first. No nugget repeats the question.""")
LABEL = prompt("nuggets_label", {"labels": [IMPORTANCE]})("""\
For each numbered nugget say how important it is for an answer to the question: vital if a good answer must contain it,
okay if it is good to have but may be missing. Give one label for each nugget, in their order.""")
ASSIGN = prompt("nuggets_assign", {"verdicts": [{"reason": str, "support": tuple(SUPPORTED)}]})("""\
For each numbered nugget say whether the answer contains it: support if it says all of it, in whatever words, partial if
it says a part of it, none if it does not say it or contradicts it. Use only the answer. Give one verdict for each
nugget, in their order.""")


class Nugget(NamedTuple):
    """A fact, and whether an answer must contain it; None if nobody said so."""

    text: str
    is_vital: bool | None = None


def given_nuggets(case: Case) -> list[Nugget]:
    given = (case.record.fields or {}).get("nuggets")
    if given is None:
        return []
    if isinstance(given, str) or not isinstance(given, Sequence):
        raise unjudgeable(f"nuggets must be a list of texts, not {show(given)}")
    found = []
    for each in given:
        fields = each if isinstance(each, Mapping) else {"text": each}
        text, importance = fields.get("text"), fields.get("importance")
        if not isinstance(text, str) or not text.strip():
            raise unjudgeable(f"a nugget is a text, or an object with text and importance, not {show(each)}")
        if importance not in (None, *IMPORTANCE):
            raise unjudgeable(f"the importance of a nugget is vital or okay, not {show(importance)}")
        found.append(Nugget(text.strip(), None if importance is None else importance == IMPORTANCE[0]))
    return found


def create_nuggets(case: Case) -> Asking:
    """Nuggets from the gold passages, else from the references; never from what a system retrieved."""
    sources = [text for text in case.record.gold_texts or case.record.references or () if text.strip()]
    if not sources:
        raise unjudgeable("no nuggets, no texts of gold passages and no reference answer")
    texts: list[str] = []
    for pack in packs(sources, case.room):
        for window in windows(pack):
            shown = {"nugget": texts} if texts else {}
            reply = yield CREATE.ask({"question": case.question, "context": window, **shown})
            texts = list(dict.fromkeys(each.strip() for each in reply["nuggets"] if each.strip()))[:MOST]
    return [Nugget(text) for text in texts]


def windows(items: Sequence[Any]) -> Iterator[Sequence[Any]]:
    return (items[start : start + WINDOW] for start in range(0, len(items), WINDOW))


@define_judged("nuggets", title="Nuggets supported", prompts=(CREATE, LABEL, ASSIGN))
@computes(
    "Σ w · s / Σ w; s is 1 for support, 1/2 for partial support, 0 for none; w is 1, for nuggets that are not "
    "vital 0 (score=vital) or 1/2 (score=weighted)"
)
@undefined_if("there are no nuggets, or no vital ones where only these count")
@cites(
    "Pradeep et al. 2024, Initial Nugget Evaluation Results for the TREC 2024 RAG Track with the "
    "AutoNuggetizer Framework"
)
@judged_example(
    "nuggets(score=weighted)",
    {
        "question": "Who built it, and when?",
        "answer": "Eiffel, in 1889.",
        "nuggets": [
            {"text": "built by Eiffel's firm", "importance": "vital"},
            {"text": "built in 1889", "importance": "vital"},
            {"text": "built for the World's Fair", "importance": "okay"},
        ],
    },
    [
        {
            "verdicts": [
                said("Not his firm.", support="partial"),
                said("Stated.", support="support"),
                said("Not said.", support="none"),
            ]
        }
    ],
    0.6,
    "(1/2 + 1 + 1/2 · 0) / (2 + 1/2)",
)
def nuggets(case: Case, *, score: NuggetScore = "all", strict: Strict = False) -> Steps:
    """How many of the facts that it should contain the answer contains: those in the record, or else the judge's."""
    question, answer = case.question, case.answer
    known = given_nuggets(case) or (yield from create_nuggets(case))
    if score != "all" and any(each.is_vital is None for each in known):
        texts, labels = [each.text for each in known], []
        for window in windows(texts):
            reply = yield LABEL.ask({"question": question, "nugget": window}, count=len(window))
            labels += reply["labels"]
        known = [Nugget(text, label == IMPORTANCE[0]) for text, label in zip(texts, labels, strict=True)]
    verdicts = []
    for window in windows(known):
        shown = {"question": question, "answer": answer, "nugget": [each.text for each in window]}
        reply = yield ASSIGN.ask(shown, count=len(window))
        verdicts += [
            Verdict(each.text, SUPPORTED[said["support"]], said["reason"], IMPORTANCE[0 if each.is_vital else 1])
            for each, said in zip(window, reply["verdicts"], strict=True)
        ]
    weights = [1.0 if each.is_vital else OTHERS[score] for each in known]
    support = [float(each.value == 1 if strict else each.value) for each in verdicts]
    total = math.fsum(weights)
    value = math.fsum(w * s for w, s in zip(weights, support, strict=True)) / total if total else math.nan
    return Finding(value, tuple(verdicts), "no vital nuggets" if verdicts else "no nuggets")
