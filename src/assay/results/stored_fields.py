"""The fields of a stored result, each checked: policies, measures, rows, statistics and notes.

A measure that is not defined here is known by its name only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import Any

import numpy as np

from assay.conventions import resolve
from assay.core.convention import LONGEST_NAME, Convention
from assay.core.errors import FormatError, MeasureError, PolicyError
from assay.core.judged import FloatArray, Judged
from assay.core.measure import AGGREGATES, Definition, Measure, is_anchorable, is_pooled
from assay.core.note import Note, NoteKind
from assay.core.parameter import LARGEST_WHOLE
from assay.core.policies import Policies
from assay.core.text import Option, Task, show
from assay.measures import SHORT_ANSWER_NAMES, TABLE, parse
from assay.results.result import combine_statistics
from assay.results.stored import INFINITE, LONGEST_ID, is_text

BACK = {word: value for value, word in INFINITE.items()}
LONGEST_NOTE = 100_000
MOST_ABSENT = 10_000


def fault(text: str) -> FormatError:
    return FormatError(f"{text}; write the file again with `{Option('result.save')}`")


def is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def is_line(value: object) -> bool:
    return is_text(value, LONGEST_NOTE) and str(value).isprintable()


def is_whole(value: object, least: int = 0) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= LARGEST_WHOLE


def is_list_of(is_right: Callable[[object], bool]) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and all(map(is_right, value))


# What a field must be, and how that is said.
Form = tuple[Callable[[object], bool], str]
WORD: Form = (is_name, "a word")
LINE: Form = (is_line, "a line of text")
WHOLE: Form = (is_whole, "a whole number")
OBJECT: Form = (lambda value: isinstance(value, dict), "an object")
LIST: Form = (lambda value: isinstance(value, list), "a list")
RULES: Form = (is_list_of(is_name), "a list of rules")
IDS: Form = (is_list_of(lambda value: is_text(value, LONGEST_ID)), "a list of strings")
NUMBER: Form = (lambda _: True, "a number")
FIRST: Form = (lambda value: is_whole(value, 1), "a whole number")
HEAD = {"assay": WORD, "version": FIRST, "written_by": WORD, "convention": WORD, "policies": OBJECT}
HEAD |= dict.fromkeys(("measures", "notes", "queries"), LIST)
CHECKS = {"checksum": LINE, "rows": WHOLE}
MORE = {"statistics": OBJECT, "matching": RULES, "judge": LINE, "human": OBJECT, "noise": OBJECT}
MEASURE = {
    "name": WORD,
    "measure": WORD,
    "aggregate": (lambda value: isinstance(value, str) and value in AGGREGATES, " or ".join(AGGREGATES)),
    "higher_is_better": (lambda value: isinstance(value, bool), "true or false"),
}
NOTE = {"kind": WORD, "text": LINE}
NOTE_MORE = {"count": WHOLE, "queries": IDS, "measures": IDS, "advice": LIST}


def check_fields(fields: object, where: str, needed: Mapping[str, Form], others: Mapping[str, Form]) -> dict[str, Any]:
    """The fields of an object, if it has all that are needed and no unknown ones, and each is what it must be."""
    if not isinstance(fields, dict):
        raise fault(f"{where} must be an object, not {show(fields)}")
    if missing := [name for name in needed if name not in fields]:
        raise fault(f"{where} is missing the field {show(missing[0])}")
    for name, value in fields.items():
        is_right, words = needed.get(name) or others.get(name) or (None, "")
        if is_right is None:
            raise fault(f"{where} has an unknown field {show(name)}")
        if not is_right(value):
            raise fault(f"{where}: {name} must be {words}, not {show(value)}")
    return fields


def read_policies(fields: Mapping[str, Any]) -> Policies:
    """The policies; one that the file does not name has its default, as before it was introduced."""
    try:
        return Policies().changed(fields)
    except PolicyError as error:
        advice = f"update assay if a newer one wrote the file, or write it again with `{Option('result.save')}`"
        raise FormatError(f"{error}; {advice}") from None


def read_scores(rows: list[Any], measures: list[str]) -> tuple[list[str], dict[str, FloatArray]]:
    seen: set[str] = set()
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != 1 + len(measures) or not isinstance(row[0], str):
            raise fault(f"row {place} of the queries must be an id and {len(measures)} values, not {show(row)}")
        if not is_text(row[0], LONGEST_ID):
            raise fault(f"row {place} of the queries has an invalid id: {show(row[0])}")
        if row[0] in seen:
            raise fault(f"duplicate query id {show(row[0])}")
        seen.add(row[0])
    scores = {}
    for place, name in enumerate(measures, start=1):
        values = [read_stored_number(row[place], f"{name} of query {show(row[0])}") for row in rows]
        scores[name] = np.array(values, dtype=np.float64)
    return [row[0] for row in rows], scores


def read_stored_number(value: object, where: str) -> float:
    """A number of the file as a float; null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in BACK:
        return BACK[value]
    if isinstance(value, float) and math.isfinite(value):
        return value
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST_WHOLE:
        raise fault(f"{where} must be a number in the range of a float, or null, not {show(value)}")
    return float(value)


