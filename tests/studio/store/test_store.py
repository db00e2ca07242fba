"""A store, the same in SQLite and PostgreSQL: votes, voters, passwords, tokens, questions, passages, settings."""

from assay.studio.store import NewVote


def test_first(store):
    a, b = store.record([NewVote("q1", "d1", "ann", 2.0), NewVote("q1", "d1", "bob", None)])
    assert (a.event.id, b.event.id) == (1, 2)
    assert a.is_new
    [c] = store.record([NewVote("q1", "d1", "ann", 1, "no", key="k")])
    assert c.event.replaces == 1
    [again] = store.record([NewVote("q1", "d1", "ann", 1, "no", key="k")])
    assert not again.is_new
    assert again.event == c.event
    assert store.events() == [a.event, b.event, c.event]
