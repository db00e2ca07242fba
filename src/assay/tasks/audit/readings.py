"""How every tool reads a measure: its names for it, told what was asked for as far as it can be."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import CONVENTIONS, Chosen, expand, find_convention, write_name
from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.core.parameter import write
from assay.core.policies import Policies
from assay.core.text import show
from assay.measures import TABLE
from assay.tasks.audit.asking import Asked, ask

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from assay.core.convention import Convention, Name, Option
    from assay.core.measure import Definition


class Reading(NamedTuple):
    """What one tool understands by a measure: its name for it, the measure and its policies, and what else it needs.

    `beside` is what has to be done apart from the name: a switch of the tool, or a run that is cut.
    """

    tool: str
    name: str
    chosen: Chosen
    beside: str = ""


def find_readings(name: str, start: str = "assay") -> list[Reading]:
    """How every tool that has such a measure reads it, beginning with what was asked for, as `start` has it.

    >>> [(each.tool, each.name) for each in find_readings("ap(rel=2)@10")[:4]]
    [('assay', 'ap(rel=2)@10'), ('trec_eval', 'map_cut_10'), ('trec_eval_9', 'map_cut_10'), ('ranx', 'map@10-l2')]
    """
    asked = ask(name, find_convention(start))
    tools = {tool.name: readings_of(tool, asked) for tool in CONVENTIONS.values()}
    if not tools[start]:
        having = ", ".join(tool for tool, readings in tools.items() if readings)
        own = [
            write_name(each, find_convention(start))
            for each in kin_names(find_convention(start), asked.measure.definition)
        ]
        hint = f"name one that it has, such as {own[0]}, or " if own else ""
        raise MeasureError(f"{start} has no measure such as {show(name)}; {hint}start from one of {having}")
    first = min(tools[start], key=lambda each: distance(each.chosen, asked.sought))
    others = [each for each in tools.pop(start) if each is not first]
    return [first, *others, *(each for readings in tools.values() for each in readings)]


def start_note(name: str, start: Reading) -> str:
    """That the tool to start from has no such measure but one like it, if so."""
    sought = ask(name, find_convention(start.tool)).sought.measure
    values = dict(sought.values)
    if start.chosen.policies.depth is not None and values.get(sought.definition.at) is not None:
        values[sought.definition.at] = None
    if Measure(sought.definition, values) == start.chosen.measure:
        return ""
    return f"{start.tool} has no {sought}; the steps start from its {start.name}"


def readings_of(tool: Convention, asked: Asked) -> list[Reading]:
    """The tool's measures of the same kind: at the same cutoff, or of a run that is cut there."""
    if tool.name == "assay":
        return [Reading("assay", str(asked.measure), Chosen(asked.measure, tool.policies))]
    definition = asked.measure.definition
    at = asked.measure.values.get(definition.at)
    names = {
        name: entry for name, entry in tool.names.items() if any(is_kin(each, definition) for each in kinds(entry))
    }
    cut = [name for name, entry in names.items() if "@{}" in entry.measure and kinds(entry)[0].at == definition.at]
    whole = [name for name, entry in names.items() if "@{}" not in entry.measure.replace("[@{}]", "")]
    found = [] if at is None else [nearest_reading(tool, name, asked, at) for name in cut]
    if not found and definition.at in ("k", ""):
        found = [nearest_reading(tool, name, asked, None) for name in whole]
        found = [None if each is None else at_depth(each, at) for each in found]
    readings: dict[Chosen, Reading] = {}
    if asked.tool is tool:
        readings[asked.meant] = Reading(tool.name, asked.name, asked.meant)
    for each in found:
        if each is not None:
            readings.setdefault(each.chosen, each)
    return list(readings.values())


def kin_names(tool: Convention, definition: Definition) -> dict[str, Name]:
    """The tool's names for measures of that kind."""
    return {name: entry for name, entry in tool.names.items() if any(is_kin(each, definition) for each in kinds(entry))}


def kinds(entry: Name) -> list[Definition]:
    """The measures that a name may stand for."""
    switches = [option.words.values() for option in entry.options.values() if option.parameter == "measure"]
    texts = dict.fromkeys([entry.measure, *(text for words in switches for text in words)])
    return [TABLE.find(re.split(r"[(@\[]", text)[0])[0] for text in texts]


def is_kin(one: Definition, other: Definition) -> bool:
    """Whether two measures are of one kind: the same one with other parameters, or a variant of it."""
    return (one.kin or one.name) == (other.kin or other.name)


