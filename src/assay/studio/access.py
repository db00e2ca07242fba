"""Who may reach the studio and who asks: people by a signed cookie, programs by a token; and what each may do.

A cookie holds a random id, the voter, when it was given and a mark of the voter's password then, signed with the
store's secret (HMAC-SHA256). Where people log in, it is worth nothing once the password is another one, and one that
was given without a password never is. A write with a cookie needs the token that goes with it in a header of its own,
which no other site can read (CSRF). A program sends `Authorization: Bearer TOKEN` and needs no cookie.

Before that, every request passes a guard: the host that it names, where it comes from, and its size. A page elsewhere
must not reach a studio on this machine: a name that another site made point here (DNS rebinding) is not among the
hosts, and a write from a page of another origin is refused. Every response forbids what the pages do not need.
"""

from __future__ import annotations

import base64
import hmac
import json
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping, MutableMapping
from dataclasses import dataclass
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from assay.core.errors import AssayError

if TYPE_CHECKING:
    from assay.studio.store.schema import StoredVoter
    from assay.studio.store.store import Store

    Scope = MutableMapping[str, Any]

COOKIE = "assay_studio"
CSRF_HEADER = "x-csrf-token"
BEARER = "bearer "
# Seconds that a cookie is good for.
LIFETIME = 30 * 24 * 3600
# Seconds that people and tokens are remembered, and how many of them.
REMEMBERED = 5.0
MOST_KNOWN = 10_000


# What every response says.
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
NO_STORE = (b"cache-control", b"no-store")
READING = {"GET", "HEAD", "OPTIONS"}
# Bytes of a request's body: of one, and of an import.
MOST_BYTES = 64 << 10
MOST_IMPORT = 64 << 20
IMPORT = "/api/import"
TOO_LARGE = "the request is larger than {:,} bytes"
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


