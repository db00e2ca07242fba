"""What a report shows, as JSON has it: the parts that every kind of report has, slices of queries, and answers.

A key is always there; what a report does not have is empty. The page is in `static/`; `report.js` reads these keys.
Slices are the queries by the value of a field, such as language or type, with the means and intervals of each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import islice, zip_longest
from typing import Any

from assay._kernel import __version__
from assay.core.note import LOUD, Note
from assay.core.text import count
from assay.render import finite
from assay.render.charts.parts import config
from assay.results.results import Results, common_notes, ranges_of, select_queries

TITLE = "assay report"
# Questions in a part of the page's data.
CHUNK = 100
# Characters of a text that is shown.
LONGEST = 2_000
# Fewer queries say little about a slice; with more slices some differ by chance.
SMALL = 20
MANY = 10
# Slices that are shown; the rest shares a row.
MOST = 100
# The slice that needs no field.
LENGTH = "length"
UNKNOWN = "(none)"
OTHERS = "(others)"
# The lengths of a question in words, from a number on.
LENGTHS = {1: "1 to 2 words", 3: "3 to 5 words", 6: "6 to 10 words", 11: "11 to 20 words", 21: "more than 20 words"}


def blank_core(names: Sequence[str], title: str) -> dict[str, Any]:
    """The core of a report on runs of which nothing is known."""
    return {
        "schema": "assay/report",
        "version": 1,
        "title": title,
        "made": f"Made by assay {__version__}. Nothing in this page asks the network for anything.",
        "themes": {theme: config(theme) for theme in ("light", "dark")},
        "runs": [{"name": name, "mark": None} for name in names],
        "measures": [],
        "means": {},
        "caption": "",
        "verdict": [],
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
        "notes": [],
        "check": [],
        "signature": "",
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


def base_core(results: Results, title: str) -> dict[str, Any]:
    """The core of a report on these results; a report on one run, which compares nothing, says its means in words."""
    (name, first), *others = results.items()
    measures = [{"name": each, "higher": known.definition.higher_is_better} for each, known in first.measures.items()]
    said = []
    for measure, cell in zip(first.measures, ranges_of(first.table()), strict=True) if not others else ():
        interval = "" if cell.low is None or cell.high is None else f", 95 % interval {cell.low:.4f} to {cell.high:.4f}"
        said.append({"text": f"{name}: {measure} {cell.value:.4f}{interval}", "state": None})
    return blank_core(list(results), title) | {
        "measures": measures,
        "means": means_of(results),
        "caption": f"Means over {count(len(first.queries), 'query', 'queries')} with 95 % intervals",
        "verdict": said,
        "notes": notes_of(common_notes(results.notes)),
        "signature": str(first.signature),
    }


def means_of(results: Results) -> dict[str, list[dict[str, Any]]]:
    """The mean and interval of each measure and run, its place among the runs, and those that it is better than."""
    cells: dict[str, list[dict[str, Any]]] = {name: [] for name in results[next(iter(results))].measures}
    for result in results.results.values():
        for name, cell in zip(cells, ranges_of(result.table()), strict=True):
            numbers = {field: finite(getattr(cell, field)) for field in ("value", "low", "high")}
            cells[name].append({**numbers, "place": -1, "beats": ""})
    return cells


def notes_of(notes: Iterable[Note]) -> list[dict[str, Any]]:
    return [{"text": str(note), "loud": note.kind in LOUD} for note in notes]


def slice_values(field: Mapping[str, str], queries: Sequence[str]) -> list[str]:
    """The value of a field for each query; rare values share one if there are too many."""
    values = [field.get(query, UNKNOWN) for query in queries]
    common = Counter(values).most_common(MOST + 1)
    if len(common) <= MOST:
        return values
    kept = {value for value, _ in common[: MOST - 1]}
    return [value if value in kept else OTHERS for value in values]


def slice_rows(results: Results, field: str, values: Sequence[str]) -> dict[str, Any]:
    """The means of each slice, and a warning if they say little."""
    places: dict[str, list[int]] = {}
    for place, value in enumerate(values):
        places.setdefault(value, []).append(place)
    rows = []
    for value in sorted(places, key=natural):
        part = Results({name: select_queries(result, places[value]) for name, result in results.items()})
        rows.append({"value": value, "queries": len(places[value]), "means": means_of(part)})
    return {"field": field, "rows": rows, "warning": warning([len(each) for each in places.values()])}


def natural(value: str) -> list[str | int]:
    """The order in which people list values: by their numbers, as numbers.

    >>> sorted(["11 to 20", "3 to 5", "none"], key=natural)
    ['3 to 5', '11 to 20', 'none']
    """
    return [int(each) if each.isdecimal() and each.isascii() else each for each in re.split(r"([0-9]+)", value)]


def warning(sizes: Sequence[int]) -> str:
    """Why differences between slices may be chance; empty if there is no reason.

    >>> warning([40, 50])
    ''
    """
    said = []
    if small := sum(size < SMALL for size in sizes):
        have = "has" if small == 1 else "have"
        said.append(f"{small} of {count(len(sizes), 'slice')} {have} fewer than {SMALL} queries and a wide interval")
    if len(sizes) > MANY:
        said.append(f"of {len(sizes)} slices, some stand out by chance alone")
    return "; ".join(said).capitalize()


def length_of(question: str) -> str:
    """How long a question is, in words.

    >>> length_of("what is nDCG")
    '3 to 5 words'
    """
    words = max(1, len(question.split()))
    return next(name for least, name in reversed(LENGTHS.items()) if words >= least)


def answer_parts(answers: Iterable[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The questions in parts, under their names."""
    rest = iter(answers)
    for number, part in enumerate(iter(lambda: list(islice(rest, CHUNK)), [])):
        yield f"answers-{number}", part


def answer_entry(
    answer: str | None,
    *,
    references: Iterable[str] = (),
    gold: str = "",
    passages: Sequence[dict[str, Any]] = (),
    wanted: Sequence[dict[str, Any]] = (),
    verdicts: Iterable[str] = (),
) -> dict[str, Any]:
    """One question; `gold` says whether a gold passage was retrieved, `wanted` are the gold passages."""
    return {
        "answer": cut(answer),
        "references": [cut(each) for each in references],
        "gold": gold,
        "passages": list(passages),
        "wanted": list(wanted),
        "verdicts": [cut(each) for each in verdicts],
    }


def passage_entries(ids: Sequence[str], texts: Sequence[str], wanted: Collection[str] = ()) -> list[dict[str, Any]]:
    """Passages in order, those that are gold marked.

    >>> passage_entries(["a", "b"], [], {"b"})
    [{'id': 'a', 'text': '', 'gold': False}, {'id': 'b', 'text': '', 'gold': True}]
    """
    pairs = zip_longest(ids, texts, fillvalue="")
    return [{"id": name, "text": cut(text), "gold": name in wanted} for name, text in pairs]


def cut(text: str | None) -> str | None:
    """A text, cut if it is very long."""
    return text if text is None or len(text) <= LONGEST else f"{text[:LONGEST]} …"
