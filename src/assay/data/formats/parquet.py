"""Parquet, read with polars a batch at a time."""

from __future__ import annotations

import os
import re
from typing import IO, TYPE_CHECKING, Any

from assay.data.formats.tabular import BATCH, explain_failure
from assay.data.source import Batch

if TYPE_CHECKING:
    from collections.abc import Generator

    import polars

    from assay.data.source import Source

CANNOT_HOLD = ("queries without documents",)
# Where the metadata of a file has a run's tag.
TAG = "assay.tag"
OS_ERROR = re.compile(r"\(os error (\d+)\)")


def read_batches(source: Source) -> Generator[Batch]:
    """The rows of a file, in frames."""
    import polars

    first = 0
    with source.plain() as path, explain_failure(source, "parquet"):
        for frame in polars.scan_parquet(path, glob=False).collect_batches(chunk_size=BATCH, maintain_order=True):
            yield Batch(frame, range(first, first + len(frame)), "row")
            first += len(frame)


def column_names(source: Source) -> list[str]:
    import polars

    with source.plain() as path, explain_failure(source, "parquet"):
        return polars.scan_parquet(path, glob=False).collect_schema().names()


def read_tag(source: Source) -> str:
    """The tag of the run in a file; empty if the file has none."""
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
