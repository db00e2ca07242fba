"""Where a RAG evaluation comes from: records, a LlamaIndex dataset or a BEIR folder; a system's outputs; texts."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple, TypeAlias

from assay.core.errors import DataError, FileError, FormatError, MismatchError
from assay.core.note import Note, NoteKind
from assay.core.text import Option, count, quoted, show, some
from assay.data.formats import JSON, TREC, recognise
from assay.data.formats.json import read_objects, read_rankings
from assay.data.frames.columns import DOCUMENT, normalise_name
from assay.data.frames.frame import is_frame, is_tuples
from assay.data.passages import get_field, is_number, read_passages
from assay.data.qrels import Qrels
from assay.data.records.fields import MEASURED, PARTS, RecordFields, record_fields
from assay.data.records.read import Records, read_record_file, read_records
from assay.data.records.record import Record
from assay.data.run import Run
from assay.data.texts import DOCUMENTS, QUESTIONS, read_texts
from assay.files.source import is_source, open_source
from assay.tasks.rag.gold import Gold

Corpus: TypeAlias = Callable[[], Mapping[str, str]]

# What LlamaIndex's datasets for retrieval hold.
DATASET = ("queries", "corpus", "relevant_docs")
SPLIT = "test"
# The parts of a record that come from the system, and those that belong to the question.
SYSTEM = ("retrieved", "retrieved_texts", "answer", "scores")
QUESTION = ("question", "gold", "gold_texts", "references")


class Collected(NamedTuple):
    """The records, notes on them, the texts of documents (read on demand), and the fields that were read."""

    records: list[Record]
    notes: list[Note]
    corpus: Corpus | None = None
    fields: frozenset[str] = frozenset()


def collect(
    data: object,
    outputs: object = None,
    corpus: object = None,
    columns: Mapping[str, str] | None = None,
    doc_id: str | None = None,
    *,
    any_field: bool = False,
    short: bool = False,
) -> Collected:
    """The records, joined with the system's `outputs` if those are given, and the texts of documents.

    With `any_field`, records need none of the usual parts; with `short`, only fields that make slices may be left.
    """
    wanted = record_fields(columns, doc_id, lenient=outputs is not None)
    wanted = wanted._replace(any_field=any_field, short=short and outputs is None)
    # Unlike a path's own method, this one answers whatever the text is.
    is_folder = isinstance(data, (str, os.PathLike)) and os.path.isdir(data)  # noqa: PTH112
    found = read_beir_folder(Path(data)) if is_folder else read_dataset(data, wanted)  # type: ignore[arg-type]
    if outputs is not None:
        given = read_outputs(outputs, wanted)
        records, notes = join_outputs(found.records, given)
        found = Collected(records, found.notes + notes, found.corpus, found.fields | given.fields)
    if unknown := [field for field in wanted.columns.values() if field not in found.fields]:
        said = f"names the field {show(unknown[0])}, which neither records nor outputs have"
        raise FormatError(f"{Option('columns')} {said}")
    return found if corpus is None else found._replace(corpus=lambda: read_texts(corpus, DOCUMENTS))


def read_beir_folder(folder: Path) -> Collected:
    """A BEIR folder: `queries.jsonl`, `corpus.jsonl`, and in `qrels` the test split, or the only one.

    Questions without judgments are left out.
    """
    usual = folder / "qrels" / f"{SPLIT}.tsv"
    splits = sorted((folder / "qrels").glob("*.tsv"))
    if usual not in splits and len(splits) != 1:
        names = ", ".join(show(each.name) for each in splits) or "nothing"
        raise FileError(f"{quoted(folder)} is not a BEIR folder: it has no qrels/{SPLIT}.tsv; qrels/ contains {names}")
    qrels = Qrels(usual if usual in splits else splits[0])
    questions = read_texts(folder / "queries.jsonl", QUESTIONS)
    rows = [{"query_id": each, "question": questions.get(each), "gold": qrels[each]} for each in qrels.queries]
    missing = [each for each in qrels.queries if each not in questions]
    notes = [Note.of(NoteKind.QUESTIONS, queries=missing)] if missing else []
    records = read_records(rows, name=str(folder)).each
    return Collected(records, notes, lambda: read_texts(folder / "corpus.jsonl", DOCUMENTS))


def read_dataset(data: object, wanted: RecordFields) -> Collected:
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            content = read_objects(source) if recognise(source) is JSON else None
            if is_llama_index(content):
                return read_llama_index(content, source.name)
            records = read_record_file(source, wanted, content)
    elif is_llama_index(data):
        return read_llama_index(data, "the dataset")
    else:
        records = read_records(data, wanted)
    return Collected(records.each, order_notes(records), fields=records.fields)


def order_notes(records: Records) -> list[Note]:
    return [Note.of(NoteKind.ORDER, about="records", queries=records.rising)] if records.rising else []


def is_llama_index(data: object) -> bool:
    return all(isinstance(get_field(data, name), Mapping) for name in DATASET)


def read_llama_index(data: object, name: str) -> Collected:
    queries, corpus, relevant = (get_field(data, each) for each in DATASET)
    if unknown := [each for each in relevant if each not in queries]:
        raise DataError(f"{name}: relevant_docs has ids that are not in queries: {some(unknown)}")
    rows = [{"query_id": each, "question": text, "gold": relevant.get(each)} for each, text in queries.items()]
    return Collected(read_records(rows, name=name).each, [], lambda: corpus)


def read_outputs(outputs: object, wanted: RecordFields) -> Records:
    """A system's outputs: a run, or records with what it retrieved and answered."""
    if is_source(outputs):
        with open_source(outputs) as source:  # type: ignore[arg-type]
            # A run in JSON may have a document twice; records have no key twice.
            format_ = recognise(source)
            if format_ is JSON:
                content = read_rankings(source)
                holds_run = isinstance(content, Mapping) and is_run(content)
            else:
                holds_run = format_ is TREC or has_run_columns(format_.column_names(source))
            if not holds_run:
                return read_record_file(source, wanted)
            run = Run(source)
    elif isinstance(outputs, Run) or is_run(outputs):
        run = outputs if isinstance(outputs, Run) else Run(outputs)
    elif isinstance(outputs, (list, tuple)) and all(type(each) in (list, tuple) for each in outputs):
        return read_records([{"retrieved": each} for each in outputs], name="the outputs")
    else:
        return read_records(outputs, wanted, "the outputs")
    records = []
    for query in run.queries:
        found = read_passages(run[query], f"query {show(query)}")
        # The scores of a run count, whatever the order.
        records.append(Record(query, retrieved=found._replace(is_list=found.scores is None)))
    return Records(records)


