"""What tasks ask a judge, and the user's own words in place of that: from a file, for prompts that there are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from assay.core.errors import FormatError, MeasureError
from assay.core.interface import Option
from assay.core.prompt import Prompt, Scale
from assay.core.text import nearest, printable, show
from assay.files.source import read_toml
from assay.measures import TABLE

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

BETTER = Prompt(
    "better",
    1,
    """\
Two answers to the same question, A and B. Decide which one answers it better: more correct, more complete, and to the
point. If there is a reference, it is right. Length and style alone do not make an answer better, nor does its place.
Say "tie" if neither is better.""",
    {"reason": str, "better": ("A", "B", "tie")},
)
QUESTION = Prompt(
    "question",
    1,
    """\
Write one question that a user of a search system might ask and that the passage answers, and the answer. The question
must make sense to somebody who has not seen the passage: no "the passage", no "this company", no pronoun without a
name. The answer is short and says only what the passage says. If the passage has nothing to ask about, leave both
empty.""",
    {"question": str, "answer": str},
)
ANSWERABLE = Prompt(
    "answerable",
    1,
    """\
Decide whether the passage alone answers the question, and whether the answer given is right according to the passage.
The verdict is true only if both hold.""",
    {"reason": str, "verdict": bool},
)
RELEVANCE = Prompt(
    "relevance",
    1,
    """\
Grade how well the passage answers the question:
3: the passage is about the question and has the exact answer.
2: the passage has some of the answer, or the whole answer hidden among other things.
1: the passage is about the same subject but does not answer the question.
0: the passage has nothing to do with the question.
First consider what the person who asks wants to know, then how well the passage fits that, then how far the passage can
be trusted; then give the grade.""",
    {"intent": str, "fit": Scale(0, 3), "trust": Scale(0, 3), "grade": Scale(0, 3)},
)
TASKS = (BETTER, QUESTION, ANSWERABLE, RELEVANCE)


def check_prompts(replaced: Collection[str], asked: Iterable[Prompt]) -> None:
    """Raises if words are given for a prompt that does not exist; it may be one of measures that are not computed."""
    own = {prompt.name for prompt in asked}
    if own.issuperset(replaced):
        return
    known = {prompt.name for each in TABLE.values() if each.of == "judged" for prompt in each.prompts}
    known |= own | {prompt.name for prompt in TASKS}
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
