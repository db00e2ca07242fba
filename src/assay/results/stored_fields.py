"""The fields of a stored result, each checked: policies, measures, rows, statistics and notes.

A measure that is not defined here is known by its name only.
"""

from __future__ import annotations

import math
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
from assay.results.stored import INFINITE, LONGEST_ID, is_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from assay.core.convention import Convention
    from assay.core.judged import FloatArray, Judged

BACK = {word: value for value, word in INFINITE.items()}
LONGEST_NOTE = 100_000
MOST_ABSENT = 10_000


def fault(text: str) -> FormatError:
    return FormatError(f"{text}; write the file again with `{Option('result.save')}`")


def check_fields(fields: object, needed: tuple[str, ...], where: str, allowed: tuple[str, ...] = ()) -> dict[str, Any]:
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


def is_line(value: object) -> bool:
    return is_text(value, LONGEST_NOTE) and str(value).isprintable()


def read_policies(fields: object) -> Policies:
    """The policies; one that the file does not name has its default, as before it was introduced."""
    if not isinstance(fields, dict):
        raise fault(f"policies must be an object, not {show(fields)}")
    try:
        return Policies().changed(fields)
    except PolicyError as error:
        advice = f"update assay if a newer one wrote the file, or write it again with `{Option('result.save')}`"
        raise FormatError(f"{error}; {advice}") from None


def read_scores(rows: object, measures: list[str]) -> tuple[list[str], dict[str, FloatArray]]:
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


def read_notes(notes: object) -> list[Note]:
    """The notes, each an object, or a pair of a word and a sentence as 0.1.0 wrote them."""
    if not isinstance(notes, list):
        raise fault(f"notes must be a list, not {show(notes)}")
    return [read_note(note) for note in notes]


def read_note(note: object) -> Note:
    """One note; an unknown kind becomes `other`."""
    about = note
    if isinstance(note, list) and len(note) == 2:  # noqa: PLR2004 - a word and a sentence
        about = dict(zip(("kind", "text"), note, strict=True))
    if not isinstance(about, dict) or not {"kind", "text"} <= about.keys():
        raise fault(f"a note must have a kind and a text, not {show(note)}")
    fields = check_fields(about, ("kind", "text"), "a note", allowed=("count", "queries", "measures", "advice"))
    kind, text, count = fields["kind"], fields["text"], fields.get("count", 0)
    if not is_name(kind) or not is_line(text):
        raise fault(f"a note must have a kind and a text, not {show(note)}")
    if not isinstance(count, int) or isinstance(count, bool) or not 0 <= count <= LARGEST_WHOLE:
        raise fault(f"the count of a note must be a whole number from 0, not {show(count)}")
    for name in ("queries", "measures"):
        named = fields.get(name, [])
        if not isinstance(named, list) or not all(is_text(each, LONGEST_ID) for each in named):
            raise fault(f"the {name} of a note must be a list of strings, not {show(named)}")
    queries, measures = (tuple(fields.get(name, ())) for name in ("queries", "measures"))
    return Note(NoteKind.named(kind), text, count, queries, measures, read_advice(fields.get("advice", [])))


def read_advice(parts: object) -> Advice:
    """The advice of a note: texts, and the options and tasks that it names."""
    if not isinstance(parts, list):
        raise fault(f"the advice of a note must be a list, not {show(parts)}")

    def is_plain(value: object) -> bool:
        return isinstance(value, (bool, int, float)) or is_line(value)

    advice: list[str | Option | Task] = []
    for part in parts:
        about: dict[str, Any] = part if isinstance(part, dict) else {}
        value = about.get("value")
        # A pair is one entry of a dict.
        is_pair = isinstance(value, list) and len(value) == len(("key", "value")) and all(map(is_plain, value))
        if is_line(part):
            advice.append(part)
        elif about.keys() == {"task"} and is_name(about["task"]):
            advice.append(Task(about["task"]))
        elif (
            about.keys() == {"option", "value"}
            and is_name(about["option"])
            and (is_pair or value is None or is_plain(value))
        ):
            advice.append(Option(about["option"], tuple(value) if is_pair else value))  # type: ignore[arg-type]
        else:
            raise fault(f"the advice of a note must be texts, options and tasks, not {show(part)}")
    return tuple(advice)


def read_matching(rules: object) -> tuple[str, ...]:
    """How gold without ids was matched."""
    if not isinstance(rules, list) or not all(map(is_name, rules)):
        raise fault(f"matching must be a list of rules, not {show(rules)}")
    return tuple(rules)


def read_judge(text: object) -> str:
    """Which LLM gave verdicts, and how it was asked."""
    if not is_line(text):
        raise fault(f"judge must be a line of text, not {show(text)}")
    return str(text)


def read_measures(
    said: object, policies: Policies, convention: Convention
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
        measures[name] = stored_measure(about)
        if "mean" in about:
            means[name] = read_stored_number(about["mean"], f"the mean of {show(name)}")
        if "policies" in about and (changed := read_policies(about["policies"])) != policies:
            own[name] = changed
        check_stored_name(name, measures[name], convention, {policies.rel, own.get(name, policies).rel})
    return measures, own, means


def check_measure(said: object, where: str) -> dict[str, Any]:
    needed = ("name", "measure", "aggregate", "higher_is_better")
    about = check_fields(said, needed, where, allowed=("policies", "mean"))
    if not is_name(about["name"]) or not is_name(about["measure"]):
        raise fault(f"{where} must have a name, not {show(about['name'])} and {show(about['measure'])}")
    if not isinstance(about["aggregate"], str) or about["aggregate"] not in AGGREGATES:
        raise fault(f"{where}: aggregate must be {' or '.join(AGGREGATES)}, not {show(about['aggregate'])}")
    if not isinstance(about["higher_is_better"], bool):
        raise fault(f"{where}: higher_is_better must be true or false, not {show(about['higher_is_better'])}")
    return about


def stored_measure(about: Mapping[str, Any]) -> Measure:
    """The measure of a description, or one with only the name if it is not defined here."""
    known = (about["aggregate"], about["higher_is_better"], "mean" in about)
    try:
        measure = parse(about["measure"])
    except MeasureError:
        measure = None
    if measure is not None:
        definition = measure.definition
        if (definition.aggregate, definition.higher_is_better, measure.has_own_number) == known:
            return measure
    return Measure(absent_definition(about["measure"], *known), {})


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
    if all(len(each) == 1 and not is_same_measure(each[0], measure) for each in found):
        raise fault(f"{show(name)} means {found[0][0].full_name}, and {measure.full_name} is stored under that name")


def is_same_measure(named: Measure, measure: Measure) -> bool:
    is_bound = measure.definition.bind is not None and named.definition is measure.definition
    # Gold in groups, such as texts and spans, is counted over groups under the measure's own name.
    is_grouped = measure.definition.name == f"group_{named.definition.name}" and all(
        named.values.get(name) == value for name, value in measure.values.items()
    )
    return is_bound or is_grouped or named == measure


def read_statistics(
    said: object, measures: Mapping[str, Measure], scores: Mapping[str, FloatArray], means: Mapping[str, float]
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
            overall = overall_number(measures[name], values[~np.isnan(scores[name])])
            if not np.isclose(overall, means[name], equal_nan=True):
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


def read_columns(said: object, kind: str, measures: Mapping[str, Measure], queries: int) -> dict[str, FloatArray]:
    """What people gave (`human`) or the variances of draws (`noise`), by measure; null for queries without."""
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
    names = [name for name, each in measures.items() if is_absent(each)]
    return [Note.of(NoteKind.NOT_DEFINED, measures=[printable(name)]) for name in names]
