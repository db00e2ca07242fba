"""What one search found: where the list of it stands, and the documents as a run holds them."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import show
from assay.data.passages import is_number, read_passages

# Where an answer that is a dict keeps the list, the likeliest first.
LISTS = (
    *("ids", "results", "documents", "hits", "docs", "passages", "nodes", "matches", "points", "items"),
    *("result", "response", "data"),
)
# What a dict of plain numbers holds that is no ranking but word of how the search went.
STATUS = frozenset({"code", "status", "total", "count", "took", "error"})
MOST_SHOWN = 8


class Answer(NamedTuple):
    """The documents in their order, with scores where these fall in it: equal ones would leave the order open.

    `repeats` is how many documents were left out since they stood there before; `rose` says that scores were left out
    since they do not fall.
    """

    ids: list[str]
    scores: list[float] | None = None
    repeats: int = 0
    rose: bool = False

    @property
    def ranking(self) -> list[str] | list[tuple[str, float]]:
        """What a run holds for the question."""
        return self.ids if self.scores is None else list(zip(self.ids, self.scores, strict=True))


class Reading(NamedTuple):
    """How answers are read: so many documents, an id that stands there, each document once or as often as it comes."""

    k: int
    doc_id: str | None = None
    once: bool = True

    def read(self, found: object) -> Answer:
        """The first k documents of what was found."""
        passages = read_passages(find_list(found), "the answer", doc_id=self.doc_id)
        first: dict[str, int] = {}
        for place, each in enumerate(passages.ids):
            first.setdefault(each, place)
        places = list(first.values()) if self.once else list(range(len(passages.ids)))
        kept = places[: self.k]
        scores = None if passages.scores is None or passages.rises else [passages.scores[place] for place in kept]
        if scores is not None and passages.is_list and any(left == right for left, right in pairwise(scores)):
            scores = None
        return Answer([passages.ids[place] for place in kept], scores, len(passages.ids) - len(places), passages.rises)


def find_list(found: object) -> object:
    """The list in an answer that is a dict, such as haystack's `{"documents": […]}`; else the answer itself.

    >>> find_list({"took": 3, "hits": {"total": 1, "hits": [{"_id": "d1"}]}})
    [{'_id': 'd1'}]
    >>> find_list({"d1": 0.7})
    {'d1': 0.7}
    """
    if not isinstance(found, Mapping):
        return found
    if is_scores(found):
        if found and STATUS.issuperset(found):
            raise no_list(found)
        return found
    listed = look_for_list(found)
    if listed is None:
        raise no_list(found)
    return listed


def no_list(found: Mapping[str, Any], hint: str = "") -> DataError:
    """The error where an answer holds no documents."""
    return DataError(f"the answer holds no list of documents; it has {keys_of(found)}{hint and f'; {hint}'}")


def is_scores(found: Mapping[str, Any]) -> bool:
    """Whether a dict may hold ids with their scores."""
    return all(is_number(each) for each in found.values())


def look_for_list(found: Mapping[str, Any]) -> object:
    """The list under one of the usual names, here or further inside."""
    inside = [found[name] for name in LISTS if name in found]
    for each in inside:
        if isinstance(each, (list, tuple)):
            return each
    for each in inside:
        listed = look_for_list(each) if isinstance(each, Mapping) else None
        if listed is not None:
            return listed
    return None


def at_path(found: object, path: str) -> object:
    """What stands at a path of names and places with dots between them, such as `result.0.hits`; `.` is all of it."""
    if path == ".":
        return found
    here = found
    for step in path.split("."):
        inner = None
        if isinstance(here, Mapping):
            inner = here.get(step)
        elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            inner = here[int(step)]
        if inner is None:
            raise DataError(f"the answer has nothing at {show(path)}: where {show(step)} should be, {kind_of(here)}")
        here = inner
    return here


def kind_of(value: object) -> str:
    """What stands there, in words."""
    if isinstance(value, Mapping):
        return f"there is {keys_of(value)}"
    return f"is a list of {len(value)}" if isinstance(value, list) else f"is {show(value)}"


def keys_of(value: Mapping[str, Any]) -> str:
    names = list(value)
    return (", ".join(map(show, names[:MOST_SHOWN])) + (" …" if len(names) > MOST_SHOWN else "")) or "nothing"
