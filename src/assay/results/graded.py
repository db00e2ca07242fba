"""`GradedPairs`: judgments made from what people did, such as votes or clicks; what such results have in common."""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from assay.core.judged import FloatArray
from assay.core.note import Note
from assay.data.qrels import Qrels
from assay.render import Column, Exports, Table, finite, json_fields

if TYPE_CHECKING:
    import polars

TEXTS = ("query", "document", "voter")


class GradedPairs(Exports):
    """Judgments from what people did: `qrels`; `grades`, one per pair; `notes`; `signature`."""

    # What `to_json` calls the task.
    task: str

    def __init__(self, names: polars.DataFrame, grades: FloatArray, notes: tuple[Note, ...], signature: str) -> None:
        self._names, self.grades = names, grades
        self.notes, self.signature = notes, signature

    def __len__(self) -> int:
        return len(self._names)

    @cached_property
    def qrels(self) -> Qrels:
        """The judgments."""
        import polars

        names = {"query": "query_id", "document": "doc_id"}
        return Qrels(self._names.rename(names).with_columns(polars.Series("relevance", self.grades)))

    def to_qrels(self) -> Qrels:
        """The judgments."""
        return self.qrels

    def write(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Writes the judgments to a file, in the format that its name says, or in the one given."""
        self.qrels.write(path, format=format)

    def to_polars(self) -> polars.DataFrame:
        """One row per pair."""
        raise NotImplementedError

    def table(self) -> Table:
        """One row per pair."""
        return table_of(self.to_polars(), self._caption(), self.notes)

    def _caption(self) -> str:
        return self.signature

    def _more_fields(self) -> dict[str, Any]:
        """What JSON has beside the pairs."""
        return {}

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects."""
        return {
            **json_fields(self.task),
            "signature": self.signature,
            "pairs": rows_of(self.to_polars()),
            **self._more_fields(),
            "notes": [note.to_dict() for note in self.notes],
        }


def table_of(frame: polars.DataFrame, caption: str, notes: Iterable[Note] = ()) -> Table:
    columns = tuple(Column(name, is_text=name in TEXTS) for name in frame.columns)
    return Table(columns, tuple(frame.fill_nan(None).iter_rows()), caption, tuple(map(str, notes)))


def rows_of(frame: polars.DataFrame) -> list[dict[str, Any]]:
    return [{name: finite(value) for name, value in row.items()} for row in frame.iter_rows(named=True)]
