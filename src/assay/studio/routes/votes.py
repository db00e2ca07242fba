"""Votes: to cast, to take back, to list. `POST /api/votes` is where a product's own thumbs send theirs."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path, Query, Response

from assay.core.errors import DataError
from assay.studio.access import Access, Asker, RefusedError
from assay.studio.routes.asking import Manager, Reader, TheAccess, TheStudio, VoterName, Writing
from assay.studio.routes.models import DecisionIn, Filter, VoteIn, VoteList, VoteOut
from assay.studio.store.events import NewVote, VoteEvent, check_name
from assay.studio.studio import Studio
from assay.studio.views import shown_vote

router = APIRouter(tags=["votes"])
MOST = 1000
HIGHEST_ID = 2**53


@router.post("/votes", status_code=201, responses={200: {"model": VoteOut, "description": "the key was there already"}})
async def cast(body: VoteIn, response: Response, *, studio: TheStudio, access: TheAccess, asker: Writing) -> VoteOut:
    """Records a vote. One with a `key` is recorded once, however often it is sent. One's last vote on a pair counts."""
    voter = voter_of(body, asker)
    if asker.application:
        await asyncio.to_thread(check_program_voter, access, voter)
    else:
        studio.check_pair(body.query, body.document)
    vote = NewVote(
        query=body.query,
        document=body.document,
        voter=voter,
        vote=studio.read_vote(body.vote),
        comment=body.comment,
        key=body.key,
        source="api" if asker.application else "page",
        application=asker.application,
    )
    recorded = await asyncio.wrap_future(studio.record(vote))
    if not recorded.is_new:
        response.status_code = 200
    return vote_out(studio, recorded.event)


def voter_of(body: VoteIn, asker: Asker) -> str:
    """Whose vote it is."""
    if asker.application:
        if body.voter is None:
            raise DataError("a program says who votes: send voter, such as an id of your user")
        return check_name("voter", body.voter)
    if asker.voter is None:
        raise RefusedError(401, "say who you are first")
    if body.voter not in (None, asker.voter):
        raise RefusedError(403, "nobody votes in another's name; leave out voter")
    return asker.voter


def check_program_voter(access: Access, name: str) -> None:
    """Raises if a program would vote in the name of somebody who logs in, or of a model."""
    known = access.voter(name)
    if known is not None and known.kind == "model":
        raise RefusedError(403, f"{name} is a model here; a program sends the votes of its own users")
    if known is not None and known.has_password:
        raise RefusedError(403, f"{name} logs in here; a program sends the votes of its own users")


@router.delete("/votes/{number}")
async def take_back(number: Annotated[int, Path(ge=1, le=HIGHEST_ID)], studio: TheStudio, voter: VoterName) -> VoteOut:
    """Takes back my vote or decision: the vote that it replaced counts again, if there was one."""
    event = await asyncio.to_thread(studio.event, number)
    if event is None or event.voter != voter:
        raise RefusedError(404, f"there is no vote {number} of yours")
    if not studio.is_in_force(event):
        raise RefusedError(409, f"vote {number} was replaced or taken back already; load the page again")
    undone = await asyncio.to_thread(studio.undoing, event)
    recorded = await asyncio.wrap_future(studio.record(undone))
    return vote_out(studio, recorded.event)


@router.post("/decisions", status_code=201)
async def decide(body: DecisionIn, studio: TheStudio, voter: VoterName, _: Manager) -> VoteOut:
    """Decides the grade of a pair on which votes differ; the votes stay as they are."""
    studio.check_pair(body.query, body.document)
    grade = studio.read_vote(body.vote)
    if grade is None:
        raise DataError("a decision needs a grade")
    vote = NewVote(body.query, body.document, voter, grade, comment=body.comment, kind="decision")
    return vote_out(studio, (await asyncio.wrap_future(studio.record(vote))).event)


@router.get("/votes")
def list_votes(
    studio: TheStudio,
    asker: Reader,
    *,
    query: Annotated[Filter | None, Query()] = None,
    document: Annotated[Filter | None, Query()] = None,
    voter: Annotated[Filter | None, Query()] = None,
    after: Annotated[int, Query(ge=0, le=HIGHEST_ID)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST)] = 100,
) -> VoteList:
    """The votes as they were recorded, corrections included. A person sees others' votes where they have voted."""
    found = studio.store.events(after, limit, query=query, document=document, voter=voter)
    shown = [event for event in found if may_see(studio, event, asker)]
    votes = [vote_fields(event) for event in shown]
    return VoteList.model_validate({"votes": votes, "next": found[-1].id if len(found) == limit else None})


def may_see(studio: Studio, event: VoteEvent, asker: Asker) -> bool:
    """Whether somebody may see a vote: a program all; a person their own, and those on pairs that they voted on.

    That holds for votes that were taken back, too. On a pair that is decided, all may see them.
    """
    if asker.application or event.voter == asker.voter:
        return True
    judgments, pair = studio.judgments, (event.query, event.document)
    return pair in judgments.decisions or asker.voter in judgments.ballots.get(pair, {})


def vote_fields(event: VoteEvent) -> dict[str, object]:
    """An event as JSON has it."""
    names = ("id", "query", "document", "voter", "comment", "time", "kind", "source", "replaces")
    return {**{name: getattr(event, name) for name in names}, "vote": shown_vote(event.vote)}


def vote_out(studio: Studio, event: VoteEvent) -> VoteOut:
    """A recorded vote, with what it led to."""
    grade = studio.judgments.grade(event.query, event.document)
    return VoteOut.model_validate({**vote_fields(event), "grade": grade, "revision": studio.judgments.revision})
