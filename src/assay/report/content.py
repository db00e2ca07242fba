"""What a report shows, as JSON has it: the parts that every kind of report has.

A key is always there; what a report does not have is empty. The page is in `static/`; `report.js` reads these keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from assay._kernel import __version__
from assay.core.note import LOUD
from assay.core.text import count
from assay.render import Ranged, finite
from assay.render.charts.theme import config
from assay.results.results import common_notes, ranges_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from assay.core.note import Note
    from assay.results.results import Results

TITLE = "assay report"
SCHEMA = {"schema": "assay/report", "version": 1}
MADE = f"Made by assay {__version__}. Nothing in this page asks the network for anything."


def base_core(results: Results, title: str) -> dict[str, Any]:
    """The core of a report on these results."""
    first = results[next(iter(results))]
    names = list(results)
    return {
        **SCHEMA,
        "title": title,
        "made": MADE,
        "themes": {theme: config(theme) for theme in ("light", "dark")},
        "runs": [{"name": name, "mark": None} for name in names],
        "measures": [
            {"name": name, "higher": measure.definition.higher_is_better} for name, measure in first.measures.items()
        ],
        "means": means_of(results),
        "caption": f"Means over {count(len(first.queries), 'query', 'queries')} with 95 % intervals",
        "verdict": [{"text": text, "state": None} for text in summaries(results)],
        "pairs": [],
        "tested": "",
        "forests": {},
        "charts": [],
        # Why some charts cannot be drawn of these data.
        "unmet": [],
        "questions": [],
        "fields": {},
        "slices": [],
        "first": {"a": names[0], "b": names[-1]},
        "notes": notes_of(common_notes(results.notes)),
        "check": [],
        "signature": str(first.signature),
        "reproduce": "",
        # Queries in each part with rankings, and questions in each part with answers; 0 if there are none.
        "chunk": 0,
        "answers": 0,
        "top": 0,
        "norankings": "",
        # The lowest relevant grade, and the measures of which no document has a part of its own.
        "rel": 1.0,
        "unattributed": [],
        "gate": None,
        "probe": None,
        "rag": None,
    }


def means_of(results: Results) -> dict[str, list[dict[str, Any]]]:
    """The mean and the interval of each measure and run."""
    tables = [ranges_of(each.table()) for _, each in results.items()]
    measures = results[next(iter(results))].measures
    return {name: [mean_cell(table[place]) for table in tables] for place, name in enumerate(measures)}


def mean_cell(cell: Ranged) -> dict[str, Any]:
    """A mean as the page takes it; `place` is its place among the runs, `beats` the runs that it is better than."""
    low, high = (None if bound is None else finite(bound) for bound in (cell.low, cell.high))
    return {"value": finite(cell.value), "low": low, "high": high, "place": -1, "beats": ""}


def summaries(results: Results) -> list[str]:
    """The means in words, one sentence per measure, for a report that compares nothing."""
    (name, result), *others = results.items()
    if others:
        return []
    said = []
    for measure, cell in zip(result.measures, ranges_of(result.table()), strict=True):
        interval = "" if cell.low is None or cell.high is None else f", 95 % interval {cell.low:.4f} to {cell.high:.4f}"
        said.append(f"{name}: {measure} {cell.value:.4f}{interval}")
    return said


def notes_of(notes: Iterable[Note]) -> list[dict[str, Any]]:
    return [{"text": str(note), "loud": note.kind in LOUD} for note in notes]


def add_questions(core: dict[str, Any], queries: Sequence[str], texts: Mapping[str, str]) -> None:
    """The text of each query, where it is known."""
    core["questions"] = [texts.get(query) for query in queries] if texts else []
