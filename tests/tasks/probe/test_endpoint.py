"""A search over HTTP: what is sent, against a real server, good, failing and broken, and its connections."""

import socket
import threading

import pytest

import assay
from assay.core.errors import DataError
from assay.live import HttpSearch
from assay.tasks.probe.retrievers import fill_template, read_address, read_body, read_headers
from search_server import QRELS, QUESTIONS, Reply, SearchServer, found
from tables import for_each

ADDRESSES = [
    ("http://localhost:8000/search", "http://localhost:8000/search", "/search"),
    ("https://search.example", "https://search.example/", "/"),
    ("http://[::1]:80/a b/ü?q={query}&n={k}", "http://[::1]:80/a b/ü", "/a%20b/%C3%BC?q=a%26b%20%7Bk%7D%2F%C3%A9&n=5"),
    ("HTTP://h/{query}/x%20y?key=s3cret", "http://h/{query}/x%20y", "/a%26b%20%7Bk%7D%2F%C3%A9/x%20y?key=s3cret"),
]


@for_each("url, name, path", ADDRESSES)
def test_addresses(url, name, path):
    address = read_address(url)
    assert (address.name, address.fill_target("a&b {k}/é", 5)) == (name, path)


BAD_ADDRESSES = [
    ("ftp://me:s3cret@h/", "the URL 'ftp://h/' must begin with http:// or https://"),
    ("me:s3cret@h/x?y", "the URL 'h/x' must begin with http:// or https://"),
    ("http://h:x/#s3cret", "the URL 'http://h:x/' is invalid"),
    ("http://{query}.example/", "has no valid host"),
    ("http://me:s3cret@h/", "the URL contains a user name or password"),
    ("http://me:s3/cret@h/", "the URL is invalid$"),
    *((f"http://{host}/", "the URL is invalid$") for host in ("s3cret:pa55%40h", "s3cret:pa55＠h", "s3cret:[pa55﹫h")),
]


@for_each("url, message", BAD_ADDRESSES)
def test_bad_addresses(url, message):
    with pytest.raises(DataError, match=message) as caught:
        HttpSearch(url)
    assert "s3cret" not in str(caught.value)


def test_characters_that_an_address_cannot_hold():
    assert "\n" not in read_address("http://h/?q=x&key=s3cret\nq").fill_target("x", 1)
    assert read_address("http://h/?q={query}").fill_target("a\ud800", 1) == "/?q=a%3F"
    assert fill_template(read_body('["{query}"]'), "a\ud800", 1) == ["a\ud800"]


BAD_BODIES = [
    ("{query}", "the body: invalid JSON: Expecting property name enclosed in double quotes at column 2; an example is"),
    ({"q": "{query}", "key": "s3cret"}, "the body must be a string of JSON"),
    ('{"q": "x"}', "the body has no placeholder for the question"),
    ("[" * 100_000, "the body: invalid JSON: the values are nested too deeply"),
    ('{"q": "{query}", "k": 1, "k": 2}', "the body: duplicate key 'k'; keep one"),
]


@for_each("body, message", BAD_BODIES)
def test_bad_bodies(body, message):
    with pytest.raises(DataError) as caught:
        HttpSearch("http://h/", body=body)
    assert message in str(caught.value)
    assert "s3cret" not in str(caught.value)


HEADERS = [
    ("X-Key: abc", {"X-Key": "abc"}),
    ("X-Key:abc: d", {"X-Key": "abc: d"}),
    ("Authorization: Bearer $TOKEN", {"Authorization": "Bearer t0ken"}),
    ("Authorization: Basic ${TOKEN}==", {"Authorization": "Basic t0ken=="}),
    ("X-Price: 5$$", {"X-Price": "5$"}),
]


@for_each("line, values", HEADERS)
def test_headers(line, values):
    assert read_headers([line], {"TOKEN": "t0ken"})[0] == values


NO_HEADERS = ("X-Key", "X Key: a", ": a", "s3cret", "X-Key=s3cret", "X-Key s3cret: 1")
BAD_HEADERS = [
    *((line, "header 2 is not of the form 'Name: value'; check its name") for line in NO_HEADERS),
    ("X-Key: $NONE", "header 'X-Key': environment variable NONE is not set"),
    ("X-Key: $", "$ must be followed by a variable's name"),
    ("X-Key: s3cret\r\nX-Other: 1", "the value must be one line of printable ASCII"),
    ("X-Key: $SPLIT", "the value must be one line of printable ASCII"),
    ("X-Key: s3cret-ü", "the value must be one line of printable ASCII"),
]


@for_each("line, message", BAD_HEADERS)
def test_bad_headers(line, message):
    with pytest.raises(DataError) as caught:
        HttpSearch("http://h/", headers=["A: 1", line], environment={"SPLIT": "s3cret\nx"})
    assert message in str(caught.value)
    assert "s3cret" not in str(caught.value)


def test_ones_own_header_takes_the_place_of_a_usual_one():
    with SearchServer() as server:
        probed(server, questions={"q1": "question 1"}, headers=["content-type: application/x-ndjson"])
    sent = server.requests[0][3]
    assert [value for name, value in sent.items() if name.lower() == "content-type"] == ["application/x-ndjson"]


def probed(server, url=None, questions=QUESTIONS, **options):
    search = {name: options.pop(name) for name in ("body", "path", "headers") if name in options}
    http_search = HttpSearch(url or server.url, timeout=options.get("timeout", 5), **search)
    return assay.probe(http_search, questions, QRELS, ["rr", "recall@1"], **{"timeout": 5, **options})


