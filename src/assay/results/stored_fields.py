"""The fields of a stored result, each checked: policies, measures, rows, statistics and notes.

A measure that is not defined here is known by its name only.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.conventions import resolve
from assay.core.convention import LONGEST_NAME
from assay.core.errors import FormatError, MeasureError, PolicyError
from assay.core.measure import AGGREGATES, Definition, Measure, is_anchorable, is_pooled
from assay.core.note import Note, NoteKind
from assay.core.parameter import LARGEST_WHOLE
from assay.core.policies import Policies
from assay.core.text import Advice, Option, Task, printable, show
from assay.measures import SHORT_ANSWER_NAMES, TABLE, parse

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.core.convention import Convention
    from assay.core.judged import FloatArray, Judged

BACK = {"inf": math.inf, "-inf": -math.inf}
# JSON can express these, UTF-8 cannot.
SURROGATES = re.compile("[\ud800-\udfff]")
LONGEST_ID = 100_000
LONGEST_NOTE = 100_000
# The queries of a note that are stored; its count says how many there are.
MOST_NOTED = 1_000
MOST_ABSENT = 10_000


def fault(text: str) -> FormatError:
    """The error for an invalid field."""
    return FormatError(f"{text}; write the file again with `{Option('result.save')}`")


def check_fields(
    fields: Any,  # noqa: ANN401 - whatever the file holds
    needed: tuple[str, ...],
    where: str,
    allowed: tuple[str, ...] = (),
) -> dict[str, Any]:
    """The fields of an object, if it has all that are needed and no unknown ones."""
    if not isinstance(fields, dict):
        raise fault(f"{where} must be an object, not {show(fields)}")
    if missing := [name for name in needed if name not in fields]:
        raise fault(f"{where} is missing the field {show(missing[0])}")
    if unknown := [name for name in fields if name not in (*needed, *allowed)]:
        raise fault(f"{where} has an unknown field {show(unknown[0])}")
    return fields


def is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= LONGEST_NAME and value.isprintable()


def is_text(value: object, longest: int) -> bool:
    """Whether it is a text that can be written anywhere: not too long, and without lone surrogates."""
    return isinstance(value, str) and len(value) <= longest and not SURROGATES.search(value)


def read_policies(fields: Any) -> Policies:  # noqa: ANN401 - whatever the file holds
    """The policies; one that the file does not name has its default, as before it was introduced."""
    if not isinstance(fields, dict):
        raise fault(f"policies must be an object, not {show(fields)}")
    try:
        return Policies().changed(fields)
    except PolicyError as error:
        advice = f"update assay if a newer one wrote the file, or write it again with `{Option('result.save')}`"
        raise FormatError(f"{error}; {advice}") from None


def read_scores(rows: Any, measures: list[str]) -> tuple[list[str], dict[str, FloatArray]]:  # noqa: ANN401 - whatever the file holds
    """The queries, and the values of each measure."""
    if not isinstance(rows, list):
        raise fault(f"queries must be a list, not {show(rows)}")
    seen: set[str] = set()
    for place, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != 1 + len(measures) or not isinstance(row[0], str):
            raise fault(f"row {place} of the queries must be an id and {len(measures)} values, not {show(row)}")
        if not is_text(row[0], LONGEST_ID):
            raise fault(f"row {place} of the queries has an invalid id: {show(row[0])}")
        if row[0] in seen:
            raise fault(f"duplicate query id {show(row[0])}")
        seen.add(row[0])
    scores = {
        name: np.array(
            [read_stored_number(row[place], f"{name} of query {show(row[0])}") for row in rows], dtype=np.float64
        )
        for place, name in enumerate(measures, start=1)
    }
    return [row[0] for row in rows], scores


def read_stored_number(value: Any, where: str) -> float:  # noqa: ANN401 - whatever the file holds
    """A number of the file as a float; null is NaN."""
    if value is None:
        return math.nan
    if isinstance(value, str) and value in BACK:
        return BACK[value]
    is_float = isinstance(value, float) and math.isfinite(value)
    is_whole = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST_WHOLE
    if not is_float and not is_whole:
        raise fault(f"{where} must be a number in the range of a float, or null, not {show(value)}")
    return float(value)


def write_note(note: Note) -> dict[str, Any]:
    """A note as it is stored: its text without control characters, and the first of its queries."""
    queries = [query for query in note.queries[:MOST_NOTED] if is_text(query, LONGEST_ID)]
    said = {"kind": str(note.kind), "text": printable(note.text), "count": note.count, "queries": queries}
    more = {"measures": list(note.measures), "advice": list(map(write_advice, note.advice))}
    return {name: value for name, value in {**said, **more}.items() if value}


def write_advice(part: str | Option | Task) -> str | dict[str, Any]:
    """A part of an advice: text, or the option or task that it names in each interface's own way."""
    if isinstance(part, str):
        return printable(part)
    return {"task": part.name} if isinstance(part, Task) else {"option": part.name, "value": part.value}


