"""Parts of a run that are read again: the ids at its start, or the rankings of some queries.

The ids show how they differ from those of the judgments. A file is read in parts, and only these rankings are kept.
"""

import io
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from itertools import islice
from typing import Any

from assay._kernel import Rows
from assay.core.errors import AssayError, DataError
from assay.data.formats import TREC, recognise
from assay.data.formats.json import as_pairs, read_entries
from assay.data.formats.tabular import Need, prepare_files
from assay.data.frames.frame import as_frame
from assay.data.qrels import as_dicts
from assay.data.run import Run
from assay.files.source import Source, check_path, is_source, is_stream, open_source

# What is read of a run: bytes of a file, rows of a table, queries of other data.
MOST_BYTES = BLOCK = 1 << 22
MOST_ROWS = 100_000
MOST_QUERIES = 2_000
# Where query and document are in a line of a TREC run.
TREC_FIELDS = 3
Ids = dict[str, list[str]]


def sample_ids(data: Any, *, format: str | None = None, columns: Mapping[str, str] | None = None) -> Ids | None:  # noqa: ANN401 - any form of data
    """The documents of the first queries of a run; None if it cannot be read a second time."""
    try:
        if not is_source(data):
            return ids_of_object(data, columns)
        is_path = isinstance(data, (str, os.PathLike))
        can_reread = not is_stream(check_path(data)) if is_path else isinstance(data, Source)
        return ids_of_source(data, format, columns) if can_reread else None
    except (AssayError, OSError, TypeError, ValueError):
        # It was read once; that it changed since then, or can be read only once, must not stop a result.
        return None


def ids_of_source(data: Any, format: str | None, columns: Mapping[str, str] | None) -> Ids:  # noqa: ANN401 - a source
    with open_source(data) as source:
        chosen = recognise(source, format)
        if chosen is TREC:
            head = next(filter(None, (file.read(MOST_BYTES) for file in source.files)), b"")
            lines = head.decode("utf-8-sig", errors="replace").splitlines()
            # The last may be cut.
            rows = (line.split(maxsplit=TREC_FIELDS) for line in (lines[:-1] if len(head) == MOST_BYTES else lines))
            return gather_ids((fields[0], fields[2]) for fields in rows if len(fields) >= TREC_FIELDS)
        if chosen.batches is None:
            with closing(read_entries(source, as_pairs)) as entries:
                first = islice(entries, MOST_QUERIES)
                return ids_of_rows(Rows.from_rankings({str(each.key): each.value for each in first}))
        with closing(prepare_files(chosen.batches, source, Need(columns, judgments=False))) as batches:
            return gather_ids(next(batches).head(MOST_ROWS).select("query_id", "doc_id").iter_rows())


def ids_of_object(data: Any, columns: Mapping[str, str] | None) -> Ids:  # noqa: ANN401 - any form of data
    if isinstance(data, Run):
        return ids_of_rows(data.rows)
    frame = as_frame(data, columns, judgments=False)
    if frame is not None:
        return gather_ids(frame.head(MOST_ROWS).select("query_id", "doc_id").iter_rows())
    if isinstance(data, Mapping):
        first = as_dicts(dict(islice(data.items(), MOST_QUERIES)))
        try:
            return ids_of_rows(Rows.from_rankings(first))
        except DataError:
            # An id that is not valid Unicode: a dict of scores is ranked without a look at what is not judged.
            return {str(query): [str(each) for each in ranking] for query, ranking in first.items()}
    return ids_of_rows(Rows.from_rankings(as_dicts(data[:MOST_QUERIES])))


def gather_ids(pairs: Iterable[tuple[str, str]]) -> Ids:
    ids: Ids = {}
    for query, document in pairs:
        ids.setdefault(query, []).append(document)
    return ids


def ids_of_rows(rows: Rows) -> Ids:
    ids: Ids = {}
    size = 0
    for number, query in enumerate(islice(rows.queries(), MOST_QUERIES)):
        ids[query] = rows.documents(number)
        size += len(ids[query])
        if size >= MOST_ROWS:
            break
    return ids


def read_some(path: str | os.PathLike[str], queries: set[str], format: str | None = None) -> Run | None:
    """The run with these queries only; None if it has none of them. A JSON file is read whole."""
    with open_source(path) as source:
        chosen = recognise(source, format)
        if chosen is TREC:
            lines = b"".join(line for file in source.files for line in lines_of(file, queries))
            return Run(io.BytesIO(lines), format=TREC.name) if lines else None
        if chosen.batches is not None:
            import polars

            with closing(prepare_files(chosen.batches, source, Need(None, judgments=False))) as parts:
                kept = [part.filter(polars.col("query_id").is_in(list(queries))) for part in parts]
            rows = polars.concat(kept, how="diagonal") if kept else polars.DataFrame()
            return Run(rows.rename({"value": "score"})) if len(rows) else None
    whole = Run(path, format=format)
    found = {query: whole.as_given(query) for query in whole.queries if query in queries}
    return Run(found) if found else None


def lines_of(source: Source, queries: set[str]) -> Iterator[bytes]:
    wanted = {query.encode() for query in queries}
    with source.plain() as path, path.open("rb") as file:
        start = file.read(3)
        file.seek(0 if start != b"\xef\xbb\xbf" else len(start))
        while lines := file.readlines(BLOCK):
            for line in lines:
                fields = line.split(None, 1)
                if fields and fields[0] in wanted:
                    yield line if line.endswith(b"\n") else line + b"\n"
