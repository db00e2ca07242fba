"""From the name a person wrote to measures: assay's own spelling, or any tool's, under that tool's policies.

A name is looked up in the convention's own table, then among all measures, then in the other tools' tables, where it
must mean one thing. `tool:name` is what the name means to that tool, under its policies.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from assay.conventions.tools import CONVENTIONS
from assay.core.convention import NO_ENTRIES, Convention, Name, Written, check_length, read_number, read_value
from assay.core.errors import MeasureError, PolicyError
from assay.core.measure import Definition, Measure
from assay.core.parameter import write_value
from assay.core.policies import Policies
from assay.core.text import nearest, show
from assay.measures import TABLE, parse

# assay's own way to write a cutoff. What is wrong with it is wrong, even if a tool ignores it.
OWN_CUTOFF = re.compile(r"\s*\w+\s*@\s*[\d.]+\s*", re.ASCII)
# A name has a letter in front, but for digits (11pt_avg); a tool's list of numbers goes on with a number: `P.5,10`.
# What is in parentheses is passed over first, so that the time is linear.
BETWEEN_NAMES = re.compile(r"\([^()]*\)|(?P<gap>\s*,\s*(?=\d*[^\W\d]|$)|\s+)")
# A list of cutoffs makes a name long; nothing else does.
LONGEST_NAME = 10_000
# What stands in place of a tool before the name of a score from elsewhere.
SCORE = "score"


class Chosen(NamedTuple):
    """A measure, and the policies it is computed under."""

    measure: Measure
    policies: Policies


def find_convention(name: str) -> Convention:
    if isinstance(name, str) and name in CONVENTIONS.loaded:
        return CONVENTIONS.loaded[name]
    if not isinstance(name, str) or name not in CONVENTIONS:
        near = nearest(str(name), CONVENTIONS)
        hint = f"did you mean {near[0]}? The" if near else "the"
        raise PolicyError(f"unknown convention {show(name)}; {hint} conventions are {', '.join(CONVENTIONS)}")
    return CONVENTIONS[name]


def measure_names(measures: Any) -> list[Any]:  # noqa: ANN401 - whatever the user gave
    """The measures as a list, whether one was given, many, or a text of several names."""
    if isinstance(measures, str):
        return split_measures(measures) or [measures]
    return [measures] if isinstance(measures, Measure) or not isinstance(measures, Iterable) else list(measures)


def split_measures(text: str) -> list[str]:
    """The names in a text, between blanks or commas; one in parentheses or in a tool's list of numbers is part of it.

    >>> split_measures("ndcg@10,rr ap(rel=2, norm=found)"), split_measures("P.5,10, map")
    (['ndcg@10', 'rr', 'ap(rel=2, norm=found)'], ['P.5,10', 'map'])
    """
    text = text.strip()
    gaps = [found.span() for found in BETWEEN_NAMES.finditer(text) if found["gap"] is not None]
    starts, ends = [0, *(end for _, end in gaps)], [*(start for start, _ in gaps), len(text)]
    return [text[start:end] for start, end in zip(starts, ends, strict=True) if start < end]


def parse_measure(name: object, convention: str = "assay") -> Measure:
    """The one measure that a name means, in assay's spelling or any tool's.

    >>> parse_measure("ndcg_cut_10"), parse_measure("MAP@100")
    (<measure ndcg@10>, <measure ap@100>)
    """
    found = resolve([name], find_convention(convention), {})
    if len(found) > 1:
        raise MeasureError(f"{show(name)} means {len(found)} measures: {', '.join(found)}; name one of them")
    return next(iter(found.values())).measure


def parse_measures(names: Iterable[object], convention: Convention, rel: float) -> dict[str, Measure]:
    """The measures that names mean, by their keys in a result."""
    return {key: chosen.measure for key, chosen in resolve(names, convention, {"rel": rel}).items()}


def resolve(
    names: Iterable[object], convention: Convention, options: Mapping[str, Any], short: Mapping[str, str] = NO_ENTRIES
) -> dict[str, Chosen]:
    """The measures that names mean, under the tool's policies, changed by `options`; `short` are names for others."""
    measures: dict[str, Chosen] = {}
    for name in names:
        for key, chosen in resolve_name(name, convention, options, short).items():
            if measures.setdefault(key, chosen) != chosen:
                both = dict.fromkeys(each.measure.full_name for each in (measures[key], chosen))
                raise MeasureError(
                    f"two different measures are called {show(key)}: {' and '.join(both)}; "
                    "evaluate them separately, or rename one (name=…)"
                )
    return measures


