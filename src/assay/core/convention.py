"""How a tool computes: its policies, and its names for measures with how they are read and written.

A convention is data. The code that follows it is the same for all tools. `read_call` and `write_call` are the syntax
that most tools share, `AP(rel=2)@100`; a tool with its own syntax has it beside its names. assay's own syntax is
`name(param=value,…)@k`; nothing is evaluated:

    ndcg@10    ap(rel=2)@100    rbp(p=0.95)    ndcg(gain=1:3;2:9)@10    iprec@0.1    mean_iprec(recalls=0.2;0.5;0.8)

Case does not matter, values may be quoted, and blanks between the parts are ignored. A text is always quoted:

    aspect(criterion="Is the answer polite, and short?")
"""

import math
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.core.errors import MeasureError
from assay.core.measure import Definition, Measure
from assay.core.parameter import Parameter, write_value
from assay.core.policies import Policies
from assay.core.text import show

SHAPE = re.compile(r"\s*(?P<name>[^\s()@=,]+)\s*(?:\((?P<inside>[^()]*)\))?\s*(?:@\s*(?P<at>[^\s()@]+))?\s*", re.DOTALL)
NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?", re.ASCII)
LONGEST_NAME = 1000
# What begins a value that may contain commas, and what ends it.
CLOSERS = {'"': '"', "'": "'", "{": "}"}


class Written(NamedTuple):
    """A name taken apart: the tool's name, the options that it sets, and its cutoffs."""

    base: str
    options: Mapping[str, str]
    cutoffs: tuple[str, ...]


def split_name(text: str) -> Written:
    check_length(text)
    shape = SHAPE.fullmatch(text)
    if shape is None:
        hint = "write name(param=value,…)@k, such as ndcg@10"
        if '"' in text:
            hint += "; a text with parentheses goes into a file of criteria (see assay.judges.read_criteria)"
        raise MeasureError(f"cannot read the measure {show(text)}; {hint}")
    values: dict[str, str] = {}
    for part in split_arguments(shape["inside"] or ""):
        name, equals, value = (piece.strip() for piece in part.partition("="))
        if not (equals and name and value):
            raise MeasureError(f"cannot read {show(part)} in the measure {show(text)}; write param=value")
        if name in values:
            raise MeasureError(f"duplicate parameter {show(name)} in the measure {show(text)}")
        values[name] = unquote(value)
    return Written(shape["name"], values, (shape["at"],) if shape["at"] else ())


def check_length(text: str, most: int = LONGEST_NAME) -> None:
    if len(text) > most:
        raise MeasureError(f"the measure {show(text)} has {len(text):,} characters; at most {most:,} are allowed")


def split_arguments(inside: str) -> list[str]:
    """What stands between commas; one in quotes, or in braces, is part of a value."""
    if not inside.strip():
        return []
    if '"' not in inside and "'" not in inside and "{" not in inside:
        return inside.split(",")
    parts, begin, end, before = [], 0, "", ""
    for at, mark in enumerate(inside):
        if end:
            end = "" if mark == end else end
        elif before == "=" and mark in CLOSERS:
            end = CLOSERS[mark]
        elif mark == ",":
            parts.append(inside[begin:at])
            begin = at + 1
        before = before if mark.isspace() else mark
    return [*parts, inside[begin:]]


def unquote(value: str) -> str:
    for quote in "'\"":
        if len(value) > 1 and value[0] == value[-1] == quote:
            return value[1:-1]
    return value


def parse_name(text: str, find: Callable[[str], tuple[Definition, Mapping[str, Any]]], rel: float = 1) -> Measure:
    """The measure that a name means; `find` gives that of a bare name or alias, and what the alias sets."""
    written = split_name(text)
    definition, preset = find(written.base)
    parameters, given = definition.parameters, dict[str, Any]()
    for name, value in written.options.items():
        if name in preset:
            raise MeasureError(f"{show(text)}: {written.base} sets {name} itself; use {definition.name}({name}=…)")
        given[name] = read_value(parameters[name], value) if name in parameters else value
    for at in written.cutoffs:
        if definition.at not in parameters:
            raise MeasureError(f"{show(text)}: {definition.name} has no cutoff; write {definition.name}")
        if definition.at in given:
            raise MeasureError(f"duplicate parameter {show(definition.at)} in the measure {show(text)}")
        given[definition.at] = read_value(parameters[definition.at], at)
    # Only a common default is replaced for all measures at once: gains have their own `rel`.
    is_common = "rel" in parameters and parameters["rel"].default == 1
    return definition(**{**({"rel": rel} if is_common else {}), **preset, **given})


def read_value(parameter: Parameter, text: str) -> Any:  # noqa: ANN401 - a parameter may be of any kind
    """The text as a value of the parameter's kind; unchanged if it cannot be one, so that the check reports it."""
    if parameter.kind is dict and ":" in text:
        pairs = [pair.partition(":") for pair in text.split(";")]
        numbers = [(read_number(grade), read_number(gain)) for grade, _, gain in pairs]
        if any(None in pair for pair in numbers) or len({grade for grade, _ in numbers}) < len(numbers):
            return text
        return dict(numbers)
    if parameter.kind is tuple:
        values = [read_number(part) for part in text.split(";")]
        return text if None in values else tuple(values)
    if parameter.is_text:
        return text
    if parameter.kind is bool:
        return {"true": True, "false": False}.get(text.lower(), text)
    value = read_number(text)
    return text if parameter.choices or value is None else value


