"""Writes the parts of the documentation that assay knows itself: measures.md, and parts of data.md and conventions.md.

`make docs` runs it. A test compares what it makes with what is committed.
"""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import inspect
import json
import re
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING

from assay.cli.measures import COMBINED, Explanation, Setting, Worked, explain, range_of, with_cutoff
from assay.conventions import CONVENTIONS
from assay.core.convention import Convention, Name
from assay.core.parameter import write
from assay.core.policies import CHOICES, Policies, policy_help, policy_sentence
from assay.measures import TABLE, parse

if TYPE_CHECKING:
    from collections.abc import Iterable

FOLDER = Path(__file__).parent
WIDTH = 120
INTRODUCTION = """\
# Measures

Made by `make docs` from the table that `assay measures` reads too. `assay measures NAME` shows one of them in a
terminal. How to add your own: [measures-of-your-own.md](measures-of-your-own.md).

A name has the form `name(parameter=value,…)@k`: `ndcg@10`, `ap(rel=2)@100`, `rbp(p=0.95)`, `ndcg(gain=1:3;2:9)@10`.
What is not said has its default. Upper and lower case are the same. Aliases and the spellings of other tools work
wherever a name works. R is the number of relevant documents of a query.

A document that was not retrieved has no rank and adds nothing. A document without a judgment takes up its rank and
counts as not relevant, except where a measure says otherwise.

```python
>>> import assay

```
"""
# What policies may be that have no words to choose from.
OTHER_VALUES = {"depth": "`None`, a whole number from 1", "judged_only": "`False`, `True`", "rel": "a number"}
POLICIES = re.compile(r"(?<=<!-- policies -->\n).*?(?=<!-- end -->)", re.DOTALL)
TOOLS = re.compile(r"(?<=<!-- tools -->\n).*?(?=<!-- end -->)", re.DOTALL)


def pages() -> dict[str, str]:
    """Each generated page as it should be, by file name."""
    data = (FOLDER / "data.md").read_text(encoding="utf-8")
    conventions = (FOLDER / "conventions.md").read_text(encoding="utf-8")
    return {
        "measures.md": measures_page(),
        "data.md": POLICIES.sub(lambda _: f"\n{policies_table()}\n", data),
        "conventions.md": TOOLS.sub(lambda _: f"\n{tools()}\n", conventions),
    }


def measures_page() -> str:
    """Every measure that comes with assay, in the order of the table."""
    definitions = [each for each in TABLE.values() if each.function.__module__.startswith("assay.measures.")]
    contents = table(
        ("measure", "aliases", "title"),
        ((f"[`{each.name}`](#{each.name})", listed(each.aliases), each.title) for each in definitions),
    )
    return "\n".join([INTRODUCTION, contents, *(section(explain(each)) for each in definitions)])


def section(about: Explanation) -> str:
    """What is said about one measure."""
    plain = listed(alias for alias, meaning in about.aliases.items() if meaning == about.name)
    special = [f"`{alias}` for `{meaning}`" for alias, meaning in about.aliases.items() if meaning != about.name]
    tools = [f"in {tool} {listed(names)}" for tool, names in about.conventions.items()]
    other_names = [each for each in (plain, *special, *tools) if each]
    facts = {
        "Range": range_of(about),
        "Over queries": COMBINED[about.aggregate].replace(" over queries", ""),
        "Undefined": f"where {about.undefined}; such queries are left out" if about.undefined else "",
        "Other names": "; ".join(other_names),
        "Reference": about.reference.removesuffix("."),
    }
    parts = [f"## {about.name}", fill(f"{about.title}. {about.summary}", WIDTH), f"```\n{about.formula}\n```"]
    lines = [f"- {title}: {text}." for title, text in facts.items() if text]
    parts.append("\n".join(fill(line, WIDTH, subsequent_indent="  ") for line in lines))
    if about.parameters:
        rows = (parameter_row(each) for each in about.parameters)
        parts.append(table(("parameter", "may be", "default", "meaning"), rows).rstrip())
    if about.example:
        parts.append(worked(about.example))
    return "\n\n".join(parts) + "\n"


def parameter_row(setting: Setting) -> tuple[str, ...]:
    default = "needed" if setting.is_needed else "none" if setting.default is None else f"`{write(setting.default)}`"
    return f"`{'@' if setting.is_cutoff else ''}{setting.name}`", setting.allowed, default, setting.help


