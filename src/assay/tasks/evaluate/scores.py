"""Scores per query that were made elsewhere, by people, by another tool or by a function, in any form, as a `Result`.

They are a result or a stored one, numbers by query, or records: a list, a dict by query, a frame or a file, with the
numbers in `scores` or in fields of their own.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import numpy as np

from assay.conventions import Chosen, find_convention, measure_names
from assay.core.errors import DataError, MeasureError
from assay.core.measure import Measure
from assay.core.note import Note, NoteKind
from assay.core.progress import progress_bar
from assay.data.formats import JSON, TREC, recognise
from assay.data.formats.json import read_objects
from assay.data.frames.columns import normalise_name
from assay.data.frames.frame import is_frame
from assay.data.records.fields import PARTS, RecordFields
from assay.data.records.read import read_records
from assay.data.records.record import Record
from assay.data.run import is_stored
from assay.files.source import describe, open_source
from assay.measures.scores import EVERY, PREFIX, FunctionScore, every_score, is_score, parse_score, score_name
from assay.results.result import Result

# The name of scores that have none of their own: numbers by query.
UNNAMED = "score:score"
RECORD_SCORES = PARTS["scores"][0]


def read_given_scores(data: object, measures: object = None) -> Result:
    """The scores as a result; with `measures`, those of records that these name, else all of them."""
    if isinstance(data, Result):
        return data
    if is_stored(data):
        from assay.results.load import load_result

        return load_result(data)  # type: ignore[arg-type]
    if is_numbers(data):
        data = [{"query_id": query, RECORD_SCORES: {"score": value}} for query, value in data.items()]  # type: ignore[attr-defined]
    rows = read_records(data, RecordFields(any_field=True), name="the scores").each
    # Numbers in fields of their own count if there are no `scores`, or if they are named.
    every = every_score(rows, fields=True)
    known = every_score(rows, fields=False) or every
    given = () if measures is None else measure_names(measures)
    wanted = [PREFIX + score_name(str(each).removeprefix(PREFIX)) for each in given]
    names = [name for name in wanted if name in every] or known
    if not names:
        raise DataError(f"{describe(data)} has no scores: no field of any record holds numbers")
    return score_records(rows, {name: parse_score(name) for name in names})


def is_given_scores(data: object, measures: object = None) -> bool:
    """Whether the data are scores rather than judgments, judging by their form, or by measures that say so."""
    if isinstance(data, Result) or is_stored(data) or is_numbers(data):
        return True
    if measures is not None and any(is_score(str(name)) for name in measure_names(measures)):
        return True
    return RECORD_SCORES in map(normalise_name, field_names(data))


def is_numbers(data: object) -> bool:
    return isinstance(data, Mapping) and len(data) > 0 and not any(isinstance(each, Iterable) for each in data.values())


def field_names(data: object) -> list[str]:
    """The fields or columns of the first record, if any; a file object is not looked at, as it cannot be read again."""
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
    bare = str(name).removeprefix(PREFIX)
    for key in (str(name), PREFIX + score_name(bare), bare):
        if key in result.measures:
            return key
    with suppress(MeasureError):
        return result.key(name)
    return None


def with_every_score(
    chosen: Mapping[str, Chosen], records: Sequence[Record], known: Iterable[str] = ()
) -> dict[str, Chosen]:
    """The measures with `score:*` replaced by the scores that it stands for; `known` are fields with other parts."""
    replaced: dict[str, Chosen] = {}
    for key, each in chosen.items():
        names = every_score(records, fields=True, known=known) if key == EVERY else ()
        # A score that is also named has what its name says.
        every = {name: chosen.get(name, Chosen(parse_score(name), each.policies)) for name in names}
        replaced |= every if key == EVERY else {key: each}
    return replaced


def score_records(records: Sequence[Record], measures: Mapping[str, Measure]) -> Result:
    """The result of scores from elsewhere. A record without a value is left out of the mean, with a note."""
    scores = {}
    with progress_bar("scoring records") as report:
        for number, (name, measure) in enumerate(measures.items()):
            if not isinstance(measure, FunctionScore):
                scores[name] = measure(records)
                continue
            values = np.empty(len(records))
            for place, record in enumerate(records):
                values[place] = measure.of_record(record)
                report((number + (place + 1) / len(records)) / len(measures))
            scores[name] = values
    queries = [each.query_id for each in records]
    # The function itself is not part of the result: it can be compared, stored and pickled without it.
    plain = {name: Measure(each.definition, each.values) for name, each in measures.items()}
    own = find_convention("assay")
    # Which questions have no value is said once for all scores that lack the same ones.
    lacking: dict[tuple[str, ...], list[str]] = {}
    for name, values in scores.items():
        if missing := tuple(queries[at] for at in np.flatnonzero(np.isnan(values))):
            lacking.setdefault(missing, []).append(name)
    notes = (Note.of(NoteKind.MISSING, about="scores", queries=each, measures=names) for each, names in lacking.items())
    return Result(plain, queries, scores, own.name, own.policies, tuple(notes), subject="scores")
