"""Any library's frame as a whole, and its rows as dicts: events, records and texts are read from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.data.frames.frame import from_pandas, is_a, library_errors

if TYPE_CHECKING:
    import polars


def whole_frame(frame: Any) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """Any frame as a polars one, with all its columns."""
    import polars

    if isinstance(frame, polars.LazyFrame):
        return frame.collect()
    if is_a(frame, "pandas.DataFrame"):
        names = [str(each) for each in frame.columns]
        return polars.DataFrame([from_pandas(frame.iloc[:, n]).alias(name) for n, name in enumerate(names)])
    return polars.DataFrame(frame)


def frame_rows(frame: Any) -> list[dict[str, Any]]:  # noqa: ANN401 - any library's frame
    """The rows of any frame as dicts; what pandas marks as missing is None."""
    import polars

    if is_a(frame, "pandas.DataFrame"):
        return [{str(key): none_if_nan(value) for key, value in row.items()} for row in frame.to_dict(orient="records")]
    if isinstance(frame, polars.LazyFrame):
        frame = frame.collect()
    with library_errors():
        return polars.DataFrame(frame).to_dicts()


def none_if_nan(value: Any) -> Any:  # noqa: ANN401 - whatever the frame holds
    return None if isinstance(value, float) and value != value else value  # noqa: PLR0124 - NaN