def at_depth(reading: Reading, at: float | None) -> Reading | None:
    """The reading of a run that is cut there; none where the name has another cutoff of its own."""
    measure, policies = reading.chosen
    own = measure.values.get(measure.definition.at)
    if own is not None or at is None:
        return reading if own == at else None
    chosen = Chosen(measure, replace(policies, depth=int(at)))
    return reading._replace(chosen=chosen, beside=together(reading.beside, f"run cut at {int(at)}"))


def together(*parts: str) -> str:
    return ", ".join(part for part in parts if part)


def nearest_reading(tool: Convention, name: str, asked: Asked, at: float | None) -> Reading | None:
    """What the name stands for that is nearest to what was asked for, of those that are of its kind."""
    readings = [told(tool, name, options, asked, at) for options in switched(tool.names[name])]
    kin = [each for each in readings if each and is_kin(each.chosen.measure.definition, asked.measure.definition)]
    return min(kin, key=lambda each: distance(each.chosen, asked.meant), default=None)


def switched(entry: Name) -> Iterator[dict[str, str]]:
    """The options that decide which measure the name stands for, one set for each."""
    yield dict(entry.needed)
    for name, option in entry.options.items():
        if option.parameter == "measure":
            yield from ({**entry.needed, name: word} for word in option.words)


def told(tool: Convention, name: str, options: Mapping[str, str], asked: Asked, at: float | None) -> Reading | None:
    """What the name stands for once the tool is told what was asked for, each parameter that it can be told."""
    entry = tool.names[name]
    reading = read(tool, write_name(name, tool, at, options), {})
    for option, about in entry.options.items():
        value = wanted(about, asked, is_needed=option in entry.needed)
        text = None if value is None else word(about, value, asked)
        if reading is None or text is None or setting(reading.chosen, about) == value:
            continue
        # A tool may refuse a value; then it differs there.
        with suppress(MeasureError):
            tried = {**options, option: text}
            changed = read(tool, write_name(name, tool, at, tried), {})
            if changed is not None and setting(changed.chosen, about) == value:
                reading, options = changed, tried
    return reading if reading is None else at_level(tool, reading, asked)


def read(tool: Convention, written: str, options: Mapping[str, Any]) -> Reading | None:
    """What the tool means by a spelling, where that is one measure."""
    found = list((expand(written, tool, options) or {}).values())
    return Reading(tool.name, written, found[0]) if len(found) == 1 else None


def at_level(tool: Convention, reading: Reading, asked: Asked) -> Reading:
    """The reading with the tool's switch for the lowest relevant grade, where it has one and that is asked for."""
    level = asked.measure.values.get("rel")
    if not tool.level or "rel" not in asked.told or level != int(level or 0):
        return reading
    switched_on = read(tool, reading.name, {"rel": level})
    if switched_on is None or switched_on.chosen.measure == reading.chosen.measure:
        return reading
    return switched_on._replace(beside=tool.level.format(write(level)))


def wanted(option: Option, asked: Asked, *, is_needed: bool) -> Any:  # noqa: ANN401 - a parameter may be of any kind
    """What an option should be, or None where nothing is asked of it.

    What must be told is told as the measure has it. But the lowest relevant grade goes with a tool's gains, and is
    another's only where it was asked for.
    """
    is_asked = option.parameter in asked.told
    return setting(asked.meant, option) if is_asked or (is_needed and option.parameter != "rel") else None


def setting(chosen: Chosen, option: Option) -> Any:  # noqa: ANN401 - a parameter may be of any kind
    """What the parameter or the policy of an option is."""
    return (
        getattr(chosen.policies, option.parameter) if option.is_policy else chosen.measure.values.get(option.parameter)
    )


def word(option: Option, value: Any, asked: Asked) -> str | None:  # noqa: ANN401 - a parameter may be of any kind
    """The tool's word for a value, if it has one."""
    if option.words:
        return next((text for text, each in option.words.items() if each == value), None)
    parameter = asked.measure.definition.parameters.get(option.parameter)
    is_rule = isinstance(value, str) and parameter is not None and parameter.is_mapping_allowed
    return None if is_rule else write(value)


def distance(one: Chosen, other: Chosen) -> tuple[bool, int, int]:
    """How far two readings are apart: whether they are different measures, then in how many parameters and policies."""
    mine, others = one.measure.values, other.measure.values
    parameters = sum(mine[name] != others[name] for name in mine if name in others)
    policies = sum(getattr(one.policies, name) != getattr(other.policies, name) for name in Policies.__slots__)
    return one.measure.definition is not other.measure.definition, parameters, policies
