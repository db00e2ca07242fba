"""How every tool reads a measure: its names for it, with the options that bring it nearest to the request."""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from types import MappingProxyType
from typing import Any, NamedTuple

from assay.conventions import CONVENTIONS, Chosen, expand, find_convention, resolve, write_name
from assay.core.convention import Convention, Name, NameOption, split_name
from assay.core.errors import MeasureError
from assay.core.measure import Definition, Measure
from assay.core.note import Note, NoteKind
from assay.core.parameter import write_value
from assay.core.policies import Policies
from assay.core.text import show
from assay.measures import TABLE, parse


class Reading(NamedTuple):
    """What one tool understands by a measure: its name, the meaning, and a switch or a cut run needed `beside` it."""

    tool: str
    name: str
    chosen: Chosen
    beside: str = ""


class AuditRequest(NamedTuple):
    """The name to audit, its tool, what it means there and to the tool to start from, and what the name itself sets."""

    name: str
    tool: Convention
    meant: Chosen
    sought: Chosen
    told: frozenset[str]

    @property
    def measure(self) -> Measure:
        return self.meant.measure


def find_readings(name: str, start: str = "assay", rule: Mapping[str, Any] = MappingProxyType({})) -> list[Reading]:
    """How every tool that has such a measure reads it, beginning with `start`, under policies that hold for all.

    >>> [(each.tool, each.name) for each in find_readings("ap(rel=2)@10")[:4]]
    [('assay', 'ap(rel=2)@10'), ('trec_eval', 'map_cut_10'), ('trec_eval_9', 'map_cut_10'), ('ranx', 'map@10-l2')]
    """
    first_tool = find_convention(start)
    request = read_request(name, first_tool)
    tools = {tool.name: readings_of(tool, request) for tool in CONVENTIONS.values()}
    if not tools[start]:
        having = ", ".join(tool for tool, readings in tools.items() if readings)
        own = [write_name(each, first_tool) for each in kin_names(first_tool, request.measure.definition)]
        hint = f"name one that it has, such as {own[0]}, or " if own else ""
        raise MeasureError(f"{start} has no measure like {show(name)}; {hint}start from one of {having}")
    first = min(tools[start], key=lambda each: distance(each.chosen, request.sought))
    others = [each for each in tools.pop(start) if each is not first]
    found = [first, *others, *(each for readings in tools.values() for each in readings)]
    return [each._replace(chosen=each.chosen._replace(policies=each.chosen.policies.changed(rule))) for each in found]


def read_request(name: str, start: Convention) -> AuditRequest:
    """What a name means if the audit starts from that tool.

    >>> request = read_request("map@100-l2", CONVENTIONS["ranx"])
    >>> request.tool.name, request.measure, sorted(request.told)
    ('ranx', <measure ap(rel=2)@100>, ['rel'])
    """
    found = resolve([name], start, {})
    (first, sought), *others = found.items()
    if others:
        raise MeasureError(f"{show(name)} means {len(found)} measures; audit them one by one, such as {first}")
    if sought.measure.definition.of != "rankings":
        raise MeasureError(f"{show(name)} is a measure of {sought.measure.definition.of}; only rankings can be audited")
    prefix, colon, rest = name.partition(":")
    own, owner = name, CONVENTIONS.get(prefix) if colon else None
    own, owner = (name, owner_of(name, start, sought.measure)) if owner is None else (rest, owner)
    meant = next(iter(resolve([own], owner, {}).values()))
    return AuditRequest(own, owner, meant, sought, told_by(own, owner))


def owner_of(name: str, start: Convention, measure: Measure) -> Convention:
    """The tool that a name belongs to: the first of the start, assay, and the other tools that means this measure."""
    if expand(name, start, {}) is not None:
        return start
    with suppress(MeasureError):
        parse(name)
        return CONVENTIONS["assay"]

    def means_it(tool: Convention) -> bool:
        with suppress(MeasureError):
            return [each.measure for each in (expand(name, tool, {}) or {}).values()] == [measure]
        return False

    return next(filter(means_it, CONVENTIONS.values()))


def told_by(name: str, tool: Convention) -> frozenset[str]:
    """The parameters and policies that a tool's name sets itself, apart from the cutoff."""
    written = tool.read(name, tool.names)
    if written is not None:
        options = tool.names[written.base].options
        return frozenset(options[option].parameter for option in written.options)
    own = split_name(name)
    definition, preset = TABLE.find(own.base)
    return frozenset({*own.options, *preset} - {definition.at})


def start_note(name: str, start: Reading) -> Note | None:
    """That the tool to start from lacks this measure but has a similar one, if so."""
    sought = read_request(name, find_convention(start.tool)).sought.measure
    values = dict(sought.values)
    if start.chosen.policies.depth is not None and values.get(sought.definition.at) is not None:
        values[sought.definition.at] = None
    if Measure(sought.definition, values) == start.chosen.measure:
        return None
    return Note.of(NoteKind.START, tool=start.tool, measure=sought, name=start.name)


