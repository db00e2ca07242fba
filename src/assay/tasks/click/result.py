"""`Clicks`: judgments from clicks, and what the model found about pairs and positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.data.qrels import Qrels
from assay.render import Column, Exports, Table, finite, json_fields
from assay.render.export import View
from assay.render.table import Cell

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    import polars

    from assay.core.note import Note
    from assay.tasks.click.impressions import Impressions
    from assay.tasks.click.models import Fitted

TEXTS = ("query", "document")


class Clicks(Exports):
    """Judgments from clicks: `qrels`; `pairs` and `positions`, as frames; `figures` of the model; `notes`."""

    def __init__(
        self,
        pairs: polars.DataFrame,
        positions: polars.DataFrame,
        figures: Mapping[str, float],
        notes: tuple[Note, ...],
        signature: str,
    ) -> None:
        self.pairs, self.positions, self.figures = pairs, positions, dict(figures)
        self.notes, self.signature = notes, signature
        self._made: Qrels | None = None

    def __repr__(self) -> str:
        return f"<Clicks: {len(self.pairs):,} pairs, {self.signature}>"

    def __len__(self) -> int:
        return len(self.pairs)

    @property
    def qrels(self) -> Qrels:
        """The judgments."""
        if self._made is None:
            names = {"query": "query_id", "document": "doc_id", "grade": "relevance"}
            self._made = Qrels(self.pairs.select(*names).rename(names))
        return self._made

    def to_qrels(self) -> Qrels:
        """The judgments."""
        return self.qrels

    def write(self, path: str | os.PathLike[str], *, format: str | None = None) -> None:
        """Writes the judgments to a file, in the format that its name says, or in the one given."""
        self.qrels.write(path, format=format)

    def to_polars(self) -> polars.DataFrame:
        """One row per pair."""
        return self.pairs

    def table(self) -> Table:
        """One row per pair."""
        figures = "".join(f", {name} {value:.4f}" for name, value in self.figures.items())
        return table_of(self.pairs, self.signature + figures, tuple(map(str, self.notes)))

    def position_table(self) -> View:
        """One row per position; print it, or export it."""
        return View(table_of(self.positions, self.signature))

    def to_dict(self) -> dict[str, Any]:
        """What `to_json` writes, as Python objects."""
        return json_fields("clicks") | {
            "signature": self.signature,
            "pairs": [plain_row(row) for row in self.pairs.iter_rows(named=True)],
            "positions": [plain_row(row) for row in self.positions.iter_rows(named=True)],
            "figures": {name: finite(value) for name, value in self.figures.items()},
            "notes": [note.to_dict() for note in self.notes],
        }


def plain_row(row: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value if isinstance(value, str) else finite(value) for name, value in row.items()}


def table_of(frame: polars.DataFrame, caption: str, notes: tuple[str, ...] = ()) -> Table:
    columns = tuple(Column(name, is_text=name in TEXTS) for name in frame.columns)
    rows: tuple[tuple[Cell, ...], ...] = tuple(frame.iter_rows())
    return Table(columns, rows, caption, notes)


def whole(values: Any) -> Any:  # noqa: ANN401 - an array of floats
    """Counts as whole numbers, if all are."""
    return values.astype(np.int64) if (values % 1 == 0).all() else values


def make_result(
    impressions: Impressions, fitted: Fitted, notes: tuple[Note, ...], signature: str, min_impressions: int
) -> Clicks:
    """The result of a model, without the pairs that were shown too rarely or have no grade."""
    import polars

    def total(numbers: Any, weights: Any, size: int) -> Any:  # noqa: ANN401 - arrays
        return whole(np.bincount(numbers, weights=weights, minlength=size))

    size, places = len(impressions.pairs), len(impressions.positions)
    pairs = impressions.pairs.with_columns(
        polars.Series("grade", fitted.grades),
        polars.Series("shown", total(impressions.pair, impressions.shown, size)),
        polars.Series("clicks", total(impressions.pair, impressions.clicks, size)),
        *(polars.Series(name, values) for name, values in fitted.of_pairs.items()),
    )
    shown = total(impressions.place, impressions.shown, places)
    clicks = total(impressions.place, impressions.clicks, places)
    columns = {"position": whole(impressions.positions), "shown": shown, "clicks": clicks, "rate": clicks / shown}
    positions = polars.DataFrame({**columns, **fitted.of_positions})
    kept = pairs.filter((polars.col("shown") >= min_impressions) & polars.col("grade").is_not_nan())
    return Clicks(kept, positions, fitted.figures, notes, signature)
