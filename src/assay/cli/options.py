"""Options that several commands share: measures, formats of input and output, and one option per policy."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from assay.cli.terminal import PolicyOption
from assay.conventions import CONVENTIONS
from assay.core.policies import CHOICES, Policies, policy_help
from assay.data.detect import FORMATS as FILE_FORMATS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

FORMATS = ("table", "tsv", "csv", "json", "markdown", "latex")
# These formats hold nothing but rows; notes go to standard error.
BARE = ("tsv", "csv")

KINDS: dict[str, click.ParamType[Any]] = {
    **{name: click.Choice(choices) for name, choices in CHOICES.items()},
    "depth": click.IntRange(min=1),
    "rel": click.FLOAT,
}

format_choice = click.Choice(FILE_FORMATS)
convention_option = click.option(
    "--convention",
    type=click.Choice(list(CONVENTIONS)),
    default="assay",
    show_default=True,
    help="Compute like this tool: its names for measures, and its policies.",
)
qrels_format_option = click.option(
    "--qrels-format", type=format_choice, help="Format of QRELS, if it cannot be inferred."
)
run_format_option = click.option("--run-format", type=format_choice, help="Format of RUN, if it cannot be inferred.")


def measure_options(defaults: Iterable[str]) -> Decorator:
    """`-m`, repeatable."""
    return click.option(
        "-m",
        "--measure",
        "measures",
        multiple=True,
        metavar="MEASURE",
        help=f"Measure (repeatable; or several in quotes).  [default: {' '.join(defaults)}]",
    )


def split_names(measures: tuple[str, ...]) -> list[str]:
    """The names in each option, split at blanks outside parentheses.

    >>> split_names(("ndcg@10 ap(rel=2, norm=found)", "rr"))
    ['ndcg@10', 'ap(rel=2, norm=found)', 'rr']
    """
    return [name for each in measures for name in re.split(r"\s+(?![^()]*\))", each.strip()) if name]


def output_format_option(formats: Sequence[str]) -> Decorator:
    """`--format`; the first format is the default."""
    return click.option(
        "--format",
        "format_",
        type=click.Choice(formats),
        default=formats[0],
        show_default=True,
        help="Format of the output.",
    )


def output_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The format of the output, and where it goes."""
    options = (
        output_format_option(FORMATS),
        click.option("-o", "--output", metavar="FILE", help="Write to FILE, whole or not at all."),
    )
    return stacked(command, options)


def reading_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """How files are read."""
    options = (
        qrels_format_option,
        run_format_option,
        click.option("--threads", type=click.IntRange(min=1), help="Threads to read with.  [default: all]"),
    )
    return stacked(command, options)


def policy_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """One option per policy; those that are not given are None."""
    options = []
    for name in Policies.__slots__:
        kind = {"type": KINDS[name]} if name in KINDS else {"is_flag": True, "default": None}
        # The help of a choice begins with its first value, as it is typed.
        help_ = policy_help(name) if name in CHOICES else capital(policy_help(name))
        flag = "--" + name.replace("_", "-")
        options.append(click.option(flag, name, cls=PolicyOption, help=f"{help_}.", **kind))
    return stacked(command, options)


def stacked(command: Callable[..., Any], options: Iterable[Decorator]) -> Callable[..., Any]:
    """The command with these options, in this order."""
    for option in reversed(list(options)):
        command = option(command)
    return command


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def given(policies: dict[str, Any]) -> dict[str, Any]:
    """The policies that were set on the command line."""
    return {name: value for name, value in policies.items() if value is not None}
