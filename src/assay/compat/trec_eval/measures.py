"""trec_eval's measures: what may follow the dot of each name, and the values that a command line prints for it.

Names, cutoffs and sets of measures are those of the convention. A value is one line per topic. It is spelled as the
convention's table spells it, so that one function finds the measure, except for parameters that no measure accepts.
"""

import math
import os
import re
from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from assay.compat.trec_eval.options import FILE, NICKNAMES, CommandLine, Stop, read_number, read_real
from assay.conventions.tools.trec_eval import GRADE, JUDGES, NAMES, PREFERENCES, RECALLS, TREC_EVAL, with_texts
from assay.core.parameter import LARGEST_WHOLE
from assay.core.text import show

MOST_DIGITS = 40
# Parameters of names without a suffix, apart from the cutoffs of the convention.
DEFAULTS: dict[str, tuple[float, ...]] = {"utility": (1, -1, 0, 0), "11pt_avg": RECALLS, "set_F": (1,)}
# The measures of preferences and of judges are printed after this one.
LAST_OF_RANKINGS = "num_nonrel_judged_ret"
PAIRS = re.compile(r"[^=,]*=[^=,]*(?:,[^=,]*=[^=,]*)*", re.DOTALL)
# trec_eval keeps one set of gains for these three: gains given for one hold for the next, printed name included.
COMMON_GAINS = ("dcg", "ideal_dcg", "ndcg")
LONGEST_SHARE = 8
# These have a persistence; the second has no gains.
PERSISTENT = ("rbp", "rbp_resid")
# Multiplied by the number of relevant documents of any topic, this still fits into a C long.
LARGEST_SHARE = 2.0**40


class JudgmentKind(Enum):
    """The judgments that a measure is computed from; the value is their format."""

    NONE = ""
    RANKING = "qrels"
    GROUPS = "qrels_jg"
    PREFERENCES = "prefs"


class Suffix(Enum):
    """What may follow the dot of a measure's name."""

    NONE = "nothing"
    RANKS = "whole cutoffs, one value each"
    SHARES = "cutoffs with decimals, one value each"
    NUMBERS = "numbers"
    PAIRS = "pairs name=number"


class MeasureEntry(NamedTuple):
    """What trec_eval does with a measure, apart from computing it."""

    kind: JudgmentKind = JudgmentKind.RANKING
    suffix: Suffix = Suffix.NONE
    default: tuple[float, ...] = ()
    is_count: bool = False


class Value(NamedTuple):
    """One value per topic: the measure, the name that is printed, and the measure's numbers.

    The numbers are a cutoff, several coefficients, or pairs; none where the measure's own defaults hold. `odd` are
    parameters with which trec_eval computes though assay's measure rejects them.
    """

    measure: str
    name: str
    entry: MeasureEntry
    numbers: tuple[float, ...] = ()
    pairs: tuple[tuple[str, float], ...] = ()
    odd: tuple[tuple[str, float], ...] = ()


def list_measures() -> dict[str, MeasureEntry]:
    """All measures, in the order in which trec_eval prints them."""
    kinds = {**dict.fromkeys(PREFERENCES, JudgmentKind.PREFERENCES), **dict.fromkeys(JUDGES, JudgmentKind.GROUPS)}
    kinds["num_q"] = JudgmentKind.NONE
    known = {"runid": MeasureEntry(JudgmentKind.NONE), "relstring": MeasureEntry(suffix=Suffix.NUMBERS, default=(10,))}
    for name, each in TREC_EVAL.names.items():
        suffix = Suffix.PAIRS if each.options else Suffix.NONE
        if each.cutoffs:
            suffix = Suffix.RANKS if each.whole else Suffix.SHARES
        elif name in DEFAULTS:
            suffix = Suffix.NUMBERS
        default = each.cutoffs or DEFAULTS.get(name, ())
        is_count = name.startswith(("num_", "prefs_num_"))
        known[name] = MeasureEntry(kinds.get(name, JudgmentKind.RANKING), suffix, default, is_count)
    names = list(NAMES)
    end = names.index(LAST_OF_RANKINGS) + 1
    return {name: known[name] for name in with_texts([*names[:end], *PREFERENCES, *JUDGES, *names[end:]])}


CATALOGUE = list_measures()


def list_values(settings: CommandLine) -> list[Value]:
    """All values, in the order in which they are printed."""
    written = dict(settings.parameters)
    wanted = [name for name in CATALOGUE if name in (settings.measures or NICKNAMES["official"])]
    for place, name in enumerate(COMMON_GAINS):
        if earlier := [written[each] for each in COMMON_GAINS[:place] if each in wanted and each in written]:
            written.setdefault(name, earlier[0])
    values = [value for name in wanted for value in values_of(name, written.get(name))]
    gains = next((value.pairs for value in reversed(values) if value.measure in COMMON_GAINS), ())
    return [value._replace(pairs=gains) if value.measure in COMMON_GAINS else value for value in values]


