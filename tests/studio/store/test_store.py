"""The rest of a store, the same in SQLite and PostgreSQL: voters, passwords, tokens, questions, passages, settings."""

import pytest

from assay import AssayError
from assay.studio.store import NewVote, Store
from assay.studio.store import store as passwords
from tables import for_each

PASSWORD, OTHER = "correct hörse bättery", "staple"


def test_voters(store):
    ann = store.add_voter("ann", password=PASSWORD, is_admin=True)
    assert (ann.name, ann.kind, ann.has_password, ann.is_admin) == ("ann", "person", True, True)
    assert store.add_voter("gpt", kind="model").kind == "model"
    store.record([NewVote("q", "d", "eve", 1), NewVote("q", "d", "gpt", 1)])
    known = [("ann", "person"), ("eve", "person"), ("gpt", "model")]
    assert [(each.name, each.kind) for each in store.voters()] == known
    assert store.voter("ann") == ann
    assert store.voter("bob") is store.voter("a\0") is None
    # Those who are there stay as they are, but for what is given.
    assert store.add_voter("ann", kind="model") == ann
    changed = store.add_voter("ann", password=OTHER)
    assert (changed.is_admin, changed.created, changed.mark == ann.mark) == (True, ann.created, False)
    assert [store.check_password("ann", each) for each in (PASSWORD, OTHER)] == [False, True]
    assert not store.add_voter("ann", is_admin=False).is_admin
    with pytest.raises(AssayError, match="'gpt' is a model here, not a person; choose another name"):
        store.add_voter("gpt", password=PASSWORD)
    assert not store.voter("gpt").has_password


def test_passwords(store):
    store.add_voter("ann", password=PASSWORD)
    store.add_voter("bob")
    assert store.check_password("ann", PASSWORD.replace("ä", "a\u0308"))
    wrong = [("ann", "password"), ("ann", ""), ("bob", ""), ("eve", "x"), ("a\0", "x"), ("ann", "\ud800")]
    assert not any(store.check_password(*each) for each in wrong)
    for password in ("", "x" * 1001):
        with pytest.raises(AssayError, match="a password has 1 to 1,000 characters"):
            store.add_voter("carl", password=password)
    with store._begin() as connection:  # noqa: SLF001
        kept = connection.exec_driver_sql("SELECT password FROM voters WHERE name = 'ann'").scalar_one()
    assert kept.startswith("scrypt:16384:8:5:")
    assert PASSWORD not in kept


def test_a_name_that_is_missing_takes_as_long(store, monkeypatch):
    store.add_voter("ann", password=PASSWORD)
    asked = []
    monkeypatch.setattr(passwords, "derive", lambda _, how: asked.append(how.rpartition(":")[0]) or "")
    assert not store.check_password("ann", "wrong")
    assert not store.check_password("nobody", "wrong")
    assert asked == ["scrypt:16384:8:5"] * 2


@for_each("name", ["", " ", "a" * 201, "a\nb", "a\x7fb", " a", "\ud800", "a\0", 7])
def test_names_that_nobody_can_have(store, name):
    with pytest.raises(AssayError, match="the name of the voter"):
        store.add_voter(name)
    with pytest.raises(AssayError, match="the name of the application"):
        store.add_token(name)


def test_tokens(store):
    first, second, other = store.add_token("shop"), store.add_token("shop"), store.add_token("blog")
    assert len({first, second, other}) == 3
    assert min(map(len, (first, second, other))) >= 43
    whose = [store.token_application(each) for each in (first, second, other, "x", "\ud800")]
    assert whose == ["shop", "shop", "blog", None, None]
    assert store.applications() == ["blog", "shop"]
    assert (store.revoke_tokens("shop"), store.revoke_tokens("shop"), store.revoke_tokens("\0")) == (2, 0, 0)
    assert store.token_application(first) is None
    assert store.applications() == ["blog"]


def test_a_token_is_not_in_the_file(tmp_path):
    with Store.open(tmp_path / "s") as store:
        token = store.add_token("shop")
    assert token.encode() not in b"".join(each.read_bytes() for each in tmp_path.iterdir())


def test_questions(store):
    assert store.add_question("  what is\na cat? ", "ann") == "search-1"
    assert store.add_question("a dog?", "bob") == "search-2"
    assert store.add_question("what is a cat?", "bob") == "search-1"
    long = "x" * 2000
    assert store.add_question(long, "ann") == "search-3"
    assert store.questions() == {"search-1": "what is a cat?", "search-2": "a dog?", "search-3": long}
    for wrong in ("", " ", "a\0", "x" * 2001):
        with pytest.raises(AssayError, match="the question"):
            store.add_question(wrong, "ann")


def test_passages_and_rankings(store):
    store.keep_passages({"d1": "one", "d2": "two \0 \ud800 \U0001f44d", "é" * 2000: "x" * 100_000})
    store.keep_passages({"d1": "other", "d3": ""})
    found = store.passages(["d1", "d2", "d3", "d4", "\0", "é" * 2000])
    assert found == {"d1": "one", "d2": "two \ufffd \ufffd \U0001f44d", "d3": "", "é" * 2000: "x" * 100_000}
    many = {f"m{number}": str(number) for number in range(2500)}
    store.keep_passages(many)
    assert store.passages(many) == many
    with pytest.raises(AssayError, match="the document"):
        store.keep_passages({"": "x"})
    store.keep_ranking("search-1", [("d1", 2), ("d2", 0.1)])
    store.keep_ranking("search-2", [])
    store.keep_ranking("search-1", [("d2", 0.1 + 0.2), ("d1", -1e300)])
    assert store.rankings() == {"search-1": [("d2", 0.30000000000000004), ("d1", -1e300)], "search-2": []}
    with pytest.raises(AssayError, match="the score 'nan'"):
        store.keep_ranking("search-1", [("d", float("nan"))])


def test_settings(store):
    assert store.setting("guidelines") is None
    store.set_setting("guidelines", "Be kind.")
    store.set_setting("guidelines", "")
    assert store.setting("guidelines") == ""
    with pytest.raises(AssayError, match="the setting guidelines"):
        store.set_setting("guidelines", "\0")
