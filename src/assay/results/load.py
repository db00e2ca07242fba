"""Reads results from files, and from reports, which have the stored result of each run inside their HTML.

Nothing in a file is executed, and every field is checked. The data of a report are named parts of JSON, compressed, in
elements that no browser runs.
"""

from __future__ import annotations

import json
import os
import re
from typing import Any

from assay.conventions import CONVENTIONS
from assay.core.errors import DataError, FileError, FormatError
from assay.core.json_text import decode_finite_json, explain_json_error
from assay.core.limits import LIMITS, refuse, size
from assay.core.note import Note, NoteKind
from assay.core.text import count, printable, show
from assay.data.run import SEPARATOR, START, is_page, split_report
from assay.files.source import Readable, check_path, is_source, open_source, prefix_errors
from assay.results.result import Result, subject_of
from assay.results.results import Results
from assay.results.stored import VERSION, checksum_of, find_outside, is_too_large
from assay.results.stored_fields import (
    CHECKS,
    HEAD,
    MORE,
    check_fields,
    fault,
    is_absent,
    read_columns,
    read_measures,
    read_note,
    read_policies,
    read_scores,
    read_statistics,
)

# The first version with what shows that nothing was changed.
WITH_CHECKSUM = 3
PART = re.compile(rb'<script type="application/gzip" id="part-([a-z0-9-]+)">([A-Za-z0-9+/=]*)</script>')


def load_result(path: Readable) -> Result:
    """Reads a result that `Result.save` wrote; it works wherever a result does.

    Nothing in the file is executed and every field is checked, so files from strangers are safe. A measure that is not
    defined here keeps its name and its values.
    """
    if not is_source(path):
        raise DataError(f"a stored result is a path or a file object, not {show(path)}")
    if isinstance(path, (str, os.PathLike)):
        if check_path(path).is_dir():
            raise FileError(f"{show(os.fspath(path))} is a directory; name the file of one stored result")
        if is_page(path):
            return parse_result(embedded_result(path), os.fspath(path))
    with open_source(path) as source:
        content = source.read(limit=LIMITS.get().stored + 1)
    return parse_result(content, source.name)


def load_report(path: str | os.PathLike[str]) -> Results:
    """The results in a report, by run: the exact scores that `assay report` wrote, as `load_result` gives them."""
    if not isinstance(path, (str, os.PathLike)):
        raise DataError(f"a report is a path, not {show(path)}")
    page, results = read_page(path), {}
    for number, name in enumerate(run_names(page)):
        results[name] = parse_result(unpack(page, f"result-{number}"), f"{os.fspath(path)}{SEPARATOR}{name}")
    return Results(results)


def parse_result(content: bytes, name: str) -> Result:
    with prefix_errors(name):
        fields = check_head(parse_content(content))
        policies = read_policies(fields["policies"])
        measures, own, means = read_measures(fields["measures"], policies, CONVENTIONS[fields["convention"]])
        queries, scores = read_scores(fields["queries"], list(measures))
        statistics = read_statistics(fields.get("statistics", {}), measures, scores, means)
        undefined = [printable(name) for name, each in measures.items() if is_absent(each)]
        for sentence in find_outside(measures, {name: own.get(name, policies) for name in measures}, queries, scores):
            raise fault(sentence)
        if fields["version"] >= WITH_CHECKSUM:
            if fields["rows"] != len(queries):
                raise fault(f"the file has {count(len(queries), 'row')}, and it says {show(fields['rows'])}")
            if fields["checksum"] != checksum_of(fields, queries, scores.values()):
                raise fault("the file was changed after it was written: its checksum does not match")
        return Result(
            measures,
            queries,
            scores,
            fields["convention"],
            policies,
            (*map(read_note, fields["notes"]), *(Note.of(NoteKind.NOT_DEFINED, measures=[name]) for name in undefined)),
            own,
            statistics,
            subject=subject_of(measures, fields["convention"], policies),
            version=fields["written_by"],
            matching=tuple(fields.get("matching", ())),
            judge=fields.get("judge", ""),
            human=read_columns(fields.get("human", {}), "human", measures, len(queries)),
            noise=read_columns(fields.get("noise", {}), "noise", measures, len(queries)),
            _means={name: mean for name, mean in means.items() if name not in statistics},
        )


def parse_content(content: bytes) -> object:
    limits = LIMITS.get()
    if len(content) > limits.stored:
        raise refuse(f"the file is larger than {size(limits.stored)}, too large for a stored result", "stored")
    if is_too_large(content):
        raise refuse(f"the file has more than {limits.values:,} values, too many for a stored result", "values")
    try:
        text = content.decode("utf-8-sig")
        return decode_finite_json(text)
    except json.JSONDecodeError as error:
        is_cut = error.msg.startswith("Unterminated") or not text[error.pos :].strip()
        reason = "the file is cut off" if is_cut else explain_json_error(error)
        raise fault(f"line {error.lineno}: {reason}") from None
    except (ValueError, RecursionError) as error:
        raise fault(explain_json_error(error)) from None


def check_head(content: object) -> dict[str, Any]:
    """The fields, if they are those of a result that this version reads."""
    fields: dict[str, Any] = content if isinstance(content, dict) else {}
    if fields.get("assay") != "result":
        if str(fields.get("schema")).startswith("assay/"):
            said = "this is the output of `--format json` or `to_json`, which cannot be loaded"
            raise FormatError(f"{said}; store the result with `--save FILE`, or with `result.save` in Python")
        raise fault("this is not a stored result")
    version = number if isinstance(number := fields.get("version"), int) else 0
    if version > VERSION:
        said = f"its version is {version}, this assay reads up to {VERSION}"
        raise FormatError(f"this file was written by a newer assay: {said}; update assay")
    fields = check_fields(content, "the file", HEAD | (CHECKS if version >= WITH_CHECKSUM else {}), MORE)
    if fields["convention"] not in CONVENTIONS:
        raise FormatError(f"unknown convention {show(fields['convention'])}; update assay")
    return fields


def embedded_result(path: str | os.PathLike[str]) -> bytes:
    """The stored result of a run in a report; the only one, or the one that is named after its path."""
    (file, run), page = split_report(path), read_page(path)
    names = run_names(page)
    run = names[0] if run is None and len(names) == 1 else run
    if run is None or run not in names:
        wrong = "name one of its runs" if run is None else f"it has no run {show(run)}"
        ways = ", ".join(f"{file}{SEPARATOR}{name}" for name in names[:3])
        raise DataError(f"{file} is a report on {len(names)} runs; {wrong}: {ways}{' …' if len(names) > 3 else ''}")  # noqa: PLR2004
    return unpack(page, f"result-{names.index(run)}")


def read_page(path: str | os.PathLike[str]) -> bytes:
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