def resolve_name(
    name: object, convention: Convention, options: Mapping[str, Any], short: Mapping[str, str] = NO_ENTRIES
) -> dict[str, Chosen]:
    if isinstance(name, str):
        if len(name) > LONGEST_NAME:
            check_length(name, LONGEST_NAME)
        base, bracket, rest = name.partition("(")
        if (whole := short.get(base.strip().lower())) is not None:
            # What stands in parentheses adds to what the short name sets.
            whole = f"{whole[:-1]},{rest}" if bracket and whole.endswith(")") else whole + bracket + rest
            return {name: Chosen(parse(whole), convention.policies.changed(options))}
    if isinstance(name, str) and CONVENTIONS.loaded.get(convention.name) is convention:
        # Every option is one that can be hashed once the policies took it.
        convention.policies.changed(options)
        return dict(_resolve_once(name, convention.name, tuple(options.items()), TABLE.changes))
    return _resolve_anew(name, convention, options)


@lru_cache(maxsize=4096)
def _resolve_once(
    name: str, convention: str, options: tuple[tuple[str, Any], ...], _changes: int
) -> tuple[tuple[str, Chosen], ...]:
    return tuple(_resolve_anew(name, CONVENTIONS[convention], dict(options)).items())


def _resolve_anew(name: object, convention: Convention, options: Mapping[str, Any]) -> dict[str, Chosen]:
    policies = convention.policies.changed(options)
    if (given := measure_object(name)) is not None:
        return {given.definition.name if given.definition.of == "scores" else str(given): Chosen(given, policies)}
    text = str(name) if is_ir_measure(name) else name
    if not isinstance(text, str):
        raise MeasureError(f"a measure is a name such as ndcg@10, not {show(name)}")
    tool, colon, rest = text.partition(":")
    if colon and tool.isidentifier():
        return {f"{tool}:{key}": each for key, each in _resolve_in_tool(rest, tool, options).items()}
    if is_ir_measure(name) and convention.name != "ir_measures":
        own = expand(text, CONVENTIONS["ir_measures"], options, convention.policies)
    else:
        own = expand(text, convention, options)
    if own is not None:
        return own
    try:
        return {text: Chosen(parse(text, policies.rel), policies)}
    except MeasureError as error:
        return _resolve_elsewhere(text, policies, options, error)


def _resolve_in_tool(name: str, tool: str, options: Mapping[str, Any]) -> dict[str, Chosen]:
    if tool not in CONVENTIONS:
        raise MeasureError(f"unknown tool {show(tool)}; the tools are {', '.join(CONVENTIONS)}")
    convention = CONVENTIONS[tool]
    if not convention.names:
        return resolve_name(name, convention, options)
    found = expand(name, convention, options)
    if found is None:
        near = nearest(name, convention.names) or list(convention.names)[:5]
        raise MeasureError(f"{tool} has no measure {show(name)}; it has {', '.join(near)}, …")
    return found


def measure_object(name: object) -> Measure | None:
    """The measure, if it is given as an object, as a function of a record, or as the name of a score."""
    if isinstance(name, Measure):
        return name
    if isinstance(name, Definition):
        return name()
    if isinstance(name, str):
        return parse(name) if name.partition(":")[0].strip().lower() == SCORE and ":" in name else None
    if not callable(name) or is_ir_measure(name):
        return None
    from assay.measures.scores import score

    return score(name)


def is_ir_measure(name: object) -> bool:
    """Whether it is a measure of ir_measures, as an object; its text is what ir_measures reads."""
    return type(name).__module__.partition(".")[0] == "ir_measures"


def _resolve_elsewhere(
    name: str, policies: Policies, options: Mapping[str, Any], wrong: MeasureError
) -> dict[str, Chosen]:
    """What other tools mean by a name; an error if they disagree or none has it: `wrong`, or what a tool says is."""
    meanings: dict[str, dict[str, Measure]] = {}
    is_known = TABLE.has(re.split(r"[(@]", name)[0].strip())
    if is_known and OWN_CUTOFF.fullmatch(name):
        raise wrong from None
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
        raise wrong from None
    if "trec_eval" in meanings:
        # Of one tool's versions the newer one is meant.
        meanings.pop("trec_eval_9", None)
    first, *others = meanings.values()
    if any(list(each.values()) != list(first.values()) for each in others):
        proposals = " or ".join(f"{tool}:{name}" for tool in meanings)
        raise MeasureError(f"{show(name)} means different measures in different tools; write {proposals}")
    return {key: Chosen(measure, policies) for key, measure in first.items()}


def judged_names(convention: Convention) -> dict[str, str]:
    """What names of tools mean where an LLM judge is asked, if elsewhere they take given verdicts."""
    return _judged_names(convention.name, TABLE.changes)


@lru_cache(maxsize=64)
def _judged_names(convention: str, _changes: int) -> dict[str, str]:
    found: dict[str, str] = {}
    for tool in CONVENTIONS.values():
        for name, measure in tool.judged.items():
            found[f"{tool.name}:{name}".lower()] = measure
            if tool.name == convention or (not CONVENTIONS[convention].names and not TABLE.has(name)):
                found[name.lower()] = measure
    return found


