"""Results in files: one line per query, so that a baseline under version control shows which queries changed.

    {"assay":"result","version":3,"written_by":"0.1.0","convention":"assay","policies":{…},
    "measures":[{"name":"ndcg@10","measure":"ndcg(…)@10","aggregate":"mean","higher_is_better":true}],"notes":[],"queries":[
    ["q1",0.5],
    ["q2",null]],"rows":2,"checksum":"sha256:…"}

The checksum is over what the JSON says, not over its bytes: a formatter may indent the file, sort its keys or write 1.0
as 1. Any other change is found, also by the number of rows and the ranges of measures. Versions 1 and 2 have neither.
"""

from __future__ import annotations

import json
import math
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import DataError, FileError
from assay.core.limits import LIMITS, refuse, size
from assay.core.note import Note, NoteKind
from assay.core.parameter import LARGEST_WHOLE
from assay.core.text import Task, printable, show
from assay.engine.ranking import repeats_of
from assay.files.source import check_path

if TYPE_CHECKING:
    from assay.core.judged import FloatArray
    from assay.core.measure import Measure
    from assay.core.policies import Policies
    from assay.results.result import Result

VERSION = 3
# JSON has no numbers for these.
INFINITE = {math.inf: "inf", -math.inf: "-inf"}
# JSON can express these, UTF-8 cannot.
SURROGATES = re.compile("[\ud800-\udfff]")
LONGEST_ID = 100_000
# The queries of a note that are stored; its count says how many there are.
MOST_NOTED = 1_000
# Names of fields take the most memory, and an honest file has few: one for so many values that are allowed.
VALUES_PER_NAME = 16
NAME = re.compile(rb'"\s*:')
# What rounding adds to a value at the end of its range.
ROUNDING = 1e-9
# How much the parts of a report are compressed.
LEVEL = 6
# Characters of a run's name that a file name should not have.
UNSAFE = re.compile(r"[/\\:*?\"<>|\x00-\x1f]")


def files_in(folder: str | os.PathLike[str], runs: Iterable[str]) -> list[Path]:
    """The path of a file for each run in a folder, which is made if it does not exist."""
    names = [UNSAFE.sub("-", name).lstrip(".") or "run" for name in runs]
    if len(set(names)) < len(names):
        raise DataError("two runs would have the same file name; rename one")
    try:
        check_path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{show(os.fspath(folder))} cannot be made a folder: {error.strerror or error}") from error
    return [Path(folder) / f"{name}.json" for name in names]


def stored_content(result: Result) -> bytes:
    if wrong := [show(query) for query in result.queries if not is_text(query, LONGEST_ID)]:
        raise DataError(f"the query id {wrong[0]} cannot be stored; use ids that are valid Unicode and not too long")
    policies = {name: result.policies_of(name) for name in result.measures}
    for sentence in find_outside(result.measures, policies, result.queries, result.scores):
        raise DataError(f"the result cannot be stored: {sentence}")
    limits = LIMITS.get()
    many = f"the result has more than {limits.values:,} values; store fewer measures"
    if len(result.queries) * (1 + len(result.measures)) > limits.values:
        raise refuse(many, "values")
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
    values = [plain_values(result.scores[name]) for name in result.measures]
    rows = ",\n".join(compact_json(list(row)) for row in zip(result.queries, *values, strict=True))
    statistics = {name: [plain_values(row) for row in values] for name, values in result.statistics.items()}
    more: dict[str, Any] = {"statistics": statistics, "matching": list(result.matching), "judge": result.judge}
    for kind, columns in (("human", result.human), ("noise", result.noise)):
        more[kind] = {name: plain_values(values) for name, values in columns.items()}
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
        raise refuse(many, "values")
    return content


def pack(name: str, content: bytes) -> str:
    """A part of a report as HTML; the same content gives the same text."""
    import base64
    import gzip

    packed = base64.b64encode(gzip.compress(content, LEVEL, mtime=0)).decode("ascii")
    return f'<script type="application/gzip" id="part-{name}">{packed}</script>\n'


