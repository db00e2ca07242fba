"""Charts of agreement."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import DataError
from assay.core.interface import Option

if TYPE_CHECKING:
    from assay.render.charts import Chart
    from assay.render.charts.kinds import Choice
    from assay.tasks.agree.result import Agreement


def draw_agreement(found: Agreement, _: Choice) -> Chart:
    """The confusion matrix."""
    from assay.render.charts.heatmaps import agreement

    if not found.matrix:
        raise DataError(f"scores have no confusion matrix without a limit; set {Option('threshold', 0.5)}")
    what = "documents" if found.subject == "judgments" else "queries"
    words = "".join(f"{said[:1].upper()}{said[1:]}. " for said in found.verdict)
    return agreement(found.grades, found.matrix, found.names, what, words.rstrip())
