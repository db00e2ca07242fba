"""The rankings of some queries of a run in a file: it is read in parts, and only these rankings are kept."""

from __future__ import annotations

import io
from contextlib import closing
from typing import TYPE_CHECKING

from assay.data.formats import TREC, recognise
from assay.data.formats.tabular import prepare_files
from assay.data.run import Run
from assay.files.source import open_source

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Generator, Iterator

    from assay.files.source import Batch, Source

# Bytes of lines that are looked at together.
BLOCK = 1 << 22


def read_some(path: str | os.PathLike[str], queries: set[str], format: str | None = None) -> Run | None:
    """The run with these queries only; None if it has none of them. A JSON file is read whole."""
    with open_source(path) as source:
        chosen = recognise(source, format)
        if chosen is TREC:
            lines = b"".join(line for file in source.files for line in lines_of(file, queries))
            return Run(io.BytesIO(lines), format=TREC.name) if lines else None
        if chosen.batches is not None:
            return rows_of(source, chosen.batches, queries)
    whole = Run(path, format=format)
    found = {query: whole.as_given(query) for query in whole.queries if query in queries}
    return Run(found) if found else None


def lines_of(source: Source, queries: set[str]) -> Iterator[bytes]:
    """The lines of a TREC run that begin with one of the queries."""
    wanted = {query.encode() for query in queries}
    with source.plain() as path, path.open("rb") as file:
        start = file.read(3)
        file.seek(0 if start != b"\xef\xbb\xbf" else len(start))
        while lines := file.readlines(BLOCK):
            for line in lines:
                fields = line.split(None, 1)
                if fields and fields[0] in wanted:
                    yield line if line.endswith(b"\n") else line + b"\n"


def rows_of(source: Source, batches: Callable[[Source], Generator[Batch]], queries: set[str]) -> Run | None:
    """The rows of a table that have one of the queries."""
    import polars

    with closing(prepare_files(batches, source, None, judgments=False)) as parts:
        found = [part.filter(polars.col("query_id").is_in(list(queries))) for part in parts]
    whole = polars.concat(found, how="diagonal") if found else polars.DataFrame()
    return Run(whole.rename({"value": "score"})) if len(whole) else None
