"""`evaluate_rag`: retrieval and answers of the same questions, in one result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.conventions import find_convention
from assay.core.errors import DataError
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind
from assay.core.text import count, some
from assay.measures import SHORT_ANSWER_NAMES
from assay.measures.answers import Answers
from assay.measures.passages import Contents
from assay.results.result import Result, subject_of
from assay.tasks.evaluate.answers import score_answers
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.score import resolve_measures
from assay.tasks.rag.corpus import fill_texts
from assay.tasks.rag.gold import Gold, read_gold
from assay.tasks.rag.result import RagResult
from assay.tasks.rag.sources import collect

if TYPE_CHECKING:
    from assay.core.judged import FloatArray
    from assay.core.policies import Policies
    from assay.tasks.rag.records import Record

DEFAULT_RAG_MEASURES = ("recall", "ndcg", "rr", "answer_em", "answer_f1")
# Of the short names of answers, the one that is none of retrieval too.
ONLY_ANSWERS = {"em": SHORT_ANSWER_NAMES["em"]}
# What each kind of measure needs of the records, in words.
NEEDS = {
    "rankings": {"gold": "gold documents", "retrieved": "retrieved documents"},
    "answers": {"references": "reference answers", "answer": "answers"},
    "contents": {"gold_texts": "texts of gold passages", "retrieved_texts": "texts of retrieved passages"},
}


class Part(NamedTuple):
    """What one kind of measure gave: its result, with a value for each record, and what there is to say of it."""

    result: Result
    scores: Mapping[str, FloatArray]
    notes: list[Note]


def evaluate_rag(
    records: object,
    measures: str | Iterable[str | Measure] = DEFAULT_RAG_MEASURES,
    *,
    outputs: object = None,
    corpus: object = None,
    columns: Mapping[str, str] | None = None,
    doc_id: str | None = None,
    convention: str = "assay",
    **policies: Any,  # noqa: ANN401 - checked by name
) -> RagResult:
    """Scores a whole RAG system: one record a question, with what was retrieved and what was answered.

    A record has `query_id`, `question`, `gold` (ids of the right documents, with grades or in groups), `retrieved` (ids
    in order, with scores, or passages), `answer` and `references`. The records may be a list of dicts or dataclasses, a
    frame, or a file (JSON Lines, JSON, Parquet, CSV). AutoRAG's, ragas' and LlamaIndex's names for the parts work too;
    `columns` gives other ones. Measures whose part is missing are left out, and a note says so.

    >>> import assay
    >>> records = [
    ...     {"query_id": "q1", "gold": ["d1"], "retrieved": ["d1", "d2"], "answer": "Paris", "references": ["Paris"]},
    ...     {"query_id": "q2", "gold": ["d3"], "retrieved": ["d4", "d5"], "answer": "Rome", "references": ["Oslo"]},
    ... ]
    >>> result = assay.evaluate_rag(records, ["recall", "em"])
    >>> result.mean
    {'recall': 0.5, 'em': 0.5}
    >>> result.found.tolist()
    [True, False]

    `outputs` is what the system gave, where that is not in the records: a run, or a result file of AutoRAG's. Then
    `records` may also be a BEIR folder or a LlamaIndex dataset, and what they hold of a system does not count. `corpus`
    has the texts of documents for the measures that need them; `doc_id` says where the id of a passage stands, such as
    `metadata.source`. `precision`, `recall` and `f1` are those of retrieval here, `answer_f1` and so on of answers.
    """
    tool = find_convention(convention)
    chosen = resolve_measures(measures, tool, policies, kinds=NEEDS, short=ONLY_ANSWERS)
    kinds = {kind: {key: each for key, each in chosen.items() if each.measure.definition.of == kind} for kind in NEEDS}
    rows, notes, texts = collect(records, outputs, corpus, columns, doc_id)
    settings = tool.policies.changed(policies)
    gold = read_gold(rows, kinds["rankings"], tool.name, policies)
    if kinds["contents"] and texts is not None:
        rows, more = fill_texts(rows, texts(), gold)
        notes = notes + more
    wanted = [kind for kind, each in kinds.items() if each and has_parts(rows, kind, list(each), notes)]
    parts = []
    if "rankings" in wanted and gold is not None:
        parts.append(score_rankings(rows, gold.scorer))
    if "answers" in wanted:
        parts.append(score_texts(rows, {key: each.measure for key, each in kinds["answers"].items()}))
    if "contents" in wanted:
        parts.append(score_contents(rows, {key: each.measure for key, each in kinds["contents"].items()}))
    if not parts:
        raise DataError(f"nothing can be computed: {'; '.join(map(str, notes))}")
    return join(rows, parts, names=list(chosen), notes=notes, gold=gold, convention=tool.name, policies=settings)


def has_parts(rows: list[Record], kind: str, names: list[str], notes: list[Note]) -> bool:
    """Whether some records hold what a kind of measure needs; a note says what is missing."""
    missing = [words for part, words in NEEDS[kind].items() if all(getattr(row, part) is None for row in rows)]
    if missing:
        said = f"{', '.join(names)} left out: the records have no {' and no '.join(missing)}"
        meant = [SHORT_ANSWER_NAMES[name] for name in names if name in SHORT_ANSWER_NAMES and kind == "rankings"]
        hint = f"; for answers write {', '.join(meant)}" if meant else ""
        notes.append(Note(NoteKind.PARTS, said + hint))
    return not missing


def score_rankings(rows: list[Record], scorer: Scorer) -> Part:
    """Retrieval, of the questions that have gold documents."""
    run = {row.query_id: row.retrieved.ranking for row in rows if row.retrieved is not None}
    result = scorer.evaluate(run)
    notes = [note for note in result.notes if note.kind != NoteKind.UNJUDGED]
    bare = [row.query_id for row in rows if row.gold is None]
    if bare:
        names = ", ".join(result.measures)
        notes.append(
            Note(
                NoteKind.GOLD,
                f"{count(len(bare), 'question')} without gold documents left out of {names}: {some(bare)}",
            )
        )
    return spread(result, rows, notes)


def score_texts(rows: list[Record], measures: Mapping[str, Measure]) -> Part:
    """Answers, of the questions that have references."""
    notes = []
    silent = [row.query_id for row in rows if row.answer is None and row.references]
    if silent:
        said = f"{count(len(silent), 'question')} without an answer, counted as an empty one: {some(silent)}"
        notes.append(Note(NoteKind.MISSING, said))
    ids, references = [row.query_id for row in rows], [row.references or () for row in rows]
    result = score_answers(Answers(ids, references, [row.answer or "" for row in rows]), measures, notes)
    return spread(result, rows, list(result.notes))


def score_contents(rows: list[Record], measures: Mapping[str, Measure]) -> Part:
    """The texts of passages, of the questions that have them."""
    gold, retrieved = [row.gold_texts or () for row in rows], [row.retrieved_texts or () for row in rows]
    result = score_answers(Contents([row.query_id for row in rows], gold, retrieved), measures, [])
    return spread(result, rows, list(result.notes))


def spread(result: Result, rows: list[Record], notes: list[Note]) -> Part:
    """The values of a result for all records, NaN where it has none."""
    place = {name: number for number, name in enumerate(result.queries)}
    at = np.array([place.get(row.query_id, -1) for row in rows])
    scores = {name: np.where(at >= 0, values[at], np.nan) for name, values in result.scores.items()}
    return Part(result, scores, notes)


def join(
    rows: list[Record],
    parts: list[Part],
    *,
    names: list[str],
    notes: list[Note],
    gold: Gold | None,
    convention: str,
    policies: Policies,
) -> RagResult:
    """One result of all parts, its measures in the order asked for."""
    measures = {name: measure for part in parts for name, measure in part.result.measures.items()}
    scores = {name: values for part in parts for name, values in part.scores.items()}
    order = [name for name in names if name in measures]
    has_retrieved = any(row.retrieved is not None for row in rows)
    wanted = [gold.wanted(row) if gold is not None and has_retrieved else [] for row in rows]
    return RagResult(
        {name: measures[name] for name in order},
        [row.query_id for row in rows],
        {name: scores[name] for name in order},
        convention,
        policies,
        (*notes, *dict.fromkeys(note for part in parts for note in part.notes)),
        {name: each for part in parts for name, each in part.result.own_policies.items()},
        statistics={name: each for part in parts for name, each in part.result.statistics.items()},
        subject=subject_of(measures, convention, policies),
        _means={name: part.result[name] for part in parts for name in part.result.measures},
        records=rows,
        found=np.array([row.holds(each) for row, each in zip(rows, wanted, strict=True)], dtype=np.bool_),
        has_gold=np.array([bool(each) for each in wanted], dtype=np.bool_),
    )
