"""Where output goes: data to standard output or a file, talk to standard error."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click

from assay.core.errors import FileError
from assay.core.text import printable, show


def say(text: str) -> None:
    """One line on standard error, with nothing in it that a terminal could take for a command."""
    click.echo(printable(text), file=sys.stderr)


def check_target(target: str | None) -> None:
    """Raises where a file could not be written, so that no long work is done for nothing."""
    if target is None or target == "-":
        return
    path = Path(target)
    if path.is_dir():
        raise FileError(f"{show(target)} is a directory, not a file")
    if path.exists() and not path.is_file():
        return
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except OSError as error:
        raise FileError(f"{show(target)} cannot be written: {error.strerror or error}") from error


def emit(text: str, target: str | None = None) -> None:
    """Data: to standard output, or to a file that is written whole or not at all."""
    if target is None or target == "-":
        click.echo(text, file=sys.stdout, nl=False)
        return
    from assay.data.write import replaced

    try:
        with replaced(Path(target)) as partial:
            partial.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise FileError(f"{show(target)} cannot be written: {error.strerror or error}") from error
