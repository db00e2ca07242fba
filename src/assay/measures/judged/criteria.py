"""Criteria in words: an aspect, a guideline, a rubric of levels, and G-Eval.

    aspect(criterion="Is the answer polite?")      guideline(criterion="Answers in one sentence.")

Longer ones get a name of their own: `assay.judges.read_criteria`. Liu et al. 2023, G-Eval: NLG Evaluation using GPT-4
with Better Human Alignment: the score is Σ s · p(s) / Σ p(s), where the server tells the probabilities of the levels.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple

from assay.core.errors import MeasureError
from assay.core.measure import Definition, cites, computes, judged_example
from assay.core.ruling import Prompt, Reply, Scale, Steps
from assay.core.text import show
from assay.measures.judged.case import VERDICT, Case, define_judged, no, one_verdict, prompt, said, yes

Criterion = Annotated[str, "what is judged, in words"]
LevelTexts = Annotated[str, "what each level means, as in 1: says nothing; 2: says a part; 3: says it all"]
See = Annotated[
    Literal["answer", "reference", "contexts", "all"],
    "what the judge sees beside question and answer: nothing, the reference, the retrieved passages, or both",
]
SCALE = Scale(1, 5)
MOST_DEFINED = 10_000
LEVEL = re.compile(r"\s*(-?\d{1,4})\s*:\s*(.*\S)\s*")

ASPECT = prompt("aspect", VERDICT)("""\
Decide whether the criterion holds for the answer: true if it does, false if it does not. If the criterion is a question
about the answer, true means yes. Judge this criterion and nothing else.""")
GUIDELINE = prompt("guideline", VERDICT)("""\
Decide whether the answer follows the guideline: true if it follows it in every part, false if it breaks any. Say in the
reason what would have to change. Judge this guideline and nothing else.""")
RUBRIC = prompt("rubric", {"reason": str, "level": SCALE})("""\
Rate the answer by the rubric, which says what each level means. Choose the level whose description fits best; between
two, the lower one. Judge by the rubric and nothing else.""")
EVALUATION_STEPS = prompt("evaluation_steps", {"steps": [str]})("""\
A criterion says how answers of a system are to be rated. Write the steps, three to five, by which a rater goes from
reading an answer to a score from 1 (worst) to 5 (best) by this criterion. Each step is one sentence.""")
EVALUATION = prompt("evaluation", {"reason": str, "score": SCALE})("""\
Rate the answer by the criterion, following the steps: a whole number from 1 (worst) to 5 (best). Judge by the criterion
and nothing else.""")
POLITE = "Is the answer polite?"


def texts_of(case: Case, see: str) -> dict[str, Any]:
    texts: dict[str, Any] = {"question": case.record.question} if case.record.question else {}
    texts["answer"] = case.answer
    if see in ("reference", "all"):
        texts["reference"] = case.reference
    if see in ("contexts", "all"):
        texts["context"] = case.contexts
    return texts


def read_levels(text: str) -> dict[int, str]:
    """The levels of a rubric."""
    found = [LEVEL.fullmatch(part) for part in text.split(";") if part.strip()]
    levels = {int(each[1]): each[2] for each in found if each is not None}
    if len(levels) != len(found):
        raise MeasureError(f'cannot read the levels {show(text)}; write levels="1: says nothing; 2: says it all"')
    return check_levels(levels)


def check_levels(levels: Mapping[int, str]) -> dict[int, str]:
    """The levels in order; they must be at least two whole numbers in a row."""
    order = sorted(levels)
    if len(order) < 2 or order != list(range(order[0], order[-1] + 1)):  # noqa: PLR2004 - two levels
        raise MeasureError(f"the levels of a rubric are whole numbers in a row, such as 1 to 5, not {show(order)}")
    return {level: levels[level] for level in order}


def weighted_score(plain: float, weights: Mapping[str, float], scale: Scale = SCALE) -> float:
    """The mean of the levels by their probabilities; the plain score where they are not known."""
    known = {int(word): share for word, share in weights.items() if word.isascii() and word.isdigit()}
    known = {level: share for level, share in known.items() if scale.low <= level <= scale.high}
    total = math.fsum(known.values())
    return math.fsum(level * share for level, share in known.items()) / total if total > 0 else float(plain)


def judge_verdict(prompt: Prompt, case: Case, criterion: str, see: str) -> Steps:
    reply = yield prompt.ask({prompt.name if prompt is GUIDELINE else "criterion": criterion, **texts_of(case, see)})
    return one_verdict(float(reply["verdict"]), reply["reason"])


def judge_level(case: Case, criterion: str, levels: Mapping[int, str], see: str) -> Steps:
    low, *_, high = levels
    prompt = replace(RUBRIC, reply={"reason": str, "level": Scale(low, high)})
    rubric = "\n".join([*filter(None, [criterion]), *(f"{level}: {text}" for level, text in levels.items())])
    reply = yield prompt.ask({"rubric": rubric, **texts_of(case, see)})
    return one_verdict(float(reply["level"]), reply["reason"])


@define_judged("aspect", title="Aspect", prompts=(ASPECT,), draws="majority")
@computes("1 if the criterion holds for the answer, else 0; of several draws, what most say")
@cites("ragas 0.4.3, AspectCritic")
@judged_example(
    f'aspect(criterion="{POLITE}")',
    {"question": "Who?", "answer": "Look it up."},
    [no("It sends the reader away.")],
    0.0,
    "the verdict is no",
)
def aspect(case: Case, *, criterion: Criterion, see: See = "answer") -> Steps:
    """Whether a criterion in words holds for the answer."""
    return judge_verdict(ASPECT, case, criterion, see)


@define_judged("guideline", title="Guideline", prompts=(GUIDELINE,), draws="majority")
@computes("1 if the answer follows the guideline, else 0; of several draws, what most say")
@cites("LlamaIndex core 0.14, GuidelineEvaluator")
@judged_example(
    'guideline(criterion="Answers in one sentence.")',
    {"question": "Who?", "answer": "Eiffel's firm built it."},
    [yes("It is one sentence.")],
    1.0,
    "the verdict is yes",
)
def guideline(case: Case, *, criterion: Criterion, see: See = "answer") -> Steps:
    """Whether the answer follows a guideline in words."""
    return judge_verdict(GUIDELINE, case, criterion, see)


@define_judged("rubric", title="Rubric", range=(-math.inf, math.inf), prompts=(RUBRIC,))
@computes("the level of the rubric that fits the answer")
@cites(
    "Kim et al. 2024, Prometheus: Inducing Fine-grained Evaluation Capability in Language Models; ragas "
    "0.4.3, RubricsScore"
)
@judged_example(
    'rubric(levels="1: says nothing; 2: says a part; 3: says it all")',
    {"question": "Who, and when?", "answer": "Eiffel's firm."},
    [said("It does not say when.", level=2)],
    2.0,
    "the level",
)
def rubric(case: Case, *, levels: LevelTexts, see: See = "answer") -> Steps:
    """How good the answer is, on levels that are described in words."""
    return judge_level(case, "", read_levels(levels), see)


@define_judged("g_eval", title="G-Eval", range=(1, 5), prompts=(EVALUATION_STEPS, EVALUATION))
@computes("Σ s · p(s) / Σ p(s) over the scores s from 1 to 5; the plain score if the server tells no probabilities p")
@cites("Liu et al. 2023, G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment")
@judged_example(
    'g_eval(criterion="Is the answer coherent?")',
    {"question": "Who?", "answer": "Eiffel's firm built it."},
    [
        {"steps": ["Read the answer.", "Look for breaks.", "Rate it."]},
        Reply(said("It hangs together.", score=5), {"4": 0.2, "5": 0.6}),
    ],
    4.75,
    "(4 · 0.2 + 5 · 0.6) / (0.2 + 0.6); 5 if the server tells no probabilities",
)
def g_eval(case: Case, *, criterion: Criterion, see: See = "answer") -> Steps:
    """A score by a criterion in words, in steps that the judge writes first, weighted by probabilities."""
    texts = texts_of(case, see)
    written = yield EVALUATION_STEPS.ask({"criterion": criterion})
    steps = "\n".join(f"{number}. {step}" for number, step in enumerate(written["steps"], start=1))
    reply = yield EVALUATION.ask({"criterion": criterion, "steps": steps, **texts}, weigh="score")
    return one_verdict(weighted_score(reply["score"], reply.weights), reply["reason"])


class OwnCriterion(NamedTuple):
    """A criterion with a name of its own: what kind of measure it is, its words, its levels, what the judge sees."""

    name: str
    kind: str
    words: str
    levels: tuple[tuple[int, str], ...] = ()
    see: str = "answer"
    higher_is_better: bool = True


@dataclass(frozen=True)
class CriterionDefinition(Definition):
    """The measure of a criterion with a name of its own."""

    criterion: OwnCriterion = field(kw_only=True)

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return criterion_definition, (self.criterion,)


@lru_cache(maxsize=MOST_DEFINED)
def criterion_definition(criterion: OwnCriterion) -> Definition:
    """The measure of a criterion. It is created once, so that equal criteria are equal measures."""
    name, kind, words, levels, see, higher_is_better = criterion
    base = KINDS[kind]

    def judge_criterion(case: Case) -> Steps:
        if kind == "rubric":
            return judge_level(case, words, dict(levels), see)
        steps: Steps = base.function(case, criterion=words, see=see)
        return steps

    judge_criterion.__doc__ = "; ".join([words, *(f"{level}: {text}" for level, text in levels)])
    digest = hashlib.sha256(repr((kind, words, levels, see)).encode()).hexdigest()[:8]
    return CriterionDefinition(
        name,
        judge_criterion,
        name,
        base.formula,
        range=(float(levels[0][0]), float(levels[-1][0])) if levels else base.range,
        of="judged",
        prompts=base.prompts,
        draws=base.draws,
        higher_is_better=higher_is_better,
        basis=lambda: f"{', '.join(map(str, base.prompts))}, criterion {digest}",
        criterion=criterion,
    )


KINDS = {"aspect": aspect, "guideline": guideline, "rubric": rubric, "g_eval": g_eval}
