"""Why a file could not be read, where the file tells more than the error does.

It may be an archive, or go on after the end of its compressed data.
"""

from __future__ import annotations

import bz2
import lzma
import zlib
from typing import IO, TYPE_CHECKING

from assay.core.errors import DataError, FileError, FormatError
from assay.files.source import CHUNK, ZSTANDARD, quoted

if TYPE_CHECKING:
    from pathlib import Path

    from assay.files.source import Source

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
UNDECODABLE = (OSError, ValueError, EOFError, zlib.error, lzma.LZMAError)


def explain(error: DataError, source: Source) -> DataError:
    """The error, or a better one."""
    if not isinstance(error, (FileError, FormatError)):
        return error
    for each in source.files:
        kind = kind_of(each)
        if kind is not None:
            return FormatError(f"{each.name} is {kind}; extract the data from it first")
        if isinstance(error, FileError) and each.path.is_file() and goes_on(each.path):
            said = "goes on after the end of its compressed data; remove the rest, or create the file again"
            return FileError(f"{quoted(each.name)} {said}")
    return error


def kind_of(source: Source) -> str | None:
    """What a file is, if it is one of those that are not read; also if it is compressed once more."""
    try:
        head = source.read(HEAD)
    except DataError:
        # The name of a single letter with which an archive may begin looks like UTF-32.
        head = start_of(source.path)
    return next((kind for kind, (at, mark) in KINDS.items() if head[at : at + len(mark)] == mark), None)


def start_of(path: Path) -> bytes:
    """The first bytes whatever their encoding, decompressed by Python if it can; none if they cannot be read."""
    try:
        with path.open("rb") as file:
            start = file.read(CHUNK)
        decoder = decoder_of(start)
        return start if decoder is None else decoder().decompress(start, HEAD)
    except UNDECODABLE:
        return b""


def goes_on(path: Path) -> bool:
    """Whether something else follows complete compressed data."""
    try:
        with path.open("rb") as file:
            start = file.read(4)
            file.seek(0)
            if start.startswith(ZSTANDARD):
                return zst_goes_on(file)
            decoder = decoder_of(start)
            return decoder is not None and members_go_on(file, decoder)
    except UNDECODABLE:
        return False


class GzipDecompressor:
    """Python's decompressor of gzip, with the interface of those of bzip2 and xz."""

    def __init__(self) -> None:
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


Decoder = GzipDecompressor | bz2.BZ2Decompressor | lzma.LZMADecompressor
DECODERS: dict[bytes, type[Decoder]] = {
    b"\x1f\x8b": GzipDecompressor,
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zX": lzma.LZMADecompressor,
}


def decoder_of(start: bytes) -> type[Decoder] | None:
    """What decompresses a file that begins so; None if Python's library does not."""
    return next((each for mark, each in DECODERS.items() if start.startswith(mark)), None)


def members_go_on(file: IO[bytes], decoder: type[Decoder]) -> bool:
    """Whether what follows the last complete member does not begin another one."""
    mark = next(mark for mark, each in DECODERS.items() if each is decoder)
    rest = file.read(CHUNK)
    while rest:
        member = decoder()
        while not member.eof:
            if not rest and member.needs_input:
                return False
            member.decompress(rest, MOST)
            rest = file.read(CHUNK) if member.needs_input and not member.eof else b""
        rest = member.unused_data + file.read(CHUNK)
        if rest and not rest.startswith(mark):
            return True
    return False


def zst_goes_on(file: IO[bytes]) -> bool:
    """The same for Zstandard, whose frames and blocks say how long they are."""
    while mark := file.read(4):
        if mark not in ZSTANDARD:
            return True
        if mark == ZSTANDARD[0]:
            skip_frame(file)
        else:
            file.seek(int.from_bytes(file.read(4), "little"), 1)
    return False


def skip_frame(file: IO[bytes]) -> None:
    """Moves to the end of a frame of Zstandard whose mark was read."""
    described = take(file, 1)[0]
    size, single, checksum, dictionary = described >> 6, described >> 5 & 1, described >> 2 & 1, described & 3
    file.seek((1 - single) + (0, 1, 2, 4)[dictionary] + (single, 2, 4, 8)[size], 1)
    is_last = 0
    while not is_last:
        block = int.from_bytes(take(file, 3), "little")
        is_last, kind = block & 1, block >> 1 & 3
        # One byte that is repeated, or as many as there are.
        take(file, 1 if kind == 1 else block >> 3)
    take(file, 4 * checksum)


def take(file: IO[bytes], size: int) -> bytes:
    """The next bytes, all of which must be there."""
    content = file.read(size)
    if len(content) < size:
        raise EOFError
    return content
