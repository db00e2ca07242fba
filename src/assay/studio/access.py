"""Who may reach the studio and who asks: people by a signed cookie, programs by a token; and what each may do.

A cookie holds a random id, the voter, when it was given and a mark of the voter's password then, signed with the
store's secret (HMAC-SHA256). Where people log in, it is worth nothing once the password is another one, and one that
was given without a password never is. A write with a cookie needs the token that goes with it in a header of its own,
which no other site can read (CSRF). A program sends `Authorization: Bearer TOKEN` and needs no cookie.
"""

from __future__ import annotations

import hmac
import json
import math
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import AssayError

if TYPE_CHECKING:
    from assay.studio.store.schema import StoredVoter
    from assay.studio.store.store import Store

COOKIE = "assay_studio"
CSRF_HEADER = "x-csrf-token"
BEARER = "bearer "
# Seconds that a cookie is good for.
LIFETIME = 30 * 24 * 3600
# Seconds that people and tokens are remembered, and how many names at most.
REMEMBERED = 5.0
MOST_KNOWN = 10_000
LOCAL_NAMES = ("localhost", "127.0.0.1", "[::1]")


class RefusedError(AssayError):
    """A request that is not allowed, with the HTTP status that says so."""

    def __init__(self, status: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status, self.headers = status, dict(headers or {})


class BrowserSession(NamedTuple):
    """What a cookie says: whose it is, if a name was given, and the mark of the password that they had."""

    id: str
    voter: str | None
    issued: float
    mark: str


class Requester(NamedTuple):
    """Who sent a request: a voter in a browser, or a program; whether they may manage the studio."""

    voter: str | None
    application: str = ""
    is_admin: bool = False


class Access:
    """Signs and reads cookies, and knows what a request may do; without `login`, everybody may manage the studio."""

    def __init__(self, store: Store, *, login: bool) -> None:
        self.store, self.login = store, login
        self._secret = store.secret()
        # What tells this store from any other, for what a browser keeps of it.
        self.store_id = self._sign("store", b"")[:16]
        self._known: dict[tuple[str, str], tuple[float, Any]] = {}

    def forget(self) -> None:
        """Forgets what was remembered of people and tokens, as after a change."""
        self._known.clear()

    def _remembered(self, kind: str, name: str, find: Callable[[str], Any]) -> Any:  # noqa: ANN401 - whatever is found
        """What the store says, remembered for some seconds; what it does not know is looked up again."""
        until, found = self._known.get((kind, name), (0.0, None))
        if time.time() < until:
            return found
        found = find(name)
        if found is not None:
            if len(self._known) >= MOST_KNOWN:
                self.forget()
            self._known[kind, name] = (time.time() + REMEMBERED, found)
        return found

    def voter(self, name: str) -> StoredVoter | None:
        """The voter of that name, as the store knew them some seconds ago at most."""
        found: StoredVoter | None = self._remembered("voter", name, self.store.voter)
        return found

    def new_session(self, voter: str | None = None) -> BrowserSession:
        known = None if voter is None else self.store.voter(voter)
        # Who logs in with a new password is not refused because of the old one.
        self._known.pop(("voter", voter or ""), None)
        return BrowserSession(secrets.token_urlsafe(16), voter, time.time(), "" if known is None else known.mark)

    def seal(self, session: BrowserSession) -> str:
        content = json.dumps(session).encode()
        return f"{content.hex()}.{self._sign('session', content)}"

    def open(self, cookie: str | None) -> BrowserSession | None:
        """The session in a cookie; None if there is none, it is old, or it was not signed here."""
        content, _, signature = (cookie or "").partition(".")
        try:
            body = bytes.fromhex(content)
            if not hmac.compare_digest(signature.encode(), self._sign("session", body).encode()):
                return None
            session = BrowserSession(*json.loads(body))
        except (ValueError, TypeError):
            return None
        return session if 0 <= time.time() - session.issued < LIFETIME else None

    def csrf(self, session: BrowserSession) -> str:
        return self._sign("csrf", session.id.encode())

    def _sign(self, what: str, content: bytes) -> str:
        return hmac.digest(self._secret, what.encode() + b"\0" + content, sha256).hex()

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


class Rate:
    """So many per second for each name, and a burst of so many at once."""

    def __init__(self, per_second: float, burst: int) -> None:
        self.per_second, self.burst = per_second, burst
        # How much is left of what may come, and when that was.
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def take(self, name: str) -> None:
        """Counts one; raises if that is too many."""
        now = time.monotonic()
        with self._lock:
            left, at = self._buckets.pop(name, (float(self.burst), now))
            left = min(float(self.burst), left + (now - at) * self.per_second)
            self._buckets[name] = (left - 1 if left >= 1 else left, now)
            while len(self._buckets) > MOST_KNOWN:
                self._buckets.popitem(last=False)
        if left < 1:
            wait = math.ceil((1 - left) / self.per_second)
            raise RefusedError(429, f"too many requests; try again in {wait} s", {"Retry-After": str(wait)})
