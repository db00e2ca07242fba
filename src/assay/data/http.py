"""HTTP: one client for everything that talks to a server.

httpx2 opens, pools and closes connections and speaks TLS. This file adds what its callers need: limits on the time and
the size of a response, which failures may pass and how long to wait before a retry, and messages without secrets.
Its transport is used without the client on top: that one would keep cookies and write whole addresses to the log.
Redirects are not followed, since keys would go elsewhere; proxy settings of the environment are ignored.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING

from assay.core.errors import AssayError, DataError
from assay.core.text import printable
from assay.data.secrets import MARK, Secret, hide

if TYPE_CHECKING:
    import ssl

    import httpx2

LARGEST = 64 << 20
# Shorter than the five seconds after which common servers close an idle connection.
IDLE_SECONDS = 4.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_EXCERPT = 80
# Too slow or too many requests: like a server's own failure, these may pass.
PASSING = (408, 425, 429)
# How h11 names the status 101 where nobody asked for it.
SWITCHED = "_SWITCH_UPGRADE"
REDIRECTS = (300, 301, 302, 303, 305, 307, 308)
OK, REDIRECT, REFUSED, BROKEN = 200, 300, 400, 500


class TemporaryError(Exception):
    """A request failed in a way that may pass; `after` is how many seconds the server asked to wait, if it did.

    `status` is that of the response, None if there was none.
    """

    def __init__(self, message: str, after: float | None = None, status: int | None = None) -> None:
        super().__init__(message)
        self.after = after
        self.status = status


class NoResponseError(TemporaryError):
    """The time limit passed without a response."""


class HttpError(DataError):
    """The server refused the request: asking again does not help."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


def pause_before_retry(attempt: int, error: BaseException | None) -> float:
    """The seconds to wait after a failed attempt: twice as long each time, or what the server asked for.

    >>> pause_before_retry(1, None), pause_before_retry(3, None), pause_before_retry(1, TemporaryError("busy", 7))
    (0.5, 2.0, 7)
    """
    after = error.after if isinstance(error, TemporaryError) else None
    return min(FIRST_PAUSE * 2 ** (attempt - 1) if after is None else after, LONGEST_PAUSE)


class HttpClient:
    """Connections that are kept between requests, with limits; may be used from many threads.

    `timeout` is a limit in seconds, or None for none. It applies to connecting, to each wait for data, and to the time
    from the request on, which is checked after each part of the content: headers sent bit by bit can take longer.
    """

    def __init__(self, *, timeout: float | None, secrets: Iterable[Secret] = ()) -> None:
        self.timeout = timeout
        self.secrets = tuple(secrets)
        self._is_closed = False
        self._transport = open_transport()

    def send(self, method: str, url: str, *, headers: Mapping[str, str], content: bytes | None = None) -> bytes:
        """The content of the response. Raises `TemporaryError` if a retry may help, else `DataError`."""
        try:
            if not self._is_closed:
                return self._exchange(self._transport, method, url, headers, content)
            with open_transport() as transport:
                return self._exchange(transport, method, url, headers, content)
        except HttpError as error:
            raise HttpError(self.hide(str(error)), error.status) from None
        except DataError as error:
            raise DataError(self.hide(str(error))) from None
        except TemporaryError as error:
            raise type(error)(self.hide(str(error)), error.after, error.status) from None

    def hide(self, text: str) -> str:
        """The text without secrets."""
        return hide(text, self.secrets)

    def close(self) -> None:
        """Closes all connections, those in use too; a later request gets a connection for itself alone."""
        self._is_closed = True
        self._transport.close()

    def _exchange(
        self,
        transport: httpx2.HTTPTransport,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None,
    ) -> bytes:
        import httpx2

        end = None if self.timeout is None else time.monotonic() + self.timeout
        try:
            limits = httpx2.Timeout(self.timeout).as_dict()
            request = httpx2.Request(method, url, headers=headers, content=content, extensions={"timeout": limits})
            response = transport.handle_request(request)
            try:
                received = b"".join(receive(response, end))
            finally:
                response.close()
                if self._is_closed:
                    # It was still being opened when the others were closed.
                    response.extensions["network_stream"].close()
        except httpx2.InvalidURL as error:
            raise DataError(f"invalid address: {error}") from None
        except (httpx2.TimeoutException, TimeoutError):
            raise NoResponseError(f"no response within {self.timeout or 0:g} s") from None
        except httpx2.RequestError as error:
            if SWITCHED in str(error):
                said = "HTTP 101: the server changes to another protocol, such as WebSocket; use an address for HTTP"
                raise DataError(said) from None
            raise TemporaryError(describe_failure(error)) from None
        check_status(response, received)
        return received


def open_transport() -> httpx2.HTTPTransport:
    """A pool of connections without limits of its own: callers decide how many requests they make at a time."""
    try:
        import httpx2
    except ImportError:
        raise AssayError('HTTP needs the package httpx2; install it with: pip install "assay[probe]"') from None
    limits = httpx2.Limits(keepalive_expiry=IDLE_SECONDS)
    return httpx2.HTTPTransport(verify=tls_settings(), trust_env=False, limits=limits)


@cache
def tls_settings() -> ssl.SSLContext:
    """The certificates to trust: slow to load, so loaded once."""
    import httpx2

    return httpx2.create_ssl_context()


def receive(response: httpx2.Response, end: float | None) -> Iterator[bytes]:
    """The response, piece by piece, unless it is too long or too slow."""
    size = 0
    for part in response.iter_bytes():
        yield part
        size += len(part)
        if size > LARGEST:
            raise DataError(f"the response is larger than {LARGEST >> 20} MiB")
        if end is not None and time.monotonic() > end:
            raise TimeoutError


def check_status(response: httpx2.Response, content: bytes) -> None:
    """Raises unless the status is a success."""
    status = response.status_code
    if OK <= status < REDIRECT:
        return
    said = f"HTTP {status} {shorten(response.reason_phrase)}".strip()
    if status < REFUSED and status not in REDIRECTS:
        raise DataError(f"{said}: neither an answer nor an error; check the address and the headers")
    if status < REFUSED:
        target = response.headers.get("Location", "").partition("?")[0]
        where = f" to {shorten(target)}" if target else ""
        raise DataError(f"{said}: redirected{where}; redirects are not followed, use the final address")
    said += f": {excerpt(content)}" if content.strip() else ""
    if status in PASSING or status >= BROKEN:
        raise TemporaryError(said, seconds_to_wait(response.headers.get("Retry-After")), status)
    raise HttpError(said, status)


def describe_failure(error: httpx2.RequestError) -> str:
    """A connection or a response that failed, in words."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return f"host not found: {cause.strerror}"
        if isinstance(cause, OSError):
            return f"connection failed: {cause.strerror or type(cause).__name__}"
        cause = cause.__cause__ or cause.__context__
    return f"invalid response: {shorten(str(error))}"


def seconds_to_wait(value: str | None) -> float | None:
    """The meaning of `Retry-After`: seconds, or a date."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def excerpt(content: bytes) -> str:
    """The beginning of a response, in quotes."""
    if not content.strip():
        return "it is empty"
    start = content.lstrip()[: 4 * LONGEST_EXCERPT]
    # What was cut off must show: half a key would not be recognised.
    cut = MARK if len(start) < len(content.strip()) else ""
    return "'" + shorten(" ".join(start.decode("utf-8", "replace").split()) + cut) + "'"


def shorten(text: str) -> str:
    return printable(text[:LONGEST_EXCERPT] + (MARK if len(text) > LONGEST_EXCERPT else ""))
