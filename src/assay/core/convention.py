"""How a tool computes: its policies, and its names for measures with how they are read and written.

A convention is data. The code that follows it is the same for all tools. `read_call` and `write_call` are the syntax
that most tools share, `AP(rel=2)@100`; a tool with its own syntax has it beside its names.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.grammar import split_arguments, unquote
from assay.core.parameter import write_value
from assay.core.policies import Policies

if TYPE_CHECKING:
    from collections.abc import Callable

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
    this measure, `about` is a remark for the documentation, and `needed` holds the options that the tool requires, each
    with a typical value.
    """

    measure: str
    cutoffs: tuple[float, ...] = ()
    output: str = ""
    options: Mapping[str, NameOption] = NO_ENTRIES
    policies: Mapping[str, Any] = NO_ENTRIES
    about: str = ""
    whole: bool = False
    needed: Mapping[str, str] = NO_ENTRIES


class Written(NamedTuple):
    """A name taken apart: the tool's name, the options that it sets, and its cutoffs."""

    base: str
    options: Mapping[str, str]
    cutoffs: tuple[str, ...]


def read_call(text: str, names: Mapping[str, object]) -> Written | None:
    """`Name(option=value,…)@cutoff`, with quotes and braces as in Python.

    >>> read_call("nDCG(dcg='exp-log2',gains={1:3,2:9})@10", {"nDCG": ...})
    Written(base='nDCG', options={'dcg': 'exp-log2', 'gains': '1:3;2:9'}, cutoffs=('10',))
    """
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
    base = name.removesuffix("@k")
    inside = ",".join(f"{option}={write_option(value)}" for option, value in options.items())
    return base + (f"({inside})" if inside else "") + write_cutoff(base, entry, at).removeprefix(base)


def write_option(value: str) -> str:
    """A value of an option: pairs in braces, words in quotes."""
    if " " in value:
        return f'"{value}"'
    return f"{{{value.replace(';', ',')}}}" if ":" in value else value


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
    if it has one. `judged` is what some names mean where an LLM judge is asked and no verdicts are given. `defects`
    lists where the tool is wrong and assay is not.
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
    defects: tuple[str, ...] = ()
