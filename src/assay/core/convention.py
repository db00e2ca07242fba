"""How a tool computes: its policies, and its names for measures.

A convention is data. The code that follows it is the same for all.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import PolicyError
from assay.core.spelling import Written, read_call
from assay.core.text import nearest, show

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

LARGEST = sys.float_info.max
CHOICES: dict[str, tuple[str, ...]] = {
    "ties": ("docid_desc", "docid_asc", "input"),
    "order": ("score", "given"),
    "precision": ("float64", "float32"),
    "duplicates": ("error", "first", "last", "count", "once"),
    "missing": ("zero", "skip", "error"),
    "no_relevant": ("zero", "nan", "nan_all", "skip"),
    "no_results": ("zero", "nan", "skip"),
    "grades": ("as_given", "whole"),
    "negative": ("unjudged", "nonrelevant"),
    "exclude": ("nothing", "query_id"),
}


@dataclass(frozen=True, slots=True)
class Policies:
    """The choices that a number depends on, apart from the measure itself.

    - `ties`: documents with the same score stand by document id, from high to low or from low to high, or as given.
    - `order`: by score, or as `given` whatever the scores say.
    - `precision`: scores are compared as 64-bit or as 32-bit floats.
    - `duplicates`: a document listed twice is an error; or the first or the last one stays; or all count; or all take
      up a rank and only the first one counts (`once`).
    - `missing`: a query of the judgments that the run lacks counts as an empty ranking, is skipped, or is an error.
    - `no_relevant`: a query without relevant documents scores 0, is NaN for measures that need one (`nan`) or for all
      (`nan_all`), or is skipped.
    - `no_results`: a query that retrieved nothing scores 0, is NaN, or is skipped.
    - `grades`: as they are, or cut to whole numbers towards 0.
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
    no_results: str = "zero"
    grades: str = "as_given"
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
        return replace(self, **plain) if plain else self


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


class Option(NamedTuple):
    """What a tool lets its user set in a measure's name: assay's parameter, or a policy, and how its value reads.

    `words` are the tool's words for values; `read` turns text into a value where it is more than a number or a word.
    Where the value decides which measure is meant, `parameter` is `measure` and the words stand for canonical names.
    """

    parameter: str
    words: Mapping[str, Any] = MappingProxyType({})
    is_policy: bool = False
    read: Callable[[str], Any] | None = None


class Name(NamedTuple):
    """A tool's name for a measure, or for one at each of several cutoffs.

    `measure` is a canonical name. In it `@{}` stands for the cutoff that the tool's name must have, or `[@{}]` for one
    that it may have. `cutoffs` are those of the name alone, `output` is how the tool then writes each of them, and with
    `whole` it drops what follows the point. Without cutoffs, `output` is how the tool writes a name with options.
    `policies` are the tool's own for this measure, and `about` says what is worth knowing of it. `needed` are the
    options without which the tool refuses the name, each with a likely value.
    """

    measure: str
    cutoffs: tuple[float, ...] = ()
    output: str = ""
    options: Mapping[str, Option] = MappingProxyType({})
    policies: Mapping[str, Any] = MappingProxyType({})
    about: str = ""
    whole: bool = False
    needed: Mapping[str, str] = MappingProxyType({})


class Convention(NamedTuple):
    """A tool: its name, its policies, its names for measures and how it spells them.

    `nicknames` stand for several of its names. `prepare` turns the judgments or the ranking of one query, given as
    Python objects, into what the tool makes of them before it measures: empty where it can make nothing of them.
    Without it, what is no list of ids (None, an empty group) is an error, or the query has no value (`nan`), as
    `unreadable` says. `infinite` tells whether it takes scores that are infinite. `level` is how the tool is told the
    lowest relevant grade for all names at once, if it can be. `defects` tells where the tool is plainly wrong and assay
    is not.
    """

    name: str
    title: str
    policies: Policies = Policies()
    names: Mapping[str, Name] = MappingProxyType({})
    read: Callable[[str, Mapping[str, Any]], Written | None] = read_call
    nicknames: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    prepare: Callable[[Any], Any] | None = None
    level: str = ""
    unreadable: str = "error"
    infinite: bool = False
    defects: tuple[str, ...] = ()
