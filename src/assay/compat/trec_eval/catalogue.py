"""trec_eval's measures in the order in which it prints them, and its nicknames for several of them.

Names, cutoffs and nicknames are those of the convention; here stands what the command line makes of them.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

from assay.conventions.tools.trec_eval import (
    JUDGES,
    NAMES,
    PREFERENCES,
    RECALLS,
    TREC_EVAL,
    nicknames_with_texts,
    with_texts,
)
from assay.core.convention import Name

# What the measures have where nothing follows the dot, beside the cutoffs of the convention.
DEFAULTS: dict[str, tuple[float, ...]] = {
    "relstring": (10,),
    "utility": (1, -1, 0, 0),
    "11pt_avg": RECALLS,
    "set_F": (1,),
}
# The measures of preferences and of judges are printed after this one.
LAST_OF_RANKINGS = "num_nonrel_judged_ret"


class Source(Enum):
    """What a measure is computed from, and so which judgments it can be computed with; the value is their format."""

    NOTHING = ""
    RANKING = "qrels"
    GROUPS = "qrels_jg"
    PREFERENCES = "prefs"


class Parameters(Enum):
    """What may follow the dot of a measure's name."""

    NONE = "none"
    RANKS = "whole cutoffs, each a value of its own"
    SHARES = "cutoffs with decimals, each a value of its own"
    NUMBERS = "numbers"
    PAIRS = "pairs name=number"


class Entry(NamedTuple):
    """What trec_eval does with a measure, apart from computing it."""

    source: Source = Source.RANKING
    parameters: Parameters = Parameters.NONE
    default: tuple[float, ...] = ()
    is_count: bool = False


def entry_of(name: str, known: Name) -> Entry:
    """What the convention says of a measure, as trec_eval's command line has it."""
    sources = {**dict.fromkeys(PREFERENCES, Source.PREFERENCES), **dict.fromkeys(JUDGES, Source.GROUPS)}
    sources["num_q"] = Source.NOTHING
    parameters = Parameters.PAIRS if known.options else Parameters.NONE
    if known.cutoffs:
        parameters = Parameters.RANKS if known.whole else Parameters.SHARES
    elif name in DEFAULTS:
        parameters = Parameters.NUMBERS
    default = known.cutoffs or DEFAULTS.get(name, ())
    return Entry(sources.get(name, Source.RANKING), parameters, default, name.startswith(("num_", "prefs_num_")))


def list_measures() -> dict[str, Entry]:
    """All measures, in order."""
    names = list(NAMES)
    end = names.index(LAST_OF_RANKINGS) + 1
    texts = {
        "runid": Entry(Source.NOTHING),
        "relstring": Entry(parameters=Parameters.NUMBERS, default=DEFAULTS["relstring"]),
    }
    known = {**texts, **{name: entry_of(name, each) for name, each in TREC_EVAL.names.items()}}
    return {name: known[name] for name in with_texts([*names[:end], *PREFERENCES, *JUDGES, *names[end:]])}


CATALOGUE = list_measures()
NICKNAMES = nicknames_with_texts(TREC_EVAL.nicknames)
