"""How far the voters of a studio agree, and the pairs on which they do not.

The figures are those of `assay.agreement` and `assay.votes`: kappa of every two voters, Krippendorff's alpha of all.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import AssayError
from assay.render import finite
from assay.studio.views import shown_vote
from assay.tasks.agree.api import agreement
from assay.tasks.vote.api import votes

if TYPE_CHECKING:
    from assay.studio.judgments import Judgments, Pair
    from assay.studio.studio import Studio

# Voters that are compared with each other, those with the most votes first; and pairs that are listed.
MOST_VOTERS = 12
MOST_PAIRS = 100
SAMPLES = 1000
PAIR = 2


def agreement_view(studio: Studio, voter: str | None, *, reveal: bool = False) -> dict[str, Any]:
    """The figures and the pairs on which votes differ; the votes on a pair that one has yet to judge are hidden.

    With `reveal` they are shown, as whoever decides needs them.
    """
    with studio.lock:
        known = by_voter(studio.judgments)
        listed = disagreements(studio, voter, reveal=reveal)
        kinds = dict(studio.judgments.kinds)
        revision = studio.judgments.revision
    return {
        "voters": voter_rows(known, kinds),
        "alpha": alpha_of(known),
        "pairs": compared_voters(known),
        "disagreements": listed[:MOST_PAIRS],
        "differing": len(listed),
        "revision": revision,
    }


def by_voter(judgments: Judgments) -> dict[str, dict[Pair, float]]:
    """What each voter voted, those with the most votes first; "cannot tell" is left out."""
    found: dict[str, dict[Pair, float]] = {}
    for pair, ballots in judgments.ballots.items():
        for voter, ballot in ballots.items():
            if ballot.vote is not None:
                found.setdefault(voter, {})[pair] = ballot.vote
    return dict(sorted(found.items(), key=lambda each: (-len(each[1]), each[0])))


def vote_rows(known: dict[str, dict[Pair, float]], left_out: str | None = None) -> list[dict[str, Any]]:
    """The votes as `assay.votes` takes them."""
    return [
        {"query": query, "document": document, "voter": voter, "vote": vote}
        for voter, own in known.items()
        if voter != left_out
        for (query, document), vote in own.items()
    ]


def voter_rows(known: dict[str, dict[Pair, float]], kinds: dict[str, str]) -> list[dict[str, Any]]:
    """Each voter: how many votes, how often the others agree, and alpha of the others without them."""
    if not known:
        return []
    found = votes(vote_rows(known), scale="grades")
    same = {voter.name: voter.same for voter in found.voters}
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


def alpha_of(known: dict[str, dict[Pair, float]], left_out: str | None = None) -> dict[str, Any]:
    """Krippendorff's alpha of the voters, all or all but one, with its interval."""
    rows = vote_rows(known, left_out)
    nothing = {"value": None, "low": None, "high": None}
    if len({row["voter"] for row in rows}) < PAIR:
        return nothing
    try:
        found = votes(rows, scale="grades").agreement(scale="ordinal", samples=SAMPLES)
    except AssayError:
        # Too many different votes for categories.
        return nothing
    low, high = found.interval
    return {"value": finite(found.value), "low": finite(low), "high": finite(high)}


def compared_voters(known: dict[str, dict[Pair, float]]) -> list[dict[str, Any]]:
    """Kappa and the confusion matrix of every two voters who voted on the same pairs."""
    rows = []
    for a, b in combinations(list(known)[:MOST_VOTERS], 2):
        shared = known[a].keys() & known[b].keys()
        if shared:
            rows.append({"a": a, "b": b, "shared": len(shared), **kappas(known[a], known[b], (a, b))})
    return rows


def kappas(a: dict[Pair, float], b: dict[Pair, float], names: tuple[str, str]) -> dict[str, Any]:
    """Kappa, weighted kappa, and how often each two grades meet."""
    try:
        found = agreement(as_judgments(a), as_judgments(b), names=names, samples=SAMPLES)
    except AssayError as error:
        return {"kappa": None, "weighted": None, "confusion": None, "reason": str(error)}
    figures = {
        name: {"value": finite(figure.value), "low": finite(figure.low), "high": finite(figure.high)}
        for name in ("kappa", "weighted_kappa")
        for figure in [found[name]]
    }
    confusion = {"grades": list(found.grades), "counts": [list(row) for row in found.matrix]}
    return {"kappa": figures["kappa"], "weighted": figures["weighted_kappa"], "confusion": confusion, "reason": ""}


def as_judgments(own: dict[Pair, float]) -> dict[str, dict[str, float]]:
    """One voter's votes as judgments."""
    found: dict[str, dict[str, float]] = {}
    for (query, document), vote in own.items():
        found.setdefault(query, {})[document] = vote
    return found


def disagreements(studio: Studio, voter: str | None, *, reveal: bool) -> list[dict[str, Any]]:
    """The pairs on which votes differ, the farthest apart first, those that are decided last."""
    judgments = studio.judgments
    found = []
    for pair, ballots in judgments.ballots.items():
        said = [ballot.vote for ballot in ballots.values() if ballot.vote is not None]
        if len(set(said)) < PAIR:
            continue
        found.append((pair in judgments.decisions, -float(np.var(said)), pair))
    found.sort()
    shown = [disagreement(studio, pair, voter, reveal=reveal) for _, _, pair in found[:MOST_PAIRS]]
    return [*shown, *({} for _ in found[MOST_PAIRS:])]


def disagreement(studio: Studio, pair: Pair, voter: str | None, *, reveal: bool) -> dict[str, Any]:
    """One pair on which votes differ."""
    judgments, (query, document) = studio.judgments, pair
    ballots = judgments.ballots[pair]
    said = [ballot.vote for ballot in ballots.values() if ballot.vote is not None]
    decided = judgments.decisions.get(pair)
    is_hidden = judgments.is_blind(voter, pair) and not reveal
    listed = [
        {
            "voter": name,
            "vote": shown_vote(ballot.vote),
            "kind": studio.voter_kind(name),
            "comment": ballot.comment,
        }
        for name, ballot in ballots.items()
    ]
    return {
        "query": query,
        "question": studio.question(query),
        "document": document,
        "passage": studio.passages([document]).get(document),
        "votes": None if is_hidden else listed,
        "spread": None if is_hidden else max(said) - min(said),
        "decided": None if decided is None else decided.ballot.vote,
        "decided_by": None if decided is None else decided.voter,
        "decision": None if decided is None else decided.ballot.event,
    }