def read_note(note: object) -> Note:
    """A note: an object, or a pair of a word and a sentence as 0.1.0 wrote them; an unknown kind becomes `other`."""
    if isinstance(note, list) and len(note) == len(NOTE):
        note = dict(zip(NOTE, note, strict=True))
    fields = check_fields(note, "a note", NOTE, NOTE_MORE)
    queries, measures = (tuple(fields.get(name, ())) for name in ("queries", "measures"))
    advice = tuple(map(read_advice, fields.get("advice", ())))
    return Note(NoteKind.named(fields["kind"]), fields["text"], fields.get("count", 0), queries, measures, advice)


def read_advice(part: object) -> str | Option | Task:
    """A part of a note's advice: a text, or an option or task that it names."""
    match part:
        case str() if is_line(part):
            return part
        case {"task": name, **more} if is_name(name) and not more:
            return Task(name)
        case {"option": name, "value": value, **more} if is_name(name) and not more:
            # A pair is one entry of a dict.
            values = value if isinstance(value, list) and len(value) == len(("key", "value")) else [value]
            if all(each is None or isinstance(each, (bool, int, float)) or is_line(each) for each in values):
                return Option(name, tuple(value) if isinstance(value, list) else value)
    raise fault(f"the advice of a note must be texts, options and tasks, not {show(part)}")


def read_measures(
    said: list[Any], policies: Policies, convention: Convention
) -> tuple[dict[str, Measure], dict[str, Policies], dict[str, float]]:
    """The measures by their names in the result, the policies that some have of their own, and the stored means."""
    measures: dict[str, Measure] = {}
    own, means = {}, {}
    for place, each in enumerate(said, start=1):
        about = check_fields(each, f"measure {place}", MEASURE, {"policies": OBJECT, "mean": NUMBER})
        if (name := about["name"]) in measures:
            raise fault(f"duplicate measure {show(name)}")
        measures[name] = stored_measure(about)
        if "mean" in about:
            means[name] = read_stored_number(about["mean"], f"the mean of {show(name)}")
        if "policies" in about and (changed := read_policies(about["policies"])) != policies:
            own[name] = changed
        check_stored_name(name, measures[name], convention, {policies.rel, own.get(name, policies).rel})
    return measures, own, means


def stored_measure(about: Mapping[str, Any]) -> Measure:
    """The measure of a description, or one with only the name if it is not defined here."""
    known = (about["aggregate"], about["higher_is_better"], "mean" in about)
    with suppress(MeasureError):
        measure = parse(about["measure"])
        if (measure.definition.aggregate, measure.definition.higher_is_better, measure.has_own_number) == known:
            return measure
    return Measure(absent_definition(about["measure"], *known), {})


