"""Policies: the choices a number depends on apart from the measure itself; and `Signature`: all that made the numbers.

`WORDING` and `EFFECTS` are the only places that say what a choice means: the audit's steps, the options' help and the
documentation read the first, the notes of a result the second. `str(signature)` is the long form, for files and papers;
`signature.short` is the one line below a table.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np

from assay.core.errors import AssayError, PolicyError
from assay.core.text import INTERFACE, Interface, Option, nearest, printable, show

LARGEST = sys.float_info.max
# Digits of a whole number: enough for a seed of 128 bits.
LONGEST_WHOLE = 40
WORDING: dict[str, dict[Any, str]] = {
    "ties": {
        "docid_desc": "ties are broken by document id, descending",
        "docid_asc": "ties are broken by document id, ascending",
        "input": "ties keep the order of the run",
        "quicksort": "ties are in the order of ranx's sort, which is that of the run below 16 documents",
    },
    "order": {
        "score": "documents are ranked by score",
        "given": "documents are ranked as listed, whatever their scores",
    },
    "precision": {
        "float64": "scores are compared as 64-bit floats",
        "float32": "scores are compared as 32-bit floats, so close scores can tie",
    },
    "duplicates": {
        "error": "a duplicate document is an error",
        "first": "the first of duplicate documents is kept",
        "last": "the last of duplicate documents is kept",
        "count": "a duplicate document counts every time",
        "once": "a duplicate document takes up a rank but counts once",
    },
    "missing": {
        "zero": "queries missing from the run score 0",
        "skip": "queries missing from the run are skipped",
        "error": "queries missing from the run are an error",
    },
    "no_relevant": {
        "zero": "queries without relevant documents score 0",
        "nan": "queries without relevant documents are NaN for measures that need one",
        "nan_all": "queries without relevant documents are NaN",
        "skip": "queries without relevant documents are skipped",
        "skip_unjudged": "queries without judgments are skipped; others without relevant documents score 0",
    },
    "no_results": {
        "zero": "queries without results score 0",
        "nan": "queries without results are NaN",
        "skip": "queries without results are skipped",
    },
    "grades": {"as_given": "grades are used as given", "whole": "grades are truncated to whole numbers"},
    "negative": {
        "unjudged": "documents with a negative grade are unjudged",
        "nonrelevant": "documents with a negative grade are judged nonrelevant",
    },
    "exclude": {
        "nothing": "no document is excluded",
        "query_id": "the document whose id is the query's id is excluded",
        "empty_id": "documents with an empty id are excluded, retrieved or judged",
    },
    "depth": {None: "the whole ranking counts", int: "rankings are cut after {} documents"},
    "judged_only": {
        False: "unjudged documents keep their ranks",
        True: "unjudged documents are removed from the ranking",
    },
    "rel": {float: "grades of at least {:g} are relevant"},
    "doc_id": {
        None: "the ids in the run are those of documents",
        str: "the ids in the run are those of chunks, and their documents are found by {}",
    },
    "chunks": {
        "best": "of the chunks of a document, only the one that ranks highest is kept",
        "count": "every chunk is kept, and counts as its document",
        "once": "every chunk is kept and takes up a rank, but a document counts once",
    },
}
# What a choice did to the queries or judgments that a note is about.
EFFECTS: dict[str, dict[str, str]] = {
    "missing": {"zero": "counted as empty rankings", "skip": "left out"},
    "no_relevant": {
        "zero": "scored 0",
        "nan": "NaN for measures that need one",
        "nan_all": "left out of the mean",
        "skip": "left out",
        "skip_unjudged": "left out if they have no judgments, else scored 0",
    },
    "no_results": {"nan": "left out of the mean", "skip": "left out"},
    "negative": {"unjudged": "unjudged", "nonrelevant": "not relevant"},
    # Which of the judgments of one document counts.
    "duplicates": {"first": "the first", "last": "the last", "count": "the highest grade", "once": "the highest grade"},
}
CHOICES = {name: tuple(words) for name, words in WORDING.items() if all(isinstance(value, str) for value in words)}
YES = {"yes": True, "true": True, "no": False, "false": False}
# From the text of a policy in a shell to its value, where that is not a word.
READERS: dict[str, Callable[[str], Any]] = {"depth": int, "rel": float, "judged_only": lambda text: YES[text.lower()]}
# These say nothing unless there is a rule.
ABOUT_CHUNKS = ("doc_id", "chunks")


@dataclass(frozen=True, slots=True)
class Policies:
    """The choices that a number depends on, apart from the measure itself. `rel` holds unless a name sets its own."""

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
    doc_id: str | None = None
    chunks: str = "best"

    def __str__(self) -> str:
        return self.described(self.to_dict())

    @staticmethod
    def meanings() -> dict[str, str]:
        """What each policy decides, by name.

        >>> Policies.meanings()["grades"]
        'as_given: grades are used as given; whole: grades are truncated to whole numbers'
        """
        return {name: policy_help(name) for name in WORDING}

    @staticmethod
    def choices(name: str) -> tuple[str, ...]:
        """The values of a policy as a shell writes them, if they are words.

        >>> Policies.choices("grades"), Policies.choices("judged_only"), Policies.choices("depth")
        (('as_given', 'whole'), ('no', 'yes'), ())
        """
        return ("no", "yes") if name == "judged_only" else CHOICES.get(name, ())

    @staticmethod
    def read(name: str, text: str) -> Any:  # noqa: ANN401 - a policy may be of any kind
        """The value of a policy as a shell or a page writes it, checked.

        >>> Policies.read("depth", "10"), Policies.read("judged_only", "yes"), Policies.read("ties", "input")
        (10, True, 'input')
        """
        value: Any = text
        with suppress(KeyError, ValueError):
            value = READERS[name](text)
        check_policy(name, value)
        return value

    def to_dict(self) -> dict[str, Any]:
        """The policies as JSON has them, without those that say nothing."""
        names = [name for name in Policies.__slots__ if self.doc_id is not None or name not in ABOUT_CHUNKS]
        values: dict[str, Any] = {name: getattr(self, name) for name in names}
        return values if self.doc_id is None else {**values, "doc_id": str(self.doc_id)}

    def described(self, names: Iterable[str]) -> str:
        values = {name: getattr(self, name) for name in names}
        if "doc_id" in values:
            values["doc_id"] = "none" if self.doc_id is None else printable(self.doc_id)
        return " ".join(f"{name}={write_policy(value)}" for name, value in values.items())

    def differing(self, other: Policies) -> str:
        """The policies that differ from `other`, as text."""
        return self.described(name for name in Policies.__slots__ if getattr(self, name) != getattr(other, name))

    def changed(self, options: Mapping[str, Any]) -> Policies:
        """These policies with some of them changed."""
        plain = {name: value.item() if isinstance(value, np.generic) else value for name, value in options.items()}
        checked = {name: check_policy(name, value) for name, value in plain.items()}
        return replace(self, **checked) if checked else self


def count_missing(*, or_skip: bool = True) -> str:
    """What to do about queries that are missing, which may also be left out with `or_skip`."""
    counted = f"{Option('missing', 'zero')} counts them as empty rankings"
    return counted + (f", {Option('missing', 'skip')} leaves them out" if or_skip else "")


def write_policy(value: str | float | bool | None) -> str:
    if value is None or isinstance(value, bool):
        return {None: "all", True: "yes", False: "no"}[value]
    return value if isinstance(value, str) else f"{value:g}"


def check_policy(name: str, value: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """The value as policies hold it; raises if there is no such policy, or it has no such value."""
    if name not in WORDING:
        near = nearest(name, WORDING)
        hint = f"did you mean {' or '.join(near)}? The" if near else "the"
        raise PolicyError(f"unknown option {show(name)}; {hint} options are {', '.join(WORDING)}")
    if name == "doc_id":
        from assay.core.doc_id import DocIdRule

        return None if value is None else DocIdRule.parse(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if name in CHOICES:
        is_right = isinstance(value, str) and value in CHOICES[name]
        expected = " or ".join(repr(choice) for choice in CHOICES[name])
    elif name == "depth":
        is_whole = is_number and 1 <= value <= LARGEST and int(value) == value
        is_right, expected = value is None or is_whole, "a whole number at least 1, or None"
        if is_number and LARGEST < value < float("inf"):
            expected = "a whole number of at most 308 digits, or None"
    elif name == "judged_only":
        is_right, expected = isinstance(value, bool), "True or False"
    else:
        is_right, expected = is_number and abs(value) <= LARGEST, "a number"
    if not is_right:
        raise PolicyError(f"{name} must be {expected}, not {show(value)}")
    return value


def check_whole(
    name: str, value: object, least: int, most: int | None = None, error: type[AssayError] = PolicyError
) -> int:
    """An option that must be a whole number; raises if it is not, or out of bounds."""
    number = int(value) if isinstance(value, Integral) and not isinstance(value, bool) else least - 1
    if number < least or (most is not None and number > most):
        bounds = f"at least {least}" if most is None else f"from {least} to {most}"
        raise error(f"{name} must be a whole number {bounds}, not {show(value)}")
    if number >= 10**LONGEST_WHOLE:
        raise error(f"{name} must be a whole number of at most {LONGEST_WHOLE} digits, not {show(value)}")
    return number


def policy_sentence(name: str, value: Any) -> str:  # noqa: ANN401 - a policy may be of any kind
    words = WORDING[name]
    return words[value] if value in words else next(reversed(words.values())).format(value)


def policy_help(name: str) -> str:
    """What every choice of a policy means, in one line."""
    if name in CHOICES:
        return "; ".join(f"{value}: {words}" for value, words in WORDING[name].items())
    general = WORDING[name].get(True) or next(reversed(WORDING[name].values()))
    return re.sub(r"\{.*?\}", "RULE" if name == "doc_id" else "N", general)


Policies.__doc__ = f"{Policies.__doc__}\n\n" + "\n".join(f"    - `{name}`: {policy_help(name)}." for name in WORDING)


def check_chunks(options: Mapping[str, Any], rule: object) -> None:
    """Raises if options say how the chunks of a document count, and there is no rule that finds the document."""
    if "chunks" in options and rule is None:
        lacking = f"{Option('doc_id')}, the rule that finds the documents of chunks"
        raise PolicyError(f"{Option('chunks')} has no effect without {lacking}")


def chunk_policies(policies: dict[str, Any], settings: Policies) -> tuple[dict[str, Any], bool]:
    """The policies under which rankings are scored, and whether each document is left in a ranking only once.

    With a rule, `chunks` says how those of a document count; else duplicates count once, if `duplicates` says no more.
    """
    check_chunks(policies, settings.doc_id)
    own = {name: value for name, value in policies.items() if name != "chunks"}
    if settings.doc_id is None:
        return own, "duplicates" not in policies and settings.duplicates == "error"
    if settings.chunks == "best":
        return own, True
    return {**own, "duplicates": settings.chunks}, False


@dataclass(frozen=True, slots=True)
class SignedMeasure:
    """A measure with all its parameters, its policies where they are its own, and the software it is based on."""

    full_name: str
    policies: Policies | None = None
    basis: str = ""


@dataclass(frozen=True, slots=True, repr=False)
class Signature:
    """How numbers were computed: the version, the convention, the policies, the measures and the task's own choices.

    `usual` are the convention's policies: the short form names those that differ from them. `details` are the choices
    of a task beyond the scores, such as a test and its seed. `owner` is what the signature belongs to, for the hint.
    """

    version: str
    convention: str
    policies: Policies
    usual: Policies
    measures: tuple[SignedMeasure, ...] = ()
    subject: str = "rankings"
    details: tuple[str, ...] = ()
    owner: str = "result"

    def __str__(self) -> str:
        how = f"convention={self.convention} {self.policies}" if self.subject == "rankings" else self.subject
        parts = [f"assay {self.version}", how, "measures:"]
        for measure in self.measures:
            own = "" if measure.policies is None else measure.policies.differing(self.policies)
            about = "; ".join(each for each in (own, measure.basis) if each)
            parts.append(measure.full_name + (f"[{about}]" if about else ""))
        return " ".join([*parts, *self.details])

    def __repr__(self) -> str:
        return f"<Signature: {self}>"

    @property
    def short(self) -> str:
        """One line: the version, the convention, the policies that differ from it, and where to find the rest."""
        return f"{self.summary}, {self.hint}"

    @property
    def summary(self) -> str:
        """The version, the convention, and the policies that differ from it."""
        if self.subject != "rankings":
            return f"assay {self.version}, {self.subject}"
        changed = self.policies.differing(self.usual)
        return f"assay {self.version}, convention {self.convention}" + (f", {changed}" if changed else "")

    @property
    def hint(self) -> str:
        """Where to find the rest."""
        return f"details: {self.owner}.signature" if INTERFACE.get() is Interface.PYTHON else "details: --format json"

    def with_details(self, *details: str, owner: str = "result") -> Signature:
        """The signature of a task that adds choices of its own."""
        return replace(self, details=(*self.details, *details), owner=owner)
