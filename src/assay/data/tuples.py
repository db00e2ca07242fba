"""Lists and generators of named tuples, such as those of ir_measures and ir_datasets.

One of them is a judgment or a retrieved document.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from assay.core.errors import FormatError
from assay.core.text import show
from assay.data.columns import DOCUMENT, QUERY, usual
from assay.data.frames import is_frame
from assay.data.source import is_source

if TYPE_CHECKING:
    import polars


def from_tuples(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """A list of named tuples as a frame; data of any other form as it is.

    >>> from collections import namedtuple
    >>> Judgment = namedtuple("Judgment", "query_id doc_id relevance")
    >>> from_tuples([Judgment("q1", "d1", 1)]).rows()
    [('q1', 'd1', 1)]
    >>> from_tuples([["d1"], ["d2"]])
    [['d1'], ['d2']]
    """
    data = gathered(data)
    return table(data) if is_tuples(data) else data


def gathered(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """A generator of named tuples as a list of them; data of any other form as it is."""
    if not isinstance(data, Iterator) or is_source(data) or is_frame(data):
        return data
    first = next(data, None)
    return [first, *data] if is_tuples([first]) else data


def is_tuples(data: object) -> bool:
    """Whether the data is a list whose first entry is a tuple that names its query and its document."""
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    fields = getattr(first, "_fields", ())
    return isinstance(first, tuple) and bool(usual(fields, QUERY) and usual(fields, DOCUMENT))


def table(rows: list[Any]) -> polars.DataFrame:
    """The rows as a frame with a column for each field of the first."""
    import polars

    fields = rows[0]._fields
    wrong = next((row for row, each in enumerate(rows) if getattr(each, "_fields", None) != fields), None)
    if wrong is not None:
        names = ", ".join(fields)
        raise FormatError(f"the list, row {wrong}: {show(rows[wrong])} has other fields than the first, {names}")
    return polars.DataFrame([series(*each) for each in zip(fields, zip(*rows, strict=True), strict=True)])


def series(name: str, values: tuple[Any, ...]) -> polars.Series:
    """A column; as objects where its values are of several kinds."""
    import polars

    try:
        return polars.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, AttributeError, polars.exceptions.PolarsError):
        return polars.Series(name, list(values), dtype=polars.Object)
