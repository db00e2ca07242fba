"""The file: one HTML page with its data, its scripts and its styles, which asks the network for nothing.

The page's own policy (Content-Security-Policy) allows the two scripts in it by their hashes, and nothing else: no other
script, no request, no image, no form. Texts from the data are inside compressed JSON and reach the page as text.

The modules in `static/` are plain ES modules, which import each other by name where they are served as files. In a page
that is one file, each becomes a function that returns what it exports, in the order of their imports.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

from assay.core.errors import FormatError
from assay.core.text import quoted
from assay.data.run import START
from assay.render.charts.chart import chart_library, policy_of
from assay.results.result import Result
from assay.results.stored import pack, stored_content

ENDINGS = (".html", ".htm")
IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)


class Content(NamedTuple):
    """What a report shows: `core` as JSON has it, the results of the runs, and named parts, unpacked when needed."""

    core: Mapping[str, Any]
    results: Mapping[str, Result]
    parts: Iterable[tuple[str, object]] = ()


def write_page(content: Content, path: str | os.PathLike[str]) -> None:
    """Writes a report, the same bytes for the same content; an existing file stays until the new one is complete."""
    from assay.data.write import open_replacement
    from assay.files.replace import target_of

    target = target_of(check_name(path))
    parts = [pack("report", compact(content.core))]
    parts += [pack(f"result-{number}", stored_content(each)) for number, each in enumerate(content.results.values())]
    parts += [pack(name, compact(each)) for name, each in content.parts]
    library, script = chart_library(), joined_modules("report")
    shown = {"styles": static("report.css"), "parts": "".join(parts), "library": library, "script": script}
    page = static("report.html").format(start=START.decode(), policy=policy_of(library, script), **shown)
    with open_replacement(target) as file:
        file.write(page.encode())


def check_name(path: str | os.PathLike[str]) -> str | os.PathLike[str]:
    """The path of a report to write, whose name must say that it is a page."""
    if not os.fsdecode(path).lower().endswith(ENDINGS):
        raise FormatError(f"a report is an HTML page; the name of {quoted(path)} must end in .html")
    return path


def compact(value: object) -> bytes:
    """Compact JSON; a lone surrogate, which is not valid Unicode, becomes a question mark."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode(errors="replace")


def static(name: str) -> str:
    return (files("assay.report") / "static" / name).read_text(encoding="utf-8")


@lru_cache(maxsize=8)
def joined_modules(entry: str) -> str:
    """A module and all that it imports, as one script."""
    order: list[str] = []

    def visit(name: str) -> None:
        for _, imported in IMPORT.findall(static(f"{name}.js")):
            visit(imported)
        if name not in order:
            order.append(name)

    visit(entry)
    return "\n".join(map(wrapped, order))


def wrapped(name: str) -> str:
    """A module as a function that is called at once; what it exports is in a constant of its name."""
    text = static(f"{name}.js")
    names = ", ".join(exported for _, exported in EXPORT.findall(text))
    body = EXPORT.sub(r"\1 \2", IMPORT.sub(r"const \1 = \2Module;", text))
    return f"const {name}Module = (() => {{\n{body}\nreturn {{ {names} }};\n}})();\n"
