"""`Chart`: a picture of results. One specification gives the page, the notebook, SVG, PNG and PDF.

The specification is Vega-Lite as a plain dict. Names from the data stand in it only as values, under fixed field names,
so that none can be taken for a field or an expression. A page has the JavaScript inside, and nothing is fetched.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import struct
import zlib
from collections.abc import Mapping
from copy import deepcopy
from functools import cache
from html import escape
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from textwrap import wrap
from types import ModuleType
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError, PolicyError
from assay.core.text import printable, show
from assay.render.charts.parts import WIDTH, Spec, config, find_theme
from assay.render.export import write_json

if TYPE_CHECKING:
    import altair

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
MIME_TYPE = "application/vnd.vegalite.v6+json"
VEGA_LITE = "6.4"
# The average width of a character in a caption.
CHARACTER = 5.6
# What a notebook shows is drawn at this scale, for screens with many pixels.
NOTEBOOK_SCALE = 2.0
LARGEST_SCALE = 20.0
DRAWN = {"svg": "vegalite_to_svg", "png": "vegalite_to_png", "pdf": "vegalite_to_pdf"}
ENDINGS = (*DRAWN, "html", "json")
PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
PNG_PIXELS = b"IDAT"
# What a page uses of the library.
SNIPPET = "globalThis.vegaEmbed = vegaEmbed;"
# `ast` has Vega interpret its expressions, where it would compile them to functions.
SHOW = """\
const spec = JSON.parse(document.getElementById("spec").textContent);
vegaEmbed("#chart", spec, {actions: {export: true, source: false, compiled: false, editor: false}, ast: true});
"""


class Chart:
    """A chart. It shows itself in a notebook; `save` writes it as SVG, PNG, PDF, a page or its specification.

    `spec` is its Vega-Lite specification without a theme, to change or to embed; `title` and `caption` are its words.

    >>> import assay
    >>> result = assay.evaluate({"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "b"]}, ["rr", "ap"])
    >>> chart = result.plot()
    >>> chart
    <Chart: Means with 95 % intervals>
    >>> [(row["measure"], row["mean"]) for row in chart.spec["data"]["values"]]
    [('rr', 0.75), ('ap', 0.75)]
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self.spec = spec

    def __repr__(self) -> str:
        return printable(f"<Chart: {self.title}>")

    @property
    def title(self) -> str:
        """What is shown."""
        return str(self.spec["title"]["text"])

    @property
    def caption(self) -> str:
        """How many queries there are, and how to read the chart."""
        return " ".join(self.spec["title"].get("subtitle", ()))

    def to_dict(self, theme: str = "light") -> dict[str, Any]:
        """The whole Vega-Lite specification in a theme, `"light"` or `"dark"`, on a transparent background."""
        return {**deepcopy(self.spec), "config": config(theme)}

    def to_altair(self) -> altair.TopLevelMixin:
        """The chart as an object of Altair, to be changed there."""
        made: altair.TopLevelMixin = load("altair", "altair").Chart.from_dict(self.to_dict())
        return made

    def save(self, path: str | os.PathLike[str], *, theme: str = "light", scale: float = 2) -> None:
        """Writes the chart atomically; the ending says the format: .svg, .png, .pdf, .html or .json.

        `scale` is the number of pixels per unit in a PNG. A page works offline, with its scripts inside.
        """
        from assay.data.write import open_replacement
        from assay.files.replace import target_of

        content = self.draw(ending_of(path), theme=theme, scale=scale)
        with open_replacement(target_of(path)) as file:
            file.write(content)

    def draw(self, ending: str, *, theme: str = "light", scale: float = 2) -> bytes:
        """What `save` writes to a file with this ending."""
        spec = self.to_dict(theme)
        spec["config"]["background"] = background = find_theme(theme).background
        if ending == "json":
            return write_json(spec).encode()
        if ending == "html":
            library = chart_library()
            plain = json.dumps(spec, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
            # No character of the JSON can end the element that it stands in.
            safe = plain.translate({ord(character): f"\\u{ord(character):04x}" for character in "<>&\u2028\u2029"})
            policy = f"{policy_of(library, SHOW)}; img-src data: blob:"
            parts = {"policy": policy, "title": escape(self.title), "background": background, "spec": safe}
            page = (files("assay.render.charts") / "page.html").read_text(encoding="utf-8")
            return (page % {**parts, "library": library, "show": SHOW}).encode()
        # A chart has its data inside; whatever looks like an address in it is not fetched.
        options: dict[str, Any] = {"vl_version": VEGA_LITE, "allowed_base_urls": []}
        if ending == "png":
            options["scale"] = check_scale(scale)
        drawn: str | bytes = getattr(load_converter(), DRAWN[ending])(spec, **options)
        if isinstance(drawn, str):
            return drawn.encode()
        return compress_png(drawn) if ending == "png" else drawn

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:  # noqa: ANN401, ARG002 - IPython's
        """What a notebook shows: the specification if it can, else a picture."""
        shown: dict[str, Any] = {MIME_TYPE: self.to_dict(), "text/plain": repr(self)}
        try:
            shown["image/png"] = self.draw("png", scale=NOTEBOOK_SCALE)
        except AssayError:
            return shown
        width, height = struct.unpack_from(">II", shown["image/png"], 16)
        size = {"width": round(width / NOTEBOOK_SCALE), "height": round(height / NOTEBOOK_SCALE)}
        return shown, {"image/png": size}


def chart(title: str, caption: str, body: Mapping[str, Any], *, width: float = WIDTH) -> Chart:
    """A chart of these parts; the caption is broken into lines as wide as the chart."""
    lines = wrap(printable(caption), max(40, int(width / CHARACTER)))
    heading: Spec = {"text": printable(title), **({"subtitle": lines} if lines else {})}
    return Chart({"$schema": SCHEMA, "title": heading, **body})


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending of a file to write, which says in which form."""
    name = os.fsdecode(path)
    ending = Path(name).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        known = ", ".join(f".{each}" for each in ENDINGS)
        raise PolicyError(f"cannot tell the format of {show(name)} from its ending; use one of {known}")
    return ending


def check_scale(scale: float) -> float:
    is_number = isinstance(scale, (int, float)) and not isinstance(scale, bool)
    if not is_number or not 0 < scale <= LARGEST_SCALE:
        raise PolicyError(f"scale must be a number above 0, at most {LARGEST_SCALE:g}, not {show(scale)}")
    return float(scale)


def load_converter() -> ModuleType:
    return load("vl_convert", "vl-convert-python")


def load(module: str, package: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError:
        raise AssayError(f'charts need the package {package}; install it with: pip install "assay[report]"') from None


def compress_png(picture: bytes) -> bytes:
    """The same pixels in fewer bytes (https://www.w3.org/TR/png-3/): the library that draws them compresses badly."""
    chunks, place = [], len(PNG_SIGNATURE)
    while place < len(picture):
        end = place + struct.unpack_from(">I", picture, place)[0] + 12
        chunks.append(picture[place:end])
        place = end
    # Those with pixels stand one after another.
    pixels = [number for number, chunk in enumerate(chunks) if chunk[4:8] == PNG_PIXELS]
    packed = b"".join(chunks[number][8:-4] for number in pixels)
    body = PNG_PIXELS + zlib.compress(zlib.decompress(packed), 9)
    chunk = struct.pack(">I", len(body) - 4) + body + struct.pack(">I", zlib.crc32(body))
    return b"".join([PNG_SIGNATURE, *chunks[: pixels[0]], chunk, *chunks[pixels[-1] + 1 :]])


@cache
def chart_library() -> str:
    """Vega, Vega-Lite and Vega-Embed, out of the package that draws charts; bundling them takes seconds."""
    script: str = load_converter().javascript_bundle(SNIPPET)
    # A script element ends at the first such tag, wherever it is.
    return script.replace("</script", r"<\/script")


def policy_of(*scripts: str) -> str:
    """The Content-Security-Policy of a page that runs these scripts and fetches nothing; styles can load nothing."""
    digests = [base64.b64encode(hashlib.sha256(each.encode()).digest()).decode() for each in scripts]
    allowed = " ".join(f"'sha256-{each}'" for each in digests)
    return f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
