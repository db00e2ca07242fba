"""Names for runs, made from the names of their files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from assay.data.detect import SUFFIXES
from assay.data.source import COMPRESSIONS

ENDINGS = {*SUFFIXES, *COMPRESSIONS, ".txt", ".tsv"}


def run_names(arguments: Sequence[str]) -> list[str]:
    """A name for each run: its file's, without folder and known endings, unless two would be the same.

    >>> run_names(("runs/bm25.run.gz", "dense.trec", "-"))
    ['bm25', 'dense', 'stdin']
    >>> run_names(("old/bm25.run", "new/bm25.run", "new/bm25.run"))
    ['old/bm25', 'new/bm25', 'new/bm25 (2)']
    """
    short = [without_endings(Path(each).name) if each != "-" else "stdin" for each in arguments]
    times = Counter(short)
    names: list[str] = []
    for argument, name in zip(arguments, short, strict=True):
        longer = name if times[name] == 1 else without_endings(argument)
        names.append(unused(longer, names))
    return names


def without_endings(name: str) -> str:
    path = Path(name)
    while path.suffix.lower() in ENDINGS:
        path = path.with_suffix("")
    return str(path)


def unused(name: str, names: list[str]) -> str:
    """The name, with a number behind it if it is taken."""
    if name not in names:
        return name
    number = 2
    while f"{name} ({number})" in names:
        number += 1
    return f"{name} ({number})"
