"""`Run`: the ranking of each query. A file can also be ranked while it is read, without making a `Run`."""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError
from assay.core.text import count, show
from assay.data.formats import BY_SUFFIX
from assay.data.frames.columns import add_given
from assay.data.frames.frame import gather
from assay.data.qrels import SHARED_NAMES, QueryTable, read_rows
from assay.files.source import COMPRESSIONS, MAGIC_CHARACTERS, Readable, check_path, describe, is_pattern, open_source

if TYPE_CHECKING:
    import polars


ENDINGS = {*BY_SUFFIX, *COMPRESSIONS, ".txt", ".tsv"}
# How a stored result begins, and how the output of `to_json` begins, which people take for one.
MARK = re.compile(rb'(?:\xef\xbb\xbf)?\s*\{\s*(?:"assay"\s*:\s*"result"|"schema"\s*:\s*"assay/)')
HEAD = 200
# How a page with data begins.
START = b'<!doctype html>\n<html lang="en" data-assay="report">'
# Between the path of a report and the name of one of its runs.
SEPARATOR = "#"


class Run(QueryTable):
    """Rankings: for each query the retrieved documents with their scores, or in order without scores.

    >>> run = Run({"q1": {"d7": 12.3, "d2": 11.0}, "q2": ["d5", "d1"]})
    >>> run["q1"], run["q2"]
    ([('d7', 12.3), ('d2', 11.0)], ['d5', 'd1'])

    The data may be a dict or a list, named tuples, a frame, a path or a file object.
    """

    _public = (*SHARED_NAMES, "tag")

    def __init__(
        self,
        data: object,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        tag: str | None = None,
    ) -> None:
        rows = read_rows(data, format, columns, judgments=False)
        super().__init__(rows if tag is None else rows.with_tag(tag))
        if not len(self):
            raise DataError(f"{describe(data)} has no rankings")

    def __reduce__(self) -> tuple[Callable[..., Run], tuple[dict[str, Any]]]:
        return partial(Run, tag=self.tag), (self.to_dict(),)

    @property
    def tag(self) -> str:
        """The run's name in a TREC file; empty if the data has none."""
        return self.rows.tag

    def __repr__(self) -> str:
        return f"<Run: {count(len(self), 'query', 'queries')}, {count(len(self.rows), 'document')}>"

    def __getitem__(self, query: object) -> list[tuple[str, float]] | list[str]:
        """A query's documents as given: with their scores, or without if only their order is known."""
        number = self.number(query)
        documents = self.rows.documents(number)
        return documents if self.rows.is_ordered(number) else list(zip(documents, self.values_of(number), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """`{query: {document: score}}`; a list for a given order, of `(document, score, rank)` if it keeps scores.

        A ranking by score that has a document twice is a list of pairs.
        """
        return {query: self.as_given(query) for query in self.queries}

    def as_given(
        self, query: str
    ) -> dict[str, float] | list[tuple[str, float]] | list[str] | list[tuple[str, float, int]]:
        """One query's ranking in the simplest form that loses nothing."""
        number = self.number(query)
        documents, values = self.rows.documents(number), self.values_of(number)
        if self.rows.is_ordered(number):
            return list(zip(documents, values, range(1, len(documents) + 1), strict=True)) if any(values) else documents
        pairs = list(zip(documents, values, strict=True))
        return pairs if len(set(documents)) < len(documents) else dict(pairs)

    def to_polars(self) -> polars.DataFrame:
        """A frame with columns `query_id`, `doc_id` and `score`.

        Given orders get falling scores, such as 3, 2, 1, beside their `given_rank` and, if they have scores of their
        own, their `given_score`.
        """
        import polars

        frame = polars.DataFrame(self.rows).rename({"value": "score"})
        return add_given(frame, self) if self.rows.has_order() else frame


def read_run(source: Readable, *, format: str | None = None, columns: Mapping[str, str] | None = None) -> Run:
    """A run from a file: TREC, JSON, JSON Lines, CSV, TSV or Parquet, compressed or not."""
    return Run(source, format=format, columns=columns)


def read_again(run: object, format: str | None = None, columns: Mapping[str, str] | None = None) -> object:
    """The run in a form that can be read more than once: a file object or an iterator is read into memory."""
    is_file = callable(getattr(run, "read", None)) and not isinstance(run, (str, os.PathLike))
    return Run(gather(run), format=format, columns=columns) if is_file or isinstance(run, Iterator) else run


def name_runs(runs: Mapping[str, object] | Sequence[object], kinds: tuple[type, ...] = ()) -> dict[str, object]:
    """The runs by name: a path is named after its file without the extension, one of `kinds` by its number."""
    if isinstance(runs, Mapping):
        named = {str(name): run for name, run in runs.items()}
    elif isinstance(runs, (list, tuple)) and all(isinstance(run, (str, os.PathLike)) for run in runs):
        named = dict(zip(run_names([os.fspath(run) for run in runs]), runs, strict=True))
    elif isinstance(runs, (list, tuple)) and all(isinstance(run, kinds) for run in runs):
        named = {f"run {number}": run for number, run in enumerate(runs, start=1)}
    else:
        what = " or ".join(["paths", *(f"{kind.__name__.lower()}s" for kind in kinds)])
        raise DataError(f"runs must be a dict of runs by name, or a list of {what}, not {show(runs)}")
    if len(named) < len(runs):
        raise DataError("two runs have the same name; give each its own")
    return named


def run_names(arguments: Sequence[str]) -> list[str]:
    """A name for each run: its file name without folder and known endings, unless two would be the same."""
    files = [pattern_name(each) if is_pattern(Path(each)) else each for each in arguments]
    short = ["stdin" if each == "-" else without_endings(Path(each).name) for each in files]
    times = Counter(short)
    names: list[str] = []
    for argument, name in zip(arguments, short, strict=True):
        own = name if times[name] == 1 else without_endings(argument)
        free = (f"{own} ({number})" for number in itertools.count(2))
        names.append(own if own not in names else next(each for each in free if each not in names))
    return names


def without_endings(name: str) -> str:
    path = Path(name)
    while path.suffix.lower() in ENDINGS:
        path = path.with_suffix("")
    return str(path)


def pattern_name(pattern: str) -> str:
    """What a run is called that a glob stands for: how its files' names begin, or else their directory."""
    path, folder = Path(pattern), Path(pattern).parent.name
    # The part before the first special character, without what joins it to the rest.
    first = min((path.name.index(each) for each in MAGIC_CHARACTERS if each in path.name), default=len(path.name))
    stem = path.name[:first].rstrip("-_.")
    # Such a name says nothing but which part it is.
    if stem not in ("", "part"):
        return stem
    return folder if folder and MAGIC_CHARACTERS.isdisjoint(folder) else pattern


def is_stored(data: object) -> bool:
    """Whether a run is a path of a stored result or a report, or was meant to be one, judging by its first bytes."""
    if not isinstance(data, (str, os.PathLike)):
        return False
    if is_page(data):
        return True
    if not Path(data).is_file():
        return False
    with open_source(data) as source:
        return MARK.match(source.read(limit=HEAD)) is not None


def is_page(path: str | os.PathLike[str]) -> bool:
    """Whether a file is a report, by its name and its first bytes; the name of a run may follow its path."""
    if ".htm" not in str(path).lower() or not (file := split_report(path)[0]).is_file():
        return False
    with open_source(file) as source:
        return source.read(limit=len(START)).startswith(START)


def split_report(path: str | os.PathLike[str]) -> tuple[Path, str | None]:
    """The path of a file, and the name of a run after `#`, if the file is the part before it."""
    whole = check_path(path)
    file, separator, run = str(path).partition(SEPARATOR)
    return (Path(file), run) if separator and not whole.exists() and Path(file).is_file() else (whole, None)
