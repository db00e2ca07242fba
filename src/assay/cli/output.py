"""Where output goes: data to standard output or a file, talk to standard error."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from assay.core.errors import FileError
from assay.core.text import printable, show


def say(text: str) -> None:
    """One line on standard error, with nothing in it that a terminal could take for a command."""
    click.echo(printable(text), file=sys.stderr)


def emit(text: str, target: str | None = None) -> None:
    """Data: to standard output, or to a file that is written whole or not at all."""
    if target is None or target == "-":
        click.echo(text, file=sys.stdout, nl=False)
        return
    from assay.io.write import replaced

    try:
        with replaced(Path(target)) as partial:
            partial.write_bytes(text.encode("utf-8", errors="backslashreplace"))
    except OSError as error:
        raise FileError(f"{show(target)} cannot be written: {error.strerror or error}") from error
