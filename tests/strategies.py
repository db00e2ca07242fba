"""Random judgments, runs and measures: small, full of ties, and with every kind of grade."""

import inspect
import itertools
import math
from functools import cache, partial
from typing import NamedTuple

from hypothesis import strategies as st

from assay import Measure
from assay.measures import TABLE

# As strings d10 stands before d2, and é after every ASCII letter.
DOCUMENTS = [*(f"d{number}" for number in range(12)), "é", "D1"]
QUERIES = ["q1", "q2", "q10", "Q1"]

# Few different values make many ties; all are exact in 32 bits.
SCORES = st.integers(-3, 8).map(lambda number: number / 4)
WHOLE_GRADES = st.sampled_from([-2, -1, 0, 0, 1, 1, 2, 3])
ANY_GRADES = st.one_of(WHOLE_GRADES, st.sampled_from([-0.5, 0.25, 0.5, 1.5, 2.75]))
CHANCES = st.sampled_from([-1, 0, 0.25, 0.5, 0.75, 1])
# Which sides have a query.
SIDES = st.dictionaries(
    st.sampled_from(QUERIES), st.sampled_from(["both", "both", "qrels", "run"]), min_size=1, max_size=3
).filter(lambda sides: "both" in sides.values())


class Collection(NamedTuple):
    """Judgments and a run."""

    qrels: dict[str, dict[str, float]]
    run: dict[str, dict[str, float]]


@cache
def judgments(grades=ANY_GRADES, min_size=0):
    """The judgments of one query."""
    return st.dictionaries(st.sampled_from(DOCUMENTS), grades, min_size=min_size, max_size=10)


@cache
def rankings(scores=SCORES, min_size=0):
    """The scored documents of one query."""
    return st.dictionaries(st.sampled_from(DOCUMENTS), scores, min_size=min_size, max_size=len(DOCUMENTS))


@st.composite
def collections(draw, judged=None, ranked=None):
    """Judgments and a run with at least one query in common; each side may have queries that the other lacks."""
    sides = draw(SIDES)
    judged = judgments() if judged is None else judged
    ranked = rankings() if ranked is None else ranked
    qrels = {query: draw(judged) for query, side in sides.items() if side != "run"}
    run = {query: draw(ranked) for query, side in sides.items() if side != "qrels"}
    return Collection(qrels, run)


# Values of parameters that make a difference on a collection as small as these; None leaves a parameter unset.
SENSIBLE = {
    "rel": [1, 2, 3, 0.5, 0, -1], "k": [None, 1, 2, 3, 5, 8, len(DOCUMENTS), 20], "max": [None, 3, 4.5],
    "beta": [1, 0.5, 3], "p": [0.5, 0.1, 0.95], "recall": [0, 0.1, 0.25, 0.3, 0.5, 0.7, 1], "cap": [False, True],
    "squared": [False, True], "condensed": [False, True], "multiple": [0.2, 0.5, 1, 1.5],
    "recalls": [(0, 0.5, 1), (0.25,), (0.7, 0.2, 0.2)], "weights": [(1, -1, 0, 0), (2, -0.5, -1, 0.25)],
    "documents": [0, 100], "base": [2, 10], "fewest": [0, 2], "limit": [None, 3, 20], "min": [0, 1],
    "target": [1, 0.5, 2.5], "alpha": [0.5, 0, 0.3, 1], "normalize": [True, False], "whole": [True, False],
    "members": [None, 1, 2],
}  # fmt: skip
GAIN_MAPS = [{1: 3, 2: 9}, {0: 1, 3: 0.5}, {1: -2}, {-1: 5, 2: 2}]


def sensible_values(parameter):
    if parameter.choices and parameter.name == "ideal" and "score" in parameter.choices:
        # By score the ideal ranking depends on what was not retrieved; ir_measures is the oracle of that.
        return ["rank"]
    maps = GAIN_MAPS if parameter.kind is dict else []
    values = SENSIBLE.get(parameter.name, [*parameter.choices, *maps])
    is_needed = parameter.default is inspect.Parameter.empty
    return [value for value in values if value is not None or not is_needed]


RANKINGS = {name: each for name, each in TABLE.items() if each.of == "rankings"}
# Every combination of such values, in the order of the parameters.
COMBINATIONS = {
    name: list(itertools.product(*map(sensible_values, each.parameters.values()))) for name, each in RANKINGS.items()
}


@cache
def variant(name, place):
    """A measure with one combination of values, made when it is drawn: all of them together take seconds to make."""
    values = zip(RANKINGS[name].parameters, COMBINATIONS[name][place], strict=True)
    return RANKINGS[name](**{parameter: value for parameter, value in values if value is not None})


# One draw a measure instead of one a parameter: drawing takes most of the tests' time.
EACH = [st.sampled_from(range(len(each))).map(partial(variant, name)) for name, each in COMBINATIONS.items()]
# So many measures of the table, side by side, are computed in one example: all of them take too long.
AT_A_TIME = 24


class Case(NamedTuple):
    """A collection, and one variant of each of some measures that can be computed from it."""

    qrels: dict[str, dict[str, float]]
    run: dict[str, dict[str, float]]
    measures: list[Measure]


@st.composite
def cases(draw, ranked=None):
    """Random collections with random variants of all measures."""
    # Grades are either numbers on a scale or probabilities; only from the latter the identity gain can be computed.
    is_chance = draw(st.booleans())
    qrels, run = draw(collections(judgments(CHANCES if is_chance else ANY_GRADES), ranked))
    start = draw(st.integers(0, len(EACH) - 1))
    chosen = [draw(each) for each in (EACH + EACH)[start : start + AT_A_TIME]]
    return Case(qrels, run, [each for each in chosen if is_chance or each.values.get("gain") != "identity"])


@cache
def any_values(parameter):
    """All values that a parameter may have."""
    if parameter.kind is dict:
        numbers = st.floats(allow_nan=False, allow_infinity=False)
        return st.sampled_from(parameter.choices) | st.dictionaries(numbers, numbers, min_size=1, max_size=4)
    if parameter.choices:
        return st.sampled_from(parameter.choices)
    if parameter.kind is bool:
        return st.booleans()
    if parameter.kind is int:
        return st.integers(int(parameter.bounds.low), int(min(2**53, parameter.bounds.high)))
    if parameter.kind is tuple:
        least = parameter.length or 1
        return st.lists(numbers_within(parameter.bounds), min_size=least, max_size=parameter.length or 4).map(tuple)
    return numbers_within(parameter.bounds)


def numbers_within(bounds):
    """The numbers that bounds allow."""
    return st.floats(
        bounds.low if math.isfinite(bounds.low) else None,
        bounds.high if math.isfinite(bounds.high) else None,
        exclude_min=bounds.open_low,
        exclude_max=bounds.open_high,
        allow_nan=False,
        allow_infinity=False,
    )


@st.composite
def any_measures(draw):
    """A measure of the table with parameters from all over their ranges, some of them left at their defaults."""
    definition = draw(st.sampled_from(list(RANKINGS.values())))
    parameters = definition.parameters.values()
    needed = {each.name for each in parameters if each.default is inspect.Parameter.empty}
    named = draw(st.sets(st.sampled_from(list(definition.parameters)))) if definition.parameters else set()
    chosen = {each.name: draw(any_values(each)) for each in parameters if each.name in named | needed}
    return definition(**chosen)
