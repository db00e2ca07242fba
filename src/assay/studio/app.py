"""The web application: the addresses, the guard around them, and errors as sentences.

Every request passes the guard: the host that it names, where it comes from, and its size. A page elsewhere must not
reach a studio on this machine: a name that another site made point here (DNS rebinding) is not among the hosts, and a
write from a page of another origin is refused. Every response forbids what the pages do not need.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.routing import compile_path
from starlette.types import Message, Receive, Scope, Send

from assay._kernel import __version__
from assay.core.errors import AssayError
from assay.studio.access import LOCAL_NAMES, Access, Rate, RefusedError
from assay.studio.collection import UnknownError
from assay.studio.routes import judging, managing, pages, scores
from assay.studio.routes.asking import ERRORS
from assay.studio.store.schema import KeyConflictError, StoreError
from assay.studio.studio import Studio

# Requests per second, and at once: of one program, of one voter, and logins from one address.
RATES = {"application": (2000.0, 4000), "voter": (20.0, 200), "login": (0.5, 10)}
NO_TELEMETRY: Any = dict.fromkeys(("tracing", "metrics", "logs", "operation_spans", "auto_configure"), False)
# A store that cannot be written may soon be; whoever sent a vote keeps it and tries again.
STATUS = {KeyConflictError: 409, UnknownError: 404, StoreError: 503}
API = (managing.session, scores.router, judging.router, managing.router)
DESCRIPTION = (
    "Everything that the pages of the studio do. A program sends `Authorization: Bearer TOKEN`; a page sends its "
    "cookie and, to write, the header X-CSRF-Token."
)

# What every response says.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), microphone=(), geolocation=()",
}
READING = {"GET", "HEAD", "OPTIONS"}
# Bytes of a request's body: of one, and of an import.
MOST_BYTES = 64 << 10
MOST_IMPORT = 64 << 20
TOO_LARGE = "the request is larger than {:,} bytes"


def make_app(studio: Studio, *, login: bool = False, hosts: Iterable[str] = LOCAL_NAMES) -> Guard:
    """The application of a studio; `hosts` are the names under which it may be reached."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        # Votes that are pending are recorded.
        studio.close()

    addresses: Any = {"docs_url": None, "redoc_url": None, "openapi_url": "/api/openapi.json"}
    about: Any = {"title": "assay studio", "version": __version__, "description": DESCRIPTION}
    app = FastAPI(**about, **addresses, lifespan=lifespan, telemetry=NO_TELEMETRY)
    app.state.studio = studio
    app.state.access = Access(studio.store, login=login)
    app.state.rates = {name: Rate(*rate) for name, rate in RATES.items()}
    app.state.is_closing = lambda: False
    for router in API:
        app.include_router(router, prefix="/api", responses=ERRORS)
    app.include_router(pages.router)
    app.add_exception_handler(AssayError, explain)
    app.add_exception_handler(RequestValidationError, explain_form)
    app.add_exception_handler(HTTPException, explain_status)
    describe(app, studio)
    return Guard(app, hosts)


