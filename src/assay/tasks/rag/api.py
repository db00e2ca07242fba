"""`evaluate_rag`: retrieval and answers for the same questions, in one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.conventions import Chosen, find_convention, judged_names, resolve
from assay.core.convention import Convention
from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError, MeasureError
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind, loud_first
from assay.core.policies import Policies, chunk_policies
from assay.core.text import Option
from assay.data.records.read import collection_put_off
from assay.data.records.record import Record, short_fields
from assay.engine.chunks import Chunks
from assay.measures import SHORT_ANSWER_NAMES
from assay.measures.answers import Answers
from assay.measures.answers.overlap import Contents
from assay.measures.scores import EVERY, Score, every_score
from assay.results.result import Result, subject_of
from assay.results.results import spread_to_queries
from assay.tasks.evaluate.answers import score_answers
from assay.tasks.evaluate.plan import resolve_measures
from assay.tasks.evaluate.score import warned
from assay.tasks.evaluate.scores import read_given_scores, score_records, with_every_score
from assay.tasks.rag.gold import Gold, find_gold, read_gold
from assay.tasks.rag.matching import THRESHOLD, Matched, Matching, match_records, unmatched_note
from assay.tasks.rag.result import RagResult
from assay.tasks.rag.sources import Corpus, collect, fill_texts

if TYPE_CHECKING:
    from assay.tasks.judge.judge import Judge

DEFAULT_RAG_MEASURES = ("recall", "ndcg", "rr", "answer_em", "answer_f1")
# The one short name of answers that no measure of retrieval has.
ONLY_ANSWERS = {"em": SHORT_ANSWER_NAMES["em"]}
Measures = Mapping[str, Measure]


@dataclass(frozen=True, slots=True)
class RagEvaluation:
    """What is known on the way `read → match → complete → score → join`; each step returns it with more.

    `options` are the policies that were given by name. With `once`, a document counts once however many of its chunks
    were retrieved. With `has_scores`, the scores that records have are measures too. With `is_short`, records have only
    the fields that make slices.
    """

    chosen: Mapping[str, Chosen]
    tool: Convention
    policies: Policies
    options: Mapping[str, Any]
    rule: DocIdRule | None = None
    once: bool = False
    judge: Judge | None = None
    has_scores: bool = False
    records: list[Record] = field(default_factory=list)
    corpus: Corpus | None = None
    is_short: bool = False
    matched: Matched | None = None
    gold: Gold | None = None
    scored: tuple[Result, ...] = ()
    notes: tuple[Note, ...] = ()

    def of_kind(self, name: str) -> dict[str, Chosen]:
        return {key: each for key, each in self.chosen.items() if each.measure.definition.of == name}


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
    a measure (see `assay.extend.score`). Without `measures`, the result has recall, ndcg, rr, answer_em, answer_f1 and
    the `scores` of the records.

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
    has what it said. `human` are scores that people gave a random sample of the questions, by question and measure:
    records, a mapping, a file of either, or a result. The means and intervals of these measures are then
    prediction-powered: right even if the judge errs.
    """
    tool = find_convention(convention)
    rule = None if doc_id is None else DocIdRule.parse(doc_id)
    settings = tool.policies.changed({**policies, "doc_id": rule})
    options, once = chunk_policies(policies, settings)
    wanted = DEFAULT_RAG_MEASURES if measures is None else measures
    short = ONLY_ANSWERS if judge is None else ONLY_ANSWERS | judged_names(tool)
    chosen = resolve_measures(wanted, tool, options, kinds=KINDS, short=short)
    evaluation = RagEvaluation(chosen, tool, settings, options, rule, once, judge, measures is None)
    if judge is None and (judged := list(evaluation.of_kind("judged"))):
        raise MeasureError(f"{judged[0]} is judged by an LLM; pass it as {Option('judge', '…')}")
    matching = Matching.parse(match, overlap, overlap_of, columns)
    matching = matching._replace(rule=rule, chunks=corpus, graded=tool.name == "ragas")
    with collection_put_off():
        evaluation = read(evaluation, records, outputs, corpus, columns)
        evaluation = complete(match_gold(evaluation, matching), has_corpus=corpus is not None)
    evaluation = score(evaluation)
    with collection_put_off():
        result = join(evaluation)
    if human is not None:
        from assay.tasks.evaluate.human import anchor_result

        result = anchor_result(result, read_given_scores(human, list(result.measures)))
    warned(result)
    return result


def read(
    evaluation: RagEvaluation, data: object, outputs: object, corpus: object, columns: Mapping[str, str] | None
) -> RagEvaluation:
    """The evaluation with its records."""
    rule = evaluation.rule
    path = rule.argument if rule is not None and rule.is_field else None
    given, judged = evaluation.of_kind("scores"), evaluation.of_kind("judged")
    is_short = outputs is None and not given and not judged
    found = collect(data, outputs, corpus, columns, path, any_field=bool(given), short=is_short)
    chosen = dict(evaluation.chosen)
    if evaluation.has_scores:
        chosen |= resolve(every_score(found.records, fields=False), evaluation.tool, evaluation.options)
    if EVERY in chosen:
        chosen = with_every_score(chosen, found.records, known=(columns or {}).values())
    rows, notes, texts, _ = found
    return replace(evaluation, chosen=chosen, records=rows, corpus=texts, is_short=is_short, notes=tuple(notes))


