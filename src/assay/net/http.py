"""HTTP: one client for everything that talks to a server.

httpx2 writes requests and speaks TLS, and its httpcore2 pools connections, which `transport` limits. This file adds
which failures may pass and how long to wait before a retry, a limit on decompressed responses, and messages without
secrets. The pool is used without the client on top, which would keep cookies and log whole addresses. Redirects are not
followed, since keys would go elsewhere; proxy settings of the environment are ignored.
"""

from __future__ import annotations

import socket
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, nullcontext
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import AssayError, DataError
from assay.core.limits import LIMITS as DATA_LIMITS
from assay.core.limits import refuse, size
from assay.core.text import printable, show
from assay.net.secrets import MARK, Secret, hide

if TYPE_CHECKING:
    import httpcore2

    from assay.net.transport import ConnectionPool

# Bytes to decompress at a time: a small response may be a very large one.
PIECE = 1 << 20
# How zlib is told what to expect.
GZIP, ZLIB, DEFLATE = 16 + zlib.MAX_WBITS, zlib.MAX_WBITS, -zlib.MAX_WBITS
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_EXCERPT = 80
# Too slow or too many requests: like a server's own failure, these may pass.
PASSING = (408, 425, 429)
# How h11 names the status 101 where nobody asked for it.
SWITCHED = "_SWITCH_UPGRADE"
REDIRECTS = (300, 301, 302, 303, 305, 307, 308)
LENGTH = b"Content-Length"
OK, REDIRECT, REFUSED, BROKEN = 200, 300, 400, 500


class TemporaryError(Exception):
    """A request failed in a way that may pass; if there was a response, with its status and the seconds to wait."""

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
    """The seconds to wait after a failed attempt: twice as long each time, or what the server asked for."""
    after = error.after if isinstance(error, TemporaryError) else None
    return min(FIRST_PAUSE * 2 ** (attempt - 1) if after is None else after, LONGEST_PAUSE)


class Head(NamedTuple):
    """What precedes the content of a request; slow to make, and often the same but for the length, which comes last."""

    # Method, address, headers, and whether there is content.
    same: tuple[str, str, dict[str, str], bool]
    url: httpcore2.URL
    headers: list[tuple[bytes, bytes]]


class HttpClient:
    """Connections that are kept between requests; `timeout` limits the seconds of an exchange; for many threads."""

    def __init__(self, *, timeout: float | None, secrets: Iterable[Secret] = ()) -> None:
        self.timeout = timeout
        self.secrets = tuple(secrets)
        # Requests are sent from other threads, which do not have the caller's limits.
        self.largest = DATA_LIMITS.get().response
        self._is_closed = False
        self._pool = open_pool()
        self._last_head: Head | None = None

    def send(self, method: str, url: str, *, headers: Mapping[str, str], content: bytes | None = None) -> bytes:
        """The content of the response. Raises `TemporaryError` if a retry may help, else `DataError`."""
        try:
            with closing(open_pool()) if self._is_closed else nullcontext(self._pool) as pool:
                return self._exchange(pool, method, url, headers, content)
        except (DataError, TemporaryError) as error:
            error.args = (self.hide(str(error)),)
            raise

    def hide(self, text: str) -> str:
        return hide(text, self.secrets)

    def close(self) -> None:
        """Closes all connections, those in use too; a later request gets a connection for itself alone."""
        self._is_closed = True
        self._pool.close()

    def _exchange(
        self, pool: ConnectionPool, method: str, url: str, headers: Mapping[str, str], content: bytes | None
    ) -> bytes:
        import httpcore2
        import httpx2

        from assay.net.transport import LIMITS

        try:
            request = self._request(method, url, headers, content)
            with LIMITS.of(self.timeout), pool.response_to(request) as response:
                # Chunks have headers of their own.
                LIMITS.bytes_left += 2 * self.largest
                buffer = bytearray()
                for part in decompress(response.iter_stream(), header(response, b"content-encoding")):
                    buffer += part
                    if len(buffer) > self.largest:
                        raise refuse(f"the response is larger than {size(self.largest)}", "response", self.largest)
        except httpx2.InvalidURL as error:
            raise DataError(f"invalid address: {error}") from None
        except (httpcore2.TimeoutException, TimeoutError):
            raise NoResponseError(f"no response within {self.timeout or 0:g} s") from None
        except (httpcore2.NetworkError, httpcore2.ProtocolError, httpcore2.ConnectionNotAvailable, zlib.error) as error:
            if SWITCHED in str(error):
                said = "HTTP 101: the server changes to another protocol, such as WebSocket; use an address for HTTP"
                raise DataError(said) from None
            raise TemporaryError(describe_failure(error)) from None
        if self._is_closed:
            # It was still being opened when the others were closed.
            pool.close()
        check_status(response, received := bytes(buffer))
        return received

    def _request(self, method: str, url: str, headers: Mapping[str, str], content: bytes | None) -> httpcore2.Request:
        import httpcore2
        import httpx2

        head, same = self._last_head, (method, url, dict(headers), bool(content))
        if head is None or head.same != same:
            made = httpx2.Request(method, url, headers=same[2], content=content)
            to = made.url
            target = httpcore2.URL(scheme=to.raw_scheme, host=to.raw_host, port=to.port, target=to.raw_path)
            head = self._last_head = Head(same, target, made.headers.raw)
        sent = head.headers
        if content and sent[-1][0] == LENGTH:
            sent = [*sent[:-1], (LENGTH, b"%d" % len(content))]
        return httpcore2.Request(method, head.url, headers=sent, content=content)