class Guard:
    """An ASGI application around another one; `hosts` are the names under which it may be reached."""

    def __init__(self, app: Any, hosts: Iterable[str]) -> None:  # noqa: ANN401 - an ASGI application
        self.app = app
        self.hosts = {name.lower() for name in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        if scope["type"] != "http":
            return
        request = GuardedRequest(scope, receive, send)
        try:
            self.check(scope["method"], Headers(scope=scope), request.most)
            await self.app(scope, request.receive, request.send)
        except RefusedError as error:
            await request.refuse(error)

    def check(self, method: str, headers: Headers, most: int) -> None:
        """Raises for a host that is not ours, a write from another site, and an announced size that is too large."""
        host = headers.get("host", "").lower()
        name, colon, port = host.rpartition(":")
        if (name if colon and port.isdigit() else host) not in self.hosts:
            raise RefusedError(421, "this studio does not answer for that host; see assay studio --allow-host")
        origin = headers.get("origin")
        is_foreign = origin is not None and urlsplit(origin).netloc.lower() != host
        is_cross_site = headers.get("sec-fetch-site", "same-origin") not in {"same-origin", "none"}
        if method not in READING and (is_foreign or is_cross_site):
            raise RefusedError(403, "a page of another site may not write here")
        announced = headers.get("content-length", "0")
        if announced.isdigit() and int(announced) > most:
            raise RefusedError(413, TOO_LARGE.format(most))


def make_server(app: Guard, config: uvicorn.Config) -> uvicorn.Server:
    """A server whose open streams of changes end when it does."""
    server = uvicorn.Server(config)
    app.app.state.is_closing = lambda: server.should_exit
    return server


class GuardedRequest:
    """One request: its body is refused once it is too large, whatever size was announced; its response has HEADERS."""

    def __init__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self.scope, self._receive, self._send = scope, receive, send
        self.most = MOST_IMPORT if scope["path"] == "/api/import" else MOST_BYTES
        self._taken, self._is_refused = 0, False

    async def receive(self) -> Message:
        """The next part; past the limit the request is refused, and the application is told that nobody listens."""
        message = await self._receive()
        self._taken += len(message.get("body", b""))
        if self._taken <= self.most:
            return message
        await self.refuse(RefusedError(413, TOO_LARGE.format(self.most)))
        return {"type": "http.disconnect"}

    async def send(self, message: Message) -> None:
        """Sends what the application says, unless the request was refused."""
        if self._is_refused:
            return
        if message["type"] == "http.response.start":
            # What the API says is not kept by browsers.
            more = {"cache-control": "no-store"} if self.scope["path"].startswith("/api") else {}
            for name, value in (HEADERS | more).items():
                MutableHeaders(scope=message).setdefault(name, value)
        await self._send(message)

    async def refuse(self, error: RefusedError) -> None:
        response = JSONResponse({"error": str(error)}, error.status, {"connection": "close", **error.headers})
        await response(self.scope, self._receive, self.send)
        self._is_refused = True


async def explain(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, RefusedError):
        return JSONResponse({"error": str(error)}, error.status, headers=error.headers)
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 400)
    return JSONResponse({"error": str(error)}, status)


async def explain_form(_: Request, error: Any) -> JSONResponse:  # noqa: ANN401 - a RequestValidationError
    parts = [f"{'.'.join(map(str, each['loc'][1:])) or 'the request'}: {each['msg']}" for each in error.errors()]
    return JSONResponse({"error": "; ".join(parts)}, 422)


async def explain_status(request: Request, error: Any) -> JSONResponse:  # noqa: ANN401 - an HTTPException
    """What the framework itself refuses."""
    words, headers = str(error.detail), error.headers
    if error.status_code == 404:  # noqa: PLR2004 - not found
        words = "there is no such address"
    elif error.status_code == 405:  # noqa: PLR2004 - wrong method
        words = "that cannot be done at this address"
        # The framework names only what the first route of an address does.
        described = request.app.openapi()["paths"].items()
        methods = [each for path, each in described if compile_path(path)[0].match(request.url.path)]
        headers = {"Allow": ", ".join(sorted(method.upper() for each in methods for method in each)) or "GET"}
    return JSONResponse({"error": words}, error.status_code, headers=headers)


def describe(app: FastAPI, studio: Studio) -> None:
    """Says in the OpenAPI description which grades this collection has."""
    schemas = app.openapi()["components"]["schemas"]
    for name in ("VoteIn", "DecisionIn"):
        number, *words = schemas[name]["properties"]["vote"]["anyOf"]
        grades = {"minimum": studio.grades[0], "maximum": studio.grades[-1]}
        schemas[name]["properties"]["vote"]["anyOf"] = [{**number, **grades}, *words]
