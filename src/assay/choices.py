"""The choices that make a number: how every tool reads a measure's name, and the way from one reading to another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import CONVENTIONS, Chosen, choose, expand, find_convention, needed_options, spelling
from assay.core.convention import Policies
from assay.core.errors import MeasureError
from assay.core.measure import Measure
from assay.core.parameter import write
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.core.convention import Convention, Name

POLICY_WORDS = {
    ("ties", "docid_desc"): "ties by document id, from high to low",
    ("ties", "docid_asc"): "ties by document id, from low to high",
    ("ties", "input"): "ties in the order of the run",
    ("order", "score"): "documents stand by score",
    ("order", "given"): "documents stand as given, whatever their scores",
    ("precision", "float64"): "scores are compared as 64-bit floats",
    ("precision", "float32"): "scores are compared as 32-bit floats, so that near ones tie",
    ("duplicates", "error"): "a repeated document is an error",
    ("duplicates", "first"): "of a repeated document the first one stays",
    ("duplicates", "last"): "of a repeated document the last one stays",
    ("duplicates", "count"): "a repeated document counts each time",
    ("duplicates", "once"): "a repeated document takes up ranks but counts once",
    ("missing", "zero"): "queries that the run lacks score 0",
    ("missing", "skip"): "queries that the run lacks are left out",
    ("missing", "error"): "queries that the run lacks are an error",
    ("no_relevant", "zero"): "queries without relevant documents score 0",
    ("no_relevant", "nan"): "queries without relevant documents have no value where a measure needs one",
    ("no_relevant", "nan_all"): "queries without relevant documents have no value",
    ("no_relevant", "skip"): "queries without relevant documents are left out",
    ("no_results", "zero"): "queries without results score 0",
    ("no_results", "nan"): "queries without results have no value",
    ("no_results", "skip"): "queries without results are left out",
    ("grades", "as_given"): "grades as they are",
    ("grades", "whole"): "grades are cut to whole numbers",
    ("negative", "unjudged"): "negative grades are no judgment",
    ("negative", "nonrelevant"): "negative grades are judged not relevant",
    ("exclude", "nothing"): "no document is left out",
    ("exclude", "query_id"): "the document named like the query is left out",
    ("judged_only", True): "unjudged documents are taken out",
    ("judged_only", False): "unjudged documents keep their ranks",
}


class Reading(NamedTuple):
    """What one tool understands by a measure: its name for it, the measure, and its policies."""

    tool: str
    name: str
    chosen: Chosen


def find_readings(name: str, start: str = "assay") -> list[Reading]:
    """How every tool that has such a measure reads it, beginning with `start`.

    >>> [(each.tool, each.name) for each in find_readings("ap@10")[:2]]
    [('assay', 'ap@10'), ('trec_eval', 'map_cut_10')]
    """
    first = find_convention(start)
    asked = choose([name], first, {})
    if len(asked) > 1:
        raise MeasureError(
            f"{show(name)} stands for {len(asked)} measures; audit one at a time, such as {next(iter(asked))}"
        )
    measure = next(iter(asked.values())).measure
    tools = [first, *(each for each in CONVENTIONS.values() if each is not first)]
    readings = [reading for tool in tools for reading in readings_of(tool, measure)]
    if not any(each.tool == start for each in readings):
        readings.insert(0, Reading(start, name, next(iter(asked.values()))))
    return readings


def readings_of(tool: Convention, measure: Measure) -> list[Reading]:
    """The tool's measures of the same kind: at the same cutoff, or of a run that is cut there."""
    if tool.name == "assay":
        return [Reading("assay", str(measure), Chosen(measure, tool.policies))]
    at = measure.values.get(measure.definition.at)
    cut = {name: entry for name, entry in tool.names.items() if "@{}" in entry.measure}
    whole = {name: entry for name, entry in tool.names.items() if "[@{}]" in entry.measure or name not in cut}
    found = [] if at is None else alike(tool, cut, measure, at)
    if not found and measure.definition.at in ("k", ""):
        found = alike(tool, whole, measure, None)
    readings: dict[Chosen, Reading] = {}
    for each in found:
        readings.setdefault(each.chosen, each)
    return list(readings.values())


def alike(tool: Convention, names: dict[str, Name], measure: Measure, at: float | None) -> list[Reading]:
    """The readings of those names that are of the measure's kind, with the cutoff or without."""
    readings = []
    depth = measure.values.get(measure.definition.at) if at is None else None
    for name, entry in names.items():
        written = name + needed_options(entry) if at is None else spelling(name, tool, at)
        try:
            found = expand(written, tool, {}) or {}
        except MeasureError:
            continue
        if len(found) != 1:
            continue
        chosen = next(iter(found.values()))
        if not is_kin(chosen.measure, measure):
            continue
        if depth is not None:
            chosen = Chosen(chosen.measure, replace(chosen.policies, depth=int(depth)))
        readings.append(Reading(tool.name, written, chosen))
    return readings


def is_kin(one: Measure, other: Measure) -> bool:
    """Whether two measures are of one kind: the same one with other parameters, or a variant of it."""
    first, second = one.definition, other.definition
    return (first.kin or first.name) == (second.kin or second.name)


def path(start: Chosen, end: Chosen) -> list[tuple[str, Chosen]]:
    """The way from one reading to another: a choice in words, and the reading once it is made.

    A run is cut before its measure loses the cutoff, so that the two do not hide each other.
    """
    first = policy_path(start, end.policies, ["depth"])
    second = measure_path(first[-1][1] if first else start, end.measure)
    so_far = [*first, *second]
    return [*so_far, *policy_path(so_far[-1][1] if so_far else start, end.policies, Policies.__slots__)]


def policy_path(start: Chosen, end: Policies, names: Iterable[str]) -> list[tuple[str, Chosen]]:
    """The way from some policies to others with the same measure."""
    steps = []
    current = start
    for name in names:
        value = getattr(end, name)
        if getattr(current.policies, name) != value:
            current = Chosen(current.measure, replace(current.policies, **{name: value}))
            steps.append((policy_words(name, value), current))
    return steps


def measure_path(start: Chosen, end: Measure) -> list[tuple[str, Chosen]]:
    """The way from one measure to another under the same policies."""
    steps = []
    current = start
    if start.measure.definition is not end.definition:
        current = Chosen(end, start.policies)
        steps.append((end.definition.title, current))
    for name, value in end.values.items():
        if current.measure.values[name] != value:
            changed = Measure(end.definition, {**current.measure.values, name: value})
            current = Chosen(changed, current.policies)
            steps.append((parameter_words(changed, name, value), current))
    return steps


def policy_words(name: str, value: Any) -> str:  # noqa: ANN401 - a policy may be of any kind
    """A policy as a sentence would have it."""
    if name == "depth":
        return "the whole run counts" if value is None else f"the run is cut after {value} documents"
    if name == "rel":
        return f"grades from {value:g} are relevant"
    return POLICY_WORDS.get((name, value), f"{name}={value}")


def parameter_words(measure: Measure, name: str, value: Any) -> str:  # noqa: ANN401 - a parameter may be of any kind
    """A parameter as its function's annotation words it, or as the grammar writes it."""
    words = measure.definition.words.get((name, value)) if not isinstance(value, dict) else None
    parameter = measure.definition.parameters[name]
    said = f"{name}={'none' if value is None else write(value)}"
    return words or (said if parameter.choices or not parameter.help else f"{said} ({parameter.help})")
