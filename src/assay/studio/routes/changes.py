"""Changes as they happen: server-sent events, so that every open page shows the votes of all."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

from fastapi import APIRouter, Request
from fastapi.responses import StreamingResponse

from assay.studio.routes.asking import Reader, TheStudio
from assay.studio.studio import Studio

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

router = APIRouter(tags=["changes"])
# Seconds without a vote after which a sign of life is sent, and between two events.
QUIET = 15.0
PAUSE = 0.1


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
        while not await request.is_disconnected() and not request.app.state.closing.is_set():
            is_new.clear()
            yield f"data: {json.dumps({'revision': studio.judgments.revision})}\n\n"
            await asyncio.sleep(PAUSE)
            try:
                await asyncio.wait_for(is_new.wait(), QUIET)
            except TimeoutError:
                yield ": still here\n\n"
    finally:
        studio.listeners.remove(tell)
