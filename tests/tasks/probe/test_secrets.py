"""Keys are kept out of messages, in whatever form they come back; other texts are left as they are."""

import pytest

import assay
from assay.data.http import Secret, hide
from assay.live import HttpSearch
from search_server import QRELS, QUESTIONS, Reply, SearchServer, found

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


@pytest.mark.parametrize(("query", "text", "shown"), ECHOES)
def test_what_stands_behind_the_question_mark(query, text, shown):
    assert HttpSearch(f"http://h/search?{query}").hide(text) == shown


HEADERS = [
    ("X-Version: 4", "HTTP 404: X-Version: 4 is old", "HTTP 404: … is old"),
    ("X-Version: 4", "X-Version=4", "…"),
    ("X-Key: abcd", "abcd, abcdef", "…, …ef"),
    ("Authorization: Bearer s3cret-0123", "s3cret-0123, Bearer s3cret-0123, Bearer needed", "…, …, Bearer needed"),
    ("Cookie: theme=dark; session=s3cret-0123", "no session s3cret-0123", "no session …"),
    ("X-Key: $KEY/a", "no from-environment", "no …"),
]


@pytest.mark.parametrize(("header", "text", "shown"), HEADERS)
def test_values_of_headers(header, text, shown):
    assert HttpSearch("http://h/", headers=[header], environment={"KEY": "from-environment"}).hide(text) == shown


def test_what_is_secret_is_hidden_in_part_too():
    assert hide("abcdefgh abcdef… abc…", [Secret("", "abcdefgh")]) == "… … abc…"


@pytest.mark.parametrize("query", [f"token={KEY}", "s3cret-bare"])
def test_a_key_that_the_server_sends_back_is_nowhere(query, tmp_path):
    file = tmp_path / "checkpoint.jsonl"

    def behave(question, times):
        asked = server.requests[0][1].encode()
        return Reply(asked, 403) if question == "question 1" else found(question, times)

    with SearchServer(behave) as server:
        search = HttpSearch(f"{server.url}?{query}")
        probe = assay.probe(search, dict(list(QUESTIONS.items())[:4]), QRELS, "rr", checkpoint=file)
    shown = "".join([str(probe), repr(search), probe.to_json(), file.read_text(), str(probe.run.tag)])
    assert probe.failures == {"q1": f"HTTP 403 Forbidden: '/search?{'token=' if '=' in query else ''}…'"}
    assert not [part for part in (KEY, "a/b+cdefgh1234", "s3cret") if part in shown]
