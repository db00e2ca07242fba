"""What is to be computed: for each measure of the command line its values, under the names that trec_eval prints."""

from __future__ import annotations

import math
import os
import re
from typing import TYPE_CHECKING, NamedTuple

from assay.compat.trec_eval.catalogue import CATALOGUE, NICKNAMES, Entry, Parameters
from assay.compat.trec_eval.numbers import real, whole
from assay.compat.trec_eval.options import Settings
from assay.compat.trec_eval.outcome import FILE, Stop
from assay.core.spelling import GRADE

if TYPE_CHECKING:
    from collections.abc import Sequence

PAIRS = re.compile(r"[^=,]*=[^=,]*(?:,[^=,]*=[^=,]*)*", re.DOTALL)
# trec_eval keeps one set of gains for these three: what one is given holds for those that follow, name and all.
COMMON_GAINS = ("dcg", "ideal_dcg", "ndcg")
LONGEST_SHARE = 8
# These have a persistence; the second of them has no gains.
PERSISTENT = ("rbp", "rbp_resid")
# Times the relevant documents of any topic this is still a whole number of C's.
LARGEST_SHARE = 2.0**40


class Value(NamedTuple):
    """One value a topic: the measure, the name that is printed, and the numbers that the measure is given.

    The numbers are a cutoff, several coefficients or, as text, pairs; none where the measure has its own.
    """

    measure: str
    name: str
    numbers: tuple[float, ...] = ()
    pairs: tuple[tuple[str, float], ...] = ()

    @property
    def entry(self) -> Entry:
        return CATALOGUE[self.measure]


def list_values(settings: Settings) -> list[Value]:
    """All values, in the order in which they are printed."""
    written = dict(settings.parameters)
    wanted = [name for name in CATALOGUE if name in (settings.measures or NICKNAMES["official"])]
    values = [value for name in wanted for value in values_of(name, share_gains(name, wanted, written))]
    gains = next((value.pairs for value in reversed(values) if value.measure in COMMON_GAINS), ())
    return [value._replace(pairs=gains) if value.measure in COMMON_GAINS else value for value in values]


def share_gains(name: str, wanted: list[str], written: dict[str, str]) -> str | None:
    """What was written after the measure's dot, or after that of one that it shares its gains with."""
    if name in COMMON_GAINS:
        before = [each for each in COMMON_GAINS[: COMMON_GAINS.index(name)] if each in wanted]
        for each in before:
            if each in written:
                written.setdefault(name, written[each])
    return written.get(name)


def values_of(measure: str, written: str | None) -> list[Value]:
    """The values of one measure, given what was written after its dot."""
    entry = CATALOGUE[measure]
    try:
        match entry.parameters:
            case Parameters.NONE:
                return [Value(measure, measure)]
            case Parameters.RANKS:
                ranks = entry.default if written is None else cutoffs(wholes(written), low=1)
                return [Value(measure, f"{measure}_{rank}", (rank,)) for rank in ranks]
            case Parameters.SHARES:
                shares = entry.default if written is None else cutoffs(shares_of(written))
                return [Value(measure, f"{measure}_{f'{share:3.2f}'[:LONGEST_SHARE]}", (share,)) for share in shares]
            case Parameters.NUMBERS:
                numbers = entry.default if written is None else numbers_of(measure, written)
                return [Value(measure, printed(measure, written), numbers)]
            case Parameters.PAIRS:
                return [Value(measure, printed(measure, written), pairs=pairs(measure, written))]
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Cannot initialize measure '{measure}'\n") from None


def printed(measure: str, written: str | None) -> str:
    return measure if written is None else f"{measure}_{written}"


def wholes(written: str) -> list[int]:
    return [whole(os.fsencode(text)) for text in written.split(",")]


def reals(written: str) -> list[float]:
    return [finite(text) for text in written.split(",")]


def finite(text: str) -> float:
    """A number; C does not say what becomes of one that is not finite."""
    number = real(os.fsencode(text))
    if not math.isfinite(number):
        raise Stop(FILE, f"trec_eval: '{text}' is no number to compute with\n")
    return number


def shares_of(written: str) -> list[float]:
    """Shares or multiples of the relevant documents, as many as can be counted."""
    shares = reals(written)
    if max(map(abs, shares)) > LARGEST_SHARE:
        raise Stop(FILE, f"trec_eval: a cutoff in '{written}' is too large\n")
    return shares


def numbers_of(measure: str, written: str) -> tuple[float, ...]:
    """The numbers that a measure computes with: set_F takes the first alone, and 11pt_avg wants shares."""
    if measure == "11pt_avg":
        return tuple(shares_of(written))
    return tuple(reals(written)[: 1 if measure == "set_F" else None])


def cutoffs(numbers: Sequence[float], low: float = float("-inf")) -> tuple[float, ...]:
    """Cutoffs in order; each may come once."""
    ascending = sorted(numbers)
    if ascending[0] < low:
        raise Stop(FILE, "trec_eval: Negative cutoff detected\n")
    if len(set(ascending)) < len(ascending):
        raise Stop(FILE, "trec_eval: duplicate cutoffs detected\n")
    return tuple(ascending)


def pairs(measure: str, written: str | None) -> tuple[tuple[str, float], ...]:
    """The pairs of a name and a number that the measure knows; what it does not know counts for nothing."""
    if written is None:
        return ()
    if not PAIRS.fullmatch(written):
        raise Stop(FILE, f"trec_eval: malformed pair parameters in '{written}'\n")
    known: dict[str, float] = {}
    for name, _, text in (pair.partition("=") for pair in written.split(",")):
        if GRADE.fullmatch(name) and measure != "rbp_resid":
            grade, gain = str(whole(os.fsencode(name))), finite(text)
            check_gain(measure, grade, known.get(grade, gain), gain)
            known.setdefault(grade, gain)
        elif name == "p" and measure in PERSISTENT:
            known[name] = finite(text)
    return tuple(known.items())


def check_gain(measure: str, grade: str, first: float, gain: float) -> None:
    """Raises where trec_eval computes with both gains of a grade.

    It ranks by the lowest gain and compares with an ideal ranking by the first. rbp looks for the highest one, too.
    """
    if gain < first or (measure == "rbp" and gain != first):
        raise Stop(FILE, f"trec_eval: grade {grade} has two gains, {first:g} and {gain:g}; name it once\n")
