"""`Run`: the ranking of each query. A file can be judged while it is read, without a `Run` being made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from assay._kernel import Progress, Ranker, Rows
from assay.core.errors import DataError
from assay.core.text import count
from assay.data.detect import check_format, detect
from assay.data.formats.tabular import read_batches, read_table
from assay.data.frames import is_frame, prepare_frame
from assay.data.source import Readable, Source, describe, is_source, named, open_source
from assay.data.table import QueryTable
from assay.data.tuples import from_tuples

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import polars


class Run(QueryTable):
    """Rankings: for each query the retrieved documents with their scores, or in an order without scores.

    >>> run = Run({"q1": {"d7": 12.3, "d2": 11.0}, "q2": ["d5", "d1"]})
    >>> run["q1"], run["q2"]
    ([('d7', 12.3), ('d2', 11.0)], ['d5', 'd1'])

    The data may be a dict or a list, named tuples, a frame, a path or a file object.
    """

    def __init__(
        self,
        data: object,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        tag: str | None = None,
    ) -> None:
        rows = ranking_rows(data, format, columns)
        super().__init__(rows if tag is None else rows.with_tag(tag))
        if not len(self):
            raise DataError(f"{describe(data)} has no rankings")

    @property
    def tag(self) -> str:
        """The run's name in a TREC file; empty where the data has none."""
        return self.rows.tag

    def __repr__(self) -> str:
        return f"<Run: {count(len(self), 'query', 'queries')}, {count(len(self.rows), 'document')}>"

    def __getitem__(self, query: object) -> list[tuple[str, float]] | list[str]:
        """A query's documents as given: with their scores, or alone where only their order is known."""
        number = self.number(query)
        documents = self.rows.documents(number)
        if self.rows.is_ordered(number):
            return documents
        return list(zip(documents, self.values_of(number), strict=True))

    def to_dict(self) -> dict[str, Any]:
        """`{query: {document: score}}`; a list where only the order is known, or of pairs where documents repeat."""
        return {query: self.as_given(query) for query in self.queries}

    def as_given(self, query: str) -> dict[str, float] | list[tuple[str, float]] | list[str]:
        """One query's ranking in the form that holds all of it."""
        ranking = self[query]
        if self.rows.is_ordered(self.number(query)):
            return ranking
        scores = dict(cast("list[tuple[str, float]]", ranking))
        return scores if len(scores) == len(ranking) else ranking

    def to_polars(self) -> polars.DataFrame:
        """A frame with columns `query_id`, `doc_id` and `score`. An order becomes scores that fall by one."""
        import numpy as np
        import polars

        frame = polars.DataFrame(self.rows).rename({"value": "score"})
        if not self.rows.has_order():
            return frame
        sizes = np.diff(self.starts)
        falling = np.repeat(self.starts[1:], sizes) - np.arange(len(frame))
        is_ordered = np.repeat([self.rows.is_ordered(number) for number in range(len(self))], sizes)
        return frame.with_columns(polars.Series("score", np.where(is_ordered, falling, self.values)))


def ranking_rows(data: object, format: str | None, columns: Mapping[str, str] | None) -> Rows:
    """The data as rows, whatever its form."""
    check_format(format)
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            chosen = detect(source, format)
            if chosen == "trec":
                return Rows.from_file(source.path, source.name, judgments=False)
            if chosen == "json":
                from assay.data.formats.json import read_json

                content = read_json(source)
                with named(source.name):
                    return Rows.from_rankings(content)
            return Rows.from_frame(read_table(source, chosen, columns, judgments=False), source.name)
    table = from_tuples(data)
    if is_frame(table):
        name = "the frame" if table is data else "the list"
        return Rows.from_frame(prepare_frame(table, columns, judgments=False, name=name), "the run")
    return Rows.from_rankings(data)


def read_run(
    source: Readable,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
) -> Run:
    """A run from a file: TREC, JSON, JSON Lines, CSV, TSV or Parquet, compressed or not."""
    return Run(source, format=format, columns=columns)


def rank_run(
    make_ranker: Callable[[], Ranker],
    run: object,
    *,
    threads: int,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Ranker:
    """Ranks the judged documents of a run in any form. A file is judged while it is read and never held whole."""
    check_format(format)
    ranker = make_ranker()
    if isinstance(run, Run):
        ranker.add_rows(run.rows, "the run", threads)
    elif is_source(run):
        with open_source(run) as source:  # type: ignore[arg-type]
            chosen = detect(source, format)
            if chosen == "trec":
                ranker.add_file(source.path, source.name, threads, progress)
            elif chosen == "json":
                from assay.data.formats.json import iterate_json

                for query, ranking in iterate_json(source):
                    with named(source.name):
                        ranker.add(query, ranking)
            else:
                return rank_table(make_ranker, source, chosen, columns, threads)
    elif is_frame(table := from_tuples(run)):
        name = "the frame" if table is run else "the list"
        ranker.add_frame(prepare_frame(table, columns, judgments=False, name=name), "the run", threads)
    else:
        ranker.add_rankings(run)
    return ranker


def rank_table(
    make_ranker: Callable[[], Ranker],
    source: Source,
    format: str,
    columns: Mapping[str, str] | None,
    threads: int,
) -> Ranker:
    """Judges a table batch by batch; where a query's rows do not stand together, the whole table at once."""
    ranker = make_ranker()
    seen: set[str] = set()
    for batch in read_batches(source, format, columns):
        queries = batch["query_id"].unique().to_list()
        if not seen.isdisjoint(queries):
            ranker = make_ranker()
            ranker.add_frame(read_table(source, format, columns, judgments=False), source.name, threads)
            return ranker
        seen.update(queries)
        ranker.add_frame(batch, source.name, threads)
    return ranker
