"""Names of measures as pytrec_eval takes them: which it has, and what a set of them stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.conventions import expand_as_printed, find_convention
from assay.conventions.tools.trec_eval import TEXTS, TREC_EVAL, nicknames_with_texts, with_texts
from assay.core.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.core.measure import Measure

CONVENTION = find_convention("trec_eval_9")
ORDER = with_texts(CONVENTION.names)
# Of preferences and judges pytrec_eval knows the nicknames only, which are those of version 10.
NICKNAMES = nicknames_with_texts({**TREC_EVAL.nicknames, **CONVENTION.nicknames})

supported_measures: set[str] = set(ORDER)
supported_nicknames: dict[str, set[str]] = {nickname: set(names) for nickname, names in NICKNAMES.items()}
PARAMETERS = r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)"


def choose_columns(measures: Iterable[str], level: int) -> dict[str, Measure | None]:
    """The measures by the keys of the results, in trec_eval's order; None for what is text.

    pytrec_eval has a number for that, which means nothing and is mostly 0.
    """
    combined: dict[str, set[str]] = {}
    for name in measures:
        for each in supported_nicknames.get(name, {name}):
            base, parameters = take_apart(each)
            combined.setdefault(base, set()).update(parameters)
    columns: dict[str, Measure | None] = {}
    for base in sorted(combined, key=ORDER.index):
        columns.update(dict.fromkeys([base]) if base in TEXTS else make_columns(base, sorted(combined[base]), level))
    return columns


def take_apart(name: str) -> tuple[str, list[str]]:
    """The measure that a name stands for, and its parameters."""
    if name in supported_measures:
        return name, []
    for base in supported_measures:
        if found := re.match(re.escape(base) + PARAMETERS, name):
            return base, found[1].split(",")
    raise MeasureError(f"unsupported measure {name}")


def make_columns(base: str, parameters: list[str], level: int) -> dict[str, Measure | None]:
    """The measures of one of trec_eval's names, by the keys of the results."""
    entry = CONVENTION.names[base]
    if base == "set_F":
        parameters = parameters[:1]
    takes_some = entry.cutoffs or entry.options
    name = f"{base}.{','.join(parameters)}" if parameters and takes_some else base
    try:
        found = expand_as_printed(name, CONVENTION, {"rel": level}) or {}
    except MeasureError as error:
        raise MeasureError(f"unsupported measure {name}: {error}") from error
    return {key: chosen.measure for key, chosen in found.items()}
