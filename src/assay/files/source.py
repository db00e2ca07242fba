"""Where data comes from: a path, or a file object, which is copied to a temporary file so that it can be read twice.

A directory or a glob is many files that are read as one (`files/parts.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

from assay._kernel import add_leftover, decompress, read_bytes, remove_leftover
from assay.core.errors import PASSING, AssayError, DataError, FileError, FormatError, is_out_of_files
from assay.core.limits import LIMITS, refuse, size
from assay.core.text import printable, quoted
from assay.files.marks import BLOCKS, BZIP2, GZIP, LEVELS, MARKED, UTF_16, XZ, ZSTANDARD, explain
from assay.files.parts import list_parts

COMPRESSIONS = (".gz", ".zst", ".bz2", ".xz")
MAGIC_CHARACTERS = frozenset("*?[")
CHUNK = 1 << 20
LONGEST_NAME = 100
# The files that polars opens to read one: its runtime waits with several.
SPARE = 8
TOO_MANY = "Too many open files; close some, or allow more (ulimit -n)"
NOT_UTF_8 = "bytes that are not UTF-8; save the file as UTF-8"


class Source(NamedTuple):
    """A file, and its name in messages; or `parts`, files read as one. It is read decompressed, and UTF-16 as UTF-8."""

    path: Path
    name: str
    parts: tuple[Source, ...] = ()

    @property
    def files(self) -> tuple[Source, ...]:
        """Each file by itself."""
        return self.parts or (self,)

    def read(self, limit: int | None = None) -> bytes:
        """The content; at most `limit` bytes."""
        if self.parts:
            raise FileError(f"{quoted(self.name)} is a directory or a pattern; name a single file")
        return read_bytes(self.path, self.name, limit, LIMITS.get())

    @contextmanager
    def plain(self) -> Iterator[Path]:
        """The path of the content, valid inside the context."""
        self.read(limit=1)
        check_spare_files(f"the file {quoted(self.name)} cannot be read")
        try:
            with self.path.open("rb") as file:
                is_plain = not is_encoded(file.read(MARKED))
        except OSError as error:
            raise FileError(f"the file {quoted(self.name)} cannot be read: {error.strerror}") from None
        if is_plain:
            yield self.path
            return
        with temporary_folder() as folder:
            target = folder / "plain"
            decompress(self.path, self.name, target, LIMITS.get())
            yield target


Readable = str | os.PathLike[str] | IO[Any] | Source


class StandardInput:
    """Standard input, under a name that messages can use."""

    name = "standard input"

    def read(self, size: int = -1) -> bytes:
        if sys.stdin is None:
            raise FileError("standard input is not available")
        return sys.stdin.buffer.read(size)


def is_source(data: object) -> bool:
    return isinstance(data, (str, os.PathLike)) or callable(getattr(data, "read", None))


def is_encoded(start: bytes) -> bool:
    """Whether a file with these first bytes is compressed or UTF-16, as the kernel decides it."""
    if start.startswith(BZIP2):
        return start[3:4] in LEVELS and any(mark.startswith(start[4:MARKED]) for mark in BLOCKS)
    return start.startswith((GZIP, XZ + b"Z\x00", *ZSTANDARD, *UTF_16))


def describe(data: object) -> str:
    if isinstance(data, (str, os.PathLike)):
        name = os.fsdecode(data)
        return name if name.isprintable() else printable(name)
    if not is_source(data):
        return "the data"
    own = getattr(data, "name", None)
    return printable(own) if isinstance(own, str) and own else "<file>"


@contextmanager
def open_source(data: Readable) -> Iterator[Source]:
    if isinstance(data, Source):
        yield data
        return
    name = describe(data)
    if not isinstance(data, (str, os.PathLike)):
        with put_aside(data, name) as source:
            yield source
        return
    path = check_path(data)
    if is_stream(path):
        with path.open("rb") as pipe, put_aside(pipe, name) as source:
            yield source
        return
    parts = list_parts(path) if path.is_dir() or is_pattern(path) else ()
    with unchanged(Source(path, name, tuple(Source(each, os.fspath(each)) for each in parts))) as source:
        yield source


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a small file, plain or compressed."""
    with open_source(path) as source:
        return source.read().decode("utf-8-sig")


