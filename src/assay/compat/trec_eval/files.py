"""The files of the command line. What can be read only once, a pipe or standard input, is put into a file first."""

from __future__ import annotations

import os
import stat
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from assay.compat.trec_eval.outcome import FILE, Stop
from assay.core.errors import FileError
from assay.data.source import StandardInput, put_aside

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def opened(argument: str, complaint: str, *, is_input: bool = False) -> Iterator[Path]:
    """The file to read, or standard input; what is empty or cannot be read ends the program with a complaint."""
    stream = None if is_input else stream_of(argument)
    if stream is None and not is_input:
        yield checked(argument, complaint)
        return
    with ExitStack() as stack:
        source: Any = StandardInput() if stream is None else stack.enter_context(stream)
        try:
            kept = stack.enter_context(put_aside(source, ""))
        except FileError:
            raise Stop(FILE, complaint) from None
        yield checked(str(kept.path), complaint)


def stream_of(argument: str) -> IO[bytes] | None:
    """What is to be read from a pipe or a device; nothing where the argument is neither."""
    try:
        mode = os.stat(argument).st_mode  # noqa: PTH116 - an argument may be no valid path
        return Path(argument).open("rb") if stat.S_ISFIFO(mode) or stat.S_ISCHR(mode) else None
    except (OSError, ValueError):
        return None


def checked(argument: str, complaint: str) -> Path:
    """The path of a file that can be read and is not empty."""
    try:
        status = os.stat(argument)  # noqa: PTH116 - an argument may be no valid path
        is_readable = stat.S_ISREG(status.st_mode) and status.st_size > 0 and os.access(argument, os.R_OK)
    except (OSError, ValueError):
        is_readable = False
    if not is_readable:
        raise Stop(FILE, complaint)
    return Path(argument)
