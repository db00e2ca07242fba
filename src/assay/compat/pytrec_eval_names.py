"""Names of measures as pytrec_eval takes them: which it has, and what a set of them stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from assay.conventions import find_convention, spelled
from assay.core.errors import MeasureError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from assay.core.measure import Measure

CONVENTION = find_convention("trec_eval_9")
# What is text in trec_eval; pytrec_eval has a number for it that means nothing, mostly 0.
TEXTS = ("runid", "relstring")
ORDER = ["runid", *CONVENTION.names]
ORDER.insert(ORDER.index("P") + 1, "relstring")
PREFERENCES = ["prefs_num_prefs_poss", "prefs_num_prefs_ful", "prefs_num_prefs_ful_ret"]
PREFERENCES += ["prefs_simp", "prefs_pair", "prefs_avgjg"]
MORE_PREFERENCES = [f"{each}_{kind}" for each in PREFERENCES[3:] for kind in ("ret", "imp")]
MORE_PREFERENCES += ["prefs_avgjg_Rnonrel", "prefs_avgjg_Rnonrel_ret"]

supported_measures: set[str] = set(ORDER)
supported_nicknames: dict[str, set[str]] = {
    "official": {"runid", *CONVENTION.nicknames["official"]},
    "set": {"runid", *CONVENTION.nicknames["set"]},
    "all_trec": {*TEXTS, *CONVENTION.nicknames["all_trec"]},
    "all_prefs": {"runid", "num_q", *PREFERENCES, *MORE_PREFERENCES},
    "prefs": {"runid", "num_q", *PREFERENCES},
    "qrels_jg": {"runid", "num_q", "map_avgjg", "P_avgjg", "Rprec_mult_avgjg"},
}
PARAMETERS = r"[._](\d+(?:\.\d+)?(?:,\d+(?:\.\d+)?)*)"


def choose_columns(measures: Iterable[str], level: int) -> dict[str, Measure | None]:
    """The measures by the keys of the results, in trec_eval's order; None for what is text."""
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
        found = spelled(name, CONVENTION, {"rel": level}) or {}
    except MeasureError as error:
        raise MeasureError(f"unsupported measure {name}: {error}") from error
    return {key: chosen.measure for key, chosen in found.items()}
