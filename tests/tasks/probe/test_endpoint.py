"""A search over HTTP, against a real server: good, slow, failing, broken and hanging."""

import json
import time
from threading import Barrier

import pytest

import assay
from assay.core.errors import DataError
from assay.live import HttpSearch
from assay.net import http
from assay.net.http import TemporaryError
from search_server import INDEX, QRELS, QUESTIONS, Reply, SearchServer, found
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


def test_a_connection_that_the_server_closed_is_opened_anew():
    with SearchServer(
        lambda question, times: found(question, times)._replace(headers={"Connection": "close"})
    ) as server:
        assert probed(server, concurrency=2, retries=0).failures == {}
    silently = Reply({"results": []})
    with SearchServer(lambda *_: silently) as server:
        sockets = []
        opened = server.get_request
        server.get_request = lambda: sockets.append(opened()) or sockets[-1]
        search = HttpSearch(server.url)
        search("question 1", 10)
        sockets[0][0].shutdown(2)
        assert search("question 1", 10) == {"results": []}
        assert len(sockets) == 2
        search.close()


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


FINAL = {
    404: "HTTP 404 Not Found: 'nothing here'",
    401: "HTTP 401 Unauthorized: 'nothing here'",
    101: "HTTP 101: the server changes to another protocol, such as WebSocket; use an address for HTTP",
    304: "HTTP 304 Not Modified: neither an answer nor an error; check the address and the headers",
    307: "HTTP 307 Temporary Redirect: redirected to http://elsewhere/x; redirects are not followed, use the final address",
}


@for_each("status", FINAL)
def test_what_will_not_change_is_not_tried_again(status):
    reply = Reply(b"nothing here", status, {"Location": "http://elsewhere/x?key=s3cret"})
    with SearchServer(lambda *_: reply) as server, pytest.raises(DataError) as caught:
        probed(server, questions={"q1": "question 1"})
    assert str(caught.value) == f"no question was answered; for example 'q1': {FINAL[status]}"
    assert server.asked["question 1"] == 1


@for_each("status", [408, 429, 500, 502, 503, 504])
def test_what_may_pass_is_tried_again(status):
    with SearchServer(lambda question, times: found(question, times) if times > 1 else Reply({}, status)) as server:
        assert probed(server, questions={"q1": "question 1"}).failures == {}
    assert server.asked["question 1"] == 2


def test_retry_after_is_heeded_up_to_a_bound(monkeypatch):
    busy = Reply(b"", 429, {"Retry-After": "1"})
    with SearchServer(lambda question, times: found(question, times) if times > 1 else busy) as server:
        started = time.monotonic()
        probed(server, questions={"q1": "question 1"})
        assert 1.0 <= time.monotonic() - started < 60
    monkeypatch.setattr(http, "LONGEST_PAUSE", 0.05)
    later = Reply(b"", 503, {"Retry-After": "3600"})
    with SearchServer(lambda question, times: found(question, times) if times > 1 else later) as server:
        started = time.monotonic()
        assert probed(server, questions={"q1": "question 1"}).failures == {}
        assert time.monotonic() - started < 60


@for_each("value, seconds", [("", None), ("7", 7.0), ("soon", None), ("Wed, 21 Oct 2015 07:28:00 GMT", 0.0)])
def test_what_retry_after_says(value, seconds):
    assert http.seconds_to_wait(value) == seconds


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


def test_an_endless_answer_is_cut():
    endless = SearchServer(lambda *_: Reply(b"[" + b" " * (1 << 21) + b"]"))
    with endless as server, assay.limits(response=1 << 20), pytest.raises(DataError) as caught:
        probed(server, questions={"q1": "question 1"})
    assert "the response is larger than 1 MiB" in str(caught.value)


def test_one_that_hangs_costs_its_time_limit_and_no_more():
    def behave(question, times):
        return Reply(hang=True) if question in ("question 1", "question 2") else found(question, times)

    with SearchServer(behave) as server:
        started = time.monotonic()
        probe = probed(server, timeout=1.5, retries=1, concurrency=2)
        elapsed = time.monotonic() - started
    assert set(probe.failures) == {"q1", "q2"}
    assert set(probe.failures.values()) == {"no response within 1.5 s (2 attempts)"}
    # The server hangs for half a minute.
    assert elapsed < 25
    assert probe["rr"] == 38 / 40


def test_a_slow_one_is_slow_and_not_failed():
    with SearchServer(delay=0.05) as server:
        probe = probed(server, concurrency=8)
    assert probe.failures == {}
    assert 0.05 <= probe.latency.p50 < 1
    assert probe.latency.p50 <= probe.latency.p95 <= probe.latency.p99
    assert probe.throughput <= 8 / 0.05
    assert probe.elapsed >= 40 / 8 * 0.05


@for_each("concurrency", [1, 3, 8])
def test_no_more_calls_at_a_time_than_allowed(concurrency):
    together = Barrier(concurrency)

    def behave(question, times):
        together.wait(30)
        return found(question, times)

    with SearchServer(behave) as server:
        probe = probed(server, concurrency=concurrency, questions=dict(list(QUESTIONS.items())[: 4 * concurrency]))
    assert (server.most_in_flight, probe.failures) == (concurrency, {})


def test_nobody_there():
    with SearchServer() as server:
        url = server.url
    with pytest.raises(DataError) as caught:
        assay.probe(HttpSearch(url), {"q1": "x"}, QRELS, "rr", retries=1)
    assert str(caught.value).endswith("connection failed: Connection refused (2 attempts)")


