"""Judgments and votes as files, in and out."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response

from assay.core.errors import DataError
from assay.studio.access import RefusedError
from assay.studio.exchange.judgments import export_judgments
from assay.studio.exchange.reading import read_votes
from assay.studio.exchange.votes import export_votes
from assay.studio.routes.asking import Manager, Reader, TheStudio
from assay.studio.routes.models import Fields, Name
from assay.studio.store.events import check_name

router = APIRouter(tags=["files"])
Format = Literal["trec", "csv", "jsonl", "parquet", "quepid", "quepid-book"]
ENDINGS = {"trec": "txt", "quepid": "csv", "quepid-book": "csv"}
BYTES: dict[int | str, dict[str, Any]] = {
    200: {"content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}}
}
SENT = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get("/export", response_class=Response, responses=BYTES)
def export(
    studio: TheStudio, asker: Reader, *, what: Literal["qrels", "votes"] = "qrels", format: Format = "trec"
) -> Response:
    """A file of the judgments in force, or of the votes with who and when. Both tell what others voted."""
    if not (asker.is_admin or asker.application):
        raise RefusedError(403, "only somebody who manages this studio may export: the file tells what others voted")
    with studio.lock:
        questions = {**studio.collection.questions, **studio.asked}
        grades = studio.judgments.all_in_force()
        kinds = dict(studio.judgments.kinds)
    try:
        if what == "qrels":
            content = export_judgments(grades, format, questions=questions)
        else:
            content = export_votes(studio.store.events(), format, questions=questions, kinds=kinds)
    except DataError as error:
        raise RefusedError(404, str(error)) from None
    name = f"{what}.{ENDINGS.get(format, format)}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.post("/import", openapi_extra=SENT)
async def take_in(
    request: Request,
    studio: TheStudio,
    _: Manager,
    *,
    what: Literal["votes", "judgments"] = "votes",
    format: Format = "csv",
    voter: Annotated[Name | None, Query()] = None,
    kind: Literal["person", "model"] = "person",
) -> Fields:
    """Takes in votes, or judgments as the votes of one voter, a person or a model; all of them or none.

    Where a file says of what kind a voter is, as one of a studio does, that counts, and not `kind`.
    """
    content = await request.body()
    if what == "judgments" and voter is None:
        raise DataError("judgments have no voter; say whose they are: voter")
    name = None if voter is None else check_name("voter", voter)
    with studio.lock:
        questions = {**studio.collection.questions, **studio.asked}
    found = await asyncio.to_thread(read_votes, content, format, voter=name, questions=questions)
    recorded = await asyncio.to_thread(studio.take_in, found.votes, kind, found.kinds)
    return {**recorded, "notes": [str(note) for note in found.notes]}
