"""What is sent to the studio and what it answers, for its OpenAPI description."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, WithJsonSchema

from assay.studio.store.schema import LONGEST_DOCUMENT, LONGEST_NAME, LONGEST_QUERY

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


class VoteIn(Strict):
    """A vote. A program names the voter; in a browser, the cookie does."""

    query: QueryId
    document: DocumentId
    vote: VoteValue
    comment: Comment = ""
    key: Key | None = Field(default=None, description="stands for this vote, however often it is sent")
    voter: Name | None = None


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


class DecisionIn(Strict):
    """The grade of a pair on which votes differ."""

    query: QueryId
    document: DocumentId
    vote: Decided
    comment: Comment = ""


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
