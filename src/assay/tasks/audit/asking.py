"""What is asked for by a measure's name: what it stands for, whose name it is, and what it says itself."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from assay.conventions import CONVENTIONS, Chosen, expand, resolve
from assay.core import grammar
from assay.core.errors import MeasureError
from assay.core.text import show
from assay.measures import TABLE, parse

if TYPE_CHECKING:
    from assay.core.convention import Convention
    from assay.core.measure import Measure


class Asked(NamedTuple):
    """A name, the tool whose name it is, and what it means there.

    `sought` is what it stands for to the tool that one starts from. `told` are the parameters and policies that the
    name sets itself; what else it has is the tool's own.
    """

    name: str
    tool: Convention
    meant: Chosen
    sought: Chosen
    told: frozenset[str]

    @property
    def measure(self) -> Measure:
        return self.meant.measure


def ask(name: str, start: Convention) -> Asked:
    """What a name stands for to one who starts from that tool.

    >>> asked = ask("map@100-l2", CONVENTIONS["ranx"])
    >>> asked.tool.name, asked.measure, sorted(asked.told)
    ('ranx', <measure ap(rel=2)@100>, ['rel'])
    """
    found = resolve([name], start, {})
    if len(found) > 1:
        raise MeasureError(
            f"{show(name)} means {len(found)} measures; audit them one by one, such as {next(iter(found))}"
        )
    sought = next(iter(found.values()))
    if sought.measure.definition.of != "rankings":
        raise MeasureError(f"{show(name)} is a measure of {sought.measure.definition.of}; only rankings can be audited")
    tool, colon, rest = name.partition(":")
    is_prefixed = bool(colon) and tool in CONVENTIONS
    own = rest if is_prefixed else name
    owner = CONVENTIONS[tool] if is_prefixed else owner_of(name, start, sought.measure)
    meant = resolve([own], owner, {})
    return Asked(own, owner, next(iter(meant.values())), sought, told_by(own, owner))


def owner_of(name: str, start: Convention, measure: Measure) -> Convention:
    """The tool whose name it is: the one to start from, assay, or else the first that means this measure by it."""
    if expand(name, start, {}) is not None:
        return start
    with suppress(MeasureError):
        parse(name)
        return CONVENTIONS["assay"]
    return next(tool for tool in CONVENTIONS.values() if is_meant(name, tool, measure))


def is_meant(name: str, tool: Convention, measure: Measure) -> bool:
    """Whether the tool has the name and means this measure by it."""
    with suppress(MeasureError):
        return [each.measure for each in (expand(name, tool, {}) or {}).values()] == [measure]
    return False


def told_by(name: str, tool: Convention) -> frozenset[str]:
    """The parameters and policies that a tool's name sets itself, apart from the cutoff."""
    written = tool.read(name, tool.names)
    if written is not None:
        options = tool.names[written.base].options
        return frozenset(options[option].parameter for option in written.options)
    spelling = grammar.split(name)
    definition, preset = TABLE.find(spelling.name)
    return frozenset({*spelling.values, *preset} - {definition.at})
