"""Whether a file is a stored result or a report, before the code that reads them is loaded."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from assay.data.source import open_source

if TYPE_CHECKING:
    from assay.results.result import Result

# How a stored result begins, and how the output of `to_json` begins, which people take for one.
MARK = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*(?:"assay"\s*:\s*"result"|"schema"\s*:\s*"assay/)')
HEAD = 200


def is_stored(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a stored result, a report with one, or was meant to be one, judging by its first bytes."""
    from pathlib import Path

    if is_page(path):
        return True
    if not Path(path).is_file():
        return False
    with open_source(path) as source:
        return MARK.match(source.read(limit=HEAD)) is not None


def is_page(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a report, by its name and its first bytes."""
    if ".htm" not in str(os.fspath(path)).lower():
        return False
    from assay.results.embedded import is_report

    return is_report(path)


def finished_result(data: object) -> Result | None:
    """The result, given as such or as a stored file; None for a run."""
    if isinstance(data, (str, os.PathLike)):
        if not is_stored(data):
            return None
        from assay.results.stored import load_result

        return load_result(data)
    from assay.results.result import Result

    return data if isinstance(data, Result) else None
