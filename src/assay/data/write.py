"""Writes judgments and runs. What a format cannot hold is an error that names it, unless losing it is allowed."""

from __future__ import annotations

import bz2
import gzip
import lzma
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from assay._kernel import compress_zst
from assay.core.errors import FileError, FormatError, LossError
from assay.core.text import Option, quoted
from assay.data.formats import BY_NAME, BY_SUFFIX, Format, ending, find_format
from assay.data.formats.trec import DEFAULT_TAG, writable_tag
from assay.data.frames.columns import BLANK, NOT_FIRST, NUL, id_columns
from assay.files.replace import partial_file, replaced, target_of
from assay.files.source import COMPRESSIONS, check_spare_files, reason_of

if TYPE_CHECKING:
    from assay.data.qrels import Qrels, QueryTable
    from assay.data.run import Run


def write_file(data: QueryTable, path: str | os.PathLike[str], format: str | None, *, lossy: bool) -> None:
    target = target_of(path)
    chosen = find_format(format) or format_of(data, target)
    compression = compression_of(target)
    if chosen.is_compressed and compression:
        title = chosen.name.capitalize()
        raise FormatError(f"{quoted(target)}: {title} files are already compressed; leave out {compression}")
    if chosen.write is None:
        raise FormatError(f"{chosen.name} can only be read; choose another format")
    if chosen.runs_as and not data.is_judgments:
        raise FormatError(f"{chosen.name} is a format for judgments; write a run as {chosen.runs_as}")
    if not lossy:
        refuse_losses(data, chosen)
    with open_replacement(target) as file:
        chosen.write(data, file)


def format_of(data: QueryTable, target: Path) -> Format:
    """The format that the name says: `.tsv` is BEIR's form of judgments, and TREC any that says nothing."""
    table = "beir" if data.is_judgments else "tsv"
    return BY_SUFFIX.get(ending(target)) or BY_NAME[table if ending(target) == ".tsv" else "trec"]


def refuse_losses(data: QueryTable, format: Format) -> None:
    if lost := losses(data, "", format):
        advice = f"choose another format, or leave it out with {Option('lossy', value=True)}"
        raise LossError(f"{format.name} cannot hold {' and '.join(lost)}; {advice}")


def losses(data: QueryTable, path: str | os.PathLike[str], format: Format | None = None) -> list[str]:
    """What a format, by default that of a file of that name, cannot hold."""
    cannot_hold = (format or format_of(data, Path(path))).cannot_hold
    return [what for what, is_in in LOSSES.items() if what in cannot_hold and is_in(data)]


def has_groups(data: Any) -> bool:  # noqa: ANN401 - Qrels or Run
    return bool(data.is_judgments and data.rows.has_groups())


def has_named_groups(data: Any) -> bool:  # noqa: ANN401 - Qrels or Run
    """Whether the groups of some query are called anything but 0, 1, 2 …, as JSON's lists count them."""
    groups = (data.groups(query) for query in data) if has_groups(data) and data.has_equal_grades else ()
    return any(list(each) != [str(number) for number in range(len(each))] for each in groups)


def has_ids_with(data: Qrels | Run, pattern: str, *columns: str) -> bool:
    frame = data.to_polars()
    return any(frame[name].str.contains(pattern).any() for name in columns or id_columns(frame))


# What judgments and runs may have that some format cannot hold, and how to tell.
LOSSES: dict[str, Callable[[Any], bool]] = {
    "the run's tag": lambda data: not data.is_judgments and data.tag not in ("", DEFAULT_TAG),
    "spaces in the run's tag": lambda data: not data.is_judgments and writable_tag(data.tag) != data.tag,
    "groups of judgments": has_groups,
    # In a TREC file that is nothing but a column of zeros.
    "a single group of judgments": lambda data: has_groups(data) and len(data.rows.group_names()) == 1,
    "groups together with grades": lambda data: has_groups(data) and not data.has_equal_grades,
    "the names of groups": has_named_groups,
    "duplicate documents": lambda data: data.is_judgments and data.has_repeats,
    "queries without documents": lambda data: data.has_empty_queries,
    "spaces in ids": lambda data: has_ids_with(data, BLANK),
    "NUL characters in ids": lambda data: has_ids_with(data, NUL),
    "query ids that start with #": lambda data: has_ids_with(data, NOT_FIRST, "query_id"),
}


@contextmanager
def open_replacement(target: Path) -> Iterator[IO[bytes]]:
    compression = compression_of(target)
    check_spare_files(f"{quoted(target)} cannot be written")
    try:
        with replaced(target) as whole:
            if compression == ".zst":
                with partial_file(whole.parent) as (plain, _):
                    with plain.open("wb") as file:
                        yield file
                    compress_zst(plain, whole)
                return
            with whole.open("wb") as file, OPENERS.get(compression, nullcontext)(file) as compressed:
                yield compressed
    except OSError as error:
        raise FileError(f"{quoted(target)} cannot be written: {reason_of(error)}") from error


def compression_of(target: Path) -> str:
    return target.suffix.lower() if target.suffix.lower() in COMPRESSIONS else ""


# How files are opened for compressed bytes; a gzip file without the name and the time of the partial file, so that the
# same data gives the same bytes.
OPENERS: dict[str, Callable[[IO[bytes]], Any]] = {
    ".gz": lambda file: gzip.GzipFile("", "wb", 6, file, mtime=0),
    ".bz2": partial(bz2.BZ2File, mode="wb"),
    ".xz": partial(lzma.LZMAFile, mode="wb"),
}
