"""Connections for the HTTP client, with limits that hold from the first byte of a request to the last of its response.

httpcore2, which httpx2 stands on, limits each wait for data: a server that sends a byte now and then, or one
provisional response after another, would never exceed that. Its sockets are wrapped here, so that the time and the
bytes of the whole exchange are limited. A request is handled in the thread that makes it: limits belong to a thread.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from httpcore2 import SOCKET_OPTION, ConnectionPool, NetworkBackend, NetworkStream, SyncBackend
from httpx2 import create_ssl_context

from assay.core.errors import DataError, FileError

if TYPE_CHECKING:
    import ssl

# Shorter than the five seconds after which common servers close an idle connection.
IDLE_SECONDS = 4.0
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

    def allow(self, more_bytes: int) -> None:
        """Lets this many more bytes come."""
        self.bytes_left += more_bytes

    def count(self, received: int) -> None:
        """Raises if more came than may come."""
        self.bytes_left -= received
        if self.bytes_left < 0:
            raise DataError("the response does not end")


LIMITS = ExchangeLimits()


class HeaderFilter(logging.Filter):
    """Keeps the headers of responses out of the log: a server may send a key back in them."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (LIMITS.is_active and str(record.msg).startswith("receive_response_headers.complete"))


HEADER_FILTER = HeaderFilter()


class LimitedStream(NetworkStream):
    """A connection within limits."""

    def __init__(self, stream: NetworkStream) -> None:
        self.stream = stream

    def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ARG002 - the limits say
        part = self.stream.read(max_bytes, LIMITS.seconds_left())
        LIMITS.count(len(part))
        return part

    def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ARG002 - the limits say
        self.stream.write(buffer, LIMITS.seconds_left())

    def close(self) -> None:
        self.stream.close()

    def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ARG002 - the limits say
    ) -> NetworkStream:
        return LimitedStream(self.stream.start_tls(ssl_context, server_hostname, LIMITS.seconds_left()))

    def get_extra_info(self, info: str) -> Any:  # noqa: ANN401 - whatever the socket says
        return self.stream.get_extra_info(info)


class LimitedBackend(NetworkBackend):
    """Opens connections within limits."""

    def __init__(self) -> None:
        self.backend = SyncBackend()

    def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ARG002 - the limits say
        local_address: str | None = None,
        socket_options: Iterable[SOCKET_OPTION] | None = None,
    ) -> NetworkStream:
        seconds = LIMITS.seconds_left()
        return LimitedStream(self.backend.connect_tcp(host, port, seconds, local_address, socket_options))


def open_pool() -> ConnectionPool:
    """Connections that are kept; as many as callers make requests at a time."""
    logging.getLogger("httpcore2.http11").addFilter(HEADER_FILTER)
    return ConnectionPool(
        ssl_context=tls_settings(),
        max_connections=None,
        keepalive_expiry=IDLE_SECONDS,
        network_backend=LimitedBackend(),
    )


@cache
def tls_settings() -> ssl.SSLContext:
    """The certificates to trust: slow to load, so loaded once."""
    try:
        return create_ssl_context()
    except OSError as error:
        why = error.strerror or error
        raise FileError(
            f"the certificates to trust cannot be read: {why}; check SSL_CERT_FILE and SSL_CERT_DIR"
        ) from None
