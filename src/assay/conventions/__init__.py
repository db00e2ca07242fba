"""The table of conventions: one tool a file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.conventions.assay import ASSAY
from assay.conventions.trec_eval import TREC_EVAL
from assay.core.errors import MeasureError, PolicyError
from assay.core.grammar import number
from assay.core.measure import Measure
from assay.core.parameter import write
from assay.core.text import nearest, show
from assay.measures import parse

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.core.convention import Convention, Name

CONVENTIONS: dict[str, Convention] = {each.name: each for each in (ASSAY, TREC_EVAL)}

__all__ = ["CONVENTIONS", "find_convention", "parse_measures"]


def find_convention(name: str) -> Convention:
    """The convention of that name."""
    if not isinstance(name, str) or name not in CONVENTIONS:
        near = nearest(str(name), CONVENTIONS)
        hint = f"did you mean {near[0]}? " if near else ""
        raise PolicyError(f"there is no convention {show(name)}; {hint}There are {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]


def parse_measures(names: Iterable[str | Measure], convention: Convention, rel: float) -> dict[str, Measure]:
    """The measures that names stand for, under the keys that a result gives them.

    A name is looked up in the convention's own table, then among all measures, then in the other tools' tables, whose
    spellings mean one thing each.

    >>> parse_measures(["map", "P_5,10"], TREC_EVAL, rel=1)
    {'map': <measure ap>, 'P_5': <measure precision@5>, 'P_10': <measure precision@10>}
    """
    measures: dict[str, Measure] = {}
    for name in names:
        for key, measure in parse_one(name, convention, rel).items():
            if measures.setdefault(key, measure) != measure:
                raise MeasureError(f"{show(key)} would name both {measures[key]} and {measure}; ask for them apart")
    return measures


def parse_one(name: str | Measure, convention: Convention, rel: float) -> dict[str, Measure]:
    """The measures that one name stands for."""
    if isinstance(name, Measure):
        return {str(name): name}
    if not isinstance(name, str):
        raise MeasureError(f"a measure is a name such as ndcg@10, not {show(name)}")
    expanded = expand(name, convention, rel)
    if expanded is not None:
        return expanded
    try:
        return {name: parse(name, {"rel": rel})}
    except MeasureError:
        elsewhere = next(filter(None, (expand(name, each, rel) for each in CONVENTIONS.values())), None)
        if elsewhere is None:
            raise
        return elsewhere


def expand(name: str, convention: Convention, rel: float) -> dict[str, Measure] | None:
    """The measures that a tool's spelling stands for, or nothing if the tool has no such name."""
    for base in sorted(convention.names, key=len, reverse=True):
        rest = name[len(base) :]
        if name.startswith(base) and (not rest or (rest[0] in "._" and rest[1:])):
            return at_cutoffs(name, base, rest[1:], convention.names[base], rel)
    return None


def at_cutoffs(name: str, base: str, cutoffs: str, entry: Name, rel: float) -> dict[str, Measure] | None:
    """One measure at each cutoff that the spelling lists, in ascending order; at the tool's own ones without any."""
    if not entry.cutoffs:
        return None if cutoffs else {name: parse(entry.measure, {"rel": rel})}
    values = [number(cutoff) for cutoff in cutoffs.split(",")] if cutoffs else list(entry.cutoffs)
    read = sorted(value for value in values if value is not None)
    if len(read) < len(values):
        raise MeasureError(f"cannot read the cutoffs of {show(name)}; write them as in {base}.5,10")
    measures = {entry.output.format(value): parse(entry.measure.format(write(value)), {"rel": rel}) for value in read}
    if len(measures) < len(read):
        raise MeasureError(f"{show(name)} names a cutoff twice")
    # One measure keeps the name that the user wrote.
    return measures if len(measures) > 1 else dict.fromkeys([name], *measures.values())
