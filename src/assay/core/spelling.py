"""How tools spell measures: each syntax takes a name apart, given the tool's table of names.

trec_eval    ndcg_cut.5,10    P_5    set_F.2.0    ndcg.1=3,2=9
ranx         ndcg@10    map@100-l2    rbp.95
mteb         ndcg_at_10    nauc_ndcg_at_10_max
all others   AP(rel=2)@100    NDCG@10    retrieval_ndcg
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from assay.core.grammar import unquote

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

CALL = re.compile(r"(?P<base>[^\s()@=,]+)(?:\((?P<inside>[^()]*)\))?(?:@(?P<at>[^\s()@]+))?", re.DOTALL)
RANX = re.compile(r"(?P<base>[a-z_-]+?)(?:(?P<mark>[.@])(?P<digits>\d+))?(?:-l(?P<level>\d+))?", re.ASCII)
GRADE = re.compile(r"[+-]?\d+", re.ASCII)
MTEB = re.compile(r"(?P<base>.+?)_at_(?P<at>\d+)(?:_(?P<rest>\w+))?", re.ASCII)


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


def read_trec_eval(text: str, names: Mapping[str, object]) -> Written | None:
    """`name`, or `name` and what follows a dot or a low line: cutoffs or options, as the name has them.

    A whole number that is set to something is a grade, and what follows is its gain.

    >>> read_trec_eval("P.5,10", {"P": ...}), read_trec_eval("rbp.p=0.8,1=.5,2=1", {"rbp": ...})
    (Written(base='P', options={}, cutoffs=('5', '10')),
     Written(base='rbp', options={'p': '0.8', 'gain': '1:.5;2:1'}, cutoffs=()))
    """
    for base in sorted(names, key=len, reverse=True):
        rest = text[len(base) :]
        if text.startswith(base) and (not rest or (rest[0] in "._" and rest[1:])):
            parts = tuple(rest[1:].split(",")) if rest else ()
            return Written(base, read_pairs(parts), ()) if "=" in rest else Written(base, {}, parts)
    return None


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


def read_ranx(text: str, names: Mapping[str, object]) -> Written | None:
    """`name@k-lN`; the digits that follow `rbp` are the decimals of its persistence.

    >>> read_ranx("map@100-l2", {"map": ...}), read_ranx("rbp.95", {"rbp": ...})
    (Written(base='map', options={'l': '2'}, cutoffs=('100',)), Written(base='rbp', options={'p': '0.95'}, cutoffs=()))
    """
    shape = RANX.fullmatch(text)
    if shape is None or shape["base"] not in names:
        return None
    options = {"l": shape["level"]} if shape["level"] else {}
    if shape["base"] == "rbp":
        return Written("rbp", {"p": f"0.{shape['digits']}", **options} if shape["digits"] else options, ())
    if shape["mark"] == ".":
        return None
    return Written(shape["base"], options, (shape["digits"],) if shape["digits"] else ())


def read_mteb(text: str, names: Mapping[str, object]) -> Written | None:
    """`name_at_k`, and `name_at_k_figure` for what it says of a score's confidence."""
    shape = MTEB.fullmatch(text)
    if shape is not None and shape["base"] in names:
        return Written(shape["base"], {"figure": shape["rest"]} if shape["rest"] else {}, (shape["at"],))
    return Written(text, {}, ()) if text in names else None
