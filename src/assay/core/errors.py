"""Everything that assay raises for bad input.

    AssayError
    ├── DataError                the judgments or the run cannot be used
    │   ├── FileError            a file cannot be opened, read or decompressed
    │   ├── FormatError          a line, a field or a value is malformed
    │   │   └── LimitError       there is more data than a limit allows (`assay.limits`)
    │   ├── DuplicateError       a query lists a document more than once
    │   ├── MismatchError        judgments and run do not belong together
    │   ├── LossError            a format cannot hold the data to write
    │   └── NeedError            a chart needs what the data do not have
    ├── MeasureError             the name or a parameter of a measure is wrong
    └── PolicyError              an option is wrong

A message says what is wrong, where, and what to do.
"""

import errno

# What a user's object or function may raise that is not about its value; it passes through unchanged, like Ctrl-C.
PASSING = (MemoryError, RecursionError)


class AssayError(Exception):
    """The root of all errors that assay raises on purpose."""


class DataError(AssayError, ValueError):
    """The judgments or the run cannot be used."""


class FileError(DataError):
    """A file cannot be opened, read or decompressed."""


class FormatError(DataError):
    """A line, a field or a value is malformed."""


class LimitError(FormatError):
    """There is more data than a limit allows; `assay.limits` raises it."""


class DuplicateError(DataError):
    """A query lists a document more than once."""


class MismatchError(DataError):
    """Judgments and run do not belong together."""


class LossError(DataError):
    """A format cannot hold the data to write."""


class NeedError(DataError):
    """A chart needs what the data do not have, though nothing is wrong with them."""


class MeasureError(AssayError, ValueError):
    """The name or a parameter of a measure is wrong."""


class PolicyError(AssayError, ValueError):
    """An option is wrong."""


for _error in (*AssayError.__subclasses__(), *DataError.__subclasses__(), *FormatError.__subclasses__()):
    _error.__module__ = "assay.errors"


def is_out_of_files(error: BaseException) -> bool:
    """Whether an error is that no more files can be opened; libraries have it as text, also in panics and imports."""
    if isinstance(error, OSError):
        return error.errno in (errno.EMFILE, errno.ENFILE)
    return "Too many open files" in str(error)


def is_out_of_threads(error: BaseException) -> bool:
    """Whether an error is Python's, that no more threads can be started."""
    return isinstance(error, RuntimeError) and "can't start new thread" in str(error)
