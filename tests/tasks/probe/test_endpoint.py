"""A search over HTTP, against a real server: good, slow, failing, broken and hanging."""

import pytest

import assay
from assay.core.errors import DataError
from assay.live import HttpSearch
from search_server import QRELS, QUESTIONS, Reply, SearchServer, found
from tables import for_each


def probed(server, url=None, questions=QUESTIONS, **options):
    search = {name: options.pop(name) for name in ("body", "path", "headers") if name in options}
    http_search = HttpSearch(url or server.url, timeout=options.get("timeout", 5), **search)
    return assay.probe(http_search, questions, QRELS, ["rr", "recall@1"], **{"timeout": 5, **options})


def test_a_good_search_is_found_good():
    with SearchServer() as server:
        probe = probed(server)
    assert (probe["rr"], probe["recall@1"]) == (1.0, 1.0)
    assert probe.run["q7"] == ["d7", "e7"]
    assert probe.run.tag == server.url
    assert set(server.asked.values()) == {1}
    assert len(server.asked) == 40
    assert server.requests[0][0] == "POST"
    assert set(server.requests[0][2]) == {"query", "k"}


def test_connections_are_kept():
    with SearchServer() as server:
        probed(server, concurrency=2)
    assert server.connections <= 2


def test_get_with_places_in_the_address():
    questions = {"q1": "Straße & more?"}
    with SearchServer(lambda *_: Reply(["d1"])) as server:
        probe = probed(server, f"{server.url}?q={{query}}&size={{k}}&key=s3cret-key", questions, k=7)
    method, _, values, _ = server.requests[0]
    assert (method, values) == ("GET", {"q": "Straße & more?", "size": "7", "key": "s3cret-key"})
    assert probe.run["q1"] == ["d1"]


def test_a_body_and_a_path_of_ones_own():
    hits = {"data": [{"hits": [{"_source": {"url": "d1"}, "score": 2}, {"_source": {"url": "d2"}, "score": 1.5}]}]}
    body = '{"query": "{query}", "size": "{k}", "filter": {"text": "about {query}", "most": 3}}'
    with SearchServer(lambda *_: Reply(hits)) as server:
        probe = probed(server, body=body, path="data.0.hits", doc_id="_source.url", questions={"q1": 'say "{k}"'})
    assert server.requests[0][2] == {
        "query": 'say "{k}"',
        "size": 10,
        "filter": {"text": 'about say "{k}"', "most": 3},
    }
    assert probe.run["q1"] == [("d1", 2.0), ("d2", 1.5)]


def test_one_that_fails_now_and_then_is_asked_again():
    def behave(question, times):
        return Reply(b"busy", 503) if times == 1 and int(question.split()[1]) % 3 == 0 else found(question, times)

    with SearchServer(behave) as server:
        probe = probed(server)
    assert (probe["rr"], probe.failures) == (1.0, {})
    assert sum(server.asked.values()) == 40 + 14


def test_retries_end_and_the_failure_is_named():
    def behave(question, times):
        return Reply(b"out of\nmemory \x1b[31m", 500) if question == "question 3" else found(question, times)

    with SearchServer(behave) as server:
        probe = probed(server, retries=2)
    assert probe.failures == {"q3": r"HTTP 500 Internal Server Error: 'out of memory \x1b[31m' (3 attempts)"}
    assert server.asked["question 3"] == 3
    assert probe["rr"] == 39 / 40
    assert probe.result.per_query()["q3"] == {"rr": 0.0, "recall@1": 0.0}
    assert "q3" not in probe.run
    assert "1 question failed; counted as empty: 'q3'" in map(str, probe.notes)


@for_each("status", (101, 304, 307, 401, 404))
def test_what_will_not_change_is_not_tried_again(status):
    reply = Reply(b"nothing here", status, {"Location": "http://elsewhere/x?key=s3cret"})
    said = rf"^no question was answered; for example 'q1': HTTP {status}"
    with SearchServer(lambda *_: reply) as server, pytest.raises(DataError, match=said):
        probed(server, questions={"q1": "question 1"})
    assert server.asked["question 1"] == 1


@for_each("status", (408, 429, 500, 502, 503, 504))
def test_what_may_pass_is_tried_again(status):
    with SearchServer(lambda question, times: found(question, times) if times > 1 else Reply({}, status)) as server:
        assert probed(server, questions={"q1": "question 1"}).failures == {}
    assert server.asked["question 1"] == 2


BROKEN = {
    "no JSON": (b"<html>Sign in</html>", None, "the response is not JSON: '<html>Sign in</html>'"),
    "duplicate key": (
        b'{"results": ["d1"], "results": ["d2"]}',
        None,
        "the response: duplicate key 'results'; keep one",
    ),
    "nothing": (b"", None, "the response is not JSON: it is empty"),
    "nested": (b"[" * 100_000, None, "the response: invalid JSON: the values are nested too deeply"),
    "empty": ({}, None, "the response is an empty object"),
    "no list": ({"error": "x"}, None, "the response has no list of documents; its keys are 'error'"),
    "a number": (
        {"code": 503},
        None,
        "the response has no list of documents; its keys are 'code'; if it maps ids to scores",
    ),
    "numbers": ({"a": 1, "b": 2}, None, "its keys are 'a', 'b'; if it maps ids to scores, set the path to '.'"),
    "a dict inside": ({"results": {"a": 1}}, None, "the response has no list of documents; its keys are 'results'"),
    "a number there": ({"code": 503}, ".", "the response has no list of documents; its keys are 'code'"),
    "no such path": (
        {"a": {"b": 1}},
        "a.hits",
        "the response has nothing at 'a.hits': no 'hits' in an object with the keys 'b'",
    ),
    "no such place": ({"a": [1]}, "a.5", "the response has nothing at 'a.5': no '5' in a list of length 1"),
    "a text there": ({"a": "b"}, "a.c", "the response has nothing at 'a.c': no 'c' in 'b'"),
    "no id": ([{"x": 1}], None, "the response: a retrieved passage has no id under id, doc_id, _id or similar"),
    "no number": ([["d1", float("nan")]], None, "the response: a score must be a finite number, not 'nan'"),
}


@for_each("case", BROKEN)
def test_answers_that_cannot_be_read_are_named(case):
    content, path, message = BROKEN[case]
    with SearchServer(
        lambda question, times: Reply(content) if question.endswith("1") else found(question, times)
    ) as server:
        questions = {"q1": "question 1", "q2": "question 2"}
        if path:
            with pytest.raises(DataError) as caught:
                probed(server, questions=questions | {"q2": "question 11"}, path=path)
            said = str(caught.value)
        else:
            said = probed(server, questions=questions).failures["q1"]
    assert message in said
    assert server.asked["question 1"] == 1


def test_nobody_there():
    with SearchServer() as server:
        url = server.url
    with pytest.raises(DataError) as caught:
        assay.probe(HttpSearch(url), {"q1": "x"}, QRELS, "rr", retries=1)
    assert str(caught.value).endswith("connection failed: Connection refused (2 attempts)")


@for_each("path, wrap", [(".", lambda scores: scores), ("data.0", lambda scores: {"data": [scores]})])
def test_a_path_says_that_a_dict_is_the_ranking(path, wrap):
    with SearchServer(lambda *_: Reply(wrap({"x": 0.1, "d5": 0.9, "y": 0.5}))) as server:
        probe = probed(server, questions={"q5": "question 5"}, path=path, k=2)
    assert probe.run["q5"] == [("d5", 0.9), ("y", 0.5)]
    assert probe.result.per_query()["q5"] == {"rr": 1.0, "recall@1": 1.0}
