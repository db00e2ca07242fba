"""What every address needs: the studio, who asks, and the right to write or to manage."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request

from assay.studio.access import COOKIE, Access, BrowserSession, RefusedError, Requester
from assay.studio.guard import Rate
from assay.studio.routes.models import Error
from assay.studio.studio import Studio

ERRORS = {
    status: {"model": Error, "description": said}
    for status, said in {
        400: "the request makes no sense here; the error says why",
        401: "log in first, or send a token",
        403: "not allowed",
        404: "there is no such thing",
        409: "the key was used for another vote",
        413: "the request is too large",
        421: "not a host of this studio",
        422: "the request has not the form that is described here",
        429: "too many requests",
        503: "the store cannot be read or written; try again later, with the same key",
    }.items()
}


async def get_studio(request: Request) -> Studio:
    """The studio of this application."""
    studio: Studio = request.app.state.studio
    return studio


async def get_access(request: Request) -> Access:
    """Who may do what here."""
    access: Access = request.app.state.access
    return access


async def get_session(request: Request) -> BrowserSession | None:
    """What the cookie says."""
    access: Access = request.app.state.access
    return access.open(request.cookies.get(COOKIE))


async def reader(request: Request) -> Requester:
    """Who reads."""
    access: Access = request.app.state.access
    return access.asker(request.headers, await get_session(request))


async def writer(request: Request) -> Requester:
    """Who writes, from a page of this studio or with a token."""
    access: Access = request.app.state.access
    session = await get_session(request)
    access.check_write(request.headers, session)
    asker = access.asker(request.headers, session)
    rates: dict[str, Rate] = request.app.state.rates
    if asker.application:
        rates["application"].take(asker.application)
    else:
        rates["voter"].take(asker.voter or (session.id if session else ""))
    return asker


async def voter(asker: Annotated[Requester, Depends(writer)]) -> str:
    """The name under which somebody votes in a browser."""
    if asker.application:
        raise RefusedError(403, "this is for people in a browser; a program votes with POST /api/votes")
    if asker.voter is None:
        raise RefusedError(401, "say who you are first")
    return asker.voter


async def manager(asker: Annotated[Requester, Depends(writer)]) -> Requester:
    """Somebody who may manage the studio."""
    if not asker.is_admin:
        raise RefusedError(403, "only somebody who manages this studio may do that")
    return asker


TheStudio = Annotated[Studio, Depends(get_studio)]
TheAccess = Annotated[Access, Depends(get_access)]
TheSession = Annotated[BrowserSession | None, Depends(get_session)]
Reader = Annotated[Requester, Depends(reader)]
Writing = Annotated[Requester, Depends(writer)]
VoterName = Annotated[str, Depends(voter)]
Manager = Annotated[Requester, Depends(manager)]
