"""The user's own words for prompts: from a file, and only for prompts that there are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from assay.core.errors import FormatError, MeasureError
from assay.core.interface import Option
from assay.core.text import nearest, printable, show
from assay.data.source import read_toml
from assay.measures import TABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from assay.core.prompt import Prompt


def check_prompts(replaced: Collection[str], asked: Iterable[Prompt]) -> None:
    """Raises if words are given for a prompt that does not exist; it may be one of measures that are not computed."""
    own = {prompt.name for prompt in asked}
    if own.issuperset(replaced):
        return
    from assay.tasks.judge.pairwise import BETTER
    from assay.tasks.judge.questions import ANSWERABLE, QUESTION
    from assay.tasks.judge.relevance import RELEVANCE

    known = {prompt.name for each in TABLE.values() if each.of == "judged" for prompt in each.prompts}
    known |= own | {prompt.name for prompt in (BETTER, ANSWERABLE, QUESTION, RELEVANCE)}
    for name in replaced:
        if name not in known:
            near = nearest(name, known) or sorted(own)
            said = f"{Option('prompts')} of the judge: unknown prompt {show(name)}"
            raise MeasureError(f"{said}; did you mean {' or '.join(near)}?")


def read_prompts(path: str | os.PathLike[str]) -> dict[str, str]:
    """Own words by the name of a prompt, from a TOML file with lines such as `support = "Does the passage …?"`."""
    content = read_toml(path, "prompts")
    where = printable(os.fspath(path))
    for name, words in content.items():
        if not isinstance(words, str) or not words.strip():
            raise FormatError(f"{where}: {show(name)} must have the words of a prompt, not {show(words)}")
    if not content:
        raise FormatError(f'{where}: no prompts; a line such as support = "…" has one')
    return dict(content)
