"""Keys are kept out of messages, in whatever form they come back; other texts are left as they are."""

import json

import pytest

import assay
from assay.live import HttpSearch
from assay.net.secrets import Secret, hide
from search_server import Reply, SearchServer
from tables import for_each

KEY = "a%2Fb%2Bcdefgh1234"

ECHOES = [
    (f"token={KEY}", f"bad token {KEY}", "bad token …"),
    (f"token={KEY}", "bad token a/b+cdefgh1234", "bad token …"),
    (f"token={KEY}", "bad token a%2fb%2bcdefgh1234", "bad token …"),
    (f"token={KEY}", "bad token a%252Fb%252Bcdefgh1234", "bad token …"),
    ("token=abc", "bad ?token=abc&q=1, abc is no key", "bad ?…&q=1, abc is no key"),
    ("s3cret", "no s3cret", "no …"),
    ("abc", "/search?abc: abc is no key", "/search…: abc is no key"),
    ("s3cret=", "no s3cret", "no …"),
    ("q={query}&x=pre-{query}-s3cret-{k}", "no -s3cret-, no pre-", "no …, no …"),
    ("key=two+words", "no two words", "no …"),
    ('key=a"b\\c', r'{"key": "a\"b\\c"}', '{"key": "…"}'),
    ("key=stra%C3%9Fe", r"no straße, no stra\u00dfe", "no …, no …"),
    ("version=4&n=10&key=", "HTTP 404, 10 of 104", "HTTP 404, 10 of 104"),
]


@for_each("query, text, shown", ECHOES)
def test_what_stands_behind_the_question_mark(query, text, shown):
    assert HttpSearch(f"http://h/search?{query}").hide(text) == shown


HEADERS = [
    ("X-Version: 4", "HTTP 404: X-Version: 4 is old", "HTTP 404: … is old"),
    ("X-Version: 4", "X-Version=4", "…"),
    ("X-Key: abcd", "abcd, abcdef", "…, …ef"),
    ("X-Key: s3cret/key", r"s3cret\/key, s3cret\u002Fkey", "…, …"),
    ("Authorization: Basic bWU6czNjcmV0", "me:s3cret, s3cret, me", "…, …, me"),
    ("Authorization: Bearer s3cret-0123", "s3cret-0123, Bearer s3cret-0123, Bearer needed", "…, …, Bearer needed"),
    ("Cookie: theme=dark; session=s3cret-0123", "no session s3cret-0123", "no session …"),
    ("X-Key: $KEY/a", "no from-environment", "no …"),
]


@for_each("header, text, shown", HEADERS)
def test_values_of_headers(header, text, shown):
    assert HttpSearch("http://h/", headers=[header], environment={"KEY": "from-environment"}).hide(text) == shown


def test_what_is_secret_is_hidden_in_part_too():
    assert hide("abcdefgh abcdef… abc…", [Secret("", "abcdefgh")]) == "… … abc…"


def test_ids_that_hold_a_key_are_said_and_remembered(tmp_path):
    sent = "s3cret/key-0123"
    forms = [sent, "s3cret%2Fkey-0123", r"s3cret\/key-0123", f"doc {sent} 7", "d0"]
    with SearchServer(lambda *_: Reply(forms)) as server:
        search = HttpSearch(server.url, headers=[f"X-Api-Key: {sent}"])
        for _ in range(2):
            probe = assay.probe(search, {"q0": "x"}, {"q0": ["d0"]}, "rr", checkpoint=tmp_path / "kept.jsonl")
            assert (probe.run["q0"], probe["rr"]) == (["…", "… 2", "… 3", "doc … 7", "d0"], 1 / 5)
            said = "4 retrieved ids with a value that was sent as a possible key"
            assert any(str(note).startswith(said) for note in probe.notes)


def test_a_judged_id_is_not_a_secret():
    with SearchServer(lambda *_: Reply(["wiki-1", "wiki-2", "wiki-3"])) as server:
        search = HttpSearch(f"{server.url}?index=wiki")
        probe = assay.probe(search, {"q1": "a"}, {"q1": {"wiki-2": 1}, "q2": {"wiki-3": 1}}, "rr", missing="skip")
    assert (probe.run.to_dict()["q1"], probe["rr"]) == (["…-1", "wiki-2", "wiki-3"], 0.5)


BODIES = [
    ({"api_key": "s3cret"}, "no s3cret", "no …"),
    ({"apiKey": "s3cret"}, "no s3cret", "no …"),
    ({"X-API-Key": "s3cret"}, "no s3cret", "no …"),
    ({"auth": {"user": "root1", "list": ["s3cret"]}}, "no root1, no s3cret", "no …, no …"),
    ({"token": "Bearer s3cret-0123"}, "no s3cret-0123", "no …"),
    ({"other": "Bearer s3cret-0123"}, "no s3cret-0123", "no …"),
    ({"other": "sk-0123456789abcdefghij"}, "no sk-0123456789abcdefghij", "no …"),
    ({"key": "a&b<s3cret>"}, "no a&amp;b&lt;s3cret&gt;", "no …"),
    ({"password": "abc"}, "abc, password=abc, password: abc", "abc, …, …"),
    ({"key": "pre-{query}-s3cret"}, "no pre- -s3cret", "no … …"),
    ({"key": "{query}"}, "{query}", "{query}"),
    ({"index": "docs", "fields": ["title"], "tokenizer": "standard", "k": 1000}, "docs title standard 1000", None),
    ({"model": "all-MiniLM-L6-v2", "note": "a text of many words and 20 of them"}, "all-MiniLM-L6-v2 of them", None),
]


@for_each("body, text, shown", BODIES)
def test_keys_in_the_body(body, text, shown):
    search = HttpSearch("http://h/", body=json.dumps({"query": "{query}", **body}))
    assert search.hide(text) == (text if shown is None else shown)


def test_a_key_that_is_cut_off_by_the_end_of_an_excerpt():
    content = b" " * 500 + b"x" + b" " * 310 + b"s3cret-0123456789 and more"
    with SearchServer(lambda *_: Reply(content, 400)) as server:
        search = HttpSearch(f"{server.url}?key=s3cret-0123456789")
        with pytest.raises(assay.errors.DataError) as error:
            search("question 1", 1)
        search.close()
    assert str(error.value) == "HTTP 400 Bad Request: 'x …'"
