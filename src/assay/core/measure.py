"""What a measure is: a function from `Judged` to one number per query, and everything there is to know about it.

    @define("half_rr", title="Half of the reciprocal rank", formula="1 / (2 rank)")
    def half_reciprocal_rank(judged: Judged, *, rel: Rel = 1, k: Cutoff = None) -> FloatArray:
        ...

The parameters are the function's own, with their defaults; the grammar reads their annotations. `assay.measures` holds
the table in which every name is looked up.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property, partial
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple, get_type_hints

import numpy as np

from assay.core.errors import MeasureError
from assay.core.judged import FloatArray, Judged
from assay.core.parameter import Bounds, Parameter, parameter, write_argument, write_value
from assay.core.text import show

Values = Mapping[str, Any]
# What stands below `define` returns the function that it decorates, with what it says in this attribute.
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]
FACTS = "facts"
Draws = Literal["mean", "majority"]

Rel = Annotated[float, "the lowest grade that counts as relevant"]
Cutoff = Annotated[
    int | None, Bounds(low=1), "only the first k documents count", {None: "every retrieved document counts"}
]
# Lower scores count as this much, so that one zero does not make the geometric mean zero.
SMALLEST_AVERAGE = 1e-5


class Aggregation(NamedTuple):
    """A statistic per query, and the number that their sum and the number of queries give."""

    prepare: Callable[[FloatArray], FloatArray]
    finish: Callable[[Any, int], Any]

    def __call__(self, scores: FloatArray) -> float:
        """The aggregate of these scores, without NaN; NaN if there is nothing else."""
        counted = scores[~np.isnan(scores)]
        if not len(counted):
            return float("nan")
        # Added one by one, not pairwise, so that the last digit is the one that other tools print.
        with np.errstate(over="ignore", invalid="ignore"):
            total = np.cumsum(self.prepare(counted))[-1]
        return float(self.finish(total, len(counted)))


AGGREGATES = {
    "mean": Aggregation(lambda scores: scores, lambda total, count: total / count),
    "geometric": Aggregation(
        lambda scores: np.log(np.maximum(scores, SMALLEST_AVERAGE)), lambda total, count: np.exp(total / count)
    ),
    "sum": Aggregation(lambda scores: scores, lambda total, _: total),
}


class Example(NamedTuple):
    """A worked example: grades in rank order, the value they give, and the arithmetic."""

    measure: str
    grades: list[float]
    value: float
    working: str
    ideal: list[float] | None = None


class AnswerExample(NamedTuple):
    """A worked example of a measure of texts: references, the answer or passages, the value, and the arithmetic."""

    measure: str
    references: list[str]
    prediction: str | list[str]
    value: float
    working: str


class JudgedExample(NamedTuple):
    """A worked example of a judged measure: a record, what the judge replies to each request, the value, and how."""

    measure: str
    record: Mapping[str, Any]
    replies: list[Any]
    value: float
    working: str


class Pooled(NamedTuple):
    """Statistics, one row per query, and the function from rows of sums to values."""

    statistics: Callable[..., FloatArray]
    combine: Callable[..., FloatArray]


@dataclass(frozen=True)
class Definition:
    """A measure with open parameters: an entry of the table.

    `needs` names what the measure needs of `Judged` beyond the usual: `foreign`, `spread`. `corpus` computes the one
    number for all queries if their values are not enough for it; `pooled` does so from statistics summed over queries.
    `usual_range` is the range with the default parameters, if others widen it. `kin` is the better known measure that
    this one is a variant of. `of` is what is measured: rankings, answers (a function of `Answers`), the contents of
    passages (of `Contents`), scores from elsewhere (of records), or what an LLM judges (steps with a `Case`; `prompts`
    are what it is asked, `draws` how the scores of repeated draws become one). `basis` names the software the numbers
    depend on, such as a library with its version, for the signature. `remarks` are sentences about the data, which
    become notes. `symbol` is how papers write the name, if not like this. `additive` says for which parameters the
    value of a query is a sum over the judged documents retrieved, of a weight by rank times a gain by grade.
    """

    name: str
    function: Callable[..., Any]
    title: str
    formula: str
    reference: str = ""
    symbol: str = ""
    aliases: Mapping[str, Values] = field(default_factory=dict)
    at: str = "k"
    range: tuple[float, float] = (0.0, 1.0)
    usual_range: tuple[float, float] | None = None
    aggregate: Literal["mean", "geometric", "sum"] = "mean"
    needs_relevant: bool = False
    undefined: str = ""
    higher_is_better: bool = True
    bind: Callable[[Judged, Values], Values] | None = None
    needs: tuple[str, ...] = ()
    corpus: Callable[..., float] | None = None
    pooled: Pooled | None = None
    kin: str = ""
    of: Literal["rankings", "answers", "contents", "scores", "judged"] = "rankings"
    basis: Callable[[], str] | None = None
    remarks: Callable[..., list[str]] | None = None
    example: Example | AnswerExample | JudgedExample | None = None
    prompts: tuple[Any, ...] = ()
    draws: Draws = "mean"
    additive: Callable[[Values], bool] | None = None

    def __reduce__(self) -> tuple[Callable[[str, str], Any], tuple[str, str]]:
        """A pickle has where the measure is defined: there it is one object, and its function is inside it."""
        home = self.function.__module__, self.function.__qualname__
        if find_defined(*home) is not self:
            where = "define it at the top level of a module, under the name of its function"
            raise MeasureError(f"the measure {show(self.name)} cannot be pickled; {where}")
        return find_defined, home

    def __deepcopy__(self, _: object) -> Definition:
        return self

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
        """The measure with these parameters; the others have their defaults."""
        for name in values:
            if name not in self.parameters:
                known = ", ".join(self.parameters) or "none"
                raise MeasureError(f"{self.name} has no parameter {show(name)}; it has {known}")
        given = {name: each.check(values[name], self.name) for name, each in self.parameters.items() if name in values}
        settings = {name: given.get(name, each.default) for name, each in self.parameters.items()}
        for name, value in settings.items():
            if value is inspect.Parameter.empty:
                at = f"write {self.name}@{name}" if name == self.at else f"write {self.name}({name}=…)"
                raise MeasureError(f"{self.name} needs {name}; {at}")
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
        return self._name

    @cached_property
    def _name(self) -> str:
        return self._write(lambda name: self.values[name] != self.definition.parameters[name].default)

    @cached_property
    def full_name(self) -> str:
        """The name with every parameter, defaults included."""
        return self._write(lambda name: self.values[name] is not None)

    @property
    def symbol(self) -> str:
        """The name as papers write it.

        >>> from assay.measures import parse
        >>> parse("ndcg@10").symbol, parse("ap(rel=2)").symbol, parse("num_rel").symbol
        ('nDCG@10', 'MAP(rel=2)', 'num_rel')
        """
        return (self.definition.symbol or self.definition.name) + self._name.removeprefix(self.definition.name)

    def _write(self, wanted: Callable[[str], bool]) -> str:
        values, at = self.values, self.definition.at
        inside = [f"{name}={write_argument(value)}" for name, value in values.items() if name != at and wanted(name)]
        text = self.definition.name + (f"({','.join(inside)})" if inside else "")
        return text + (f"@{write_value(values[at])}" if values.get(at) is not None else "")

    def __repr__(self) -> str:
        return f"<measure {self}>"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Measure) and other.definition is self.definition and other.values == self.values

    def __hash__(self) -> int:
        return hash((self.definition.name, self.values.get(self.definition.at)))

    @property
    def is_additive(self) -> bool:
        """Whether the value of a query is a sum of weight(rank) · gain(grade) over the judged documents retrieved."""
        return self.definition.additive is not None and self.definition.additive(self.values)

    @property
    def has_own_number(self) -> bool:
        """Whether the number for all queries depends on more than their values."""
        return self.definition.corpus is not None or is_pooled(self)

    def bound(self, judged: Judged) -> Measure:
        """The measure with the parameters that depend on the data."""
        if self.definition.bind is None:
            return self
        return Measure(self.definition, {**self.values, **self.definition.bind(judged, self.values)})

    def __call__(self, subject: Any) -> FloatArray:  # noqa: ANN401 - Judged, Answers or Contents
        """One value per query; NaN if the measure is undefined."""
        return np.asarray(self.definition.function(subject, **self.values), dtype=np.float64)


def find_defined(module: str, name: str) -> object:
    return getattr(import_module(module), name, None)


def is_pooled(measure: Measure) -> bool:
    """Whether its number for all queries comes from statistics summed over queries."""
    return measure.definition.pooled is not None and measure.values.get("aggregate", "corpus") == "corpus"


def is_anchorable(measure: Measure) -> bool:
    """Whether its number for all queries is the mean of their values, which human labels can anchor."""
    return measure.definition.aggregate == "mean" and not measure.has_own_number


def always(_: Values) -> bool:
    return True


def define(name: str, *, title: str = "", formula: str = "", **about: Any) -> Callable[..., Definition]:  # noqa: ANN401 - passed on to Definition
    """Makes a function a measure; see `Definition` for the options. The table of measures collects it.

    What takes a line of its own, from `computes` to an example, may stand between this and the function.
    """

    def build(function: Callable[..., Any]) -> Definition:
        facts = {"formula": formula, **about, **getattr(function, FACTS, {})}
        return Definition(name, function, title or name, **facts)

    return build


def says(**facts: Any) -> Decorator:  # noqa: ANN401 - passed on to Definition
    """Says more of the measure that `define` makes of a function."""

    def add(function: Callable[..., Any]) -> Callable[..., Any]:
        vars(function).setdefault(FACTS, {}).update(facts)
        return function

    return add


def computes(formula: str) -> Decorator:
    return says(formula=formula)


def undefined_if(case: str) -> Decorator:
    return says(undefined=case)


def cites(reference: str) -> Decorator:
    return says(reference=reference)


def example(*values: Any, kind: Callable[..., Any] = Example, **more: Any) -> Decorator:  # noqa: ANN401 - of its kind
    return says(example=kind(*values, **more))


answer_example = partial(example, kind=AnswerExample)
judged_example = partial(example, kind=JudgedExample)
