"""Connections for the HTTP client, with limits that hold from the first byte of a request to the last of its response.

httpcore2, which httpx2 stands on, limits each wait for data: a server that sends a byte now and then, or one
provisional response after another, would never exceed that. Its sockets are wrapped here, so that the time and the
bytes of the whole exchange are limited, by thread: a request is handled in the thread that makes it. Its own pool looks
at every connection for every request; the one here only at the one that has been idle longest.
"""

from __future__ import annotations

import logging
import ssl
import threading
import time
from collections import defaultdict, deque
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from typing import Any

import httpcore2
from httpcore2 import HTTP11Connection, HTTPConnection, NetworkBackend, NetworkStream, Request, Response
from httpx2 import create_ssl_context

from assay.core.errors import DataError, FileError

# Shorter than the five seconds after which common servers close an idle connection.
IDLE_SECONDS = 4.0
# A server that closed a kept connection says so at once; one that takes longer may have worked on the request.
AT_ONCE = 1.0
# Bytes of headers, with those of provisional responses; h11 has a limit of 100 kB on those of one response.
MOST_HEADERS = 256 << 10


class ExchangeLimits(threading.local):
    """When a thread's exchange must be over, and how many bytes may still come."""

    is_active = False
    end: float | None = None
    bytes_left = 0

    @contextmanager
    def of(self, seconds: float | None) -> Iterator[None]:
        """Limits an exchange, up to the headers of the response; its content is allowed when these are there."""
        self.is_active = True
        self.end = None if seconds is None else time.monotonic() + seconds
        self.bytes_left = MOST_HEADERS
        try:
            yield
        finally:
            self.is_active = False

    def seconds_left(self) -> float | None:
        """What is left of the time; raises if nothing is."""
        if self.end is None:
            return None
        left = self.end - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


LIMITS = ExchangeLimits()


def without_headers(record: logging.LogRecord) -> bool:
    """Keeps the headers of responses out of the log: a server may send a key back in them."""
    return not (LIMITS.is_active and str(record.msg).startswith("receive_response_headers.complete"))


class LimitedStream(NetworkStream):
    """A connection within limits. What is written is sent at once, when the response is waited for."""

    def __init__(self, stream: NetworkStream) -> None:
        self.stream = stream
        self.unsent: list[bytes] = []

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the limits say
        if self.unsent:
            buffer, self.unsent = b"".join(self.unsent), []
            # A server that refuses a request may respond and close the connection before it has read all of it.
            with suppress(httpcore2.WriteError):
                self.stream.write(buffer, LIMITS.seconds_left())
        part = self.stream.read(max_bytes, LIMITS.seconds_left())
        LIMITS.bytes_left -= len(part)
        if LIMITS.bytes_left < 0:
            raise DataError("the response does not end")
        return part

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the limits say
        self.unsent.append(buffer)

    def close(self) -> None:
        self.stream.close()

    def start_tls(self, *how: Any, **named: Any) -> NetworkStream:  # noqa: ANN401 - as of any stream
        return LimitedStream(self.stream.start_tls(*how, **named | {"timeout": LIMITS.seconds_left()}))

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - whatever the socket says
        return self.stream.get_extra_info(info)


class LimitedBackend(NetworkBackend):
    """Opens connections within limits."""

    def connect_tcp(self, *where: Any, **named: Any) -> NetworkStream:  # noqa: ANN401 - as of any backend
        return LimitedStream(httpcore2.SyncBackend().connect_tcp(*where, **named | {"timeout": LIMITS.seconds_left()}))


class ConnectionPool:
    """Connections that are kept between requests, as many as callers make requests at a time; for many threads."""

    def __init__(self) -> None:
        logging.getLogger("httpcore2.http11").addFilter(without_headers)
        self._tls = tls_settings()
        self._backend = LimitedBackend()
        self._lock = threading.Lock()
        self._is_closed = False
        self._open: set[HTTPConnection] = set()
        # By scheme, host and port; the one that has been idle longest comes first.
        self._idle: defaultdict[tuple[bytes, bytes, int], deque[HTTPConnection]] = defaultdict(deque)

    @contextmanager
    def response_to(self, request: Request) -> Iterator[Response]:
        """Sends a request; the connection is kept if the response is read to its end."""
        origin = request.url.origin
        if origin.scheme not in (b"http", b"https"):
            raise httpcore2.UnsupportedProtocol("the address must begin with http:// or https://")
        idle = self._idle[origin.scheme, origin.host, origin.port]
        connection, response = self._send(request, idle)
        try:
            with closing(response):
                yield response
        finally:
            # Of what the server sent after its response, httpcore2 would read the response to the next request.
            inner = connection._connection  # noqa: SLF001
            has_more = isinstance(inner, HTTP11Connection) and bool(inner._h11_state.trailing_data[0])  # noqa: SLF001
            if connection.is_available() and not has_more:
                idle.append(connection)
            else:
                self._remove(connection)

    def close(self) -> None:
        """Closes all connections, those in use too."""
        self._is_closed = True
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            connection.close()

    def _send(self, request: Request, idle: deque[HTTPConnection]) -> tuple[HTTPConnection, Response]:
        """Sends a request on a connection that was kept, or on a new one.

        A server may close a kept connection just when a request is on its way: such a request gets a new one too.
        """
        if (kept := self._take(idle)) is not None:
            start = time.monotonic()
            try:
                return kept, self._send_on(kept, request)
            except (httpcore2.ReadError, httpcore2.RemoteProtocolError):
                # Nothing of a response may have come.
                if self._is_closed or LIMITS.bytes_left < MOST_HEADERS or time.monotonic() - start > AT_ONCE:
                    raise
        origin = request.url.origin
        connection = HTTPConnection(origin, self._tls, keepalive_expiry=IDLE_SECONDS, network_backend=self._backend)
        with self._lock:
            self._open.add(connection)
        return connection, self._send_on(connection, request)

    def _send_on(self, connection: HTTPConnection, request: Request) -> Response:
        try:
            return connection.handle_request(request)
        except BaseException:
            self._remove(connection)
            raise

    def _take(self, idle: deque[HTTPConnection]) -> HTTPConnection | None:
        """A connection that is neither too old nor closed by the server."""
        with suppress(IndexError):
            while True:
                connection = idle.popleft()
                if connection.is_available() and not connection.has_expired():
                    return connection
                self._remove(connection)
        return None

    def _remove(self, connection: HTTPConnection) -> None:
        with self._lock:
            self._open.discard(connection)
        connection.close()


@cache
def tls_settings() -> ssl.SSLContext:
    """The certificates to trust: slow to load, so loaded once."""
    try:
        return create_ssl_context()
    except OSError as error:
        said = f"the certificates to trust cannot be read: {error.strerror or error}"
        raise FileError(f"{said}; check SSL_CERT_FILE and SSL_CERT_DIR") from None
