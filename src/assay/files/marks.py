"""The marks at the start of files, and why a file could not be read, where they tell more than the error does.

A file may be an archive, or go on after the end of its compressed data.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, TypeVar

from assay.core.errors import DataError, FileError, FormatError
from assay.core.text import quoted

if TYPE_CHECKING:
    from assay.files.source import Source

Found = TypeVar("Found")

# A frame of Zstandard, or one to be skipped, which pzstd writes before each.
ZSTANDARD = (b"\x28\xb5\x2f\xfd", *(bytes([first]) + b"\x2a\x4d\x18" for first in range(0x50, 0x60)))
GZIP, BZIP2, XZ = b"\x1f\x8b", b"BZh", b"\xfd7zX"
# Text may begin like bzip2 too, but not with the mark of a block, or of the end, after the level.
LEVELS, BLOCKS = b"123456789", (b"1AY&SY", b"\x17\x72\x45\x38\x50\x90")
MARKED = 10
# How text in UTF-16 begins, which the kernel reads as UTF-8.
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
# Kinds of files that hold files or data in a form that is not read: where their mark is, and what it is.
KINDS = {
    "a zip archive": (0, b"PK\x03\x04"),
    "an empty zip archive": (0, b"PK\x05\x06"),
    "a tar archive": (257, b"ustar"),
    "compressed with lz4": (0, b"\x04\x22\x4d\x18"),
    "compressed with snappy": (0, b"\xff\x06\x00\x00sNaPpY"),
    "compressed with compress": (0, b"\x1f\x9d"),
    "a 7-Zip archive": (0, b"7z\xbc\xaf\x27\x1c"),
    "a RAR archive": (0, b"Rar!\x1a\x07"),
    "an SQLite database": (0, b"SQLite format 3\0"),
}
HEAD = 512
# Bytes that are read at a time, and decompressed at a time: few of these, as a small file can hold very much.
MOST, PIECE = 1 << 20, 1 << 10


def explain(error: DataError, source: Source) -> DataError:
    """The error, or a better one that the file itself gives reason to."""
    if not isinstance(error, (FileError, FormatError)):
        return error
    for each in source.files:
        try:
            head = each.read(HEAD)
        except DataError:
            # The name of a single letter with which an archive may begin looks like UTF-32.
            head = look(start_of, each.path) or b""
        kind = next((kind for kind, (at, mark) in KINDS.items() if head[at : at + len(mark)] == mark), None)
        if kind is not None:
            return FormatError(f"{each.name} is {kind}; extract the data from it first")
        if isinstance(error, FileError) and each.path.is_file() and look(goes_on, each.path):
            advice = "remove the rest, or create the file again"
            return FileError(f"{quoted(each.name)} goes on after the end of its compressed data; {advice}")
    return error


def look(find: Callable[[IO[bytes]], Found], path: Path) -> Found | None:
    """What is found in a file; None if it cannot be read."""
    import lzma
    import zlib

    try:
        with path.open("rb") as file:
            return find(file)
    except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError):
        return None


def start_of(file: IO[bytes]) -> bytes:
    """The first bytes whatever their encoding, decompressed by Python if it can."""
    start = file.read(MOST)
    decoder = make_decoder(start)
    return start if decoder is None else decoder.decompress(start, HEAD)


def goes_on(file: IO[bytes]) -> bool:
    """Whether something else follows complete compressed data: what begins no other member."""
    start = file.read(4)
    file.seek(0)
    if start.startswith(ZSTANDARD):
        return zst_goes_on(file)
    rest = file.read(PIECE)
    while rest and (member := make_decoder(start)):
        while rest and not member.eof:
            member.decompress(rest)
            rest = file.read(PIECE)
        if not member.eof:
            return False
        rest = member.unused_data + rest
        if rest and type(make_decoder(rest)) is not type(member):
            return True
    return False


def make_decoder(start: bytes) -> Any:  # noqa: ANN401 - they have no class in common
    """What decompresses data that begin so; None if Python's library does not."""
    import bz2
    import lzma
    import zlib

    makers: dict[bytes, Callable[[], Any]] = {
        GZIP: partial(zlib.decompressobj, wbits=31),
        BZIP2: bz2.BZ2Decompressor,
        XZ: lzma.LZMADecompressor,
    }
    return next((make() for mark, make in makers.items() if start.startswith(mark)), None)


def zst_goes_on(file: IO[bytes]) -> bool:
    """The same for Zstandard, whose frames and blocks say how long they are."""

    def take(size: int) -> bytes:
        content = file.read(size)
        if len(content) < size:
            raise EOFError
        return content

    while mark := file.read(4):
        if mark not in ZSTANDARD:
            return True
        if mark != ZSTANDARD[0]:
            file.seek(int.from_bytes(file.read(4), "little"), 1)
            continue
        described = take(1)[0]
        size, single, checksum, dictionary = described >> 6, described >> 5 & 1, described >> 2 & 1, described & 3
        file.seek((1 - single) + (0, 1, 2, 4)[dictionary] + (single, 2, 4, 8)[size], 1)
        is_last = 0
        while not is_last:
            block = int.from_bytes(take(3), "little")
            is_last, kind = block & 1, block >> 1 & 3
            # One byte that is repeated, or as many as there are.
            take(1 if kind == 1 else block >> 3)
        take(4 * checksum)
    return False
