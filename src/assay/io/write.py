"""Writes judgments and runs. What a format cannot hold is refused and named, unless it may be lost."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import tempfile
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, cast

from assay import _kernel
from assay.core.errors import FormatError, LossError
from assay.core.text import show
from assay.io.formats import by_suffix, check_format
from assay.io.source import COMPRESSIONS

if TYPE_CHECKING:
    from collections.abc import Callable

    import polars

    from assay.io.qrels import Qrels
    from assay.io.run import Run

    Data = Qrels | Run

SEPARATORS = {"csv": ",", "tsv": "\t", "beir": "\t"}
DEFAULT_TAG = "assay"


def write(data: Data, path: str | os.PathLike[str], format: str | None, *, lossy: bool) -> None:  # noqa: A002 - the option's name
    """Writes `data` to `path`; nothing is left behind if that fails."""
    target = Path(path)
    check_format(format)
    chosen = format or by_suffix(target) or default_format(target, data)
    compression = target.suffix.lower() if target.suffix.lower() in COMPRESSIONS else ""
    if chosen == "parquet" and compression:
        raise FormatError(f"{show(target)}: Parquet is compressed in itself; write it without {compression}")
    if not lossy:
        refuse_losses(data, chosen)
    if chosen == "beir" and not data.is_judgments:
        raise FormatError("beir is a format for judgments; write a run as tsv")
    with tempfile.NamedTemporaryFile(dir=target.parent, prefix=f".{target.name}.", delete=False) as temporary:
        partial = Path(temporary.name)
    try:
        with open_compressed(partial, compression) as file:
            WRITERS[chosen](data, file, chosen)
        if compression == ".zst":
            plain = partial.rename(partial.with_name(partial.name + ".plain"))
            try:
                _kernel.compress_zst(plain, partial)
            finally:
                plain.unlink()
        partial.chmod(0o666 & ~current_umask())
        partial.replace(target)
    finally:
        partial.unlink(missing_ok=True)


def current_umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def default_format(target: Path, data: Data) -> str:
    """`.tsv` is BEIR's form of judgments; a name that says nothing is TREC."""
    name = Path(target.stem) if target.suffix.lower() in COMPRESSIONS else target
    if name.suffix.lower() == ".tsv":
        return "beir" if data.is_judgments else "tsv"
    return "trec"


def open_compressed(path: Path, compression: str) -> IO[bytes]:
    if compression == ".gz":
        return cast("IO[bytes]", gzip.open(path, "wb"))
    if compression == ".bz2":
        return cast("IO[bytes]", bz2.open(path, "wb"))
    if compression == ".xz":
        return cast("IO[bytes]", lzma.open(path, "wb"))
    return path.open("wb")


def refuse_losses(data: Data, format: str) -> None:  # noqa: A002 - the option's name
    """Raises if the format cannot hold everything."""
    losses = [what for what, holders in LOSSES.items() if format not in holders and LOSS_TESTS[what](data)]
    if losses:
        raise LossError(f"{format} cannot hold {' and '.join(losses)}; choose another format, or go on with --lossy (lossy=True)")


LOSSES: dict[str, tuple[str, ...]] = {
    "the run's tag": ("trec",),
    "the groups of the judgments": ("trec", "json", "jsonl", "csv", "tsv", "parquet"),
    "the grades of the groups": ("trec", "jsonl", "csv", "tsv", "parquet"),
    "an order without scores": ("json",),
    "repeated documents": ("trec", "jsonl", "csv", "tsv", "parquet"),
    "a query without documents": ("json",),
    "blanks in ids": ("json", "jsonl", "csv", "tsv", "beir", "parquet"),
}
LOSS_TESTS: dict[str, Callable[[Any], bool]] = {
    "the run's tag": lambda data: not data.is_judgments and bool(data.tag),
    "the groups of the judgments": lambda data: data.is_judgments and data.rows.has_groups(),
    "the grades of the groups": lambda data: data.is_judgments and data.rows.has_groups() and not data.has_equal_grades,
    "an order without scores": lambda data: data.rows.has_order(),
    "repeated documents": lambda data: data.has_repeats,
    "a query without documents": lambda data: data.has_empty_queries,
    "blanks in ids": lambda data: data.has_blanks,
}


def to_trec(data: Data, file: IO[bytes], _: str) -> None:
    """`query group document grade`, or `query Q0 document rank score tag` in order of score."""
    import polars

    frame = data.to_polars()
    if data.is_judgments:
        group = polars.col("group") if "group" in frame.columns else polars.lit("0")
        lines = frame.select("query_id", group, "doc_id", text_of(frame["relevance"]))
    else:
        order = polars.col("score").rank("ordinal", descending=True).over("query_id")
        tag = cast("Run", data).tag or DEFAULT_TAG
        frame = frame.with_columns(order.alias("rank"))
        queries = frame["query_id"].unique(maintain_order=True)
        place = frame["query_id"].cast(polars.Enum(queries))
        frame = frame.with_columns(place.to_physical().alias("place")).sort("place", "rank", maintain_order=True)
        lines = frame.select("query_id", polars.lit("Q0").alias("q0"), "doc_id", "rank", text_of(frame["score"]), polars.lit(tag).alias("tag"))
    lines.write_csv(file, include_header=False, separator=" ", quote_style="never")


def text_of(numbers: polars.Series) -> polars.Series:
    """Numbers as the shortest text that reads back the same, whole ones without a point."""
    import polars

    text = [str(int(value)) if value.is_integer() and abs(value) < 2**53 else repr(value) for value in numbers.to_list()]
    return polars.Series(numbers.name, text, dtype=polars.String)


def to_separated(data: Data, file: IO[bytes], format: str) -> None:  # noqa: A002 - the option's name
    frame = data.to_polars()
    if format == "beir":
        frame = frame.select("query_id", "doc_id", text_of(frame["relevance"]))
        frame = frame.rename({"query_id": "query-id", "doc_id": "corpus-id", "relevance": "score"})
    frame.write_csv(file, separator=SEPARATORS[format])


def to_json(data: Data, file: IO[bytes], _: str) -> None:
    file.write(json.dumps(data.to_dict(), ensure_ascii=False).encode() + b"\n")


def to_json_lines(data: Data, file: IO[bytes], _: str) -> None:
    data.to_polars().write_ndjson(file)


def to_parquet(data: Data, file: IO[bytes], _: str) -> None:
    data.to_polars().write_parquet(file)


WRITERS: dict[str, Callable[[Any, IO[bytes], str], None]] = {
    "trec": to_trec,
    "json": to_json,
    "jsonl": to_json_lines,
    "csv": to_separated,
    "tsv": to_separated,
    "beir": to_separated,
    "parquet": to_parquet,
}
Format = Literal["trec", "json", "jsonl", "csv", "tsv", "beir", "parquet"]
