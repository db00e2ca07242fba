"""Who I am, and what is judged here."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from assay.studio.access import COOKIE, LIFETIME, Access, BrowserSession, RefusedError
from assay.studio.routes.asking import TheAccess, TheSession, TheStudio
from assay.studio.routes.models import Fields, SessionIn
from assay.studio.store.schema import check_name
from assay.studio.studio import Studio

router = APIRouter(tags=["session"])


@router.get("/session")
def show_session(
    request: Request, response: Response, studio: TheStudio, access: TheAccess, known: TheSession
) -> Fields:
    """Who I am; the token that writes from this browser need; and the collection."""
    session = known or access.new_session()
    keep(request, response, access, session)
    return session_fields(studio, access, session)


@router.post("/session")
def begin_session(
    body: SessionIn, request: Request, response: Response, *, studio: TheStudio, access: TheAccess, known: TheSession
) -> Fields:
    """Says who I am: a name, and a password where one is needed."""
    access.check_write({**request.headers, "authorization": ""}, known)
    request.app.state.rates["login"].take(request.client.host if request.client else "")
    name = check_name("voter", body.voter.strip())
    access.log_in(name, body.password)
    studio.add_voter(name)
    session = access.new_session(name)
    keep(request, response, access, session)
    return session_fields(studio, access, session)


@router.delete("/session")
def end_session(
    request: Request, response: Response, studio: TheStudio, access: TheAccess, known: TheSession
) -> Fields:
    """Forgets who I am."""
    access.check_write({**request.headers, "authorization": ""}, known)
    session = access.new_session()
    keep(request, response, access, session)
    return session_fields(studio, access, session)


def keep(request: Request, response: Response, access: Access, session: BrowserSession) -> None:
    """Sets the cookie."""
    secure = request.url.scheme == "https"
    response.set_cookie(
        COOKIE, access.seal(session), max_age=LIFETIME, httponly=True, samesite="lax", secure=secure, path="/"
    )


def session_fields(studio: Studio, access: Access, session: BrowserSession) -> Fields:
    """What a page needs to know first."""
    try:
        asker = access.asker({}, session)
    except RefusedError:
        return {"voter": None, "csrf": access.csrf(session), "login": True, "admin": False, "voters": []}
    people = [] if access.login else studio.people()
    found = {"voter": asker.voter, "csrf": access.csrf(session), "login": access.login, "admin": asker.is_admin}
    return {**found, "voters": people, "collection": {"id": access.store_id, **collection_fields(studio)}}


def collection_fields(studio: Studio) -> Fields:
    """What is judged here, and how votes count."""
    counting = studio.judgments.counting
    a, b = studio.compared
    return {
        "title": studio.title,
        "queries": len(studio.live.queries),
        "runs": list(studio.live.runs),
        "measures": list(studio.live.measures) or list(studio.settings.measures),
        "grades": studio.scale,
        "guidelines": studio.guidelines,
        "search": studio.search is not None,
        "depth": studio.settings.depth,
        "a": a,
        "b": b,
        "method": counting.method,
        "min_votes": counting.min_votes,
        "count": counting.whose,
        "votes": studio.settings.votes,
    }
