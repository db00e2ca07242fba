"""The numbers: the overview, the list of queries, one query with its rankings and votes, and changes as they happen.

The shapes are the report's (`assay.report.content`, `assay.tasks.compare.report`), so its components show both.
Changes are server-sent events, so that every open page shows the votes of all.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Annotated, Any, Literal

import numpy as np
from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field

from assay.core.judged import FloatArray, IntArray
from assay.core.text import show
from assay.engine.ranking import rebuild
from assay.render import finite
from assay.studio.collection import UnknownError
from assay.studio.live import rank_given
from assay.studio.routes.asking import Fields, QueryId, Reader, TheStudio
from assay.studio.studio import Studio
from assay.tasks.compare.report import QueryLists
from assay.tasks.evaluate.api import Ranks

router = APIRouter(tags=["numbers"])
TOP = 20
# Seconds that somebody who looks waits for numbers that are being made.
PATIENCE = 0.8
MOST_ROWS = 500
# Bars that a page draws: a pixel or two for each.
MOST_BARS = 800
COMPUTING = "The numbers are being computed; they appear here in a moment."
SEARCH = "search"
# Seconds between two events, between looks at whether the server ends, and looks until a sign of life is sent.
PAUSE = 0.1
LOOK = 0.5
LOOKS = 30
Text = Annotated[str, Field(max_length=1000)]


class QuerySelection(BaseModel):
    """Which queries, and the measure and the two runs that are looked at; else the first ones."""

    measure: Text = ""
    a: Text = ""
    b: Text = ""
    find: Text = ""


class QueryPage(QuerySelection):
    """A part of the list of queries, in an order."""

    sort: Literal["difference", "id", "judged", "a", "b"] = "difference"
    descending: bool = False
    offset: Annotated[int, Field(ge=0, le=10**9)] = 0
    limit: Annotated[int, Field(ge=1, le=MOST_ROWS)] = 50


@router.get("/overview")
def show_overview(studio: TheStudio, _: Reader, *, charts: bool = False) -> Fields:
    """The verdict, means with intervals, and differences with tests, by the judgments in force."""
    # In a large collection the numbers may be those of some votes ago, by their revision, while others are made.
    core = studio.core(charts=True) if charts else studio.numbers.get(PATIENCE)
    if core is None:
        core = {**studio.empty_core(COMPUTING), "revision": -1}
    return {**core, "judged": studio.progress(), "settlement": studio.settlement()}


@router.get("/queries")
def list_queries(studio: TheStudio, _: Reader, wanted: Annotated[QueryPage, Query()]) -> Fields:
    """The queries with the scores of all runs, sorted by the difference of two."""
    scores, a, b = scores_of(studio, wanted)
    queries, difference, places = studio.queries, b - a, matching(studio, wanted.find)
    keys = {"difference": difference, "a": a, "b": b}
    if wanted.sort == "judged":
        keys["judged"] = np.array([studio.pool.count_judged(query)[0] for query in queries], dtype=np.float64)
    if wanted.sort in keys:
        places = sorted_places(keys[wanted.sort], places, descending=wanted.descending)
    elif wanted.descending:
        places = places[::-1]
    rows = []
    for place in places[wanted.offset : wanted.offset + wanted.limit].tolist():
        query = queries[place]
        judged, of = studio.pool.count_judged(query)
        own = {name: finite(float(each[place])) for name, each in scores.items()}
        row = {"query": query, "question": studio.question(query), "scores": own}
        rows.append({**row, "difference": finite(float(difference[place])), "judged": judged, "of": of})
    return {"total": len(places), "rows": rows, "revision": studio.judgments.revision}


@router.get("/bars")
def list_bars(studio: TheStudio, _: Reader, wanted: Annotated[QuerySelection, Query()]) -> Fields:
    """The difference of two runs by query, the best first: what a page draws as bars. Of very many queries, some."""
    scores, a, b = scores_of(studio, wanted)
    values = b - a if len(scores) > 1 else a
    measure = studio.live.measures.get(wanted.measure or next(iter(studio.live.measures), ""))
    sign = 1 if measure is None or measure.definition.higher_is_better else -1
    places = matching(studio, wanted.find)
    places = sorted_places(values * sign, places[np.isfinite(values[places])], descending=True)
    worth = values[places] * sign
    # At even distances; the counts are of all.
    chosen = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), MOST_BARS)).astype(int))]
    queries = studio.queries
    bars = [
        {"query": queries[place], "value": float(values[place]), "worth": float(values[place] * sign)}
        for place in chosen
    ]
    better, worse = int((worth > 0).sum()), int((worth < 0).sum())
    return {"bars": bars, "better": better, "worse": worse, "same": len(places) - better - worse}


def scores_of(studio: Studio, wanted: QuerySelection) -> tuple[dict[str, FloatArray], FloatArray, FloatArray]:
    """The scores of all runs, and those of the two that are compared; NaN for what was only asked in live search."""
    first = studio.compared
    scores = studio.live.score_rows(wanted.measure or next(iter([*studio.live.measures, *studio.settings.measures])))
    names = (wanted.a or first[0], wanted.b or first[1])
    for name in names:
        if name not in scores:
            raise UnknownError(f"unknown run {show(name)}; the runs are {', '.join(map(show, scores))}")
    others = np.full(len(studio.queries) - len(studio.live.queries), np.nan)
    scores = {name: np.append(each, others) for name, each in scores.items()}
    return scores, scores[names[0]], scores[names[1]]


def matching(studio: Studio, find: str) -> IntArray:
    """The places of the queries whose id or question has a text."""
    queries, sought = studio.queries, find.casefold()
    found = (sought in query.casefold() or sought in (studio.question(query) or "").casefold() for query in queries)
    return np.flatnonzero(np.fromiter(found, dtype=np.bool_, count=len(queries))) if find else np.arange(len(queries))


def sorted_places(key: Any, places: IntArray, *, descending: bool) -> IntArray:  # noqa: ANN401 - an array
    """Places by a key, those without one last."""
    values = key[places] * (-1 if descending else 1)
    return np.asarray(places[np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")])


@router.get("/query")
def show_query(studio: TheStudio, asker: Reader, query: Annotated[QueryId, Query()]) -> Fields:
    """One query: its rankings, grades and passages, my votes, and those of others where I have voted."""
    if not studio.has_query(query):
        raise UnknownError(f"unknown query {show(query)}; the list of queries has them all")
    names, view, scores = listed(studio, query)
    with studio.lock:
        votes = {document: studio.judgments.votes_on((query, document), asker.voter) for document in view["documents"]}
    hidden = {name for name, each in votes.items() if each["others"] is None and each["count"]}
    if hidden:
        hide_blind(view, hidden)
        # The scores of the query would tell the grades.
        scores = {name: {} for name in names}
    queries = studio.queries
    place = queries.index(query) if query in studio.asked else studio.live.places.get(query)
    return {
        "query": query,
        "question": studio.question(query),
        "scores": scores,
        "runs": names,
        "view": view,
        "texts": studio.passages(view["documents"]),
        "votes": votes,
        "top": TOP,
        "rel": studio.live.plan.policies.rel,
        "previous": queries[place - 1] if place else None,
        "next": queries[place + 1] if place is not None and place + 1 < len(queries) else None,
        "revision": studio.judgments.revision,
    }


def listed(studio: Studio, query: str) -> tuple[list[str], dict[str, Any], dict[str, dict[str, float | None]]]:
    """The runs, what the report shows of a query, and its scores by run and measure."""
    runs: dict[str, Any] = {
        name: {query: run.as_given(query)} if query in run else {} for name, run in studio.live.runs.items()
    }
    if query not in studio.live.ranked:
        runs = {SEARCH: {query: studio.found[query]}} if query in studio.found else runs
    grades = studio.judgments.in_force(query)
    scorer = studio.live.scorer({query: grades}, top=TOP)
    plan, kept, scores = scorer.plan, Ranks(scorer, {}, {}, {}, None, {}), {}
    for name, own in runs.items():
        ranking = rank_given(scorer, own)
        result = plan.score(ranking)
        for group in plan.groups:
            found, _ = ranking.judged(group.policies, group.number)
            kept.judged.update({(name, measure): rebuild(found) for measure in group.measures})
        kept.measures.update(result.measures)
        kept.tops[name] = scorer.plan.tops(ranking)
        scores[name] = {measure: finite(value) for measure, value in result.per_query().get(query, {}).items()}
    view = QueryLists(kept, list(runs)).query(query)
    return list(runs), view, scores if grades else {name: {} for name in runs}


def hide_blind(view: dict[str, Any], hidden: set[str]) -> None:
    """Takes out the grades that would tell a voter what others voted, and what the documents are worth by them."""
    places = {place for place, name in enumerate(view["documents"]) if name in hidden}
    view["grades"] = [None if place in places else grade for place, grade in enumerate(view["grades"])]
    if places:
        view["worth"] = {measure: [[] for _ in runs] for measure, runs in view["worth"].items()}
        view["below"] = [[each for each in run if each[0] not in places] for run in view["below"]]
        view["missing"] = [place for place in view["missing"] if place not in places]


@router.get("/changes", response_class=StreamingResponse, responses={200: {"content": {"text/event-stream": {}}}})
async def changes(request: Request, studio: TheStudio, _: Reader) -> StreamingResponse:
    """An event with the number of the last vote, now and whenever there are new ones."""
    return StreamingResponse(revisions(request, studio), media_type="text/event-stream")


async def revisions(request: Request, studio: Studio) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    is_new = asyncio.Event()

    def tell(_: int) -> None:
        loop.call_soon_threadsafe(is_new.set)

    studio.listeners.append(tell)
    try:
        looks = 0
        is_new.set()
        while not request.app.state.is_closing():
            if is_new.is_set():
                is_new.clear()
                yield f"data: {json.dumps({'revision': studio.judgments.revision})}\n\n"
                await asyncio.sleep(PAUSE)
            looks += 1
            if looks % LOOKS == 0:
                yield ": still here\n\n"
            with suppress(TimeoutError):
                await asyncio.wait_for(is_new.wait(), LOOK)
    finally:
        studio.listeners.remove(tell)
