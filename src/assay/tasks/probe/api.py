"""`probe`: asks a live retriever every judged question, and scores what it returns."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from functools import cache
from typing import Any

from assay.conventions import find_convention
from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, MismatchError, PolicyError
from assay.core.id_difference import find_difference
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind, loud_first
from assay.core.policies import check_whole, chunk_policies, count_missing
from assay.core.progress import Report, ignore_progress, progress_bar
from assay.core.text import count, show, some
from assay.data.passages import is_number
from assay.data.qrels import Qrels
from assay.data.records.read import read_records
from assay.data.run import Run
from assay.data.texts import read_texts
from assay.engine.chunks import Chunks
from assay.files.source import is_source
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan
from assay.tasks.evaluate.score import warned
from assay.tasks.probe.ask import Asker, CallLimits, Outcome
from assay.tasks.probe.checkpoint import Checkpoint, CheckpointOwner, open_checkpoint
from assay.tasks.probe.response import LiveRanking, RankingReader
from assay.tasks.probe.result import Probe
from assay.tasks.probe.retrievers import HttpSearch, Retriever, as_retriever, require_name

MOST_CONCURRENT = 1024
MOST_RETRIES = 100
# Questions to ask before giving up on a retriever that answers none of them; at least twice the concurrency.
LEAST_PATIENCE = 20
MEASURES_AT_K = ("ndcg@{}", "rr@{}", "recall@{}")


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
    doc_id: str | Callable[[str], str] | None = None,
    references: object = None,
    name: str | None = None,
    progress: bool | Report = True,
    convention: str = "assay",
    **policies: Any,  # noqa: ANN401 - checked by name
) -> Probe:
    """Asks a live retriever every judged question, and scores what it returns.

    `search` is a function of a question, or a retriever of LangChain, LlamaIndex or haystack; it returns ids, ids with
    scores, or passages, and may be asynchronous. A function with a parameter `k` or `top_k` is given k. `doc_id` is a
    rule that finds the document of a retrieved chunk: a field such as `metadata.source`, `before:#`, a regular
    expression or a function. The best chunk of a document counts; `chunks` sets another policy.

    >>> import assay
    >>> index = {"who": ["d1", "d7"], "what": ["d2", "d3"]}
    >>> probe = assay.probe(index.get, {"q1": "who", "q2": "what"}, {"q1": ["d1"], "q2": ["d3"]}, ["rr"])
    >>> probe["rr"], probe.failures, probe.run["q2"]
    (0.75, {}, ['d2', 'd3'])

    A system that answers returns a dict with `answer` and `contexts`, or a pair of these. `records` has what it did,
    with the gold documents and the `references`, the right answers by question id, ready for `assay.evaluate_rag`.

    >>> probe = assay.probe(
    ...     lambda question: {"answer": "in 2023", "contexts": [{"id": "d1", "text": "It was 2023."}]},
    ...     {"q1": "when"}, {"q1": ["d1"]}, ["rr"], references={"q1": "2023"},
    ... )
    >>> assay.evaluate_rag(probe.records, measures=["rr", "answer_recall"]).mean
    {'rr': 1.0, 'answer_recall': 1.0}

    At most `concurrency` calls are made at a time. A call that takes longer than `timeout` seconds is given up (None
    sets no limit), and a failed call is retried up to `retries` times. A question that still fails scores 0 and is
    listed in `failures`. With a `checkpoint`, every ranking is written to that file at once; when called again, no
    answered question is asked again. A lambda needs a `name` for that. `progress` shows a bar in a terminal, or is a
    function that is called with the share done. The default measures are nDCG, reciprocal rank and recall at k.
    Policies are those of `assay.evaluate`.
    """
    k = check_whole("k", k, 1)
    concurrency = check_whole("concurrency", concurrency, 1, MOST_CONCURRENT)
    limits = CallLimits(concurrency, timeout, check_whole("retries", retries, 0, MOST_RETRIES))
    if timeout is not None and not (is_number(timeout) and math.isfinite(timeout) and timeout > 0):
        raise PolicyError(f"timeout must be a positive number of seconds, not {show(timeout)}")
    names = [each.format(k) for each in MEASURES_AT_K] if measures is None else measures
    rule = None if doc_id is None else DocIdRule.parse(doc_id)
    if rule is not None and not rule.is_field:
        rule.match_all(())  # loads polars, before calls are timed
    settings = find_convention(convention).policies.changed({**policies, "doc_id": rule})
    own, once = chunk_policies(policies, settings)
    scorer = Scorer(make_plan(names, convention=convention, **own), qrels)
    retriever = search.as_retriever(k, name) if isinstance(search, HttpSearch) else as_retriever(search, k, name)
    if checkpoint is not None and name is None:
        require_name(search)
    judged, notes = choose_questions(read_texts(questions), scorer, questions)
    right = read_references(references, judged)
    owner = CheckpointOwner(retriever.name, k, judged, [retriever.request, None if rule is None else str(rule), once])
    shown: AbstractContextManager[Report] = nullcontext(progress if callable(progress) else ignore_progress)
    if progress and not callable(progress):
        shown = progress_bar(f"asking {retriever.name}")
    with open_checkpoint(checkpoint, owner) as kept, shown as report:
        started = time.perf_counter()
        asker = Asker(retriever.ask, RankingReader(k, rule, once).read, limits)
        found = ask_missing(judged, retriever, asker, scorer.qrels, kept=kept, report=report)
        elapsed = time.perf_counter() - started
    outcomes = {query: found.get(query) or kept.finished[query] for query in judged}
    rankings = {query: each.ranking for query, each in outcomes.items() if each.ranking is not None}
    if not rankings:
        raise unanswered(judged, outcomes, "no question")
    failures = {query: each.failure for query, each in outcomes.items() if each.ranking is None}
    entries = {query: ranking.entries for query, ranking in rankings.items()}
    # A failed question has an empty ranking in the result, and none in the run.
    result = scorer.evaluate({**entries, **{query: [] for query in failures}})
    failed = [Note.of(NoteKind.FAILED, queries=list(failures))] if failures else []
    notes = [*failed, *notes, *ranking_notes(rankings, k, rule, scorer), *result.notes]
    result = replace(result, policies=settings, notes=loud_first(notes))
    warned(result)
    run, seconds = Run(entries, tag=retriever.name), {query: outcomes[query].seconds for query in rankings}
    records = make_records(judged, outcomes, scorer.qrels, right)
    return Probe(result, run, failures, seconds, len(found), elapsed, records)


def ask_missing(
    questions: Mapping[str, str], retriever: Retriever, asker: Asker, qrels: Qrels, *, kept: Checkpoint, report: Report
) -> dict[str, Outcome]:
    """The outcomes of the questions that are not in the checkpoint; raises early if none seems to be answered."""
    left = {query: text for query, text in questions.items() if query not in kept.finished}
    outcomes: dict[str, Outcome] = {}
    patience = max(LEAST_PATIENCE, 2 * asker.limits.concurrency)
    judged = cache(lambda: frozenset(qrels.to_polars()["doc_id"]))

    def finish(outcome: Outcome) -> None:
        ranking = outcome.ranking
        shown = None if ranking is None else ranking.hidden(retriever.hide, lambda document: document in judged())
        outcome = outcome._replace(ranking=shown, failure=retriever.hide(outcome.failure))
        kept.add(outcome)
        outcomes[outcome.query] = outcome
        if len(outcomes) == patience and not kept.finished and all(each.failure for each in outcomes.values()):
            raise unanswered(questions, outcomes, f"none of the first {patience} questions")
        report((len(kept.finished) + len(outcomes)) / len(questions))

    try:
        if left:
            asker.ask_all(left, finish)
    except KeyboardInterrupt as stop:
        answered = len(kept.finished) + sum(each.ranking is not None for each in outcomes.values())
        said = f"interrupted: {answered:,} of {count(len(questions), 'question')} answered"
        more = ", nothing saved; use a checkpoint to be able to continue"
        stop.add_note(said + (more if kept.file is None else "; to continue, run it again with the same checkpoint"))
        raise
    finally:
        retriever.close()
    return outcomes


def unanswered(queries: Iterable[str], outcomes: Mapping[str, Outcome], what: str) -> DataError:
    """The error if nothing is answered; which questions were asked by then varies."""
    first = next(outcomes[query] for query in queries if query in outcomes)
    return DataError(f"{what} was answered; for example {show(first.query)}: {first.failure}")


def choose_questions(questions: dict[str, str], scorer: Scorer, given: object) -> tuple[dict[str, str], list[Note]]:
    """The questions that have judgments, with notes on other questions and on judgments without a question."""
    if isinstance(given, (list, tuple)) and scorer.listed not in (None, len(given)):
        raise MismatchError(f"{scorer.listed} queries in the judgments but {len(given)} questions")
    qrels = scorer.qrels
    judged = {query: text for query, text in questions.items() if query in qrels}
    if not judged:
        difference = find_difference(qrels.queries, questions, "suffix")
        both = f"the questions have the ids {some(list(questions))}, the judgments {some(qrels.queries)}"
        likely = f"; likely the same: {difference}" if difference else ""
        raise MismatchError(f"no question has judgments: {both}{likely}")
    notes = []
    if unjudged := [query for query in questions if query not in judged]:
        notes.append(Note.of(NoteKind.UNJUDGED, about="questions", queries=unjudged))
    if unasked := [query for query in qrels.queries if query not in judged]:
        note = Note.of(NoteKind.UNASKED, queries=unasked)
        if scorer.plan.policies.missing == "error":
            raise MismatchError(f"{note}; {count_missing()}")
        notes.append(note)
    return judged, notes


def ranking_notes(rankings: Mapping[str, LiveRanking], k: int, rule: DocIdRule | None, scorer: Scorer) -> list[Note]:
    """What was decided about the rankings, and which measures look further down than they go."""
    notes = []
    dropped = sum(ranking.duplicates for ranking in rankings.values())
    if rule is not None:
        chunks = Chunks(rule, dropped=dropped)
        for ranking in rankings.values():
            chunks.count(len(ranking.ids) + ranking.duplicates, len(ranking.unmatched), ranking.unmatched)
        notes = chunks.notes()
    if concealing := {query: ranking.concealed for query, ranking in rankings.items() if ranking.concealed}:
        notes.append(Note.of(NoteKind.CONCEALED, count=sum(concealing.values()), queries=list(concealing)))
    if dropped and rule is None:
        repeating = [query for query, ranking in rankings.items() if ranking.duplicates]
        notes.append(Note.of(NoteKind.DUPLICATES, about="rankings", count=dropped, queries=repeating))
    if rising := [query for query, ranking in rankings.items() if ranking.is_rising]:
        notes.append(Note.of(NoteKind.ORDER, queries=rising))
    # A document that was left out was returned all the same.
    longest = max(len(ranking.ids) + ranking.duplicates for ranking in rankings.values())
    if longest < k:
        notes.append(Note.of(NoteKind.SHORT, count=longest, k=k))
    cutoffs: dict[str, Any] = {name: measure.values.get("k") for name, (measure, _) in scorer.plan.measures.items()}
    if deeper := [name for name, cutoff in cutoffs.items() if is_number(cutoff) and cutoff > k]:
        notes.append(Note.of(NoteKind.DEPTH, measures=deeper, k=k))
    return notes


def make_records(
    questions: Mapping[str, str], outcomes: Mapping[str, Outcome], qrels: Qrels, references: Mapping[str, list[str]]
) -> list[dict[str, Any]]:
    """One record per question; a failed one has nothing retrieved and, if others are answered, an empty answer."""
    gold = qrels.to_dict()
    answers = any(each.ranking is not None and each.ranking.answer is not None for each in outcomes.values())
    records = []
    for query, question in questions.items():
        ranking, outcome = outcomes[query].ranking or LiveRanking([]), outcomes[query]
        optional = {
            "references": references.get(query),
            "retrieved": ranking.ids,
            "retrieved_scores": ranking.scores,
            "retrieved_texts": ranking.texts,
            "answer": ranking.answer or "" if answers else None,
            "failure": outcome.failure if outcome.ranking is None else None,
            "latency": None if outcome.ranking is None else outcome.seconds,
        }
        given = {name: value for name, value in optional.items() if value is not None}
        records.append({"query_id": query, "question": question, "gold": gold[query], **given})
    return records


def read_references(references: object, questions: Mapping[str, str]) -> dict[str, list[str]]:
    """The reference answers of each question: a dict of texts or lists of texts, or a file or frame of records."""
    if references is None:
        return {}
    is_dict = isinstance(references, Mapping) and not is_source(references)
    data = [{"query_id": key, "references": text} for key, text in references.items()] if is_dict else references  # type: ignore[attr-defined]
    records = read_records(data, name="the references").each
    found = {each.query_id: list(each.references) for each in records if each.references}
    if found.keys().isdisjoint(questions):
        both = f"the questions have the ids {some(list(questions))}, the references {some(list(found))}"
        raise MismatchError(f"no question has a reference answer: {both}")
    return found
