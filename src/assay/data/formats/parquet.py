"""Parquet, read with polars a batch at a time."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from assay.data.formats.tabular import BATCH, explain_failure
from assay.data.source import Batch

if TYPE_CHECKING:
    from collections.abc import Generator

    from assay.data.source import Source

CANNOT_HOLD = ("the run's tag", "rankings without scores", "queries without documents")


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
        return list(polars.read_parquet_schema(path))


def write(data: Any, file: IO[bytes]) -> None:  # noqa: ANN401 - Qrels or Run
    data.to_polars().write_parquet(file)
