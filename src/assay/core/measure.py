"""What a measure is: a function from `Judged` to one number a query, and all that is said about it.

    @measure("half_rr", title="Half of the reciprocal rank", formula="1 / (2 rank)")
    def half_reciprocal_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
        ...

The parameters are the function's own, with their defaults; the grammar reads their annotations. The decorator puts the
measure into `TABLE`, where every name is looked up.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, get_args, get_origin, get_type_hints

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, Judged
from assay.core.text import show

Values = Mapping[str, Any]
Aggregate = Literal["mean", "geometric", "sum"]
SMALLEST_AVERAGE = 1e-5
GainMap = Mapping[float, float]
LARGEST = sys.float_info.max
# Beyond it a float skips whole numbers, and a name would no longer parse back to its measure.
LARGEST_WHOLE = 2**53


class Bounds(NamedTuple):
    """The values a number may have; an open end is not one of them."""

    low: float = -np.inf
    high: float = np.inf
    open_low: bool = False
    open_high: bool = False

    def __contains__(self, value: float) -> bool:
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below

    def __str__(self) -> str:
        sides = [
            f"{'above' if self.open_low else 'at least'} {self.low:g}" if np.isfinite(self.low) else "",
            f"{'below' if self.open_high else 'at most'} {self.high:g}" if np.isfinite(self.high) else "",
        ]
        return " and ".join(side for side in sides if side)


Rel = Annotated[float, "the lowest grade that counts as relevant"]
Cutoff = Annotated[int | None, Bounds(low=1), "only the first k documents count"]


class Parameter(NamedTuple):
    """One parameter of a measure, as its function's annotation tells it."""

    name: str
    kind: type
    default: Any
    choices: tuple[str, ...] = ()
    bounds: Bounds = Bounds()
    help: str = ""

    @property
    def is_mapping_allowed(self) -> bool:
        return self.kind is dict

    def check(self, value: Any, measure: str) -> Any:  # noqa: ANN401 - a parameter may be of any kind
        """The value as the function takes it, or an error that says what it may be."""
        checked = self._convert(value)
        if checked is None and value is not self.default:
            expected = self.describe()
            raise MeasureError(f"{measure}: {self.name} must be {expected}, not {show(write(value))}")
        return checked

    def _convert(self, value: Any) -> Any:  # noqa: ANN401 - a parameter may be of any kind
        if isinstance(value, Mapping):
            return self._convert_pairs(value) if self.is_mapping_allowed else None
        if self.choices:
            return value if value in self.choices else None
        if self.kind is bool:
            return value if isinstance(value, bool) else None
        if isinstance(value, bool) or not isinstance(value, (int, float, np.integer, np.floating)):
            return None
        value = value.item() if isinstance(value, np.generic) else value
        if not abs(value) <= (LARGEST_WHOLE if self.kind is int else LARGEST):
            return None
        number = int(value) if self.kind is int and float(value).is_integer() else float(value)
        is_right = number in self.bounds and (self.kind is float or isinstance(number, int))
        return number if is_right else None

    @staticmethod
    def _convert_pairs(value: Mapping[Any, Any]) -> GainMap | None:
        try:
            pairs = {float(grade): float(gain) for grade, gain in value.items()}
        except (TypeError, ValueError, OverflowError):
            return None
        return pairs if pairs and np.isfinite([*pairs, *pairs.values()]).all() else None

    def describe(self) -> str:
        """What values are allowed, in words."""
        if self.choices:
            words = " or ".join(self.choices)
            return f"{words} or pairs grade:gain such as 1:3;2:9" if self.is_mapping_allowed else words
        if self.kind is bool:
            return "true or false"
        noun = "a whole number" if self.kind is int else "a number"
        return f"{noun} {self.bounds}".strip()


class Example(NamedTuple):
    """A worked example: grades in rank order, the value they give, and the arithmetic."""

    measure: str
    grades: list[float]
    value: float
    working: str
    ideal: list[float] | None = None


@dataclass(frozen=True)
class Definition:
    """A measure with open parameters: an entry of the table."""

    name: str
    function: Callable[..., FloatArray]
    title: str
    formula: str
    reference: str = ""
    aliases: Mapping[str, Values] = field(default_factory=dict)
    at: str = "k"
    range: tuple[float, float] = (0.0, 1.0)
    aggregate: Aggregate = "mean"
    needs_relevant: bool = False
    undefined: str = ""
    higher_is_better: bool = True
    bind: Callable[[Judged, Values], Values] | None = None
    example: Example | None = None

    @property
    def summary(self) -> str:
        return inspect.getdoc(self.function) or ""

    @cached_property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters in the order of the function's signature."""
        hints = get_type_hints(self.function, include_extras=True)
        signature = inspect.signature(self.function).parameters
        names = [name for name, each in signature.items() if each.kind is inspect.Parameter.KEYWORD_ONLY]
        return {name: parameter(name, hints.get(name, float), signature[name].default) for name in names}

    def __call__(self, **values: Any) -> Measure:  # noqa: ANN401 - a parameter may be of any kind
        """This measure with some parameters set."""
        for name in values:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise MeasureError(f"{self.name}: there is no parameter {show(name)}; it has {known}")
        given = {name: each.check(values[name], self.name) for name, each in self.parameters.items() if name in values}
        settings = {name: given.get(name, each.default) for name, each in self.parameters.items()}
        for name, value in settings.items():
            if value is inspect.Parameter.empty:
                at = f"write {self.name}@{name}" if name == self.at else f"write {self.name}({name}=…)"
                raise MeasureError(f"{self.name}: {name} is needed; {at}")
        return Measure(self, settings)


