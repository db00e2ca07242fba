"""What every address needs: the studio, who asks, the right to write or to manage, and the forms of what is sent."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import Depends, Request
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema

from assay.studio.access import COOKIE, Access, BrowserSession, Rate, RefusedError, Requester
from assay.studio.judgments import shown_vote
from assay.studio.store.schema import LONGEST_DOCUMENT, LONGEST_NAME, LONGEST_QUERY
from assay.studio.studio import Studio

LONGEST_COMMENT = 10_000
LONGEST_GUIDELINES = 50_000
# What the store can hold, for the description; what it cannot is refused by a sentence of its own. No text has a NUL,
# an id is not blank, and a name has no control characters, nor spaces around it.
CONTROL = r"\x00-\x1f\x7f-\x9f\u2028\u2029"
TEXT = {"pattern": r"^[^\x00]*$"}
ID = {"pattern": r"^[^\x00]*[^\s\x00][^\x00]*$"}
NAME = {"pattern": rf"^[^\s{CONTROL}]([^{CONTROL}]*[^\s{CONTROL}])?$"}
TYPED_NAME = {"pattern": rf"^[^{CONTROL}]*[^\s{CONTROL}][^{CONTROL}]*$"}
QueryId = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY, json_schema_extra=ID)]
DocumentId = Annotated[str, Field(min_length=1, max_length=LONGEST_DOCUMENT, json_schema_extra=ID)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, json_schema_extra=NAME)]
Key = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, json_schema_extra=ID)]
Comment = Annotated[str, Field(max_length=LONGEST_COMMENT, json_schema_extra=TEXT)]
SAID = "a grade of this collection; up or true, down or false"
FORMS: list[dict[str, object]] = [{"type": "number"}, {"type": "boolean"}]
VoteValue = Annotated[
    float | str | bool,
    WithJsonSchema({"anyOf": [*FORMS, {"enum": ["up", "down", "?"]}], "description": f"{SAID}; ? is cannot tell"}),
]
Decided = Annotated[
    float | str | bool, WithJsonSchema({"anyOf": [*FORMS, {"enum": ["up", "down"]}], "description": SAID})
]
# A word to filter by, which may be one that nothing has.
Filter = Annotated[str, Field(max_length=LONGEST_DOCUMENT)]
Order = Literal["worth", "against", "depth", "random", "votes"]


class Strict(BaseModel):
    """A request whose fields are all known."""

    model_config = ConfigDict(extra="forbid")


class Error(BaseModel):
    """What went wrong, as a sentence."""

    error: str


class DecisionIn(Strict):
    """The grade of a pair on which votes differ."""

    query: QueryId
    document: DocumentId
    vote: Decided
    comment: Comment = ""


class VoteIn(DecisionIn):
    """A vote. A program names the voter; in a browser, the cookie does."""

    vote: VoteValue
    key: Key | None = Field(default=None, description="stands for this vote, however often it is sent")
    voter: Name | None = None


class ListedVote(BaseModel):
    """A vote in the list of votes."""

    model_config = ConfigDict(from_attributes=True)

    id: int
    query: str
    document: str
    voter: str
    vote: Annotated[float | str, BeforeValidator(shown_vote)]
    comment: str
    time: float
    kind: str
    source: str
    replaces: int | None


class VoteOut(ListedVote):
    """A vote that was recorded, and the grade of its pair."""

    grade: float | None
    revision: int


class VoteList(BaseModel):
    """Votes in the order in which they were recorded; `next` is where to go on."""

    votes: list[ListedVote]
    next: int | None


class SessionIn(Strict):
    """Who votes, with a password where one is needed."""

    voter: Annotated[str, Field(min_length=1, max_length=LONGEST_NAME, json_schema_extra=TYPED_NAME)]
    password: Annotated[str, Field(max_length=1000)] | None = None


class QuestionIn(Strict):
    """A question for live search."""

    question: Annotated[str, Field(min_length=1, max_length=1000, json_schema_extra=ID)]


class GuidelinesIn(Strict):
    """What voters are told."""

    text: Annotated[str, Field(max_length=LONGEST_GUIDELINES, json_schema_extra=TEXT)]


class VoterIn(Strict):
    """Somebody who may vote."""

    name: Name
    password: Annotated[str, Field(min_length=8, max_length=1000)] | None = None
    admin: Annotated[bool, Field(strict=True)] | None = Field(
        default=None, description="whether they manage the studio; as it is, if left out"
    )


class TokenIn(Strict):
    """The program that gets a token."""

    application: Name


Fields = dict[str, Any]
ERRORS: dict[int | str, dict[str, Any]] = {
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
    studio: Studio = request.app.state.studio
    return studio


async def get_access(request: Request) -> Access:
    access: Access = request.app.state.access
    return access


TheStudio = Annotated[Studio, Depends(get_studio)]
TheAccess = Annotated[Access, Depends(get_access)]


async def get_session(request: Request, access: TheAccess) -> BrowserSession | None:
    return access.open(request.cookies.get(COOKIE))


TheSession = Annotated[BrowserSession | None, Depends(get_session)]


async def reader(request: Request, access: TheAccess, session: TheSession) -> Requester:
    return access.asker(request.headers, session)


async def writer(request: Request, access: TheAccess, session: TheSession) -> Requester:
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


Reader = Annotated[Requester, Depends(reader)]
Writing = Annotated[Requester, Depends(writer)]
VoterName = Annotated[str, Depends(voter)]
Manager = Annotated[Requester, Depends(manager)]
