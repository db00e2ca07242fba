"""The numbers: the overview, the list of queries, one query, and changes as they happen.

Changes are server-sent events, so that every open page shows the votes of all.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse

from assay.studio.routes.asking import Fields, QueryId, Reader, TheStudio
from assay.studio.studio import Studio
from assay.studio.views import MOST_ROWS, QuerySelection, overview, query_bars, query_rows, query_view

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

router = APIRouter(tags=["numbers"])
Sort = Literal["difference", "id", "judged", "a", "b"]
Text = Annotated[str, Query(max_length=1000)]
# Seconds between two events, between looks at whether the server ends, and looks until a sign of life is sent.
PAUSE = 0.1
LOOK = 0.5
LOOKS = 30


@router.get("/overview")
def show_overview(studio: TheStudio, _: Reader, *, charts: bool = False) -> Fields:
    """The verdict, means with intervals, and differences with tests, by the judgments in force."""
    return overview(studio, charts=charts)


@router.get("/queries")
def list_queries(
    studio: TheStudio,
    _: Reader,
    *,
    measure: Text = "",
    a: Text = "",
    b: Text = "",
    sort: Sort = "difference",
    descending: bool = False,
    find: Text = "",
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 50,
) -> Fields:
    """The queries with the scores of all runs, sorted by the difference of two."""
    return query_rows(studio, QuerySelection(*chosen(studio, measure, a, b), sort, descending, find, offset, limit))


@router.get("/bars")
def list_bars(
    studio: TheStudio, _: Reader, *, measure: Text = "", a: Text = "", b: Text = "", find: Text = ""
) -> Fields:
    """The difference of two runs by query, the best first: what a page draws as bars. Of very many queries, some."""
    return query_bars(studio, QuerySelection(*chosen(studio, measure, a, b), find=find))


def chosen(studio: Studio, measure: str, a: str, b: str) -> tuple[str, str, str]:
    """The measure and the two runs that are asked for, or else the first."""
    first = studio.compared
    named = measure or next(iter([*studio.live.measures, *studio.settings.measures]))
    return named, a or first[0], b or first[1]


@router.get("/query")
def show_query(studio: TheStudio, asker: Reader, query: Annotated[QueryId, Query()]) -> Fields:
    """One query: its rankings, grades and passages, my votes, and those of others where I have voted."""
    return query_view(studio, query, asker.voter)


@router.get("/changes", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def changes(request: Request, studio: TheStudio, _: Reader) -> StreamingResponse:
    """An event with the number of the last vote, now and whenever there are new ones."""
    return StreamingResponse(revisions(request, studio), media_type="text/event-stream")


async def revisions(request: Request, studio: Studio) -> AsyncIterator[str]:
    """The events of one connection."""
    loop = asyncio.get_running_loop()
    is_new = asyncio.Event()

    def tell(_: int) -> None:
        loop.call_soon_threadsafe(is_new.set)

    studio.listeners.append(tell)
    try:
        looks = 0
        is_new.set()
        while not request.app.state.is_closing():
            if is_new.is_set():
                is_new.clear()
                yield f"data: {json.dumps({'revision': studio.judgments.revision})}\n\n"
                await asyncio.sleep(PAUSE)
            looks += 1
            if looks % LOOKS == 0:
                yield ": still here\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(is_new.wait(), LOOK)
    finally:
        studio.listeners.remove(tell)
