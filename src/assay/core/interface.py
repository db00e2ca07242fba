"""How assay is being used, in Python or from the shell: options and tasks are named as the reader would write them.

Everything that tells people to set an option holds an `Option`; its text is `missing="skip"` in Python and
`--policy missing=skip` in the shell. The command sets `INTERFACE` while it runs.
"""

from __future__ import annotations

from contextvars import ContextVar
from enum import Enum
from typing import Any, NamedTuple


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
    "minimum": "--min",
    "max_drop": "--max-drop",
    "columns": "--column",
    "result.save": "--save",
    "runs": "--run",
    "a": "--between",
    "b": "--between",
    "a and b": "--between",
}
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
        """The option as it is written in an interface."""
        if interface is Interface.PYTHON:
            return self.name if self.value is None else f"{self.name}={python_value(self.value)}"
        if self.name in OPTIONS:
            name = OPTIONS[self.name]
            return name if self.value is None or self.value is True else f"{name} {shell_value(self.value)}"
        if self.name == "order_column":
            return f"--column {shell_value(('order', self.value or 'FIELD'))}"
        if self.name == "format":
            return f"--from {shell_value(('run', 'FORMAT' if self.value is None else self.value))}"
        name = "--judge-option" if self.name in JUDGE_OPTIONS else "--policy"
        if self.value is None:
            return f"{name} {self.name}"
        return f"{name} {shell_value((self.name, 'yes' if self.value is True else self.value))}"


def python_value(value: Value) -> str:
    r"""A value as Python has it, with double quotes.

    >>> print(python_value("before:#"), python_value("regex:^(.+)-\\d+$"), python_value(2), python_value(("rr", 0.5)))
    "before:#" r"regex:^(.+)-\d+$" 2 {"rr": 0.5}
    """
    if isinstance(value, tuple):
        return f"{{{python_value(value[0])}: {python_value(value[1])}}}"
    if not isinstance(value, str):
        return repr(value)
    if '"' in value or not value.isprintable() or value.endswith("\\"):
        return repr(value)
    return f'r"{value}"' if "\\" in value else f'"{value}"'


def shell_value(value: Value) -> str:
    """A value as a shell takes it, in quotes if it needs them."""
    from shlex import quote

    return quote("=".join(map(str, value)) if isinstance(value, tuple) else str(value))


class Task(NamedTuple):
    """Something assay does, by the name of its public function. `str` writes it for the interface in use.

    >>> str(Task("check")), Task("evaluate_rag").written(Interface.SHELL)
    ('assay.check', '`assay rag`')
    """

    name: str

    def __str__(self) -> str:
        return self.written(INTERFACE.get())

    def written(self, interface: Interface) -> str:
        """The function or the command."""
        if interface is Interface.PYTHON:
            return f"assay.{self.name}"
        return f"`assay {COMMANDS.get(self.name, self.name)}`"


# What a note advises: text, with options and tasks in it that are named for the interface in use.
Advice = tuple[str | Option | Task, ...]
