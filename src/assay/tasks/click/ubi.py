"""Events of User Behavior Insights (UBI): each document of a result page once, clicked if some event says so.

One event per row: `action_name` is what happened, `query_id` one result page, `object_id` the document (beside it or in
`event_attributes.object`) and `event_attributes.position.ordinal` the position. Only `action_name` is sure to be there:
what is neither an impression nor a click may have nothing else. What was typed is in another index, that of the
queries, by `query_id`; some add it to the events as `user_query`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from assay.core.interface import Option
from assay.core.note import Note, NoteKind
from assay.core.text import some
from assay.data.events import read_events

if TYPE_CHECKING:
    import polars

    from assay.data.events import Events

SHOWN = ("impression", "view", "shown", "show", "display", "item_impression", "product_impression", "on_render")
CLICKED = (
    *("click", "clicked", "click_through", "clickthrough", "item_click", "product_click", "select"),
    "product_hover_click",
)
QUERIES = {"query": ("query_id", "qid", "id"), "typed": ("user_query", "query_text", "query", "text")}
PAGE = ("impression", "query", "document")


def from_ubi(events: Events, queries: object = None) -> tuple[polars.DataFrame, list[Note]]:
    """The documents that were shown, with notes on the events left out."""
    import polars

    notes: list[Note] = []
    events, action = known_actions(events, notes)
    page, document = events.ids("query"), events.ids("document")
    table = polars.DataFrame(
        [
            query_of(events, page, queries, notes).alias("query"),
            document,
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
    grouped = table.group_by(*PAGE, maintain_order=True).agg(
        polars.col("position").drop_nulls().first(), polars.col("clicked").any(), polars.col("seen").any()
    )
    if missing := grouped["position"].null_count():
        notes.append(Note.of(NoteKind.CLICKS, about="unplaced", count=missing))
        grouped = grouped.filter(polars.col("position").is_not_null())
    if unseen := int((~grouped["seen"]).sum()):
        notes.append(Note.of(NoteKind.CLICKS, count=unseen))
    return grouped.with_columns(polars.col("clicked").cast(polars.Float64), polars.lit(1.0).alias("shown")), notes


def known_actions(events: Events, notes: list[Note]) -> tuple[Events, polars.Series]:
    """The impressions and the clicks, and what each of them is; a note on the others."""
    action = events.ids("action").str.to_lowercase().str.replace_all("[ -]", "_")
    is_known = action.is_in([*SHOWN, *CLICKED]).fill_null(value=False)
    if is_known.all():
        return events, action
    names = events.ids("action").filter(~is_known).drop_nulls().unique(maintain_order=True).to_list()
    others = int((~is_known).sum())
    notes.append(Note.of(NoteKind.CLICKS, about="other", count=others, actions=some(names) or "no action"))
    return events.filter(is_known), action.filter(is_known)


def query_of(events: Events, page: polars.Series, queries: object, notes: list[Note]) -> polars.Series:
    """What was typed on each page, or else the page itself; a note on these."""
    import polars

    typed = polars.repeat(None, len(page), dtype=polars.String, eager=True)
    if "typed" in events.frame.columns:
        typed = events.ids("typed")
    if 0 < typed.null_count() < len(typed):
        # Another event of the same page may have it.
        first = polars.col("typed").drop_nulls().first().over("page")
        typed = typed.fill_null(polars.DataFrame({"page": page, "typed": typed}).select(first).to_series())
    if queries is not None:
        known = read_queries(queries)
        found = polars.DataFrame([page.alias("query")]).join(known, on="query", how="left", maintain_order="left")
        typed = typed.fill_null(found["typed"])
    if unknown := page.filter(typed.is_null()).drop_nulls().n_unique():
        advice = ("pass UBI's index of queries as ", Option("queries")) if queries is None else ()
        notes.append(Note.of(NoteKind.CLICKS, about="untyped", count=unknown, advice=advice))
    return typed.fill_null(page)


def read_queries(queries: object) -> polars.DataFrame:
    """What was typed on each page, once each."""
    import polars

    if isinstance(queries, Mapping):
        queries = [{"query_id": page, "user_query": typed} for page, typed in queries.items()]
    read = read_events(queries, QUERIES, tuple(QUERIES), "the queries")
    table = polars.DataFrame([read.needed_ids("query"), read.ids("typed")])
    return table.filter(polars.col("typed").is_not_null()).unique("query", keep="first", maintain_order=True)
