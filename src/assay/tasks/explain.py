"""`explain`: a measure with all that its entry in the table says, and a worked example; or the list of measures."""

import inspect
import json
import math
import re
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from textwrap import wrap
from typing import Any, overload

from assay.conventions import CONVENTIONS, find_convention, parse_measures, write_name
from assay.core.convention import Convention
from assay.core.measure import SMALLEST_AVERAGE, AnswerExample, Definition, Example, JudgedExample
from assay.core.parameter import write_value
from assay.core.ruling import Reply, describe
from assay.core.text import printable
from assay.measures import SHORT_ANSWER_NAMES, TABLE
from assay.render import Column, Exports, Table, markdown, render, write_json
from assay.tasks.evaluate.answers import evaluate_answers
from assay.tasks.evaluate.labels import evaluate_labels

WIDTH = 88
INDENT = 16
COMBINED = {
    "mean": "the mean over queries",
    "geometric": f"the geometric mean over queries, each counted as {SMALLEST_AVERAGE:.5f} or more",
    "sum": "the sum over queries",
    "corpus": "one number for all queries together",
    "pooled": "the score of statistics summed over queries",
}


@dataclass(frozen=True, slots=True)
class ParameterSetting:
    """A parameter. `is_cutoff` ones are written after an `@`."""

    name: str
    is_cutoff: bool
    is_needed: bool
    default: Any
    allowed: str
    help: str

    @property
    def label(self) -> str:
        return f"@{self.name}" if self.is_cutoff else self.name

    @property
    def default_words(self) -> str:
        known = "no default" if self.default is None else f"default {write_value(self.default)}"
        return "required" if self.is_needed else known