def read_advice(parts: Any) -> Advice:  # noqa: ANN401 - whatever the file holds
    """The advice of a note."""
    if not isinstance(parts, list):
        raise fault(f"the advice of a note must be a list, not {show(parts)}")
    return tuple(map(read_advice_part, parts))


def read_advice_part(part: Any) -> str | Option | Task:  # noqa: ANN401 - whatever the file holds
    """A part of the advice of a note."""
    if is_line(part):
        return str(part)
    if isinstance(part, dict) and part.keys() == {"task"} and is_name(part["task"]):
        return Task(part["task"])
    if isinstance(part, dict) and part.keys() == {"option", "value"} and is_name(part["option"]):
        value = part["value"]
        # A pair is one entry of a dict.
        if isinstance(value, list) and len(value) == len(("key", "value")) and all(map(is_plain, value)):
            return Option(part["option"], (value[0], value[1]))
        if value is None or is_plain(value):
            return Option(part["option"], value)
    raise fault(f"the advice of a note must be texts, options and tasks, not {show(part)}")


def is_line(value: object) -> bool:
    """Whether it is a text that can be shown as it is."""
    return is_text(value, LONGEST_NOTE) and str(value).isprintable()


def is_plain(value: object) -> bool:
    """Whether it is the value of an option: a text, a number, true or false."""
    return isinstance(value, (bool, int, float)) or is_line(value)


def read_notes(notes: Any) -> list[Note]:  # noqa: ANN401 - whatever the file holds
    """The notes, each an object, or a pair of a word and a sentence as 0.1.0 wrote them."""
    if not isinstance(notes, list):
        raise fault(f"notes must be a list, not {show(notes)}")
    return [read_note(note) for note in notes]


def read_note(note: Any) -> Note:  # noqa: ANN401 - whatever the file holds
    """One note; an unknown kind becomes `other`."""
    is_pair = isinstance(note, list) and len(note) == 2  # noqa: PLR2004 - a word and a sentence
    about = dict(zip(("kind", "text"), note, strict=True)) if is_pair else note
    if not isinstance(about, dict) or not {"kind", "text"} <= about.keys():
        raise fault(f"a note must have a kind and a text, not {show(note)}")
    fields = check_fields(about, ("kind", "text"), "a note", allowed=("count", "queries", "measures", "advice"))
    kind, text, count = fields["kind"], fields["text"], fields.get("count", 0)
    if not is_name(kind) or not (is_text(text, LONGEST_NOTE) and text.isprintable()):
        raise fault(f"a note must have a kind and a text, not {show(note)}")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= LARGEST_WHOLE:
        raise fault(f"the count of a note must be a whole number from 0, not {show(count)}")
    queries, measures = (read_ids(fields.get(name, []), f"the {name} of a note") for name in ("queries", "measures"))
    return Note(NoteKind.named(kind), text, count, queries, measures, read_advice(fields.get("advice", [])))


def read_matching(rules: Any) -> tuple[str, ...]:  # noqa: ANN401 - whatever the file holds
    """How gold without ids was matched."""
    if not isinstance(rules, list) or not all(map(is_name, rules)):
        raise fault(f"matching must be a list of rules, not {show(rules)}")
    return tuple(rules)


def read_judge(text: Any) -> str:  # noqa: ANN401 - whatever the file holds
    """Which LLM gave verdicts, and how it was asked."""
    if not is_text(text, LONGEST_NOTE) or not text.isprintable():
        raise fault(f"judge must be a line of text, not {show(text)}")
    return str(text)


def read_ids(ids: Any, where: str) -> tuple[str, ...]:  # noqa: ANN401 - whatever the file holds
    if not isinstance(ids, list) or not all(is_text(each, LONGEST_ID) for each in ids):
        raise fault(f"{where} must be a list of strings, not {show(ids)}")
    return tuple(ids)


