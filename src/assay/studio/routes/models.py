"""What is sent to the studio and what it answers, for its OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from assay.studio.store.events import LONGEST_DOCUMENT, LONGEST_NAME, LONGEST_QUERY

LONGEST_COMMENT = 10_000
LONGEST_GUIDELINES = 50_000
QueryId = Annotated[str, Field(min_length=1, max_length=LONGEST_QUERY)]
DocumentId = Annotated[str, Field(min_length=1, max_length=LONGEST_DOCUMENT)]
Name = Annotated[str, Field(min_length=1, max_length=LONGEST_NAME)]
Comment = Annotated[str, Field(max_length=LONGEST_COMMENT)]
VoteValue = Annotated[
    float | str, Field(description="a grade of this collection, or up, down, or ? for cannot tell", examples=["up", 2])
]
Order = Literal["worth", "depth", "random", "votes"]


class Strict(BaseModel):
    """A request whose fields are all known."""

    model_config = ConfigDict(extra="forbid")


class Error(BaseModel):
    """What went wrong, as a sentence."""

    error: str


class VoteIn(Strict):
    """A vote. A program names the voter; in a browser, the cookie does."""

    query: QueryId
    document: DocumentId
    vote: VoteValue
    comment: Comment = ""
    key: Name | None = Field(default=None, description="stands for this vote, however often it is sent")
    voter: Name | None = None


class VoteOut(BaseModel):
    """A vote that was recorded, and the grade of its pair."""

    id: int
    query: str
    document: str
    voter: str
    vote: float | str
    comment: str
    time: float
    kind: str
    source: str
    replaces: int | None
    grade: float | None
    revision: int


class ListedVote(BaseModel):
    """A vote in the list of votes."""

    id: int
    query: str
    document: str
    voter: str
    vote: float | str
    comment: str
    time: float
    kind: str
    source: str
    replaces: int | None


class VoteList(BaseModel):
    """Votes in the order in which they were recorded; `next` is where to go on."""

    votes: list[ListedVote]
    next: int | None


class SessionIn(Strict):
    """Who votes, with a password where one is needed."""

    voter: Name
    password: Annotated[str, Field(max_length=1000)] | None = None


class DecisionIn(Strict):
    """The grade of a pair on which votes differ."""

    query: QueryId
    document: DocumentId
    vote: VoteValue
    comment: Comment = ""


class QuestionIn(Strict):
    """A question for live search."""

    question: Annotated[str, Field(min_length=1, max_length=1000)]


class GuidelinesIn(Strict):
    """What voters are told."""

    text: Annotated[str, Field(max_length=LONGEST_GUIDELINES)]


class VoterIn(Strict):
    """Somebody who may vote."""

    name: Name
    password: Annotated[str, Field(min_length=8, max_length=1000)] | None = None
    admin: bool = False


class TokenIn(Strict):
    """The program that gets a token."""

    application: Name


Fields = dict[str, Any]
