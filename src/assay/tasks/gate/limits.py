"""The limits of a gate: numbers by measure, where two spellings of one measure are one measure."""

from __future__ import annotations

import math
from collections.abc import Mapping
from numbers import Real
from typing import TYPE_CHECKING, Any

from assay.conventions import resolve
from assay.core.errors import MeasureError, PolicyError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable

    from assay.core.convention import Convention
    from assay.core.measure import Measure
    from assay.results.result import Result

Limit = tuple[str, float]


def read_limits(given: Mapping[str | Measure, float] | None, option: str) -> dict[str, float]:
    """The limits by measure, once each is known to be a number."""
    if given is None:
        return {}
    if not isinstance(given, Mapping):
        raise PolicyError(f'{option} must be a dict such as {{"ndcg@10": 0.1}}, not {show(given)}')
    for name, value in given.items():
        if not is_number(value) or (option == "max_drop" and value < 0):
            kind = "a number from 0" if option == "max_drop" else "a number"
            raise PolicyError(f"{option} of {show(name)} must be {kind}, not {show(value)}")
    limits = [(str(name), float(value)) for name, value in given.items()]
    return dict(by_meaning(limits, str, option).values())


def is_number(value: object) -> bool:
    """Whether a float can hold the value."""
    try:
        return isinstance(value, Real) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:
        return False


def by_meaning(limits: Iterable[Limit], meaning: Callable[[str], Hashable], where: str) -> dict[Hashable, Limit]:
    """The limits by what their names mean; two for the same measure are an error that names both.

    >>> by_meaning([("rr", 0.5), ("ap", 0.25)], str, "minimum")
    {'rr': ('rr', 0.5), 'ap': ('ap', 0.25)}
    """
    found: dict[Hashable, Limit] = {}
    for name, limit in limits:
        key = meaning(name)
        if key in found:
            both = f"{show(found[key][0])} and {show(name)}"
            said = f"{show(name)} has two limits" if found[key][0] == name else f"{both} are the same measure"
            raise PolicyError(f"{where}: {said}; give it one limit")
        found[key] = name, limit
    return found


def meaning_under(convention: Convention, policies: Mapping[str, Any]) -> Callable[[str], Hashable]:
    """What tells whether two names mean the same: the measure and its policies, else the name itself."""

    def meaning(name: str) -> Hashable:
        try:
            found = list(resolve([name], convention, policies).values())
        except MeasureError:
            return name
        return found[0] if len(found) == 1 else name

    return meaning


def check_spellings(limits: Mapping[str, float], result: Result, where: str) -> None:
    """Raises if two of the names stand for the same measure of a result."""
    by_meaning(limits.items(), lambda name: (result.measures[name], result.policies_of(name)), where)


def check_asked(floors: Mapping[str, float], drops: Mapping[str, float], baseline: object) -> None:
    """Raises unless there is something to check, and something to check it with."""
    if drops and baseline is None:
        raise PolicyError("max_drop needs a baseline: an earlier run, or a stored result (--baseline)")
    if baseline is not None and not drops:
        raise PolicyError('a baseline needs max_drop, such as max_drop={"ndcg@10": 0.01} (--max-drop ndcg@10=0.01)')
    if not floors and not drops:
        raise PolicyError('there is nothing to check; give minimum={"ndcg@10": 0.45} (--min ndcg@10=0.45), or max_drop')
