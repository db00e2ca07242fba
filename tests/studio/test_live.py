"""The numbers of a studio follow the votes; a value made in the background is waited for, then kept while the next is made."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.studio import live as live_module
from assay.studio.collection import demo_collection
from assay.studio.judgments import JudgmentsInForce, VoteCounting
from assay.studio.live import Background, Live
from assay.studio.store.schema import VoteEvent
from studio_server import settings as studio_settings
from tables import for_each

COLLECTION = demo_collection()
DOCUMENTS = sorted({document for each in COLLECTION.judgments.values() for document in each})
votes = st.tuples(
    st.sampled_from(list(COLLECTION.judgments)), st.sampled_from(DOCUMENTS), st.sampled_from([None, 0.0, 1.0, 2.0, 3.0])
)


def make_live(measures=("ndcg@10", "ap", "rr@10"), base=COLLECTION.judgments, **how):
    judgments = JudgmentsInForce(base, VoteCounting())
    return Live(COLLECTION.runs, judgments, measures, studio_settings().comparing, **how)


def take(live, cast, first=1):
    """Applies votes one by one, each looked at before the next."""
    for number, (query, document, vote) in enumerate(cast, start=first):
        kind = "vote" if vote is not None else "withdrawal"
        event = VoteEvent(query, document, "ann", vote, kind=kind, id=number, time=1.0)
        live.touch({query for query, _ in live.judgments.apply([event])})
        live.results()


def assert_same(live, **how):
    """The numbers are those of a fresh evaluation."""
    fresh = assay.evaluate_many(live.judgments.all_in_force(), COLLECTION.runs, list(live.plan.measures), **how)
    for name, result in live.results().items():
        known = fresh[name].per_query()
        assert result.per_query() == {query: known[query] for query in result.queries}
        assert set(result.queries) == set(known)


@given(st.lists(votes, min_size=1, max_size=30))
@settings(max_examples=settings.default.max_examples // 8)
def test_scores_follow_the_votes(cast):
    live = make_live()
    take(live, cast)
    assert_same(live)


@for_each("how", [{"convention": "trec_eval"}, {"rel": 2}, {"missing": "skip"}, {"depth": 5}])
def test_policies_hold(how):
    live = make_live(**how)
    take(live, [("q01", "mda-02", 0.0), ("q02", "risk-05", 3.0), ("q01", "mda-02", None), ("q03", DOCUMENTS[0], 2.0)])
    assert_same(live, **how)


def test_measures_of_all_queries_are_scored_whole():
    live = make_live(measures=("err@10", "ndcg@10"))
    assert not live.is_local
    assert make_live().is_local
    take(live, [("q01", "mda-02", 3.0), ("q02", "mda-02", 0.0)])
    assert_same(live)


def test_nothing_is_judged_at_first():
    live = make_live(base={})
    assert live.results() is None
    assert live.comparison() is None
    assert np.isnan(live.score_rows("ndcg@10")["bm25"]).all()
    take(live, [("q01", "mda-02", 3.0)])
    assert live.results()["bm25"].queries == ["q01"]
    assert_same(live)
    take(live, [("q01", "mda-02", None)], first=9)
    assert live.results() is None


def test_only_what_changed_is_scored_and_the_comparison_is_that_of_compare(monkeypatch):
    live, scored, original = make_live(), [], Live.scorer
    monkeypatch.setattr(Live, "scorer", lambda self, judged: scored.append(set(judged)) or original(self, judged))
    take(live, [("q01", "mda-02", 0.0), ("q02", "risk-05", 3.0)])
    assert scored == [{"q01"}, {"q02"}]
    fresh = assay.compare(live.judgments.all_in_force(), COLLECTION.runs, list(live.plan.measures), samples=10_000)
    assert live.comparison().pairs == fresh.pairs
    assert live.comparison() is live.comparison()


def test_notes_are_taken_again(monkeypatch):
    live = make_live(base={"q01": {"mda-02": 1.0}})
    assert any("24 queries" in str(note) for note in live.results()["dense"].notes)
    monkeypatch.setattr(live_module, "RENEWAL", 0)
    take(live, [("q02", "mda-02", 3.0)])
    assert any("24 queries" in str(note) for note in live.results()["dense"].notes)
    live.renew()
    assert any("23 queries" in str(note) for note in live.results()["dense"].notes)


def test_votes_that_come_while_everything_is_scored_count(monkeypatch):
    monkeypatch.setattr(live_module, "RENEWAL", 0)
    live = make_live()
    take(live, [("q02", "mda-02", 3.0)])
    original = Live.scorer

    def scorer(self, judged, top=0):
        made = original(self, judged, top)
        if "q05" in judged and not late:
            # The scores of this vote are in the old ones when the new ones, without it, take their place.
            late.append("voted")
            take(self, [("q01", "mda-02", 0.0)], first=5)
            # Somebody else who would take the notes again does not do it a second time.
            self.renew()
            assert_same(self)
        return made

    late = []
    monkeypatch.setattr(Live, "scorer", scorer)
    live.renew()
    assert late
    assert_same(live)


def test_what_could_not_be_scored_is_scored_later(monkeypatch):
    live = make_live()
    with monkeypatch.context() as broken:
        broken.setattr(Live, "scorer", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            take(live, [("q01", "mda-02", 0.0)])
    assert_same(live)


class Slow:
    """Makes values, each when it is let."""

    def __init__(self):
        self.version, self.made, self.told = 1, [], []
        self.gate = threading.Semaphore(1)
        self.error = None
        self.value = Background(self.make, lambda: self.version, lambda: self.told.append(self.version))

    def make(self):
        version = self.version
        self.gate.acquire(timeout=10)
        if self.error is not None:
            raise self.error
        self.made.append(version)
        return f"value {version}"


def test_a_value_is_waited_for_and_kept_while_the_next_is_made():
    slow = Slow()
    slow.gate.acquire()
    assert slow.value.get(0.01) is None
    slow.gate.release()
    assert [slow.value.get(5), slow.value.get(0)] == ["value 1", "value 1"]
    slow.version = 2
    assert slow.value.get(0.01) == "value 1"
    # Versions that nobody saw are left out.
    slow.version = 5
    slow.gate.release(2)
    assert slow.value.get(5) == "value 5"
    assert slow.made == [1, 2, 5]


def test_an_error_reaches_whoever_asked_and_is_tried_again():
    slow = Slow()
    slow.error = ValueError("no")
    with pytest.raises(ValueError, match="no"):
        slow.value.get(5)
    slow.error = None
    slow.gate.release()
    assert slow.value.get(5) == "value 1"


def test_many_who_ask_share_one_value():
    slow = Slow()
    slow.gate.acquire()
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(slow.value.get, [5] * 8)
        slow.gate.release()
    assert list(found) == ["value 1"] * 8
    assert slow.made == [1]


def test_nobody_waits_for_what_takes_longer_than_they_wait(monkeypatch):
    slow = Slow()
    slow.value.get(5)
    monkeypatch.setattr(live_module, "HARDLY", 0.1)
    monkeypatch.setattr(slow.value, "_took", 60.0)
    slow.version = 2
    started = time.monotonic()
    assert slow.value.get(30) == "value 1"
    assert time.monotonic() - started < 25
    slow.gate.release()
