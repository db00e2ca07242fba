"""Changes as they happen: server-sent events, so that every open page shows the votes of all."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from assay.studio.routes.asking import Reader, TheStudio
from assay.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

router = APIRouter(tags=["changes"])
# Seconds between two events, between looks at whether the server ends, and looks until a sign of life is sent.
PAUSE = 0.1
LOOK = 0.5
LOOKS = 30


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