def is_run(data: object) -> bool:
    """Whether Python objects are a run: its queries have lists, or numbers for documents; records have other things."""
    if isinstance(data, Mapping):
        return all(not isinstance(each, Mapping) or all(map(is_number, each.values())) for each in data.values())
    return is_tuples(data) or (is_frame(data) and has_run_columns(getattr(data, "columns", [])))


def has_run_columns(names: Iterable[str]) -> bool:
    """Whether columns are those of a run: one of documents, and none that holds a part of a record."""
    found = {normalise_name(str(name)) for name in names}
    return bool(found & set(DOCUMENT)) and not found & {name for part in MEASURED for name in PARTS[part]}


def join_outputs(records: list[Record], outputs: Records) -> tuple[list[Record], list[Note]]:
    """Each question with the system's output for it: by id, or by position if the outputs have no ids.

    What the records themselves hold of a system is ignored, so that two systems are not mixed.
    """
    notes = order_notes(outputs)
    if outputs.have_ids:
        given = {each.query_id: each for each in outputs.each}
        known = {each.query_id for each in records}
        if unknown := [name for name in given if name not in known]:
            notes.append(Note.of(NoteKind.UNKNOWN, about="outputs", queries=unknown))
        if len(unknown) == len(given):
            both = f"questions {some([each.query_id for each in records])}; outputs {some(unknown)}"
            raise MismatchError(f"questions and outputs have no id in common: {both}")
    elif len(outputs.each) != len(records):
        both = f"{count(len(records), 'question')} but {count(len(outputs.each), 'output')} without ids"
        raise MismatchError(f"{both}; give the outputs ids, or one output per question in the same order")
    else:
        given = {record.query_id: each for record, each in zip(records, outputs.each, strict=True)}
        notes.append(Note.of(NoteKind.OUTPUTS))
    if ignored := [part for part in SYSTEM if any(getattr(each, part) is not None for each in records)]:
        notes.append(Note.of(NoteKind.OUTPUTS, about="replaced", parts=", ".join(ignored)))
    joined, differing = [], []
    for record in records:
        output = given.get(record.query_id) or Record(record.query_id)
        own = {part: getattr(record, part) for part in QUESTION if getattr(record, part) is not None}
        if any(getattr(output, part) not in (None, value) for part, value in own.items()):
            differing.append(record.query_id)
        fields = {**(record.fields or {}), **(output.fields or {})}
        joined.append(output._replace(query_id=record.query_id, where=record.where, fields=fields, **own))
    if differing:
        notes.append(Note.of(NoteKind.OUTPUTS, about="differing", queries=differing))
    return joined, notes


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
    note = Note.of(NoteKind.CORPUS, about="documents", count=len(unknown), documents=some(list(unknown)))
    return filled, [note] if unknown else []