def compact_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def plain_values(scores: FloatArray) -> list[float | str | None]:
    """The values as JSON has them, every bit kept; NaN is null."""
    return [None if math.isnan(value) else INFINITE.get(value, value) for value in scores.tolist()]


def measure_fields(name: str, result: Result) -> dict[str, Any]:
    """A measure, and what a reader needs to know if it is not defined there."""
    measure = result.measures[name]
    said: dict[str, Any] = {"name": name, "measure": measure.full_name}
    said |= {field: getattr(measure.definition, field) for field in ("aggregate", "higher_is_better")}
    if name in result.own_policies:
        said["policies"] = result.own_policies[name].to_dict()
    if measure.has_own_number:
        (said["mean"],) = plain_values(np.array([result[name]]))
    return said


def write_note(note: Note) -> dict[str, Any]:
    """A note as it is stored: its text without control characters, and the first of its queries."""
    advice: list[object] = []
    for part in note.advice:
        # Each interface names options and tasks in its own way.
        fields = () if isinstance(part, str) else ("task",) if isinstance(part, Task) else ("option", "value")
        advice.append(dict(zip(fields, part, strict=True)) if fields else printable(str(part)))
    said = {
        "kind": str(note.kind),
        "text": printable(note.text),
        "count": note.count,
        "queries": [query for query in note.queries[:MOST_NOTED] if is_text(query, LONGEST_ID)],
        "measures": list(note.measures),
        "advice": advice,
    }
    return {name: value for name, value in said.items() if value}


def is_text(value: object, longest: int) -> bool:
    """Whether it is a text that can be written anywhere: not too long, and without lone surrogates."""
    return isinstance(value, str) and len(value) <= longest and not SURROGATES.search(value)


def checksum_of(fields: Mapping[str, Any], queries: Sequence[str], scores: Iterable[FloatArray]) -> str:
    """The checksum of a stored result, from its fields and its rows."""
    import hashlib

    head = {name: value for name, value in fields.items() if name not in ("checksum", "queries")}
    digest = hashlib.sha256()
    for part in (head, list(queries)):
        digest.update(json.dumps(as_floats(part), sort_keys=True, separators=(",", ":")).encode())
    for values in scores:
        digest.update(np.where(np.isnan(values), np.nan, values).astype("<f8").tobytes())
    return f"sha256:{digest.hexdigest()}"


def as_floats(value: Any) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, dict):
        return {name: as_floats(each) for name, each in value.items()}
    if isinstance(value, list):
        return [as_floats(each) for each in value]
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_WHOLE
    return float(value) if is_whole else value


def is_too_large(content: bytes) -> bool:
    """Whether the JSON would take very much memory, judging by its commas, brackets and names of fields."""
    most = LIMITS.get().values
    if sum(map(content.count, (b",", b"[", b"{"))) > most:
        return True
    names = most // VALUES_PER_NAME
    return content.count(b":") > names and sum(1 for _ in NAME.finditer(content)) > names


def find_outside(
    measures: Mapping[str, Measure],
    policies: Mapping[str, Policies],
    queries: Sequence[str],
    scores: Mapping[str, FloatArray],
) -> Iterator[str]:
    """For each measure that has a value outside its range, a sentence about the first one."""
    # Authors of other measures may not have thought about the range, and a document that counts each time it is
    # retrieved takes most measures out of theirs.
    for name, measure in measures.items():
        about, values = measure.definition, scores[name]
        if not about.function.__module__.startswith("assay.measures.") or repeats_of(policies[name]) == "count":
            continue
        # A cutoff leaves the range as it is.
        others = {key: value for key, value in measure.values.items() if key != about.at}
        is_usual = all(value == about.parameters[key].default for key, value in others.items())
        low, high = (is_usual and about.usual_range) or about.range
        is_outside = (values < low - ROUNDING * max(1, abs(low))) | (values > high + ROUNDING * max(1, abs(high)))
        for first in np.flatnonzero(is_outside)[:1]:
            where = f"{name} of query {show(queries[first])}"
            yield f"{where} is {values[first]:g}, which is not in the range of the measure, {low:g} to {high:g}"
