"""ranx's `Qrels` and `Run`."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any, NoReturn

from assay.compat._ranx_errors import refuse
from assay.compat._ranx_table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    import numpy as np


class Qrels(Table[int]):
    """Judgments: for each query its documents and their grades, which are whole numbers."""

    number = int
    noun = "grade"
    is_judgments = True
    default_path = "qrels.json"

    def __init__(self, qrels: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None) -> None:
        super().__init__(qrels, name)

    @property
    def qrels(self) -> dict[str, dict[str, int]]:
        """`{query: {document: grade}}`."""
        return self.data

    @qrels.setter
    def qrels(self, qrels: Mapping[str, Mapping[str, Any]]) -> None:
        self.data = qrels

    def set_relevance_level(self, rel_lvl: int = 1) -> None:
        """Makes `rel_lvl` the grade 1, and moves all others with it."""
        for documents in self._data.values():
            documents.update({document: grade - (rel_lvl - 1) for document, grade in documents.items()})

    @classmethod
    def from_ir_datasets(cls, dataset_id: str) -> Qrels:
        """The judgments of a data set of the package ir_datasets."""
        from importlib import import_module

        return cls(import_module("ir_datasets").load(dataset_id).qrels_dict(), dataset_id)

    def _lines(self) -> Iterator[str]:
        for query, documents in self.data.items():
            for document, grade in documents.items():
                yield f"{query} 0 {document} {grade}"


class Run(Table[float]):
    """Rankings: for each query its documents and their scores, and what `evaluate` found."""

    number = float
    noun = "score"
    is_judgments = False
    default_path = "run.json"

    def __init__(self, run: Mapping[str, Mapping[str, Any]] | None = None, name: str | None = None) -> None:
        super().__init__(run, name)
        self.metadata: dict[str, Any] = {}
        self.scores: dict[str, dict[str, np.floating[Any]]] = defaultdict(dict)
        self.mean_scores: dict[str, np.floating[Any]] = {}
        self.std_scores: dict[str, np.floating[Any]] = {}

    @property
    def run(self) -> dict[str, dict[str, float]]:
        """`{query: {document: score}}`."""
        return self.data

    @run.setter
    def run(self, run: Mapping[str, Mapping[str, Any]]) -> None:
        self.data = run

    @classmethod
    def from_ranxhub(cls, id: str) -> NoReturn:
        """Raises: assay downloads nothing."""
        refuse("from_ranxhub", f"it downloads nothing; `ranx.Run.from_ranxhub({id!r}).save(path)` gives a file to read")

    def make_comparable(self, qrels: Qrels) -> Run:
        """Adds an empty ranking for each judged query that is missing, and drops the queries without judgments."""
        self._data = {query: self._data.get(query, {}) for query in qrels.keys()}  # noqa: SIM118 - no mapping
        self._unsorted = set(self._data)
        return self

    def _lines(self) -> Iterator[str]:
        for query, documents in self.data.items():
            for rank, (document, score) in enumerate(documents.items(), start=1):
                yield f"{query} Q0 {document} {rank} {score} {self.name}"
