"""Parquet, read with polars a batch at a time."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

from assay.data.formats.tabular import BATCH, explain_failure
from assay.data.source import Batch

if TYPE_CHECKING:
    from collections.abc import Generator

    from assay.data.source import Source

CANNOT_HOLD = ("queries without documents",)
# Where the metadata of a file has a run's tag.
TAG = "assay.tag"


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
    data.to_polars().write_parquet(file, metadata={TAG: tag} if tag else None)
