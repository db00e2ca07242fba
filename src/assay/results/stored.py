"""Results in files: one line per query, so that a baseline under version control shows which queries changed.

    {"assay":"result","version":3,"written_by":"0.1.0","convention":"assay","policies":{…},
    "measures":[{"name":"ndcg@10","measure":"ndcg(…)@10","aggregate":"mean","higher_is_better":true}],"notes":[],"queries":[
    ["q1",0.5],
    ["q2",null]],"rows":2,"checksum":"sha256:…"}

Nothing in a file is executed, and every field is checked. Versions 1 and 2 have no checksum and no number of rows.
"""

from __future__ import annotations

import json
import math
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import CONVENTIONS
from assay.core.errors import DataError, FileError, FormatError
from assay.core.json_text import decode_finite_json, explain_json_error
from assay.core.limits import LIMITS, refuse, size
from assay.core.note import NoteKind
from assay.core.text import count, show
from assay.files.source import check_path, is_source, open_source, prefix_errors
from assay.results.checksum import checksum_of, find_outside, is_too_large
from assay.results.embedded import SEPARATOR, embedded_result, is_page, read_page, run_names, split_report, unpack
from assay.results.result import Result, subject_of
from assay.results.results import Results
from assay.results.stored_fields import (
    BACK,
    LONGEST_ID,
    absent_notes,
    check_fields,
    fault,
    is_name,
    is_text,
    read_human,
    read_judge,
    read_matching,
    read_measures,
    read_noise,
    read_notes,
    read_policies,
    read_scores,
    read_statistics,
    write_note,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.judged import FloatArray
    from assay.files.source import Readable

VERSION = 3
# Of whatever comes; above it the number is damaged.
NEWEST = 1_000_000
# The first version with what shows that nothing was changed.
WITH_CHECKSUM = 3
CHECKS = ("checksum", "rows")
FIELDS = ("assay", "version", "written_by", "convention", "policies", "measures", "notes", "queries")
# Characters of a run's name that a file name should not have.
UNSAFE = re.compile(r"[/\\:*?\"<>|\x00-\x1f]")
# JSON has no numbers for these.
INFINITE = {value: word for word, value in BACK.items()}


def write_result(result: Result, path: str | os.PathLike[str]) -> None:
    """Writes a file that `load_result` reads."""
    from assay.data.write import open_replacement
    from assay.files.replace import target_of

    content = stored_content(result)
    with open_replacement(target_of(path)) as file:
        file.write(content)


def stored_content(result: Result) -> bytes:
    """What is written of a result."""
    if wrong := [query for query in result.queries if not is_text(query, LONGEST_ID)]:
        raise DataError(
            f"the query id {show(wrong[0])} cannot be stored; use ids that are valid Unicode and not too long"
        )
    policies = {name: result.policies_of(name) for name in result.measures}
    for sentence in find_outside(result.measures, policies, result.queries, result.scores):
        raise DataError(f"the result cannot be stored: {sentence}")
    limits = LIMITS.get()
    if len(result.queries) * (1 + len(result.measures)) > limits.values:
        raise refuse(f"the result has more than {limits.values:,} values; store fewer measures", "values")
    head = {
        "assay": "result",
        "version": VERSION,
        "written_by": result.version,
        "convention": result.convention,
        "policies": result.policies.to_dict(),
        # A list, so that the order of the columns survives a formatter that sorts keys.
        "measures": [measure_fields(name, result) for name in result.measures],
        "notes": [write_note(note) for note in result.notes if note.kind != NoteKind.NOT_DEFINED],
    }
    columns = [plain_values(result.scores[name]) for name in result.measures]
    rows = ",\n".join(compact_json(list(row)) for row in zip(result.queries, *columns, strict=True))
    sums = {name: [plain_values(row) for row in values] for name, values in result.statistics.items()}
    more: dict[str, Any] = {"statistics": sums, "matching": list(result.matching), "judge": result.judge}
    for kind, more_values in (("human", result.human), ("noise", result.noise)):
        more[kind] = {name: plain_values(values) for name, values in more_values.items()}
    more = {name: value for name, value in more.items() if value} | {"rows": len(result.queries)}
    # As a reader finds it: JSON has no tuples.
    said = json.loads(compact_json(head | more))
    more["checksum"] = checksum_of(said, result.queries, [result.scores[name] for name in result.measures])
    tail = "".join(f',"{name}":{compact_json(value)}' for name, value in more.items())
    content = f'{compact_json(head)[:-1]},"queries":[\n{rows}]{tail}}}\n'.encode()
    if len(content) > limits.stored:
        raise refuse(f"the result is larger than {size(limits.stored)}; store fewer measures", "stored")
    # As a reader counts them.
    if is_too_large(content):
        raise refuse(f"the result has more than {limits.values:,} values; store fewer measures", "values")
    return content


def compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def plain_values(scores: FloatArray) -> list[float | str | None]:
    """The values as JSON has them, every bit kept; NaN is null."""
    return [None if math.isnan(value) else INFINITE.get(value, value) for value in scores.tolist()]


def measure_fields(name: str, result: Result) -> dict[str, Any]:
    """A measure, and what a reader needs to know if it is not defined there."""
    measure = result.measures[name]
    about = measure.definition
    said: dict[str, Any] = {
        "name": name,
        "measure": measure.full_name,
        "aggregate": about.aggregate,
        "higher_is_better": about.higher_is_better,
    }
    if name in result.own_policies:
        said["policies"] = result.own_policies[name].to_dict()
    if measure.has_own_number:
        (said["mean"],) = plain_values(np.array([result[name]]))
    return said


def write_results(results: Mapping[str, Result], folder: str | os.PathLike[str]) -> None:
    """Writes one file per result into a folder, which is made if it does not exist."""
    names = {name: UNSAFE.sub("-", name).lstrip(".") or "run" for name in results}
    if len(set(names.values())) < len(names):
        raise DataError("two runs would have the same file name; rename one")
    try:
        check_path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{show(os.fspath(folder))} cannot be made a folder: {error.strerror or error}") from error
    for name, result in results.items():
        write_result(result, Path(folder) / f"{names[name]}.json")


def load_result(path: Readable) -> Result:
    """Reads a result that `Result.save` wrote; it works wherever a result does.

    Nothing in the file is executed and every field is checked, so files from strangers are safe. A measure that is not
    defined here keeps its name and its values.
    """
    if not is_source(path):
        raise DataError(f"a stored result is a path or a file object, not {show(path)}")
    if isinstance(path, (str, os.PathLike)) and check_path(path).is_dir():
        raise FileError(f"{show(os.fspath(path))} is a directory; name the file of one stored result")
    if isinstance(path, (str, os.PathLike)) and is_page(path):
        return parse_result(embedded_result(path), os.fspath(path))
    with open_source(path) as source:
        content = source.read(limit=LIMITS.get().stored + 1)
    return parse_result(content, source.name)


def load_report(path: str | os.PathLike[str]) -> Results:
    """The results in a report, by run: the exact scores that `assay report` wrote, as `load_result` gives them."""
    if not isinstance(path, (str, os.PathLike)):
        raise DataError(f"a report is a path, not {show(path)}")
    page = read_page(split_report(path)[0])
    names = run_names(unpack(page, "report"))
    results = {
        name: parse_result(unpack(page, f"result-{number}"), f"{os.fspath(path)}{SEPARATOR}{name}")
        for number, name in enumerate(names)
    }
    return Results(results)


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
        check_unchanged(fields, queries, scores)
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
            human=read_human(fields.get("human", {}), measures, len(queries)),
            noise=read_noise(fields.get("noise", {}), measures, len(queries)),
            _means={name: mean for name, mean in means.items() if name not in statistics},
        )


def parse_content(content: bytes) -> Any:  # noqa: ANN401 - whatever the file holds
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


def check_head(content: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever the file holds
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


def check_unchanged(fields: Mapping[str, Any], queries: list[str], scores: Mapping[str, FloatArray]) -> None:
    """Raises if a file is not as it was written; one of an early version cannot show it."""
    if fields["version"] < WITH_CHECKSUM:
        return
    if fields["rows"] != len(queries) or isinstance(fields["rows"], bool):
        raise fault(f"the file has {count(len(queries), 'row')}, and it says {show(fields['rows'])}")
    if fields["checksum"] != checksum_of(fields, queries, scores.values()):
        raise fault("the file was changed after it was written: its checksum does not match")
