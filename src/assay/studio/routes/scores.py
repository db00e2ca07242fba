"""The numbers: the overview, the list of queries, and one query."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from assay.studio.routes.asking import Reader, TheStudio
from assay.studio.routes.models import Fields, QueryId
from assay.studio.studio import Studio
from assay.studio.views import MOST_ROWS, Wanted, overview, query_bars, query_rows, query_view

router = APIRouter(tags=["numbers"])
Sort = Literal["difference", "id", "judged", "a", "b"]
Text = Annotated[str, Query(max_length=1000)]


@router.get("/overview")
def show_overview(studio: TheStudio, _: Reader, *, charts: bool = False) -> Fields:
    """The verdict, means with intervals, and differences with tests, by the judgments in force."""
    return overview(studio, charts=charts)


@router.get("/queries")
def list_queries(
    studio: TheStudio,
    _: Reader,
    *,
    measure: Text = "",
    a: Text = "",
    b: Text = "",
    sort: Sort = "difference",
    descending: bool = False,
    find: Text = "",
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    limit: Annotated[int, Query(ge=1, le=MOST_ROWS)] = 50,
) -> Fields:
    """The queries with the scores of all runs, sorted by the difference of two."""
    return query_rows(studio, Wanted(*chosen(studio, measure, a, b), sort, descending, find, offset, limit))


@router.get("/bars")
def list_bars(
    studio: TheStudio, _: Reader, *, measure: Text = "", a: Text = "", b: Text = "", find: Text = ""
) -> Fields:
    """The difference of two runs by query, the best first: what a page draws as bars. Of very many queries, some."""
    return query_bars(studio, Wanted(*chosen(studio, measure, a, b), find=find))


def chosen(studio: Studio, measure: str, a: str, b: str) -> tuple[str, str, str]:
    """The measure and the two runs that are asked for, or else the first."""
    first = studio.compared
    named = measure or next(iter([*studio.live.measures, *studio.settings.measures]))
    return named, a or first[0], b or first[1]


@router.get("/query")
def show_query(studio: TheStudio, asker: Reader, query: Annotated[QueryId, Query()]) -> Fields:
    """One query: its rankings, grades and passages, my votes, and those of others where I have voted."""
    return query_view(studio, query, asker.voter)
