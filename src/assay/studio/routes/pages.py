"""The pages: a shell for each, filled by its module in `static/` with what the API says."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import jinja2
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from assay._kernel import __version__
from assay.studio.access import COOKIE, Access, RefusedError

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.studio.studio import Studio

router = APIRouter(include_in_schema=False)
# Each page with its address and its title.
PAGES = {
    "overview": ("/", "Overview"),
    "queries": ("/queries", "Queries"),
    "query": ("/queries/{query:path}", "Query"),
    "judge": ("/judge", "Judge"),
    "agreement": ("/agreement", "Agreement"),
    "search": ("/search", "Search"),
    "data": ("/data", "Data"),
}
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
FOLDERS = ("assay.studio", "assay.report")


@lru_cache(maxsize=1)
def templates() -> jinja2.Environment:
    """The templates, which escape whatever is put in."""
    return jinja2.Environment(
        loader=jinja2.PackageLoader("assay.studio"), autoescape=True, undefined=jinja2.StrictUndefined
    )


def page(request: Request, name: str, title: str) -> Response:
    """A page, or the way to log in."""
    studio: Studio = request.app.state.studio
    access: Access = request.app.state.access
    try:
        access.asker({}, access.open(request.cookies.get(COOKIE)))
    except RefusedError:
        address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(f"/login?next={quote(address, safe='')}", status_code=303)
    return filled(studio, name, title)


def filled(studio: Studio, name: str, title: str) -> HTMLResponse:
    """A template with what every page has."""
    known: dict[str, Any] = {
        "page": name,
        "heading": title,
        "title": studio.title,
        "has_search": studio.search is not None,
        "version": __version__,
    }
    return HTMLResponse(templates().get_template(f"{name}.html").render(known))


def shell(name: str, title: str) -> Callable[[Request], Response]:
    """What answers at the address of a page."""

    def show(request: Request) -> Response:
        return page(request, name, title)

    return show


for _name, (_address, _title) in PAGES.items():
    router.add_api_route(_address, shell(_name, _title), methods=["GET"], name=_name)


@router.get("/login")
def login(request: Request) -> Response:
    """Where people say who they are, where that needs a password."""
    return filled(request.app.state.studio, "login", "Log in")


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    """A module or the styles: the studio's own, or the report's."""
    found = read_static(name)
    if found is None:
        raise RefusedError(404, "there is no such file")
    content, kind = found
    return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})


@lru_cache(maxsize=64)
def read_static(name: str) -> tuple[bytes, str] | None:
    """A file that is part of assay, by its plain name; None for any other."""
    for folder in FOLDERS:
        for each in (files(folder) / "static").iterdir():
            ending = each.name[each.name.rfind(".") :]
            if each.name == name and ending in KINDS:
                return each.read_bytes(), KINDS[ending]
    return None
