"""Reads results from files, and from the reports that hold them.

Nothing in a file is executed, and every field is checked.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any

from assay.conventions import CONVENTIONS
from assay.core.errors import DataError, FileError, FormatError
from assay.core.json_text import decode_finite_json, explain_json_error
from assay.core.limits import LIMITS, refuse, size
from assay.core.text import count, show
from assay.data.run import SEPARATOR, is_page
from assay.files.source import check_path, is_source, open_source, prefix_errors
from assay.results.embedded import embedded_result, read_page, run_names, unpack
from assay.results.result import Result, subject_of
from assay.results.results import Results
from assay.results.stored import VERSION, checksum_of, find_outside, is_too_large
from assay.results.stored_fields import (
    absent_notes,
    check_fields,
    fault,
    is_name,
    read_columns,
    read_judge,
    read_matching,
    read_measures,
    read_notes,
    read_policies,
    read_scores,
    read_statistics,
)

if TYPE_CHECKING:
    from assay.files.source import Readable

# A version is a whole number up to here; above it the number is damaged.
NEWEST = 1_000_000
# The first version with what shows that nothing was changed.
WITH_CHECKSUM = 3
FIELDS = ("assay", "version", "written_by", "convention", "policies", "measures", "notes", "queries")
CHECKS = ("checksum", "rows")


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
    page = read_page(path)
    return Results(
        {
            name: parse_result(unpack(page, f"result-{number}"), f"{os.fspath(path)}{SEPARATOR}{name}")
            for number, name in enumerate(run_names(page))
        }
    )


def parse_result(content: bytes, name: str) -> Result:
    """The result in the content of a file."""
    with prefix_errors(name):
        fields = check_head(parse_content(content))
        policies = read_policies(fields["policies"])
        measures, own, means = read_measures(fields["measures"], policies, CONVENTIONS[fields["convention"]])
        queries, scores = read_scores(fields["queries"], list(measures))
        statistics = read_statistics(fields.get("statistics", {}), measures, scores, means)
        notes = read_notes(fields["notes"])
        matching = read_matching(fields.get("matching", []))
        for sentence in find_outside(measures, {name: own.get(name, policies) for name in measures}, queries, scores):
            raise fault(sentence)
        if fields["version"] >= WITH_CHECKSUM:
            if fields["rows"] != len(queries) or isinstance(fields["rows"], bool):
                raise fault(f"the file has {count(len(queries), 'row')}, and it says {show(fields['rows'])}")
            if fields["checksum"] != checksum_of(fields, queries, scores.values()):
                raise fault("the file was changed after it was written: its checksum does not match")
        return Result(
            measures,
            queries,
            scores,
            fields["convention"],
            policies,
            (*notes, *absent_notes(measures)),
            own,
            statistics,
            subject=subject_of(measures, fields["convention"], policies),
            version=fields["written_by"],
            matching=matching,
            judge=read_judge(fields.get("judge", "")),
            human=read_columns(fields.get("human", {}), "human", measures, len(queries)),
            noise=read_columns(fields.get("noise", {}), "noise", measures, len(queries)),
            _means={name: mean for name, mean in means.items() if name not in statistics},
        )


def parse_content(content: bytes) -> object:
    """The JSON of a file."""
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
            raise FormatError(
                "this is the output of `--format json` or `to_json`, which cannot be loaded; "
                "store the result with `--save FILE`, or with `result.save` in Python"
            )
        raise fault("this is not a stored result")
    version = fields.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or not 1 <= version <= NEWEST:
        raise fault(f"the version must be a whole number, not {show(version)}")
    if version > VERSION:
        said = f"its version is {version}, this assay reads up to {VERSION}"
        raise FormatError(f"this file was written by a newer assay: {said}; update assay")
    needed = (*FIELDS, *CHECKS) if version >= WITH_CHECKSUM else FIELDS
    fields = check_fields(fields, needed, "the file", allowed=("statistics", "matching", "judge", "human", "noise"))
    for name in ("written_by", "convention"):
        if not is_name(fields[name]):
            raise fault(f"{name} must be a word, not {show(fields[name])}")
    if fields["convention"] not in CONVENTIONS:
        raise FormatError(f"unknown convention {show(fields['convention'])}; update assay")
    return fields
