"""The fields of a stored result, each checked: measures, policies, rows and notes."""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.aggregate import AGGREGATES
from assay.core.convention import Policies
from assay.core.errors import FormatError, MeasureError, PolicyError
from assay.core.grammar import LONGEST_NAME
from assay.core.measure import TABLE, Definition, Measure
from assay.core.parameter import LARGEST_WHOLE
from assay.core.text import printable, show
from assay.measures import parse
from assay.notes import Note

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.judged import FloatArray, Judged

NOT_DEFINED = "not_defined"
BACK = {"inf": math.inf, "-inf": -math.inf}


def fault(text: str) -> FormatError:
    """The error for a field that is wrong."""
    return FormatError(f"{text}; write the file again with `result.save`")


def exactly(
    fields: Any,  # noqa: ANN401 - whatever the file holds
    needed: tuple[str, ...],
    where: str,
    allowed: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The fields of an object that has all it needs and nothing that is unknown."""
    if not isinstance(fields, dict):
        raise fault(f"{where} must be an object, not {show(fields)}")
    if missing := [name for name in needed if name not in fields]:
        raise fault(f"{where} lacks {show(missing[0])}")
    if unknown := [name for name in fields if name not in (*needed, *allowed)]:
        raise fault(f"{where} has a field {show(unknown[0])}, which means nothing")
    return fields


def is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def read_policies(fields: Any) -> Policies:  # noqa: ANN401 - whatever the file holds
    """The policies; one that the file does not name is as it was before it had a name."""
    if not isinstance(fields, dict):
        raise fault(f"policies must be an object, not {show(fields)}")
    try:
        return Policies().changed(fields)
    except PolicyError as error:
        advice = "update assay if a newer one wrote the file, or write it again with `result.save`"
        raise FormatError(f"{error}; {advice}") from None


def read_measures(
    said: Any,  # noqa: ANN401 - whatever the file holds
    policies: Policies,
) -> tuple[dict[str, Measure], dict[str, Policies], dict[str, float]]:
    """The measures by their names in the result, the policies that some have of their own, and means that are given."""
    if not isinstance(said, list):
        raise fault(f"measures must be a list, not {show(said)}")
    measures: dict[str, Measure] = {}
    own: dict[str, Policies] = {}
    means: dict[str, float] = {}
    for place, each in enumerate(said, start=1):
        about = checked_measure(each, f"measure {place}")
        name = about["name"]
        if name in measures:
            raise fault(f"measure {show(name)} stands twice")
        measures[name] = measure_of(about["measure"], about["aggregate"], about["higher_is_better"], "mean" in about)
        if "mean" in about:
            means[name] = number(about["mean"], f"the mean of {show(name)}")
        if "policies" in about and (changed := read_policies(about["policies"])) != policies:
            own[name] = changed
    return measures, own, means


def checked_measure(said: Any, where: str) -> dict[str, Any]:  # noqa: ANN401 - whatever the file holds
    """What is said about a measure, once every field is checked."""
    needed = ("name", "measure", "aggregate", "higher_is_better")
    about = exactly(said, needed, where, allowed=("policies", "mean"))
    if not isinstance(about["name"], str) or not is_name(about["measure"]):
        raise fault(f"{where} must have a name, not {show(about['name'])} and {show(about['measure'])}")
    if not isinstance(about["aggregate"], str) or about["aggregate"] not in AGGREGATES:
        raise fault(f"{where}: aggregate must be {' or '.join(AGGREGATES)}, not {show(about['aggregate'])}")
    if not isinstance(about["higher_is_better"], bool):
        raise fault(f"{where}: higher_is_better must be true or false, not {show(about['higher_is_better'])}")
    return about


def measure_of(text: str, aggregate: str, higher_is_better: bool, corpus: bool) -> Measure:
    """The measure of that name, or one that only has the name where no such measure is defined."""
    known = (aggregate, higher_is_better, corpus)
    try:
        measure = parse(text)
    except MeasureError:
        return absent(text, *known)
    about = measure.definition
    is_same = (about.aggregate, about.higher_is_better, about.corpus is not None) == known
    return measure if is_same else absent(text, *known)


@cache
def absent(name: str, aggregate: Any, higher_is_better: bool, corpus: bool) -> Measure:  # noqa: ANN401 - one of three words
    """A measure that is known by name only. It is made once, so that the same name is an equal measure."""

    def unknown(judged: Judged) -> FloatArray:
        raise MeasureError(
            f"{show(name)} is known from a stored result only, so {judged.size} queries cannot be scored by it; "
            "define it with @assay.measure"
        )

    def whole(judged: Judged) -> float:
        return float(unknown(judged)[0])

    about: dict[str, Any] = {"aggregate": aggregate, "higher_is_better": higher_is_better}
    return Measure(Definition(name, unknown, name, "", corpus=whole if corpus else None, **about), {})


def absent_notes(measures: Mapping[str, Measure]) -> list[Note]:
    """A note for each measure that is known by name only."""
    names = [name for name, each in measures.items() if TABLE.get(each.definition.name) is not each.definition]
    return [Note(NOT_DEFINED, f"{printable(name)} is not defined here; its stored values stand") for name in names]


def read_rows(rows: Any, measures: list[str]) -> tuple[list[str], dict[str, FloatArray]]:  # noqa: ANN401 - whatever the file holds
    """The queries, and the values of each measure."""
    if not isinstance(rows, list):
        raise fault(f"queries must be a list, not {show(rows)}")
    seen: set[str] = set()
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != 1 + len(measures) or not isinstance(row[0], str):
            raise fault(f"row {place} of the queries must be an id and {len(measures)} values, not {show(row)}")
        if row[0] in seen:
            raise fault(f"query {show(row[0])} stands twice")
        seen.add(row[0])
    scores = {
        name: np.array([number(row[place], f"{name} of query {show(row[0])}") for row in rows], dtype=np.float64)
        for place, name in enumerate(measures, start=1)
    }
    return [row[0] for row in rows], scores


def number(value: Any, where: str) -> float:  # noqa: ANN401 - whatever the file holds
    """A value as a float; null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in BACK:
        return BACK[value]
    is_float = isinstance(value, float) and math.isfinite(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_WHOLE
    if not is_float and not is_whole:
        raise fault(f"{where} must be a number that a float can hold, or null, not {show(value)}")
    return float(value)


def read_notes(notes: Any) -> list[Note]:  # noqa: ANN401 - whatever the file holds
    """The notes, each a word and a sentence."""
    if not isinstance(notes, list):
        raise fault(f"notes must be a list, not {show(notes)}")
    for note in notes:
        if not (isinstance(note, list) and len(note) == 2 and all(isinstance(each, str) for each in note)):  # noqa: PLR2004 - a word and a sentence
            raise fault(f"a note must be a word and a sentence, not {show(note)}")
    return [Note(*note) for note in notes]
