"""What there is to say about a measure, taken from its entry in the table."""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from assay.conventions import CONVENTIONS, find_convention, parse_measures, spelling
from assay.core.grammar import look_up as look_up_name
from assay.core.measure import AnswerExample, Definition, Example, all_names
from assay.core.parameter import write
from assay.measures import TABLE
from assay.tasks.evaluate.answers import evaluate_answers
from assay.tasks.evaluate.labels import evaluate_labels
from assay.tasks.rag.api import evaluate_rag

if TYPE_CHECKING:
    from collections.abc import Mapping

    from assay.core.convention import Convention
    from assay.core.parameter import Parameter


@dataclass(frozen=True, slots=True)
class Setting:
    """A parameter. `is_cutoff` ones are written after an `@`."""

    name: str
    is_cutoff: bool
    is_needed: bool
    default: Any
    allowed: str
    help: str


@dataclass(frozen=True, slots=True)
class Worked:
    """A worked example, with its value as it is computed here and now: of grades, or of references and other texts."""

    measure: str
    grades: list[float]
    all_grades: list[float] | None
    working: str
    value: float
    references: list[str] | None = None
    prediction: str | list[str] | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything that is known about a measure. A bound that is not finite is None."""

    name: str
    title: str
    summary: str
    formula: str
    low: float | None
    high: float | None
    higher_is_better: bool
    aggregate: str
    undefined: str
    parameters: list[Setting]
    aliases: dict[str, str]
    conventions: dict[str, list[str]]
    reference: str
    example: Worked | None
    spelled: dict[str, str]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        plain = asdict(self)
        for each in plain["parameters"]:
            if not isinstance(each["default"], str | bool | int | float | tuple | None):
                each["default"] = write(each["default"])
        return plain


def look_up(name: str) -> Explanation:
    """What any spelling stands for: a measure's name, an alias, one with parameters, or a tool's own."""
    names = {each.lower(): definition for each, (definition, _) in all_names(TABLE).items()}
    if name.strip().lower() in names:
        return explain(names[name.strip().lower()])
    measures = parse_measures([name], find_convention("assay"), 1.0)
    definition = next(iter(measures.values())).definition
    return explain(definition, {key: each.full_name for key, each in measures.items()})


def explain(definition: Definition, spelled: dict[str, str] | None = None) -> Explanation:
    """What the table says about a measure; `spelled` is what a user wrote, and what that means in full."""
    low, high = (bound if math.isfinite(bound) else None for bound in definition.range)
    return Explanation(
        name=definition.name,
        title=definition.title,
        summary=definition.summary,
        formula=definition.formula,
        low=low,
        high=high,
        higher_is_better=definition.higher_is_better,
        aggregate="pooled" if definition.pooled else "corpus" if definition.corpus else definition.aggregate,
        undefined=definition.undefined,
        parameters=[setting(definition, each) for each in definition.parameters.values()],
        aliases={alias: preset(definition, values) for alias, values in definition.aliases.items()},
        conventions=spellings(definition),
        reference=definition.reference,
        example=work(definition.example) if definition.example else None,
        spelled=spelled or {},
    )


def setting(definition: Definition, parameter: Parameter) -> Setting:
    is_needed = parameter.default is inspect.Parameter.empty
    return Setting(
        name=parameter.name,
        is_cutoff=parameter.name == definition.at,
        is_needed=is_needed,
        default=None if is_needed else parameter.default,
        allowed=parameter.describe(),
        help=parameter.help,
    )


def preset(definition: Definition, values: Mapping[str, Any]) -> str:
    """What an alias stands for."""
    inside = ",".join(f"{name}={write(value)}" for name, value in values.items())
    return f"{definition.name}({inside})" if inside else definition.name


def spellings(definition: Definition) -> dict[str, list[str]]:
    """What other tools call the measure, with k where a cutoff stands."""
    found: dict[str, list[str]] = {}
    for convention in CONVENTIONS.values():
        for name, entry in convention.names.items():
            if look_up_name(re.split(r"[(@\[]", entry.measure)[0], TABLE)[0] is definition:
                found.setdefault(convention.name, []).append(with_cutoff(name, convention))
    return {tool: list(dict.fromkeys(names)) for tool, names in found.items()}


def with_cutoff(name: str, convention: Convention) -> str:
    """A tool's name, with k where a cutoff stands, in brackets where it may be left out.

    >>> with_cutoff("P", CONVENTIONS["trec_eval"]), with_cutoff("map", CONVENTIONS["ranx"])
    ('P_k', 'map[@k]')
    """
    measure = convention.names[name].measure
    if "@{}" not in measure:
        return name
    spelled = spelling(name, convention)
    return f"{name}[{spelled.removeprefix(name)}]" if "[@{}]" in measure else spelled


def work(example: Example | AnswerExample) -> Worked:
    """The example, computed."""
    if isinstance(example, AnswerExample):
        measure, references, prediction, _, working = example
        if isinstance(prediction, str):
            value = evaluate_answers([references], [prediction], measure).scores[measure][0]
        else:
            value = evaluate_rag([{"gold_texts": references, "retrieved_texts": prediction}], measure)[measure]
        return Worked(measure, [], None, working, float(value), references, prediction)
    ideal = None if example.ideal is None else [example.ideal]
    result = evaluate_labels([example.grades], [example.measure], ideal=ideal)
    value = float(result.scores[example.measure][0])
    return Worked(example.measure, example.grades, example.ideal, example.working, value)