@dataclass(frozen=True, slots=True)
class Worked:
    """A worked example and its computed value: of grades, of references and other texts, or of a judge's replies."""

    measure: str
    grades: list[float]
    all_grades: list[float] | None
    working: str
    value: float
    references: list[str] | None = None
    prediction: str | list[str] | None = None
    record: dict[str, Any] | None = None
    replies: list[Any] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What an LLM is asked: the name of the prompt, its version, its words, and the form of the reply."""

    name: str
    version: int
    task: str
    reply: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """Everything known about a measure. A bound that is not finite is None.

    `usual` has the bounds with the default parameters.
    """

    name: str
    title: str
    summary: str
    formula: str
    low: float | None
    high: float | None
    usual: tuple[float | None, float | None]
    higher_is_better: bool
    aggregate: str
    undefined: str
    parameters: list[ParameterSetting]
    aliases: dict[str, str]
    conventions: dict[str, list[str]]
    reference: str
    example: Worked | None
    spelled: dict[str, str]
    prompts: list[Asked]

    def to_dict(self) -> dict[str, Any]:
        """Everything, as JSON can hold it."""
        plain = asdict(self)
        for each in plain["parameters"]:
            if not isinstance(each["default"], str | bool | int | float | tuple | None):
                each["default"] = write_value(each["default"])
        return plain

    def to_json(self) -> str:
        """Everything, as JSON."""
        return write_json(self.to_dict())

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def to_text(self) -> str:
        """An aligned page for a terminal."""
        lines = [f"{self.name}: {self.title}", "", *wrap(self.summary, WIDTH), ""]
        for title, paragraphs in sections(self).items():
            wrapped = [line for text in paragraphs for line in wrap(text, WIDTH - INDENT)]
            lines += [f"{'' if row else title:<{INDENT}}{line}" for row, line in enumerate(wrapped)]
        lines += ["", "Parameters"] if self.parameters else []
        width = max((len(each.label) for each in self.parameters), default=0)
        for each in self.parameters:
            texts = [f"{each.allowed} ({each.default_words})", each.help]
            wrapped = [line for text in texts for line in wrap(text, WIDTH - width - 4)]
            lines += [f"  {'' if row else each.label:<{width}}  {line}" for row, line in enumerate(wrapped)]
        for prompt in self.prompts:
            task = [line for text in (" ".join(prompt.task.split()), prompt.reply) for line in wrap(text, WIDTH - 2)]
            lines += ["", f"Prompt {prompt.name}, version {prompt.version}", *(f"  {line}" for line in task)]
        if self.example:
            texts = [line for text in example_lines(self.example) for line in wrap(text, WIDTH - 2)]
            lines += ["", "Example", *(f"  {line}" for line in texts)]
        return "".join(printable(line) + "\n" for line in lines)

    def to_markdown(self) -> str:
        """The page, as Markdown."""
        parts = [f"## {markdown(self.name)}: {markdown(self.title)}", markdown(self.summary)]
        parts += [f"**{title}:** {'; '.join(map(markdown, texts))}" for title, texts in sections(self).items()]
        if self.parameters:
            columns = tuple(Column(name, is_text=True) for name in ("parameter", "values", "default", "meaning"))
            rows = tuple((each.label, each.allowed, each.default_words, each.help) for each in self.parameters)
            parts.append(render(Table(columns, rows), "markdown").rstrip())
        for prompt in self.prompts:
            parts.append(f"**Prompt {markdown(str(prompt.name))}, version {prompt.version}:** {markdown(prompt.task)}")
        if self.example:
            parts.append("**Example:** " + "; ".join(map(markdown, example_lines(self.example))))
        return "\n\n".join(parts) + "\n"


class MeasureList(Exports):
    """All measures, in the order of the table."""

    def __iter__(self) -> Iterator[str]:
        return iter(TABLE)

    def table(self) -> Table:
        """Each measure with its aliases and its title."""
        columns = tuple(Column(name, is_text=True) for name in ("measure", "aliases", "title"))
        return Table(columns, tuple((each.name, ", ".join(TABLE.aliases(each)), each.title) for each in TABLE.values()))

    def to_text(self) -> str:
        """The table, and how to learn more."""
        return render(self.table(), "table") + "\n`assay measures NAME` explains one.\n"

    def to_json(self) -> str:
        """Every measure, explained."""
        return write_json([describe_measure(each).to_dict() for each in TABLE.values()])


@overload
def explain(name: None = None) -> MeasureList: ...
@overload
def explain(name: str) -> Explanation: ...
def explain(name: str | None = None) -> Explanation | MeasureList:
    """What a measure computes: its formula, parameters, names in other tools, and a worked example.

    >>> import assay
    >>> assay.explain("mrr").formula
    '1 / rank of the first relevant document; 0 if there is none'

    Any spelling will do: a name, an alias, a name with parameters, a tool's name. Without one, the list of measures.
    """
    if name is None:
        return MeasureList()
    name = name.strip()
    name = name if TABLE.has(name) else SHORT_ANSWER_NAMES.get(name, name)
    if TABLE.has(name):
        return describe_measure(TABLE.find(name)[0])
    measures = parse_measures([name], find_convention("assay"), 1.0)
    definition = next(iter(measures.values())).definition
    return describe_measure(definition, {key: each.full_name for key, each in measures.items()})


def describe_measure(definition: Definition, spelled: dict[str, str] | None = None) -> Explanation:
    """What the table says about a measure; `spelled` maps what a user wrote to what it means in full."""
    ranges = (definition.range, definition.usual_range or definition.range)
    (low, high), (least, most) = ([bound if math.isfinite(bound) else None for bound in each] for each in ranges)
    parameters = []
    for each in definition.parameters.values():
        is_needed = each.default is inspect.Parameter.empty
        about = (each.name == definition.at, is_needed, None if is_needed else each.default, each.describe(), each.help)
        parameters.append(ParameterSetting(each.name, *about))
    aliases = {}
    for alias, values in TABLE.aliases(definition).items():
        inside = ",".join(f"{name}={write_value(value)}" for name, value in values.items())
        aliases[alias] = f"{definition.name}({inside})" if inside else definition.name
    same = ("name", "title", "summary", "formula", "higher_is_better", "undefined", "reference")
    return Explanation(
        **{field: getattr(definition, field) for field in same},
        low=low,
        high=high,
        usual=(least, most),
        aggregate="pooled" if definition.pooled else "corpus" if definition.corpus else definition.aggregate,
        parameters=parameters,
        aliases=aliases,
        conventions=spellings(definition),
        example=work(definition.example) if definition.example else None,
        spelled=spelled or {},
        prompts=[Asked(each.name, each.version, each.task, describe(each.reply)) for each in definition.prompts],
    )


def spellings(definition: Definition) -> dict[str, list[str]]:
    """The names of the measure in other tools, with k for the cutoff."""
    found: dict[str, list[str]] = {}
    for convention in CONVENTIONS.values():
        for name, entry in convention.names.items():
            if TABLE.find(re.split(r"[(@\[]", entry.measure)[0])[0] is definition:
                found.setdefault(convention.name, []).append(name_with_k(name, convention))
    return {tool: list(dict.fromkeys(names)) for tool, names in found.items()}


def name_with_k(name: str, convention: Convention) -> str:
    """A tool's name with k for the cutoff, in brackets if it is optional.

    >>> name_with_k("P", CONVENTIONS["trec_eval"]), name_with_k("map", CONVENTIONS["ranx"])
    ('P_k', 'map[@k]')
    """
    measure = convention.names[name].measure
    if "@{}" not in measure:
        return name
    spelled = write_name(name, convention)
    return f"{name}[{spelled.removeprefix(name)}]" if "[@{}]" in measure else spelled


def work(example: Example | AnswerExample | JudgedExample) -> Worked:
    if isinstance(example, JudgedExample):
        from assay.measures.judged.case import replay

        value = replay(example.measure, example.record, example.replies).score
        replies = list(example.replies)
        for at, reply in enumerate(replies):
            if isinstance(reply, Reply):
                replies[at] = {**reply.value, "probabilities": dict(reply.weights)}
        return Worked(example.measure, [], None, example.working, value, record=dict(example.record), replies=replies)
    if isinstance(example, AnswerExample):
        measure, references, prediction, _, working = example
        if isinstance(prediction, str):
            value = evaluate_answers([references], [prediction], measure).scores[measure][0]
        else:
            from assay.tasks.rag.api import evaluate_rag

            value = evaluate_rag([{"gold_texts": references, "retrieved_texts": prediction}], measure)[measure]
        return Worked(measure, [], None, working, float(value), references, prediction)
    ideal = None if example.ideal is None else [example.ideal]
    value = float(evaluate_labels([example.grades], [example.measure], ideal=ideal).scores[example.measure][0])
    return Worked(example.measure, example.grades, example.ideal, example.working, value)


def sections(about: Explanation) -> dict[str, list[str]]:
    plain = ", ".join(alias for alias, meaning in about.aliases.items() if meaning == about.name)
    special = [f"{alias} = {meaning}" for alias, meaning in about.aliases.items() if meaning != about.name]
    undefined = f"if {about.undefined}; such queries are left out of the mean" if about.undefined else ""
    parts = {
        "You wrote": [f"{name} = {meaning}" for name, meaning in about.spelled.items()],
        "Formula": [about.formula],
        "Queries": [COMBINED[about.aggregate]],
        "Range": [range_of(about)],
        "Undefined": [undefined],
        "Aliases": [plain, *special],
        **{f"In {tool}": [", ".join(names)] for tool, names in about.conventions.items()},
        "Reference": [about.reference],
    }
    return {title: texts for title, each in parts.items() if (texts := list(filter(None, each)))}


def range_of(about: Explanation) -> str:
    values = []
    for low, high in dict.fromkeys([about.usual, (about.low, about.high)]):
        if low is None:
            values.append("any number" if high is None else f"{high:g} or less")
        else:
            values.append(f"{low:g} or more" if high is None else f"{low:g} to {high:g}")
    words = f"{values[0]} ({values[1]} with other parameters)" if values[1:] else values[0]
    return f"{words}; the {'higher' if about.higher_is_better else 'lower'} the better"


def example_lines(example: Worked) -> list[str]:
    """The grades, texts or replies, the working and the value."""
    if example.record is not None:
        texts = {name: [each] if isinstance(each, str) else each for name, each in example.record.items()}
        grades = [f"{name}: {' | '.join(map(str, each))}" for name, each in texts.items()]
        grades += [f"the judge: {json.dumps(each, ensure_ascii=False)}" for each in example.replies or ()]
    elif example.references is not None:
        grades = [f"references: {' | '.join(example.references)}", f"answer: {example.prediction}"]
        if isinstance(example.prediction, list):
            grades = [f"gold: {' | '.join(example.references)}", f"retrieved: {' | '.join(example.prediction)}"]
    else:
        grades = [f"grades in rank order: {' '.join(map(write_value, example.grades))}"]
    if example.all_grades is not None:
        grades.append(f"all judged grades: {' '.join(map(write_value, example.all_grades))}")
    value = write_value(example.value) if example.value.is_integer() else f"{example.value:.4f}"
    return [*grades, example.working, f"{example.measure} = {value}"]
