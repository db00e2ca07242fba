"""The web application: the addresses, the guard around them, and errors as sentences."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from assay._kernel import __version__
from assay.core.errors import AssayError
from assay.studio.access import LOCAL_NAMES, Access, Guard, Rate, RefusedError
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


def make_app(studio: Studio, *, login: bool = False, hosts: Iterable[str] = LOCAL_NAMES) -> Guard:
    """The application of a studio; `hosts` are the names under which it may be reached."""

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        # Votes that are pending are recorded.
        studio.close()

    app = FastAPI(
        title="assay studio",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        telemetry=NO_TELEMETRY,
    )
    app.state.studio = studio
    app.state.access = Access(studio.store, login=login)
    app.state.rates = {name: Rate(*rate) for name, rate in RATES.items()}
    app.state.is_closing = lambda: False
    responses: Any = ERRORS
    for router in API:
        app.include_router(router, prefix="/api", responses=responses)
    app.include_router(pages.router)
    app.add_exception_handler(AssayError, explain)
    app.add_exception_handler(RequestValidationError, explain_form)
    app.add_exception_handler(HTTPException, explain_status)
    describe(app, studio)
    return Guard(app, hosts)


def make_server(app: Guard, config: uvicorn.Config) -> uvicorn.Server:
    """A server whose open streams of changes end when it does."""
    server = uvicorn.Server(config)
    app.app.state.is_closing = lambda: server.should_exit
    return server


async def explain(_: Request, error: Exception) -> JSONResponse:
    if isinstance(error, RefusedError):
        return JSONResponse({"error": str(error)}, error.status, headers=error.headers)
    status = next((status for kind, status in STATUS.items() if isinstance(error, kind)), 400)
    return JSONResponse({"error": str(error)}, status)


async def explain_form(_: Request, error: Exception) -> JSONResponse:
    found = error.errors() if isinstance(error, RequestValidationError) else []
    said = "; ".join(f"{'.'.join(map(str, each['loc'][1:])) or 'the request'}: {each['msg']}" for each in found)
    return JSONResponse({"error": said or str(error)}, 422)


async def explain_status(request: Request, error: Exception) -> JSONResponse:
    """What the framework itself refuses."""
    if not isinstance(error, HTTPException):
        raise error
    words, headers = str(error.detail), error.headers
    if error.status_code == 404:  # noqa: PLR2004 - not found
        words = "there is no such address"
    elif error.status_code == 405:  # noqa: PLR2004 - wrong method
        words = "that cannot be done at this address"
        # The framework names only what the first route of an address does.
        described = request.app.openapi()["paths"].items()
        methods = [each for path, each in described if compile_path(path)[0].match(request.url.path)]
        allowed = ", ".join(sorted(method.upper() for each in methods for method in each))
        headers = {"Allow": allowed or "GET"}
    return JSONResponse({"error": words}, error.status_code, headers=headers)


def describe(app: FastAPI, studio: Studio) -> None:
    """Says in the OpenAPI description which grades this collection has."""
    schemas = app.openapi()["components"]["schemas"]
    for name in ("VoteIn", "DecisionIn"):
        number, *words = schemas[name]["properties"]["vote"]["anyOf"]
        grades = {"minimum": studio.grades[0], "maximum": studio.grades[-1]}
        schemas[name]["properties"]["vote"]["anyOf"] = [{**number, **grades}, *words]