def check_stored_name(name: str, measure: Measure, convention: Convention, levels: set[float]) -> None:
    """Raises if a name means one measure here, and not the one that is stored under it."""
    if is_absent(measure) or measure.definition.of == "scores":
        return
    short = SHORT_ANSWER_NAMES if measure.definition.of == "answers" else {}
    try:
        options = [{}, *({"rel": level} for level in levels)]
        found = [list(resolve([name], convention, each, short).values()) for each in options]
    except MeasureError:
        return
    if all(len(each) == 1 and not is_same_measure(each[0].measure, measure) for each in found):
        means = found[0][0].measure.full_name
        raise fault(f"{show(name)} means {means}, and {measure.full_name} is stored under that name")


def is_same_measure(named: Measure, measure: Measure) -> bool:
    if measure.definition.name == f"group_{named.definition.name}":
        # Gold in groups, such as texts and spans, is counted over groups under the measure's own name.
        return all(named.values.get(name) == value for name, value in measure.values.items())
    return named == measure or (measure.definition.bind is not None and named.definition is measure.definition)


def read_statistics(
    said: dict[str, object], measures: dict[str, Measure], scores: dict[str, FloatArray], means: dict[str, float]
) -> dict[str, FloatArray]:
    """The statistics that are summed over queries, of the measures that are known here."""
    found = {}
    for name, rows in said.items():
        where = f"the statistics of {show(name)}"
        if name not in means:
            raise fault(f"statistics for {show(name)}, which has no mean of its own")
        if not isinstance(rows, list) or len(rows) != len(scores[name]) or not is_list_of(LIST[0])(rows):
            raise fault(f"{where} must have one row per query")
        if len({len(row) for row in rows}) > 1:
            raise fault(f"{where} must have rows of the same length")
        numbers = [[read_stored_number(each, f"a number in {where}") for each in row] for row in rows]
        values = np.array(numbers, dtype=np.float64)
        if not np.isfinite(values).all():
            raise fault(f"{where} must be finite numbers")
        if is_pooled(measures[name]):
            # NaN if the statistics cannot belong to the measure.
            overall = math.nan
            with suppress(IndexError, ValueError, TypeError, ArithmeticError), np.errstate(all="ignore"):
                overall = float(combine_statistics(measures[name], values[~np.isnan(scores[name])].sum(axis=0)))
            if not np.isclose(overall, means[name], equal_nan=True):
                raise fault(f"{where} do not give its mean")
            found[name] = values
    return found


def read_columns(said: dict[str, Any], kind: str, measures: dict[str, Measure], queries: int) -> dict[str, FloatArray]:
    """What people gave (`human`) or the variances of draws (`noise`), by measure; null for queries without."""
    found = {}
    for name, values in said.items():
        if name not in measures or not is_anchorable(measures[name]):
            raise fault(f"{kind} values of {show(name)}, which is not a measure with a mean over queries")
        if not isinstance(values, list) or len(values) != queries:
            raise fault(f"the {kind} values of {show(name)} must be a list with one value per query")
        where = f"a {kind} value of {show(name)}"
        found[name] = np.array([read_stored_number(each, where) for each in values], dtype=np.float64)
        if kind == "noise" and (found[name] < 0).any():
            raise fault(f"{where} is a variance and cannot be below 0")
    return found


class AbsentDefinition(Definition):
    """A measure known by name only."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return absent_definition, (self.name, self.aggregate, self.higher_is_better, self.corpus is not None)


@lru_cache(maxsize=MOST_ABSENT)
def absent_definition(name: str, aggregate: Any, higher_is_better: bool, corpus: bool) -> Definition:  # noqa: ANN401 - one of three words
    """The definition with only a name. It is created once, so that equal names are equal measures."""

    def unknown(judged: Judged) -> Any:  # noqa: ANN401 - an array, or one number
        said = f"{show(name)} is known only from a stored result and cannot score {judged.size} queries"
        raise MeasureError(f"{said}; define it with @assay.extend.measure")

    about: dict[str, Any] = {"aggregate": aggregate, "higher_is_better": higher_is_better}
    return AbsentDefinition(name, unknown, name, "", corpus=unknown if corpus else None, **about)


def is_absent(measure: Measure) -> bool:
    about = measure.definition
    return TABLE.get(about.name) is not about and about.of != "scores"
