"""The marks at the start of files, and why a file could not be read, where they tell more than the error does.

A file may be an archive, or go on after the end of its compressed data.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING

from assay.core.errors import DataError, FileError, FormatError
from assay.core.text import quoted

if TYPE_CHECKING:
    import bz2
    import lzma
    from pathlib import Path

    from assay.files.source import Source

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
# Bytes that are decompressed at a time: a small file can hold very much.
MOST = 1 << 20


def explain(error: DataError, source: Source) -> DataError:
    """The error, or a better one that the file itself gives reason to."""
    if not isinstance(error, (FileError, FormatError)):
        return error
    for each in source.files:
        try:
            head = each.read(HEAD)
        except DataError:
            # The name of a single letter with which an archive may begin looks like UTF-32.
            head = start_of(each.path)
        kind = next((kind for kind, (at, mark) in KINDS.items() if head[at : at + len(mark)] == mark), None)
        if kind is not None:
            return FormatError(f"{each.name} is {kind}; extract the data from it first")
        if isinstance(error, FileError) and each.path.is_file() and goes_on(each.path):
            said = "goes on after the end of its compressed data; remove the rest, or create the file again"
            return FileError(f"{quoted(each.name)} {said}")
    return error


def start_of(path: Path) -> bytes:
    """The first bytes whatever their encoding, decompressed by Python if it can; none if they cannot be read."""
    import lzma
    import zlib

    try:
        with path.open("rb") as file:
            start = file.read(MOST)
        decoder = make_decoder(start)
        return start if decoder is None else decoder.decompress(start, HEAD)
    except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError):
        return b""


def goes_on(path: Path) -> bool:
    """Whether something else follows complete compressed data."""
    import lzma
    import zlib

    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            return zst_goes_on(file) if start.startswith(ZSTANDARD) else members_go_on(file, start)
    except (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError):
        return False


class GzipDecompressor:
    """Python's decompressor of gzip, with the interface of those of bzip2 and xz."""

    def __init__(self) -> None:
        import zlib

        self.inner = zlib.decompressobj(wbits=31)

    def decompress(self, data: bytes, most: int) -> bytes:
        return self.inner.decompress(self.inner.unconsumed_tail + data, most)

    @property
    def eof(self) -> bool:
        return self.inner.eof

    @property
    def needs_input(self) -> bool:
        return not self.inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self.inner.unused_data


def make_decoder(start: bytes) -> GzipDecompressor | bz2.BZ2Decompressor | lzma.LZMADecompressor | None:
    """What decompresses data that begin so; None if Python's library does not."""
    import bz2
    import lzma

    if start.startswith(GZIP):
        return GzipDecompressor()
    if start.startswith(BZIP2):
        return bz2.BZ2Decompressor()
    return lzma.LZMADecompressor() if start.startswith(XZ) else None


def members_go_on(file: IO[bytes], start: bytes) -> bool:
    """Whether what follows the last complete member does not begin another one."""
    rest = file.read(MOST)
    while rest and (member := make_decoder(start)):
        while not member.eof:
            if not rest and member.needs_input:
                return False
            member.decompress(rest, MOST)
            rest = file.read(MOST) if member.needs_input and not member.eof else b""
        rest = member.unused_data + file.read(MOST)
        if rest and not rest.startswith(next(mark for mark in (GZIP, BZIP2, XZ) if start.startswith(mark))):
            return True
    return False


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
