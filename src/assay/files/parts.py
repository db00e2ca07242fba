"""Many files as one: the files of a directory, or those that a glob matches, such as the output of a Spark job.

Names that begin with `.` or `_`, as `_SUCCESS` does, and checksums (`.crc`) are not data. Files are read in the order
of their names, one at a time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import DuplicateError, FileError
from assay.core.text import count, quoted

if TYPE_CHECKING:
    from assay.files.source import Source

# What a directory holds if not all of its files count, and how to get at those that do.
MANAGED = {
    "_delta_log": "a Delta table, whose log says which files count; write the rows you need to plain Parquet files",
    ".hoodie": "a Hudi table, whose log says which files count; write the rows you need to plain Parquet files",
    "_temporary": "unfinished output (it has '_temporary'); wait until it is written, or write it again",
}


def list_parts(path: Path) -> list[Path]:
    """The files of a directory, or those that a glob matches, in the order of their names."""
    if not path.is_dir():
        import glob

        matched = map(Path, glob.glob(str(path), recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
        return sorted(check_files(matched, f"no file matches {quoted(path)}", path.parent))
    try:
        every = list(path.iterdir())
    except OSError as error:
        raise FileError(f"the directory {quoted(path)} cannot be read: {error.strerror}") from None
    for name, reason in MANAGED.items():
        if any(each.name == name for each in every):
            raise FileError(f"{quoted(path)} is {reason}")
    return sorted(check_files(every, f"the directory {quoted(path)} has no files with data", path))


def check_files(every: Iterable[Path], nothing: str, folder: Path) -> list[Path]:
    found = [each for each in every if not each.name.startswith((".", "_")) and each.suffix != ".crc"]
    if not found:
        raise FileError(nothing)
    inner = min((each for each in found if each.is_dir()), default=None)
    if inner is not None:
        column, is_partition, _ = inner.name.partition("=")
        advice = "name the files to read with a glob in quotes, such as 'folder/*/*.parquet'"
        if is_partition:
            advice = f"partitioned tables are not supported: write the column {column!r} into the files instead"
        raise FileError(f"{quoted(inner)} is a directory inside what should be one set of files; {advice}")
    other = min((each for each in found if not each.is_file()), default=None)
    if other is not None:
        raise FileError(f"{quoted(other)} is not a regular file; remove it from {quoted(folder)}")
    return found


@contextmanager
def hint_at_runs(source: Source) -> Iterator[None]:
    """Makes an error about duplicates say that the files may be different runs."""
    try:
        yield
    except DuplicateError as error:
        names = f"{source.parts[0].path.name} to {source.parts[-1].path.name}"
        hint = f"if these {count(len(source.parts), 'file')} ({names}) are different runs, name each of them"
        raise DuplicateError(f"{error}; {hint}") from None
