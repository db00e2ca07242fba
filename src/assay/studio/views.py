"""What the pages show, as JSON has it: the runs, the list of queries, and one query with its rankings and votes.

The shapes are the report's (`assay.report.content`, `assay.tasks.compare.rankings`), so its components show both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.text import count, show, some
from assay.engine.ranking import rebuild
from assay.render import finite
from assay.report.content import base_core
from assay.studio.collection import UnknownError
from assay.studio.live import rank_given
from assay.tasks.compare.rankings import QueryLists
from assay.tasks.compare.ranks import Ranks
from assay.tasks.compare.report import comparison_core
from assay.tasks.evaluate.api import Kept

if TYPE_CHECKING:
    from assay.core.judged import IntArray
    from assay.studio.studio import Studio

TOP = 20
# Seconds that somebody who looks waits for numbers that are being made.
PATIENCE = 0.8
MOST_ROWS = 500
# Bars that a page draws: a pixel or two for each.
MOST_BARS = 800
COMPUTING = "The numbers are being computed; they appear here in a moment."
NOTHING = "Nothing is judged yet: the numbers appear with the first vote."
SEARCH = "search"


class QuerySelection(NamedTuple):
    """Which queries to list, and in which order."""

    measure: str
    a: str
    b: str
    sort: str = "difference"
    descending: bool = False
    find: str = ""
    offset: int = 0
    limit: int = 50


def overview(studio: Studio, *, charts: bool = False) -> dict[str, Any]:
    """The verdict, the means and the differences, as in a report, and how far judging has come.

    In a large collection the numbers may be those of some votes ago, by their `revision`, while new ones are made.
    """
    core = numbers(studio, charts=True) if charts else studio.numbers.get(PATIENCE)
    if core is None:
        core = {**empty_core(studio, COMPUTING), "revision": -1}
    return {**core, "judged": studio.progress(), "settlement": studio.settlement()}


def numbers(studio: Studio, *, charts: bool = False) -> dict[str, Any]:
    """What a report shows first, by the judgments in force."""
    revision = studio.revision()
    studio.live.renew()
    comparison, results = studio.live.comparison(), studio.live.results()
    if comparison is not None:
        core = comparison_core(comparison, studio.title, charts=charts)
    elif results is not None:
        core = base_core(results, studio.title)
    else:
        core = empty_core(studio, NOTHING)
    core["notes"] = [*core["notes"], *elsewhere_notes(studio)]
    return {**core, "revision": revision}


def elsewhere_notes(studio: Studio) -> list[dict[str, Any]]:
    """A note on judged queries that are neither in the file nor in a run: asked in live search, or by a program."""
    others = [query for query in studio.judgments.judged_queries() if query not in studio.live.places]
    if not others:
        return []
    said = f"{count(len(others), 'judged query is', 'judged queries are')} in no run; not counted here"
    return [{"text": f"{said}, but exported: {some(others)}", "loud": False}]


def empty_core(studio: Studio, said: str) -> dict[str, Any]:
    """What is shown while there are no numbers."""
    names = list(studio.live.runs)
    return {
        "title": studio.title,
        "runs": [{"name": name, "mark": None} for name in names],
        "measures": [],
        "means": {},
        "caption": "",
        "verdict": [{"text": said, "state": None}],
        "pairs": [],
        "tested": "",
        "forests": {},
        "charts": [],
        "themes": {},
        "unmet": [],
        "first": {"a": names[0], "b": names[-1]},
        "notes": [],
        "signature": "",
    }


def query_rows(studio: Studio, wanted: QuerySelection) -> dict[str, Any]:
    """A page of the list of queries: the scores of all runs, the difference of two, and how much is judged."""
    scores = scores_of(studio, wanted)
    difference = scores[wanted.b] - scores[wanted.a]
    places = matching(studio, wanted.find)
    keys = {"difference": difference, "a": scores[wanted.a], "b": scores[wanted.b]}
    if wanted.sort == "judged":
        keys["judged"] = np.array([studio.pool.count_judged(query)[0] for query in studio.queries], dtype=np.float64)
    if wanted.sort in keys:
        places = sorted_places(keys[wanted.sort], places, descending=wanted.descending)
    elif wanted.descending:
        places = places[::-1]
    rows = []
    for place in places[wanted.offset : wanted.offset + wanted.limit].tolist():
        query = studio.queries[place]
        judged, of = studio.pool.count_judged(query)
        own = {name: finite(float(each[place])) for name, each in scores.items()}
        row = {"query": query, "question": studio.question(query), "scores": own}
        rows.append({**row, "difference": finite(float(difference[place])), "judged": judged, "of": of})
    return {"total": len(places), "rows": rows, "revision": studio.judgments.revision}


def scores_of(studio: Studio, wanted: QuerySelection) -> dict[str, Any]:
    """The scores of all runs; raises unless the two that are compared are among them."""
    scores = studio.live.score_rows(wanted.measure)
    for name in (wanted.a, wanted.b):
        if name not in scores:
            raise UnknownError(f"unknown run {show(name)}; the runs are {', '.join(map(show, scores))}")
    others = np.full(len(studio.queries) - len(studio.live.queries), np.nan)
    return {name: np.append(each, others) for name, each in scores.items()} if len(others) else scores


def query_bars(studio: Studio, wanted: QuerySelection) -> dict[str, Any]:
    """One value per query, the best first, as the bars of a report: the difference of two runs, or the score of one.

    Of very many queries some are chosen, at even distances; the counts are of all.
    """
    scores = scores_of(studio, wanted)
    values = scores[wanted.b] - scores[wanted.a] if len(scores) > 1 else scores[wanted.a]
    measure = studio.live.measures.get(wanted.measure)
    sign = 1 if measure is None or measure.definition.higher_is_better else -1
    places = matching(studio, wanted.find)
    places = sorted_places(values * sign, places[np.isfinite(values[places])], descending=True)
    worth = values[places] * sign
    chosen = places[np.unique(np.linspace(0, len(places) - 1, min(len(places), MOST_BARS)).astype(int))]
    queries = studio.queries
    bars = [
        {"query": queries[place], "value": float(values[place]), "worth": float(values[place] * sign)}
        for place in chosen
    ]
    better, worse = int((worth > 0).sum()), int((worth < 0).sum())
    return {"bars": bars, "better": better, "worse": worse, "same": len(places) - better - worse}


def matching(studio: Studio, find: str) -> IntArray:
    """The places of the queries whose id or question has a text."""
    queries, sought = studio.queries, find.casefold()
    found = (sought in query.casefold() or sought in (studio.question(query) or "").casefold() for query in queries)
    return np.flatnonzero(np.fromiter(found, dtype=np.bool_, count=len(queries))) if find else np.arange(len(queries))


def sorted_places(key: Any, places: IntArray, *, descending: bool) -> IntArray:  # noqa: ANN401 - an array
    """Places by a key, those without one last."""
    values = key[places] * (-1 if descending else 1)
    return np.asarray(places[np.argsort(np.where(np.isnan(values), np.inf, values), kind="stable")])


def query_view(studio: Studio, query: str, voter: str | None) -> dict[str, Any]:
    """One query: the rankings side by side, with grades, texts and the votes that this voter may see."""
    if not studio.has_query(query):
        raise UnknownError(f"unknown query {show(query)}; the list of queries has them all")
    names, view, scores = listed(studio, query)
    with studio.lock:
        votes = {document: votes_on(studio, query, document, voter) for document in view["documents"]}
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
    plan, kept, scores = scorer.plan, Kept({}, {}, {}, None, {}), {}
    for name, own in runs.items():
        ranking = rank_given(scorer, own)
        result = plan.score(ranking)
        for group in plan.groups:
            found, _ = ranking.judged(group.policies, group.number)
            kept.judged.update({(name, measure): rebuild(found) for measure in group.measures})
        kept.measures.update(result.measures)
        kept.tops[name] = scorer.plan.tops(ranking)
        scores[name] = {measure: finite(value) for measure, value in result.per_query().get(query, {}).items()}
    view = QueryLists(Ranks(scorer, *kept), list(runs)).query(query)
    return list(runs), view, scores if grades else {name: {} for name in runs}


def votes_on(studio: Studio, query: str, document: str, voter: str | None) -> dict[str, Any]:
    """The votes on a pair that a voter may see: one's own, and those of others once one has voted."""
    pair, judgments = (query, document), studio.judgments
    with studio.lock:
        ballots = judgments.ballots.get(pair, {})
        mine = ballots.get(voter) if voter is not None else None
        others = [
            {"voter": name, "vote": shown_vote(ballot.vote), "kind": studio.voter_kind(name)}
            for name, ballot in ballots.items()
            if name != voter
        ]
        decided = judgments.decisions.get(pair)
        return {
            "mine": None if mine is None else shown_vote(mine.vote),
            "id": None if mine is None else mine.event,
            "comment": "" if mine is None else mine.comment,
            "count": len(ballots),
            "others": None if judgments.is_blind(voter, pair) else others,
            "decided": None if decided is None else decided.ballot.vote,
        }


def shown_vote(vote: float | None) -> float | str:
    return "?" if vote is None else vote


def hide_blind(view: dict[str, Any], hidden: set[str]) -> None:
    """Takes out the grades that would tell a voter what others voted, and what the documents are worth by them."""
    places = {place for place, name in enumerate(view["documents"]) if name in hidden}
    view["grades"] = [None if place in places else grade for place, grade in enumerate(view["grades"])]
    if places:
        view["worth"] = {measure: [[] for _ in runs] for measure, runs in view["worth"].items()}
        view["below"] = [[each for each in run if each[0] not in places] for run in view["below"]]
        view["missing"] = [place for place in view["missing"] if place not in places]
