"""The choices that make a number, in words, and the way from one reading of a measure to another."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import Chosen
from assay.core.convention import Policies
from assay.core.measure import Measure
from assay.core.parameter import write

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from assay.core.measure import Definition
    from assay.tasks.audit.readings import Reading

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


class Point(NamedTuple):
    """The choice that leads to a reading, the reading, and the tool whose queries without a value have none there."""

    choice: str
    chosen: Chosen
    tool: str


def points(
    start: Reading, end: Reading, route: list[tuple[str, Chosen]], refused: Mapping[str, Collection[str]]
) -> list[Point]:
    """The way from one tool's reading to another's; `refused` are the queries that each tool cannot use."""
    if start.tool == end.tool:
        return [Point(choice, chosen, start.tool) for choice, chosen in route]
    found = [Point(choice, chosen, "assay") for choice, chosen in route]
    if refused[start.tool]:
        found.insert(0, Point(f"queries that {start.tool} cannot use count", start.chosen, "assay"))
    if refused[end.tool]:
        found.append(Point(f"queries that {end.tool} cannot use have no value", end.chosen, end.tool))
    return found


def path(start: Chosen, end: Chosen) -> list[tuple[str, Chosen]]:
    """The way from one reading to another: a choice in words, and the reading once it is made.

    A run is cut before its measure loses the cutoff, and whole again after its measure has one, so that the two do not
    show as steps.
    """
    first = policy_path(start, end.policies, [] if end.policies.depth is None else ["depth"])
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
    """The way from one measure to another under the same policies; another one keeps what is set of the first."""
    steps = []
    current = start
    if start.measure.definition is not end.definition:
        kept = kept_values(start.measure, end.definition)
        current = Chosen(Measure(end.definition, {**end.values, **kept}), start.policies)
        steps.append((end.definition.title, current))
    for name, value in end.values.items():
        if current.measure.values[name] != value:
            changed = Measure(end.definition, {**current.measure.values, name: value})
            current = Chosen(changed, current.policies)
            steps.append((parameter_words(changed, name, value), current))
    return steps


def kept_values(start: Measure, end: Definition) -> dict[str, Any]:
    """What is set in a measure, where another measure can have the same."""
    parameters = start.definition.parameters
    changed = [name for name, value in start.values.items() if value not in (None, parameters[name].default)]
    alike = [
        name
        for name in changed
        if name in end.parameters
        and end.parameters[name]._replace(help="", default=None) == parameters[name]._replace(help="", default=None)
    ]
    return {name: start.values[name] for name in alike}


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
