"""A chart as a page of its own: the JavaScript is inside, and nothing is fetched."""

from __future__ import annotations

import base64
import hashlib
import json
from functools import cache
from html import escape
from typing import Any

# What a page uses of the library.
SNIPPET = "globalThis.vegaEmbed = vegaEmbed;"
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
<script type="module">%(library)s</script>
<script type="module">%(show)s</script>
</body>
</html>
"""


def page_of(spec: dict[str, Any], title: str, background: str) -> str:
    """The page that shows a chart."""
    library = chart_library()
    policy = f"{policy_of(library, SHOW)}; img-src data: blob:"
    parts = {"policy": policy, "title": escape(title), "background": background, "library": library, "show": SHOW}
    return PAGE % {**parts, "spec": json_in_html(spec)}


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed, out of the package that draws charts; bundling them takes seconds."""
    from assay.render.charts.chart import load_converter

    script: str = load_converter().javascript_bundle(SNIPPET)
    # A script element ends at the first such tag, wherever it is.
    return script.replace("</script", r"<\/script")


def policy_of(*scripts: str) -> str:
    """The Content-Security-Policy of a page that runs these scripts and fetches nothing.

    Vega sets widths and fonts on its elements; styles can load nothing here.
    """
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    allowed = " ".join(f"'sha256-{each}'" for each in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"


def json_in_html(plain: object) -> str:
    r"""JSON that can stand in a script element: no character in it can end the element.

    >>> json_in_html({"run": "</script>"})
    '{"run":"\\u003c/script\\u003e"}'
    """
    text = json.dumps(plain, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    return text.translate({ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
