"""Where a RAG evaluation comes from: records or a collection, and a system's outputs beside them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.text import show
from assay.io.columns import DOCUMENT, simple
from assay.io.formats import column_names, detect
from assay.io.frames import is_frame
from assay.io.json import read_json
from assay.io.keyed_texts import DOCUMENTS, read_keyed_texts
from assay.io.passages import read_passages
from assay.io.run import Run
from assay.io.source import is_source, open_source
from assay.rag.datasets import Collected, beir_folder, is_dataset, llama_index_dataset
from assay.rag.fields import FIELDS, MEASURED
from assay.rag.records import Record, Records, join_outputs, records_of
from assay.rag.rows import KNOWN, Rows, file_rows, is_folder, read_rows

if TYPE_CHECKING:
    from assay.io.source import Source


def collect(
    data: object, outputs: object = None, corpus: object = None, columns: Mapping[str, str] | None = None
) -> Collected:
    """The records of the data, with what the system gave where that stands in `outputs`."""
    found = beir_folder(Path(data)) if is_folder(data) else dataset_or_records(data, columns)  # type: ignore[arg-type]
    records, notes = found.records, found.notes
    if outputs is not None:
        records, more = join_outputs(records, read_outputs(outputs, columns))
        notes = notes + more
    return Collected(records, notes, found.corpus if corpus is None else lambda: read_keyed_texts(corpus, DOCUMENTS))


def dataset_or_records(data: object, columns: Mapping[str, str] | None) -> Collected:
    """A LlamaIndex dataset, or records in any other form."""
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            content = read_json(source) if detect(source, None) == "json" else None
            if is_dataset(content):
                return llama_index_dataset(content, source.name)
            return collected(records_of(file_rows(source), columns))
    if is_dataset(data):
        return llama_index_dataset(data, "the dataset")
    return collected(records_of(read_rows(data), columns))


def collected(records: Records) -> Collected:
    return Collected(records.each, list(records.notes))


def read_outputs(outputs: object, columns: Mapping[str, str] | None) -> Records:
    """What a system gave: a run, or records with what it retrieved and answered."""
    if is_source(outputs):
        with open_source(outputs) as source:  # type: ignore[arg-type]
            if holds_run(source):
                # A stream was put aside; a file of the user's keeps its name in messages.
                return records_of_run(Run(outputs if isinstance(outputs, (str, os.PathLike)) else source.path))
            return records_of(file_rows(source), columns)
    if isinstance(outputs, Run) or is_run(outputs):
        return records_of_run(outputs if isinstance(outputs, Run) else Run(outputs))
    if isinstance(outputs, (list, tuple)) and all(isinstance(each, (list, tuple)) for each in outputs):
        return records_of(Rows([{"retrieved": each} for each in outputs], "the outputs"), None)
    return records_of(read_rows(outputs), columns)


def records_of_run(run: Run) -> Records:
    """What a run holds for each query; its scores count, whatever order they stand in."""
    found = {query: read_passages(run[query], f"query {show(query)}") for query in run.queries}
    return Records(
        [Record(query, retrieved=each._replace(is_list=each.scores is None)) for query, each in found.items()]
    )


def is_run(data: object) -> bool:
    """Whether Python objects are a run rather than records: what they name are documents, not parts of a record."""
    if isinstance(data, Mapping):
        return not all(isinstance(each, Mapping) and each and set(each) <= KNOWN for each in data.values())
    return is_frame(data) and names_documents(getattr(data, "columns", []))


def holds_run(source: Source) -> bool:
    """The same for a file."""
    kind = detect(source, None)
    if kind == "json":
        content = read_json(source)
        return isinstance(content, Mapping) and is_run(content)
    return kind == "trec" or names_documents(column_names(source, kind))


def names_documents(names: Iterable[str]) -> bool:
    """Whether columns are those of a run: one of documents, and none that holds a part of a record."""
    found = {simple(str(name)) for name in names}
    return bool(found & set(DOCUMENT)) and not found & {name for part in MEASURED for name in FIELDS[part]}
