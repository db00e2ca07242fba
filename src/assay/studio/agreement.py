"""How far the voters of a studio agree, and the pairs on which they do not.

The figures are those of `assay.agree` and `assay.votes`: kappa of every two voters, Krippendorff's alpha of all.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from assay.core.errors import AssayError
from assay.render import finite
from assay.studio.judgments import JudgmentsInForce, Pair
from assay.studio.studio import Studio
from assay.tasks.agree.api import agree
from assay.tasks.vote.api import votes
from assay.tasks.vote.result import Votes

# Voters that are compared with each other, those with the most votes first; and pairs that are listed.
MOST_VOTERS = 12
MOST_PAIRS = 100
SAMPLES = 1000
PAIR = 2


def agreement_view(studio: Studio, voter: str | None, *, reveal: bool = False) -> dict[str, Any]:
    """The figures, and the pairs on which votes differ; votes on pairs that one has yet to judge only to `reveal`."""
    with studio.lock:
        judgments = studio.judgments
        known, kinds, revision = by_voter(judgments), dict(judgments.kinds), judgments.revision
        said = {
            pair: [ballot.vote for ballot in ballots.values() if ballot.vote is not None]
            for pair, ballots in judgments.ballots.items()
        }
        differing = [pair for pair, votes in said.items() if len(set(votes)) >= PAIR]
        # The farthest apart first, those that are decided last.
        differing.sort(key=lambda pair: (pair in judgments.decisions, -float(np.var(said[pair])), pair))
        listed = [disagreement(studio, pair, said[pair], voter, reveal=reveal) for pair in differing[:MOST_PAIRS]]
    pairs = [
        {"a": a, "b": b, "shared": len(known[a].keys() & known[b].keys()), **kappas(known[a], known[b], (a, b))}
        for a, b in combinations(list(known)[:MOST_VOTERS], 2)
        if known[a].keys() & known[b].keys()
    ]
    return {
        "voters": voter_rows(known, kinds),
        "alpha": alpha_of(known),
        "pairs": pairs,
        "disagreements": listed,
        "differing": len(differing),
        "revision": revision,
    }


def by_voter(judgments: JudgmentsInForce) -> dict[str, dict[Pair, float]]:
    """What each voter voted, those with the most votes first; "cannot tell" is left out."""
    found: dict[str, dict[Pair, float]] = {}
    for pair, ballots in judgments.ballots.items():
        for voter, ballot in ballots.items():
            if ballot.vote is not None:
                found.setdefault(voter, {})[pair] = ballot.vote
    return dict(sorted(found.items(), key=lambda each: (-len(each[1]), each[0])))


def votes_of(known: dict[str, dict[Pair, float]], left_out: str | None = None) -> Votes:
    rows = [
        {"query": query, "document": document, "voter": voter, "vote": vote}
        for voter, own in known.items()
        if voter != left_out
        for (query, document), vote in own.items()
    ]
    return votes(rows, scale="grades")


def voter_rows(known: dict[str, dict[Pair, float]], kinds: dict[str, str]) -> list[dict[str, Any]]:
    """Each voter: how many votes, how often the others agree, and alpha of the others without them."""
    same = {voter.name: voter.same for voter in votes_of(known).voters} if known else {}
    return [
        {
            "name": name,
            "kind": kinds.get(name, "person"),
            "votes": len(own),
            "same": finite(same[name]),
            "alpha_without": alpha_of(known, name)["value"] if len(known) <= MOST_VOTERS else None,
        }
        for name, own in known.items()
    ]


def bounded(value: float, low: float, high: float) -> dict[str, float | None]:
    return {"value": finite(value), "low": finite(low), "high": finite(high)}


def alpha_of(known: dict[str, dict[Pair, float]], left_out: str | None = None) -> dict[str, float | None]:
    """Krippendorff's alpha of the voters, all or all but one, with its interval; nothing if it is undefined."""
    undefined = bounded(*[np.nan] * 3)
    if len(known.keys() - {left_out}) < PAIR:
        return undefined
    try:
        found = votes_of(known, left_out).agreement(scale="ordinal", samples=SAMPLES)
    except AssayError:
        # Too many different votes for categories.
        return undefined
    return bounded(found.value, *found.interval)


def kappas(a: dict[Pair, float], b: dict[Pair, float], names: tuple[str, str]) -> dict[str, Any]:
    """Kappa, weighted kappa, and how often each two grades meet."""
    sides: list[dict[str, dict[str, float]]] = [{}, {}]
    for side, own in zip(sides, (a, b), strict=True):
        for (query, document), vote in own.items():
            side.setdefault(query, {})[document] = vote
    try:
        found = agree(*sides, names=names, samples=SAMPLES)
    except AssayError as error:
        return {"kappa": None, "weighted": None, "confusion": None, "reason": str(error)}
    kappa, weighted = (bounded(*found[name][1:4]) for name in ("kappa", "weighted_kappa"))
    confusion = {"grades": list(found.grades), "counts": [list(row) for row in found.matrix]}
    return {"kappa": kappa, "weighted": weighted, "confusion": confusion, "reason": ""}


def disagreement(studio: Studio, pair: Pair, said: list[float], voter: str | None, *, reveal: bool) -> dict[str, Any]:
    judgments = studio.judgments
    ballots, decided = judgments.ballots[pair], judgments.decisions.get(pair)
    listed = [{**judgments.said(each), "comment": each.comment} for each in ballots.values()]
    is_hidden = judgments.is_blind(voter, pair) and not reveal
    return {
        **studio.pair_fields(*pair),
        "votes": None if is_hidden else listed,
        "spread": None if is_hidden else max(said) - min(said),
        "decided": decided and decided.vote,
        "decided_by": decided and decided.voter,
        "decision": decided and decided.id,
    }
