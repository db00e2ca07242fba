"""Errors of the ranx drop-in: each is an AssayError of the type that ranx raises, so that an `except` still works."""

from __future__ import annotations

from typing import NoReturn

from assay.core.errors import AssayError, DataError, FileError, FormatError, MeasureError, MismatchError, PolicyError


class KindError(FormatError, AssertionError):
    """Unknown kind of file."""


class MissingFileError(FileError, FileNotFoundError):
    """File not found."""


class UnwritableError(FileError, OSError):
    """A file cannot be written."""


class LengthError(DataError, IndexError):
    """Different numbers of documents and values."""


class ValueOfWrongTypeError(FormatError, TypeError, OverflowError):
    """A grade or score is not a number, or not one that ranx can hold."""


class QueriesError(MismatchError, AssertionError):
    """Judgments and run have different queries."""


class MetricError(MeasureError, AssertionError):
    """Unknown metric."""


class StatTestError(PolicyError, NotImplementedError):
    """Unknown statistical test."""


class OutOfScopeError(AssayError, NotImplementedError):
    """Available in ranx but not in assay."""


def refuse(name: str, advice: str) -> NoReturn:
    """Raises for something that only ranx has."""
    raise OutOfScopeError(f"assay.compat.ranx has no {name}: {advice}")
