"""Options of the commands that count votes: how they become a grade, and how many a pair needs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import stacked
from assay.tasks.vote.api import NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

OPTIONS = (
    click.option(
        "--method", type=click.Choice(NAMES), default=NAMES[0], show_default=True, help="How votes become a grade."
    ),
    click.option(
        "--min-votes",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="A pair with fewer votes stays unjudged.",
    ),
)


def counting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--method` and `--min-votes`."""
    return stacked(command, OPTIONS)