@dataclass(frozen=True, eq=False)
class Measure:
    """A measure with all its parameters set. `str` gives its canonical name, which parses back to an equal one.

    >>> from assay.measures import parse
    >>> str(parse("nDCG(gain='exp2')@10")), parse("map") == parse("ap")
    ('ndcg(gain=exp2)@10', True)
    """

    definition: Definition
    values: Values

    def __str__(self) -> str:
        return self._write(lambda name: self.values[name] != self.definition.parameters[name].default)

    @property
    def full_name(self) -> str:
        """The name with every parameter, defaults included."""
        return self._write(lambda name: self.values[name] is not None)

    def _write(self, wanted: Callable[[str], bool]) -> str:
        at = self.definition.at
        inside = [f"{name}={write(value)}" for name, value in self.values.items() if name != at and wanted(name)]
        text = self.definition.name + (f"({','.join(inside)})" if inside else "")
        return text + (f"@{write(self.values[at])}" if self.values.get(at) is not None else "")

    def __repr__(self) -> str:
        return f"<measure {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and other.definition is self.definition and other.values == self.values

    def __hash__(self) -> int:
        return hash(str(self))

    def bound(self, judged: Judged) -> Measure:
        """The measure with the parameters that the data decides."""
        if self.definition.bind is None:
            return self
        return Measure(self.definition, {**self.values, **self.definition.bind(judged, self.values)})

    def __call__(self, judged: Judged) -> FloatArray:
        """One value a query; NaN where the measure is not defined."""
        return np.asarray(self.definition.function(judged, **self.values), dtype=np.float64)


def parameter(name: str, hint: Any, default: Any) -> Parameter:  # noqa: ANN401 - an annotation may be anything
    """The parameter that an annotation describes."""
    extras: tuple[Any, ...] = ()
    if get_origin(hint) is Annotated:
        hint, *rest = get_args(hint)
        extras = tuple(rest)
    options = get_args(hint) if get_origin(hint) not in (Literal, None) else (hint,)
    choices = tuple(word for option in options if get_origin(option) is Literal for word in get_args(option))
    is_mapping = any(get_origin(option) is not Literal and "Mapping" in str(option) for option in options)
    kind = dict if is_mapping else next((each for each in (bool, int, float) if each in options), str)
    return Parameter(
        name=name,
        kind=kind,
        default=default,
        choices=choices,
        bounds=next((each for each in extras if isinstance(each, Bounds)), Bounds()),
        help=next((each for each in extras if isinstance(each, str)), ""),
    )


def write(value: Any) -> str:  # noqa: ANN401 - a parameter may be of any kind
    """A parameter's value as the grammar writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, Mapping):
        return ";".join(f"{write(grade)}:{write(gain)}" for grade, gain in sorted(value.items()))
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return str(int(value))
    return repr(value) if isinstance(value, float) else str(value)


TABLE: dict[str, Definition] = {}


def measure(name: str, *, title: str, formula: str, **about: Any) -> Callable[[Callable[..., FloatArray]], Definition]:  # noqa: ANN401 - passed on to Definition
    """Makes a function a measure and puts it into the table; see `Definition` for what can be said about it.

    >>> import assay
    >>> @assay.measure("found", title="Relevant documents found", formula="r", range=(0, float("inf")))
    ... def found(judged, *, rel: assay.Rel = 1):
    ...     return judged.relevant(rel).count()
    >>> assay.evaluate({"q1": ["a", "b"]}, {"q1": ["a", "c"]}, ["found"])["found"]
    1.0
    >>> assay.remove_measure("found")
    """

    def register(function: Callable[..., FloatArray]) -> Definition:
        definition = Definition(name, function, title, formula, **about)
        names = [name, *definition.aliases]
        taken = [each for each in names if each in all_names(TABLE)]
        if taken:
            raise MeasureError(f"there is a measure named {show(taken[0])} already; choose another name")
        TABLE[name] = definition
        return definition

    return register


def remove_measure(name: str) -> None:
    """Takes a measure out of the table, so that its name can be used again."""
    if name not in TABLE:
        raise MeasureError(f"there is no measure named {show(name)}")
    del TABLE[name]


def all_names(table: Mapping[str, Definition]) -> dict[str, tuple[Definition, Values]]:
    """Every name and alias, with the parameters the alias sets."""
    names: dict[str, tuple[Definition, Values]] = {}
    for definition in table.values():
        names[definition.name] = (definition, {})
        names.update({alias: (definition, values) for alias, values in definition.aliases.items()})
    return names
