"""`evaluate_rag`: retrieval and answers for the same questions, in one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import find_convention, judged_names, resolve
from assay.core.doc_id import DocIdRule
from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind, loud_first
from assay.core.policies import chunk_policies
from assay.core.text import Option, some
from assay.data.records.read import collection_put_off
from assay.data.records.record import short_fields
from assay.engine.chunks import Chunks
from assay.measures import SHORT_ANSWER_NAMES
from assay.measures.scores import EVERY, every_score
from assay.results.align import spread_to_queries
from assay.results.result import subject_of
from assay.tasks.evaluate.plan import resolve_measures
from assay.tasks.evaluate.score import warned
from assay.tasks.evaluate.scores import with_every_score
from assay.tasks.rag.gold import Gold, find_gold, read_gold
from assay.tasks.rag.kinds import KINDS, RagEvaluation, score
from assay.tasks.rag.matching import THRESHOLD, Matching, check_grades, match_records
from assay.tasks.rag.result import RagResult
from assay.tasks.rag.sources import collect

if TYPE_CHECKING:
    from assay.conventions import Chosen
    from assay.core.convention import Convention
    from assay.data.records.record import Record
    from assay.measures.scores import Score
    from assay.tasks.judge.judge import Judge

DEFAULT_RAG_MEASURES = ("recall", "ndcg", "rr", "answer_em", "answer_f1")
# The one short name of answers that no measure of retrieval has.
ONLY_ANSWERS = {"em": SHORT_ANSWER_NAMES["em"]}


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
    has what it said. `human` are scores that people gave a random part of the questions, by question and measure:
    records, a mapping, a file of either, or a result. The means and intervals of these measures are then
    prediction-powered: right even if the judge errs.
    """
    tool = find_convention(convention)
    rule = None if doc_id is None else DocIdRule.parse(doc_id)
    settings = tool.policies.changed({**policies, "doc_id": rule})
    options, once = chunk_policies(policies, settings)
    chosen = choose_measures(measures, tool, options, judge)
    how = {"rule": rule, "chunks": corpus, "graded": tool.name == "ragas"}
    matching = Matching.parse(match, overlap, overlap_of, columns, **how)
    evaluation = RagEvaluation(chosen, tool, settings, options, rule, once, judge)
    with collection_put_off():
        evaluation = read(evaluation, records, outputs, corpus, columns, with_given=measures is None)
        evaluation = complete(match_gold(evaluation, matching), has_corpus=corpus is not None)
    evaluation = score(evaluation)
    with collection_put_off():
        result = join(evaluation)
    if human is not None:
        from assay.tasks.evaluate.given_scores import read_given_scores
        from assay.tasks.evaluate.human import anchor_result

        result = anchor_result(result, read_given_scores(human, list(result.measures)))
    warned(result)
    return result


def choose_measures(
    measures: object, tool: Convention, options: Mapping[str, Any], judge: Judge | None
) -> dict[str, Chosen]:
    """The measures that were named, or the usual ones; those of a judge need one."""
    wanted = DEFAULT_RAG_MEASURES if measures is None else measures
    short = ONLY_ANSWERS if judge is None else ONLY_ANSWERS | judged_names(tool)
    chosen = resolve_measures(wanted, tool, options, kinds=KINDS, short=short)
    judged = [key for key, each in chosen.items() if each.measure.definition.of == "judged"]
    if judged and judge is None:
        raise MeasureError(f"{judged[0]} is judged by an LLM; pass it as {Option('judge', '…')}")
    return chosen


def read(
    evaluation: RagEvaluation,
    data: object,
    outputs: object,
    corpus: object,
    columns: Mapping[str, str] | None,
    *,
    with_given: bool,
) -> RagEvaluation:
    """The evaluation with its records; `with_given`, the scores that they have are measures too."""
    rule = evaluation.rule
    path = rule.argument if rule is not None and rule.is_field else None
    given, judged = evaluation.of_kind("scores"), evaluation.of_kind("judged")
    is_short = outputs is None and not given and not judged
    found = collect(data, outputs, corpus, columns, path, any_field=bool(given), short=is_short)
    chosen = dict(evaluation.chosen)
    if with_given:
        chosen |= resolve(every_score(found.records, fields=False), evaluation.tool, evaluation.options)
    if EVERY in chosen:
        chosen = with_every_score(chosen, found.records, known=(columns or {}).values())
    kept = replace(evaluation, chosen=chosen, records=found.records, corpus=found.corpus, is_short=is_short)
    return replace(kept, notes=tuple(found.notes))


def match_gold(evaluation: RagEvaluation, how: Matching) -> RagEvaluation:
    """The evaluation with its gold; what has no ids is matched by texts and spans."""
    matched, measures = match_records(evaluation.records, how), evaluation.of_kind("rankings")
    check_grades(measures, matched)
    gold = read_gold(matched, measures, evaluation.tool, evaluation.options)
    notes = (*evaluation.notes, *matched.notes())
    return replace(evaluation, records=matched.records, matched=matched, gold=gold, notes=notes)


