"""CSV, TSV and Parquet files, read with polars a batch at a time, and JSON Lines."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.core.errors import FormatError
from assay.core.text import printable, show
from assay.io.frames import prepare

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    import polars

    from assay.io.source import Source

SEPARATORS = {"csv": ",", "tsv": "\t", "beir": "\t"}
BATCH = 500_000


def read_table(source: Source, format: str, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame:  # noqa: A002 - the option's name
    """A whole file, ready for the kernel."""
    import polars

    parts = list(read_parts(source, format, columns, judgments=judgments))
    return polars.concat(parts) if parts else polars.DataFrame({"query_id": [], "doc_id": [], "value": []})


def read_batches(source: Source, format: str, columns: Mapping[str, str] | None) -> Iterator[polars.DataFrame]:  # noqa: A002 - the option's name
    """A run file in pieces that hold whole queries, where each query's rows stand together."""
    import polars

    rest: polars.DataFrame | None = None
    for batch in read_parts(source, format, columns, judgments=False):
        part = batch if rest is None else polars.concat([rest, batch])
        others = (part["query_id"] != part["query_id"][-1]).arg_true()
        end = int(others[-1]) + 1 if len(others) else 0
        rest = part[end:]
        if end:
            yield part[:end]
    if rest is not None:
        yield rest


def read_parts(
    source: Source,
    format: str,  # noqa: A002 - the option's name
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
) -> Iterator[polars.DataFrame]:
    """A file in pieces of many rows, each ready for the kernel."""
    first = 0
    with source.plain() as path, explained(source, format):
        for part in parts_of(path, source, format):
            place = placer(format, first)
            first += len(part)
            if len(part):
                yield prepare(part, columns, judgments=judgments, name=source.name, place=place)


def placer(format: str, first: int) -> Callable[[int], str]:  # noqa: A002 - the option's name
    """How messages name a row: by its line where the file has lines."""
    offset = {"parquet": 0, "jsonl": 1}.get(format, 2)
    noun = "row" if format == "parquet" else "line"
    return lambda row: f"{noun} {first + row + offset}"


def parts_of(path: Path, source: Source, format: str) -> Iterator[polars.DataFrame]:  # noqa: A002 - the option's name
    import polars

    if format == "jsonl":
        yield from json_lines(path, source)
        return
    if format == "parquet":
        table = polars.scan_parquet(path, glob=False)
    else:
        table = polars.scan_csv(path, separator=SEPARATORS[format], infer_schema=False, glob=False)
    yield from table.collect_batches(chunk_size=BATCH, maintain_order=True)


def json_lines(path: Path, source: Source) -> Iterator[polars.DataFrame]:
    """Records, one a line. Every one has the keys of the first."""
    import json

    import polars

    with path.open("rb") as file:
        number = 0
        while lines := list(islice(file, BATCH // 5)):
            records: list[dict[str, Any]] = []
            for line in lines:
                number += 1
                if not line.strip():
                    raise FormatError(f"{source.name}, line {number}: the line is empty; take it out")
                try:
                    record = json.loads(line)
                except ValueError as error:
                    raise FormatError(f"{source.name}, line {number}: this is not JSON: {error}") from None
                if not isinstance(record, dict):
                    raise FormatError(f"{source.name}, line {number}: expected an object, found {show(record)}")
                records.append(record)
            columns = list(records[0])
            yield polars.DataFrame(
                [polars.Series(name, [each.get(name) for each in records], dtype=polars.Object) for name in columns]
            )


@contextmanager
def explained(source: Source, format: str) -> Iterator[None]:  # noqa: A002 - the option's name
    """Errors of polars, said in assay's way."""
    import polars

    try:
        yield
    except (polars.exceptions.PolarsError, OSError) as error:
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"{source.name} cannot be read as {format}: {reason}") from error
