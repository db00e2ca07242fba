"""`probe`: asks a live retriever every judged question, and scores what it finds."""

from __future__ import annotations

import math
import time
from contextlib import nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, MismatchError, PolicyError
from assay.core.note import Note, NoteKind
from assay.core.progress import Report, heard, unheard
from assay.core.text import count, show, some
from assay.data.keyed_texts import read_keyed_texts
from assay.data.passages import is_number
from assay.data.run import Run
from assay.tasks.evaluate.evaluator import Evaluator
from assay.tasks.probe.asking import Limits, Outcome, Task, ask_all
from assay.tasks.probe.checkpoint import Belongs, Checkpoint, open_checkpoint
from assay.tasks.probe.found import Reading
from assay.tasks.probe.remarks import answer_notes, depth_notes, failure_notes
from assay.tasks.probe.result import Probe
from assay.tasks.probe.retrievers import Retriever, as_retriever, check_named

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping
    from contextlib import AbstractContextManager

    from assay.core.measure import Measure

MOST_AT_A_TIME = 1024
MOST_RETRIES = 100
# So many questions are asked before a search that answers none is given up, or twice as many as are asked at a time.
LEAST_PATIENCE = 20
DEFAULT_MEASURES = ("ndcg@{}", "rr@{}", "recall@{}")


