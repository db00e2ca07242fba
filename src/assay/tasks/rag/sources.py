"""Where a RAG evaluation comes from: records or a collection, and a system's outputs beside them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import FormatError
from assay.core.text import show
from assay.data.columns import DOCUMENT, simple
from assay.data.detect import column_names, detect
from assay.data.formats.json import read_json
from assay.data.frames import is_frame
from assay.data.keyed_texts import DOCUMENTS, read_keyed_texts
from assay.data.passages import is_number, read_passages
from assay.data.run import Run
from assay.data.source import is_source, open_source
from assay.data.tuples import is_tuples
from assay.tasks.rag.datasets import Collected, beir_folder, is_dataset, llama_index_dataset
from assay.tasks.rag.fields import FIELDS, MEASURED, Reading, check_columns
from assay.tasks.rag.records import Record, Records, join_outputs, records_of
from assay.tasks.rag.rows import Rows, file_rows, is_folder, read_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.note import Note
    from assay.data.source import Source

    Corpus = Callable[[], Mapping[str, str]]


def collect(
    data: object,
    outputs: object = None,
    corpus: object = None,
    columns: Mapping[str, str] | None = None,
    doc_id: str | None = None,
) -> tuple[list[Record], list[Note], Corpus | None]:
    """The records of the data, with what the system gave where that stands in `outputs`, and the texts of documents."""
    reading = Reading(check_columns(columns), doc_id, lenient=outputs is not None)
    found = beir_folder(Path(data)) if is_folder(data) else dataset_or_records(data, reading)  # type: ignore[arg-type]
    records, notes, fields = found.records, found.notes, found.fields
    if outputs is not None:
        given = read_outputs(outputs, reading)
        records, more = join_outputs(records, given)
        notes, fields = notes + more, fields | given.fields
    if unknown := [field for field in reading.columns.values() if field not in fields]:
        raise FormatError(f"nowhere is a field {show(unknown[0])}, which columns= names")
    return records, notes, found.corpus if corpus is None else lambda: read_keyed_texts(corpus, DOCUMENTS)


def dataset_or_records(data: object, reading: Reading) -> Collected:
    """A LlamaIndex dataset, or records in any other form."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            content = read_json(source) if detect(source, None) == "json" else None
            if is_dataset(content):
                return llama_index_dataset(content, source.name)
            return collected(records_of(file_rows(source, reading, content), reading))
    if is_dataset(data):
        return llama_index_dataset(data, "the dataset")
    return collected(records_of(read_rows(data, reading), reading))


def collected(records: Records) -> Collected:
    return Collected(records.each, list(records.notes), fields=records.fields)


def read_outputs(outputs: object, reading: Reading) -> Records:
    """What a system gave: a run, or records with what it retrieved and answered."""
    if is_source(outputs):
        with open_source(outputs) as source:  # type: ignore[arg-type]
            content = read_json(source) if detect(source, None) == "json" else None
            if holds_run(source, content):
                # A stream was put aside; a file of the user's keeps its name in messages.
                return records_of_run(Run(outputs if isinstance(outputs, (str, os.PathLike)) else source.path))
            return records_of(file_rows(source, reading, content), reading)
    if isinstance(outputs, Run) or is_run(outputs):
        return records_of_run(outputs if isinstance(outputs, Run) else Run(outputs))
    if isinstance(outputs, (list, tuple)) and all(type(each) in (list, tuple) for each in outputs):
        return records_of(Rows([{"retrieved": each} for each in outputs], "the outputs"), Reading())
    return records_of(read_rows(outputs, reading, "the outputs"), reading)


def records_of_run(run: Run) -> Records:
    """What a run holds for each query; its scores count, whatever order they stand in."""
    records = []
    for query in run.queries:
        found = read_passages(run[query], f"query {show(query)}")
        records.append(Record(query, retrieved=found._replace(is_list=found.scores is None)))
    return Records(records)


def is_run(data: object) -> bool:
    """Whether Python objects are a run rather than records.

    A run's queries have lists, or numbers for documents; a record has something else than numbers.

    >>> is_run({"q1": {"answer": 0.5}}), is_run({"q1": {"answer": "x", "model": "m"}}), is_run({"q1": ["d1"]})
    (True, False, True)
    """
    if isinstance(data, Mapping):
        return all(not isinstance(each, Mapping) or all(map(is_number, each.values())) for each in data.values())
    return is_tuples(data) or (is_frame(data) and names_documents(getattr(data, "columns", [])))


def holds_run(source: Source, content: object) -> bool:
    """The same for a file, or for what a JSON file holds."""
    if content is not None:
        return isinstance(content, Mapping) and is_run(content)
    kind = detect(source, None)
    return kind == "trec" or names_documents(column_names(source, kind))


def names_documents(names: Iterable[str]) -> bool:
    """Whether columns are those of a run: one of documents, and none that holds a part of a record."""
    found = {simple(str(name)) for name in names}
    return bool(found & set(DOCUMENT)) and not found & {name for part in MEASURED for name in FIELDS[part]}
