"""How a tool computes: its policies, and its names for measures.

A convention is data. The code that follows it is the same for all.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import PolicyError
from assay.core.text import nearest, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

LARGEST = sys.float_info.max
CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("docid_desc", "docid_asc", "input"),
    "order": ("score", "given"),
    "precision": ("float64", "float32"),
    "duplicates": ("error", "first", "last", "count"),
    "missing": ("zero", "skip", "error"),
    "no_relevant": ("zero", "nan", "skip"),
    "negative": ("unjudged", "nonrelevant"),
    "exclude": ("nothing", "query_id"),
}


@dataclass(frozen=True, slots=True)
class Policies:
    """The choices that a number depends on, apart from the measure itself.

    - `ties`: documents with the same score stand by document id, from high to low or from low to high, or as given.
    - `order`: by score, or as `given` whatever the scores say.
    - `precision`: scores are compared as 64-bit or as 32-bit floats.
    - `duplicates`: a document listed twice is an error; or the first or the last one stays; or all count.
    - `missing`: a query of the judgments that the run lacks counts as an empty ranking, is skipped, or is an error.
    - `no_relevant`: a query without relevant documents scores 0, is NaN for measures that need one, or is skipped.
    - `negative`: a document with a negative grade is not judged, or is judged and not relevant.
    - `exclude`: nothing, or the document that is named like its query.
    - `depth`: only so many documents of a ranking are kept.
    - `judged_only`: documents without a judgment are taken out of the ranking.
    - `rel`: the lowest grade that counts as relevant, for every measure whose name does not say its own.
    """

    ties: str = "docid_desc"
    order: str = "score"
    precision: str = "float64"
    duplicates: str = "error"
    missing: str = "zero"
    no_relevant: str = "zero"
    negative: str = "unjudged"
    exclude: str = "nothing"
    depth: int | None = None
    judged_only: bool = False
    rel: float = 1.0

    def __str__(self) -> str:
        return self.described(Policies.__slots__)

    def described(self, names: Iterable[str]) -> str:
        """Some policies as text."""
        return " ".join(f"{name}={write_policy(getattr(self, name))}" for name in names)

    def differing(self, other: Policies) -> str:
        """Those that are not as in `other`, as text."""
        return self.described(name for name in Policies.__slots__ if getattr(self, name) != getattr(other, name))

    def changed(self, options: Mapping[str, Any]) -> Policies:
        """These policies with some of them set otherwise."""
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}
        for name, value in plain.items():
            check(name, value)
        return replace(self, **plain)


def write_policy(value: str | float | bool | None) -> str:
    if value is None or isinstance(value, bool):
        return {None: "all", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else f"{value:g}"


def check(name: str, value: Any) -> None:  # noqa: ANN401 - whatever the user gave
    """Raises unless `value` is one that the policy may have."""
    known = [each.name for each in fields(Policies)]
    if name not in known:
        near = nearest(name, known)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise PolicyError(f"there is no option {show(name)}; {hint}The options are {', '.join(known)}")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name in CHOICES:
        is_right = isinstance(value, str) and value in CHOICES[name]
        expected = " or ".join(repr(choice) for choice in CHOICES[name])
    elif name == "depth":
        is_whole = is_number and 1 <= value < float("inf") and int(value) == value
        is_right, expected = value is None or is_whole, "a whole number from 1, or None"
    elif name == "judged_only":
        is_right, expected = isinstance(value, bool), "True or False"
    else:
        is_right, expected = is_number and abs(value) <= LARGEST, "a number"
    if not is_right:
        raise PolicyError(f"{name} must be {expected}, not {show(value)}")


class Name(NamedTuple):
    """A tool's name for one measure or, with `cutoffs`, for one at each of them.

    `measure` is a canonical name in which `{}` stands for the cutoff; `output` is how the tool writes it.
    """

    measure: str
    cutoffs: tuple[float, ...] = ()
    output: str = ""


class Convention(NamedTuple):
    """A tool: its name, its policies, and its names for measures."""

    name: str
    title: str
    policies: Policies = Policies()
    names: Mapping[str, Name] = MappingProxyType({})
