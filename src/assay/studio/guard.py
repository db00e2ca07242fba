"""What every request passes before anything is done: the host it names, where it comes from, its size, its rate.

A page elsewhere must not reach a studio on this machine: a name that another site made point here (DNS rebinding) is
not among the hosts, and a write from a page of another origin is refused. Every response forbids what the pages do not
need.
"""

from __future__ import annotations

import json
import math
import time
from collections import OrderedDict
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlsplit

from assay.studio.access import RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, MutableMapping

    Scope = MutableMapping[str, Any]

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = (
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=()"),
)
READING = {"GET", "HEAD", "OPTIONS"}
# Bytes of a request's body: of one, and of an import.
MOST_BYTES = 64 << 10
MOST_IMPORT = 64 << 20
IMPORT = "/api/import"
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Guard:
    """An ASGI application around another one."""

    def __init__(self, app: Any, hosts: Iterable[str]) -> None:  # noqa: ANN401 - an ASGI application
        self.app = app
        self.hosts = {name.lower() for name in hosts}

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        """Handles one connection."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        respond = with_headers(send, is_api=scope["path"].startswith("/api"))
        body = Body(receive, respond, MOST_IMPORT if scope["path"] == IMPORT else MOST_BYTES)
        try:
            self.check(scope, headers)
            body.check(headers)
            await self.app(scope, body.receive, body.send)
        except RefusedError as error:
            await refuse(respond, error)

    def check(self, scope: Scope, headers: dict[str, str]) -> None:
        """Raises for a host that is not ours, and for a write from another site."""
        host = headers.get("host", "").lower()
        if without_port(host) not in self.hosts:
            raise RefusedError(421, "this studio does not answer for that host; see assay studio --allow-host")
        if scope["method"] in READING:
            return
        origin = headers.get("origin")
        if origin is not None and urlsplit(origin).netloc.lower() != host:
            raise RefusedError(403, "a page of another site may not write here")
        if headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}:
            raise RefusedError(403, "a page of another site may not write here")


def without_port(host: str) -> str:
    """A host without its port.

    >>> without_port("localhost:80"), without_port("[::1]:80"), without_port("example.org")
    ('localhost', '[::1]', 'example.org')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


def with_headers(send: Any, *, is_api: bool) -> Any:  # noqa: ANN401 - ASGI's
    """`send`, with the headers that every response has; what the API says is not kept by browsers."""

    async def respond(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            known = {name.lower() for name, _ in message["headers"]}
            more = [(name, value) for name, value in HEADERS if name not in known]
            if is_api and b"cache-control" not in known:
                more.append((b"cache-control", b"no-store"))
            message["headers"] = [*message["headers"], *more]
        await send(message)

    return respond


class Body:
    """The body of a request, which is refused once it is too large, whatever size was announced."""

    def __init__(self, receive: Any, send: Any, most: int) -> None:  # noqa: ANN401 - ASGI's
        self._receive, self._send, self._most = receive, send, most
        self._taken = 0
        self._is_refused = False

    def check(self, headers: dict[str, str]) -> None:
        """Raises if the size that is announced is too large."""
        announced = headers.get("content-length", "0")
        if announced.isdigit() and int(announced) > self._most:
            raise too_large(self._most)

    async def receive(self) -> MutableMapping[str, Any]:
        """The next part; past the limit the request is refused, and the application is told that nobody listens."""
        message: MutableMapping[str, Any] = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken <= self._most:
            return message
        if not self._is_refused:
            self._is_refused = True
            await refuse(self._send, too_large(self._most))
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Sends what the application says, unless the request was refused."""
        if not self._is_refused:
            await self._send(message)


def too_large(most: int) -> RefusedError:
    return RefusedError(413, f"the request is larger than {most:,} bytes")


async def refuse(send: Any, error: RefusedError) -> None:  # noqa: ANN401 - ASGI's
    """Sends an error."""
    body = json.dumps({"error": str(error)}).encode()
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
        *((name.lower().encode(), value.encode()) for name, value in error.headers.items()),
    ]
    await send({"type": "http.response.start", "status": error.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


class Bucket(NamedTuple):
    """How much is left of what may come, and when that was."""

    left: float
    at: float


class Rate:
    """So many per second for each name, and a burst of so many at once."""

    def __init__(
        self, per_second: float, burst: int, *, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second, self.burst, self.most, self.clock = per_second, burst, most, clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._lock = Lock()

    def take(self, name: str) -> None:
        """Counts one; raises if that is too many."""
        now = self.clock()
        with self._lock:
            bucket = self._buckets.pop(name, Bucket(float(self.burst), now))
            left = min(float(self.burst), bucket.left + (now - bucket.at) * self.per_second)
            self._buckets[name] = Bucket(left - 1 if left >= 1 else left, now)
            while len(self._buckets) > self.most:
                self._buckets.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) / self.per_second)
            raise RefusedError(429, f"too many requests; try again in {wait} s", {"Retry-After": str(wait)})
