"""Passages that a retriever returned for one question, and the fields of these.

A passage may be an id, an id with its score, a dict, or another library's object: LangChain's and haystack's documents
and LlamaIndex's nodes are recognised by their fields, without importing the library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Real
from typing import Any, NamedTuple

from assay.core.doc_id import field_of
from assay.core.errors import DataError
from assay.core.text import show
from assay.data.frames.columns import as_id

PASSAGE_ID = (
    *("id", "doc_id", "_id", "document_id", "docid", "docno", "corpus_id"),
    *("passage_id", "pid", "chunk_id", "node_id", "id_"),
)
PASSAGE_TEXT = ("text", "content", "contents", "page_content", "passage", "chunk", "body")
PASSAGE_SCORE = ("score", "similarity", "similarity_score", "relevance_score")
PAIR = 2
TEXT = frozenset({str})
# Where an object may keep fields that it does not have itself.
INSIDE = ("node", "document", "doc", "metadata", "meta")
# The fields of a span, assay's own name first, then those of LlamaIndex, LangChain, haystack and others.
SPAN_FIELDS: dict[str, tuple[str, ...]] = {
    "document": ("document", "ref_doc_id", "source", "source_id", "document_id", "doc_id", "file_path", "file_name"),
    "start": ("start", "start_char_idx", "start_index", "start_char", "start_offset", "split_idx_start"),
    "end": ("end", "end_char_idx", "end_index", "end_char", "end_offset"),
}


def find_field(value: object, names: Iterable[str], kind: type | tuple[type, ...] = object) -> Any:  # noqa: ANN401 - whatever is there
    """The first of the fields that a passage has, itself or in what it contains, with a value of that kind."""
    for name in names:
        found = get_field(value, name)
        if found is not None and isinstance(found, kind):
            return found
    for name in INSIDE:
        inner = get_field(value, name)
        if inner is not None and not isinstance(inner, (str, Real)):
            found = find_field(inner, names, kind)
            if found is not None:
                return found
    return None


def get_field(value: object, name: str) -> Any:  # noqa: ANN401 - whatever is there
    """A field of a dict or of an object; a method is not a field."""
    # Most are plain dicts; asking for the abstract class takes longer than the rest.
    is_mapping = type(value) is dict or isinstance(value, Mapping)
    found = value.get(name) if is_mapping else getattr(value, name, None)  # type: ignore[attr-defined]
    return None if callable(found) else found


class Passages(NamedTuple):
    """Retrieved ids, best first; scores and texts only if every passage has one.

    `is_list` says that their order counts, whatever the scores are; a dict of scores has none. `items` are the passages
    as given, unless plain ids. `nameless` says what is wrong if one has no id; then the ids are names of their places.
    """

    ids: list[str]
    scores: list[float] | None = None
    texts: list[str] | None = None
    is_list: bool = True
    items: list[Any] | None = None
    nameless: str = ""

    @property
    def ranking(self) -> list[str] | list[tuple[str, float]]:
        """The question's ranking in a run: with scores only if they agree with the order."""
        scores = self.scores
        if scores is None or (self.is_list and not all(left > right for left, right in pairwise(scores))):
            return self.ids
        return list(zip(self.ids, scores, strict=True))

    def at(self, places: Sequence[int]) -> Passages:
        columns = [(name, getattr(self, name)) for name in ("ids", "scores", "texts", "items")]
        some: dict[str, Any] = {name: each and [each[place] for place in places] for name, each in columns}
        return self._replace(**some)

    @property
    def rises(self) -> bool:
        """Whether scores contradict the order, as distances do."""
        return any(left < right for left, right in pairwise(self.scores or []))


class Passage(NamedTuple):
    """One retrieved passage; `fault` says what is wrong if it has no id."""

    name: str
    text: str | None = None
    score: float | None = None
    fault: str = ""


