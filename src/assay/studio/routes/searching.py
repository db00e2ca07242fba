"""Live search: ask the retriever behind the studio."""

from __future__ import annotations

from fastapi import APIRouter

from assay.studio.access import RefusedError
from assay.studio.routes.asking import TheStudio, VoterName
from assay.studio.routes.models import Fields, QuestionIn
from assay.studio.search import search

router = APIRouter(tags=["search"])


@router.post("/search")
def ask(body: QuestionIn, studio: TheStudio, voter: VoterName) -> Fields:
    """Asks live search. The question becomes a query of the collection, and what was found can be voted on."""
    if studio.search is None:
        raise RefusedError(404, "this studio has no live search; start it with --search URL")
    return search(studio, body.question, voter)