class RefusedError(AssayError):
    """A request that is not allowed, with the HTTP status that says so."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.headers = dict(headers or {})


@dataclass(frozen=True, slots=True)
class BrowserSession:
    """What a cookie says: whose it is, if a name was given, and the mark of the password that they had."""

    id: str
    voter: str | None
    issued: float
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Requester:
    """Who sent a request: a voter in a browser, or a program; whether they may manage the studio."""

    voter: str | None
    application: str = ""
    is_admin: bool = False


class Access:
    """Signs and reads cookies, and knows what a request may do.

    Without `login`, as on loopback, a name is enough, and everybody may manage the studio.
    """

    def __init__(self, store: Store, *, login: bool, clock: Callable[[], float] = time.time) -> None:
        self.store, self.login, self.clock = store, login, clock
        self._secret = store.secret()
        self._known: dict[tuple[str, str], tuple[float, Any]] = {}

    def forget(self) -> None:
        """Forgets what was remembered of people and tokens, as after a change."""
        self._known.clear()

    def _remembered(self, kind: str, name: str, find: Callable[[str], Any]) -> Any:  # noqa: ANN401 - whatever is found
        """What the store says, remembered for some seconds; what it does not know is asked anew."""
        until, found = self._known.get((kind, name), (0.0, None))
        if self.clock() < until:
            return found
        found = find(name)
        if found is not None:
            if len(self._known) >= MOST_KNOWN:
                self.forget()
            self._known[kind, name] = (self.clock() + REMEMBERED, found)
        return found

    def voter(self, name: str) -> StoredVoter | None:
        """The voter of that name, as the store knew them some seconds ago at most."""
        found: StoredVoter | None = self._remembered("voter", name, self.store.voter)
        return found

    def new_session(self, voter: str | None = None) -> BrowserSession:
        known = None if voter is None else self.store.voter(voter)
        # Who logs in with a new password is not refused because of the old one.
        self._known.pop(("voter", voter or ""), None)
        return BrowserSession(secrets.token_urlsafe(16), voter, self.clock(), "" if known is None else known.mark)

    def seal(self, session: BrowserSession) -> str:
        content = json.dumps([session.id, session.voter, session.issued, session.mark]).encode()
        return f"{encoded(content)}.{encoded(self._sign(b'session', content))}"

    def open(self, cookie: str | None) -> BrowserSession | None:
        """The session in a cookie; None if there is none, it is old, or it was not signed here."""
        content, _, signature = (cookie or "").partition(".")
        try:
            body, signed = decoded(content), decoded(signature)
            if not hmac.compare_digest(signed, self._sign(b"session", body)):
                return None
            identity, voter, issued, mark = json.loads(body)
        except ValueError:
            return None
        is_fresh = 0 <= self.clock() - issued < LIFETIME
        return BrowserSession(identity, voter, issued, mark) if is_fresh else None

    def csrf(self, session: BrowserSession) -> str:
        return encoded(self._sign(b"csrf", session.id.encode()))

    @property
    def store_id(self) -> str:
        """What tells this store from any other, for what a browser keeps of it."""
        return encoded(self._sign(b"store", b""))[:16]

    def _sign(self, what: bytes, content: bytes) -> bytes:
        return hmac.digest(self._secret, what + b"\0" + content, sha256)

    def asker(self, headers: Mapping[str, str], session: BrowserSession | None) -> Requester:
        """Who sent a request; raises if a token is not known, or if nobody has logged in where that is needed."""
        if given := headers.get("authorization", ""):
            token = given[len(BEARER) :].strip() if given.lower().startswith(BEARER) else ""
            application = self._remembered("token", token, self.store.token_application) if token else None
            if application is None:
                raise RefusedError(401, "unknown token; make one with: assay studio admin new-token NAME")
            return Requester(None, application)
        voter = None if session is None else session.voter
        if not self.login:
            return Requester(voter, is_admin=True)
        known = None if voter is None else self.voter(voter)
        if session is None or known is None or not known.has_password or session.mark != known.mark:
            raise RefusedError(401, "log in first")
        return Requester(known.name, is_admin=known.is_admin)

    def check_write(self, headers: Mapping[str, str], session: BrowserSession | None) -> None:
        """Raises unless a write comes from a page of this studio, or from a program with a token."""
        if headers.get("authorization"):
            return
        given = headers.get(CSRF_HEADER, "")
        if session is None or not hmac.compare_digest(given.encode(), self.csrf(session).encode()):
            raise RefusedError(403, "the token of this page is missing or old; load the page again")

    def log_in(self, voter: str, password: str | None) -> None:
        """Raises unless this voter may vote under the name."""
        known = self.store.voter(voter)
        has_password = known is not None and known.has_password
        if not self.login and not has_password:
            if known is not None and known.kind != "person":
                raise RefusedError(403, f"{voter} is the name of a {known.kind}; choose another")
            return
        if not self.store.check_password(voter, password or ""):
            raise RefusedError(401, "the name or the password is wrong")


def encoded(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).decode().rstrip("=")


def decoded(text: str) -> bytes:
    return base64.b64decode(text.encode() + b"=" * (-len(text) % 4), altchars=b"-_", validate=True)


class Guard:
    """An ASGI application around another one; `hosts` are the names under which it may be reached."""

    def __init__(self, app: Any, hosts: Iterable[str]) -> None:  # noqa: ANN401 - an ASGI application
        self.app = app
        self.hosts = {name.lower() for name in hosts}

    async def __call__(self, scope: Scope, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
        request = GuardedRequest(scope["path"], receive, send)
        try:
            self.check(scope["method"], headers, request.most)
            await self.app(scope, request.receive, request.send)
        except RefusedError as error:
            await request.refuse(error)

    def check(self, method: str, headers: dict[str, str], most: int) -> None:
        """Raises for a host that is not ours, a write from another site, and an announced size that is too large."""
        host = headers.get("host", "").lower()
        if without_port(host) not in self.hosts:
            raise RefusedError(421, "this studio does not answer for that host; see assay studio --allow-host")
        origin = headers.get("origin")
        is_foreign = origin is not None and urlsplit(origin).netloc.lower() != host
        is_cross_site = headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}
        if method not in READING and (is_foreign or is_cross_site):
            raise RefusedError(403, "a page of another site may not write here")
        announced = headers.get("content-length", "0")
        if announced.isdigit() and int(announced) > most:
            raise RefusedError(413, TOO_LARGE.format(most))


def without_port(host: str) -> str:
    """A host without its port.

    >>> without_port("localhost:80"), without_port("[::1]:80"), without_port("example.org")
    ('localhost', '[::1]', 'example.org')
    """
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host


class GuardedRequest:
    """One request: its body is refused once it is too large, whatever size was announced; its response has HEADERS."""

    def __init__(self, path: str, receive: Any, send: Any) -> None:  # noqa: ANN401 - ASGI's
        self._receive, self._send = receive, send
        self.most = MOST_IMPORT if path == IMPORT else MOST_BYTES
        # What the API says is not kept by browsers.
        self._headers = (*HEADERS, NO_STORE) if path.startswith("/api") else HEADERS
        self._taken = 0
        self._is_refused = False

    async def receive(self) -> MutableMapping[str, Any]:
        """The next part; past the limit the request is refused, and the application is told that nobody listens."""
        message: MutableMapping[str, Any] = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken <= self.most:
            return message
        await self.refuse(RefusedError(413, TOO_LARGE.format(self.most)))
        return {"type": "http.disconnect"}

    async def send(self, message: MutableMapping[str, Any]) -> None:
        """Sends what the application says, unless the request was refused."""
        if self._is_refused:
            return
        if message["type"] == "http.response.start":
            known = {name.lower() for name, _ in message["headers"]}
            more = [(name, value) for name, value in self._headers if name not in known]
            message["headers"] = [*message["headers"], *more]
        await self._send(message)

    async def refuse(self, error: RefusedError) -> None:
        body = json.dumps({"error": str(error)}).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *((name.lower().encode(), value.encode()) for name, value in error.headers.items()),
        ]
        await self.send({"type": "http.response.start", "status": error.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": body})
        self._is_refused = True


class Rate:
    """So many per second for each name, and a burst of so many at once."""

    def __init__(
        self, per_second: float, burst: int, *, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_second, self.burst, self.most, self.clock = per_second, burst, most, clock
        # How much is left of what may come, and when that was.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, name: str) -> None:
        """Counts one; raises if that is too many."""
        now = self.clock()
        with self._lock:
            left, at = self._buckets.pop(name, (float(self.burst), now))
            left = min(float(self.burst), left + (now - at) * self.per_second)
            self._buckets[name] = (left - 1 if left >= 1 else left, now)
            while len(self._buckets) > self.most:
                self._buckets.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) / self.per_second)
            raise RefusedError(429, f"too many requests; try again in {wait} s", {"Retry-After": str(wait)})
