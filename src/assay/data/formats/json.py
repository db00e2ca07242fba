"""JSON: `{query: {document: value}}`, and the other forms that judgments and rankings have in Python.

A file is read query by query, so that a run is never held whole. Duplicate keys are noticed, never dropped.
"""

import json
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from typing import IO, Any, NamedTuple

from assay._kernel import Progress, Ranker, Rows
from assay.core.errors import DataError, DuplicateError, FormatError
from assay.core.json_text import explain_json_error, plain_message, refuse_repeats
from assay.core.text import show
from assay.data.frames.columns import KNOWN, normalise_name
from assay.files.source import NOT_UTF_8, Source, prefix_errors, undecodable_line

CANNOT_HOLD = ("the run's tag", "groups together with grades", "the names of groups", "duplicate documents")
BLANKS = " \t\r\n"
CHUNK = 1 << 20
# A value that ends with the text read so far fails this near to it, unless it is a string.
NEAR_END = 16
Pairs = list[tuple[str, Any]]


class Repeatable(str):
    """A key that a dict can hold several times: it equals nothing but itself."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def as_pairs(pairs: Pairs) -> dict[str, Any] | Pairs:
    """A ranking; a list of pairs if it has a document twice."""
    result = dict(pairs)
    return result if len(result) == len(pairs) else pairs


def with_repeats(pairs: Pairs) -> dict[str, Any]:
    """The judgments of a query; a dict that holds a key twice if a document is judged twice."""
    result = dict(pairs)
    return result if len(result) == len(pairs) else {Repeatable(key): value for key, value in pairs}


class QueryEntry(NamedTuple):
    """An entry of the outermost object, or an element of the outermost list with its place in it, and the file."""

    key: str | int
    value: Any
    file: Source


def read_entries(source: Source, collect: Callable[[Pairs], Any]) -> Generator[QueryEntry]:
    """The entries of one file after another, which are all objects or all lists."""
    seen: set[str] = set()
    place = 0
    for file in source.files:
        with file.plain() as path, path.open(encoding="utf-8-sig") as text:
            reader = JsonReader(text, file, collect)
            if place and bool(seen) == (reader.peek() == "["):
                raise FormatError(f"{file.name}: this file and those before it must all hold objects, or all lists")
            for key, value in reader.entries(seen):
                yield QueryEntry(place if isinstance(key, int) else key, value, file)
                place += 1


def read_json(source: Source, collect: Callable[[Pairs], Any]) -> Any:  # noqa: ANN401 - whatever the file holds
    with closing(read_entries(source, collect)) as entries:
        found = {key: value for key, value, _ in entries}
    if found:
        return list(found.values()) if 0 in found else found
    with source.files[0].plain() as path, path.open(encoding="utf-8-sig") as file:
        return [] if JsonReader(file, source, collect).peek() == "[" else {}


def rows_of_json(source: Source, *, judgments: bool) -> Rows:
    content = read_json(source, with_repeats if judgments else as_pairs)
    with prefix_errors(source.name), rows_refused(content[0] if isinstance(content, list) and content else None):
        return Rows.from_judgments(content) if judgments else Rows.from_rankings(content)


def rank(ranker: Ranker, source: Source, _threads: int, _progress: Progress | None) -> None:
    """Ranks one query of a run after another; in a list, positions are the ids."""
    with closing(read_entries(source, as_pairs)) as entries:
        for query, ranking, file in entries:
            with prefix_errors(file.name), rows_refused(ranking if isinstance(query, int) else None):
                ranker.add(query, ranking)


@contextmanager
def rows_refused(entry: object) -> Iterator[None]:
    """Says what a list of rows is, where one of them is taken for a ranking."""
    try:
        yield
    except DataError:
        if not isinstance(entry, dict) or KNOWN.isdisjoint(map(normalise_name, entry)):
            raise
        raise FormatError("a list of rows is not read; write one row per line (JSON Lines), CSV or Parquet") from None


def read_objects(source: Source) -> Any:  # noqa: ANN401 - whatever the file holds
    return read_json(source, refuse_repeats)


def read_rankings(source: Source) -> Any:  # noqa: ANN401 - whatever the file holds
    """What a file that may be a run holds; a ranking with a document twice is a list of pairs."""
    return read_json(source, as_pairs)


def write(data: Any, file: IO[bytes]) -> None:  # noqa: ANN401 - Qrels or Run
    file.write(json.dumps(data.to_dict(), ensure_ascii=False).encode() + b"\n")


class JsonReader:
    """Reads one entry after another from a text that is held only in part."""

    def __init__(self, file: IO[str], source: Source, collect: Callable[[Pairs], Any]) -> None:
        self.file = file
        self.source = source
        self.text = ""
        self.at = 0
        self.lines = 0
        self.ended = False
        self.is_strict = collect is refuse_repeats
        self.decoder = json.JSONDecoder(object_pairs_hook=collect)

    def entries(self, seen: set[str]) -> Iterator[tuple[str | int, Any]]:
        """The entries of the outermost object, or the elements of the list by place; `seen` are the keys so far."""
        opening = self.peek()
        if not opening:
            raise FormatError(f"{self.source.name}: the file is empty; JSON is an object or a list")
        if opening not in "[{":
            raise self.fault(f"expected '{{' or '[', found {self.found()}")
        self.at += 1
        is_list, number = opening == "[", 0
        closing = "]" if is_list else "}"
        while number or self.peek() != closing:
            yield number if is_list else self.key(seen), self.value()
            number += 1
            if self.peek() != ",":
                break
            self.expect(",")
        self.expect(closing)
        if self.peek():
            raise self.fault("unexpected text after the end")

    def key(self, seen: set[str]) -> str:
        if self.peek() != '"':
            raise self.fault(f"expected a key in quotes, found {self.found()}")
        key: str = self.value()
        if key in seen:
            noun, advice = ("key", "keep one") if self.is_strict else ("query id", "put its documents in one object")
            raise DuplicateError(f"{self.place()}: duplicate {noun} {show(key)}; {advice}")
        seen.add(key)
        self.expect(":")
        return key

    def peek(self) -> str:
        """The next character that is not blank; empty at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in BLANKS:
                self.at += 1
            if self.at < len(self.text) or not self.read():
                return self.text[self.at : self.at + 1]

    def expect(self, character: str) -> None:
        if self.peek() != character:
            raise self.fault(f"expected {character!r}, found {self.found()}")
        self.at += 1

    def value(self) -> Any:  # noqa: ANN401 - whatever the file holds
        """The next value; reads on until it is complete."""
        self.peek()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos > len(self.text) - NEAR_END
                if not (is_cut and self.read(more=len(self.text))):
                    self.at = min(error.pos, len(self.text))
                    raise self.fault(plain_message(error)) from None
            except (ValueError, RecursionError) as error:
                raise FormatError(f"{self.place()}: {explain_json_error(error)}") from None
            else:
                if end < len(self.text) or not self.read():
                    self.at = end
                    return value

    def read(self, more: int = 0) -> bool:
        """Reads on and drops what was used; false at the end."""
        if self.ended:
            return False
        try:
            chunk = self.file.read(max(CHUNK, more))
        except UnicodeDecodeError:
            raise FormatError(f"{self.source.name}, line {undecodable_line(self.file.name)}: {NOT_UTF_8}") from None
        self.lines += self.text.count("\n", 0, self.at)
        self.text = self.text[self.at :] + chunk
        self.at = 0
        self.ended = not chunk
        return not self.ended

    def place(self) -> str:
        line = self.lines + self.text.count("\n", 0, self.at) + 1
        return f"{self.source.name}, line {line}"

    def found(self) -> str:
        """What is in the place of something else."""
        return show(self.text[self.at : self.at + 20].split("\n")[0]) if self.peek() else "the end of the file"

    def fault(self, message: str) -> FormatError:
        return FormatError(f"{self.place()}: invalid JSON: {message}")