def test_a_line_that_is_no_http(monkeypatch):
    with SearchServer() as server:
        monkeypatch.setattr(
            server.RequestHandlerClass, "answer", lambda handler, *_: handler.wfile.write(b"\x1b[2J\r\n\r\n")
        )
        with pytest.raises(DataError) as caught:
            probed(server, questions={"q1": "question 1"}, retries=0)
    assert r"invalid response: illegal status line: bytearray(b'\x1b[2J')" in str(caught.value)
    assert str(caught.value).isprintable()


def test_keys_are_sent_and_never_shown(tmp_path):
    key = "s3cret-0123456789-0123456789-0123456789-0123456789-0123456789-0123456789"
    file = tmp_path / "checkpoint.jsonl"

    def behave(question, times):
        echo = f"bad key {key}".encode()
        if question == "question 1":
            return Reply(echo, 403)
        if question == "question 2":
            return Reply(echo, 500)
        if question == "question 3":
            return Reply([{"key": key}])
        return Reply({key: key}) if question == "question 4" else found(question, times)

    with SearchServer(behave) as server:
        search = HttpSearch(
            f"{server.url}?token={key[:30]}",
            headers=["Authorization: Bearer $KEY", "X-Plain: 5$$"],
            environment={"KEY": key},
        )
        questions = dict(list(QUESTIONS.items())[:8])
        probe = assay.probe(search, questions, QRELS, "rr", checkpoint=file, retries=0)
    headers = server.requests[0][3]
    assert (headers["Authorization"], headers["X-Plain"]) == (f"Bearer {key}", "5$")
    assert set(probe.failures) == {"q1", "q2", "q3", "q4"}
    shown = "".join([str(probe), repr(search), probe.to_json(), probe.to_html(), file.read_text(), probe.run.tag])
    assert "s3cret" not in shown
    assert probe.failures["q1"] == "HTTP 403 Forbidden: 'bad key …'"


def test_a_message_outside_of_a_probe_hides_keys_too():
    with SearchServer(lambda *_: Reply(b"no s3cret-key", 500)) as server:
        search = HttpSearch(server.url, headers=["X-Key: s3cret-key"])
        with pytest.raises(TemporaryError, match="HTTP 500 Internal Server Error: 'no …'"):
            search("question 1", 10)
        search.close()


RAW = {
    "chunks": (b'Transfer-Encoding: chunked\r\n\r\n4\r\n["d1\r\n2\r\n"]\r\n0\r\n\r\n', None),
    "until the end": (b'Connection: close\r\n\r\n["d1"]', None),
    "cut": (
        b'Content-Length: 99\r\nConnection: close\r\n\r\n["d1"]',
        "invalid response: peer closed connection without sending complete",
    ),
    "cut chunks": (
        b'Transfer-Encoding: chunked\r\n\r\nff\r\n["d1',
        "invalid response: peer closed connection without sending complete",
    ),
    "no chunks": (b"Transfer-Encoding: chunked\r\n\r\nzz\r\n", "invalid response: illegal chunk header"),
    "too many headers": (b"X: 1\r\n" * 30_000 + b"\r\n", "invalid response: Receive buffer too long"),
}


@pytest.mark.parametrize("case", RAW)
def test_how_answers_are_sent(case, monkeypatch):
    content, message = RAW[case]

    def answer(handler, *_):
        handler.wfile.write(b"HTTP/1.1 200 OK\r\n" + content)
        handler.close_connection = True

    with SearchServer() as server:
        monkeypatch.setattr(server.RequestHandlerClass, "answer", answer)
        if message is None:
            assert probed(server, questions={"q1": "question 1"}, retries=0).run["q1"] == ["d1"]
        else:
            with pytest.raises(DataError, match=message):
                probed(server, questions={"q1": "question 1"}, retries=0)


def test_an_answer_that_drips_is_given_up(monkeypatch):
    def drip(handler, *_):
        handler.send_response(200)
        handler.end_headers()
        for _ in range(1000):
            handler.wfile.write(b" ")
            time.sleep(0.02)

    with SearchServer() as server:
        monkeypatch.setattr(server.RequestHandlerClass, "answer", drip)
        search = HttpSearch(server.url, timeout=0.2)
        with pytest.raises(TemporaryError, match=r"no response within 0\.2 s"):
            search("question 1", 10)


def test_the_forms_of_answers():
    ids = INDEX["question 5"]
    forms = [
        ids,
        {"ids": ids},
        {"hits": {"total": 2, "hits": [{"_id": each} for each in ids]}},
        {"response": {"docs": [{"id": each} for each in ids]}},
        {"result": {"points": [{"id": each, "score": 0.5} for each in ids]}},
        {"matches": [{"id": each, "score": 1 - place} for place, each in enumerate(ids)]},
        [[each, 1 - place] for place, each in enumerate(ids)],
    ]
    for form in forms:
        with SearchServer(lambda *_, form=form: Reply(form)) as server:
            ranking = probed(server, questions={"q5": "question 5"}).run["q5"]
        assert [each if isinstance(each, str) else each[0] for each in ranking] == ids, json.dumps(form)


@for_each("path, wrap", [(".", lambda scores: scores), ("data.0", lambda scores: {"data": [scores]})])
def test_a_path_says_that_a_dict_is_the_ranking(path, wrap):
    with SearchServer(lambda *_: Reply(wrap({"x": 0.1, "d5": 0.9, "y": 0.5}))) as server:
        probe = probed(server, questions={"q5": "question 5"}, path=path, k=2)
    assert probe.run["q5"] == [("d5", 0.9), ("y", 0.5)]
    assert probe.result.per_query()["q5"] == {"rr": 1.0, "recall@1": 1.0}
