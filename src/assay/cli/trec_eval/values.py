"""What is to be computed: for each measure of the command line its values, under the names that trec_eval prints."""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from assay.cli.trec_eval.catalogue import CATALOGUE, NICKNAMES, Entry, Parameters
from assay.cli.trec_eval.numbers import real, whole
from assay.cli.trec_eval.options import Settings
from assay.cli.trec_eval.outcome import FILE, Stop

PAIRS = re.compile(r"[^=,]*=[^=,]*(?:,[^=,]*=[^=,]*)*", re.DOTALL)
# trec_eval keeps one set of gains for these three: what one is given holds for those that follow, name and all.
COMMON_GAINS = ("dcg", "ideal_dcg", "ndcg")
LONGEST_SHARE = 8


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
                ranks = entry.default if written is None else cutoffs([float(each) for each in wholes(written)], low=1)
                return [Value(measure, f"{measure}_{rank:.0f}", (rank,)) for rank in ranks]
            case Parameters.SHARES:
                shares = entry.default if written is None else cutoffs(reals(written))
                return [Value(measure, f"{measure}_{f'{share:3.2f}'[:LONGEST_SHARE]}", (share,)) for share in shares]
            case Parameters.NUMBERS:
                numbers = entry.default if written is None else tuple(reals(written))
                return [Value(measure, printed(measure, written), numbers)]
            case Parameters.PAIRS:
                return [Value(measure, printed(measure, written), pairs=pairs(written))]
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Cannot initialize measure '{measure}'\n") from None


def printed(measure: str, written: str | None) -> str:
    return measure if written is None else f"{measure}_{written}"


def wholes(written: str) -> list[int]:
    return [whole(os.fsencode(text)) for text in written.split(",")]


def reals(written: str) -> list[float]:
    return [real(os.fsencode(text)) for text in written.split(",")]


def cutoffs(numbers: list[float], low: float = float("-inf")) -> tuple[float, ...]:
    """Cutoffs in order; each may come once."""
    ascending = sorted(numbers)
    if ascending[0] < low:
        raise Stop(FILE, "trec_eval: Negative cutoff detected\n")
    if len(set(ascending)) < len(ascending):
        raise Stop(FILE, "trec_eval: duplicate cutoffs detected\n")
    return tuple(ascending)


def pairs(written: str | None) -> tuple[tuple[str, float], ...]:
    """Pairs of a name and a number."""
    if written is None:
        return ()
    if not PAIRS.fullmatch(written):
        raise Stop(FILE, f"trec_eval: malformed pair parameters in '{written}'\n")
    named = (pair.partition("=") for pair in written.split(","))
    return tuple((name, real(os.fsencode(number))) for name, _, number in named)