def worked(example: Worked) -> str:
    """The example as a doctest, so that the page shows what assay computes."""
    if isinstance(example.prediction, list):
        record = (
            f'{{"gold_texts": {json.dumps(example.references)}, "retrieved_texts": {json.dumps(example.prediction)}}}'
        )
        return doctest(example, f'round(assay.evaluate_rag([{record}], "{example.measure}")["{example.measure}"], 4)')
    if example.references is not None:
        call = f'assay.evaluate_answers([{example.references}], ["{example.prediction}"], "{example.measure}")'
        call = f'{call}.scores["{example.measure}"][0]'
        return doctest(example, f"round(float({call}), 4)")
    grades = f"[[{', '.join(map(write, example.grades))}]]"
    ideal = "" if example.all_grades is None else f", ideal=[[{', '.join(map(write, example.all_grades))}]]"
    # A number of all queries says nothing of one.
    of_one = '.per_query()["0"]' if parse(example.measure).definition.corpus else ""
    call = f'assay.evaluate_labels({grades}, "{example.measure}"{ideal}){of_one}["{example.measure}"]'
    return doctest(example, f"round({call}, 4)")


def doctest(example: Worked, call: str) -> str:
    return f"Example: {example.working}.\n\n```python\n>>> {call}\n{round(example.value, 4)}\n\n```"


def policies_table() -> str:
    """Every policy, its values and its default; conventions.md tells what it is in each tool."""
    rows = []
    for name in Policies.__slots__:
        values = listed(CHOICES[name]) if name in CHOICES else OTHER_VALUES[name]
        chosen = getattr(Policies(), name)
        shown = f"`{chosen:g}`" if isinstance(chosen, float) else f"`{chosen}`"
        rows.append((f"`{name}`", values, shown, policy_help(name)))
    return table(("policy", "may be", "by default", "meaning"), rows)


def tools() -> str:
    """One section for each tool."""
    return "\n".join(tool_section(each) for each in CONVENTIONS.values() if each.names)


def tool_section(tool: Convention) -> str:
    """A tool's policies where they are not assay's, its names, and where it is wrong."""
    parts = [f"### {tool.name}", fill(f"{tool.title.removesuffix('.')}.", WIDTH)]
    own = {name: getattr(tool.policies, name) for name in Policies.__slots__}
    rows = [
        (f"`{name}={value}`", policy_sentence(name, value))
        for name, value in own.items()
        if value != getattr(Policies(), name)
    ]
    parts.append(table(("policy", "meaning"), rows).rstrip() if rows else "Its policies are assay's defaults.")
    parts.append(fill(f"How it spells: {syntax(tool)}", WIDTH))
    names = (name_row(name, entry, tool) for name, entry in tool.names.items())
    parts.append(table(("name", "assay's measure", "more"), names).rstrip())
    if tool.defects:
        lines = "\n".join(
            fill(f"- {defect.removesuffix('.')}.", WIDTH, subsequent_indent="  ") for defect in tool.defects
        )
        parts.append(f"Where {tool.name} is wrong and assay is not:\n\n{lines}")
    return "\n\n".join(parts) + "\n"


def syntax(tool: Convention) -> str:
    """How a tool writes names with cutoffs and options: what is said of the function that reads them."""
    return " ".join((inspect.getdoc(tool.read) or "").partition(">>>")[0].split())


def name_row(name: str, entry: Name, tool: Convention) -> tuple[str, ...]:
    """A name, what it stands for, and what it can be told."""
    options = [
        f"`{option}` sets `{each.parameter}`{' and has to be told' if option in entry.needed else ''}"
        for option, each in entry.options.items()
    ]
    policies = [f"`{policy}={value}`" for policy, value in entry.policies.items()]
    more = [", ".join(policies), *options, entry.about]
    measure = entry.measure.replace("{}", "k")
    return f"`{with_cutoff(name, tool)}`", f"`{measure}`", "; ".join(each for each in more if each)


def listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def table(columns: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A Markdown table."""
    columns = tuple(columns)
    lines = [columns, ("---",) * len(columns), *rows]
    return "".join(f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in line)} |\n" for line in lines)


if __name__ == "__main__":
    for name, text in pages().items():
        (FOLDER / name).write_text(text, encoding="utf-8", newline="\n")