def test_a_good_search_is_found_good():
    with SearchServer() as server:
        probe = probed(server)
    assert (probe["rr"], probe["recall@1"]) == (1.0, 1.0)
    assert (probe.run["q7"], probe.run.tag) == (["d7", "e7"], server.url)
    assert (set(server.asked.values()), len(server.asked)) == ({1}, 40)
    assert server.connections <= 8
    method, _, body, _ = server.requests[0]
    assert (method, body.keys()) == ("POST", {"query", "k"})


def test_a_body_and_a_path_of_ones_own():
    hits = {"data": [{"hits": [{"_source": {"url": "d1"}, "score": 2}, {"_source": {"url": "d2"}, "score": 1.5}]}]}
    body = '{"query": "{query}", "size": "{k}", "filter": {"text": "about {query}", "most": 3}}'
    with SearchServer(lambda *_: Reply(hits)) as server:
        probe = probed(server, body=body, path="data.0.hits", doc_id="_source.url", questions={"q1": 'say "{k}"'})
    assert server.requests[0][2] == {"query": 'say "{k}"', "size": 10, "filter": {"text": 'about say "{k}"', "most": 3}}
    assert probe.run["q1"] == [("d1", 2.0), ("d2", 1.5)]


@for_each("status", (101, 304, 307, 401, 404, 408, 429, 500, 502, 503, 504))
def test_only_what_may_pass_is_tried_again(status):
    reply = Reply(b"nothing here", status, {"Location": "http://elsewhere/x?key=s3cret"})
    questions, may_pass = {"q1": "question 1"}, status >= 500 or status in (408, 429)
    with SearchServer(lambda question, times: found(question, times) if times > 1 else reply) as server:
        if may_pass:
            assert probed(server, questions=questions).failures == {}
        else:
            with pytest.raises(DataError, match=rf"^no question was answered; for example 'q1': HTTP {status}"):
                probed(server, questions=questions)
    assert server.asked["question 1"] == 1 + may_pass


BROKEN = [
    ({"code": 503}, None, "the response has no list of documents; its keys are 'code'; if it maps ids to scores"),
    ({"a": 1, "b": 2}, None, "its keys are 'a', 'b'; if it maps ids to scores, set the path to '.'"),
    ({"results": {"a": 1}}, None, "the response has no list of documents; its keys are 'results'"),
    ({"code": 503}, ".", "the response has no list of documents; its keys are 'code'"),
    ({"a": {"b": 1}}, "a.hits", "the response has nothing at 'a.hits': no 'hits' in an object with the keys 'b'"),
    ({"a": [1]}, "a.5", "the response has nothing at 'a.5': no '5' in a list of length 1"),
    ({"a": "b"}, "a.c", "the response has nothing at 'a.c': no 'c' in 'b'"),
]


@for_each("content, path, message", BROKEN)
def test_answers_that_cannot_be_read_are_named(content, path, message):
    with SearchServer(lambda *_: Reply(content)) as server, pytest.raises(DataError) as caught:
        probed(server, questions={"q1": "question 1"}, path=path)
    assert message in str(caught.value)
    assert server.asked["question 1"] == 1


@for_each("path, wrap", [(".", lambda scores: scores), ("data.0", lambda scores: {"data": [scores]})])
def test_a_path_says_that_a_dict_is_the_ranking(path, wrap):
    with SearchServer(lambda *_: Reply(wrap({"x": 0.1, "d5": 0.9, "y": 0.5}))) as server:
        probe = probed(server, questions={"q5": "question 5"}, path=path, k=2)
    assert probe.run["q5"] == [("d5", 0.9), ("y", 0.5)]
    assert probe.result.per_query()["q5"] == {"rr": 1.0, "recall@1": 1.0}


def test_no_connection_is_left_open_where_it_is_given_up_early():
    questions = {f"q{number}": f"question {number}" for number in range(300)}
    qrels = {query: ["d"] for query in questions}
    with SearchServer(lambda *_: Reply(b"no", 404)) as server:
        search = HttpSearch(server.url)
        for _ in range(5):
            with pytest.raises(DataError, match="none of the first 20 questions was answered"):
                assay.probe(search, questions, qrels, "rr", concurrency=8)
        assert server.connections >= 5
        assert server.wait_until_closed()


@for_each("moment", ["connecting", "waiting"])
def test_a_connection_that_is_closed_during_a_call_is_not_left_open(moment):
    is_called, go_on = threading.Event(), threading.Event()
    connect, outcomes = socket.create_connection, []

    def slowly(act):
        def wait(*arguments, **options):
            is_called.set()
            go_on.wait(30)
            return act(*arguments, **options)

        return wait

    def call():
        try:
            outcomes.append(search("question 1", 10))
        except Exception as error:  # noqa: BLE001 - it may fail or not, and ends
            outcomes.append(error)

    with pytest.MonkeyPatch.context() as patch:
        behave = found
        if moment == "connecting":
            patch.setattr(socket, "create_connection", slowly(connect))
        else:
            behave = slowly(found)
        with SearchServer(behave) as server:
            search, thread = HttpSearch(server.url), threading.Thread(target=call)
            thread.start()
            assert is_called.wait(30)
            search.close()
            go_on.set()
            thread.join(30)
            assert (len(outcomes), server.connections) == (1, 1)
            assert server.wait_until_closed()


def test_a_search_can_be_used_again_after_a_probe():
    with SearchServer() as server:
        search, results = HttpSearch(server.url), {"results": [{"id": "d1"}, {"id": "e1"}]}
        for _ in range(2):
            assert assay.probe(search, QUESTIONS, QRELS, "rr")["rr"] == 1.0
        assert server.wait_until_closed()
        assert (search("question 1", 10), server.open_connections) == (results, 1)
        search.close()
        assert server.wait_until_closed()
        assert search("question 1", 10) == results
        assert server.wait_until_closed()
