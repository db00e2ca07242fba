"""Reports, which have the stored result of each run inside their HTML.

The data of a page are named parts of JSON, compressed, in elements that no browser runs.
"""

from __future__ import annotations

import os
import re

from assay.core.errors import DataError, FormatError
from assay.core.json_text import decode_finite_json
from assay.core.limits import LIMITS, refuse, size
from assay.core.text import show
from assay.data.run import SEPARATOR, START, split_report
from assay.files.source import open_source

PART = re.compile(rb'<script type="application/gzip" id="part-([a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>')
LEVEL = 6


def pack(name: str, content: bytes) -> str:
    """A part as HTML; the same content gives the same text."""
    import base64
    import gzip

    packed = base64.b64encode(gzip.compress(content, LEVEL, mtime=0)).decode("ascii")
    return f'<script type="application/gzip" id="part-{name}">{packed}</script>\n'


def embedded_result(path: str | os.PathLike[str]) -> bytes:
    """The stored result of a run in a report; the only one, or the one that is named after its path."""
    file, run = split_report(path)
    page = read_page(path)
    names = run_names(page)
    if run is None and len(names) == 1:
        run = names[0]
    if run is None or run not in names:
        wrong = "name one of its runs" if run is None else f"it has no run {show(run)}"
        ways = ", ".join(f"{file}{SEPARATOR}{name}" for name in names[:3])
        raise DataError(f"{file} is a report on {len(names)} runs; {wrong}: {ways}{' …' if len(names) > 3 else ''}")  # noqa: PLR2004
    return unpack(page, f"result-{names.index(run)}")


def read_page(path: str | os.PathLike[str]) -> bytes:
    """The bytes of a report."""
    file, limit = split_report(path)[0], LIMITS.get().stored
    with open_source(file) as source:
        page = source.read(limit=limit + 1)
    if len(page) > limit:
        raise refuse(f"{file} is larger than {size(limit)}, too large for a report", "stored")
    if not page.startswith(START):
        raise FormatError(f"{file} is not a report of assay; `assay report` and `comparison.report` write one")
    return page


def run_names(page: bytes) -> list[str]:
    """The names of the runs in a report, from the part that says what the page shows."""
    content = unpack(page, "report")
    try:
        names = [run["name"] for run in decode_finite_json(content.decode())["runs"]]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise FormatError("the report cannot be read: it was changed") from error
    if not names or not all(isinstance(name, str) for name in names):
        raise FormatError("the report names no runs: it was changed")
    return names


def unpack(page: bytes, name: str) -> bytes:
    """A part of a page."""
    import base64
    import binascii
    import gzip
    import io
    import zlib

    found = [part for part in PART.finditer(page) if part[1].decode() == name]
    if len(found) != 1:
        raise FormatError(f"the report has no part {name!r}, or more than one; it was changed or cut off")
    limit = LIMITS.get().stored
    try:
        with gzip.open(io.BytesIO(base64.b64decode(found[0][2], validate=True))) as file:
            content = file.read(limit + 1)
    except (binascii.Error, OSError, EOFError, zlib.error) as error:
        raise FormatError(f"part {name!r} of the report cannot be read: it was changed or cut off") from error
    if len(content) > limit:
        raise refuse(f"part {name!r} of the report holds more than {size(limit)}", "stored")
    return content
