"""Scores per query that were made elsewhere, by people or by another tool, in any form, as a `Result`.

They are a result or a stored one, numbers by query, or records: a list, a dict by query, a frame or a file, with the
numbers in `scores` or in fields of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from assay.conventions import measure_names
from assay.core.errors import DataError, MeasureError
from assay.core.text import nearest
from assay.data.formats import JSON, TREC, recognise
from assay.data.formats.json import read_objects
from assay.data.frames.columns import normalise_name
from assay.data.frames.frame import is_frame
from assay.data.records.fields import PARTS, RecordFields
from assay.data.records.read import read_records
from assay.files.source import describe, open_source
from assay.measures.scores import EVERY, PREFIX, every_score, is_score, parse_score, score_name
from assay.results.load import finished_result
from assay.tasks.evaluate.scores import score_records

if TYPE_CHECKING:
    from assay.core.measure import Measure
    from assay.results.result import Result

# The name of scores that have none of their own: numbers by query.
UNNAMED = "score:score"
RECORD_SCORES = PARTS["scores"][0]


def read_given_scores(data: object, measures: object = None) -> Result:
    """The scores as a result; with `measures`, those of records that these name, else all of them."""
    finished = finished_result(data)
    if finished is not None:
        return finished
    if is_numbers(data):
        data = [{"query_id": query, RECORD_SCORES: {"score": value}} for query, value in data.items()]  # type: ignore[attr-defined]
    rows = read_records(data, RecordFields(any_field=True), name="the scores").each
    # Numbers in fields of their own count if there are no `scores`, or if they are named.
    known = every_score(rows, fields=False) or every_score(rows, fields=True)
    every = [*known, *(name for name in every_score(rows, fields=True) if name not in known)]
    wanted = [] if measures is None else [name for name in score_names(measures) if name in every]
    names = wanted or known
    if not names:
        raise DataError(f"{describe(data)} has no scores: no field of any record holds numbers")
    return score_records(rows, {name: parse_score(name) for name in names})


def score_names(measures: object) -> list[str]:
    """The names that scores from elsewhere have for some measures."""
    return [PREFIX + score_name(str(name).removeprefix(PREFIX)) for name in measure_names(measures)]


def is_given_scores(data: object, measures: object = None) -> bool:
    """Whether the data are scores rather than judgments, judging by their form, or by measures that say so."""
    if finished_result(data) is not None or is_numbers(data):
        return True
    if measures is not None and any(is_score(str(name)) for name in measure_names(measures)):
        return True
    return RECORD_SCORES in map(normalise_name, field_names(data))


def is_numbers(data: object) -> bool:
    """Whether the data are numbers by query."""
    is_flat = isinstance(data, Mapping) and not any(isinstance(each, (Mapping, Iterable)) for each in data.values())
    return is_flat and len(data) > 0  # type: ignore[arg-type]


def field_names(data: object) -> list[str]:
    """The names of the fields or columns of the first record; none if the data are no records.

    A file object could not be read again, so it is not looked at.
    """
    if is_frame(data):
        return list(map(str, getattr(data, "columns", [])))
    if isinstance(data, (str, os.PathLike)):
        with open_source(data) as source:
            format_ = recognise(source)
            if format_ is not JSON:
                return [] if format_ is TREC else format_.column_names(source)
            data = read_objects(source)
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    return list(map(str, first)) if isinstance(first, Mapping) else []


def find_measure(result: Result, name: str | Measure) -> str | None:
    """The key of a measure in a result, or of the score from elsewhere that is called like it; None without one."""
    for key in (str(name), PREFIX + score_name(str(name).removeprefix(PREFIX)), str(name).removeprefix(PREFIX)):
        if key in result.measures:
            return key
    try:
        return result.key(name)
    except MeasureError:
        return None


def unknown_measure(name: str | Measure, result: Result, where: str) -> MeasureError:
    """The error for a measure that a set of scores does not have."""
    near = nearest(str(name), result.measures) or list(result.measures)
    return MeasureError(f"{where} has no {name}; it has {', '.join(near)}")


__all__ = ["EVERY", "UNNAMED", "find_measure", "is_given_scores", "read_given_scores", "unknown_measure"]
