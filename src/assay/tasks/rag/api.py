"""`evaluate_rag`: retrieval and answers for the same questions, in one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import find_convention, judged_names, resolve
from assay.core.collector import collection_put_off
from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, MeasureError
from assay.core.interface import Option
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind, loud_first, loud_notes
from assay.core.policies import chunk_policies
from assay.data.records import short_fields
from assay.measures import SHORT_ANSWER_NAMES
from assay.measures.answers import Answers
from assay.measures.passages import Contents
from assay.measures.scores import every_score
from assay.results.align import spread_to_queries
from assay.results.result import Result, subject_of
from assay.tasks.evaluate.answers import score_answers
from assay.tasks.evaluate.score import resolve_measures, warned
from assay.tasks.evaluate.scorer import Scorer
from assay.tasks.evaluate.scores import score_records, with_every_score
from assay.tasks.rag.gold import Gold, fill_texts, find_gold, read_gold
from assay.tasks.rag.matching import THRESHOLD, Matched, Matching, check_grades, match_records
from assay.tasks.rag.result import RagResult
from assay.tasks.rag.sources import collapse_rankings, collect

if TYPE_CHECKING:
    from assay.conventions import Chosen
    from assay.core.policies import Policies
    from assay.core.ruling import Rulings
    from assay.data.records import Record
    from assay.measures.scores import Score
    from assay.tasks.judge.judge import Judge

DEFAULT_RAG_MEASURES = ("recall", "ndcg", "rr", "answer_em", "answer_f1")
# The one short name of answers that no measure of retrieval has.
ONLY_ANSWERS = {"em": SHORT_ANSWER_NAMES["em"]}
# What records need for each kind of measure.
NEEDS = {
    "rankings": {"gold": "gold documents", "retrieved": "retrieved documents"},
    "answers": {"references": "reference answers", "answer": "answers"},
    "contents": {"gold_texts": "texts of gold passages", "retrieved_texts": "texts of retrieved passages"},
}
# Kinds of measures that say themselves what a record lacks.
OTHERS = ("scores", "judged")


def evaluate_rag(
    records: object,
    measures: str | Score | Iterable[str | Measure | Score] | None = None,
    *,
    outputs: object = None,
    corpus: object = None,
    columns: Mapping[str, str] | None = None,
    doc_id: str | Callable[[str], str] | None = None,
    match: float | str = THRESHOLD,
    overlap: float | str = "any",
    overlap_of: str = "gold",
    judge: Judge | None = None,
    human: object = None,
    convention: str = "assay",
    **policies: Any,  # noqa: ANN401 - checked by name
) -> RagResult:
    """Scores a whole RAG system: one record per question, with what was retrieved and what was answered.

    A record has `query_id`, `question`, `gold` (ids of the relevant documents, with grades or in groups; or spans of
    source documents), `retrieved` (ids in order, with scores, or passages), `answer` and `references`. Records may be
    a list of dicts or dataclasses, a frame, or a file (JSON Lines, JSON, Parquet, CSV, TSV). The field names of
    AutoRAG, ragas and LlamaIndex work too; `columns` maps other names. Measures that need a missing part are left out,
    with a note.

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

    Numbers that another tool computed are measures too: those in the field `scores` of the records, and as
    `score:name` any other field; `score:*` is all of them. A function that takes a record and returns a number is also
    a measure (see `assay.score`). Without `measures`, the result has recall, ndcg, rr, answer_em, answer_f1 and the
    `scores` of the records.

    `outputs` is the system's output if the records do not contain it: a run, or a result file of AutoRAG. Then
    `records` may also be a BEIR folder or a LlamaIndex dataset, and any output in the records is ignored. `corpus` has
    the texts of documents for the measures that need them, and the spans of chunks if gold is spans. `doc_id` is a rule
    that finds the document of a retrieved chunk: a field path such as `metadata.source`, `before:#`, a regular
    expression or a function. The best chunk of a document counts. `precision`, `recall` and `f1` are measures of
    retrieval here; those of answers are `answer_f1` and so on.

    Records without ids are matched by their texts (`retrieved_texts` and `gold_texts`, or the names that tools use):
    those that are equal up to case and blanks, then those with a similarity of at least `match` (or `"exact"`,
    `"off"`). Gold that is a span, `{"document": "guide.md", "start": 100, "end": 180}`, is hit by retrieved passages
    with a span that overlaps it: by a character (`overlap="any"`), or by a share of the `overlap_of` gold, chunk or
    both (`"iou"`). Each gold text or span counts once, at the rank of the first passage that hits it; `recall` and
    `f1` are then `group_recall` and `group_f1`.

    `judge` is the LLM that measures such as `faithfulness` ask (see `assay.Judge`). `result.verdicts("faithfulness")`
    has what it said. `human` are scores that people gave a random part of the questions, by question and measure:
    records, a mapping, a file of either, or a result. The means and intervals of these measures are then
    prediction-powered: right even if the judge errs.
    """
    tool = find_convention(convention)
    rule = None if doc_id is None else DocIdRule.parse(doc_id)
    settings = tool.policies.changed({**policies, "doc_id": rule})
    policies, once = chunk_policies(policies, settings)
    wanted_names = DEFAULT_RAG_MEASURES if measures is None else measures
    short = ONLY_ANSWERS if judge is None else ONLY_ANSWERS | judged_names(tool)
    chosen = resolve_measures(wanted_names, tool, policies, kinds=(*NEEDS, *OTHERS), short=short)
    others = {each.measure.definition.of for each in chosen.values()}.intersection(OTHERS)
    how = Matching.parse(
        match, overlap, overlap_of, columns=columns, rule=rule, chunks=corpus, graded=tool.name == "ragas"
    )
    path = rule.argument if rule is not None and rule.is_field else None
    is_short = not others and outputs is None
    with collection_put_off():
        rows, notes, texts, _ = collect(
            records, outputs, corpus, columns, path, any_field="scores" in others, short=is_short
        )
    if measures is None:
        chosen |= resolve(every_score(rows, fields=False), tool, policies)
    chosen = with_every_score(chosen, rows, known=(columns or {}).values())
    kinds = by_kind(chosen)
    if kinds["judged"] and judge is None:
        raise MeasureError(f"{next(iter(kinds['judged']))} is judged by an LLM; pass it as {Option('judge', '…')}")
    with collection_put_off():
        matched = match_records(rows, how)
        check_grades(kinds["rankings"], matched)
        gold = read_gold(matched, kinds["rankings"], tool.name, policies)
        rows, more = collapse_rankings(matched.records, rule, once=once, matched=matched.queries)
    notes = [*notes, *matched.notes(), *more]
    if known := known_texts(matched, texts, is_needed=bool(kinds["contents"] or kinds["judged"]) or corpus is not None):
        rows, more = fill_texts(rows, known, gold)
        notes += more
    parts = score_kinds(rows, kinds, gold, matched, notes)
    rulings: dict[str, Rulings] = {}
    if kinds["judged"] and judge is not None:
        from assay.tasks.rag.judged import score_judged

        part, rulings = score_judged(rows, {key: each.measure for key, each in kinds["judged"].items()}, judge)
        parts.append(part)
    if not parts:
        raise DataError(f"nothing to compute: {'; '.join(map(str, notes))}")
    rows = rows if is_short else [with_short_fields(row) for row in rows]
    with collection_put_off():
        result = join_kinds(
            rows, parts, names=list(chosen), notes=notes, gold=gold, convention=tool.name, policies=settings
        )
    result = replace(result, rulings=rulings, judge=judge.description if judge is not None and rulings else "")
    if human is not None:
        from assay.tasks.evaluate.given_scores import read_given_scores
        from assay.tasks.evaluate.human import anchor_result

        result = anchor_result(result, read_given_scores(human, list(result.measures)))
    warned(result)
    return result


def by_kind(chosen: Mapping[str, Chosen]) -> dict[str, dict[str, Chosen]]:
    """The measures by what they measure."""
    return {
        kind: {key: each for key, each in chosen.items() if each.measure.definition.of == kind}
        for kind in (*NEEDS, *OTHERS)
    }


def known_texts(
    matched: Matched, texts: Callable[[], Mapping[str, str]] | None, *, is_needed: bool
) -> Mapping[str, str] | None:
    """The texts of documents: of the table of chunks, else of the corpus where something needs them."""
    if matched.chunk_texts is not None or texts is None or not is_needed:
        return matched.chunk_texts
    return texts()


def score_kinds(
    rows: list[Record],
    kinds: Mapping[str, Mapping[str, Chosen]],
    gold: Gold | None,
    matched: Matched,
    notes: list[Note],
) -> list[Result]:
    """A result for each kind of measure that the records have the parts for; notes say what the others lack."""
    wanted = [kind for kind in NEEDS if kinds[kind] and has_parts(rows, kind, list(kinds[kind]), notes)]
    measures = {kind: {key: each.measure for key, each in group.items()} for kind, group in kinds.items()}
    parts = []
    if "rankings" in wanted and gold is not None:
        parts.append(score_rankings(rows, gold.scorer, matched))
    if "answers" in wanted:
        parts.append(score_texts(rows, measures["answers"]))
    if "contents" in wanted:
        parts.append(score_contents(rows, measures["contents"]))
    if kinds["scores"]:
        parts.append(score_records(rows, measures["scores"]))
    return parts


def has_parts(rows: list[Record], kind: str, names: list[str], notes: list[Note]) -> bool:
    """Whether some records have what a kind of measure needs; a note says what is missing."""
    missing = [words for part, words in NEEDS[kind].items() if all(getattr(row, part) is None for row in rows)]
    if missing:
        meant = [SHORT_ANSWER_NAMES[name] for name in names if name in SHORT_ANSWER_NAMES and kind == "rankings"]
        hint = f"; for answers write {', '.join(meant)}" if meant else ""
        notes.append(Note.of(NoteKind.PARTS, measures=names, missing=" and no ".join(missing) + hint))
    return not missing


def score_rankings(rows: list[Record], scorer: Scorer, matched: Matched) -> Result:
    """Scores retrieval, for the questions that have gold documents."""
    run = {row.query_id: row.retrieved.ranking for row in rows if row.retrieved is not None}
    result = scorer.evaluate(run)
    notes = [note for note in result.notes if note.kind != NoteKind.UNJUDGED]
    if loud_notes(notes) and matched.queries.issuperset(scorer.qrels.queries) and any(run.values()):
        from assay.tasks.rag.unmatched import unmatched_note

        notes = [unmatched_note(matched), *(note for note in notes if note.kind != NoteKind.OVERLAP)]
    bare = [row.query_id for row in rows if row.gold is None]
    if bare:
        notes.append(Note.of(NoteKind.GOLD, queries=bare, measures=list(result.measures)))
    return replace(result, notes=tuple(notes))


def score_texts(rows: list[Record], measures: Mapping[str, Measure]) -> Result:
    """Scores answers, for the questions that have references."""
    silent = [row.query_id for row in rows if row.answer is None and row.references]
    notes = [Note.of(NoteKind.MISSING, about="answers", queries=silent)] if silent else []
    ids, references = [row.query_id for row in rows], [row.references or () for row in rows]
    return score_answers(Answers(ids, references, [row.answer or "" for row in rows]), measures, notes)


def score_contents(rows: list[Record], measures: Mapping[str, Measure]) -> Result:
    """Scores the texts of passages, for the questions that have them."""
    gold, retrieved = [row.gold_texts or () for row in rows], [row.retrieved_texts or () for row in rows]
    return score_answers(Contents([row.query_id for row in rows], gold, retrieved), measures, [])


def join_kinds(
    rows: list[Record],
    parts: list[Result],
    *,
    names: list[str],
    notes: list[Note],
    gold: Gold | None,
    convention: str,
    policies: Policies,
) -> RagResult:
    """One result of all kinds of measures, in the order requested."""
    queries = [row.query_id for row in rows]
    parts = [spread_to_queries(part, queries) for part in parts]
    measures = {name: measure for part in parts for name, measure in part.measures.items()}
    scores = {name: values for part in parts for name, values in part.scores.items()}
    order = [name for name in names if name in measures]
    found, wanted = find_gold(rows, gold)
    return RagResult(
        {name: measures[name] for name in order},
        queries,
        {name: scores[name] for name in order},
        convention,
        policies,
        loud_first([*notes, *dict.fromkeys(note for part in parts for note in part.notes)]),
        {name: each for part in parts for name, each in part.own_policies.items()},
        statistics={name: each for part in parts for name, each in part.statistics.items()},
        noise={name: each for part in parts for name, each in part.noise.items()},
        subject=subject_of(measures, convention, policies),
        _means={name: part[name] for part in parts for name in part.measures},
        records=rows,
        found=np.array(found, dtype=np.bool_),
        has_gold=np.array([bool(each) for each in wanted], dtype=np.bool_),
        _gold=wanted,
        matching=() if gold is None else gold.matching,
    )


def with_short_fields(row: Record) -> Record:
    """The record with those of its fields that may make slices; the rest is not kept."""
    return row if row.fields is None else row._replace(fields=short_fields(row.fields, row.query_id))
