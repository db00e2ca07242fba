"""`Qrels`: the judgments of each query; and `QueryTable`, what judgments and runs share."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import nullcontext
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._kernel import Index, Rows
from assay.core.errors import DataError
from assay.core.judged import FloatArray, IntArray
from assay.core.policies import check_policy
from assay.core.text import count, show
from assay.data.formats import find_format, recognise
from assay.data.frames.columns import check_roles, rows_of_table
from assay.data.frames.frame import as_frame, gather, is_tuples
from assay.files.source import Readable, describe, is_source, open_source, prefix_errors

if TYPE_CHECKING:
    import polars


# The methods that say what is in a mapping.
VIEWS = ("items", "keys", "__iter__", "__getitem__")
# What completion offers of both; the rest is for the other rooms of assay.
SHARED_NAMES = ("has_empty_queries", "has_repeats", "queries", "to_dict", "to_polars", "values", "write")


class QueryTable:
    """What `Qrels` and `Run` share: rows in the kernel, by query."""

    is_judgments = False
    _public: tuple[str, ...] = SHARED_NAMES

    def __init__(self, rows: Rows) -> None:
        self.rows = rows

    def __dir__(self) -> list[str]:
        return [*(name for name in super().__dir__() if name.startswith("__")), *self._public]

    @cached_property
    def queries(self) -> list[str]:
        """The query ids, in the order of the data."""
        return self.rows.queries()

    def __len__(self) -> int:
        """The number of queries."""
        return len(self.queries)

    def __iter__(self) -> Iterator[str]:
        return iter(self.queries)

    def __contains__(self, query: object) -> bool:
        return self.find(query) is not None

    @cached_property
    def starts(self) -> IntArray:
        """Where each query's rows begin; one more entry marks the end."""
        return np.frombuffer(self.rows.starts(), dtype=np.int64)

    @cached_property
    def values(self) -> FloatArray:
        """The grade or the score of each row."""
        return np.frombuffer(self.rows.values(), dtype=np.float64)

    def find(self, query: object) -> int | None:
        """The number of a query, or None."""
        try:
            return self.rows.find(str(query))
        except UnicodeEncodeError:
            return None

    def number(self, query: object) -> int:
        """The number of a query that must exist."""
        number = self.find(query)
        if number is None:
            raise DataError(f"unknown query {show(query)}")
        return number

    def values_of(self, number: int) -> list[float]:
        """The grades or the scores of one query, by its number."""
        return self.values[self.starts[number] : self.starts[number + 1]].tolist()  # type: ignore[no-any-return]

    def to_dict(self) -> dict[str, Any]:
        """Everything as Python objects, in the form in which it was given."""
        return {query: self[query] for query in self.queries}

    def __getitem__(self, query: object) -> Any:  # noqa: ANN401 - a dict or a list
        raise NotImplementedError

    def write(self, path: str | os.PathLike[str], *, format: str | None = None, lossy: bool = False) -> None:
        """Writes a file in the format that its name says, or in the one given.

        Data that the format cannot hold is an error that names it; with `lossy` it is left out.
        """
        from assay.data.write import write_file

        write_file(self, path, format, lossy=lossy)

    @property
    def has_empty_queries(self) -> bool:
        """Whether a query has no rows."""
        return bool((np.diff(self.starts) == 0).any())

    @property
    def has_repeats(self) -> bool:
        """Whether a query has a document twice (in the same group)."""
        import polars

        return bool(polars.DataFrame(self.rows).drop("value").is_duplicated().any())


