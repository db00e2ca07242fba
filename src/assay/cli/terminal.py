"""Terminal input and output: data on stdin and stdout, messages and progress on stderr.

The streams may be connected to anything: nothing, a full disk, a pipe that nobody reads, a terminal without Unicode.
Standard output that cannot be written is an error, as what was asked for is lost; a pipe whose reader is gone, as in
`assay measures | head -1`, ends the command quietly. What cannot be said on standard error is left out: it changes
neither the data nor the exit code.

Nothing here is slow to import: every invocation loads this file.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
from typing import TYPE_CHECKING, TextIO, cast

import click

from assay.errors import FileError
from assay.terminal import printable, write_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from _typeshed import ReadableBuffer

    from assay import Note

# ASCII stand-ins for the characters in assay's own tables and formulas.
PLAIN = {
    "─": "-",
    "…": "...",
    "·": "*",
    "²": "^2",
    "Σ": "sum",
    "Π": "product",
    "→": "->",
    "–": "-",
    "±": "+-",
    "✓": "*",
    "−": "-",
    "×": "x",
    "≥": ">=",
    "≤": "<=",
    "α": "alpha",
}
# As a shell shows a process that a closed pipe has ended.
PIPE_CLOSED = 141
OUTPUT, MESSAGES = 1, 2
FOR_PEOPLE = ("table", "text")
# What tells a browser how to read a file with a table.
PAGE_START = b'<!doctype html>\n<meta charset="utf-8">\n'


def this_command() -> str:
    """The command as it was typed, for the page that it writes."""
    import shlex

    return shlex.join(["assay", *sys.argv[1:]])


def check_single_input(*arguments: object) -> None:
    """Standard input can be read only once."""
    if sum(each == "-" or hasattr(each, "read") for each in arguments) > 1:
        raise click.UsageError("- is standard input and can be used for one file only")


def say(text: str) -> None:
    """One line on standard error, with terminal control characters escaped."""
    click.echo(printable(text), file=sys.stderr)


def say_loudly(notes: Iterable[Note]) -> None:
    """The notes that make the numbers meaningless, as warnings on standard error; call it before the output."""
    for note in notes:
        if note.is_loud:
            click.secho(printable(f"warning: {note}"), fg="yellow", bold=True, err=True)


def say_notes(notes: Iterable[Note]) -> None:
    """The other notes, for output that has no place for them."""
    for note in notes:
        if not note.is_loud:
            say(f"note: {note}")


def emit(text: str, target: str | None = None, format_: str = "table") -> None:
    """Writes data, to a file atomically: UTF-8 for programs; for people what the terminal can show."""
    encoded = text.encode("utf-8", errors="backslashreplace")
    if target is None or target == "-":
        click.echo(text if format_ in FOR_PEOPLE else encoded, file=sys.stdout, nl=False)
        return
    if target.lower().endswith((".html", ".htm")) and text.startswith("<"):
        encoded = PAGE_START + encoded
    write_bytes(encoded, target)


class StandardFile(io.FileIO):
    """A standard stream. If it cannot be written, `fail` is called with the reason, and the rest goes nowhere."""

    def __init__(self, number: int, fail: Callable[[OSError], None]) -> None:
        super().__init__(number, "w", closefd=False)
        self.fail = fail
        self.is_lost = False

    def write(self, content: ReadableBuffer, /) -> int:
        if not self.is_lost:
            try:
                return super().write(content)
            except OSError as error:
                # What is still in a buffer is flushed once more when the process ends.
                self.is_lost = True
                self.fail(error)
        return memoryview(content).nbytes


def fail_output(error: OSError) -> None:
    """Ends the command, as its data cannot be written."""
    if isinstance(error, BrokenPipeError):
        sys.exit(PIPE_CLOSED)
    raise FileError(f"standard output cannot be written: {error.strerror or error}") from error


def prepare_streams() -> None:
    """Gives the command streams that fail as they should, also in place of those it was started without."""
    # The next file that is opened would get the number of a closed stream, and with it what is meant for the stream.
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    if sys.stdout is None:
        sys.stdout = cast("TextIO", ClosedOutput())
    if sys.stderr is None:
        sys.stderr = io.TextIOWrapper(io.FileIO(os.devnull, "w"))
    codecs.register_error("assay", replace_unencodable)
    sys.stdout = safe_stream(sys.stdout, OUTPUT, fail_output)
    sys.stderr = safe_stream(sys.stderr, MESSAGES, lambda _: None)


def safe_stream(stream: TextIO, number: int, fail: Callable[[OSError], None]) -> TextIO:
    """A stream like the given one; characters that its encoding lacks are replaced, where Python would raise."""
    if not isinstance(stream, io.TextIOWrapper):
        return stream
    if sys.platform == "win32":
        # A console has files of its own there.
        stream.reconfigure(errors="assay")
        return stream
    # Buffered in any case: a write without a buffer may write less than it was given, and say nothing.
    return io.TextIOWrapper(
        io.BufferedWriter(StandardFile(number, fail)),
        encoding=stream.encoding,
        errors="assay",
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


class ClosedOutput(io.TextIOBase):
    """Standard output that was closed before the command began: writing to it is an error."""

    encoding = "utf-8"
    errors = "strict"

    @property
    def buffer(self) -> ClosedOutput:
        return self

    def write(self, _: object) -> int:
        raise FileError(f"standard output is closed; redirect it to a file, or to {os.devnull} to discard it")


def replace_unencodable(error: UnicodeError) -> tuple[str, int]:
    """The handler for `codecs.register_error`: different texts stay different, as ids must."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(PLAIN.get(each) or each.encode("unicode_escape").decode("ascii") for each in lost), error.end
