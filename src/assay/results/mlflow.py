"""Numbers by names that MLflow takes: letters, digits, `_`, `-`, `.` and blanks, and `/` between parts of a path.

MLflow refuses any other character, names that are not plain paths, and names of more than 250 characters.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.results.result import Result

LONGEST = 250
LONGEST_GROUP = 100
# Room for a number that tells equal names apart.
ROOM = 8
ILLEGAL = re.compile(r"[^\w.\-]+")


def numbers_of(result: Result) -> list[tuple[str, float | None]]:
    """Means and interval ends by name. Means come first: a measure may be called like the interval end of another."""
    rows = [(name, row[1:]) for name, row in zip(result.measures, result.table().rows, strict=True)]
    ends = [(f"{name} {side}", numbers[at]) for name, numbers in rows for at, side in ((1, "low"), (2, "high"))]
    return [*((name, numbers[0]) for name, numbers in rows), *ends]  # type: ignore[list-item]


def legal_metrics(numbers: Iterable[tuple[str, float | None]], longest: int = LONGEST) -> dict[str, float]:
    """The numbers by legal names; those that are not finite are left out.

    >>> legal_metrics([("ndcg@10", 0.5), ("ap(rel=2)@100", 0.25), ("ndcg_at_10", 0.75), ("rr", float("nan"))])
    {'ndcg_at_10': 0.5, 'ap_rel_2_at_100': 0.25, 'ndcg_at_10_2': 0.75}
    """
    every = list(numbers)
    values = dict(zip(legal_names([name for name, _ in every], longest), (value for _, value in every), strict=True))
    return {name: float(each) for name, each in values.items() if each is not None and math.isfinite(each)}


def grouped_metrics(groups: Mapping[str, Iterable[tuple[str, float | None]]]) -> dict[str, float]:
    """The numbers of several groups, as `group/name`, which MLflow shows together."""
    found: dict[str, float] = {}
    for title, numbers in zip(legal_names(groups, LONGEST_GROUP), groups.values(), strict=True):
        legal = legal_metrics(numbers, LONGEST - LONGEST_GROUP - 1)
        found |= {f"{title}/{name}": value for name, value in legal.items()}
    return found


def legal_names(names: Iterable[str], longest: int) -> list[str]:
    """Legal names for names, in their order; of those that become the same, all but the first get a number."""
    # Some stores do not tell upper from lower case.
    taken: dict[str, str] = {}
    for each in names:
        wanted = legal_name(each)
        name, number = wanted[:longest], 1
        while name.lower() in taken:
            number += 1
            name = f"{wanted[: longest - ROOM]}_{number}"
        taken[name.lower()] = name
    return list(taken.values())


def legal_name(text: str) -> str:
    """A name without what MLflow refuses.

    >>> legal_name("ndcg(gain=exp2)@10"), legal_name("score:faithfulness"), legal_name("../runs/bm25 (new)")
    ('ndcg_gain_exp2_at_10', 'score_faithfulness', 'runs_bm25_new')
    """
    return ILLEGAL.sub("_", text.replace("@", " at ")).strip("_.") or "unnamed"
