"""The errors that assay raises, all of them `assay.AssayError`."""

from assay.core.errors import (
    AssayError,
    DataError,
    DuplicateError,
    FileError,
    FormatError,
    LimitError,
    LossError,
    MeasureError,
    MismatchError,
    NeedError,
    PolicyError,
)

__all__ = [
    "AssayError",
    "DataError",
    "DuplicateError",
    "FileError",
    "FormatError",
    "LimitError",
    "LossError",
    "MeasureError",
    "MismatchError",
    "NeedError",
    "PolicyError",
]
