"""For commands that are built on assay, as its own is: arguments, files, settings, progress, and the words of messages.

Light to import: what takes time is imported where it is used.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from assay.core.errors import FileError, is_out_of_files, is_out_of_threads
from assay.core.progress import watched
from assay.core.text import INTERFACE, Interface, count, printable, quoted, show

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


def name_all(qrels: object, runs: Sequence[object]) -> tuple[object, dict[str, object]]:
    """The judgments, and runs by name, as `assay.compare` has them; a report among the runs stands for those in it."""
    from assay.tasks.compare.read import name_all

    return name_all(qrels, runs)


def is_stored(path: str) -> bool:
    """Whether a file is a stored result or a report, which needs no judgments."""
    from assay.data.run import is_stored

    return is_stored(path)


def split_measures(text: str) -> list[str]:
    """The names of measures in a text, between commas or blanks.

    >>> split_measures("ndcg@10,ap(rel=2, norm=found)")
    ['ndcg@10', 'ap(rel=2, norm=found)']
    """
    from assay.conventions import split_measures

    return split_measures(text)


def read_limits(pairs: Sequence[str]) -> dict[str, int]:
    """What `assay.limits` takes, from texts such as `line=4Mi`."""
    from assay.core.limits import read_limits

    return read_limits(pairs)


def read_text(path: str) -> str:
    """The text of a small file, plain or compressed."""
    from assay.files.source import read_text

    return read_text(path)


def gate_settings(config: str | None, told: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a gate in a TOML file, by default in this folder, overridden by those that are `told`."""
    from assay.tasks.gate.limits import merge_settings

    return merge_settings(config, told)


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
    import sys

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
