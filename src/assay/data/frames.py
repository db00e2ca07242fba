"""Frames: polars, pandas, pyarrow and whatever else speaks Arrow, made into the columns that the kernel reads."""

from __future__ import annotations

import math
from numbers import Integral
from typing import TYPE_CHECKING, Any

from assay.core.errors import FormatError
from assay.core.text import printable, show
from assay.data.columns import find_columns

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars

NO_ITERATION = "0"


def is_frame(data: object) -> bool:
    """Whether the data is a frame."""
    return hasattr(type(data), "__arrow_c_stream__") or is_a(data, "pandas.DataFrame") or is_a(data, "polars.LazyFrame")


def is_a(data: object, kind: str) -> bool:
    """Whether the data is of a library's class; the library is not imported for it.

    >>> is_a({}, "pandas.DataFrame")
    False
    """
    library, _, name = kind.partition(".")
    return any(each.__name__ == name and each.__module__.split(".")[0] == library for each in type(data).__mro__)


def prepare_frame(
    frame: Any,  # noqa: ANN401 - any library's frame
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
    name: str = "the frame",
) -> polars.DataFrame:
    """A frame that a user gave, ready for the kernel; `name` is what messages call it."""
    import polars

    try:
        table = to_polars(frame, columns, judgments=judgments)
    except FormatError:
        raise
    except Exception as error:  # each library raises its own
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"the frame cannot be read: {reason}") from error
    if not isinstance(table, polars.DataFrame):
        raise FormatError("the frame cannot be read: it is one column; give queries, documents and values")
    return settle(prepare(table, columns, judgments=judgments, name=name, place=lambda row: f"row {row}"))


def to_polars(frame: Any, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """Any frame as a polars one, without a copy where the library allows it."""
    import polars

    if isinstance(frame, polars.DataFrame):
        return frame
    if isinstance(frame, polars.LazyFrame):
        names = frame.collect_schema().names()
        used = find_columns(names, columns, judgments=judgments, name="the frame").values()
        return frame.select(list(dict.fromkeys(used))).collect()
    if is_a(frame, "pandas.DataFrame"):
        names = [str(each) for each in frame.columns]
        used = find_columns(names, columns, judgments=judgments, name="the frame").values()
        series = {each: from_pandas(frame.iloc[:, names.index(each)]) for each in used}
        return polars.DataFrame([column.alias(each) for each, column in series.items()])
    return polars.DataFrame(frame)


def from_pandas(column: Any) -> polars.Series:  # noqa: ANN401 - pandas' series
    """A pandas column; as objects where its values are of several kinds, or where there is no pyarrow."""
    import polars

    try:
        return polars.Series(values=column)
    except Exception:  # noqa: BLE001 - pandas and pyarrow raise their own
        values = [None if missing else each for each, missing in zip(column.tolist(), column.isna(), strict=True)]
        return polars.Series(values=values, dtype=polars.Object)


def prepare(
    table: polars.DataFrame,
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
    name: str,
    place: Callable[[int], str],
) -> polars.DataFrame:
    """The table with `query_id`, `doc_id` and perhaps `group` or `iteration` as text, and `value` as float64."""
    import polars

    found = find_columns(table.columns, columns, judgments=judgments, name=name)
    ready: list[polars.Series] = []
    for role, column in found.items():
        if role == "iteration" and table[column].null_count() == len(table):
            ready.append(polars.repeat(NO_ITERATION, len(table), eager=True).alias(role))
            continue
        if table[column].null_count():
            row = int(table[column].is_null().arg_true()[0])
            raise FormatError(f"{name}, {place(row)}: there is nothing in the column {show(column)}")
        if role == "value":
            ready.append(as_number(table[column], name, place, truths=judgments).alias(role))
        else:
            ready.append(as_text(table[column], name, place).alias(role))
    return polars.DataFrame(ready)


def settle(table: polars.DataFrame) -> polars.DataFrame:
    """The table with its iterations as groups, or without them where all judgments have the same one."""
    if "iteration" not in table.columns:
        return table
    is_idle = table["iteration"].n_unique() <= 1
    return table.drop("iteration") if is_idle else table.rename({"iteration": "group"})


def as_text(column: polars.Series, name: str, place: Callable[[int], str]) -> polars.Series:
    """Ids as text: integers as decimal strings."""
    import polars

    kind = column.dtype
    if kind == polars.Object:
        text = polars.Series(column.name, [as_id(each) for each in column], dtype=polars.String)
        wrong = text.is_null().arg_true()
        if len(wrong):
            row = int(wrong[0])
            raise FormatError(f"{name}, {place(row)}: {show(column[row])} is no id; use strings or integers")
    elif kind == polars.String:
        text = column
    elif kind.is_integer() or kind in (polars.Categorical, polars.Enum, polars.Null):
        text = column.cast(polars.String)
    else:
        raise FormatError(f"{name}: the column {show(column.name)} must hold strings or integers, not {kind}")
    empty = (text == "").arg_true()
    if len(empty):
        raise FormatError(f"{name}, {place(int(empty[0]))}: there is nothing in the column {show(column.name)}")
    return text


def as_id(value: object) -> str | None:
    """An id as text, or nothing if the value cannot be one."""
    if not isinstance(value, (str, Integral)) or isinstance(value, bool):
        return None
    try:
        text = str(value)
        text.encode()
    except ValueError:
        return None
    return text


def as_number(column: polars.Series, name: str, place: Callable[[int], str], *, truths: bool) -> polars.Series:
    """Grades or scores as finite float64; grades may be true or false."""
    import polars

    kind = column.dtype
    if kind == polars.Object:
        numbers = polars.Series(column.name, [as_float(each, truths=truths) for each in column], dtype=polars.Float64)
    elif kind == polars.String:
        numbers = column.str.strip_chars().cast(polars.Float64, strict=False)
    elif kind.is_numeric() or kind == polars.Null or (truths and kind == polars.Boolean):
        numbers = column.cast(polars.Float64, strict=False)
    else:
        raise FormatError(f"{name}: the column {show(column.name)} must hold numbers, not {kind}")
    wrong = (numbers.is_null() | ~numbers.is_finite()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        what = "is not a number" if numbers[row] is None else "is not finite"
        raise FormatError(f"{name}, {place(row)}: {show(column[row])} in the column {show(column.name)} {what}")
    return numbers


def as_float(value: Any, *, truths: bool) -> float | None:  # noqa: ANN401 - whatever stands in the column
    """A value as a float, or nothing if it cannot be one; too large an integer is infinite."""
    if isinstance(value, bool) and not truths:
        return None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except Exception:  # noqa: BLE001 - a value's own conversion raises what it likes
        return None
