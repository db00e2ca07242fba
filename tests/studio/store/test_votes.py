"""Votes in a store, the same in SQLite and PostgreSQL: events, corrections, keys, and what is refused."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import delete, text, update

from assay import AssayError
from assay.studio.store import KeyConflictError, NewVote, Recorded, Store, StoreError
from assay.studio.store.schema import EVENTS, LONGEST_DOCUMENT, LONGEST_NAME, LONGEST_QUERY

HOSTILE = ["'; DROP TABLE events; --", '"', "%s %(x)s :x ?", "\\", "{}", "é\u0301 \U0001f44d", "a\tb\nc", "NULL"]


def record(store, *votes):
    """The events of votes that must all be recorded."""
    outcomes = store.record(votes)
    assert all(isinstance(each, Recorded) for each in outcomes), outcomes
    return [each.event for each in outcomes]


def test_every_field_comes_back(store):
    vote = NewVote("q1", "d1", "ann", 1.5, "good", "k1", "vote", "api", 12.25, "shop")
    [event] = record(store, vote)
    assert store.events() == [event]
    assert (event.id, event.time, event.replaces) == (1, 12.25, None)
    assert event.content == vote.content
    assert (event.key, event.source, event.application) == ("k1", "api", "shop")
    # The time is now unless it is given.
    assert 1.7e9 < record(store, NewVote("q", "d", "ann", 1))[0].time < 1e11
    assert record(store, NewVote("q", "d", "bob", 1, time=0.0))[0].time == 0.0


def test_a_decision_is_withdrawn_by_its_id(store):
    vote, decision = record(store, NewVote("q", "d", "ann", 1), NewVote("q", "d", "ann", 2, kind="decision"))
    [back] = record(store, NewVote("q", "d", "ann", None, kind="withdrawal", replaces=decision.id))
    assert back.replaces == decision.id
    [again] = record(store, NewVote("q", "d", "ann", 0))
    assert again.replaces == vote.id


REFUSED = [
    (NewVote("q", "d", "bob", None, kind="withdrawal"), "has no vote on 'd' for 'q' to take back"),
    (NewVote("q", "d", "bob", None, kind="withdrawal", replaces=2), "event 2 is not a vote of 'bob'"),
    (NewVote("q", "d", "ann", None, kind="withdrawal", replaces=99), "event 99 is not a vote of 'ann'"),
    (NewVote("q", "d", "ann", None, kind="withdrawal", replaces=1), "event 1 is not in force: event 2 replaced it"),
    (NewVote("q", "d", "ann", 1, replaces=2), "only a withdrawal names the event"),
    (NewVote("q", "d", "ann", 1, kind="withdrawal"), "a withdrawal has no vote"),
    (NewVote("q", "d", "ann", None, kind="decision"), "a decision needs a grade"),
    (NewVote("q", "d", "ann", float("nan")), "the vote 'nan' is not a finite number"),
    (NewVote("q", "d", "ann", float("inf")), "is not a finite number"),
    (NewVote("q", "d", "ann", True), "is not a finite number"),
    (NewVote("q", "d", "ann", "1"), "is not a finite number"),
    (NewVote("q", "d", "ann", 1, time=float("inf")), "the time 'inf'"),
    (NewVote("q", "d", "ann", 1, time=1.7e12), "the time '1700000000000.0' is not in seconds since 1970"),
    (NewVote("", "d", "ann", 1), "the query is empty"),
    (NewVote("q", " ", "ann", 1), "the document is empty"),
    (NewVote("q", "d", "", 1), "the name of the voter is empty"),
    (NewVote(7, "d", "ann", 1), "the query must be a text"),
    (NewVote("q" * (LONGEST_QUERY + 1), "d", "ann", 1), "is longer than 500 characters"),
    (NewVote("q", "d" * (LONGEST_DOCUMENT + 1), "ann", 1), "is longer than 2,000 characters"),
    (NewVote("q", "d", "a" * (LONGEST_NAME + 1), 1), "is longer than 200 characters"),
    (NewVote("q", "d", "ann\n", 1), "begins or ends with a space"),
    (NewVote("q", "d", "a\x1b[31mnn", 1), "has a control character"),
    (NewVote("q", "d\0", "ann", 1), "has a NUL character"),
    (NewVote("q", "d", "ann", 1, "\ud800"), "is not valid Unicode"),
    (NewVote("q", "d", "ann", 1, kind="other"), "the kind must be vote or withdrawal or decision"),
    (NewVote("q", "d", "ann", 1, source="fax"), "the source must be page"),
    (NewVote("q", "d", "ann", 1, key=""), "the key is empty"),
    (NewVote("q", "d", "ann", 1, application="a\0"), "has a NUL character"),
]


def test_what_is_refused_has_its_error_in_its_place_and_the_others_are_recorded(store):
    record(store, NewVote("q", "d", "ann", 1), NewVote("q", "d", "ann", 2))
    votes = [each for number, (vote, _) in enumerate(REFUSED) for each in (NewVote("q", f"d{number}", "eve", 1), vote)]
    outcomes = store.record(votes)
    assert all(isinstance(each, Recorded) and each.is_new for each in outcomes[::2])
    for error, (_, message) in zip(outcomes[1::2], REFUSED, strict=True):
        assert isinstance(error, AssayError)
        assert message in str(error)
    assert [each.id for each in store.events()] == list(range(1, 3 + len(REFUSED)))


def test_a_key_counts_once(store):
    vote = NewVote("q", "d", "ann", 1, "fine", key="k", application="shop")
    first, same, other = store.record([vote, vote, NewVote("q", "d", "ann", 1, "fine", key="k", application="blog")])
    assert (first.is_new, same.is_new, other.is_new) == (True, False, True)
    assert same.event == first.event
    [again] = store.record([vote])
    assert (again.is_new, again.event) == (False, first.event)
    assert len(store.events()) == 2


def test_a_key_with_another_vote_is_a_conflict(store):
    content = {"query": "q", "document": "d", "voter": "ann", "vote": 1.0}
    [first] = store.record([NewVote(**content, key="k")])
    changes = {"query": "r", "document": "e", "voter": "bob", "vote": 2.0, "comment": "no"}
    others = [{name: value} for name, value in changes.items()] + [{"vote": None}]
    *conflicts, other = store.record([NewVote(**content | each, key="k") for each in others] + [NewVote(**content)])
    for conflict in conflicts:
        assert isinstance(conflict, KeyConflictError)
        assert "the key 'k' was used for another vote (event 1)" in str(conflict)
    assert other.event.replaces == first.event.id
    assert len(store.events()) == 2


def test_hostile_texts_are_texts(store):
    votes = [NewVote(each, each, "ann", 1, each, key=each.strip() or None) for each in HOSTILE]
    events = record(store, *votes)
    assert store.events() == events
    assert [each.content for each in events] == [each.content for each in votes]
    for words, event in zip(HOSTILE, events, strict=True):
        assert store.events(query=words) == [event]
        assert store.events(document=words) == [event]
    assert store.events(voter="' OR 1=1 --") == store.events(query="\0") == store.events(document="\ud800") == []
    # The longest ids that there can be.
    voter, key = "é" * LONGEST_NAME, "\U0001f44d" * LONGEST_NAME
    vote = NewVote("東" * LONGEST_QUERY, "\U0001f44d" * LONGEST_DOCUMENT, voter, 1, "x" * 100_000, key=key)
    [event] = record(store, vote)
    assert store.events(voter=voter) == [event]


def test_events_past_an_id_of_a_query_a_document_and_a_voter(store):
    pairs = [(query, document, voter) for query in "qr" for document in "de" for voter in ("ann", "bob")]
    events = record(store, *(NewVote(*each, 1) for each in pairs))
    assert store.events(after=3) == events[3:]
    assert store.events(after=3, limit=2) == events[3:5]
    assert store.events(limit=0) == store.events(after=8) == []
    assert store.events(query="r") == events[4:]
    assert store.events(document="e", voter="bob") == [events[3], events[7]]
    assert store.events(query="q", document="d", voter="ann", after=1) == []


def test_events_are_never_changed_and_what_fails_records_nothing(store):
    events = record(store, NewVote("q", "d", "ann", 1))
    for change in (update(EVENTS).values(vote=0), delete(EVENTS)):
        refused = pytest.raises(StoreError, match="votes are never changed or deleted")
        with refused, store._begin(writing=True) as connection:  # noqa: SLF001
            connection.execute(change)
    assert store.events() == events

    def fail():
        with store._begin(writing=True) as connection:  # noqa: SLF001
            connection.execute(text("INSERT INTO settings (name, value) VALUES ('a', 'b')"))
            connection.execute(text("no such statement"))

    with pytest.raises(StoreError, match="syntax error"):
        fail()
    assert store.setting("a") is None


def test_more_votes_than_fit_into_one_statement(store):
    votes = [NewVote(f"q{number}", "d", "ann", number, key=f"k{number}") for number in range(2500)]
    assert len(record(store, *votes)) == 2500
    assert not any(each.is_new for each in store.record(votes))
    again = record(store, *(NewVote(f"q{number}", "d", "ann", 0) for number in range(2500)))
    assert [each.replaces for each in again] == [each.id - 2500 for each in again]


def test_ids_ascend_in_the_order_of_commits(store, where):
    """Who reads while others write never sees an id appear below one that was there."""
    seen = []

    def vote(name):
        with Store.open(where) as own:
            return all(own.record([NewVote(f"q{number}", "d", name, 1)])[0].is_new for number in range(15))

    with ThreadPoolExecutor(6) as pool:
        voting = [pool.submit(vote, f"voter {number}") for number in range(6)]
        is_over = False
        while not is_over:
            is_over = all(each.done() for each in voting)
            seen.extend(each.id for each in store.events(after=seen[-1] if seen else 0))
    assert all(each.result() for each in voting)
    assert seen == list(range(1, 91))


class Model:
    """What a store should hold, the slow and obvious way."""

    def __init__(self):
        self.events = []

    def add(self, vote):
        known = [each for each in self.events if vote.key is not None and each[0].key == vote.key]
        if known:
            return known[0][1] if known[0][0].content == vote.content else KeyConflictError
        kind = "decision" if vote.kind == "decision" else "vote"
        there = [
            (each, number)
            for each, number, place in self.events
            if place == kind and (each.query, each.document, each.voter) == (vote.query, vote.document, vote.voter)
        ]
        if vote.kind == "withdrawal" and (not there or there[-1][0].kind == "withdrawal"):
            return AssayError
        self.events.append((vote, len(self.events) + 1, kind))
        return len(self.events), there[-1][1] if there else None


VOTES = st.builds(
    lambda query, voter, kind, grade, key: NewVote(
        query, "d", voter, None if kind == "withdrawal" else float(grade), kind=kind, key=key
    ),
    st.sampled_from("qr"),
    st.sampled_from(["ann", "bob"]),
    st.sampled_from(["vote", "vote", "withdrawal", "decision"]),
    st.integers(0, 2),
    st.sampled_from([None, None, "k1", "k2", "k3"]),
)


@settings(max_examples=settings.default.max_examples // 5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(VOTES, max_size=8), max_size=4))
def test_any_votes_in_any_batches_are_what_the_obvious_model_says(tmp_path_factory, batches):
    model = Model()
    with Store.open(tmp_path_factory.mktemp("model") / "studio.sqlite") as store:
        for votes in batches:
            for vote, outcome in zip(votes, store.record(votes), strict=True):
                expected = model.add(vote)
                if isinstance(expected, type):
                    assert isinstance(outcome, expected)
                elif isinstance(expected, int):
                    assert (outcome.is_new, outcome.event.id) == (False, expected)
                else:
                    assert (outcome.event.id, outcome.event.replaces) == expected
        assert len(store.events()) == len(model.events)
