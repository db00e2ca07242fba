"""`Chart`: a picture of results. One specification gives the page, the notebook, SVG, PNG and PDF.

The specification is Vega-Lite as a plain dict. Names from the data stand in it only as values, under fixed field names,
so that none can be taken for a field or an expression.
"""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError, FileError, PolicyError
from assay.core.text import printable, show
from assay.render.charts.png import compressed, size_of
from assay.render.charts.theme import config, find_theme
from assay.render.export import write_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import ModuleType

    import altair

MIME_TYPE = "application/vnd.vegalite.v6+json"
VEGA_LITE = "6.4"
# What a notebook shows is drawn at this scale, for screens with many pixels.
NOTEBOOK_SCALE = 2.0
LARGEST_SCALE = 20.0
DRAWN = {"svg": "vegalite_to_svg", "png": "vegalite_to_png", "pdf": "vegalite_to_pdf"}
ENDINGS = (*DRAWN, "html", "json")
# A chart has its data inside; whatever looks like an address in it is not fetched.
NO_ADDRESSES: list[str] = []


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
        try:
            import altair
        except ImportError:
            raise missing("altair") from None
        made: altair.TopLevelMixin = altair.Chart.from_dict(self.to_dict())
        return made

    def save(self, path: str | os.PathLike[str], *, theme: str = "light", scale: float = 2) -> None:
        """Writes the chart to a file, whole or not at all; its ending says how: .svg, .png, .pdf, .html or .json.

        `scale` is the number of pixels per unit in a PNG. A page works offline, with its scripts inside.
        """
        from assay.core.text import quoted
        from assay.files.replace import replaced, target_of

        ending = ending_of(path)
        content = self.draw(ending, theme=theme, scale=scale)
        try:
            with replaced(target_of(path)) as partial:
                partial.write_bytes(content)
        except OSError as error:
            raise FileError(f"{quoted(os.fsdecode(path))} cannot be written: {error.strerror or error}") from error

    def draw(self, ending: str, *, theme: str = "light", scale: float = 2) -> bytes:
        """What `save` writes to a file with this ending."""
        background = find_theme(theme).background
        spec = self.to_dict(theme)
        spec["config"]["background"] = background
        if ending == "json":
            return write_json(spec).encode()
        if ending == "html":
            from assay.render.charts.page import page_of

            return page_of(spec, self.title, background).encode()
        converter = load_converter()
        options: dict[str, Any] = {"vl_version": VEGA_LITE, "allowed_base_urls": NO_ADDRESSES}
        if ending == "png":
            options["scale"] = check_scale(scale)
        convert: Callable[..., str | bytes] = getattr(converter, DRAWN[ending])
        drawn = convert(spec, **options)
        if isinstance(drawn, str):
            return drawn.encode()
        return compressed(drawn) if ending == "png" else drawn

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> Any:  # noqa: ANN401, ARG002 - IPython's
        """What a notebook shows: the specification if it can, else a picture."""
        shown: dict[str, Any] = {MIME_TYPE: self.to_dict(), "text/plain": repr(self)}
        try:
            shown["image/png"] = self.draw("png", scale=NOTEBOOK_SCALE)
        except AssayError:
            return shown
        width, height = size_of(shown["image/png"])
        size = {"width": round(width / NOTEBOOK_SCALE), "height": round(height / NOTEBOOK_SCALE)}
        return shown, {"image/png": size}


def ending_of(path: str | os.PathLike[str]) -> str:
    """The ending of a file to write, which says in which form."""
    name = os.fsdecode(path)
    ending = Path(name).suffix.lower().removeprefix(".")
    if ending not in ENDINGS:
        known = ", ".join(f".{each}" for each in ENDINGS)
        raise PolicyError(f"cannot tell the format of {show(name)} from its ending; use one of {known}")
    return ending


def check_scale(scale: float) -> float:
    """The scale of a picture, if it can be one."""
    is_number = isinstance(scale, (int, float)) and not isinstance(scale, bool)
    if not is_number or not 0 < scale <= LARGEST_SCALE:
        raise PolicyError(f"scale must be a number above 0, at most {LARGEST_SCALE:g}, not {show(scale)}")
    return float(scale)


def load_converter() -> ModuleType:
    """The library that draws charts."""
    try:
        import vl_convert
    except ImportError:
        raise missing("vl-convert-python") from None
    module: ModuleType = vl_convert
    return module


def missing(package: str) -> AssayError:
    return AssayError(f'charts need the package {package}; install it with: pip install "assay[report]"')
