"""What names of measures stand for, under each convention."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from assay.conventions.expanding import Chosen, expand
from assay.conventions.tools import CONVENTIONS, find_convention
from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.core.text import nearest, show
from assay.measures import TABLE, parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from assay.core.convention import Convention
    from assay.core.policies import Policies

# assay's own way to write a cutoff. What is wrong with it is wrong, even if a tool pays no heed to it.
OWN_CUTOFF = re.compile(r"\s*\w+\s*@\s*[\d.]+\s*", re.ASCII)


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


def tool_of(key: str, convention: Convention) -> Convention:
    """The tool that the key of a measure names, else the given convention.

    >>> tool_of("ranx:map", find_convention("assay")).name, tool_of("ndcg(gain=1:3)", find_convention("assay")).name
    ('ranx', 'assay')
    """
    return CONVENTIONS.get(key.partition(":")[0], convention) if ":" in key else convention


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


def is_ir_measure(name: object) -> bool:
    """Whether it is a measure of ir_measures, as an object; its text is what ir_measures reads."""
    return type(name).__module__.partition(".")[0] == "ir_measures"


def elsewhere(name: str, policies: Policies, options: Mapping[str, Any], wrong: MeasureError) -> dict[str, Chosen]:
    """What other tools mean by a name, if that is one thing.

    Raises if they mean several, or if none has it: `wrong`, unless a tool knows better what is.
    """
    meanings: dict[str, dict[str, Measure]] = {}
    is_known = TABLE.has(re.split(r"[(@]", name)[0].strip())
    if is_known and OWN_CUTOFF.fullmatch(name):
        raise wrong
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
        raise wrong
    if "trec_eval" in meanings:
        # Of one tool's versions the newer one is meant.
        meanings.pop("trec_eval_9", None)
    first, *others = meanings.values()
    if any(list(each.values()) != list(first.values()) for each in others):
        proposals = " or ".join(f"{tool}:{name}" for tool in meanings)
        raise MeasureError(f"tools mean different measures by {show(name)}; write {proposals}")
    return {key: Chosen(measure, policies) for key, measure in first.items()}
