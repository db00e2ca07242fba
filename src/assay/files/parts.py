"""Many files as one: the files of a directory, or those that a glob matches, such as the output of a Spark job.

Names that begin with `.` or `_`, as `_SUCCESS` does, and checksums (`.crc`) are not data. Files are read in the order
of their names, one at a time.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import DuplicateError, FileError
from assay.core.text import count, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from assay._kernel import Ranker
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
        raise FileError(f"{quoted(inner)} is a directory inside what should be one set of files; {advice(inner)}")
    other = min((each for each in found if not each.is_file()), default=None)
    if other is not None:
        raise FileError(f"{quoted(other)} is not a regular file; remove it from {quoted(folder)}")
    return found


def advice(inner: Path) -> str:
    if "=" in inner.name:
        column = inner.name.partition("=")[0]
        return f"partitioned tables are not supported: write the column {column!r} into the files instead"
    return "name the files to read with a glob in quotes, such as 'folder/*/*.parquet'"


def hint_at_runs(rank: Callable[..., Ranker], source: Source) -> Callable[..., Ranker]:
    """A function that ranks; an error about duplicates says that the files may be different runs."""

    def hinting(**how: Any) -> Ranker:  # noqa: ANN401 - as the function takes it
        try:
            return rank(**how)
        except DuplicateError as error:
            names = f"{source.parts[0].path.name} to {source.parts[-1].path.name}"
            number = count(len(source.parts), "file")
            hint = f"if these {number} ({names}) are different runs, name each of them"
            raise DuplicateError(f"{error}; {hint}") from None

    return hinting
