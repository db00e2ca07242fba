"""Standard input as data, and standard output that can hold any character."""

from __future__ import annotations

import codecs
import io
from typing import IO

import click

from assay.data.source import StandardInput

# What stands in for the characters of assay's own tables and formulas where a terminal has only ASCII.
PLAIN = {"─": "-", "…": "...", "·": "*", "²": "^2", "Σ": "sum", "Π": "product", "→": "->", "–": "-"}


def source_of(argument: str) -> str | StandardInput:
    """The data that an argument stands for: `-` is standard input, anything else a path."""
    return StandardInput() if argument == "-" else argument


def check_single_input(arguments: tuple[str, ...]) -> None:
    """Standard input can be read only once."""
    if arguments.count("-") > 1:
        raise click.UsageError("- is standard input and can stand for one file only")


def make_safe(stream: IO[str] | None) -> None:
    """Lets a stream write what its encoding lacks as something near, where Python would raise."""
    codecs.register_error("assay", nearly)
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="assay")


def nearly(error: UnicodeError) -> tuple[str, int]:
    """Replaces characters that cannot be encoded; see `codecs.register_error`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(PLAIN.get(character, "?") for character in error.object[error.start : error.end]), error.end
