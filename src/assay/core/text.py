"""Words of messages: ids that are safe to print, counts with their noun, options and tasks as the reader writes them.

Everything that tells people to set an option holds an `Option`; its text is `missing="skip"` in Python and
`--policy missing=skip` in the shell. The command sets `INTERFACE` while it runs.
"""

import os
import re
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from enum import Enum
from typing import Any, NamedTuple

LONGEST_SHOWN = 60
# Stands for the empty string as a document's id, which the kernel refuses: like that, it sorts before other ids.
EMPTY_ID = "\x00 (empty id)"


def show(value: object) -> str:
    r"""An id in quotes, with control characters escaped and long text cut.

    >>> show("d1")
    "'d1'"
    >>> print(show("red\x1b[31m"))
    'red\x1b[31m'
    """
    try:
        text = given_id(str(value))
    except MemoryError:
        raise
    except Exception:  # noqa: BLE001 - a message must not fail because of its subject
        text = f"a value of type {type(value).__name__}"
    cut = text[:LONGEST_SHOWN] + ("…" if len(text) > LONGEST_SHOWN else "")
    return "'" + printable(cut) + "'"


def given_id(document: str) -> str:
    """A document's id as it was given, which may be the empty string."""
    return "" if document == EMPTY_ID else document


def printable(text: str) -> str:
    """The text with everything escaped that a terminal could interpret."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def some(ids: Sequence[str], most: int = 3) -> str:
    """The first few ids, and an ellipsis if there are more."""
    return ", ".join([show(each) for each in ids[:most]] + (["…"] if len(ids) > most else []))


def count(number: int, singular: str, plural: str | None = None) -> str:
    """A number with its noun."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


def p_words(p: float) -> str:
    """A p-value as people write it."""
    return f"p = {p:.4f}" if p >= 0.00005 else "p < 0.0001"  # noqa: PLR2004 - what four digits show


def first_line(text: str, width: int | None) -> str:
    """The first line of a text that is not blank, cut to a width."""
    line = next((each for each in text.splitlines() if each.strip()), "")
    return shorten_text(line, width) or ""


def shorten_text(text: str | None, width: int | None) -> str | None:
    """A text on one line, cut to a width."""
    if text is None:
        return None
    line = " ".join(text.split())
    return line if width is None or len(line) <= width else line[: max(width - 1, 0)].rstrip() + "…"


def nearest(name: str, names: Iterable[str]) -> list[str]:
    from difflib import get_close_matches

    return get_close_matches(name, list(names), n=3, cutoff=0.6)


def is_unicode(text: str) -> bool:
    """Whether a text can be written as UTF-8; lone surrogates cannot."""
    return re.search("[\ud800-\udfff]", text) is None


def quoted(path: str | os.PathLike[str]) -> str:
    """A path in quotes, in full, however long."""
    return "'" + printable(os.fsdecode(path)) + "'"


class Interface(Enum):
    """What the reader of a message writes: Python or shell commands."""

    PYTHON = "python"
    SHELL = "shell"


INTERFACE: ContextVar[Interface] = ContextVar("assay_interface", default=Interface.PYTHON)
# What the shell takes as options of their own, with the names they have there; `--policy` takes all others.
USUAL = (
    *("baseline", "between", "by", "convention", "corpus", "criteria", "human", "judge", "lossy", "measure", "pairs"),
    *("queries", "store", "strict", "test"),
)
OPTIONS = {
    **{name: f"--{name}" for name in USUAL},
    "kind": "--from",
    "minimum": "--min",
    "max_drop": "--max-drop",
    "columns": "--column",
    "result.save": "--save",
    "runs": "--run",
    **dict.fromkeys(("a", "b", "a and b"), "--between"),
}
OF_RUNS = {"order_column": ("--column", "order", "FIELD"), "format": ("--from", "run", "FORMAT")}
# What `--judge-option` takes and a message names.
JUDGE_OPTIONS = ("max_cost", "max_tokens", "prices", "prompts")
COMMANDS = {"evaluate": "eval", "evaluate_many": "eval", "evaluate_rag": "rag"}
# The last is one entry of a dict.
Value = str | float | bool | tuple[str, Any]


class Option(NamedTuple):
    """An option with the value to give it; without a value, only its name. `str` writes it for the interface in use.

    >>> str(Option("missing", "skip")), str(Option("rel", 2)), str(Option("format"))
    ('missing="skip"', 'rel=2', 'format')
    >>> Option("doc_id", "before:#").written(Interface.SHELL), Option("strict", True).written(Interface.SHELL)
    ("--policy 'doc_id=before:#'", '--strict')
    """

    name: str
    value: Value | None = None

    def __str__(self) -> str:
        return self.written(INTERFACE.get())

    def written(self, interface: Interface) -> str:
        if interface is Interface.PYTHON:
            return self.name if self.value is None else f"{self.name}={python_value(self.value)}"
        if self.name in OPTIONS:
            name = OPTIONS[self.name]
            return name if self.value is None or self.value is True else f"{name} {shell_value(self.value)}"
        if self.name in OF_RUNS:
            option, key, value = OF_RUNS[self.name]
            return f"{option} {shell_value((key, value if self.value is None else self.value))}"
        name = "--judge-option" if self.name in JUDGE_OPTIONS else "--policy"
        if self.value is None:
            return f"{name} {self.name}"
        return f"{name} {shell_value((self.name, 'yes' if self.value is True else self.value))}"


def python_value(value: Value) -> str:
    """A value as Python has it, with double quotes."""
    if isinstance(value, tuple):
        return f"{{{python_value(value[0])}: {python_value(value[1])}}}"
    if not isinstance(value, str) or '"' in value or not value.isprintable() or value.endswith("\\"):
        return repr(value)
    return f'r"{value}"' if "\\" in value else f'"{value}"'


def shell_value(value: Value) -> str:
    from shlex import quote

    return quote("=".join(map(str, value)) if isinstance(value, tuple) else str(value))


class Task(NamedTuple):
    """Something assay does, by the name of its public function. `str` writes it for the interface in use."""

    name: str

    def __str__(self) -> str:
        in_shell = INTERFACE.get() is Interface.SHELL
        return f"`assay {COMMANDS.get(self.name, self.name)}`" if in_shell else f"assay.{self.name}"


# What a note advises: text, with options and tasks in it that are named for the interface in use.
Advice = tuple[str | Option | Task, ...]
