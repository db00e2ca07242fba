"""What a page of ours needs besides its data and Vega: our own modules, joined into one, and the styles.

The modules in `static/` are plain ES modules, which import each other by name where they are served as files. In a page
that is one file, each becomes a function that returns what it exports, in the order of their imports.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files

IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./([a-z]+)\.js";$', re.MULTILINE)
EXPORT = re.compile(r"^export ((?:async )?function|class|const) (\w+)", re.MULTILINE)


def static(name: str) -> str:
    """A file of ours."""
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