def match_gold(evaluation: RagEvaluation, how: Matching) -> RagEvaluation:
    """The evaluation with its gold; what has no ids is matched by texts and spans."""
    matched, measures = match_records(evaluation.records, how), evaluation.of_kind("rankings")
    # Ragas' measures of texts would be computed with other grades than similarities.
    graded = [key for key in measures if key.startswith("ragas:") and "nonllm" in key.lower().replace("_", "")]
    if graded and matched.texts.total() and not how.graded:
        hint = f"compute it alone, with {Option('convention', 'ragas')}"
        raise MeasureError(f"{graded[0]} takes similarities as grades; {hint}")
    gold = read_gold(matched, measures, evaluation.tool, evaluation.options)
    notes = (*evaluation.notes, *matched.notes())
    return replace(evaluation, records=matched.records, matched=matched, gold=gold, notes=notes)


def complete(evaluation: RagEvaluation, *, has_corpus: bool) -> RagEvaluation:
    """The evaluation with documents in place of chunks, and texts for ids where something needs them."""
    records, notes = collapse_rankings(evaluation)
    texts = None if evaluation.matched is None else evaluation.matched.chunk_texts
    needs_texts = has_corpus or evaluation.of_kind("contents") or evaluation.of_kind("judged")
    if texts is None and evaluation.corpus is not None and needs_texts:
        texts = evaluation.corpus()
    if texts:
        records, more = fill_texts(records, texts, evaluation.gold)
        notes += more
    return replace(evaluation, records=records, notes=(*evaluation.notes, *notes))


def collapse_rankings(evaluation: RagEvaluation) -> tuple[list[Record], list[Note]]:
    """The records with the documents that a rule finds in the ids of chunks, each document once if that is wanted.

    The best chunk of a document counts. What was matched by texts or spans stays as it is.
    """
    rule, once = evaluation.rule, evaluation.once
    matched = set[str]() if evaluation.matched is None else evaluation.matched.queries
    chunks = None if rule is None or rule.is_field else Chunks(rule)
    kept, repeated, dropped = [], [], 0
    for each in evaluation.records:
        found = each.retrieved
        if found is not None and each.query_id not in matched:
            ids = found.ids if chunks is None else chunks.documents(found.ids)
            is_same = chunks is None and found.texts is None and each.retrieved_texts is None
            if is_same and len(set(ids)) == len(ids):
                kept.append(each)
                continue
            first: dict[str, int] = {}
            for place, name in enumerate(ids):
                first.setdefault(name, place)
            if once and len(first) < len(ids):
                repeated.append(each.query_id)
                dropped += len(ids) - len(first)
            texts = found.texts if each.retrieved_texts is None else list(each.retrieved_texts)
            found = found._replace(ids=ids, texts=texts).at(list(first.values()) if once else range(len(ids)))
        kept.append(each._replace(retrieved=found))
    notes = [] if chunks is None else chunks.notes()
    if dropped:
        alike = Note.of(NoteKind.DUPLICATES, about="rankings", count=dropped, queries=repeated)
        notes.insert(0, alike if rule is None else Note.of(NoteKind.CHUNKS, count=dropped))
    return kept, notes


class MeasureKind(NamedTuple):
    """A kind of measures: the parts that some record must have, in words, and how it scores the records."""

    needs: Mapping[str, str]
    score: Callable[[RagEvaluation, Measures], Result]


def score(evaluation: RagEvaluation) -> RagEvaluation:
    """The evaluation with a result for each kind of measure that the records have the parts for."""
    scored: list[Result] = []
    notes = list(evaluation.notes)
    for name, kind in KINDS.items():
        measures = {key: each.measure for key, each in evaluation.of_kind(name).items()}
        if not measures:
            continue
        needs, rows = kind.needs.items(), evaluation.records
        if missing := [words for part, words in needs if all(getattr(row, part) is None for row in rows)]:
            meant = [SHORT_ANSWER_NAMES[key] for key in measures if name == "rankings" and key in SHORT_ANSWER_NAMES]
            hint = f"; for answers write {', '.join(meant)}" if meant else ""
            notes.append(Note.of(NoteKind.PARTS, measures=list(measures), missing=" and no ".join(missing) + hint))
        else:
            scored.append(kind.score(evaluation, measures))
    if not scored:
        raise DataError(f"nothing to compute: {'; '.join(map(str, notes))}")
    notes += dict.fromkeys(note for each in scored for note in each.notes)
    return replace(evaluation, scored=tuple(scored), notes=tuple(notes))


