"""`Clicks`: judgments from clicks, and what the model found about pairs and positions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.judged import IntArray
from assay.core.note import Note
from assay.render import finite
from assay.render.export import View
from assay.results.graded import GradedPairs, rows_of, table_of
from assay.tasks.click.impressions import Impressions
from assay.tasks.click.models import Fitted

if TYPE_CHECKING:
    import polars


class Clicks(GradedPairs):
    """Judgments from clicks: `qrels`; `pairs` and `positions`, as frames; `figures` of the model; `notes`."""

    task = "clicks"

    def __init__(
        self, impressions: Impressions, fitted: Fitted, notes: tuple[Note, ...], signature: str, min_impressions: int
    ) -> None:
        import polars

        def totals(number: IntArray, size: int) -> dict[str, Any]:
            columns = {"shown": impressions.shown, "clicks": impressions.clicks}
            return {name: whole(np.bincount(number, values, minlength=size)) for name, values in columns.items()}

        columns = {"grade": fitted.grades, **totals(impressions.pair, len(impressions.pairs)), **fitted.of_pairs}
        pairs = impressions.pairs.with_columns(polars.Series(name, values) for name, values in columns.items())
        # Without the pairs that were shown too rarely or have no grade.
        self.pairs = pairs.filter((polars.col("shown") >= min_impressions) & polars.col("grade").is_not_nan())
        columns = {"position": whole(impressions.positions), **totals(impressions.place, len(impressions.positions))}
        self.positions = polars.DataFrame(
            {**columns, "rate": columns["clicks"] / columns["shown"], **fitted.of_positions}
        )
        self.figures = fitted.figures
        super().__init__(self.pairs.select("query", "document"), self.pairs["grade"].to_numpy(), notes, signature)

    def __repr__(self) -> str:
        return f"<Clicks: {len(self):,} pairs, {self.signature}>"

    def to_polars(self) -> polars.DataFrame:
        """One row per pair."""
        return self.pairs

    def _caption(self) -> str:
        return self.signature + "".join(f", {name} {value:.4f}" for name, value in self.figures.items())

    def position_table(self) -> View:
        """One row per position; print it, or export it."""
        return View(table_of(self.positions, self.signature))

    def _more_fields(self) -> dict[str, Any]:
        figures = {name: finite(value) for name, value in self.figures.items()}
        return {"positions": rows_of(self.positions), "figures": figures}


def whole(values: Any) -> Any:  # noqa: ANN401 - an array of floats
    """Counts as whole numbers, if all are."""
    return values.astype(np.int64) if (values % 1 == 0).all() else values