class Qrels(QueryTable):
    """Judgments: for each query the judged documents and their grades.

    >>> qrels = Qrels({"q1": {"d1": 3, "d2": 0}, "q2": {"d5": 1}})
    >>> qrels.queries, qrels["q1"]
    (['q1', 'q2'], {'d1': 3.0, 'd2': 0.0})

    The data may be a dict or a list, named tuples, a frame, a path or a file object. The documents in a list are
    relevant; a list of lists holds groups of alternatives:

    >>> Qrels({"q1": [["d1", "d2"], ["d3"]]}).groups("q1")
    {'0': {'d1': 1.0, 'd2': 1.0}, '1': {'d3': 1.0}}

    `format="prefs"` reads a file of trec_eval's preferences, whose lines are query, group, subgroup, document, level.
    With `duplicates=None`, the policies of the measures decide about duplicate judgments.
    """

    is_judgments = True
    _public = (*SHARED_NAMES, "duplicates", "grades", "groups", "has_equal_grades", "repeats", "source")

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
        data = gather(data) if isinstance(data, Iterator) else data
        rows = read_rows(data, format, columns, judgments=True)
        self.hold(rows, duplicates, describe(data) if is_source(data) else None)
        if not len(self):
            raise DataError(f"{describe(data)} has no judgments")

    def hold(self, rows: Rows, duplicates: str | None, source: str | None = None) -> None:
        """Takes judgments that were read."""
        super().__init__(rows)
        self.duplicates, self.source = duplicates, source
        self.index = self.make_index(duplicates or "count")
        self.indexes: dict[str, Index] = {}

    @classmethod
    def of_nothing(cls) -> Qrels:
        """Judgments of no query, for a part of a run whose queries nobody judged."""
        qrels = cls.__new__(cls)
        qrels.hold(Rows.from_judgments({}), None)
        return qrels

    def __reduce__(self) -> tuple[Callable[..., Qrels], tuple[object], dict[str, str | None]]:
        return partial(Qrels, duplicates=self.duplicates), (self._as_given(),), {"source": self.source}

    def _as_given(self) -> object:
        """The judgments in a form that loses nothing."""
        if not self.has_empty_queries:
            return self.to_polars()
        # Only dicts and lists have queries without judgments, and duplicates and groups are in lists: each grade is 1.
        if self.rows.has_groups():
            return self.to_dict()
        rows = {query: self.rows.documents(number) for number, query in enumerate(self.queries)}
        if self.has_repeats:
            return rows
        return {query: dict(zip(rows[query], self.values_of(self.number(query)), strict=True)) for query in rows}

    def make_index(self, duplicates: str) -> Index:
        """The judged documents, with the grades that a policy gives to duplicate judgments."""
        with nullcontext() if self.source is None else prefix_errors(self.source):
            # A document is judged once, however often it is listed.
            return Index(self.rows, "count" if duplicates == "once" else duplicates)

    def index_under(self, duplicates: str) -> Index:
        """The judged documents under a measure's policy, unless the judgments were read with a policy of their own.

        Their order is the same under every policy; only grades differ.
        """
        if self.duplicates is not None or not self.repeats:
            return self.index
        if duplicates not in self.indexes:
            self.indexes[duplicates] = self.make_index(duplicates)
        return self.indexes[duplicates]

    def __repr__(self) -> str:
        return f"<Qrels: {count(len(self), 'query', 'queries')}, {count(len(self.rows), 'judgment')}>"

    def __getitem__(self, query: object) -> dict[str, float]:
        """The grade of each document of a query; the highest if several groups have it."""
        number = self.number(query)
        documents = range(*self.index_starts[number : number + 2])
        return {self.index.document(document): self.grades[document] for document in documents}

    def groups(self, query: object) -> dict[str, dict[str, float]]:
        """The grades of each group of a query; one group if the judgments have none."""
        number = self.number(query)
        documents, grades = self.rows.documents(number), self.values_of(number)
        names = self.rows.groups(number) or ["0"] * len(documents)
        result: dict[str, dict[str, float]] = {}
        for name, document, grade in zip(names, documents, grades, strict=True):
            result.setdefault(name, {})[document] = grade
        return result

    def to_dict(self) -> dict[str, Any]:
        """`{query: {document: grade}}`, or `{query: [[document]]}` for groups in which every grade is 1."""
        if self.rows.has_groups() and self.has_equal_grades:
            return {query: [list(group) for group in self.groups(query).values()] for query in self.queries}
        return super().to_dict()

    @cached_property
    def repeats(self) -> int:
        """How many judgments are duplicates: same query, same document, same group."""
        size = len(self.rows)
        if size == np.frombuffer(self.index.starts(), dtype=np.int64)[-1]:
            return 0
        documents = np.frombuffer(self.index.row_documents(), dtype=np.int64)
        groups = np.frombuffer(self.rows.group_numbers(), dtype=np.int64) if self.rows.has_groups() else 0 * documents
        return size - len(np.unique(documents * (groups.max() + 1) + groups))

    @cached_property
    def index_starts(self) -> list[int]:
        return np.frombuffer(self.index.starts(), dtype=np.int64).tolist()  # type: ignore[no-any-return]

    @cached_property
    def grades(self) -> list[float]:
        """The grade of each judged document, by query."""
        return np.frombuffer(self.index.grades(), dtype=np.float64).tolist()  # type: ignore[no-any-return]

    @property
    def has_equal_grades(self) -> bool:
        """Whether every judgment has grade 1, as in lists of relevant documents."""
        return bool((self.values == 1.0).all())

    def to_polars(self) -> polars.DataFrame:
        """A frame with columns `query_id`, `doc_id`, `relevance` and, if there are groups, `group`."""
        import polars

        return polars.DataFrame(self.rows).rename({"value": "relevance"})


