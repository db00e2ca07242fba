"""The connections of the HTTP client: kept while they are good, never shared, and what is sent on them."""

import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from assay.net import transport
from assay.net.http import HttpClient, TemporaryError
from raw_server import RawServer, read_request
from tables import for_each

KEPT = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]"
CLOSED = KEPT.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")


def content_of(request):
    return request.partition(b"\r\n\r\n")[2]


def head_of(request):
    lines = request.partition(b"\r\n\r\n")[0].decode().split("\r\n")
    return lines[0], dict(line.split(": ", 1) for line in lines[1:])


class EchoServer(RawServer):
    """Sends the content of each request back, on connections that stay open."""

    def serve(self, connection):
        with connection:
            while request := read_request(connection):
                self.requests.append(request)
                content = content_of(request)
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(content), content))


@pytest.fixture
def echo():
    with EchoServer(b"") as server:
        yield server


@pytest.fixture
def client():
    made = HttpClient(timeout=5)
    yield made
    made.close()


def post(client, server, content=b"{}", **headers):
    return client.send("POST", server.url, headers=headers, content=content)


def test_a_connection_serves_one_request_after_another(echo, client):
    assert [post(client, echo, b"%d" % number) for number in range(5)] == [b"0", b"1", b"2", b"3", b"4"]
    assert len(echo.threads) == 1


def test_threads_have_connections_and_replies_of_their_own(echo, client):
    contents = [b"%d" % number * (1 + number % 7) for number in range(200)]
    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(lambda content: post(client, echo, content), contents)) == contents
    assert len(echo.threads) <= 8


@for_each("response", [KEPT, CLOSED])
def test_a_connection_that_the_server_closed_is_not_used_again(client, response):
    with RawServer(response) as server:
        for number in range(3):
            assert post(client, server) == b"[]"
            server.threads[number].join()
        assert len(server.threads) == 3


class ForgetfulServer(RawServer):
    """Answers one request on each connection, reads the next and closes without an answer."""

    ends_with_reset = False

    def serve(self, connection):
        with connection:
            self.requests.append(read_request(connection))
            connection.sendall(KEPT)
            if self.ends_with_reset:
                # What is closed with unread bytes is reset.
                connection.recv(1, socket.MSG_PEEK)
            else:
                self.requests.append(read_request(connection))


@pytest.mark.parametrize("ends_with_reset", [False, True])
def test_a_request_for_which_a_kept_connection_is_closed_gets_a_new_one(client, ends_with_reset, monkeypatch):
    monkeypatch.setattr(transport, "AT_ONCE", 30)
    with ForgetfulServer(b"") as server:
        server.ends_with_reset = ends_with_reset
        assert [post(client, server) for _ in range(4)] == [b"[]"] * 4
        assert len(server.threads) == 4
        client.close()


def test_a_request_that_a_server_took_its_time_with_is_not_sent_again(client, monkeypatch):
    monkeypatch.setattr(transport, "AT_ONCE", -1)
    with ForgetfulServer(b"") as server:
        assert post(client, server) == b"[]"
        with pytest.raises(TemporaryError):
            post(client, server)
        assert len(server.requests) == 2


def break_off(connection, _):
    connection.sendall(KEPT)
    read_request(connection)
    connection.sendall(KEPT[:20])


def test_what_breaks_off_is_not_asked_again(client):
    with RawServer(break_off) as server:
        assert post(client, server) == b"[]"
        with pytest.raises(TemporaryError, match=r"Server disconnected|peer closed"):
            post(client, server)
        assert len(server.threads) == 1


def test_a_client_that_is_closed_while_it_waits_does_not_ask_again(client):
    asked = threading.Event()

    def behave(connection, over):
        connection.sendall(KEPT)
        read_request(connection)
        asked.set()
        over.wait(30)

    with RawServer(behave) as server, ThreadPoolExecutor(1) as thread:
        assert post(client, server) == b"[]"
        waiting = thread.submit(post, client, server)
        assert asked.wait(30)
        client.close()
        with pytest.raises(TemporaryError):
            waiting.result(30)
        assert len(server.threads) == 1


@for_each("more", [KEPT.replace(b"[]", b"{}"), KEPT[:30], b"garbage", b"\r\n"])
def test_more_than_a_response_is_not_the_next_response(client, more):
    def behave(connection, over):
        connection.sendall(KEPT + more)
        over.wait(30)

    with RawServer(behave) as server:
        assert [post(client, server) for _ in range(3)] == [b"[]"] * 3
        assert len(server.threads) == 3


def test_a_connection_that_was_idle_too_long_is_not_used_again(echo, client, monkeypatch):
    monkeypatch.setattr(transport, "IDLE_SECONDS", -1.0)
    assert [post(client, echo) for _ in range(3)] == [b"{}"] * 3
    assert len(echo.threads) == 3


def test_the_head_of_each_request_is_its_own(echo, client):
    for content in (b"1", b"22", b"x" * 1000):
        post(client, echo, content, key="a")
    post(client, echo, b"1", key="b")
    post(client, echo, b"1")
    client.send("GET", f"{echo.url}?q=1", headers={})
    heads = [head_of(request) for request in echo.requests]
    assert [headers.get("Content-Length") for _, headers in heads] == ["1", "2", "1000", "1", "1", None]
    assert [headers.get("key") for _, headers in heads] == ["a", "a", "a", "b", None, None]
    assert [line for line, _ in heads[-2:]] == ["POST /search HTTP/1.1", "GET /search?q=1 HTTP/1.1"]
    assert {headers["Host"] for _, headers in heads} == {f"127.0.0.1:{echo.port}"}


def test_a_request_is_sent_in_one_piece(client):
    pieces = []

    def meet(connection):
        pieces.append(connection.recv(1 << 16, socket.MSG_PEEK))
        return connection

    with RawServer(KEPT, meet=meet) as server:
        for number in range(5):
            post(client, server, b"content")
            server.threads[number].join()
    assert [content_of(piece) for piece in pieces] == [b"content"] * 5


def test_a_client_that_is_closed_still_serves_and_keeps_nothing(echo, client):
    post(client, echo)
    client.close()
    assert [post(client, echo) for _ in range(2)] == [b"{}"] * 2
    for thread in echo.threads:
        thread.join(5)
    assert [thread.is_alive() for thread in echo.threads] == [False] * 3
