"""Writes judgments and runs. What a format cannot hold is refused and named, unless it may be lost."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import os
import secrets
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeAlias, cast

from assay._kernel import compress_zst
from assay.core.errors import FileError, FormatError
from assay.data.detect import by_suffix, check_format
from assay.data.losses import DEFAULT_TAG, plain_tag, refuse_losses, without
from assay.data.source import COMPRESSIONS, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars

    from assay.data.qrels import Qrels
    from assay.data.run import Run

    Data: TypeAlias = Qrels | Run

SEPARATORS = {"csv": ",", "tsv": "\t", "beir": "\t"}
WHOLE = 2.0**53


def write(data: Data, path: str | os.PathLike[str], format: str | None, *, lossy: bool) -> None:
    """Writes `data` to `path`; a file that is there stays as it is until the new one is whole."""
    target = Path(path)
    check_format(format)
    chosen = format or by_suffix(target) or default_format(target, data)
    compression = compression_of(target)
    if chosen == "parquet" and compression:
        raise FormatError(f"{quoted(target)}: Parquet is compressed in itself; write it without {compression}")
    if chosen == "beir" and not data.is_judgments:
        raise FormatError("beir is a format for judgments; write a run as tsv")
    if not lossy:
        refuse_losses(data, chosen)
    with written(target) as file:
        WRITERS[chosen](data, file, chosen)


@contextmanager
def written(target: Path) -> Iterator[IO[bytes]]:
    """A file to write into, compressed as the name of `target` says, that takes its place at the end."""
    compression = compression_of(target)
    try:
        with replaced(target) as partial:
            with open_compressed(partial, compression) as file:
                yield file
            if compression == ".zst":
                compress(partial)
    except OSError as error:
        raise FileError(f"{quoted(target)} cannot be written: {error.strerror or error}") from error


def compression_of(target: Path) -> str:
    """The ending that names a compression, if there is one."""
    return target.suffix.lower() if target.suffix.lower() in COMPRESSIONS else ""


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """A file beside `target` that takes its place at the end; what is no ordinary file is written into."""
    if target.is_dir():
        raise FileError(f"{quoted(target)} is a directory, not a file")
    final = target.resolve()
    is_device = target.exists() and not target.is_file()
    folder = Path(tempfile.gettempdir()) if is_device else final.parent
    partial = folder / f".assay-{secrets.token_hex(8)}"
    try:
        yield partial
        if is_device:
            with partial.open("rb") as whole, target.open("wb") as device:
                shutil.copyfileobj(whole, device)
        else:
            partial.replace(final)
    finally:
        partial.unlink(missing_ok=True)


def compress(path: Path) -> None:
    """Puts a Zstandard file in the place of a plain one."""
    plain = path.rename(path.with_name(path.name + ".plain"))
    try:
        compress_zst(plain, path)
    finally:
        plain.unlink()


def default_format(target: Path, data: Data) -> str:
    """`.tsv` is BEIR's form of judgments; a name that says nothing is TREC."""
    name = Path(target.stem) if target.suffix.lower() in COMPRESSIONS else target
    if name.suffix.lower() == ".tsv":
        return "beir" if data.is_judgments else "tsv"
    return "trec"


def open_compressed(path: Path, compression: str) -> IO[bytes]:
    if compression == ".gz":
        return cast("IO[bytes]", gzip.open(path, "wb", compresslevel=6))
    if compression == ".bz2":
        return cast("IO[bytes]", bz2.open(path, "wb"))
    if compression == ".xz":
        return cast("IO[bytes]", lzma.open(path, "wb"))
    return path.open("wb")


def to_trec(data: Data, file: IO[bytes], _: str) -> None:
    """`query group document grade`, or `query Q0 document rank score tag` in order of score."""
    import polars

    frame = without(data.to_polars(), "trec")
    if data.is_judgments:
        group = polars.col("group") if "group" in frame.columns else polars.lit("0")
        lines = frame.select("query_id", group, "doc_id", text_of(frame["relevance"]))
    else:
        tag = plain_tag(cast("Run", data).tag) or DEFAULT_TAG
        frame = by_score(frame, cast("Run", data))
        fixed = {"q0": "Q0", "tag": tag}
        frame = frame.with_columns(*(polars.lit(text).alias(name) for name, text in fixed.items()))
        lines = frame.select("query_id", "q0", "doc_id", "rank", text_of(frame["score"]), "tag")
    lines.write_csv(file, include_header=False, separator=" ", quote_style="never")


def by_score(frame: polars.DataFrame, run: Run) -> polars.DataFrame:
    """The rows of each query from the highest score to the lowest, as given where they tie, with ranks from 1."""
    import numpy as np
    import polars

    sizes = np.diff(run.starts)
    query = np.repeat(np.arange(len(sizes)), sizes)
    order = np.lexsort((-frame["score"].to_numpy(), query))
    rank = np.arange(1, len(query) + 1) - run.starts[query]
    return frame[order].with_columns(polars.Series("rank", rank))


def text_of(numbers: polars.Series) -> polars.Series:
    """Numbers as the shortest text that reads back the same, whole ones without a point."""
    import polars

    name = numbers.name
    number = polars.col(name)
    whole = number.cast(polars.Int64, strict=False).cast(polars.String)
    is_whole = (number == number.floor()) & (number.abs() < WHOLE)
    text = polars.when(is_whole).then(whole).otherwise(number.cast(polars.String))
    return numbers.to_frame().select(text.alias(name))[name]


def to_separated(data: Data, file: IO[bytes], format: str) -> None:
    frame = without(data.to_polars(), format)
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
