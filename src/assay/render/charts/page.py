"""A chart as a page of its own: the JavaScript is inside, and nothing is fetched."""

from __future__ import annotations

import json
from functools import cache
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from types import ModuleType

# The page may run its own scripts and styles, and fetch nothing.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"
# `ast` has Vega interpret its expressions, where it would compile them to functions.
SHOW = """\
const spec = JSON.parse(document.getElementById("spec").textContent);
vegaEmbed("#chart", spec, {actions: {export: true, source: false, compiled: false, editor: false}, ast: true});
"""
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="%(policy)s">
<title>%(title)s</title>
<style>body { margin: 16px; background: %(background)s; }</style>
</head>
<body>
<div id="chart"></div>
<script type="application/json" id="spec">%(spec)s</script>
<script>%(script)s</script>
</body>
</html>
"""


def page_of(spec: dict[str, Any], title: str, background: str, converter: ModuleType) -> str:
    """The page that shows a chart, with the JavaScript that the converter has."""
    parts = {"policy": POLICY, "title": escape(title), "background": background}
    return PAGE % {**parts, "spec": json_in_html(spec), "script": script_of(converter)}


@cache
def script_of(converter: ModuleType) -> str:
    """Vega, Vega-Lite and Vega-Embed, and the lines that show the chart; bundling them takes seconds."""
    script: str = converter.javascript_bundle(SHOW)
    return script.replace("</script", r"<\/script")


def json_in_html(plain: object) -> str:
    r"""JSON that can stand in a script element: no character in it can end the element.

    >>> json_in_html({"run": "</script>"})
    '{"run":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate({ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