def read_measures(
    said: Any,  # noqa: ANN401 - whatever the file holds
    policies: Policies,
    convention: Convention,
) -> tuple[dict[str, Measure], dict[str, Policies], dict[str, float]]:
    """The measures by their names in the result, the policies that some have of their own, and the stored means."""
    if not isinstance(said, list):
        raise fault(f"measures must be a list, not {show(said)}")
    measures: dict[str, Measure] = {}
    own: dict[str, Policies] = {}
    means: dict[str, float] = {}
    for place, each in enumerate(said, start=1):
        about = check_measure(each, f"measure {place}")
        name = about["name"]
        if name in measures:
            raise fault(f"duplicate measure {show(name)}")
        measures[name] = find_measure(about["measure"], about["aggregate"], about["higher_is_better"], "mean" in about)
        if "mean" in about:
            means[name] = read_stored_number(about["mean"], f"the mean of {show(name)}")
        if "policies" in about and (changed := read_policies(about["policies"])) != policies:
            own[name] = changed
        check_stored_name(name, measures[name], convention, {policies.rel, own.get(name, policies).rel})
    return measures, own, means


def check_stored_name(name: str, measure: Measure, convention: Convention, levels: set[float]) -> None:
    """Raises if a name means another measure than the one that is stored under it.

    A name that means no measure here, or several, passes; parameters that the judgments set are not compared.
    """
    if is_absent(measure) or measure.definition.of == "scores":
        return
    short = SHORT_ANSWER_NAMES if measure.definition.of == "answers" else {}
    found = []
    for options in ({}, *({"rel": level} for level in levels)):
        try:
            found.append([chosen.measure for chosen in resolve([name], convention, options, short).values()])
        except MeasureError:
            return
    same = [each for each in found if len(each) != 1 or is_same_measure(each[0], measure)]
    if not same:
        raise fault(f"{show(name)} means {found[0][0].full_name}, and {measure.full_name} is stored under that name")


def is_same_measure(named: Measure, measure: Measure) -> bool:
    is_bound = measure.definition.bind is not None and named.definition is measure.definition
    # Gold in groups, such as texts and spans, is counted over groups under the measure's own name.
    is_grouped = measure.definition.name == f"group_{named.definition.name}" and all(
        named.values.get(name) == value for name, value in measure.values.items()
    )
    return is_bound or is_grouped or named == measure


def check_measure(said: Any, where: str) -> dict[str, Any]:  # noqa: ANN401 - whatever the file holds
    """The description of a measure, with every field checked."""
    needed = ("name", "measure", "aggregate", "higher_is_better")
    about = check_fields(said, needed, where, allowed=("policies", "mean"))
    if not is_name(about["name"]) or not is_name(about["measure"]):
        raise fault(f"{where} must have a name, not {show(about['name'])} and {show(about['measure'])}")
    if not isinstance(about["aggregate"], str) or about["aggregate"] not in AGGREGATES:
        raise fault(f"{where}: aggregate must be {' or '.join(AGGREGATES)}, not {show(about['aggregate'])}")
    if not isinstance(about["higher_is_better"], bool):
        raise fault(f"{where}: higher_is_better must be true or false, not {show(about['higher_is_better'])}")
    return about


def find_measure(text: str, aggregate: str, higher_is_better: bool, corpus: bool) -> Measure:
    """The measure of that name, or one with only the name if it is not defined here."""
    known = (aggregate, higher_is_better, corpus)
    try:
        measure = parse(text)
    except MeasureError:
        return absent_measure(text, *known)
    about = measure.definition
    is_same = (about.aggregate, about.higher_is_better, measure.has_own_number) == known
    return measure if is_same else absent_measure(text, *known)


