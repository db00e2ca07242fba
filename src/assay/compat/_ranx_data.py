"""ranx's `Qrels` and `Run`: documents with values, by query.

ranx sorts all queries when an object is made, when queries are added, and before it is used if documents were added.
Its sort changes the order of ties in rankings of 16 documents or more, differently each time, so they are sorted here
exactly as often, but only when somebody looks.
"""

from __future__ import annotations

from collections import defaultdict
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, NoReturn, TypeVar

import numpy as np

from assay.compat._ranx_files import (
    LengthError,
    ValueOfWrongTypeError,
    dump_file,
    frame_columns,
    kind_of,
    load_file,
    refuse,
    rows_by_query,
)
from assay.core.text import show
from assay.engine.quicksort import FEWEST, quicksort_order

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, KeysView, Mapping, Sequence
    from typing import Self

    import pandas

    from assay.core.judged import FloatArray, IntArray

Number = TypeVar("Number", int, float)


class RanxTable(Generic[Number]):
    """Queries in order of their ids, each with its documents from the highest value to the lowest, NaN last.

    What `add_score` adds is last until everything is sorted, as `sorted` tells.
    """

    number: type[Number]
    noun: str
    is_judgments: bool
    default_path: str

    def __init__(self, data: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None) -> None:
        self.name = name
        self._data: dict[str, dict[str, Number]] = {}
        # How often everything was sorted, and for each query how many of these sorts it has seen.
        self._sorts = 0
        self._seen: dict[str, int] = {}
        self.sorted = False
        if data is not None:
            self.data = data

    def _put(self, query: str, documents: Collection[tuple[str, Any]]) -> None:
        try:
            self._data[query] = {document: self.number(value) for document, value in documents}
        except (TypeError, ValueError, OverflowError):
            # One by one, which names what is wrong.
            self._data[query] = {document: self._value(query, document, value) for document, value in documents}
        self._seen[query] = self._sorts

    def _value(self, query: str, document: str, value: Any) -> Number:  # noqa: ANN401 - whatever was given
        """A value as a number; as in ranx, a score of None is NaN."""
        if value is None and self.number is float:
            return self.number("nan")
        try:
            return self.number(value)
        except (TypeError, ValueError, OverflowError) as error:
            place = f"query {show(query)}, document {show(document)}"
            raise ValueOfWrongTypeError(f"{place}: {show(value)} cannot be a {self.noun}: {error}") from None

    @property
    def data(self) -> dict[str, dict[str, Number]]:
        """Everything, in the order in which ranx has it."""
        if behind := [query for query, seen in self._seen.items() if seen < self._sorts]:
            for query in behind:
                rows = list(self._data[query].items())
                order = sorted_by_ranx([value for _, value in rows], times=self._sorts - self._seen[query])
                self._data[query] = dict(rows[place] for place in order)
            self._data = {query: self._data[query] for query in sorted(self._data)}
            self._seen = dict.fromkeys(self._data, self._sorts)
        return self._data

    @data.setter
    def data(self, data: Mapping[str, Mapping[str, Any]]) -> None:
        self._data, self._seen = {}, {}
        for query, documents in data.items():
            self._put(query, documents.items())
        self.sort()

    def keys(self) -> KeysView[str]:
        """The query ids."""
        return self.data.keys()

    def get_query_ids(self) -> list[str]:
        """The query ids as a list."""
        return list(self.data)

    def get_doc_ids_and_scores(self) -> list[dict[str, Number]]:
        """The documents and values of each query."""
        return list(self.data.values())

    def add_score(self, q_id: str, doc_id: str, score: float) -> None:
        """Adds a document to a query, or changes its value."""
        self.data.setdefault(q_id, {})[doc_id] = self._value(q_id, doc_id, score)
        self._seen[q_id] = self._sorts
        self.sorted = False

    def add(self, q_id: str, doc_ids: Sequence[str], scores: Sequence[float]) -> None:
        """Adds a query with its documents."""
        self.add_multi([q_id], [doc_ids], [scores])

    def add_multi(
        self, q_ids: Sequence[str], doc_ids: Sequence[Sequence[str]], scores: Sequence[Sequence[float]]
    ) -> None:
        """Adds several queries with their documents."""
        for query, documents, values in zip(q_ids, doc_ids, scores, strict=True):
            if len(documents) != len(values):
                raise LengthError(f"query {show(query)} has {len(documents)} documents and {len(values)} values")
            self._put(query, list(zip(documents, values, strict=True)))
        self.sort()

    def to_typed_list(self) -> list[FloatArray]:
        """Per query an array with a row for each document: its hash, and its value."""
        return [
            np.column_stack((np.array([float(hash(each)) for each in documents]), np.array(list(documents.values()))))
            for documents in self.in_order().values()
        ]

    def sort(self) -> None:
        """Sorts the queries by id, and the documents of each by value."""
        self._sorts += 1
        self.sorted = True

    def in_order(self) -> dict[str, dict[str, Number]]:
        """Everything, sorted if it is not."""
        if not self.sorted:
            self.sort()
        return self.data

    def to_dict(self) -> dict[str, dict[str, Number]]:
        """`{query: {document: value}}`; a missing query has no documents."""
        return defaultdict(dict, {query: dict(documents) for query, documents in self.data.items()})

    def to_dataframe(self) -> pandas.DataFrame:
        """A pandas frame with columns `q_id`, `doc_id` and `score`."""
        import pandas

        return pandas.DataFrame(frame_columns(self.data))

    def save(self, path: str | None = None, kind: str | None = None) -> None:
        """Writes a file of this kind, inferred from its name if not given."""
        path = self.default_path if path is None else str(path)
        dump_file(self.in_order(), path, kind_of(path, kind), self.name, judgments=self.is_judgments)

    @classmethod
    def from_dict(cls, d: Mapping[str, Mapping[str, Any]], name: str | None = None) -> Self:
        """From `{query: {document: value}}`."""
        return cls(d, name)

    @classmethod
    def from_file(cls, path: str, kind: str | None = None, name: str | None = None) -> Self:
        """From a file of this kind, inferred from its name if not given."""
        data, tag = load_file(str(path), kind_of(str(path), kind), judgments=cls.is_judgments)
        return cls(data, tag if name is None else name)

    @classmethod
    def from_df(
        cls,
        df: Any,  # noqa: ANN401 - any library's frame
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        name: str | None = None,
    ) -> Self:
        """From a frame of pandas or polars."""
        return cls(rows_by_query(zip(df[q_id_col], df[doc_id_col], df[score_col], strict=True)), name)

    @classmethod
    def from_parquet(  # noqa: PLR0917 - as ranx has it
        cls,
        path: str,
        q_id_col: str = "q_id",
        doc_id_col: str = "doc_id",
        score_col: str = "score",
        pd_kwargs: Mapping[str, Any] | None = None,
        name: str | None = None,
    ) -> Self:
        """From a Parquet file, read by pandas if there are `pd_kwargs`."""
        read = import_module("pandas" if pd_kwargs else "polars").read_parquet
        return cls.from_df(read(path, **(pd_kwargs or {})), q_id_col, doc_id_col, score_col, name)

    @property
    def size(self) -> int:
        """The number of queries."""
        return len(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __iter__(self) -> Iterator[str]:
        return iter(self.data)

    def __getitem__(self, q_id: str) -> dict[str, Number]:
        return dict(self.data[q_id])

    def __repr__(self) -> str:
        return repr(self.data)


class Qrels(RanxTable[int]):
    """Judgments: per query its documents and their grades, which are whole numbers."""

    number = int
    noun = "grade"
    is_judgments = True
    default_path = "qrels.json"
    qrels = RanxTable.data

    def __init__(self, qrels: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None) -> None:
        super().__init__(qrels, name)

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Shifts all grades so that `rel_lvl` becomes 1."""
        for documents in self.data.values():
            documents.update({document: grade - (rel_lvl - 1) for document, grade in documents.items()})

    @classmethod
    def from_ir_datasets(cls, dataset_id: str) -> Qrels:
        """The judgments of a data set from the package ir_datasets."""
        return cls(import_module("ir_datasets").load(dataset_id).qrels_dict(), dataset_id)


class Run(RanxTable[float]):
    """Rankings: per query its documents and their scores, and the results of `evaluate`."""

    number = float
    noun = "score"
    is_judgments = False
    default_path = "run.json"
    run = RanxTable.data

    def __init__(self, run: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, np.floating[Any]]] = defaultdict(dict)
        self.mean_scores: dict[str, np.floating[Any]] = {}
        self.std_scores: dict[str, np.floating[Any]] = {}

    @classmethod
    def from_ranxhub(cls, id: str) -> NoReturn:
        """Raises: assay downloads nothing."""
        advice = f"save a file with `ranx.Run.from_ranxhub({id!r}).save(path)` and read it"
        refuse("from_ranxhub", f"assay downloads nothing; {advice}")

    def make_comparable(self, qrels: Qrels) -> Run:
        """Adds an empty ranking for each judged query that is missing, and drops the queries without judgments."""
        known = self.data
        self._data = {query: known.get(query, {}) for query in qrels.keys()}  # noqa: SIM118 - no mapping
        self._seen = dict.fromkeys(self._data, self._sorts)
        self.sort()
        return self


def sorted_by_ranx(values: Sequence[float], *, times: int = 1) -> list[int]:
    """The positions of the values from the highest to the lowest, NaN last, after sorting this many times."""
    keys = -np.array(values, dtype=np.float64)
    order = ranx_order(keys)
    if times > 1 and not is_stable(keys):
        # What is in order already is moved in the same way every time: a power of that permutation.
        again, times = ranx_order(keys[order]), times - 1
        while times:
            if times % 2:
                order = order[again]
            again, times = again[again], times // 2
    return list(map(int, order))


def ranx_order(keys: FloatArray) -> IntArray:
    """The positions of the keys in ascending order."""
    return np.argsort(keys, kind="stable") if is_stable(keys) else np.array(quicksort_order(keys))


def is_stable(keys: FloatArray) -> bool:
    """Whether the sort keeps the order of ties, or there are none."""
    return len(keys) < FEWEST or len(np.unique(keys)) == len(keys)
