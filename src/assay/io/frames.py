"""Frames: polars, pandas, pyarrow and whatever else speaks Arrow, made into the columns that the kernel reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.core.errors import FormatError
from assay.core.text import show
from assay.io.columns import find_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars


def is_frame(data: object) -> bool:
    """Whether the data is a frame."""
    return hasattr(data, "__arrow_c_stream__") or (hasattr(data, "columns") and hasattr(data, "dtypes"))


def to_polars(frame: Any) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """Any frame as a polars one; without a copy where the library allows it."""
    import polars

    if isinstance(frame, polars.DataFrame):
        return frame
    if isinstance(frame, polars.LazyFrame):
        return frame.collect()
    try:
        return polars.DataFrame(frame)
    except ImportError:
        # Without pyarrow, pandas does not speak Arrow; its columns are plain enough to be taken one by one.
        return polars.DataFrame({str(name): frame[name].tolist() for name in frame.columns})


def prepare_frame(frame: Any, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """A frame that a user gave, ready for the kernel."""
    return prepare(to_polars(frame), columns, judgments=judgments, name="the frame", place=lambda row: f"row {row}")


def prepare(
    table: polars.DataFrame,
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
    name: str,
    place: Callable[[int], str],
) -> polars.DataFrame:
    """The table with columns `query_id`, `doc_id` and perhaps `group` as text, and `value` as float64."""
    import polars

    found = find_columns(table.columns, columns, judgments=judgments, name=name)
    for role, column in found.items():
        if table[column].null_count():
            row = int(table[column].is_null().arg_true()[0])
            raise FormatError(f"{name}, {place(row)}: there is nothing in the column {show(column)}")
        convert = as_number if role == "value" else as_text
        found[role] = convert(table[column], name, place).alias(role)  # type: ignore[assignment]
    return polars.DataFrame(list(found.values()))


def as_text(column: polars.Series, name: str, place: Callable[[int], str]) -> polars.Series:
    """Ids as text: integers as decimal strings."""
    import polars

    kind = column.dtype
    if kind == polars.Object:
        ids = [str(each) if is_id(each) else None for each in column]
        wrong = next((row for row, each in enumerate(ids) if each is None), None)
        if wrong is not None:
            raise FormatError(f"{name}, {place(wrong)}: {show(column[wrong])} is no id; use strings or integers")
        return polars.Series(ids, dtype=polars.String)
    if kind != polars.String and not (kind.is_integer() or kind in (polars.Categorical, polars.Enum, polars.Null)):
        raise FormatError(f"{name}: the column {show(column.name)} must hold strings or integers, not {kind}")
    text = column if kind == polars.String else column.cast(polars.String)
    empty = (text == "").arg_true()
    if len(empty):
        raise FormatError(f"{name}, {place(int(empty[0]))}: there is nothing in the column {show(column.name)}")
    return text


def is_id(value: object) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def as_number(column: polars.Series, name: str, place: Callable[[int], str]) -> polars.Series:
    """Grades or scores as finite float64."""
    import polars

    if column.dtype == polars.Object:
        column = polars.Series(column.name, [str(each) for each in column])
    if column.dtype == polars.String:
        column = column.str.strip_chars()
    numbers = column if column.dtype == polars.Float64 else column.cast(polars.Float64, strict=False)
    wrong = (numbers.is_null() | ~numbers.is_finite()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        what = "is not a number" if numbers[row] is None else "is not finite"
        raise FormatError(f"{name}, {place(row)}: {show(column[row])} in the column {show(column.name)} {what}")
    return numbers
