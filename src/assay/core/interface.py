"""How assay is being used, in Python or from the shell: options and tasks are named as the reader would write them.

Everything that tells people to set an option holds an `Option`; its text is `missing="skip"` in Python and
`--missing skip` in the shell. The command sets `INTERFACE` while it runs.
"""

from __future__ import annotations

from contextvars import ContextVar
from enum import Enum
from typing import NamedTuple


class Interface(Enum):
    """What the reader of a message writes: Python or shell commands."""

    PYTHON = "python"
    SHELL = "shell"


INTERFACE: ContextVar[Interface] = ContextVar("assay_interface", default=Interface.PYTHON)

# Options that the shell does not spell like Python, and the commands of tasks.
SHELL_NAMES = {
    "minimum": "--min",
    "format": "--run-format",
    "columns": "--column",
    "result.save": "--save",
    "runs": "--run",
    "a": "-a",
    "b": "-b",
}
COMMANDS = {"evaluate": "eval", "evaluate_many": "eval", "evaluate_rag": "rag"}


# The last is one entry of a dict.
Value = str | float | bool | tuple[str, str | float]


class Option(NamedTuple):
    """An option with the value to give it; without a value, only its name. `str` writes it for the interface in use.

    >>> str(Option("missing", "skip")), str(Option("rel", 2)), str(Option("format"))
    ('missing="skip"', 'rel=2', 'format')
    >>> Option("doc_id", "before:#").written(Interface.SHELL), Option("judged_only", True).written(Interface.SHELL)
    ("--doc-id 'before:#'", '--judged-only')
    """

    name: str
    value: Value | None = None

    def __str__(self) -> str:
        return self.written(INTERFACE.get())

    def written(self, interface: Interface) -> str:
        """The option as it is written in an interface."""
        if interface is Interface.PYTHON:
            return self.name if self.value is None else f"{self.name}={python_value(self.value)}"
        name = SHELL_NAMES.get(self.name, "--" + self.name.replace("_", "-"))
        return name if self.value is None or self.value is True else f"{name} {shell_value(self.value)}"


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
