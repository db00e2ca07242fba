"""Slices: the queries by the value of a field, such as language or type, with the means and intervals of each."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.core.text import count
from assay.report.content import means_of
from assay.results.align import select_queries
from assay.results.results import Results

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
LENGTHS = (
    (1, "1 to 2 words"),
    (3, "3 to 5 words"),
    (6, "6 to 10 words"),
    (11, "11 to 20 words"),
    (21, "more than 20 words"),
)


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
    small = sum(size < SMALL for size in sizes)
    said = []
    if small:
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
    words = len(question.split())
    return next((name for least, name in reversed(LENGTHS) if words >= least), LENGTHS[0][1])