def read_rows(data: object, format: str | None, columns: Mapping[str, str] | None, *, judgments: bool) -> Rows:
    if columns is not None:
        check_roles(columns)
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            return recognise(source, format).read(source, columns, judgments=judgments)
    find_format(format)
    frame = as_frame(data, columns, judgments=judgments)
    if frame is not None:
        return rows_of_table(frame, "the judgments" if judgments else "the run")
    data = as_dicts(data)
    return Rows.from_judgments(data) if judgments else Rows.from_rankings(data)


def read_qrels(
    source: Readable,
    *,
    format: str | None = None,
    columns: Mapping[str, str] | None = None,
    duplicates: str | None = "error",
) -> Qrels:
    """Judgments from a file: TREC, BEIR's TSV, JSON, JSON Lines, CSV, TSV or Parquet, compressed or not."""
    return Qrels(source, format=format, columns=columns, duplicates=duplicates)


def as_dicts(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """Judgments or rankings with plain dicts for such mappings, of queries and of documents; else the same object."""
    try:
        return plain_dicts(data)
    except RuntimeError as error:
        # What Python says of a dict, and of the views of one.
        if "during iteration" not in str(error):
            raise
        raise DataError("the data changed while being read; pass a copy that nothing else changes") from error


def plain_dicts(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """The same; Python's own error if a mapping changes meanwhile."""
    if has_own_view(type(data)):
        data = as_dict(data)
    elif not isinstance(data, (dict, list, tuple)):
        # Mappings of other kinds, and a pandas Series, whose index are the queries.
        if isinstance(data, type):
            raise DataError(f"the data is the class {show(data.__name__)}; pass an object")
        if not hasattr(data, "keys"):
            return data
        data = dict(data)
    if isinstance(data, dict):
        is_same = not any(map(has_own_view, set(map(type, data.values()))))
        return data if is_same else {query: as_dict(each) for query, each in data.items()}
    return [as_dict(each) for each in data] if any(map(has_own_view, set(map(type, data)))) else data


def has_own_view(kind: type) -> bool:
    """Whether it is a subclass of dict that may show something else than it stores."""
    return issubclass(kind, dict) and any(getattr(kind, name) is not getattr(dict, name) for name in VIEWS)


def as_dict(value: Any) -> Any:  # noqa: ANN401 - any form of data
    """What such a mapping says of itself, as a plain dict; any other value as it is."""
    kind = type(value)
    if not has_own_view(kind):
        return value
    pairs = value.items() if kind.items is not dict.items else [(key, value[key]) for key in value.keys()]  # noqa: SIM118 - keys and iteration may differ
    result: dict[Any, Any] = {}
    for key, each in pairs:
        if key in result:
            raise DataError(f"a {kind.__name__} has the key {show(key)} twice; keep one")
        result[key] = each
    return result


def has_queries(data: object) -> bool:
    """Whether the data are a dict or a list of queries, not a file, a frame or rows."""
    return isinstance(data, (Mapping, list, tuple, np.ndarray)) and not is_tuples(data)