def probe(
    search: object,
    questions: object,
    qrels: object,
    measures: str | Iterable[str | Measure] | None = None,
    *,
    k: int = 10,
    concurrency: int = 8,
    timeout: float | None = 30.0,
    retries: int = 2,
    checkpoint: str | os.PathLike[str] | None = None,
    doc_id: str | None = None,
    name: str | None = None,
    progress: bool | Report = True,
    convention: str = "assay",
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Probe:
    """Asks a live retriever every judged question, and scores what it finds.

    `search` is a function of a question, or a retriever of LangChain, LlamaIndex or haystack; it gives ids, ids with
    scores, or passages, and may be asynchronous. A function with a parameter `k` or `top_k` is given k. `doc_id` says
    where a passage's id stands, such as `metadata.source`.

    >>> import assay
    >>> index = {"who": ["d1", "d7"], "what": ["d2", "d3"]}
    >>> probe = assay.probe(index.get, {"q1": "who", "q2": "what"}, {"q1": ["d1"], "q2": ["d3"]}, ["rr"])
    >>> probe["rr"], probe.failures, probe.run["q2"]
    (0.75, {}, ['d2', 'd3'])

    At most `concurrency` calls are made at a time. One that takes longer than `timeout` seconds is given up (None sets
    no limit), and a failed one is repeated up to `retries` times. A question that fails to the end scores 0 and stands
    in `failures`. With a `checkpoint`, what is answered is written to that file at once; called again, no answered
    question is asked again. A lambda needs a `name` for that. `progress` shows a bar in a terminal, or is a function
    that is told the share done. Without `measures`, nDCG, reciprocal rank and recall at k are computed. Policies are
    those of `assay.evaluate`.
    """
    limits = check_limits(k, concurrency, timeout, retries)
    names = [each.format(k) for each in DEFAULT_MEASURES] if measures is None else measures
    evaluator = Evaluator(qrels, names, convention=convention, **policies)
    retriever = as_retriever(search, k, name)
    if checkpoint is not None and name is None:
        check_named(search)
    asked, notes = choose_questions(read_keyed_texts(questions), evaluator, questions)
    once = "duplicates" not in policies and evaluator.policies.duplicates == "error"
    owner = Belongs(retriever.name, k, asked, [retriever.request, doc_id, once])
    with open_checkpoint(checkpoint, owner) as kept, shown(retriever, progress) as report:
        started = time.perf_counter()
        found = ask(asked, retriever, Reading(k, doc_id, once), limits, kept=kept, report=report)
        asking = Asked(retriever.name, k, {**kept.finished, **found}, len(found), time.perf_counter() - started)
    return assemble(evaluator, list(asked), asking, notes)


class Asked(NamedTuple):
    """What was asked for k documents, what came of each question, and how many were asked in so many seconds."""

    name: str
    k: int
    outcomes: dict[str, Outcome]
    number: int
    elapsed: float


def ask(
    questions: Mapping[str, str],
    retriever: Retriever,
    reading: Reading,
    limits: Limits,
    *,
    kept: Checkpoint,
    report: Report,
) -> dict[str, Outcome]:
    """What came of the questions that the checkpoint does not have; raises early if nothing seems to be answered."""
    left = {query: text for query, text in questions.items() if query not in kept.finished}
    outcomes: dict[str, Outcome] = {}
    patience = max(LEAST_PATIENCE, 2 * limits.concurrency)

    def finish(outcome: Outcome) -> None:
        outcome = outcome._replace(failure=retriever.hide(outcome.failure))
        kept.add(outcome)
        outcomes[outcome.query] = outcome
        if len(outcomes) == patience and not kept.finished and all(each.failure for each in outcomes.values()):
            raise unanswered(questions, outcomes, f"none of the first {patience} questions")
        report((len(kept.finished) + len(outcomes)) / len(questions))

    if left:
        try:
            ask_all(left, Task(retriever.ask, reading.read, finish), limits)
        except KeyboardInterrupt as stop:
            stop.add_note(interrupted(kept, list(outcomes.values()), len(questions)))
            raise
        finally:
            retriever.close()
    return outcomes


def interrupted(kept: Checkpoint, outcomes: list[Outcome], number: int) -> str:
    """How far it came, and what becomes of that."""
    answered = len(kept.finished) + sum(each.answer is not None for each in outcomes)
    said = f"interrupted: {answered:,} of {count(number, 'question')} answered"
    if kept.file is None:
        return f"{said} and not kept; a checkpoint would keep them"
    return f"{said}; called again with the same checkpoint, it goes on from there"


def unanswered(queries: Iterable[str], outcomes: Mapping[str, Outcome], what: str) -> DataError:
    """The error where nothing is answered; which questions were asked by then differs from time to time."""
    first = next(outcomes[query] for query in queries if query in outcomes)
    return DataError(f"{what} was answered; for example {show(first.query)}: {first.failure}")


def shown(retriever: Retriever, progress: bool | Report) -> AbstractContextManager[Report]:
    """Whom to tell how far it is."""
    if callable(progress):
        return nullcontext(progress)
    return heard(f"asking {retriever.name}") if progress else nullcontext(unheard)


def check_limits(k: int, concurrency: int, timeout: float | None, retries: int) -> Limits:
    """The limits of the calls, each as it can be."""
    for name, value, least, most in (
        ("k", k, 1, None),
        ("concurrency", concurrency, 1, MOST_AT_A_TIME),
        ("retries", retries, 0, MOST_RETRIES),
    ):
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or value < least or (most is not None and value > most):
            up_to = f" to {most}" if most else ""
            raise PolicyError(f"{name} must be a whole number from {least}{up_to}, not {show(value)}")
    if timeout is not None and not (is_number(timeout) and math.isfinite(timeout) and timeout > 0):
        raise PolicyError(f"timeout must be a number of seconds above 0, not {show(timeout)}")
    return Limits(concurrency, timeout, retries)


def choose_questions(
    questions: dict[str, str], evaluator: Evaluator, given: object
) -> tuple[dict[str, str], list[Note]]:
    """The questions that have judgments, and notes on the others and on judgments without a question."""
    if isinstance(given, (list, tuple)) and evaluator.listed not in (None, len(given)):
        raise MismatchError(f"the judgments hold {evaluator.listed} queries and there are {len(given)} questions")
    judged = evaluator.qrels
    asked = {query: text for query, text in questions.items() if query in judged}
    if not asked:
        raise MismatchError(
            f"no question has judgments: the questions are {some(list(questions))}, "
            f"the judgments have {some(judged.queries)}"
        )
    notes = []
    if len(asked) < len(questions):
        left = [query for query in questions if query not in asked]
        notes.append(
            Note(NoteKind.UNJUDGED, f"{count(len(left), 'question')} without judgments not asked: {some(left)}")
        )
    unasked = [query for query in judged.queries if query not in asked]
    if unasked:
        said = f"{count(len(unasked), 'query', 'queries')} of the judgments without a question: {some(unasked)}"
        if evaluator.policies.missing == "error":
            raise MismatchError(f'{said}; missing="zero" counts them as empty rankings, "skip" leaves them out')
        notes.append(Note(NoteKind.UNASKED, said))
    return asked, notes


def assemble(evaluator: Evaluator, queries: list[str], asked: Asked, notes: list[Note]) -> Probe:
    """The result of what was found; a question that failed has an empty ranking in it, and none in the run."""
    outcomes = asked.outcomes
    failures = {query: outcomes[query].failure for query in queries if outcomes[query].answer is None}
    answers = {query: answer for query in queries if (answer := outcomes[query].answer) is not None}
    if not answers:
        raise unanswered(queries, outcomes, "no question")
    rankings = {query: answer.ranking for query, answer in answers.items()}
    result = evaluator.evaluate({**rankings, **{query: [] for query in failures}})
    notes = [*failure_notes(failures), *notes, *answer_notes(answers, asked.k), *depth_notes(evaluator, asked.k)]
    result = replace(result, notes=(*notes, *result.notes))
    seconds = {query: outcomes[query].seconds for query in answers}
    run = Run(rankings, tag=asked.name)
    return Probe(result, run, failures, seconds, asked=asked.number, elapsed=asked.elapsed)
