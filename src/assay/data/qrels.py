"""`Qrels`: the judgments of each query."""

from __future__ import annotations

from contextlib import nullcontext
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay._kernel import Index, Rows
from assay.core.errors import DataError
from assay.core.policies import check_policy
from assay.core.text import count
from assay.data.detect import check_format, detect
from assay.data.formats.tabular import read_table
from assay.data.frames import is_frame, prepare_frame
from assay.data.source import Readable, Source, describe, is_source, named, open_source
from assay.data.table import QueryTable
from assay.data.tuples import from_tuples, gathered

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars


class Qrels(QueryTable):
    """Judgments: for each query the judged documents and their grades.

    >>> qrels = Qrels({"q1": {"d1": 3, "d2": 0}, "q2": {"d5": 1}})
    >>> qrels.queries, qrels["q1"]
    (['q1', 'q2'], {'d1': 3.0, 'd2': 0.0})

    The data may be a dict or a list, named tuples, a frame, a path or a file object. A list of documents judges them
    relevant; a list of lists holds groups of alternatives:

    >>> Qrels({"q1": [["d1", "d2"], ["d3"]]}).groups("q1")
    {'0': {'d1': 1.0, 'd2': 1.0}, '1': {'d3': 1.0}}

    `format="prefs"` reads a file of trec_eval's preferences, whose lines are query, group, subgroup, document, level.
    With `duplicates=None`, what repeated judgments mean is left to the policies of the measures.
    """

    is_judgments = True

    def __init__(
        self,
        data: object,
        *,
        format: str | None = None,
        columns: Mapping[str, str] | None = None,
        duplicates: str | None = "error",
    ) -> None:
        if duplicates is not None:
            check_policy("duplicates", duplicates)
        data = gathered(data)
        super().__init__(judgment_rows(data, format, columns))
        if not len(self):
            raise DataError(f"{describe(data)} has no judgments")
        self.duplicates = duplicates
        self.source = describe(data) if is_source(data) else None
        self.index = self.make_index(duplicates or "count")
        self.indexes: dict[str, Index] = {}

    def make_index(self, duplicates: str) -> Index:
        """The judged documents, with the grades that repeated judgments have under a policy."""
        with nullcontext() if self.source is None else named(self.source):
            # A document is judged once, however often it is listed.
            return Index(self.rows, "count" if duplicates == "once" else duplicates)

    def index_under(self, duplicates: str) -> Index:
        """The judged documents as a measure's policy has them, unless the judgments were read with one of their own.

        They stand in the same order under every policy; only their grades differ.
        """
        if self.duplicates is not None or not self.repeats:
            return self.index
        if duplicates not in self.indexes:
            self.indexes[duplicates] = self.make_index(duplicates)
        return self.indexes[duplicates]

    def __repr__(self) -> str:
        return f"<Qrels: {count(len(self), 'query', 'queries')}, {count(len(self.rows), 'judgment')}>"

    def __getitem__(self, query: object) -> dict[str, float]:
        """The grade of each document of a query; of several groups the highest."""
        number = self.number(query)
        starts = self.index_starts
        documents = range(starts[number], starts[number + 1])
        return {self.index.document(document): self.grades[document] for document in documents}

    def groups(self, query: object) -> dict[str, dict[str, float]]:
        """The grades of each group of a query; one group where the judgments have none."""
        number = self.number(query)
        documents, grades = self.rows.documents(number), self.values_of(number)
        names = self.rows.groups(number) or ["0"] * len(documents)
        result: dict[str, dict[str, float]] = {}
        for name, document, grade in zip(names, documents, grades, strict=True):
            result.setdefault(name, {})[document] = grade
        return result

    def to_dict(self) -> dict[str, Any]:
        """`{query: {document: grade}}`, or `{query: [[document]]}` where there are groups with one grade for all."""
        if self.rows.has_groups() and self.has_equal_grades:
            return {query: [list(group) for group in self.groups(query).values()] for query in self.queries}
        return super().to_dict()

    @cached_property
    def repeats(self) -> int:
        """How many judgments are of a document that was judged before, for the same query and in the same group."""
        import numpy as np

        size = len(self.rows)
        if size == np.frombuffer(self.index.starts(), dtype=np.int64)[-1]:
            return 0
        documents = np.frombuffer(self.index.row_documents(), dtype=np.int64)
        groups = np.frombuffer(self.rows.group_numbers(), dtype=np.int64) if self.rows.has_groups() else 0 * documents
        return size - len(np.unique(documents * (groups.max() + 1) + groups))

    @cached_property
    def index_starts(self) -> list[int]:
        import numpy as np

        starts: list[int] = np.frombuffer(self.index.starts(), dtype=np.int64).tolist()
        return starts

    @cached_property
    def grades(self) -> list[float]:
        """The grade of each judged document, by query."""
        import numpy as np

        grades: list[float] = np.frombuffer(self.index.grades(), dtype=np.float64).tolist()
        return grades

    @property
    def has_equal_grades(self) -> bool:
        """Whether every judgment has the grade 1, as lists of relevant documents do."""
        return bool((self.values == 1.0).all())

    def to_polars(self) -> polars.DataFrame:
        """A frame with columns `query_id`, `doc_id`, `relevance` and, where there are groups, `group`."""
        import polars

        return polars.DataFrame(self.rows).rename({"value": "relevance"})


def judgment_rows(
    data: object,
    format: str | None,
    columns: Mapping[str, str] | None,
) -> Rows:
    """The data as rows, whatever its form."""
    if format == "prefs" and is_source(data):
        from assay.data.formats.preferences import read_preferences

        with open_source(data) as source:  # type: ignore[arg-type]
            return read_preferences(source)
    check_format(format)
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            return rows_of_file(source, detect(source, format), columns)
    table = from_tuples(data)
    if is_frame(table):
        name = "the frame" if table is data else "the list"
        return Rows.from_frame(prepare_frame(table, columns, judgments=True, name=name), "the judgments")
    return Rows.from_judgments(data)


def rows_of_file(
    source: Source,
    format: str,
    columns: Mapping[str, str] | None,
) -> Rows:
    if format == "trec":
        return Rows.from_file(source.path, source.name, judgments=True)
    if format == "json":
        from assay.data.formats.json import read_json

        content = read_json(source, judgments=True)
        with named(source.name):
            return Rows.from_judgments(content)
    return Rows.from_frame(read_table(source, format, columns, judgments=True), source.name)


def read_qrels(
    source: Readable,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    duplicates: str | None = "error",
) -> Qrels:
    """Judgments from a file: TREC, BEIR's TSV, JSON, JSON Lines, CSV, TSV or Parquet, compressed or not."""
    return Qrels(source, format=format, columns=columns, duplicates=duplicates)
