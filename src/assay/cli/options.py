"""The options that set policies: one for each, with what it may be and what it does."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from assay.cli.help import PolicyOption
from assay.core.convention import CHOICES, Policies
from assay.io.formats import FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable

# What each policy does is said once, where it is defined.
HELP: dict[str, str] = {
    name: " ".join(text.split()) for name, text in re.findall(r"- `(\w+)`: (.+(?:\n {6}.+)*)", Policies.__doc__ or "")
}
KINDS: dict[str, click.ParamType[Any]] = {
    **{name: click.Choice(choices) for name, choices in CHOICES.items()},
    "depth": click.IntRange(min=1),
    "rel": click.FLOAT,
}

format_choice = click.Choice(FORMATS)


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds an option for each policy; those that are not given are None."""
    for name in reversed(Policies.__slots__):
        help_ = HELP.get(name, "")
        kind = {"type": KINDS[name]} if name in KINDS else {"is_flag": True, "default": None}
        add = click.option("--" + name.replace("_", "-"), name, cls=PolicyOption, help=capital(help_), **kind)
        command = add(command)
    return command


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def given(policies: dict[str, Any]) -> dict[str, Any]:
    """The policies that were set on the command line."""
    return {name: value for name, value in policies.items() if value is not None}
