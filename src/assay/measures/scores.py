"""Scores from elsewhere: a number per record that another tool computed, or that a function of yours computes.

`score:faithfulness` is `faithfulness` in the `scores` of the records, or else their field of that name. assay does not
know what it means: it has no range, and higher is better unless the name says `score:latency(higher_is_better=false)`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from assay.core.convention import NUMBER, check_length
from assay.core.errors import PASSING, AssayError, DataError, MeasureError
from assay.core.judged import FloatArray
from assay.core.measure import Definition, Measure
from assay.core.text import nearest, printable, show
from assay.data.records.fields import KNOWN_FIELDS
from assay.data.records.record import Record

# A function from a record to a number, or None where there is none.
Score: TypeAlias = Callable[[Any], float | None]
PREFIX = "score:"
# Every score of the records, and every other field of numbers.
EVERY = "score:*"
SHAPE = re.compile(
    r"score:(?P<name>[^\s()=,]+)(?:\(\s*higher_is_better\s*=\s*(?P<side>true|false)\s*\))?", re.IGNORECASE
)
# What the name of a measure cannot contain.
RESERVED = re.compile(r"[\s()=,]+")
WORDS = {"true": 1.0, "false": 0.0, "": math.nan, "nan": math.nan, "none": math.nan, "null": math.nan}
# How libraries call a missing value of theirs.
MISSING_TYPES = ("NAType", "NaTType")
MOST_DEFINED = 10_000


class ScoreDefinition(Definition):
    """A score of that name, wherever it comes from."""

    def __reduce__(self) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        return score_definition, (self.name, self.higher_is_better)


@lru_cache(maxsize=MOST_DEFINED)
def score_definition(name: str, higher_is_better: bool) -> Definition:
    """The definition of a score. It is created once, so that equal names are equal measures."""

    def read_column(records: Sequence[Record], *, higher_is_better: bool = True) -> FloatArray:  # noqa: ARG001 - said in the name
        """A number that each record was given."""
        return column_of(records, name.removeprefix(PREFIX))

    about: dict[str, Any] = {"of": "scores", "higher_is_better": higher_is_better}
    return ScoreDefinition(
        name, read_column, "Score from elsewhere", "given with the records", range=(-math.inf, math.inf), **about
    )


@dataclass(frozen=True, eq=False, repr=False)
class FunctionScore(Measure):
    """A score that a function computes, record by record."""

    function: Score

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FunctionScore) and super().__eq__(other) and other.function is self.function

    __hash__ = Measure.__hash__

    def __call__(self, subject: Any) -> FloatArray:  # noqa: ANN401 - records
        return np.array([self.of_record(each) for each in subject], dtype=np.float64)

    def of_record(self, record: Record) -> float:
        """The number that the function gives a record."""
        where = record.place or f"question {show(record.query_id)}"
        name = self.definition.name.removeprefix(PREFIX)
        try:
            value = self.function(record)
        except (AssayError, *PASSING):
            raise
        except Exception as error:
            reason = printable(f"{type(error).__name__}: {error}")
            raise DataError(f"{where}: the function {show(name)} raised {reason}") from error
        return read_score(value, f"{where}: what the function {show(name)} returns")


def score(source: str | Score, name: str | None = None, *, higher_is_better: bool = True) -> Measure:
    """A measure whose values come from elsewhere: a field of the records, or a function that takes a record.

    A function can be given in place of a measure as it is; this gives it another name, or says that lower is better.
    It gets one record at a time and returns a number, or None where there is none.

    >>> import assay
    >>> def words(record):
    ...     return len(record.answer.split())
    >>> records = [{"query_id": "q1", "answer": "in 1889", "cost": 3}, {"query_id": "q2", "answer": "no", "cost": 5}]
    >>> lower = assay.extend.score(words, "length", higher_is_better=False)
    >>> assay.evaluate_rag(records, [words, lower, "score:cost"]).mean
    {'score:words': 1.5, 'score:length': 1.5, 'score:cost': 4.0}
    """
    if not isinstance(higher_is_better, bool):
        raise MeasureError(f"higher_is_better must be True or False, not {show(higher_is_better)}")
    is_field = isinstance(source, str)
    if not is_field and not callable(source):
        raise MeasureError(f"a score is the name of a field or a function of a record, not {show(source)}")
    own = str(source).removeprefix(PREFIX) if is_field else getattr(source, "__name__", "<unnamed>")
    known = own if name is None else name
    if not isinstance(known, str) or not score_name(known) or (known.startswith("<") and known.endswith(">")):
        what = "the function has no name" if name is None else f"{show(name)} is not a name"
        raise MeasureError(f'{what}; write assay.extend.score(function, "my_score")')
    if is_field and name is not None:
        raise MeasureError("a field has its own name; leave out the second argument")
    definition = score_definition(PREFIX + score_name(known), higher_is_better)
    values = {"higher_is_better": higher_is_better}
    return Measure(definition, values) if isinstance(source, str) else FunctionScore(definition, values, source)


def score_name(field: str) -> str:
    """The name of a field in the name of a measure: blanks and what the grammar uses become `_`.

    >>> score_name("Answer Relevancy"), score_name("Correctness (GEval)"), score_name("hit@5")
    ('Answer_Relevancy', 'Correctness_GEval', 'hit@5')
    """
    plain = "".join(each if each.isprintable() else " " for each in field)
    return "_".join(RESERVED.sub(" ", plain).split())


def is_score(name: str) -> bool:
    return name.lstrip()[: len(PREFIX)].lower() == PREFIX


def parse_score(text: str) -> Measure:
    """The score that a name means."""
    check_length(text)
    shape = SHAPE.fullmatch(text.strip())
    if shape is None:
        raise MeasureError(
            f"cannot read the measure {show(text)}; write score:name or score:name(higher_is_better=false), "
            "with _ for blanks, parentheses, commas and = in the name of the field"
        )
    higher_is_better = (shape["side"] or "true").lower() == "true"
    return Measure(score_definition(PREFIX + shape["name"], higher_is_better), {"higher_is_better": higher_is_better})


def every_score(records: Sequence[Record], *, fields: bool, known: Iterable[str] = ()) -> list[str]:
    """The names of all scores that records have; with `fields`, also of their other fields that hold numbers.

    `known` are fields that hold a part of the records.
    """
    names: dict[str, None] = {}
    for key in keys_of(records, "scores"):
        if not (name := score_name(str(key))):
            holder = next(each for each in records if key in (each.scores or ()))
            where = holder.place or show(holder.query_id)
            told = f'{show(key)} in the scores is not a name; name each score, as in {{"faithfulness": 0.9}}'
            raise DataError(f"{where}: {told}")
        names[name] = None
    if fields:
        parts = {*KNOWN_FIELDS, *known}
        others = [key for key in keys_of(records, "fields") if key not in parts and holds_numbers(records, key)]
        names.update(dict.fromkeys(score_name(key) for key in others))
    return [PREFIX + name for name in names if name]


def keys_of(records: Sequence[Record], part: str) -> dict[Any, None]:
    return {key: None for each in records for key in getattr(each, part) or ()}


def holds_numbers(records: Sequence[Record], key: str) -> bool:
    """Whether a field has a number in some record, and nothing else in any."""
    try:
        values = [read_score((each.fields or {}).get(key), key) for each in records]
    except DataError:
        return False
    return not np.isnan(values).all()


def column_of(records: Sequence[Record], name: str) -> FloatArray:
    """The numbers of a score, NaN where a record has none; raises if no record has the field."""
    for part in ("scores", "fields"):
        keys = [key for key in keys_of(records, part) if score_name(str(key)) == name]
        if len(keys) > 1:
            both = " and ".join(map(show, keys))
            raise MeasureError(f"{both} are both called {PREFIX}{name}; rename one of them")
        if keys:
            places = (f"{each.place or show(each.query_id)}: the score {show(keys[0])}" for each in records)
            given = ((getattr(each, part) or {}).get(keys[0]) for each in records)
            return np.array(list(map(read_score, given, places)), dtype=np.float64)
    known = [each.removeprefix(PREFIX) for each in every_score(records, fields=True)]
    near = nearest(name, known)
    hint = f"did you mean {' or '.join(near)}?" if near else f"they have {', '.join(known) or 'no field of numbers'}"
    raise MeasureError(f"no record has a score or a field {show(name)}; {hint}")


def read_score(value: object, where: str) -> float:
    """A value as a number: true is 1 and false is 0; NaN for a missing one."""
    if hasattr(value, "item") and not isinstance(value, (Real, str)):
        # The one number in an array or a tensor.
        with suppress(ValueError, TypeError, RuntimeError):
            value = value.item()
    if value is None or type(value).__name__ in MISSING_TYPES:
        return math.nan
    if isinstance(value, str) and (value.strip().lower() in WORDS or NUMBER.fullmatch(value.strip())):
        text = value.strip().lower()
        value = WORDS[text] if text in WORDS else float(text)
    if not isinstance(value, (Real, Decimal, np.bool_)):
        raise DataError(f"{where} must be a number, true, false or null, not {show(value)}")
    try:
        number = float(value)
    except (OverflowError, ValueError):
        number = math.inf
    if math.isinf(number):
        raise DataError(f"{where} must be a finite number, not {show(value)}; use null if there is none")
    return number
