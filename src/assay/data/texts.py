"""Texts by id: questions, documents, and the passages that a retriever returned for one question.

A passage may be an id, an id with its score, a dict, or another library's object: LangChain's and haystack's documents
and LlamaIndex's nodes are recognised by their fields, without importing the library.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from contextlib import closing
from functools import lru_cache
from itertools import pairwise
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.doc_id import field_of
from assay.core.errors import DataError, DuplicateError, FormatError
from assay.core.text import show
from assay.data.fields import find_field
from assay.data.formats import TREC, TSV, recognise
from assay.data.formats.tabular import read_cells
from assay.data.frames.frame import as_id, find_column, is_frame, list_names, normalise_name
from assay.data.frames.rows import frame_rows
from assay.files.source import is_source, open_source

if TYPE_CHECKING:
    from collections.abc import Collection, Generator, Iterator, Sequence

    from assay.data.formats import Format
    from assay.data.formats.tabular import Cells
    from assay.files.source import Source

# Field names that tools use, the likeliest first.
QUESTION_ID = ("query_id", "qid", "question_id", "queryid", "_id", "id")
QUESTION_TEXT = ("question", "query", "user_input", "query_text")
PASSAGE_ID = (
    *("id", "doc_id", "_id", "document_id", "docid", "docno", "corpus_id"),
    *("passage_id", "pid", "chunk_id", "node_id", "id_"),
)
PASSAGE_TEXT = ("text", "content", "contents", "page_content", "passage", "chunk", "body")
PASSAGE_SCORE = ("score", "similarity", "similarity_score", "relevance_score")
PAIR = 2
TEXT = frozenset({str})


class TextKind(NamedTuple):
    """What the texts belong to, and the names of the fields with their ids and texts."""

    noun: str
    ids: tuple[str, ...]
    texts: tuple[str, ...]
    may_be_blank: bool = False


QUESTIONS = TextKind("question", QUESTION_ID, ("text", *QUESTION_TEXT, "title"))
DOCUMENTS = TextKind("document", PASSAGE_ID, PASSAGE_TEXT, may_be_blank=True)


class Entry(NamedTuple):
    """An id and a text as they were found, and where, for messages."""

    key: object
    text: object
    place: str


def read_texts(data: object, kind: TextKind = QUESTIONS, *, only: Collection[str] | None = None) -> dict[str, str]:
    """The text of each question, or document, by its id.

    A file is JSON Lines (as in BEIR), JSON, CSV, TSV or Parquet. A table has a column for the id and one for the text;
    one with just two columns needs no header. A list of texts is numbered from 0. With `only`, no other texts are kept,
    and reading ends when all of them are found.

    >>> read_texts({"q1": "who", 2: "what"})
    {'q1': 'who', '2': 'what'}
    """
    found: dict[str, str] = {}
    with closing(text_entries(data, kind)) as entries:
        for name, text, place in entries:
            key = as_id(name)
            if not key:
                raise FormatError(f"{place}: the id of a {kind.noun} must be a string or an integer, not {show(name)}")
            if only is not None and key not in only:
                continue
            if key in found:
                raise DuplicateError(f"{place}: duplicate {kind.noun} id {show(key)}")
            found[key] = check_text(text, key, place, kind)
            if only is not None and len(found) == len(only):
                break
    if not found and only is None:
        raise DataError(f"no {kind.noun}s found")
    return found


def check_text(text: object, key: str, place: str, kind: TextKind) -> str:
    if kind.may_be_blank and text is None:
        return ""
    if not isinstance(text, str) or not (text.strip() or kind.may_be_blank):
        raise FormatError(f"{place}: {kind.noun} {show(key)} must have a text, not {show(text)}")
    return text


def text_entries(data: object, kind: TextKind) -> Generator[Entry]:
    """Each id with its text."""
    name = f"the {kind.noun}s"
    if is_source(data):
        with open_source(data) as source:  # type: ignore[arg-type]
            format_ = recognise(source, default=TSV)
            for file in source.files:
                yield from file_entries(file, format_, kind)
    elif is_frame(data):
        yield from (record_entry(row, f"{name}, row {number}", kind) for number, row in enumerate(frame_rows(data)))
    else:
        yield from object_entries(data, name, kind)


def object_entries(data: object, name: str, kind: TextKind) -> Iterator[Entry]:
    """The entries of a dict by id, or of a list of texts or records."""
    if isinstance(data, Mapping):
        yield from (Entry(key, text, name) for key, text in data.items())
    elif isinstance(data, Iterable) and not isinstance(data, (str, bytes)):
        for number, value in enumerate(data):
            is_record = isinstance(value, Mapping)
            yield record_entry(value, f"{name}, number {number}", kind) if is_record else Entry(number, value, name)
    else:
        raise DataError(f"{name} must be a dict, a list, a frame or a file, not {show(type(data).__name__)}")


def record_entry(record: Mapping[str, object], place: str, kind: TextKind) -> Entry:
    """The id and the text of a record."""
    key, text = require_columns(tuple(record), place, kind)
    return Entry(record[key], record[text], place)


def require_columns(names: tuple[str, ...], place: str, kind: TextKind) -> tuple[str, str]:
    """The columns that hold the id and the text, which must exist."""
    key, text = text_columns(names, kind)
    if key is None or text is None:
        missing, usual = ("an id", kind.ids) if key is None else ("a text", kind.texts)
        raise FormatError(
            f"{place}: {kind.noun}s need {missing} ({', '.join(usual[:3])} …), found only {list_names(names)}"
        )
    return key, text


@lru_cache(maxsize=64)
def text_columns(names: tuple[str, ...], kind: TextKind) -> tuple[str | None, str | None]:
    """The columns that hold the id and the text."""
    return find_column(names, kind.ids), find_column(names, kind.texts)


def file_entries(source: Source, format_: Format, kind: TextKind) -> Iterator[Entry]:
    """The entries of a file; one whose name and content say nothing is TSV."""
    if format_.separator or format_ is TREC:
        with closing(read_cells(source, format_.separator or TSV.separator)) as rows:
            yield from table_entries(rows, source.name, kind)
    elif not format_.is_table:
        content = format_.read_content(source)
        # A single record on one line looks like JSON.
        is_record = isinstance(content, Mapping) and None not in text_columns(tuple(content), kind)
        yield from object_entries([content] if is_record else content, source.name, kind)
    else:
        with closing(format_.read_content(source)) as records:
            for place, fields in records:
                yield record_entry(fields, place, kind)


def table_entries(rows: Iterator[Cells], name: str, kind: TextKind) -> Iterator[Entry]:
    """The entries of a text table, whose first row is a header if it names both columns."""
    first = next(rows, None)
    if first is None:
        return
    known = {normalise_name(each.strip()) for each in first.cells}
    is_header = not known.isdisjoint(kind.ids) and not known.isdisjoint(kind.texts)
    places = [0, 1]
    if is_header or len(first.cells) != PAIR:
        names = tuple(each.strip() for each in first.cells)
        places = [names.index(each) for each in require_columns(names, f"{name}, line {first.line}", kind)]
    else:
        yield Entry(first.cells[0], first.cells[1], f"{name}, line {first.line}")
    for line, cells in rows:
        place = f"{name}, line {line}"
        if len(cells) <= max(places):
            raise FormatError(f"{place}: expected an id and a text, found {show(cells)}")
        yield Entry(cells[places[0]], cells[places[1]], place)


def replace_surrogates(text: str) -> str:
    r"""A text without lone surrogates, which are not valid Unicode.

    >>> replace_surrogates("a\ud800")
    'a?'
    """
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


class Passages(NamedTuple):
    """Retrieved ids, best first; scores and texts only if every passage has one.

    `is_list` says that they came in an order, which counts whatever the scores are; a dict of scores has none. `items`
    are the passages as they were given, unless those are plain ids. `nameless` says what is wrong if a passage has no
    id; then the ids are just names for their places.
    """

    ids: list[str]
    scores: list[float] | None = None
    texts: list[str] | None = None
    is_list: bool = True
    items: list[Any] | None = None
    nameless: str = ""

    @property
    def ranking(self) -> list[str] | list[tuple[str, float]]:
        """The question's ranking in a run: with scores only if they agree with the order.

        >>> Passages(["a", "b"], [0.9, 0.1]).ranking, Passages(["a", "b"], [0.5, 0.5]).ranking
        ([('a', 0.9), ('b', 0.1)], ['a', 'b'])
        """
        if self.scores is None:
            return self.ids
        if self.is_list and not all(left > right for left, right in pairwise(self.scores)):
            return self.ids
        return list(zip(self.ids, self.scores, strict=True))

    def at(self, places: Sequence[int]) -> Passages:
        """Only the passages at these places."""

        def some(column: list[Any] | None) -> list[Any] | None:
            return None if column is None else [column[place] for place in places]

        ids = [self.ids[place] for place in places]
        return Passages(ids, some(self.scores), some(self.texts), self.is_list, some(self.items), self.nameless)

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
    """What was retrieved, in any form.

    `place` is what messages call it. `doc_id` is the path to a passage's id, such as `metadata.source`. A passage
    without an id is an error, unless the reader is lenient: passages can also be compared by their texts or spans.

    >>> passages = read_passages([{"id": "d1", "text": "one"}, {"id": "d2", "text": "two"}], "question 'q1'")
    >>> passages.ids, passages.texts
    (['d1', 'd2'], ['one', 'two'])
    >>> read_passages({"d1": 0.4, "d2": 0.9}, "question 'q1'").ranking
    [('d2', 0.9), ('d1', 0.4)]
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
    if values and all(is_pair(each) for each in values):
        # Ids with their scores, or passages with theirs, as in LangChain.
        passages = [read_passage(each[0], place, doc_id) for each in values]
        scores = [finite_score(each[1], place) for each in values]
        passages = [each._replace(score=score) for each, score in zip(passages, scores, strict=True)]
        return combine(passages, [each[0] for each in values], lenient=lenient)
    if all(as_id(each) is not None for each in values):
        return Passages([document_id(each, place) for each in values])
    return combine([read_passage(each, place, doc_id) for each in values], values, lenient=lenient)


