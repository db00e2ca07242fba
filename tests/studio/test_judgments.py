"""The judgments in force: votes over the file, decisions over votes, withdrawals, and how votes are counted."""

import pytest

import assay
from assay.studio.judgments import JudgmentsInForce, VoteCounting
from assay.studio.store.schema import VoteEvent
from tables import for_each

BASE = {"q1": {"d1": 3.0, "d2": 0.0}}


def event(number, voter, vote, document="d1", *, kind="vote", replaces=None):
    return VoteEvent("q1", document, voter, vote, kind=kind, replaces=replaces, id=number, time=float(number))


DECIDED = [event(1, "ann", 1.0), event(2, "ann", 2.0, kind="decision")]
IN_FORCE = [
    ([], VoteCounting(), 3.0),
    ([event(1, "ann", 0.0)], VoteCounting(), 0.0),
    ([event(1, "ann", 0.0), event(2, "ann", 2.0)], VoteCounting(), 2.0),
    ([event(1, "ann", 0.0), event(2, "ann", None, kind="withdrawal", replaces=1)], VoteCounting(), 3.0),
    ([event(1, "ann", None)], VoteCounting(), 3.0),
    ([event(1, "ann", 1.0), event(2, "bob", 1.0), event(3, "eve", 2.0)], VoteCounting(), 1.0),
    ([event(1, "ann", 1.0), event(2, "bob", 2.0)], VoteCounting("mean"), 1.5),
    ([event(1, "ann", 1.0)], VoteCounting(min_votes=2), 3.0),
    ([event(1, "ann", 1.0), event(2, "bob", 1.0)], VoteCounting(min_votes=2), 1.0),
    ([event(1, "gpt", 1.0)], VoteCounting(), 3.0),
    ([event(1, "gpt", 1.0)], VoteCounting(whose="models"), 1.0),
    ([event(1, "gpt", 1.0), event(2, "ann", 2.0)], VoteCounting("mean", whose="all"), 1.5),
    ([event(1, "ann", 1.0), event(2, "bob", 2.0, kind="decision")], VoteCounting(), 2.0),
    ([event(1, "bob", 2.0, kind="decision"), event(2, "ann", 1.0)], VoteCounting(), 2.0),
    ([*DECIDED, event(3, "ann", None, kind="withdrawal", replaces=2)], VoteCounting(), 1.0),
]  # fmt: skip


@for_each("events, counting, grade", IN_FORCE)
def test_the_grade_in_force(events, counting, grade):
    one_by_one, at_once = JudgmentsInForce(BASE, counting), JudgmentsInForce(BASE, counting)
    one_by_one.kinds = at_once.kinds = {"gpt": "model"}
    for each in events:
        one_by_one.apply([each])
    at_once.apply(events)
    assert one_by_one.grade("q1", "d1") == grade
    assert one_by_one.in_force("q1") == {"d1": grade, "d2": 0.0}
    assert at_once.all_in_force() == one_by_one.all_in_force()


def test_what_changed_is_told():
    judgments = JudgmentsInForce(BASE, VoteCounting())
    assert judgments.apply([event(1, "ann", 3.0)]) == set()
    assert judgments.apply([event(2, "ann", 1.0), event(3, "ann", 2.0, "d9")]) == {("q1", "d1"), ("q1", "d9")}


def test_a_voter_is_blind_until_they_have_voted():
    judgments = JudgmentsInForce(BASE, VoteCounting())
    steps = [([], [False, False]), ([event(1, "ann", 1.0)], [True, True]), ([event(2, "bob", None)], [False, True])]
    for events, expected in steps:
        judgments.apply(events)
        assert [judgments.is_blind(voter, ("q1", "d1")) for voter in ("bob", None)] == expected


def test_dawid_skene_counts_all_votes_together():
    votes = [
        (query, document, voter, float((int(document[1:]) % 2) ^ (voter == "eve")))
        for query in ("q1", "q2")
        for document in (f"d{number}" for number in range(10))
        for voter in ("ann", "bob", "eve")
    ]
    judgments = JudgmentsInForce({}, VoteCounting("dawid_skene"))
    for number, (query, document, voter, vote) in enumerate(votes, start=1):
        judgments.apply([VoteEvent(query, document, voter, vote, id=number, time=1.0)])
    rows = [dict(zip(("query", "document", "voter", "vote"), each, strict=True)) for each in votes]
    assert judgments.all_in_force() == assay.votes(rows, method="dawid_skene", scale="grades").qrels.to_dict()


def test_methods_for_thumbs_refuse_grades():
    with pytest.raises(assay.errors.PolicyError, match="wilson takes votes that are up or down, and there are 4"):
        VoteCounting("wilson").check(4)
    assert VoteCounting("wilson").check(2).method == "wilson"


def test_each_voter_has_a_decision_of_their_own():
    """Taking back a decision leaves the votes alone, and an earlier decision of somebody else counts again."""
    judgments = JudgmentsInForce(BASE, VoteCounting())
    judgments.apply([event(1, "ann", 3.0), event(2, "bob", 0.0)])
    judgments.apply([event(3, "ann", 2.0, kind="decision"), event(4, "bob", 1.0, kind="decision")])
    assert judgments.grade("q1", "d1") == 1.0
    judgments.apply([event(5, "ann", None, kind="withdrawal", replaces=3)])
    assert judgments.grade("q1", "d1") == 1.0
    assert judgments.ballots["q1", "d1"]["ann"].vote == 3.0
    judgments.apply([event(6, "ann", 2.0, kind="decision"), event(7, "ann", None, kind="withdrawal", replaces=6)])
    assert judgments.grade("q1", "d1") == 1.0
    judgments.apply([event(8, "bob", None, kind="withdrawal", replaces=4)])
    assert judgments.decisions == {}
    assert judgments.grade("q1", "d1") == 0.0


def test_the_revision_is_raised_last(monkeypatch):
    judgments = JudgmentsInForce(BASE, VoteCounting())
    seen = []
    monkeypatch.setattr(JudgmentsInForce, "_grade", lambda self, pairs: seen.append(self.revision) or set(pairs))
    judgments.apply([event(7, "ann", 1.0)])
    assert (seen, judgments.revision) == ([0], 7)