def read_toml(path: str | os.PathLike[str], what: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(read_text(path))
    except FileError as error:
        raise FileError(f"cannot read the {what}: {error}") from None
    except DataError:
        raise
    except UnicodeDecodeError:
        said = NOT_UTF_8
    except tomllib.TOMLDecodeError as error:
        said = f"not valid TOML: {error}"
    except RecursionError:
        said = "not valid TOML: the values are nested too deeply"
    except ValueError:
        said = "not valid TOML: a number has too many digits"
    raise FormatError(f"{describe(path)}: {said}")


@contextmanager
def unchanged(source: Source) -> Iterator[Source]:
    """The source, whose files must stay as they are: they may be opened more than once."""
    before = [state_of(each.path) for each in source.files]
    try:
        with enough_files(source.name):
            yield source
    except DataError as error:
        check_unchanged(source, before)
        better = error if is_out_of_files(error) else explain(error, source)
        if better is error:
            raise
        raise better from error
    check_unchanged(source, before)


@contextmanager
def enough_files(name: str) -> Iterator[None]:
    """Names the file and the reason if no more files can be opened, whoever finds it, and however it says so."""
    try:
        yield
    except FileError:
        raise
    except BaseException as error:
        if is_out_of_files(error):
            raise FileError(f"the file {quoted(name)} cannot be read: {TOO_MANY}") from error
        raise


def check_spare_files(failure: str) -> None:
    """Raises unless some more files can be opened: polars panics without, loudly."""
    spare: list[int] = []
    try:
        # A list, as those that were opened before the failure are closed as well.
        spare.extend(os.open(os.devnull, os.O_RDONLY) for _ in range(SPARE))
    except OSError as error:
        reason = TOO_MANY if is_out_of_files(error) else error.strerror or str(error)
        raise FileError(f"{failure}: {reason}") from error
    finally:
        for each in spare:
            os.close(each)


def state_of(path: Path) -> tuple[int, ...] | None:
    """What changes if a file is replaced or written to; None if there is no file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns


def check_unchanged(source: Source, before: list[tuple[int, ...] | None]) -> None:
    for each, state in zip(source.files, before, strict=True):
        if state is not None and state_of(each.path) != state:
            said = "changed while it was read; wait until it is complete, and read it again"
            raise FileError(f"the file {quoted(each.name)} {said}")


def is_pattern(path: Path) -> bool:
    """Whether a path is a glob: it has `*`, `?` or `[` and is not the name of a file."""
    return not MAGIC_CHARACTERS.isdisjoint(str(path)) and not os.path.lexists(path)


def check_path(data: str | os.PathLike[str]) -> Path:
    name = os.fsdecode(data)
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        raise FileError(f"{quoted(name)} is not a valid file name: it is not valid Unicode") from None
    if not name:
        raise FileError("the path is empty; name a file")
    if "\0" in name:
        raise FileError(f"{quoted(name)} is not a valid file name: it has a NUL character")
    return Path(name)


def is_stream(path: Path) -> bool:
    try:
        return path.is_fifo() or path.is_char_device()
    except OSError as error:
        raise FileError(f"the file {quoted(path)} cannot be read: {error.strerror}") from None


@contextmanager
def put_aside(file: IO[Any], name: str) -> Iterator[Source]:
    """The rest of a stream, copied to a temporary file whose name ends like the stream's."""
    with temporary_folder() as folder:
        ending = "".join(character for character in Path(name).name if character.isalnum() or character in "._-")
        path = folder / ("data" + ending[-LONGEST_NAME:])
        with space_explained(), path.open("wb") as copy:
            most = LIMITS.get().temporary
            while chunk := read_chunk(file, name):
                if copy.tell() + len(chunk) > most:
                    raise refuse(f"{name}: more than {size(most)} in a temporary file", "temporary")
                copy.write(chunk)
        with enough_files(name):
            yield Source(path, name)


@contextmanager
def temporary_folder() -> Iterator[Path]:
    import secrets
    import tempfile

    check_spare_files("no copy can be made in the temporary folder")
    with space_explained():
        folder = Path(tempfile.gettempdir(), f"assay-{secrets.token_hex(8)}")
    with leftover(folder):
        with space_explained():
            folder.mkdir(0o700)
        yield folder


@contextmanager
def space_explained() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise cannot_put_aside(error) from error


@contextmanager
def leftover(path: Path) -> Iterator[None]:
    """Removes at the end what was made at this path meanwhile, also when Ctrl-C comes at the worst moment.

    The path is named before anything is there, and removed by one call: Ctrl-C never comes inside of the kernel.
    """
    name = str(path)
    add_leftover(name)
    try:
        yield
    finally:
        remove_leftover(name)


def cannot_put_aside(error: OSError) -> FileError:
    said = f"no copy can be made in the temporary folder: {reason_of(error)}"
    return FileError(f"{said}; free space there, or set TMPDIR")


def reason_of(error: OSError) -> str:
    """What the operating system says, without the number that polars adds to it."""
    return error.strerror or str(error).partition(" (os error")[0]


def read_chunk(file: IO[Any], name: str) -> bytes:
    """The next bytes of a stream; empty at its end."""
    try:
        chunk = file.read(CHUNK)
        return chunk.encode() if isinstance(chunk, str) else bytes(memoryview(chunk or b""))
    except UnicodeError:
        raise FormatError(f"{name}: {NOT_UTF_8}") from None
    except (AssayError, *PASSING):
        raise
    except Exception as error:
        raise FileError(f"{name} cannot be read: {error}; pass a file object that is open for reading") from error


def undecodable_line(path: str | Path) -> int | None:
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return number
    return None


@contextmanager
def prefix_errors(name: str) -> Iterator[None]:
    try:
        yield
    except DataError as error:
        raise type(error)(f"{name}: {error}") from None