def write_name(
    name: str, convention: Convention, at: float | str | None = "k", options: Mapping[str, str] | None = None
) -> str:
    """A tool's name as the tool spells it, with a cutoff (`k` is an open one) and options, or those it requires."""
    entry = convention.names[name]
    return convention.write(name, entry, at, entry.needed if options is None else options)


def expand(
    name: str, convention: Convention, options: Mapping[str, Any], under: Policies | None = None
) -> dict[str, Chosen] | None:
    """The measures that a tool's spelling means, under its policies or others; None if the tool has no such name."""
    if name in convention.nicknames:
        return {
            key: chosen
            for each in convention.nicknames[name]
            for key, chosen in (expand_as_printed(each, convention, options, under) or {}).items()
        }
    measures = expand_as_printed(name, convention, options, under)
    # One measure keeps the name that the user wrote.
    return {name: next(iter(measures.values()))} if measures and len(measures) == 1 else measures


def expand_as_printed(
    name: str, convention: Convention, options: Mapping[str, Any], under: Policies | None = None
) -> dict[str, Chosen] | None:
    """The measures that a tool's spelling means, by the names that the tool prints."""
    written = convention.read(name, convention.names)
    if written is None:
        return None
    entry = convention.names[written.base]
    if unknown := set(written.options) - set(entry.options):
        known = ", ".join(entry.options) or "none"
        raise MeasureError(f"{show(name)}: {convention.name} has no option {show(min(unknown))} here; it has {known}")
    if not entry.needed.keys() <= written.options.keys():
        lacking = next(option for option in entry.needed if option not in written.options)
        hint = write_name(written.base, convention, written.cutoffs[0] if written.cutoffs else None)
        raise MeasureError(f"{show(name)}: {convention.name} requires {lacking}, as in {hint}")
    values: dict[str, Any] = {}
    own: dict[str, Any] = {}
    for option, text in written.options.items():
        meant = entry.options[option]
        if meant.parameter == "measure" and text not in meant.words:
            raise MeasureError(f"{written.base}: {option} must be {' or '.join(meant.words)}, not {show(text)}")
        value = meant.read(text) if meant.read is not None else meant.words.get(text, text)
        (own if meant.is_policy else values)[meant.parameter] = value
    entry = entry._replace(measure=values.pop("measure", entry.measure))
    usual = convention.policies.changed(entry.policies) if under is None else under
    policies = usual.changed({**own, **options})
    return {
        key: Chosen(_build(text, policies.rel, values, entry), policies)
        for key, text in _at_cutoffs(name, written, entry, convention)
    }


def _build(text: str, rel: float, values: Mapping[str, Any], entry: Name) -> Measure:
    """The measure of a canonical name, with more parameters set. The common `rel` applies if the tool has one."""
    measure = parse(text, rel)
    definition = measure.definition
    given = {
        name: read_value(definition.parameters[name], value) if isinstance(value, str) else value
        for name, value in values.items()
    }
    has_level = any(option.parameter == "rel" for option in entry.options.values())
    if has_level and rel != 1 and "rel" not in given:
        given["rel"] = rel
    return definition(**{**measure.values, **given}) if given else measure


def _at_cutoffs(name: str, written: Written, entry: Name, convention: Convention) -> list[tuple[str, str]]:
    """The canonical name at each cutoff that the spelling lists, ascending, with the tool's spelling of it."""
    optional = "[@{}]" in entry.measure
    template = entry.measure.replace("[@{}]", "@{}")
    if "@{}" not in template:
        if written.cutoffs:
            raise MeasureError(f"{show(name)}: {written.base} takes no cutoff; leave it out")
        rest = name[len(written.base) + 1 :]
        return [(entry.output.format(rest) if entry.output and rest else name, template)]
    values = [read_number(cutoff) for cutoff in written.cutoffs] if written.cutoffs else list(entry.cutoffs)
    cutoffs = sorted(float(int(value)) if entry.whole else value for value in values if value is not None)
    if len(cutoffs) < len(values):
        raise MeasureError(
            f"cannot read the cutoff of {show(name)}; write {write_name(written.base, convention, 10, {})}"
        )
    if not cutoffs:
        if not optional:
            raise MeasureError(f"{show(name)} needs a cutoff, such as {write_name(written.base, convention, 10, {})}")
        return [(name, template.replace("@{}", ""))]
    if len(set(cutoffs)) < len(cutoffs):
        raise MeasureError(f"duplicate cutoff in {show(name)}")
    keys = [(entry.output or "{}").format(value) for value in cutoffs]
    if len(set(keys)) < len(keys):
        # The tool prints too few digits to tell them apart.
        keys = [f"{written.base}_{write_value(value)}" for value in cutoffs]
    return [(key, template.format(write_value(value))) for key, value in zip(keys, cutoffs, strict=True)]
