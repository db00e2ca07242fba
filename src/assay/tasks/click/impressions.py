"""`Impressions`: what was shown where, and what was clicked, from a plain table or from UBI events.

A plain table has one row per document shown: query, document, position, whether it was clicked, and the impression (one
result page). With a column `shown`, a row stands for so many impressions, and `clicked` for so many clicks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.errors import DataError, FormatError
from assay.core.interface import Option
from assay.core.note import Note, NoteKind
from assay.data.events import read_events
from assay.data.frames.frame import DOCUMENT, QUERY
from assay.tasks.click.ubi import from_ubi

if TYPE_CHECKING:
    import polars

    from assay.core.judged import FloatArray, IntArray
    from assay.data.events import Events

ACTION = ("action_name", "action", "event_name", "event_type", "event")
INSIDE = "event_attributes"
FIELDS = {
    "action": ACTION,
    "query": (*QUERY, "user_query", "search"),
    "document": ("object_id", f"{INSIDE}.object.object_id", *DOCUMENT, "item_id", "item", "url"),
    "position": ("position", "rank", "ordinal", f"{INSIDE}.position.ordinal", f"{INSIDE}.position.index"),
    "clicked": ("clicked", "click", "clicks", "is_clicked", "is_click"),
    "shown": ("shown", "impressions", "views"),
    "impression": ("impression", "impression_id", "search_id", "page_id", "serp_id", "session", "session_id"),
    "typed": ("user_query", "query_text"),
}
NEEDED = ("query", "document", "position")
# So many times as many keys as rows, and sorting the rows takes less than a table of all keys.
SPARSE = 8


class Impressions(NamedTuple):
    """Documents shown: the pair of each, its place among `positions`, how often it was shown and clicked.

    `page` numbers the result pages; None if the data does not tell them apart.
    """

    pairs: polars.DataFrame
    positions: FloatArray
    pair: IntArray
    place: IntArray
    shown: FloatArray
    clicks: FloatArray
    page: IntArray | None


def read_impressions(data: object, queries: object = None) -> tuple[Impressions, list[Note]]:
    """What was shown and clicked, and notes on what was left out; `queries` has what was typed on each UBI page."""
    events = read_events(data, FIELDS, NEEDED, "the clicks", sparse="action")
    is_ubi = "action" in events.frame.columns
    if queries is not None and not is_ubi:
        raise DataError(f"{Option('queries')} is for UBI events, and the clicks have no action_name; leave it out")
    table, notes = from_ubi(events, queries) if is_ubi else from_table(events)
    if not len(table):
        raise DataError(f"nothing was shown: {'; '.join(map(str, notes))}")
    return number_rows(table), notes


def from_table(events: Events) -> tuple[polars.DataFrame, list[Note]]:
    """A plain table; each row is a document that was shown."""
    import polars

    if "clicked" not in events.frame.columns:
        raise FormatError("the clicks have no column for clicked (clicked, click, clicks …); 1 is a click, 0 is none")
    shown = events.numbers("shown").fill_null(0) if "shown" in events.frame.columns else None
    clicked = events.numbers("clicked")
    columns = [
        events.needed_ids("query"),
        events.needed_ids("document"),
        events.numbers("position"),
        clicked.fill_null(0),
        polars.repeat(1.0, len(events.frame), eager=True).alias("shown") if shown is None else shown,
    ]
    if "impression" in events.frame.columns:
        columns.append(events.needed_ids("impression"))
    table = polars.DataFrame(columns)
    wrong = (table["clicked"] < 0) | (table["shown"] < 0) | (table["clicked"] > table["shown"])
    if wrong.any():
        row = int(wrong.arg_true()[0])
        times, of = f"{table['clicked'][row]:g}", f"{table['shown'][row]:g}"
        raise FormatError(
            f"{events.place(row)}: clicked {times} times, shown {of}; clicked is 0 or 1, or at most shown"
        )
    notes = []
    if unsaid := clicked.null_count():
        notes.append(Note.of(NoteKind.CLICKS, about="unsaid", count=unsaid))
    if missing := table["position"].null_count():
        notes.append(Note.of(NoteKind.CLICKS, about="unplaced", count=missing))
    return table.filter(polars.col("position").is_not_null() & (polars.col("shown") > 0)), notes


def number_rows(table: polars.DataFrame) -> Impressions:
    """The rows with numbers in place of ids."""
    import polars

    names, query = codes(table["query"])
    documents, document = codes(table["document"])
    keys, pair = distinct(query * len(documents) + document, len(names) * len(documents))
    positions = table["position"].unique().sort().to_numpy()
    place = np.searchsorted(positions, table["position"].to_numpy())
    pairs = polars.DataFrame(
        {"query": names.gather(keys // len(documents)), "document": documents.gather(keys % len(documents))}
    )
    page = codes(table["impression"])[1] if "impression" in table.columns else None
    if page is not None:
        first = np.zeros(int(page.max()) + 1, dtype=np.int64)
        first[page] = query
        # What one page shows for another query is another page.
        if (first[page] != query).any():
            page = distinct(page * len(names) + query, len(first) * len(names))[1]
    return Impressions(pairs, positions, pair, place, table["shown"].to_numpy(), table["clicked"].to_numpy(), page)


def distinct(keys: IntArray, bound: int) -> tuple[IntArray, IntArray]:
    """The different keys below a bound, in order, and the number of each; without sorting, if that takes less."""
    if bound > SPARSE * len(keys):
        found, numbers = np.unique(keys, return_inverse=True)
        return found, numbers
    is_there = np.zeros(bound, dtype=np.bool_)
    is_there[keys] = True
    return np.flatnonzero(is_there), (np.cumsum(is_there) - 1)[keys]


def codes(column: polars.Series) -> tuple[polars.Series, IntArray]:
    """The different values of a column, in order, and the number of each row's value."""
    import polars

    names = column.unique().sort()
    numbers = column.cast(polars.Enum(names)).to_physical()
    return names, numbers.to_numpy().astype(np.int64)