def readings_of(tool: Convention, request: AuditRequest) -> list[Reading]:
    """The tool's measures of the same kind: at the same cutoff, or of a run that is cut there."""
    if tool.name == "assay":
        return [Reading("assay", str(request.measure), Chosen(request.measure, tool.policies))]
    definition = request.measure.definition
    at = request.measure.values.get(definition.at)
    names = kin_names(tool, definition)
    cut = [name for name, entry in names.items() if "@{}" in entry.measure and kinds(entry)[0].at == definition.at]
    found = [] if at is None else [nearest_reading(tool, name, request, at) for name in cut]
    if not found and definition.at in ("k", ""):
        whole = [name for name, entry in names.items() if "@{}" not in entry.measure.replace("[@{}]", "")]
        uncut = [nearest_reading(tool, name, request, None) for name in whole]
        found = [None if each is None else at_depth(each, at) for each in uncut]
    own = Reading(tool.name, request.name, request.meant) if request.tool is tool else None
    readings: dict[Chosen, Reading] = {}
    for each in (own, *found):
        if each is not None:
            readings.setdefault(each.chosen, each)
    return list(readings.values())


def kin_names(tool: Convention, definition: Definition) -> dict[str, Name]:
    return {name: entry for name, entry in tool.names.items() if any(is_kin(each, definition) for each in kinds(entry))}


def kinds(entry: Name) -> list[Definition]:
    switches = [option.words.values() for option in entry.options.values() if option.parameter == "measure"]
    texts = dict.fromkeys(chain([entry.measure], *switches))
    return [TABLE.find(re.split(r"[(@\[]", text)[0])[0] for text in texts]


def is_kin(one: Definition, other: Definition) -> bool:
    """Whether two measures are of one kind: the same one with other parameters, or a variant of it."""
    return (one.kin or one.name) == (other.kin or other.name)


def at_depth(reading: Reading, at: float | None) -> Reading | None:
    """The reading of a run that is cut there; None if the name has another cutoff of its own."""
    measure, policies = reading.chosen
    own = measure.values.get(measure.definition.at)
    if own is not None or at is None:
        return reading if own == at else None
    chosen = Chosen(measure, replace(policies, depth=int(at)))
    return reading._replace(chosen=chosen, beside=", ".join(filter(None, (reading.beside, f"run cut at {int(at)}"))))


def nearest_reading(tool: Convention, name: str, request: AuditRequest, at: float | None) -> Reading | None:
    """The meaning of the name that is nearest to the request, among those of its kind."""
    # The options that decide which measure the name means, one set for each.
    needed, others = tool.names[name].needed, tool.names[name].options.items()
    words = [(option, word) for option, about in others if about.parameter == "measure" for word in about.words]
    sets = [dict(needed), *({**needed, option: word} for option, word in words)]
    readings = [with_requested_options(tool, name, options, request, at) for options in sets]
    kin = [each for each in readings if each and is_kin(each.chosen.measure.definition, request.measure.definition)]
    return min(kin, key=lambda each: distance(each.chosen, request.meant), default=None)


def with_requested_options(
    tool: Convention, name: str, options: Mapping[str, str], request: AuditRequest, at: float | None
) -> Reading | None:
    """The meaning of the name with every option set to what was requested, as far as the tool allows."""
    entry = tool.names[name]
    reading = read_spelling(tool, write_name(name, tool, at, options), {})
    for option, about in entry.options.items():
        # A required option is set as the measure has it, except the lowest relevant grade: it goes with a tool's gains,
        # and is set only if the name does.
        is_set = about.parameter in request.told or (option in entry.needed and about.parameter != "rel")
        value = option_value(request.meant, about) if is_set else None
        text = None if value is None else tool_word(about, value, request)
        if reading is None or text is None or option_value(reading.chosen, about) == value:
            continue
        # A tool may refuse a value; then it differs there.
        with suppress(MeasureError):
            tried = {**options, option: text}
            changed = read_spelling(tool, write_name(name, tool, at, tried), {})
            if changed is not None and option_value(changed.chosen, about) == value:
                reading, options = changed, tried
    return reading if reading is None else with_level(tool, reading, request)


def read_spelling(tool: Convention, spelling: str, options: Mapping[str, Any]) -> Reading | None:
    """What the tool means by a spelling, if that is one measure."""
    found = list((expand(spelling, tool, options) or {}).values())
    return Reading(tool.name, spelling, found[0]) if len(found) == 1 else None


def with_level(tool: Convention, reading: Reading, request: AuditRequest) -> Reading:
    """The reading with the tool's switch for the lowest relevant grade, if it has one and the request sets it."""
    level = request.measure.values.get("rel")
    if not tool.level or "rel" not in request.told or level != int(level or 0):
        return reading
    switched_on = read_spelling(tool, reading.name, {"rel": level})
    if switched_on is None or switched_on.chosen.measure == reading.chosen.measure:
        return reading
    return switched_on._replace(beside=tool.level.format(write_value(level)))


def option_value(chosen: Chosen, option: NameOption) -> Any:  # noqa: ANN401 - a parameter may be of any kind
    name = option.parameter
    return getattr(chosen.policies, name) if option.is_policy else chosen.measure.values.get(name)


def tool_word(option: NameOption, value: Any, request: AuditRequest) -> str | None:  # noqa: ANN401 - a parameter may be of any kind
    if option.words:
        return next((text for text, each in option.words.items() if each == value), None)
    parameter = request.measure.definition.parameters.get(option.parameter)
    is_rule = isinstance(value, str) and parameter is not None and parameter.kind is dict
    return None if is_rule else write_value(value)


def distance(one: Chosen, other: Chosen) -> tuple[bool, int, int]:
    """How far two readings are apart: whether they are different measures, then in how many parameters and policies."""
    mine, others = one.measure.values, other.measure.values
    parameters = sum(mine[name] != others[name] for name in mine if name in others)
    policies = sum(getattr(one.policies, name) != getattr(other.policies, name) for name in Policies.__slots__)
    return one.measure.definition is not other.measure.definition, parameters, policies
