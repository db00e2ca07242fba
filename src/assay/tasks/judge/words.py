"""What people say in their own words: criteria, which become measures, and prompts in place of those there are.

[politeness]
aspect = "Is the answer polite?"

[completeness]
rubric = "How much of what was asked does the answer say?"
levels = { 1 = "nothing", 2 = "a part", 3 = "all of it" }
see = "reference"
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from assay.core.errors import FormatError, MeasureError, PolicyError
from assay.core.measure import Measure
from assay.core.ruling import Prompt
from assay.core.text import Option, nearest, printable, show
from assay.files.source import prefix_errors, read_toml
from assay.measures import TABLE
from assay.measures.judged.criteria import KINDS, OwnCriterion, aspect, check_levels, criterion_definition

NAME = re.compile(r"[A-Za-z_][\w-]{0,99}", re.ASCII)
LONGEST_WORDS = 10_000
# The prompts of tasks.
TASKS = ("better", "question", "answerable", "relevance")
SETTINGS = ("levels", "see", "higher_is_better")


def read_criteria(source: str | os.PathLike[str] | Mapping[str, Any]) -> dict[str, Measure]:
    """Measures from criteria in words: a TOML file, or a dict of the same form. Their names then work everywhere.

    Each section is a measure. It has one of `aspect` (does it hold? 1 or 0), `guideline` (does the answer follow it? 1
    or 0), `rubric` (with `levels`, the score is the level) and `g_eval` (1 to 5). `see` says what the judge sees beside
    question and answer: "reference", "contexts" or "all".

    >>> import assay
    >>> criteria = assay.judges.read_criteria({"politeness": {"aspect": "Is the answer polite?"}})
    >>> judge = assay.Judge(lambda messages: '{"reason": "It greets.", "verdict": true}', cache=False)
    >>> assay.evaluate_rag([{"query_id": "q1", "answer": "Hello!"}], ["politeness"], judge=judge).mean
    {'politeness': 1.0}
    >>> assay.extend.remove_measure("politeness")
    """
    if isinstance(source, Mapping):
        content, where = source, "the criteria"
    else:
        content, where = read_toml(source, "criteria"), printable(os.fspath(source))
    if not content:
        raise FormatError(f"{where}: no criteria; a section such as [politeness] has one")
    measures: dict[str, Measure] = {}
    for name, about in content.items():
        with prefix_errors(f"{where}, [{printable(str(name))}]"):
            definition = criterion_definition(read_criterion(name, about))
            # The same criterion may be read again.
            if TABLE.has(definition.name) and (known := TABLE.find(definition.name)[0]) is not definition:
                if getattr(known, "criterion", None) is None:
                    raise MeasureError(f"a measure named {show(name)} already exists; choose another name")
                said = f"another criterion is named {show(known.name)}; assay.extend.remove_measure removes it"
                raise MeasureError(said)
            measures[name] = definition()
    for name, measure in measures.items():
        if name not in TABLE:
            TABLE.add(measure.definition)
    return measures


def read_criterion(name: object, about: object) -> OwnCriterion:
    if not isinstance(name, str) or not NAME.fullmatch(name):
        raise FormatError(f"{show(name)} is not a name; it has letters, digits, _ and -, and begins with a letter")
    if not isinstance(about, Mapping):
        raise FormatError(f"a criterion is a section with one of {', '.join(KINDS)}, not {show(about)}")
    kinds = [kind for kind in KINDS if kind in about]
    if len(kinds) != 1:
        raise FormatError(f"a criterion has one of {', '.join(KINDS)}; this has {' and '.join(kinds) or 'none'}")
    if unknown := [key for key in about if key not in (*KINDS, *SETTINGS)]:
        raise FormatError(f"unknown setting {show(unknown[0])}; a criterion has {', '.join((*KINDS, *SETTINGS))}")
    (kind,) = kinds
    if ("levels" in about) != (kind == "rubric"):
        raise FormatError("a rubric needs levels" if kind == "rubric" else f"only a rubric has levels, not {kind}")
    see = about.get("see", "answer")
    aspect.parameters["see"].check(see, str(name))
    side = about.get("higher_is_better", True)
    if not isinstance(side, bool):
        raise FormatError(f"higher_is_better must be true or false, not {show(side)}")
    words = about[kind]
    if not isinstance(words, str) or not words.strip() or len(words) > LONGEST_WORDS:
        raise FormatError(f"{kind} must be a text of at most {LONGEST_WORDS:,} characters, not {show(words)}")
    return OwnCriterion(name, kind, words.strip(), read_level_table(about.get("levels")), see, side)


def read_level_table(levels: object) -> tuple[tuple[int, str], ...]:
    """The levels of a rubric, in order: a table of numbers and texts, or a list of texts from 1 on."""
    if levels is None:
        return ()
    if isinstance(levels, list):
        levels = dict(enumerate(levels, start=1))
    if not isinstance(levels, Mapping) or not all(isinstance(each, str) and each.strip() for each in levels.values()):
        raise FormatError(f'levels must be a table of texts, such as {{ 1 = "poor", 2 = "good" }}, not {show(levels)}')
    try:
        known = {int(level): text.strip() for level, text in levels.items()}
    except ValueError:
        raise FormatError(f"levels must be whole numbers, not {show(list(levels))}") from None
    return tuple(check_levels(known).items())


def check_prompts(replaced: Collection[str], asked: Iterable[Prompt]) -> None:
    """Raises if words are given for a prompt that does not exist; it may be one of measures that are not computed."""
    own = {prompt.name for prompt in asked}
    if own.issuperset(replaced):
        return
    known = {prompt.name for each in TABLE.values() if each.of == "judged" for prompt in each.prompts}
    known |= own | set(TASKS)
    for name in replaced:
        if name not in known:
            said = f"{Option('prompts')} of the judge: unknown prompt {show(name)}"
            raise MeasureError(f"{said}; did you mean {' or '.join(nearest(name, known) or sorted(own))}?")


def read_prompts(prompts: object) -> dict[str, str]:
    """Own words by the name of a prompt: a dict, or a TOML file with lines such as `support = "Is it there?"`."""
    if not isinstance(prompts, (str, os.PathLike)):
        if isinstance(prompts, Mapping) and all(isinstance(part, str) for item in prompts.items() for part in item):
            return dict(prompts)
        raise PolicyError(f'prompts= has words by the name of a prompt, as in {{"support": "…"}}, not {show(prompts)}')
    content = read_toml(prompts, "prompts")
    where = printable(os.fspath(prompts))
    for name, words in content.items():
        if not isinstance(words, str) or not words.strip():
            raise FormatError(f"{where}: {show(name)} must have the words of a prompt, not {show(words)}")
    if not content:
        raise FormatError(f'{where}: no prompts; a line such as support = "…" has one')
    return dict(content)
