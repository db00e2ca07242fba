"""`Impressions`: what was shown where, and what was clicked, from a plain table or from UBI events.

A plain table has one row per document shown: query, document, position, whether it was clicked, and the impression (one
result page). With a column `shown`, a row stands for so many impressions, and `clicked` for so many clicks.

Events of User Behavior Insights (UBI) have one row each: `action_name` is what happened, `query_id` one result page,
`object_id` the document (beside it or in `event_attributes.object`) and `event_attributes.position.ordinal` the
position. Only `action_name` is sure to be there: what is neither an impression nor a click may have nothing else. What
was typed is in another index, that of the queries, by `query_id`; some add it to the events as `user_query`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.errors import DataError, FormatError
from assay.core.judged import FloatArray, IntArray
from assay.core.note import Note, NoteKind
from assay.core.text import Option, some
from assay.data.events import Events, read_events
from assay.data.frames.columns import DOCUMENT, QUERY

if TYPE_CHECKING:
    import polars

INSIDE = "event_attributes"
FIELDS = {
    "action": ("action_name", "action", "event_name", "event_type", "event"),
    "query": (*QUERY, "user_query", "search"),
    "document": ("object_id", f"{INSIDE}.object.object_id", *DOCUMENT, "item_id", "item", "url"),
    "position": ("position", "rank", "ordinal", f"{INSIDE}.position.ordinal", f"{INSIDE}.position.index"),
    "clicked": ("clicked", "click", "clicks", "is_clicked", "is_click"),
    "shown": ("shown", "impressions", "views"),
    "impression": ("impression", "impression_id", "search_id", "page_id", "serp_id", "session", "session_id"),
    "typed": ("user_query", "query_text"),
}
NEEDED = ("query", "document", "position")
# What UBI calls what happened.
SHOWN = ("impression", "view", "shown", "show", "display", "item_impression", "product_impression", "on_render")
CLICKED = (
    *("click", "clicked", "click_through", "clickthrough", "item_click", "product_click", "select"),
    "product_hover_click",
)
QUERIES = {"query": ("query_id", "qid", "id"), "typed": ("user_query", "query_text", "query", "text")}
# So many times as many keys as rows, and sorting the rows takes less than a table of all keys.
SPARSE = 8


class Impressions(NamedTuple):
    """Documents shown: the pair, its place among `positions`, how often shown and clicked; `page` if it is known."""

    pairs: polars.DataFrame
    positions: FloatArray
    pair: IntArray
    place: IntArray
    shown: FloatArray
    clicks: FloatArray
    page: IntArray | None


def read_impressions(data: object, queries: object = None) -> tuple[Impressions, list[Note]]:
    """What was shown and clicked, with numbers in place of ids; `queries` has what was typed on each UBI page."""
    import polars

    events = read_events(data, FIELDS, NEEDED, "the clicks", sparse="action")
    is_ubi = "action" in events.frame.columns
    if queries is not None and not is_ubi:
        raise DataError(f"{Option('queries')} is for UBI events, and the clicks have no action_name; leave it out")
    table, notes = from_ubi(events, queries) if is_ubi else from_table(events)
    if not len(table):
        raise DataError(f"nothing was shown: {'; '.join(map(str, notes))}")
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
    found = Impressions(pairs, positions, pair, place, table["shown"].to_numpy(), table["clicked"].to_numpy(), page)
    return found, notes


def from_table(events: Events) -> tuple[polars.DataFrame, list[Note]]:
    """A plain table; each row is a document that was shown."""
    import polars

    if "clicked" not in events.frame.columns:
        raise FormatError("the clicks have no column for clicked (clicked, click, clicks …); 1 is a click, 0 is none")
    clicked = events.numbers("clicked")
    columns = [events.needed_ids("query"), events.needed_ids("document"), events.numbers("position"), clicked]
    if "impression" in events.frame.columns:
        columns.append(events.needed_ids("impression"))
    shown = events.numbers("shown") if "shown" in events.frame.columns else polars.lit(1.0)
    table = polars.DataFrame(columns).with_columns(clicked.fill_null(0), shown.fill_null(0).alias("shown"))
    wrong = (table["clicked"] < 0) | (table["shown"] < 0) | (table["clicked"] > table["shown"])
    if wrong.any():
        row = int(wrong.arg_true()[0])
        times, of = f"{table['clicked'][row]:g}", f"{table['shown'][row]:g}"
        said = f"clicked {times} times, shown {of}; clicked is 0 or 1, or at most shown"
        raise FormatError(f"{events.place(row)}: {said}")
    missing = {"unsaid": clicked.null_count(), "unplaced": table["position"].null_count()}
    notes = [Note.of(NoteKind.CLICKS, about=about, count=number) for about, number in missing.items() if number]
    return table.filter(polars.col("position").is_not_null() & (polars.col("shown") > 0)), notes


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
    return names, column.cast(polars.Enum(names)).to_physical().to_numpy().astype(np.int64)


def from_ubi(events: Events, queries: object = None) -> tuple[polars.DataFrame, list[Note]]:
    """Each document of a result page once, clicked if some event says so, with notes on the events left out."""
    import polars

    notes: list[Note] = []
    action = events.ids("action").str.to_lowercase().str.replace_all("[ -]", "_")
    is_known = action.is_in([*SHOWN, *CLICKED]).fill_null(value=False)
    if others := int((~is_known).sum()):
        names = events.ids("action").filter(~is_known).drop_nulls().unique(maintain_order=True).to_list()
        notes.append(Note.of(NoteKind.CLICKS, about="other", count=others, actions=some(names) or "no action"))
        events, action = events.filter(is_known), action.filter(is_known)
    page = events.ids("query")
    table = polars.DataFrame(
        [
            query_of(events, page, queries, notes).alias("query"),
            events.ids("document"),
            events.numbers("position"),
            page.alias("impression"),
            action.is_in(CLICKED).alias("clicked"),
            action.is_in(SHOWN).alias("seen"),
        ]
    )
    for field, about in (("impression", "pageless"), ("document", "bare")):
        if missing := table[field].null_count():
            notes.append(Note.of(NoteKind.CLICKS, about=about, count=missing))
            table = table.filter(polars.col(field).is_not_null())
    grouped = table.group_by("impression", "query", "document", maintain_order=True).agg(
        polars.col("position").drop_nulls().first(), polars.col("clicked").any(), polars.col("seen").any()
    )
    if missing := grouped["position"].null_count():
        notes.append(Note.of(NoteKind.CLICKS, about="unplaced", count=missing))
        grouped = grouped.filter(polars.col("position").is_not_null())
    if unseen := int((~grouped["seen"]).sum()):
        notes.append(Note.of(NoteKind.CLICKS, count=unseen))
    return grouped.with_columns(polars.col("clicked").cast(polars.Float64), polars.lit(1.0).alias("shown")), notes


def query_of(events: Events, page: polars.Series, queries: object, notes: list[Note]) -> polars.Series:
    """What was typed on each page, or else the page itself; a note on these."""
    import polars

    nothing = polars.repeat(None, len(page), dtype=polars.String, eager=True)
    typed = events.ids("typed") if "typed" in events.frame.columns else nothing
    if 0 < typed.null_count() < len(typed):
        # Another event of the same page may have it.
        first = polars.col("typed").drop_nulls().first().over("page")
        typed = typed.fill_null(polars.DataFrame({"page": page, "typed": typed}).select(first).to_series())
    if queries is not None:
        if isinstance(queries, Mapping):
            queries = [{"query_id": page, "user_query": typed} for page, typed in queries.items()]
        read = read_events(queries, QUERIES, tuple(QUERIES), "the queries")
        known = polars.DataFrame([read.needed_ids("query"), read.ids("typed")]).drop_nulls("typed")
        known = known.unique("query", keep="first", maintain_order=True)
        found = polars.DataFrame([page.alias("query")]).join(known, on="query", how="left", maintain_order="left")
        typed = typed.fill_null(found["typed"])
    if unknown := page.filter(typed.is_null()).drop_nulls().n_unique():
        advice = ("pass UBI's index of queries as ", Option("queries")) if queries is None else ()
        notes.append(Note.of(NoteKind.CLICKS, about="untyped", count=unknown, advice=advice))
    return typed.fill_null(page)
