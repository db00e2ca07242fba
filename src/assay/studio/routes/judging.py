"""Judging: the next pair, one pair, and how far the voters agree."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from assay.core.errors import DataError
from assay.studio.access import RefusedError
from assay.studio.agreement import agreement_view
from assay.studio.routes.asking import Reader, TheStudio
from assay.studio.routes.models import DocumentId, Fields, Order, QueryId
from assay.studio.store.events import LONGEST_DOCUMENT, LONGEST_QUERY

router = APIRouter(tags=["judging"])
MOST_SKIPPED = 500
PAIR = {"pattern": r"^[^\t]+\t[\s\S]+$"}
SkippedPair = Annotated[str, Field(max_length=LONGEST_QUERY + 1 + LONGEST_DOCUMENT, json_schema_extra=PAIR)]


@router.get("/next")
def next_pair(
    studio: TheStudio,
    asker: Reader,
    *,
    order: Order = "worth",
    skip: Annotated[
        list[SkippedPair] | None, Query(max_length=MOST_SKIPPED, description="query, tab, document")
    ] = None,
) -> Fields:
    """The pair that I should judge next."""
    return studio.next_pair(asker.voter, order, {pair_of(each) for each in skip or ()})


def pair_of(text: str) -> tuple[str, str]:
    """A pair as an address has it."""
    query, tab, document = text.partition("\t")
    if not tab or not query or not document:
        raise DataError("skip takes a query, a tab and a document")
    return query, document


@router.get("/pair")
def show_pair(
    studio: TheStudio, asker: Reader, query: Annotated[QueryId, Query()], document: Annotated[DocumentId, Query()]
) -> Fields:
    """One pair: the question, the passage, my vote, and those of others once I have voted."""
    studio.check_pair(query, document)
    return {**studio.pair_fields(query, document), **studio.votes_on(query, document, asker.voter)}


@router.get("/agreement")
def show_agreement(studio: TheStudio, asker: Reader, *, reveal: bool = False) -> Fields:
    """How far the voters agree, and the pairs on which they do not.

    With `reveal`, also the votes on pairs that I have yet to judge: for those who manage the studio, and decide.
    """
    if reveal and not asker.is_admin:
        raise RefusedError(
            403, "only somebody who manages this studio may see votes on pairs that they have not judged"
        )
    return agreement_view(studio, asker.voter, reveal=reveal)
