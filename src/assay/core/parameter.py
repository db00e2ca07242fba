"""Parameters of measures: the values that a function's annotations allow, and how they are written."""

import re
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin

import numpy as np

from assay.core.errors import MeasureError
from assay.core.text import show

GainMap = Mapping[float, float]
LARGEST = sys.float_info.max
# Beyond it floats skip whole numbers, and a name would not parse back to its measure.
LARGEST_WHOLE = 2**53
# A text in a name stands in quotes, and the name must still be told apart from others in a list of names.
LONGEST_TEXT = 600
NOT_IN_TEXT = re.compile(r'["()]|[^\S ]|[\x00-\x1f\x7f]')
# Values that need no quotes.
WORD = re.compile(r"[\w.:;+-]+")


class Bounds(NamedTuple):
    """The range of a number; an open end is not part of it."""

    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False
    open_high: bool = False

    def allow(self, value: float) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        sides = [
            f"{'above' if self.open_low else 'at least'} {self.low:g}" if np.isfinite(self.low) else "",
            f"{'below' if self.open_high else 'at most'} {self.high:g}" if np.isfinite(self.high) else "",
        ]
        return " and ".join(side for side in sides if side)


class Parameter(NamedTuple):
    """One parameter of a measure, as its function's annotation describes it.

    `kind` is dict if pairs grade:gain are allowed, tuple for a list of numbers, of a fixed `length` or any, and str
    without choices for a text. `words` are the meanings of values, if the annotation gives them.
    """

    name: str
    kind: type
    default: Any
    choices: tuple[str, ...] = ()
    bounds: Bounds = Bounds()
    help: str = ""
    length: int | None = None
    words: tuple[tuple[object, str], ...] = ()

    @property
    def is_text(self) -> bool:
        return self.kind is str and not self.choices

    def check(self, value: Any, measure: str) -> Any:  # noqa: ANN401 - a parameter may be of any kind
        """The value as the function takes it, or an error that says what is allowed."""
        checked = self._convert(value)
        if checked is None and value is not self.default:
            expected = self.describe()
            if self.kind is int and is_number_above(value, LARGEST_WHOLE):
                expected = f"{expected} and at most {LARGEST_WHOLE:,}"
            raise MeasureError(f"{measure}: {self.name} must be {expected}, not {show(write_value(value))}")
        return checked

    def _convert(self, value: Any) -> Any:  # noqa: ANN401 - a parameter may be of any kind
        if isinstance(value, Mapping):
            return convert_pairs(value) if self.kind is dict else None
        if self.kind is bool:
            return value if isinstance(value, bool) else None
        if self.choices:
            return value if isinstance(value, str) and value in self.choices else None
        if self.is_text:
            is_right = isinstance(value, str) and len(value) <= LONGEST_TEXT and not NOT_IN_TEXT.search(value)
            return value.strip() or None if is_right else None
        if self.kind is not tuple:
            return self._convert_number(value)
        values = tuple(value) if isinstance(value, (tuple, list, np.ndarray)) else (value,)
        numbers = tuple(number for number in map(self._convert_number, values) if number is not None)
        return numbers if len(numbers) == len(values) == (self.length or len(values)) > 0 else None

    def _convert_number(self, value: Any) -> float | None:  # noqa: ANN401 - a parameter may be of any kind
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            return None
        value = value.item() if isinstance(value, np.generic) else value
        if not abs(value) <= (LARGEST_WHOLE if self.kind is int else LARGEST):
            return None
        number = int(value) if self.kind is int and float(value).is_integer() else float(value)
        is_right = self.bounds.allow(number) and (self.kind is not int or isinstance(number, int))
        return number if is_right else None

    def describe(self) -> str:
        if self.choices:
            words = " or ".join(self.choices)
            return f"{words} or pairs grade:gain such as 1:3;2:9" if self.kind is dict else words
        if self.kind is bool:
            return "true or false"
        if self.is_text:
            return f'a text of at most {LONGEST_TEXT} characters in quotes, without ", parentheses and line breaks'
        noun = "a whole number" if self.kind is int else "a number"
        if self.kind is tuple:
            noun = f"{self.length} numbers" if self.length else "numbers such as 0.25;0.5, each"
        return f"{noun} {self.bounds}".strip()


def convert_pairs(value: Mapping[Any, Any]) -> GainMap | None:
    try:
        pairs = {float(grade): float(gain) for grade, gain in value.items()}
    except (TypeError, ValueError, OverflowError):
        return None
    return pairs if pairs and np.isfinite([*pairs, *pairs.values()]).all() else None


def is_number_above(value: object, most: int) -> bool:
    """Whether the value is a number above that, perhaps one that is text still because no float is near it."""
    try:
        is_named = isinstance(value, (bool, str)) and not any(map(str.isdigit, str(value)))
        return not is_named and float(value) > most  # type: ignore[arg-type]
    except OverflowError:
        return True
    except (TypeError, ValueError):
        return False


def parameter(name: str, hint: Any, default: Any) -> Parameter:  # noqa: ANN401 - an annotation may be anything
    """The parameter that an annotation describes."""
    hint, *extras = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    options = get_args(hint) if get_origin(hint) not in (Literal, None) else (hint,)
    choices = tuple(word for option in options if get_origin(option) is Literal for word in get_args(option))
    is_mapping = any(get_origin(option) is not Literal and "Mapping" in str(option) for option in options)
    is_list = get_origin(hint) is tuple
    kind = dict if is_mapping else next((each for each in (bool, int, float) if each in options), str)
    return Parameter(
        name=name,
        kind=tuple if is_list else kind,
        default=default,
        choices=choices,
        bounds=next((each for each in extras if isinstance(each, Bounds)), Bounds()),
        help=next((each for each in extras if isinstance(each, str)), ""),
        words=next((tuple(each.items()) for each in extras if isinstance(each, Mapping)), ()),
        length=len(options) if is_list and Ellipsis not in options else None,
    )


def write_argument(value: Any) -> str:  # noqa: ANN401 - a parameter may be of any kind
    """A parameter's value inside a name: a text that is more than a word is quoted."""
    text = write_value(value)
    return f'"{text}"' if isinstance(value, str) and not WORD.fullmatch(text) else text


def write_value(value: Any) -> str:  # noqa: ANN401 - a parameter may be of any kind
    """A parameter's value as the grammar writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ";".join(f"{write_value(grade)}:{write_value(gain)}" for grade, gain in sorted(value.items()))
    if isinstance(value, tuple):
        return ";".join(map(write_value, value))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    try:
        return repr(value) if isinstance(value, float) else str(value)
    except ValueError:
        return "a number of thousands of digits"
