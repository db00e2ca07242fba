"""Frames that the kernel ranks as they are, without a copy: ids are text, scores are float64, and none are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay.core.errors import PASSING, FormatError
from assay.data.frames.frame import find_columns, is_a
from assay.data.frames.given import GIVEN_RANK

if TYPE_CHECKING:
    from collections.abc import Mapping

# Types of pandas' columns that Arrow takes without looking at each value.
TEXTS = frozenset(("str", "string"))


def plain_frame(frame: Any, columns: Mapping[str, str] | None) -> Any:  # noqa: ANN401 - any library's frame
    """The columns of a frame of polars, pyarrow or pandas; None if it must be prepared first (`frame.py`)."""
    if is_a(frame, "polars.DataFrame"):
        names, select = frame.columns, frame.select
    elif is_a(frame, "pyarrow.Table"):
        names, select = frame.column_names, frame.select
    elif is_a(frame, "pandas.DataFrame"):
        names, select = list(frame.columns), lambda used: from_pandas(frame, used)
    else:
        return None
    used = plain_columns(names, columns)
    if used is None:
        return None
    try:
        return select(used)
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - whatever is wrong is said where the frame is prepared
        return None


def plain_columns(names: list[Any], columns: Mapping[str, str] | None) -> list[str] | None:
    """The columns with queries, documents and scores; None if the frame must be prepared."""
    if not all(isinstance(each, str) for each in names) or GIVEN_RANK in names:
        return None
    try:
        found = find_columns(names, columns, judgments=False, name="")
    except FormatError:
        return None
    used = [found["query_id"], found["doc_id"], found["value"]]
    return used if len(set(used)) == len(used) else None


def from_pandas(frame: Any, used: list[str]) -> Any:  # noqa: ANN401 - pandas' frame, pyarrow's table
    """The columns as a table of pyarrow; None if their types are others."""
    *ids, scores = (frame[each] for each in used)
    if scores.dtype != "float64" or not all(each.dtype.name in TEXTS for each in ids):
        return None
    import pyarrow

    return pyarrow.table([*(pyarrow.array(each.array) for each in ids), pyarrow.array(scores.to_numpy())], names=used)
