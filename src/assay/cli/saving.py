"""Options that name what is written beside the output: stored results, and reports."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.terminal import check_target
from assay.core.errors import FileError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.results.results import Results


def save_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """`--save`."""
    help_ = "Store the result in a file that compare, diff and gate take in place of a run; several in a folder."
    return click.option("--save", metavar="FILE", callback=check_save, help=help_)(command)


def check_save(_: click.Context, __: click.Parameter, target: str | None) -> str | None:
    """Raises if a file cannot be written, before any long work is done for nothing."""
    if target == "" or (target is not None and not Path(target).is_dir() and not is_folder(target)):
        check_target(target)
    return target


def is_folder(target: str) -> bool:
    """Whether a name is meant to be that of a folder: it ends in a slash, or has no ending."""
    return target.endswith(("/", os.sep)) or not Path(target).suffix


def save_results(results: Results, target: str | None) -> None:
    """Stores one result in a file, or several in a folder, if a target was named."""
    if target is None:
        return
    if len(results) == 1 and not Path(target).is_dir() and not target.endswith(("/", os.sep)):
        results[next(iter(results))].save(target)
        return
    if not Path(target).is_dir() and not is_folder(target):
        raise FileError(f"{show(target)} is a file, and there are several results; name a folder, such as results/")
    results.save(target)
