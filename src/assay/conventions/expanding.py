"""What a tool's spelling stands for: assay's measures, under the tool's policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions.writing import spelling
from assay.core.errors import MeasureError
from assay.core.grammar import number, read
from assay.core.measure import Measure
from assay.core.parameter import write
from assay.core.text import show
from assay.measures import parse

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.convention import Convention, Name
    from assay.core.policies import Policies
    from assay.core.spelling import Written


class Chosen(NamedTuple):
    """A measure, and the policies it is computed under."""

    measure: Measure
    policies: Policies


def expand(
    name: str, convention: Convention, options: Mapping[str, Any], under: Policies | None = None
) -> dict[str, Chosen] | None:
    """The measures that a tool's spelling stands for, or nothing if the tool has no such name.

    They are computed under the tool's policies, or under others where they are given.
    """
    if name in convention.nicknames:
        return {
            key: chosen
            for each in convention.nicknames[name]
            for key, chosen in (spelled(each, convention, options, under) or {}).items()
        }
    measures = spelled(name, convention, options, under)
    if measures is None or len(measures) != 1:
        return measures
    # One measure keeps the name that the user wrote.
    (chosen,) = measures.values()
    return {name: chosen}


def spelled(
    name: str, convention: Convention, options: Mapping[str, Any], under: Policies | None = None
) -> dict[str, Chosen] | None:
    """The measures that a tool's spelling stands for, under the names that the tool prints."""
    written = convention.read(name, convention.names)
    if written is None:
        return None
    entry = convention.names[written.base]
    if unknown := set(written.options) - set(entry.options):
        known = ", ".join(entry.options) or "none"
        raise MeasureError(f"{show(name)}: {convention.name} has no option {show(min(unknown))} here; it has {known}")
    if not entry.needed.keys() <= written.options.keys():
        lacking = next(option for option in entry.needed if option not in written.options)
        hint = spelling(written.base, convention, written.cutoffs[0] if written.cutoffs else None)
        raise MeasureError(f"{show(name)}: {convention.name} has to be told {lacking}, as in {hint}")
    values, own = read_options(written, entry)
    entry = entry._replace(measure=values.pop("measure", entry.measure))
    usual = convention.policies.changed(entry.policies) if under is None else under
    policies = usual.changed({**own, **options})
    return {key: Chosen(build(text, policies.rel, values, entry), policies) for key, text in cut(name, written, entry)}


def read_options(written: Written, entry: Name) -> tuple[dict[str, Any], dict[str, Any]]:
    """The parameters of the measure and the policies that a spelling sets."""
    values: dict[str, Any] = {}
    policies: dict[str, Any] = {}
    for name, text in written.options.items():
        option = entry.options[name]
        if option.parameter == "measure" and text not in option.words:
            raise MeasureError(f"{written.base}: {name} must be {' or '.join(option.words)}, not {show(text)}")
        value = option.read(text) if option.read is not None else option.words.get(text, text)
        (policies if option.is_policy else values)[option.parameter] = value
    return values, policies


def build(text: str, rel: float, values: Mapping[str, Any], entry: Name) -> Measure:
    """The measure of a canonical name, with more parameters set. The common `rel` holds where the tool has one."""
    measure = parse(text, {"rel": rel})
    definition = measure.definition
    given = {
        name: read(definition.parameters[name], value) if isinstance(value, str) else value
        for name, value in values.items()
    }
    has_level = any(option.parameter == "rel" for option in entry.options.values())
    if has_level and rel != 1 and "rel" not in given:
        given["rel"] = rel
    return definition(**{**measure.values, **given}) if given else measure


def cut(name: str, written: Written, entry: Name) -> list[tuple[str, str]]:
    """The canonical name at each cutoff that the spelling lists, ascending, with the tool's spelling of it."""
    optional = "[@{}]" in entry.measure
    template = entry.measure.replace("[@{}]", "@{}")
    if "@{}" not in template:
        if written.cutoffs:
            raise MeasureError(f"{show(name)}: {written.base} takes no cutoff; leave it out")
        rest = name[len(written.base) + 1 :]
        return [(entry.output.format(rest) if entry.output and rest else name, template)]
    values = [number(cutoff) for cutoff in written.cutoffs] if written.cutoffs else list(entry.cutoffs)
    read = sorted(float(int(value)) if entry.whole else value for value in values if value is not None)
    if len(read) < len(values):
        raise MeasureError(f"cannot read the cutoffs of {show(name)}; write them as in {written.base}.5,10")
    if not read:
        if not optional:
            raise MeasureError(f"{show(name)} needs a cutoff, such as {written.base}@10")
        return [(name, template.replace("@{}", ""))]
    if len(set(read)) < len(read):
        raise MeasureError(f"{show(name)} names a cutoff twice")
    output = entry.output or "{}"
    keys = [output.format(value) for value in read]
    if len(set(keys)) < len(keys):
        # The tool prints fewer digits than it takes to tell them apart.
        keys = [f"{written.base}_{write(value)}" for value in read]
    return [(key, template.format(write(value))) for key, value in zip(keys, read, strict=True)]
