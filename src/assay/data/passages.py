"""Passages: what a retriever gave for one question, as ids, with scores and texts where they are there.

A passage may be an id, an id with its score, a dict, or another library's object: LangChain's and haystack's documents
and LlamaIndex's nodes are known by the fields that they have, without importing the library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import show
from assay.data.columns import PASSAGE_ID, PASSAGE_TEXT
from assay.data.frames import as_id

# Where a score stands in a passage, the likeliest first.
SCORE = ("score", "similarity", "similarity_score", "relevance_score")
# Where a passage may keep what it does not have itself.
INSIDE = ("node", "document", "doc", "metadata", "meta")


class Passages(NamedTuple):
    """The ids, best first; scores and texts only where every passage has one.

    `is_list` says that they came in an order, which counts whatever the scores are; a dict of scores has none.
    """

    ids: list[str]
    scores: list[float] | None = None
    texts: list[str] | None = None
    is_list: bool = True

    @property
    def ranking(self) -> list[str] | list[tuple[str, float]]:
        """What a run holds for the question: with scores only where they say the same as the order.

        >>> Passages(["a", "b"], [0.9, 0.1]).ranking, Passages(["a", "b"], [0.5, 0.5]).ranking
        ([('a', 0.9), ('b', 0.1)], ['a', 'b'])
        """
        if self.scores is None:
            return self.ids
        if self.is_list and not all(left > right for left, right in pairwise(self.scores)):
            return self.ids
        return list(zip(self.ids, self.scores, strict=True))

    @property
    def rises(self) -> bool:
        """Whether scores say something else than the order, as distances do."""
        return any(left < right for left, right in pairwise(self.scores or []))


def read_passages(found: object, place: str, *, doc_id: str | None = None) -> Passages:
    """What was found, in whatever form it came.

    `place` is how messages name it. `doc_id` says where a passage's id stands, with dots for what is inside of it, such
    as `metadata.source`.

    >>> read_passages([{"id": "d1", "text": "one"}, {"id": "d2", "text": "two"}], "question 'q1'")
    Passages(ids=['d1', 'd2'], scores=None, texts=['one', 'two'], is_list=True)
    >>> read_passages({"d1": 0.4, "d2": 0.9}, "question 'q1'").ranking
    [('d2', 0.9), ('d1', 0.4)]
    """
    if isinstance(found, Mapping):
        by_score = scored(list(found.items()), place)
        order = sorted(range(len(by_score.ids)), key=lambda at: -(by_score.scores or [])[at])
        return Passages(
            [by_score.ids[at] for at in order], [(by_score.scores or [])[at] for at in order], is_list=False
        )
    if hasattr(found, "tolist"):
        found = found.tolist()
    if isinstance(found, (set, frozenset)):
        raise DataError(f"{place}: what was retrieved is a set, which has no order; give a list")
    if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
        raise DataError(f"{place}: what was retrieved must be a list of ids or passages, not {show(found)}")
    listed = list(found)
    if listed and all(is_pair(each) for each in listed):
        if all(as_id(each[0]) is not None for each in listed):
            return scored(listed, place)
        # Passages with their scores, as LangChain gives them.
        passages = [passage(each[0], place, doc_id) for each in listed]
        scores = [number(each[1], place) for each in listed]
        return together([(name, text, score) for (name, text, _), score in zip(passages, scores, strict=True)])
    if all(as_id(each) is not None for each in listed):
        return Passages([identified(each, place) for each in listed])
    return together([passage(each, place, doc_id) for each in listed])


def scored(pairs: list[Any], place: str) -> Passages:
    """Ids with their scores."""
    return Passages([identified(each, place) for each, _ in pairs], [number(score, place) for _, score in pairs])


def is_pair(value: object) -> bool:
    """Whether a value is something with its score."""
    if not isinstance(value, (tuple, list)) or len(value) != len(("what", "score")):
        return False
    return is_number(value[1]) and not isinstance(value[0], float)


def is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def passage(value: Any, place: str, doc_id: str | None) -> tuple[str, str | None, float | None]:  # noqa: ANN401 - any library's passage
    """A passage's id, its text and its score."""
    name = as_id(value)
    if name is not None:
        return identified(value, place), None, None
    name = follow(value, doc_id) if doc_id else find(value, PASSAGE_ID)
    if name is None:
        where = f"at {show(doc_id)}" if doc_id else f"under {', '.join(PASSAGE_ID[:3])} or the like"
        raise DataError(
            f"{place}: a retrieved passage has no id {where}; it is {show(value)}; "
            "say where the id stands with doc_id, such as 'metadata.source'"
        )
    text, score = find(value, PASSAGE_TEXT), find(value, SCORE)
    if text is not None and not isinstance(text, str):
        raise DataError(f"{place}: the text of passage {show(name)} must be text, not {show(text)}")
    return identified(name, place), text, None if score is None else number(score, place)


def together(passages: list[tuple[str, str | None, float | None]]) -> Passages:
    """The passages in columns; one without a score or a text leaves all without."""
    texts = [text for _, text, _ in passages if text is not None]
    scores = [score for _, _, score in passages if score is not None]
    return Passages(
        [name for name, _, _ in passages],
        scores if scores and len(scores) == len(passages) else None,
        texts if len(texts) == len(passages) else None,
    )


def find(value: object, names: Iterable[str]) -> Any:  # noqa: ANN401 - whatever stands there
    """The first of the fields that a passage has, in itself or in what it holds."""
    for name in names:
        found = look(value, name)
        if found is not None:
            return found
    for name in INSIDE:
        inner = look(value, name)
        if inner is not None and not isinstance(inner, str):
            found = find(inner, names)
            if found is not None:
                return found
    return None


def follow(value: object, path: str) -> Any:  # noqa: ANN401 - whatever stands there
    """What stands at a path of names with dots between them."""
    for name in path.split("."):
        value = look(value, name)
    return value


def look(value: object, name: str) -> Any:  # noqa: ANN401 - whatever stands there
    """A field of a dict or of an object; a method is none."""
    found = value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)
    return None if callable(found) else found


def identified(value: object, place: str) -> str:
    name = as_id(value)
    if name is None:
        raise DataError(f"{place}: the id of a document must be a string or an integer, not {show(value)}")
    if not name:
        raise DataError(f"{place}: a retrieved document has an empty id")
    return name


def number(value: object, place: str) -> float:
    try:
        score = float(value) if is_number(value) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        score = math.inf
    if not math.isfinite(score):
        raise DataError(f"{place}: a score must be a finite number, not {show(value)}")
    return score