def complete(evaluation: RagEvaluation, *, has_corpus: bool) -> RagEvaluation:
    """The evaluation with documents in place of chunks, and texts for ids where something needs them."""
    matched, corpus, gold = evaluation.matched, evaluation.corpus, evaluation.gold
    queries = frozenset[str]() if matched is None else matched.queries
    records, notes = collapse_rankings(evaluation.records, evaluation.rule, once=evaluation.once, matched=queries)
    texts = None if matched is None else matched.chunk_texts
    needs_texts = has_corpus or evaluation.of_kind("contents") or evaluation.of_kind("judged")
    if texts is None and corpus is not None and needs_texts:
        texts = corpus()
    if texts:
        records, more = fill_texts(records, texts, gold)
        notes += more
    return replace(evaluation, records=records, notes=(*evaluation.notes, *notes))


def collapse_rankings(
    records: list[Record], rule: DocIdRule | None, *, once: bool, matched: AbstractSet[str]
) -> tuple[list[Record], list[Note]]:
    """The records with the documents that a rule finds in the ids of chunks, each document once if that is wanted.

    The best chunk of a document counts. What was matched by texts or spans stays as it is.
    """
    chunks = None if rule is None or rule.is_field else Chunks(rule)
    kept, repeated, dropped = [], [], 0
    for each in records:
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
    if dropped and rule is not None:
        notes.insert(0, Note.of(NoteKind.CHUNKS, count=dropped))
    elif dropped:
        notes.append(Note.of(NoteKind.DUPLICATES, about="rankings", count=dropped, queries=repeated))
    return kept, notes


def fill_texts(records: list[Record], corpus: Mapping[str, str], gold: Gold | None) -> tuple[list[Record], list[Note]]:
    """The records with the texts of their documents, if they have none themselves and the corpus has all."""
    unknown: dict[str, None] = {}

    def find_texts(ids: list[str]) -> tuple[str, ...] | None:
        unknown.update(dict.fromkeys(each for each in ids if each not in corpus))
        return tuple(corpus[each] for each in ids) if all(each in corpus for each in ids) else None

    filled = []
    for each in records:
        retrieved, wanted = each.retrieved_texts, each.gold_texts
        if retrieved is None and each.retrieved is not None and not each.retrieved.nameless:
            retrieved = find_texts(each.retrieved.ids)
        if wanted is None and each.gold is not None and gold is not None and each.query_id not in gold.matched:
            wanted = find_texts(sorted({document for group in gold.wanted(each) for document in group}))
        filled.append(each._replace(retrieved_texts=retrieved, gold_texts=wanted))
    if not unknown:
        return filled, []
    listed = some(list(unknown))
    return filled, [Note.of(NoteKind.CORPUS, about="documents", count=len(unknown), documents=listed)]


def join(evaluation: RagEvaluation) -> RagResult:
    """One result of all kinds of measures, in the order requested."""
    rows, gold = evaluation.records, evaluation.gold
    queries = [row.query_id for row in rows]
    parts = [each.result for each in evaluation.scored]
    parts = [each if each.queries == queries else spread_to_queries(each, queries) for each in parts]
    measures = {name: measure for part in parts for name, measure in part.measures.items()}
    scores = {name: values for part in parts for name, values in part.scores.items()}
    order = [name for name in evaluation.chosen if name in measures]
    rulings = {name: each for part in evaluation.scored for name, each in part.rulings.items()}
    found, wanted = find_gold(rows, gold)
    convention, policies, judge = evaluation.tool.name, evaluation.policies, evaluation.judge
    return RagResult(
        {name: measures[name] for name in order},
        queries,
        {name: scores[name] for name in order},
        convention,
        policies,
        loud_first(evaluation.notes),
        {name: each for part in parts for name, each in part.own_policies.items()},
        statistics={name: each for part in parts for name, each in part.statistics.items()},
        noise={name: each for part in parts for name, each in part.noise.items()},
        subject=subject_of(measures, convention, policies),
        judge=judge.description if judge is not None and rulings else "",
        _means={name: part[name] for part in parts for name in part.measures},
        records=rows if evaluation.is_short else [with_short_fields(row) for row in rows],
        found=np.array(found, dtype=np.bool_),
        has_gold=np.array([bool(each) for each in wanted], dtype=np.bool_),
        _gold=wanted,
        matching=() if gold is None else gold.matching,
        rulings=rulings,
    )


def with_short_fields(row: Record) -> Record:
    """The record with those of its fields that may make slices; the rest is not kept."""
    return row if row.fields is None else row._replace(fields=short_fields(row.fields, row.query_id))
