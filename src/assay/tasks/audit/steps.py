"""The steps from one reading of a measure to another, each a choice in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.conventions import Chosen
from assay.core.measure import Measure
from assay.core.parameter import write_value
from assay.core.policies import Policies, policy_sentence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from assay.core.measure import Definition
    from assay.tasks.audit.readings import Reading


class Point(NamedTuple):
    """The choice that leads to a reading, the reading, and the tool that decides which queries are NaN there."""

    choice: str
    chosen: Chosen
    tool: str


def points(
    start: Reading, end: Reading, route: list[tuple[str, Chosen]], refused: Mapping[str, Collection[str]]
) -> list[Point]:
    """The steps from one tool's reading to another's; `refused` holds the queries that each tool cannot use."""
    if start.tool == end.tool:
        return [Point(choice, chosen, start.tool) for choice, chosen in route]
    found = [Point(choice, chosen, "assay") for choice, chosen in route]
    if refused[start.tool]:
        found.insert(0, Point(f"queries that {start.tool} cannot use count", start.chosen, "assay"))
    if refused[end.tool]:
        found.append(Point(f"queries that {end.tool} cannot use are NaN", end.chosen, end.tool))
    return found


def find_steps(start: Chosen, end: Chosen) -> list[tuple[str, Chosen]]:
    """The steps from one reading to another: each choice in words, and the reading after it.

    A run is cut before its measure loses the cutoff, and whole again after its measure has one, so neither shows as a
    step.
    """
    first = policy_steps(start, end.policies, [] if end.policies.depth is None else ["depth"])
    second = measure_steps(first[-1][1] if first else start, end.measure)
    so_far = [*first, *second]
    return [*so_far, *policy_steps(so_far[-1][1] if so_far else start, end.policies, Policies.__slots__)]


def policy_steps(start: Chosen, end: Policies, names: Iterable[str]) -> list[tuple[str, Chosen]]:
    """The steps from some policies to others, with the same measure."""
    steps = []
    current = start
    for name in names:
        value = getattr(end, name)
        if getattr(current.policies, name) != value:
            current = Chosen(current.measure, replace(current.policies, **{name: value}))
            steps.append((policy_sentence(name, value), current))
    return steps


def measure_steps(start: Chosen, end: Measure) -> list[tuple[str, Chosen]]:
    """The steps from one measure to another under the same policies; parameters that both have are kept."""
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
            steps.append((parameter_sentence(changed, name, value), current))
    return steps


def kept_values(start: Measure, end: Definition) -> dict[str, Any]:
    """The parameters set in a measure that another measure can have too."""
    parameters = start.definition.parameters
    changed = [name for name, value in start.values.items() if value not in (None, parameters[name].default)]
    alike = [
        name
        for name in changed
        if name in end.parameters
        and end.parameters[name]._replace(help="", default=None) == parameters[name]._replace(help="", default=None)
    ]
    return {name: start.values[name] for name in alike}


def parameter_sentence(measure: Measure, name: str, value: Any) -> str:  # noqa: ANN401 - a parameter may be of any kind
    """A parameter in the words of its annotation, or as the grammar writes it."""
    words = measure.definition.words.get((name, value)) if not isinstance(value, dict) else None
    parameter = measure.definition.parameters[name]
    said = f"{name}={'none' if value is None else write_value(value)}"
    return words or (said if parameter.choices or not parameter.help else f"{said} ({parameter.help})")