def score_rankings(evaluation: RagEvaluation, _: Measures) -> Result:
    rows, gold, matched = evaluation.records, evaluation.gold, evaluation.matched
    if gold is None or gold.scorer is None or matched is None:
        raise AssertionError
    run = {row.query_id: row.retrieved.ranking for row in rows if row.retrieved is not None}
    result = gold.scorer.evaluate(run)
    notes = [note for note in result.notes if note.kind != NoteKind.UNJUDGED]
    is_loud = any(note.is_loud for note in notes)
    if is_loud and matched.queries.issuperset(gold.scorer.qrels.queries) and any(run.values()):
        notes = [unmatched_note(matched), *(note for note in notes if note.kind != NoteKind.OVERLAP)]
    if bare := [row.query_id for row in rows if row.gold is None]:
        notes.append(Note.of(NoteKind.GOLD, queries=bare, measures=list(result.measures)))
    return replace(result, notes=tuple(notes))


def score_texts(evaluation: RagEvaluation, measures: Measures) -> Result:
    rows = evaluation.records
    silent = [row.query_id for row in rows if row.answer is None and row.references]
    notes = [Note.of(NoteKind.MISSING, about="answers", queries=silent)] if silent else []
    ids, references = [row.query_id for row in rows], [row.references or () for row in rows]
    return score_answers(Answers(ids, references, [row.answer or "" for row in rows]), measures, notes)


def score_contents(evaluation: RagEvaluation, measures: Measures) -> Result:
    rows = evaluation.records
    gold, retrieved = [row.gold_texts or () for row in rows], [row.retrieved_texts or () for row in rows]
    return score_answers(Contents([row.query_id for row in rows], gold, retrieved), measures, [])


def score_judged(evaluation: RagEvaluation, measures: Measures) -> RagResult:
    """Asks the judge. A question without a verdict has no value; the noise is the variance over its draws."""
    from assay.tasks.judge.drive import draws_variance, judge_records, verdict_notes

    judge, queries = evaluation.judge, [each.query_id for each in evaluation.records]
    if judge is None:
        raise AssertionError
    rulings = judge_records(evaluation.records, measures, judge)
    scores = {name: each.scores for name, each in rulings.items()}
    noise = {}
    for name, each in rulings.items() if judge.samples > 1 else ():
        drawn = np.array([draws_variance(ruling.samples, measures[name].definition.draws) for ruling in each])
        noise[name] = np.where(np.isnan(each.scores), np.nan, drawn)
    notes = tuple(note for name, each in rulings.items() for note in verdict_notes(name, queries, each, judge.samples))
    own = find_convention("assay")
    how = {"noise": noise, "subject": "answers", "rulings": rulings}
    return RagResult(dict(measures), queries, scores, own.name, own.policies, notes, **how)  # type: ignore[arg-type]


KINDS = {
    "rankings": MeasureKind({"gold": "gold documents", "retrieved": "retrieved documents"}, score_rankings),
    "answers": MeasureKind({"references": "reference answers", "answer": "answers"}, score_texts),
    "contents": MeasureKind(
        {"gold_texts": "texts of gold passages", "retrieved_texts": "texts of retrieved passages"}, score_contents
    ),
    # These say themselves what a record lacks.
    "scores": MeasureKind({}, lambda evaluation, measures: score_records(evaluation.records, measures)),
    "judged": MeasureKind({}, score_judged),
}


def join(evaluation: RagEvaluation) -> RagResult:
    """One result of all kinds of measures, in the order requested."""
    rows, gold, judge = evaluation.records, evaluation.gold, evaluation.judge
    convention, policies = evaluation.tool.name, evaluation.policies
    queries = [row.query_id for row in rows]
    parts = [each if each.queries == queries else spread_to_queries(each, queries) for each in evaluation.scored]

    def together(name: str) -> dict[str, Any]:
        return {key: value for part in parts for key, value in getattr(part, name).items()}

    measures, scores = together("measures"), together("scores")
    measures = {name: measures[name] for name in evaluation.chosen if name in measures}
    rulings = next((each.rulings for each in evaluation.scored if isinstance(each, RagResult)), {})
    found, wanted = find_gold(rows, gold)
    if not evaluation.is_short:
        # The rest of the fields is not kept.
        rows = [row._replace(fields=row.fields and short_fields(row.fields, row.query_id)) for row in rows]
    return RagResult(
        measures,
        queries,
        {name: scores[name] for name in measures},
        convention,
        policies,
        loud_first(evaluation.notes),
        together("own_policies"),
        statistics=together("statistics"),
        noise=together("noise"),
        subject=subject_of(measures, convention, policies),
        judge=judge.description if judge is not None and rulings else "",
        _means={name: part[name] for part in parts for name in part.measures},
        records=rows,
        found=np.array(found, dtype=np.bool_),
        has_gold=np.array([bool(each) for each in wanted], dtype=np.bool_),
        _gold=wanted,
        matching=() if gold is None else gold.matching,
        rulings=rulings,
    )
