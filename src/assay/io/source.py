"""Where data comes from: a path, or a file object that is put aside in a temporary file so that it can be read twice."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from assay import _kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPRESSIONS = (".gz", ".zst", ".bz2", ".xz")
MAGIC = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"BZh", b"\xfd7zXZ\x00")

Readable = str | os.PathLike[str] | IO[Any]


@dataclass(frozen=True, slots=True)
class Source:
    """A file to read, and the name that messages give it."""

    path: Path
    name: str

    def read(self, limit: int | None = None) -> bytes:
        """The content, decompressed; at most `limit` bytes of it."""
        return _kernel.read_bytes(self.path, self.name, limit)

    @contextmanager
    def plain(self) -> Iterator[Path]:
        """The path of the content without compression, for as long as the context lasts."""
        self.read(limit=1)
        with self.path.open("rb") as file:
            is_compressed = file.read(6).startswith(MAGIC)
        if not is_compressed:
            yield self.path
            return
        with tempfile.TemporaryDirectory(prefix="assay-") as folder:
            target = Path(folder) / "plain"
            _kernel.decompress(self.path, self.name, target)
            yield target


def is_source(data: object) -> bool:
    """Whether the data is a path or a file object."""
    return isinstance(data, (str, os.PathLike)) or hasattr(data, "read")


@contextmanager
def open_source(data: Readable) -> Iterator[Source]:
    """The source to read, for as long as the context lasts."""
    if not isinstance(data, (str, os.PathLike)):
        name = getattr(data, "name", None)
        with put_aside(data, name if isinstance(name, str) else "<file>") as source:
            yield source
        return
    path = Path(data)
    if path.is_fifo() or path.is_char_device():
        with path.open("rb") as pipe, put_aside(pipe, str(path)) as source:
            yield source
        return
    yield Source(path, str(path))


@contextmanager
def put_aside(file: IO[Any], name: str) -> Iterator[Source]:
    """The rest of a stream, kept in a temporary file."""
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        path = Path(folder) / Path(name).name.strip("<>")
        with path.open("wb") as copy:
            while chunk := file.read(1 << 20):
                copy.write(chunk.encode() if isinstance(chunk, str) else chunk)
        yield Source(path, name)
