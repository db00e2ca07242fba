"""Names of measures for the fuzz targets, and the check that a measure's name parses back to it.

A text is arbitrary, or words of the grammar in any order, or a name of the right shape with any values.
"""

# ruff: noqa: INP001 - part of scripts, not a package
from collections.abc import Callable

import atheris
import harness

import assay
from assay.conventions import CONVENTIONS
from assay.core.parameter import Parameter
from assay.measures import TABLE

Measures = dict[str, assay.Measure]
LONGEST = 40
MARKS = ["@", "_", "."]
PARAMETERS = {name: list(TABLE.find(name)[0].parameters.values()) for name in TABLE.names()}
PARAMETERS |= {name: [] for each in CONVENTIONS.values() for name in each.names if name not in PARAMETERS}
NAMES = list(PARAMETERS)
FIELDS = sorted({word for each in PARAMETERS.values() for one in each for word in (one.name, *one.choices)})
NUMBERS = ["0", "1", "-0", "10", "0.5", ".1", "1.", "1e3", "1e-320", "1e308", "1e999", "9007199254740993", "nan", "inf"]
SIGNS = [*"()@=,;:._'\" \t\n-+e", "true", "FALSE", "1_0", "\u0663", "\u212a", "\x1b", "\ud800", "{}", "{0}"]
WORDS = [*NAMES, *FIELDS, *NUMBERS, *SIGNS]


def write(source: atheris.FuzzedDataProvider) -> str:
    """A text of any kind."""
    return WAYS[source.ConsumeIntInRange(0, len(WAYS) - 1)](source)


def check(parse: Callable[..., Measures], *arguments: object) -> Measures:
    """The measures, each of which parses back from its names, or none where the text is refused in a printable line."""
    try:
        measures = parse(*arguments)
    except assay.errors.MeasureError as error:
        harness.check_refusal(error)
        return {}
    for measure in measures.values():
        for written in (str(measure), measure.full_name):
            again = assay.parse_measure(written)
            if (again, str(again)) != (measure, str(measure)):
                raise AssertionError(f"{written} parses back to {again}")
    return measures


def anything(source: atheris.FuzzedDataProvider) -> str:
    return source.ConsumeUnicode(source.ConsumeIntInRange(0, 2000))


def words(source: atheris.FuzzedDataProvider) -> str:
    return "".join(source.PickValueInList(WORDS) for _ in range(source.ConsumeIntInRange(0, LONGEST)))


def name(source: atheris.FuzzedDataProvider) -> str:
    """A name with some of its parameters, and cutoffs as assay or another tool writes them."""
    spelling = source.PickValueInList(NAMES)
    settings = [f"{each.name}={value(source, each)}" for each in PARAMETERS[spelling] if source.ConsumeBool()]
    inside = f"({','.join(settings)})" if settings else ""
    cutoffs = ",".join(number(source) for _ in range(source.ConsumeIntInRange(0, 3)))
    return spelling + inside + (source.PickValueInList(MARKS) + cutoffs if cutoffs else "")


def value(source: atheris.FuzzedDataProvider, parameter: Parameter) -> str:
    """A value that the parameter may have, as a rule."""
    if parameter.is_mapping_allowed and source.ConsumeBool():
        return ";".join(f"{number(source)}:{number(source)}" for _ in range(source.ConsumeIntInRange(1, 3)))
    return source.PickValueInList([number(source), *(parameter.choices or ["true", "FALSE", "'1'"])])


def number(source: atheris.FuzzedDataProvider) -> str:
    return {
        "picked": lambda: source.PickValueInList(NUMBERS),
        "whole": lambda: str(source.ConsumeInt(2)),
        "share": lambda: repr(source.ConsumeProbability()),
        "any": lambda: repr(source.ConsumeFloat()),
    }[source.PickValueInList(["picked", "whole", "share", "any"])]()


WAYS = [anything, words, name]