def read_passages(found: object, place: str, *, doc_id: str | None = None, lenient: bool = False) -> Passages:
    """What was retrieved, in any form; messages call it `place`, and `doc_id` is the path to a passage's id.

    A passage without an id is an error, unless the reader is lenient: passages can be compared by texts or spans too.
    """
    if isinstance(found, Mapping):
        scored = [(document_id(key, place), finite_score(score, place)) for key, score in found.items()]
        scored.sort(key=lambda pair: -pair[1])
        return Passages([key for key, _ in scored], [score for _, score in scored], is_list=False)
    if type(found) is list and are_plain_ids(found):
        return Passages(list(found))
    if hasattr(found, "tolist"):
        found = found.tolist()
    if isinstance(found, (set, frozenset)):
        raise DataError(f"{place}: the retrieved documents are a set, which has no order; pass a list")
    if isinstance(found, (str, bytes)) or not isinstance(found, Iterable):
        raise DataError(f"{place}: the retrieved documents must be a list of ids or passages, not {show(found)}")
    values = list(found)
    if values and all(map(is_pair, values)):
        # Ids with their scores, or passages with theirs, as in LangChain.
        both = ((read_passage(item, place, doc_id), finite_score(score, place)) for item, score in values)
        passages = [passage._replace(score=score) for passage, score in both]
        return combine(passages, [item for item, _ in values], lenient=lenient)
    if all(as_id(each) is not None for each in values):
        return Passages([document_id(each, place) for each in values])
    return combine([read_passage(each, place, doc_id) for each in values], values, lenient=lenient)


def are_plain_ids(values: list[Any]) -> bool:
    """Whether all values are strings that can be ids as they are; false says nothing."""
    return TEXT.issuperset(map(type, values)) and "" not in values and "".join(values).isascii()


def is_pair(value: object) -> bool:
    is_double = isinstance(value, (tuple, list)) and len(value) == PAIR
    return is_double and is_number(value[1]) and not isinstance(value[0], float)  # type: ignore[index]


def is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def read_passage(value: Any, place: str, doc_id: str | None) -> Passage:  # noqa: ANN401 - any library's passage
    if isinstance(value, str) or as_id(value) is not None:
        return Passage(document_id(value, place))
    name, fault = field_of(value, doc_id) if doc_id else find_field(value, PASSAGE_ID), ""
    if name is None:
        where = f"at {show(doc_id)}" if doc_id else f"under {', '.join(PASSAGE_ID[:3])} or similar"
        advice = "say where the id is with doc_id, such as 'metadata.source'"
        fault = f"{place}: a retrieved passage has no id {where}: {show(value)}; {advice}"
    text, score = find_field(value, PASSAGE_TEXT), find_field(value, PASSAGE_SCORE)
    if text is not None and not isinstance(text, str):
        raise DataError(f"{place}: the text of passage {show(name)} must be a string, not {show(text)}")
    known = "" if fault else document_id(name, place)
    return Passage(known, text, None if score is None else finite_score(score, place), fault)


def combine(passages: list[Passage], items: list[Any], *, lenient: bool) -> Passages:
    fault = next((each.fault for each in passages if each.fault), "")
    if fault and not lenient:
        raise DataError(fault)
    texts = [each.text for each in passages if each.text is not None]
    scores = [each.score for each in passages if each.score is not None]
    return Passages(
        [place_name(place) if fault else each.name for place, each in enumerate(passages)],
        scores if scores and len(scores) == len(passages) else None,
        texts if texts and len(texts) == len(passages) else None,
        items=None if all(as_id(each) is not None for each in items) else items,
        nameless=fault,
    )


def place_name(place: int) -> str:
    """What a passage without an id is called: its place in the ranking, from 0."""
    return f"retrieved-{place}"


def document_id(value: object, place: str) -> str:
    name = as_id(value)
    if name is None:
        expected = "valid Unicode" if isinstance(value, str) else "a string or an integer"
        raise DataError(f"{place}: the id of a document must be {expected}, not {show(value)}")
    if not name:
        raise DataError(f"{place}: a retrieved document has an empty id")
    return name


def finite_score(value: object, place: str) -> float:
    try:
        score = float(value) if is_number(value) else math.nan  # type: ignore[arg-type]
    except OverflowError:
        score = math.inf
    if not math.isfinite(score):
        raise DataError(f"{place}: a score must be a finite number, not {show(value)}")
    return score
