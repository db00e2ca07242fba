"""Who I am and what is judged here; and managing it: guidelines, people, tokens of programs, files in and out."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request, Response

from assay.core.errors import DataError
from assay.studio.access import COOKIE, LIFETIME, Access, BrowserSession, RefusedError
from assay.studio.exchange import export_judgments, export_votes, read_votes
from assay.studio.routes.asking import (
    Fields,
    GuidelinesIn,
    Manager,
    Name,
    Reader,
    SessionIn,
    TheAccess,
    TheSession,
    TheStudio,
    TokenIn,
    VoterIn,
)
from assay.studio.store.schema import check_name
from assay.studio.store.store import check_same_kind
from assay.studio.studio import GUIDELINES, Studio

session = APIRouter(tags=["session"])
router = APIRouter(tags=["managing"])


@session.get("/session")
def show_session(
    request: Request, response: Response, studio: TheStudio, access: TheAccess, known: TheSession
) -> Fields:
    """Who I am; the token that writes from this browser need; and the collection."""
    return keep(request, response, studio, access, known or access.new_session())


@session.post("/session")
def begin_session(
    body: SessionIn, request: Request, response: Response, *, studio: TheStudio, access: TheAccess, known: TheSession
) -> Fields:
    """Says who I am: a name, and a password where one is needed."""
    access.check_write({**request.headers, "authorization": ""}, known)
    request.app.state.rates["login"].take(request.client.host if request.client else "")
    name = check_name("voter", body.voter.strip())
    access.log_in(name, body.password)
    studio.add_voter(name)
    return keep(request, response, studio, access, access.new_session(name))


@session.delete("/session")
def end_session(
    request: Request, response: Response, studio: TheStudio, access: TheAccess, known: TheSession
) -> Fields:
    """Forgets who I am."""
    access.check_write({**request.headers, "authorization": ""}, known)
    return keep(request, response, studio, access, access.new_session())


def keep(request: Request, response: Response, studio: Studio, access: Access, session: BrowserSession) -> Fields:
    """Gives a session to the browser, and says whose it is."""
    how: Any = {"max_age": LIFETIME, "httponly": True, "samesite": "lax", "path": "/"}
    response.set_cookie(COOKIE, access.seal(session), secure=request.url.scheme == "https", **how)
    found: Fields = {"voter": None, "csrf": access.csrf(session), "login": access.login, "admin": False, "voters": []}
    try:
        asker = access.asker({}, session)
    except RefusedError:
        return found
    people = [] if access.login else [each.name for each in studio.store.voters() if each.kind == "person"]
    collection = {"id": access.store_id, **collection_fields(studio)}
    return {**found, "voter": asker.voter, "admin": asker.is_admin, "voters": people, "collection": collection}


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


Format = Literal["trec", "csv", "jsonl", "parquet", "quepid", "quepid-book"]
ENDINGS = {"trec": "txt", "quepid": "csv", "quepid-book": "csv"}
CONTENT: dict[str, Any] = {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}}


@router.get("/voters")
def list_voters(studio: TheStudio, _: Reader) -> Fields:
    """Everybody who may vote or has voted, and the programs that have a token."""
    people = [
        {
            "name": each.name,
            "kind": each.kind,
            "admin": each.is_admin,
            "password": each.has_password,
            "votes": len(studio.judgments.voted.get(each.name, ())),
        }
        for each in studio.store.voters()
    ]
    return {"voters": people, "applications": studio.store.applications()}


@router.post("/voters", status_code=201)
def add_voter(body: VoterIn, studio: TheStudio, access: TheAccess, _: Manager) -> Fields:
    """Adds somebody, or sets a new password, or whether they manage the studio."""
    name = check_name("voter", body.name)
    known = studio.store.voter(name)
    if known is not None:
        check_same_kind(known, "person")
    studio.add_voter(name, password=body.password, is_admin=body.admin)
    access.forget()
    return {"name": name}


@router.post("/tokens", status_code=201)
def add_token(body: TokenIn, studio: TheStudio, _: Manager) -> Fields:
    """A token for a program; it is shown once."""
    name = check_name("application", body.application)
    return {"application": name, "token": studio.store.add_token(name)}


@router.delete("/tokens")
def revoke_tokens(body: TokenIn, studio: TheStudio, access: TheAccess, _: Manager) -> Fields:
    """Makes the tokens of a program worthless."""
    revoked = studio.store.revoke_tokens(check_name("application", body.application))
    access.forget()
    return {"application": body.application, "revoked": revoked}


@router.put("/guidelines")
def set_guidelines(body: GuidelinesIn, studio: TheStudio, _: Manager) -> Fields:
    """Says what voters are told."""
    studio.store.set_setting(GUIDELINES, body.text)
    return {"text": studio.guidelines}


@router.get("/export", response_class=Response, responses={200: {"content": CONTENT}})
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
    headers = {"Content-Disposition": f'attachment; filename="{what}.{ENDINGS.get(format, format)}"'}
    return Response(content, media_type="application/octet-stream", headers=headers)


@router.post("/import", openapi_extra={"requestBody": {"required": True, "content": CONTENT}})
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
