"""`assay demo`: evaluates the collection that comes with assay."""

from __future__ import annotations

import os
from importlib.resources import as_file, files
from typing import TYPE_CHECKING

import click

from assay.cli.help import Command
from assay.cli.output import emit
from assay.evaluator import DEFAULT_MEASURES, Evaluator
from assay.results import Results

if TYPE_CHECKING:
    from pathlib import Path

RUNS = ("bm25", "dense", "hybrid")
MAIN_MEASURE = DEFAULT_MEASURES[0]


@click.command("demo", cls=Command, short_help="See assay at work on a small collection.", examples=("assay demo",))
def command() -> None:
    """Evaluates three runs on a small collection: questions on the annual report of a fictional company.

    It needs no files and no network.
    """
    with as_file(files("assay") / "demo") as folder:
        evaluator = Evaluator(folder / "qrels.txt")
        results = Results({name: evaluator.evaluate(folder / f"{name}.run") for name in RUNS})
        emit(page(results, folder))


def page(results: Results, folder: Path) -> str:
    """What the collection is, the runs side by side, the best of them with intervals, and what to type next."""
    best = max(RUNS, key=lambda name: results[name][MAIN_MEASURE])
    size = len(results[best].queries)
    qrels, run = (shown(folder / name) for name in ("qrels.txt", f"{best}.run"))
    return f"""\
{size} questions on the annual report of a fictional company, answered by three retrievers:

{results}

The best of them, {best}, with 95 % intervals:

{results[best]}

What to type next:
  assay eval {qrels} {run} -q
  assay measures {MAIN_MEASURE}
"""


def shown(path: Path) -> str:
    """The path as it can be typed here, from the current folder if that is shorter."""
    try:
        short = min(os.path.relpath(path), str(path), key=len)
    except ValueError:
        # On Windows there is no way from one drive to another.
        short = str(path)
    return f'"{short}"' if " " in short else short
