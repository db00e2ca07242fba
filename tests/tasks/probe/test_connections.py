"""Connections are kept for the next call, and none is left open at the end."""

import time
from http.client import HTTPConnection

import pytest

import assay
from assay.core.errors import DataError
from assay.tasks.probe import HttpSearch
from assay.tasks.probe.connections import Connections
from search_server import QRELS, QUESTIONS, Reply, SearchServer


class Watched(HttpSearch):
    """Remembers its connections."""

    made = ()

    def connect(self):
        connection = super().connect()
        self.made.append(connection)
        return connection


def test_no_connection_is_left_open_where_it_is_given_up_early():
    questions = {f"q{number}": f"question {number}" for number in range(300)}
    qrels = {query: ["d"] for query in questions}
    with SearchServer(lambda *_: Reply(b"no", 404)) as server:
        search = Watched(server.url)
        search.made = []
        for _ in range(5):
            with pytest.raises(DataError, match="none of the first 20 questions was answered"):
                assay.probe(search, questions, qrels, "rr", concurrency=8)
        end = time.monotonic() + 30
        while any(each.sock for each in search.made) and time.monotonic() < end:
            time.sleep(0.01)
        assert len(search.made) >= 5
        assert [each for each in search.made if each.sock] == []


def test_what_comes_back_after_the_end_is_closed():
    connections = Connections(lambda: HTTPConnection("127.0.0.1", server.server_port))
    with SearchServer() as server:
        taken = [connections.take() for _ in range(3)]
        assert [is_used for is_used, _ in taken] == [False, False, False]
        for _, connection in taken:
            connection.connect()
        connections.give_back(taken[0][1])
        assert connections.take() == (True, taken[0][1])
        connections.give_back(taken[0][1])
        connections.give_back(taken[1][1])
        connections.close()
        assert [connection.sock is None for _, connection in taken] == [True, True, False]
        connections.give_back(taken[2][1])
        assert taken[2][1].sock is None
        assert not connections.idle


def test_a_search_can_be_used_again_after_a_probe():
    with SearchServer() as server:
        search = HttpSearch(server.url)
        for _ in range(2):
            assert assay.probe(search, QUESTIONS, QRELS, "rr")["rr"] == 1.0
        assert search("question 1", 10) == {"results": [{"id": "d1"}, {"id": "e1"}]}
        assert len(search.connections.idle) == 1
        search.close()
        assert search("question 1", 10)["results"]
        assert not search.connections.idle