def read_statistics(
    said: Any,  # noqa: ANN401 - whatever the file holds
    measures: Mapping[str, Measure],
    scores: Mapping[str, FloatArray],
    means: Mapping[str, float],
) -> dict[str, FloatArray]:
    """The statistics that are summed over queries, of the measures that are known here."""
    if not isinstance(said, dict):
        raise fault(f"statistics must be an object, not {show(said)}")
    found = {}
    for name, rows in said.items():
        if name not in means:
            raise fault(f"statistics for {show(name)}, which has no mean of its own")
        queries = len(scores[name])
        if not isinstance(rows, list) or len(rows) != queries or not all(isinstance(row, list) for row in rows):
            raise fault(f"the statistics of {show(name)} must have one row per query")
        if len({len(row) for row in rows}) > 1:
            raise fault(f"the statistics of {show(name)} must have rows of the same length")
        where = f"a statistic of {show(name)}"
        values = np.array([[read_stored_number(each, where) for each in row] for row in rows], dtype=np.float64)
        if not np.isfinite(values).all():
            raise fault(f"the statistics of {show(name)} must be finite numbers")
        if is_pooled(measures[name]):
            if not np.isclose(
                overall_number(measures[name], values[~np.isnan(scores[name])]), means[name], equal_nan=True
            ):
                raise fault(f"the statistics of {show(name)} do not give its mean")
            found[name] = values
    return found


def overall_number(measure: Measure, statistics: FloatArray) -> float:
    """The number that statistics give; NaN if they cannot belong to the measure."""
    try:
        with np.errstate(all="ignore"):
            return float(measure.definition.pooled.combine(statistics.sum(axis=0), **measure.values))  # type: ignore[union-attr]
    except (IndexError, ValueError, TypeError, ArithmeticError):
        return math.nan


def read_human(said: Any, measures: Mapping[str, Measure], queries: int) -> dict[str, FloatArray]:  # noqa: ANN401 - whatever the file holds
    """The values that people gave, by measure; null for queries without one."""
    return read_columns(said, "human", measures, queries)


def read_noise(said: Any, measures: Mapping[str, Measure], queries: int) -> dict[str, FloatArray]:  # noqa: ANN401 - whatever the file holds
    """How much scores vary between draws of verdicts, by measure; null for queries without a score."""
    found = read_columns(said, "noise", measures, queries)
    for name, values in found.items():
        if (values < 0).any():
            raise fault(f"a noise value of {show(name)} is a variance and cannot be below 0")
    return found


def read_columns(said: Any, kind: str, measures: Mapping[str, Measure], queries: int) -> dict[str, FloatArray]:  # noqa: ANN401 - whatever the file holds
    """More values by measure, one per query."""
    if not isinstance(said, dict):
        raise fault(f"{kind} must be an object, not {show(said)}")
    found = {}
    for name, values in said.items():
        if name not in measures or not is_anchorable(measures[name]):
            raise fault(f"{kind} values of {show(name)}, which is not a measure with a mean over queries")
        if not isinstance(values, list) or len(values) != queries:
            raise fault(f"the {kind} values of {show(name)} must be a list with one value per query")
        where = f"a {kind} value of {show(name)}"
        found[name] = np.array([read_stored_number(each, where) for each in values], dtype=np.float64)
    return found


class AbsentDefinition(Definition):
    """A measure known by name only."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return absent_definition, (self.name, self.aggregate, self.higher_is_better, self.corpus is not None)


def absent_measure(name: str, aggregate: Any, higher_is_better: bool, corpus: bool) -> Measure:  # noqa: ANN401 - one of three words
    return Measure(absent_definition(name, aggregate, higher_is_better, corpus), {})


@lru_cache(maxsize=MOST_ABSENT)
def absent_definition(name: str, aggregate: Any, higher_is_better: bool, corpus: bool) -> Definition:  # noqa: ANN401 - one of three words
    """The definition with only a name. It is created once, so that equal names are equal measures."""

    def unknown(judged: Judged) -> FloatArray:
        raise MeasureError(
            f"{show(name)} is known only from a stored result and cannot score {judged.size} queries; "
            "define it with @assay.extend.measure"
        )

    def whole(judged: Judged) -> float:
        return float(unknown(judged)[0])

    about: dict[str, Any] = {"aggregate": aggregate, "higher_is_better": higher_is_better}
    return AbsentDefinition(name, unknown, name, "", corpus=whole if corpus else None, **about)


def is_absent(measure: Measure) -> bool:
    about = measure.definition
    return TABLE.get(about.name) is not about and about.of != "scores"


def absent_notes(measures: Mapping[str, Measure]) -> list[Note]:
    """A note for each measure known by name only."""
    names = [name for name, each in measures.items() if is_absent(each)]
    return [Note.of(NoteKind.NOT_DEFINED, measures=[printable(name)]) for name in names]
