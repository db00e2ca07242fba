"""Connections are kept for the next call, and none is left open at the end."""

import socket
import threading

import pytest

import assay
from assay.core.errors import DataError
from assay.live import HttpSearch
from search_server import QRELS, QUESTIONS, Reply, SearchServer, found


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


def call_and_close_meanwhile(search, is_called, go_on):
    """Closes the connections during a call; the call may fail, and ends."""
    outcomes = []

    def call():
        try:
            outcomes.append(search("question 1", 10))
        except Exception as error:  # noqa: BLE001 - which one does not matter
            outcomes.append(error)

    thread = threading.Thread(target=call)
    thread.start()
    assert is_called.wait(30)
    search.close()
    go_on.set()
    thread.join(30)
    assert len(outcomes) == 1


def test_a_connection_in_use_at_the_end_is_closed():
    is_called, go_on = threading.Event(), threading.Event()

    def behave(question, times):
        is_called.set()
        go_on.wait(30)
        return found(question, times)

    with SearchServer(behave) as server:
        call_and_close_meanwhile(HttpSearch(server.url), is_called, go_on)
        assert server.connections == 1
        assert server.wait_until_closed()


def test_a_connection_that_is_made_after_the_end_is_closed(monkeypatch):
    is_called, go_on = threading.Event(), threading.Event()
    connect = socket.create_connection

    def slowly(*arguments, **options):
        is_called.set()
        go_on.wait(30)
        return connect(*arguments, **options)

    with SearchServer() as server:
        monkeypatch.setattr(socket, "create_connection", slowly)
        call_and_close_meanwhile(HttpSearch(server.url), is_called, go_on)
        assert server.connections == 1
        assert server.wait_until_closed()


def test_a_search_can_be_used_again_after_a_probe():
    with SearchServer() as server:
        search = HttpSearch(server.url)
        for _ in range(2):
            assert assay.probe(search, QUESTIONS, QRELS, "rr")["rr"] == 1.0
        assert server.wait_until_closed()
        assert search("question 1", 10) == {"results": [{"id": "d1"}, {"id": "e1"}]}
        assert server.open_connections == 1
        search.close()
        assert server.wait_until_closed()
        assert search("question 1", 10)["results"]
        assert server.wait_until_closed()
