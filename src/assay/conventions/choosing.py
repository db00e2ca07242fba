"""What names of measures stand for, under each convention."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions.table import CONVENTIONS, find_convention
from assay.core.errors import MeasureError
from assay.core.grammar import number, read
from assay.core.measure import TABLE, Measure, all_names
from assay.core.parameter import write
from assay.core.spelling import read_mteb, read_trec_eval
from assay.core.text import nearest, show
from assay.measures import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.core.convention import Convention, Name, Policies
    from assay.core.spelling import Written


class Chosen(NamedTuple):
    """A measure, and the policies it is computed under."""

    measure: Measure
    policies: Policies


def parse_measures(names: Iterable[object], convention: Convention, rel: float) -> dict[str, Measure]:
    """The measures that names stand for, under the keys that a result gives them.

    >>> parse_measures(["map", "P_5,10"], find_convention("trec_eval"), rel=1)
    {'map': <measure ap>, 'P_5': <measure precision@5>, 'P_10': <measure precision@10>}
    """
    return {key: chosen.measure for key, chosen in choose(names, convention, {"rel": rel}).items()}


def parse_measure(name: object, convention: str = "assay") -> Measure:
    """The one measure that a name stands for, in assay's spelling or any tool's.

    >>> parse_measure("ndcg_cut_10"), parse_measure("MAP@100")
    (<measure ndcg@10>, <measure ap@100>)
    """
    found = choose([name], find_convention(convention), {})
    if len(found) > 1:
        raise MeasureError(f"{show(name)} stands for {len(found)} measures: {', '.join(found)}; name one of them")
    return next(iter(found.values())).measure


def choose(names: Iterable[object], convention: Convention, options: Mapping[str, Any]) -> dict[str, Chosen]:
    """The measures that names stand for, each with its policies: the tool's own, changed by the user's `options`.

    A name is looked up in the convention's own table, then among all measures, then in the other tools' tables, where
    it must mean one thing. `tool:name` is what the name means to that tool, under its policies.
    """
    measures: dict[str, Chosen] = {}
    for name in names:
        for key, chosen in choose_one(name, convention, options).items():
            if measures.setdefault(key, chosen) != chosen:
                other = measures[key].measure
                raise MeasureError(f"{show(key)} would name both {other} and {chosen.measure}; ask for them apart")
    return measures


def reading_convention(names: Iterable[object], convention: Convention) -> Convention:
    """The convention that says how the data is read: that of the tool which every name carries, else the given one."""
    tools = {name.partition(":")[0] if isinstance(name, str) and ":" in name else "" for name in names}
    return CONVENTIONS.get(tools.pop(), convention) if len(tools) == 1 else convention


def choose_one(name: object, convention: Convention, options: Mapping[str, Any]) -> dict[str, Chosen]:
    """The measures that one name stands for."""
    policies = convention.policies.changed(options)
    if isinstance(name, Measure):
        return {str(name): Chosen(name, policies)}
    text = str(name) if is_ir_measure(name) else name
    if not isinstance(text, str):
        raise MeasureError(f"a measure is a name such as ndcg@10, not {show(name)}")
    tool, colon, rest = text.partition(":")
    if colon and tool.isidentifier():
        return {f"{tool}:{key}": each for key, each in choose_of_tool(rest, tool, options).items()}
    if is_ir_measure(name) and convention.name != "ir_measures":
        own = expand(text, CONVENTIONS["ir_measures"], options, convention.policies)
    else:
        own = expand(text, convention, options)
    if own is not None:
        return own
    try:
        return {text: Chosen(parse(text, {"rel": policies.rel}), policies)}
    except MeasureError as error:
        return elsewhere(text, policies, options, error)


def choose_of_tool(name: str, tool: str, options: Mapping[str, Any]) -> dict[str, Chosen]:
    """What a tool itself means by a name; what it has no name for is an error."""
    if tool not in CONVENTIONS:
        raise MeasureError(f"there is no tool {show(tool)}; there are {', '.join(CONVENTIONS)}")
    convention = CONVENTIONS[tool]
    if not convention.names:
        return choose_one(name, convention, options)
    found = expand(name, convention, options)
    if found is None:
        near = nearest(name, convention.names) or list(convention.names)[:5]
        raise MeasureError(f"{tool} has no measure {show(name)}; it has {', '.join(near)}, …")
    return found


def spelling(name: str, convention: Convention, at: float | None = None) -> str:
    """A tool's name as the tool spells it with a cutoff; `k` stands for one that is not said.

    >>> ir_measures, mteb = find_convention("ir_measures"), find_convention("mteb")
    >>> spelling("P", find_convention("trec_eval"), 5), spelling("RR@k", ir_measures, 10), spelling("ndcg", mteb)
    ('P_5', 'RR@10', 'ndcg_at_k')
    """
    cutoff = "k" if at is None else write(at)
    if name.endswith("@k"):
        return name.removesuffix("k") + cutoff
    if convention.read is read_trec_eval:
        output = convention.names[name].output or name + "_{}"
        return re.sub(r"\{.*?\}", "k", output) if at is None else output.format(at)
    return f"{name}_at_{cutoff}" if convention.read is read_mteb else f"{name}@{cutoff}"


def is_ir_measure(name: object) -> bool:
    """Whether it is a measure of ir_measures, as an object; its text is what ir_measures reads."""
    return type(name).__module__.partition(".")[0] == "ir_measures"


def elsewhere(name: str, policies: Policies, options: Mapping[str, Any], wrong: MeasureError) -> dict[str, Chosen]:
    """What other tools mean by a name, if that is one thing.

    Raises if they mean several, or if none has it: `wrong`, unless a tool knows better what is.
    """
    meanings: dict[str, dict[str, Measure]] = {}
    is_known = re.split(r"[(@]", name)[0].strip().lower() in {each.lower() for each in all_names(TABLE)}
    for tool in CONVENTIONS.values():
        try:
            found = expand(name, tool, options)
        except MeasureError as error:
            # What is wrong with a name that no table has is best said by the first tool that knows its beginning.
            if not is_known:
                wrong, is_known = error, True
            continue
        if found is not None:
            meanings[tool.name] = {key: chosen.measure for key, chosen in found.items()}
    if not meanings:
        return {name: Chosen(answer_measure(name, wrong), policies)}
    if "trec_eval" in meanings:
        # Of one tool's versions the newer one is meant.
        meanings.pop("trec_eval_9", None)
    first, *others = meanings.values()
    if any(list(each.values()) != list(first.values()) for each in others):
        proposals = " or ".join(f"{tool}:{name}" for tool in meanings)
        raise MeasureError(f"tools mean different measures by {show(name)}; write {proposals}")
    return {key: Chosen(measure, policies) for key, measure in first.items()}


def answer_measure(name: str, wrong: MeasureError) -> Measure:
    """A measure of answers, whose table is read only when no other has the name; if it has not either, `wrong`."""
    from assay import answers  # noqa: F401 - enters them into the table

    try:
        return parse(name)
    except MeasureError:
        raise wrong from None


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
    # One measure keeps the name that the user wrote.
    return dict.fromkeys([name], *measures.values()) if measures is not None and len(measures) == 1 else measures


def spelled(
    name: str, convention: Convention, options: Mapping[str, Any], under: Policies | None = None
) -> dict[str, Chosen] | None:
    """The measures that a tool's spelling stands for, under the names that the tool prints."""
    written = convention.read(name, convention.names)
    if written is None:
        return None
    entry = convention.names[written.base]
    if convention.read is read_trec_eval:
        written = placed(written, entry)
    if unknown := set(written.options) - set(entry.options):
        known = ", ".join(entry.options) or "none"
        raise MeasureError(f"{show(name)}: {convention.name} has no option {show(min(unknown))} here; it has {known}")
    values, own = read_options(written, entry)
    entry = entry._replace(measure=values.pop("measure", entry.measure))
    usual = convention.policies.changed(entry.policies) if under is None else under
    policies = usual.changed({**own, **options})
    return {key: Chosen(build(text, policies.rel, values, entry), policies) for key, text in cut(name, written, entry)}


def placed(written: Written, entry: Name) -> Written:
    """What follows trec_eval's dot are cutoffs where the name has such, else its options by their place."""
    if "@{}" in entry.measure or not entry.options or not written.cutoffs:
        return written
    names = [each for each in entry.options if each not in written.options]
    if len(names) == 1:
        return written._replace(options={**written.options, names[0]: ",".join(written.cutoffs)}, cutoffs=())
    return written._replace(
        options={**written.options, **dict(zip(names, written.cutoffs, strict=False))},
        cutoffs=written.cutoffs[len(names) :],
    )


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
            raise MeasureError(f"{show(name)}: {written.base} takes no cutoff")
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
    return [(output.format(value), template.format(write(value))) for value in read]