def open_pool() -> ConnectionPool:
    """A pool of connections without a limit on their number: callers decide how many requests they make at a time."""
    try:
        from assay.net import transport
    except ImportError:
        hint = 'pip install "assay[probe]", or "assay[judge]" for a judge'
        raise AssayError(f"HTTP needs the package httpx2; install it with: {hint}") from None
    return transport.ConnectionPool()


def header(response: httpcore2.Response, name: bytes) -> str:
    """The value of a header of the response; empty if it has none."""
    return b", ".join(value for key, value in response.headers if key.lower() == name).decode("utf-8", "replace")


def decompress(parts: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The content, piece by piece, of a response that may be compressed, though nothing asks for it."""
    encodings = [name for each in encoding.split(",") if (name := each.strip().lower()) not in ("", "identity")]
    if not encodings:
        yield from parts
        return
    if len(encodings) > 1:
        raise DataError(f"the response is compressed {len(encodings)} times; let the server send it as it is")
    if encodings[0] not in ("gzip", "x-gzip", "deflate"):
        said = f"the response is compressed with {show(encodings[0])}, which cannot be read"
        raise DataError(f"{said}; let the server send it as it is, or with gzip")
    yield from inflate(parts, is_gzip=encodings[0] != "deflate")


def inflate(parts: Iterable[bytes], *, is_gzip: bool) -> Iterator[bytes]:
    """The content of gzip or deflate, in pieces of a limited size; what follows its end is ignored."""
    work = None
    for part in filter(None, parts):
        if work is None:
            # Some servers send deflate without the header that it should have.
            has_header = part[0] & 15 == zlib.DEFLATED
            work = zlib.decompressobj(GZIP if is_gzip else ZLIB if has_header else DEFLATE)
        rest = part
        while rest and not work.eof:
            yield work.decompress(rest, PIECE)
            rest = work.unconsumed_tail
    while work is not None and not work.eof:
        piece = work.decompress(b"", PIECE)
        if not piece and not work.eof:
            raise zlib.error("the compressed content is cut off")
        yield piece


def check_status(response: httpcore2.Response, content: bytes) -> None:
    status = response.status
    if OK <= status < REDIRECT:
        return
    reason = response.extensions["reason_phrase"].decode("ascii", "replace")
    said = f"HTTP {status} {shorten(reason)}".strip()
    if status < REFUSED and status not in REDIRECTS:
        raise DataError(f"{said}: neither an answer nor an error; check the address and the headers")
    if status < REFUSED:
        target = header(response, b"location").partition("?")[0]
        where = f" to {shorten(target)}" if target else ""
        raise DataError(f"{said}: redirected{where}; redirects are not followed, use the final address")
    said += f": {excerpt(content)}" if content.strip() else ""
    if status in PASSING or status >= BROKEN:
        raise TemporaryError(said, seconds_to_wait(header(response, b"retry-after")), status)
    raise HttpError(said, status)


def describe_failure(error: Exception) -> str:
    import httpcore2

    if isinstance(error, httpcore2.ConnectionNotAvailable):
        return "connection closed"
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return f"host not found: {cause.strerror}"
        if isinstance(cause, OSError):
            return f"connection failed: {cause.strerror or type(cause).__name__}"
        cause = cause.__cause__ or cause.__context__
    return f"invalid response: {shorten(str(error))}"


def seconds_to_wait(value: str) -> float | None:
    """The meaning of `Retry-After`: seconds, or a date."""
    if value.isascii() and value.strip().isdecimal():
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