def read_number(text: str) -> float | None:
    number = float(text) if NUMBER.fullmatch(text.strip()) else math.inf
    return number if math.isfinite(number) else None


CALL = re.compile(r"(?P<base>[^\s()@=,]+)(?:\((?P<inside>[^()]*)\))?(?:@(?P<at>[^\s()@]+))?", re.DOTALL)
# A quoted value, whose blanks belong to it, or a blank.
QUOTED_OR_BLANK = re.compile(r"""("[^"]*"|'[^']*')| """)
NO_ENTRIES: Mapping[str, Any] = MappingProxyType({})


class NameOption(NamedTuple):
    """An option that a tool allows in a measure's name: the parameter of assay, or the policy, that it sets.

    `words` maps the tool's words to values; `read` turns text into a value where it is more than a number or a word.
    If the option decides which measure is meant, `parameter` is `measure` and the words map to canonical names.
    """

    parameter: str
    words: Mapping[str, Any] = NO_ENTRIES
    is_policy: bool = False
    read: Callable[[str], Any] | None = None


class Name(NamedTuple):
    """A tool's name for a measure, or for one at each of several cutoffs.

    `measure` is a canonical name, in which `@{}` marks a required cutoff and `[@{}]` an optional one. `cutoffs` are the
    tool's defaults, and `output` is how the tool prints a name with a cutoff; with `whole`, cutoffs lose their
    decimals. Without cutoffs, `output` is how the tool prints a name with options. `policies` are the tool's own for
    this measure, and `needed` holds the options that the tool requires, each with a typical value.
    """

    measure: str
    cutoffs: tuple[float, ...] = ()
    output: str = ""
    options: Mapping[str, NameOption] = NO_ENTRIES
    policies: Mapping[str, Any] = NO_ENTRIES
    whole: bool = False
    needed: Mapping[str, str] = NO_ENTRIES


def read_call(text: str, names: Mapping[str, object]) -> Written | None:
    """`Name(option=value,…)@cutoff`, with quotes and braces as in Python."""
    shape = CALL.fullmatch(QUOTED_OR_BLANK.sub(lambda found: found[1] or "", text))
    if shape is None or shape["base"] not in names:
        return None
    options: dict[str, str] = {}
    # Commas inside braces separate pairs, not options.
    for part in split_arguments(shape["inside"] or ""):
        if not part:
            continue
        name, equals, value = part.partition("=")
        if not (name and equals and value) or name in options:
            return None
        options[name] = value[1:-1].replace(",", ";") if value[0] + value[-1] == "{}" else unquote(value)
    return Written(shape["base"], options, (shape["at"],) if shape["at"] else ())


def write_call(name: str, entry: Name, at: float | str | None, options: Mapping[str, str]) -> str:
    """`Name(option=value,…)@cutoff`; pairs are in braces, texts in quotes."""
    base, written = name.removesuffix("@k"), []
    for option, value in options.items():
        pairs = f"{{{value.replace(';', ',')}}}" if ":" in value else value
        written.append(f'{option}="{value}"' if " " in value else f"{option}={pairs}")
    inside = f"({','.join(written)})" if written else ""
    return base + inside + write_cutoff(base, entry, at).removeprefix(base)


def write_cutoff(name: str, entry: Name, at: float | str | None) -> str:
    """The name at a cutoff, as the tool prints it if it has its own way."""
    if at is None:
        return name
    if not entry.output.startswith(name):
        return f"{name}@{at if isinstance(at, str) else write_value(at)}"
    return re.sub(r"\{.*?\}", at, entry.output) if isinstance(at, str) else entry.output.format(at)


class Convention(NamedTuple):
    """A tool: its name, its policies, its names for measures, and how it reads and writes them.

    `nicknames` stand for several of its names. `prepare` turns the judgments or the ranking of one query, given as
    Python objects, into what the tool uses; empty if it cannot use them. Without it, what is not a list of ids (None,
    an empty group) is an error, or the query is NaN, as `unreadable` says. `infinite` tells whether infinite scores are
    allowed, `empty_ids` whether the empty string is a document like any other, `surplus` whether the fields of a run's
    line that follow the sixth are ignored. `level` is the tool's switch for the lowest relevant grade of all measures,
    if it has one. `judged` is what some names mean where an LLM judge is asked and no verdicts are given.
    """

    name: str
    title: str
    policies: Policies = Policies()
    names: Mapping[str, Name] = NO_ENTRIES
    read: Callable[[str, Mapping[str, Any]], Written | None] = read_call
    write: Callable[[str, Name, float | str | None, Mapping[str, str]], str] = write_call
    nicknames: Mapping[str, tuple[str, ...]] = NO_ENTRIES
    prepare: Callable[[Any], Any] | None = None
    level: str = ""
    unreadable: str = "error"
    infinite: bool = False
    empty_ids: bool = False
    surplus: bool = False
    judged: Mapping[str, str] = NO_ENTRIES
