"""The pages: a shell for each, filled by its module in `static/` with what the API says."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple
from urllib.parse import quote

import jinja2
from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response

from assay._kernel import __version__
from assay.studio.access import COOKIE, Access, RefusedError
from assay.studio.studio import Studio

router = APIRouter(include_in_schema=False)


class Page(NamedTuple):
    """A page: its address, its title, its module if that has another name, and whether the header leads to it."""

    address: str
    title: str
    module: str = ""
    is_listed: bool = True


PAGES = {
    "overview": Page("/", "Overview"),
    "queries": Page("/queries", "Queries", "browse"),
    "query": Page("/queries/{query:path}", "Query", is_listed=False),
    "judge": Page("/judge", "Judge"),
    "agreement": Page("/agreement", "Agreement"),
    "search": Page("/search", "Search"),
    "data": Page("/data", "Data"),
    "login": Page("/login", "Log in", is_listed=False),
}
KINDS = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
FOLDERS = ("assay.studio", "assay.report")


@lru_cache(maxsize=1)
def template() -> jinja2.Template:
    """What all pages are made of; it escapes whatever is put in."""
    loader = jinja2.PackageLoader("assay.studio")
    pages = jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined)
    return pages.get_template("page.html")


def shell(name: str) -> Callable[[Request], Response]:
    """What answers at the address of a page: the page, or the way to log in."""

    def show(request: Request) -> Response:
        studio: Studio = request.app.state.studio
        access: Access = request.app.state.access
        try:
            if name != "login":
                access.asker({}, access.open(request.cookies.get(COOKIE)))
        except RefusedError:
            address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            return RedirectResponse(f"/login?next={quote(address, safe='')}", status_code=303)
        listed = {each: page for each, page in PAGES.items() if page.is_listed and (each != "search" or studio.search)}
        known: dict[str, Any] = {"name": name, "page": PAGES[name], "listed": {} if name == "login" else listed}
        return HTMLResponse(template().render(known, title=studio.title, version=__version__))

    return show


for _name, _page in PAGES.items():
    router.add_api_route(_page.address, shell(_name), methods=["GET"], name=_name)


@router.get("/static/{name}")
def static_file(name: str) -> Response:
    """A module or the styles: the studio's own, or the report's."""
    if name not in static_files():
        raise RefusedError(404, "there is no such file")
    content, kind = static_files()[name]
    return Response(content, media_type=kind, headers={"Cache-Control": "no-cache"})


@lru_cache(maxsize=1)
def static_files() -> dict[str, tuple[bytes, str]]:
    """The files that are part of assay, by their plain names, with their types."""
    every = [each for folder in FOLDERS for each in (files(folder) / "static").iterdir()]
    known = [(each, each.name[each.name.rfind(".") :]) for each in every[::-1]]
    return {each.name: (each.read_bytes(), KINDS[ending]) for each, ending in known if ending in KINDS}
