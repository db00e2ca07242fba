"""How tools spell measures: a syntax takes a name apart, given the tool's table of names.

Here are the two that several tools share: `AP(rel=2)@100`, and trec_eval's `ndcg_cut.5,10`, `P_5`, `ndcg.1=3,2=9`. A
tool that has its own syntax has it beside its names.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import MeasureError
from assay.core.grammar import unquote
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.core.convention import Name

CALL = re.compile(r"(?P<base>[^\s()@=,]+)(?:\((?P<inside>[^()]*)\))?(?:@(?P<at>[^\s()@]+))?", re.DOTALL)
GRADE = re.compile(r"[+-]?\d+", re.ASCII)
# Options of trec_eval that stand as pairs, and how they do; others stand by their place.
PAIRS = {"p": "p=0.8", "gain": "1=3,2=9"}


class Written(NamedTuple):
    """A name taken apart: the tool's name, the options that it sets, and its cutoffs."""

    base: str
    options: Mapping[str, str]
    cutoffs: tuple[str, ...]


def read_call(text: str, names: Mapping[str, object]) -> Written | None:
    """`Name(option=value,…)@cutoff`, with quotes and braces as Python has them.

    >>> read_call("nDCG(dcg='exp-log2',gains={1:3,2:9})@10", {"nDCG": ...})
    Written(base='nDCG', options={'dcg': 'exp-log2', 'gains': '1:3;2:9'}, cutoffs=('10',))
    """
    shape = CALL.fullmatch(text.replace(" ", ""))
    if shape is None or shape["base"] not in names:
        return None
    options: dict[str, str] = {}
    for part in commas(shape["inside"] or ""):
        name, equals, value = part.partition("=")
        if not (name and equals and value) or name in options:
            return None
        options[name] = value[1:-1].replace(",", ";") if value[0] + value[-1] == "{}" else unquote(value)
    return Written(shape["base"], options, (shape["at"],) if shape["at"] else ())


def commas(text: str) -> Iterator[str]:
    """The parts between the commas that stand outside braces."""
    return (part for part in re.split(r",(?![^{]*\})", text) if part)


def read_trec_eval(text: str, names: Mapping[str, Name]) -> Written | None:
    """`name`, and after a dot or a low line cutoffs, options or gains: `P.5,10`, `P_5`, `rbp.p=0.8`, `ndcg.1=3,2=9`.

    A whole number that is set to something is a grade, and what follows is its gain.

    >>> from assay.conventions import find_convention
    >>> names = find_convention("trec_eval").names
    >>> read_trec_eval("P.5,10", names), read_trec_eval("rbp.p=0.8,1=.5,2=1", names)
    (Written(base='P', options={}, cutoffs=('5', '10')),
     Written(base='rbp', options={'p': '0.8', 'gain': '1:.5;2:1'}, cutoffs=()))
    """
    for base in sorted(names, key=len, reverse=True):
        rest = text[len(base) :]
        if text.startswith(base) and (not rest or (rest[0] in "._" and rest[1:])):
            if "=" in rest:
                return Written(base, read_pairs(tuple(rest[1:].split(","))), ())
            return Written(base, {}, ()) if not rest else read_places(base, rest[1:], names[base])
    return None


def read_places(base: str, text: str, entry: Name) -> Written:
    """What follows a name without saying what it is: cutoffs where the name has such, else the value of its option."""
    if "@{}" in entry.measure or not entry.options:
        return Written(base, {}, tuple(text.split(",")))
    option = next(iter(entry.options))
    if option in PAIRS:
        raise MeasureError(f"{base} cannot have {show(text)}; write {base}.{PAIRS[option]}")
    return Written(base, {option: text}, ())


def read_pairs(parts: tuple[str, ...]) -> Mapping[str, str]:
    """The options of trec_eval's `name=value,…`, all gains of grades as one."""
    options: dict[str, str] = {}
    for part in parts:
        name, _, value = part.partition("=")
        if GRADE.fullmatch(name):
            options["gain"] = ";".join(filter(None, [options.get("gain"), f"{name}:{value}"]))
        else:
            options[name] = value
    return options
