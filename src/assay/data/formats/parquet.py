"""Parquet. Runs are ranked by the kernel while it reads them; all else is read with polars, a batch at a time."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from assay._kernel import Progress, Ranker, parquet_names
from assay.core.errors import FormatError
from assay.data.formats.tabular import BATCH, Batch, explain_failure
from assay.data.frames.columns import GIVEN_RANK, find_columns
from assay.files.source import Source

if TYPE_CHECKING:
    import polars


CANNOT_HOLD = ("queries without documents",)
# Where the metadata of a file has a run's tag.
TAG = "assay.tag"
# Of so many rows that do not stand together the kernel keeps eight bytes each; for more, it reads the files more often.
KEPT_ROWS = 100_000_000
OS_ERROR = re.compile(r"\(os error (\d+)\)")


def rank(
    source: Source,
    make_ranker: Callable[[], Ranker],
    columns: Mapping[str, str] | None,
    threads: int,
    progress: Progress | None,
) -> Ranker | None:
    """Ranks a run with the kernel alone; None if polars is needed to read it, or to say what is wrong with it."""
    with ExitStack() as open_files:
        parts: list[tuple[str | os.PathLike[str], list[str]]] = []
        for file in source.files:
            path = open_files.enter_context(file.plain())
            # Files that must be unpacked are read one after the other, so that the disk need not hold them all.
            is_one_of_many = path != file.path and len(source.files) > 1
            names = None if is_one_of_many else columns_of_run(path, columns)
            if names is None:
                return None
            parts.append((path, names))
        ranker = make_ranker()
        return ranker if ranker.add_parquet(parts, source.name, threads, KEPT_ROWS, progress) else None


def columns_of_run(path: Path, columns: Mapping[str, str] | None) -> list[str] | None:
    """The columns of queries, documents and scores; None if the kernel cannot tell, or not rank by them."""
    names = parquet_names(path)
    if names is None or GIVEN_RANK in names:
        return None
    try:
        found = find_columns(names, columns, judgments=False, name="")
    except FormatError:
        # A file without rows may have any columns.
        return None
    return [found[role] for role in ("query_id", "doc_id", "value")]


def read_batches(source: Source) -> Generator[Batch]:
    import polars

    first = 0
    with source.plain() as path, explain_failure(source, "parquet"):
        table = polars.scan_parquet(path, glob=False)
        for frame in table.collect_batches(chunk_size=BATCH, maintain_order=True):
            yield Batch(frame, range(first, first + len(frame)), "row")
            first += len(frame)
        # If one of its threads panics, polars ends as if there were no more rows.
        rows: int = table.select(polars.len()).collect().item()
    if first != rows:
        raise FormatError(f"{source.name}: only {first:,} of {rows:,} rows can be read; the file is damaged")


def column_names(source: Source) -> list[str]:
    import polars

    with source.plain() as path, explain_failure(source, "parquet"):
        return polars.scan_parquet(path, glob=False).collect_schema().names()


def read_tag(source: Source) -> str:
    import polars

    with source.plain() as path, explain_failure(source, "parquet"), path.open("rb") as file:
        return polars.read_parquet_metadata(file).get(TAG, "")


def write(data: Any, file: IO[bytes]) -> None:  # noqa: ANN401 - Qrels or Run
    tag = "" if data.is_judgments else data.tag
    write_frame(data.to_polars(), file, {TAG: tag} if tag else None)


def write_frame(frame: polars.DataFrame, file: IO[bytes], metadata: dict[str, str] | None = None) -> None:
    """Writes a file; what the operating system refuses is an `OSError`, which polars has only as text."""
    import polars

    try:
        frame.write_parquet(file, metadata=metadata)
    except polars.exceptions.PolarsError as error:
        number = OS_ERROR.search(str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), os.strerror(int(number[1]))) from error
