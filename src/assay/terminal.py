"""For commands that are built on assay, as its own is: arguments, files, settings, progress, and the words of messages.

Light to import: what takes time is imported where it is used.
"""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.core.errors import FileError, is_out_of_files, is_out_of_threads
from assay.core.progress import watched
from assay.core.text import INTERFACE, Interface, count, printable, quoted, show

if TYPE_CHECKING:
    from assay.conventions import split_measures
    from assay.core.limits import read_limits
    from assay.data.run import is_stored
    from assay.files.source import read_text
    from assay.tasks.compare.read import name_all
    from assay.tasks.gate.limits import gate_settings

# The modules of the names that are imported when they are used.
HOMES = {
    "gate_settings": "tasks.gate.limits",
    "is_stored": "data.run",
    "name_all": "tasks.compare.read",
    "read_limits": "core.limits",
    "read_text": "files.source",
    "split_measures": "conventions",
}
__all__ = [
    "INTERFACE",
    "Interface",
    "check_target",
    "copy_to_output",
    "count",
    "gate_settings",
    "is_out_of_files",
    "is_out_of_threads",
    "is_stored",
    "losses",
    "name_all",
    "named",
    "printable",
    "read_limits",
    "read_text",
    "show",
    "source_of",
    "split_measures",
    "watched",
    "write_bytes",
]


def __getattr__(name: str) -> object:
    from importlib import import_module

    if name not in HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"assay.{HOMES[name]}"), name)


def __dir__() -> list[str]:
    return __all__


def source_of(argument: str | None) -> Any:  # noqa: ANN401 - what every function of assay reads
    """The data an argument refers to: `-` is standard input, anything else a path."""
    from assay.files.source import StandardInput

    return StandardInput() if argument == "-" else argument


def named(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Each run with its name, as results have it.

    >>> named(["runs/bm25.run.gz", "-"])
    [('bm25', 'runs/bm25.run.gz'), ('stdin', '-')]
    """
    from assay.data.run import run_names

    return list(zip(run_names(arguments), arguments, strict=True))


def write_bytes(content: bytes, target: str) -> None:
    """Writes a file, which is complete or not there."""
    from assay.files.replace import replaced, target_of

    with writing(target), replaced(target_of(target)) as partial:
        partial.write_bytes(content)


def check_target(target: str | None, *, is_page: bool = False) -> None:
    """Raises if a file cannot be written, or a report not under that name, before any long work is done for nothing."""
    if is_page and target is not None:
        from assay.report.page import check_name

        check_name(target)
    if target is None or target == "-":
        return
    import tempfile

    from assay.files.replace import status_of, target_of

    path = target_of(target)
    with writing(target):
        if status_of(path) is None or path.is_file():
            with tempfile.TemporaryFile(dir=path.resolve().parent):
                pass


@contextmanager
def writing(target: str) -> Iterator[None]:
    """Says which file could not be written."""
    try:
        yield
    except OSError as error:
        raise FileError(f"{quoted(os.fspath(target))} cannot be written: {error.strerror or error}") from error


def copy_to_output(data: Any, format: str, *, lossy: bool = False) -> None:  # noqa: ANN401 - `assay.Qrels` or `assay.Run`
    """Writes judgments or a run to standard output, by way of a file, so that there is nothing unless there is all."""
    import shutil

    from assay.files.source import cannot_put_aside, temporary_folder

    with temporary_folder() as folder:
        path = folder / "output"
        try:
            data.write(path, format=format, lossy=lossy)
        except FileError as error:
            # A file that nobody has asked for.
            if isinstance(error.__cause__, OSError):
                raise cannot_put_aside(error.__cause__) from error
            raise
        with path.open("rb") as whole:
            shutil.copyfileobj(whole, sys.stdout.buffer)
    sys.stdout.flush()


def losses(data: Any, target: str) -> list[tuple[str, list[str]]]:  # noqa: ANN401 - `assay.Qrels` or `assay.Run`
    """What a file of that name does not hold of some data, each with the formats that do."""
    from assay.data.formats import FORMATS
    from assay.data.write import losses

    formats = [each for each in FORMATS if each.write and not each.runs_as]
    return [(lost, [each.name for each in formats if lost not in each.cannot_hold]) for lost in losses(data, target)]