def values_of(measure: str, written: str | None) -> list[Value]:
    """The values of one measure, given what was written after its dot."""
    entry = CATALOGUE[measure]
    name = measure if written is None else f"{measure}_{written}"
    try:
        match entry.suffix:
            case Suffix.NONE:
                return [Value(measure, measure, entry)]
            case Suffix.RANKS:
                ranks = entry.default if written is None else sort_cutoffs(read_ranks(written), low=1)
                return [Value(measure, f"{measure}_{rank}", entry, (rank,)) for rank in ranks]
            case Suffix.SHARES:
                shares = entry.default if written is None else sort_cutoffs(read_shares(written))
                return [
                    Value(measure, f"{measure}_{f'{share:3.2f}'[:LONGEST_SHARE]}", entry, (share,)) for share in shares
                ]
            case Suffix.NUMBERS:
                numbers = entry.default if written is None else read_numbers(measure, written)
                is_odd = measure == "set_F" and numbers[0] < 0
                return [Value(measure, name, entry, numbers, odd=(("beta", numbers[0]),) if is_odd else ())]
            case Suffix.PAIRS:
                pairs = read_gain_pairs(measure, written)
                odd = tuple((key, number) for key, number in pairs if key == "p" and not 0 < number < 1)
                return [Value(measure, name, entry, pairs=pairs, odd=odd)]
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Cannot initialize measure '{measure}'\n") from None


def spell_values(values: Sequence[Value]) -> str:
    """Values of one measure as one name in the convention's spelling; cutoffs past any ranking are capped."""
    first = values[0]
    if pairs := [f"{name}={number!r}" for name, number in first.pairs if (name, number) not in first.odd]:
        return f"{first.measure}.{','.join(pairs)}"
    is_default = first.entry.suffix is Suffix.NUMBERS and first.numbers == first.entry.default
    if first.odd or is_default or not first.numbers:
        return first.measure
    numbers = [repr(min(number, LARGEST_WHOLE)) for value in values for number in value.numbers]
    return f"{first.measure}.{','.join(numbers)}"


def read_ranks(written: str) -> list[int]:
    """Whole cutoffs; like C, it takes its largest number for a larger one, but not for hundreds of digits."""
    texts = written.split(",")
    if max(map(len, texts)) > MOST_DIGITS:
        raise Stop(FILE, f"trec_eval: a cutoff in {show(written)} is too large\n")
    return [read_number(text) for text in texts]


def read_finite(text: str) -> float:
    """A finite number; for others, C leaves the result undefined."""
    number = read_real(os.fsencode(text))
    if not math.isfinite(number):
        raise Stop(FILE, f"trec_eval: {show(text)} is not a finite number\n")
    return number


def read_shares(written: str) -> list[float]:
    """Shares or multiples of the number of relevant documents."""
    shares = [read_finite(text) for text in written.split(",")]
    if max(map(abs, shares)) > LARGEST_SHARE:
        raise Stop(FILE, f"trec_eval: a cutoff in {show(written)} is too large\n")
    return shares


def read_numbers(measure: str, written: str) -> tuple[float, ...]:
    """The numbers of a measure: set_F uses only the first, and those of 11pt_avg are shares."""
    if measure == "11pt_avg":
        return tuple(read_shares(written))
    numbers = [read_finite(text) for text in written.split(",")]
    return tuple(numbers[: 1 if measure == "set_F" else None])


def sort_cutoffs(numbers: Sequence[float], low: float = float("-inf")) -> tuple[float, ...]:
    """Cutoffs in ascending order, without duplicates."""
    ascending = sorted(numbers)
    if ascending[0] < low:
        raise Stop(FILE, "trec_eval: Negative cutoff detected\n")
    if len(set(ascending)) < len(ascending):
        raise Stop(FILE, "trec_eval: duplicate cutoffs detected\n")
    return tuple(ascending)


def read_gain_pairs(measure: str, written: str | None) -> tuple[tuple[str, float], ...]:
    """The pairs of a name and a number that the measure knows; the others are ignored."""
    if written is None:
        return ()
    if not PAIRS.fullmatch(written):
        raise Stop(FILE, f"trec_eval: malformed pair parameters in '{written}'\n")
    known: dict[str, float] = {}
    for name, _, text in (pair.partition("=") for pair in written.split(",")):
        if GRADE.fullmatch(name) and measure != "rbp_resid":
            grade, gain = str(read_number(name)), read_finite(text)
            first = known.setdefault(grade, gain)
            # trec_eval ranks by the lowest gain of a grade and compares with an ideal ranking by the first; rbp also
            # looks for the highest.
            if gain < first or (measure == "rbp" and gain != first):
                said = f"grade {grade} has two gains, {first:g} and {gain:g}; give it only one"
                raise Stop(FILE, f"trec_eval: {said}\n")
        elif name == "p" and measure in PERSISTENT:
            known[name] = read_finite(text)
    return tuple(known.items())
