"""Judging: the next pair, one pair, live search, votes and decisions, and how far the voters agree.

`POST /api/votes` is where a product's own thumbs send theirs.
"""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response
from pydantic import Field

from assay.core.errors import DataError
from assay.studio.access import RefusedError
from assay.studio.agreement import agreement_view
from assay.studio.routes.asking import (
    DecisionIn,
    DocumentId,
    Fields,
    Filter,
    ListedVote,
    Manager,
    Order,
    QueryId,
    QuestionIn,
    Reader,
    TheAccess,
    TheStudio,
    VoteIn,
    VoteList,
    VoteOut,
    VoterName,
    Writing,
)
from assay.studio.search import search
from assay.studio.store.schema import LONGEST_DOCUMENT, LONGEST_QUERY, NewVote, VoteEvent, check_name
from assay.studio.studio import Studio

router = APIRouter(tags=["judging"])
MOST = 1000
HIGHEST_ID = 2**53
MOST_SKIPPED = 500
PAIR = {"pattern": r"^[^\t]+\t[\s\S]+$"}
SkippedPair = Annotated[str, Field(max_length=LONGEST_QUERY + 1 + LONGEST_DOCUMENT, json_schema_extra=PAIR)]
SkippedPairs = Annotated[list[SkippedPair] | None, Query(max_length=MOST_SKIPPED, description="query, tab, document")]


@router.get("/next")
def next_pair(studio: TheStudio, asker: Reader, *, order: Order = "worth", skip: SkippedPairs = None) -> Fields:
    """The pair that I should judge next."""
    pairs = set()
    for query, _, document in (each.partition("\t") for each in skip or ()):
        if not query or not document:
            raise DataError("skip takes a query, a tab and a document")
        pairs.add((query, document))
    return studio.next_pair(asker.voter, order, pairs)


@router.get("/pair")
def show_pair(
    studio: TheStudio, asker: Reader, query: Annotated[QueryId, Query()], document: Annotated[DocumentId, Query()]
) -> Fields:
    """One pair: the question, the passage, my vote, and those of others once I have voted."""
    studio.check_pair(query, document)
    return {**studio.pair_fields(query, document), **studio.judgments.votes_on((query, document), asker.voter)}


@router.get("/agreement")
def show_agreement(studio: TheStudio, asker: Reader, *, reveal: bool = False) -> Fields:
    """How far the voters agree, and the pairs on which they do not.

    With `reveal`, also the votes on pairs that I have yet to judge: for those who manage the studio, and decide.
    """
    if reveal and not asker.is_admin:
        said = "only somebody who manages this studio may see votes on pairs that they have not judged"
        raise RefusedError(403, said)
    return agreement_view(studio, asker.voter, reveal=reveal)


@router.post("/search")
def ask(body: QuestionIn, studio: TheStudio, voter: VoterName) -> Fields:
    """Asks live search. The question becomes a query of the collection, and what was found can be voted on."""
    return search(studio, body.question, voter)


@router.post("/votes", status_code=201, responses={200: {"model": VoteOut, "description": "the key was there already"}})
async def cast(body: VoteIn, response: Response, *, studio: TheStudio, access: TheAccess, asker: Writing) -> VoteOut:
    """Records a vote. One with a `key` is recorded once, however often it is sent. One's last vote on a pair counts."""
    if asker.application:
        if body.voter is None:
            raise DataError("a program says who votes: send voter, such as an id of your user")
        voter = check_name("voter", body.voter)
        known = await asyncio.to_thread(access.voter, voter)
        if known is not None and (known.kind == "model" or known.has_password):
            what = "is a model" if known.kind == "model" else "logs in"
            raise RefusedError(403, f"{voter} {what} here; a program sends the votes of its own users")
    else:
        if asker.voter is None:
            raise RefusedError(401, "say who you are first")
        if body.voter not in (None, asker.voter):
            raise RefusedError(403, "you cannot vote for another user; leave out voter")
        voter = asker.voter
        studio.check_pair(body.query, body.document)
    given = (body.query, body.document, voter, studio.read_vote(body.vote), body.comment, body.key)
    vote = NewVote(*given, source="api" if asker.application else "page", application=asker.application)
    recorded = await asyncio.wrap_future(studio.writer.record(vote))
    if not recorded.is_new:
        response.status_code = 200
    return vote_out(studio, recorded.event)


@router.delete("/votes/{number}")
async def take_back(number: Annotated[int, Path(ge=1, le=HIGHEST_ID)], studio: TheStudio, voter: VoterName) -> VoteOut:
    """Takes back my vote or decision: the vote that it replaced counts again, if there was one."""
    found = await asyncio.to_thread(studio.store.events, number - 1, 1)
    event = next((each for each in found if each.id == number and each.voter == voter), None)
    if event is None:
        raise RefusedError(404, f"there is no vote {number} of yours")
    if not studio.judgments.is_last(event):
        raise RefusedError(409, f"vote {number} was replaced or taken back already; load the page again")
    undone = await asyncio.to_thread(studio.undoing, event)
    return vote_out(studio, (await asyncio.wrap_future(studio.writer.record(undone))).event)


@router.post("/decisions", status_code=201)
async def decide(body: DecisionIn, studio: TheStudio, voter: VoterName, _: Manager) -> VoteOut:
    """Decides the grade of a pair on which votes differ; the votes stay as they are."""
    studio.check_pair(body.query, body.document)
    grade = studio.read_vote(body.vote)
    if grade is None:
        raise DataError("a decision needs a grade")
    vote = NewVote(body.query, body.document, voter, grade, comment=body.comment, kind="decision")
    return vote_out(studio, (await asyncio.wrap_future(studio.writer.record(vote))).event)


@router.get("/votes")
def list_votes(
    studio: TheStudio,
    asker: Reader,
    *,
    query: Filter | None = None,
    document: Filter | None = None,
    voter: Filter | None = None,
    after: Annotated[int, Query(ge=0, le=HIGHEST_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> VoteList:
    """The votes as they were recorded, corrections included. A program sees all; a person others' where they voted."""
    found = studio.store.events(after, limit, query=query, document=document, voter=voter)
    may_see = [
        event
        for event in found
        if asker.application
        or event.voter == asker.voter
        or studio.judgments.may_know(asker.voter, (event.query, event.document))
    ]
    votes = list(map(ListedVote.model_validate, may_see))
    return VoteList(votes=votes, next=found[-1].id if len(found) == limit else None)


def vote_out(studio: Studio, event: VoteEvent) -> VoteOut:
    grade = studio.judgments.grade(event.query, event.document)
    return VoteOut(**dict(ListedVote.model_validate(event)), grade=grade, revision=studio.judgments.revision)
