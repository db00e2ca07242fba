"""Frames of polars, pandas, pyarrow and other Arrow libraries, and lists of named tuples: columns and rows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from assay.core.errors import PASSING, FormatError
from assay.core.text import printable, show
from assay.data.frames.columns import (
    DOCUMENT,
    GIVEN_RANK,
    QUERY,
    find_column,
    find_columns,
    groups_of_iterations,
    prepare_table,
)
from assay.files.source import is_source

if TYPE_CHECKING:
    import polars


def is_frame(data: object) -> bool:
    return hasattr(type(data), "__arrow_c_stream__") or is_a(data, "pandas.DataFrame") or is_a(data, "polars.LazyFrame")


def is_a(data: object, kind: str) -> bool:
    """Whether the data is of a library's class, without importing the library."""
    library, _, name = kind.partition(".")
    return any(each.__name__ == name and each.__module__.split(".")[0] == library for each in type(data).__mro__)


def as_frame(data: object, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame | None:
    """A frame or a list of named tuples, ready for the kernel; None if the data has another form."""
    frame = from_tuples(data)
    if not is_frame(frame):
        return None
    with library_errors():
        table = to_polars(frame, columns, judgments=judgments)
    name = "the frame" if frame is data else "the list"
    ready = prepare_table(table, columns, judgments=judgments, name=name, place=lambda row: f"row {row}")
    return groups_of_iterations(ready)


def to_polars(frame: Any, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """Any frame as a polars one, with the columns of judgments or a run."""

    def used(names: list[str]) -> list[str]:
        return list(dict.fromkeys(find_columns(names, columns, judgments=judgments, name="the frame").values()))

    return whole_frame(frame, used)


def whole_frame(frame: Any, used: Callable[[list[str]], list[str]] | None = None) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """Any frame as a polars one, without a copy where the library allows it; with all columns, or those used."""
    import polars

    if isinstance(frame, polars.LazyFrame):
        return (frame if used is None else frame.select(used(frame.collect_schema().names()))).collect()
    if is_a(frame, "pandas.DataFrame"):
        names = list(map(str, frame.columns))
        places = range(len(names)) if used is None else map(names.index, used(names))
        return polars.DataFrame([from_pandas(frame.iloc[:, place]).alias(names[place]) for place in places])
    return frame if isinstance(frame, polars.DataFrame) else polars.DataFrame(frame)


def from_pandas(column: Any) -> polars.Series:  # noqa: ANN401 - pandas' series
    """A pandas column; of objects if its values are of several types, or if pyarrow is not installed."""
    import polars

    try:
        return polars.Series(values=column)
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - pandas and pyarrow raise their own
        values = [None if missing else each for each, missing in zip(column.tolist(), column.isna(), strict=True)]
        return polars.Series(values=values, dtype=polars.Object)


@contextmanager
def library_errors() -> Iterator[None]:
    """Each library raises its own errors about a frame; they become `FormatError`."""
    try:
        yield
    except (FormatError, *PASSING):
        raise
    except Exception as error:
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"the frame cannot be read: {reason}") from error


def from_tuples(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """A list of named tuples, such as those of ir_measures and ir_datasets, as a frame; any other data as it is."""
    data = gather(data)
    if not is_tuples(data):
        return data
    import polars

    fields = data[0]._fields
    wrong = next((row for row, each in enumerate(data) if getattr(each, "_fields", None) != fields), None)
    if wrong is not None:
        names = ", ".join(fields)
        raise FormatError(f"the list, row {wrong}: {show(data[wrong])} has other fields than the first row ({names})")
    return polars.DataFrame([tuples_series(*each) for each in zip(fields, zip(*data, strict=True), strict=True)])


def is_tuples(data: object) -> bool:
    """Whether the data is a list whose first entry is a tuple that names its query and its document."""
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    fields = getattr(first, "_fields", ())
    return isinstance(first, tuple) and bool(find_column(fields, QUERY) and find_column(fields, DOCUMENT))


def gather(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """A generator of named tuples as a list; any other data as it is."""
    if not isinstance(data, Iterator) or is_source(data) or is_frame(data):
        return data
    first = next(data, None)
    return [first, *data] if is_tuples([first]) else data


def tuples_series(name: str, values: tuple[Any, ...]) -> polars.Series:
    """A column; of objects if its values are of several types."""
    import polars

    try:
        return polars.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, AttributeError, polars.exceptions.PolarsError):
        return polars.Series(name, list(values), dtype=polars.Object)


def frame_rows(frame: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any library's frame
    """The rows of any frame as dicts; what pandas marks as missing is None."""
    if is_a(frame, "pandas.DataFrame"):
        return [
            {str(key): None if isinstance(each, float) and math.isnan(each) else each for key, each in row.items()}
            for row in frame.to_dict(orient="records")
        ]
    with library_errors():
        return whole_frame(frame).to_dicts()


def plain_frame(frame: Any, columns: Mapping[str, str] | None) -> Any:  # noqa: ANN401 - any library's frame
    """The columns of a frame of polars, pyarrow or pandas; None if it must be prepared first (`frame.py`)."""
    if is_a(frame, "polars.DataFrame"):
        names, select = frame.columns, frame.select
    elif is_a(frame, "pyarrow.Table"):
        names, select = frame.column_names, frame.select
    elif is_a(frame, "pandas.DataFrame"):
        names, select = list(frame.columns), lambda used: arrow_of_pandas(frame, used)
    else:
        return None
    if not all(isinstance(each, str) for each in names) or GIVEN_RANK in names:
        return None
    try:
        found = find_columns(names, columns, judgments=False, name="")
        used = [found["query_id"], found["doc_id"], found["value"]]
        return select(used) if len(set(used)) == len(used) else None
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong is said where the frame is prepared
        return None


def arrow_of_pandas(frame: Any, used: list[str]) -> Any:  # noqa: ANN401 - pandas' frame, pyarrow's table
    """The columns as a table of pyarrow; None if their types are others."""
    *ids, scores = (frame[each] for each in used)
    # Arrow takes texts of these types without looking at each value.
    if scores.dtype != "float64" or not all(each.dtype.name in ("str", "string") for each in ids):
        return None
    import pyarrow

    return pyarrow.table([*(pyarrow.array(each.array) for each in ids), pyarrow.array(scores.to_numpy())], names=used)