def are_plain_ids(values: list[Any]) -> bool:
    """Whether all values are strings that can be ids as they are; false says nothing."""
    return TEXT.issuperset(map(type, values)) and "" not in values and "".join(values).isascii()


def is_pair(value: object) -> bool:
    """Whether a value is something with its score."""
    if not isinstance(value, (tuple, list)) or len(value) != PAIR:
        return False
    return is_number(value[1]) and not isinstance(value[0], float)


def is_number(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def read_passage(value: Any, place: str, doc_id: str | None) -> Passage:  # noqa: ANN401 - any library's passage
    """A passage's id, text and score."""
    if isinstance(value, str) or as_id(value) is not None:
        return Passage(document_id(value, place))
    name, fault = field_of(value, doc_id) if doc_id else find_field(value, PASSAGE_ID), ""
    if name is None:
        where = f"at {show(doc_id)}" if doc_id else f"under {', '.join(PASSAGE_ID[:3])} or similar"
        fault = (
            f"{place}: a retrieved passage has no id {where}: {show(value)}; "
            "say where the id is with doc_id, such as 'metadata.source'"
        )
    text, score = find_field(value, PASSAGE_TEXT), find_field(value, PASSAGE_SCORE)
    if text is not None and not isinstance(text, str):
        raise DataError(f"{place}: the text of passage {show(name)} must be a string, not {show(text)}")
    known = "" if fault else document_id(name, place)
    return Passage(known, text, None if score is None else finite_score(score, place), fault)


def combine(passages: list[Passage], items: list[Any], *, lenient: bool) -> Passages:
    """The passages in columns; if one lacks a score, a text or an id, none has."""
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
