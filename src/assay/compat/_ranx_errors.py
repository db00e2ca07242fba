"""Errors of the ranx drop-in: each is assay's and of the type that ranx raises, so that an `except` goes on working."""

from __future__ import annotations

from typing import NoReturn

from assay.core.errors import AssayError, DataError, FileError, FormatError, MeasureError, MismatchError, PolicyError


class KindError(FormatError, AssertionError):
    """There is no such kind of file."""


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class LengthError(DataError, IndexError):
    """Documents and values do not pair up."""


class ValueOfWrongTypeError(FormatError, TypeError, OverflowError):
    """A grade or a score is no number, or none that ranx can hold."""


class QueriesError(MismatchError, AssertionError):
    """Judgments and run do not have the same queries."""


class MetricError(MeasureError, AssertionError):
    """A metric's name is wrong."""


class StatTestError(PolicyError, NotImplementedError):
    """There is no such test."""


class OutOfScopeError(AssayError, NotImplementedError):
    """ranx has it and assay does not."""


def refuse(name: str, advice: str) -> NoReturn:
    """Says what is not here, and where it is."""
    raise OutOfScopeError(f"assay.compat.ranx has no {name}: {advice}")
