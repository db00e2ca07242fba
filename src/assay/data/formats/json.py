"""JSON: `{query: {document: value}}`, and the other forms that judgments and rankings have in Python.

A file is read query by query, so that a run is never held whole; a key that stands twice is seen, not dropped.
"""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from assay.core.errors import DuplicateError, FormatError
from assay.core.text import show
from assay.data.source import undecodable_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.data.source import Source

BLANKS = " \t\r\n"
CHUNK = 1 << 20
# A value that ends with the text read so far fails this near to it, unless it is a string.
NEAR_END = 16

Pairs = list[tuple[str, Any]]


class Repeatable(str):
    """A key that may stand in a dict again: only the very same object is equal to it."""

    __slots__ = ()
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other


def read_json(source: Source, *, judgments: bool = False) -> Any:  # noqa: ANN401 - whatever the file holds
    """The whole content: a dict, or a list where the file holds one.

    A ranking that lists a document twice is a list of pairs; of judgments, a dict in which its key stands twice.
    """
    with source.plain() as path, path.open(encoding="utf-8-sig") as file:
        reader = Reader(file, source, judgments=judgments)
        is_list = reader.peek() == "["
        entries = reader.entries()
        return [value for _, value in entries] if is_list else dict(entries)


def iterate_json(source: Source) -> Iterator[tuple[Any, Any]]:
    """The queries of a file, one after another; the places in a list are their ids."""
    with source.plain() as path, path.open(encoding="utf-8-sig") as file:
        yield from Reader(file, source).entries()


class Reader:
    """Reads one value after another from a text that is held only in part."""

    def __init__(self, file: IO[str], source: Source, *, judgments: bool = False) -> None:
        self.file = file
        self.source = source
        self.judgments = judgments
        self.text = ""
        self.at = 0
        self.lines = 0
        self.ended = False
        self.query = ""
        self.decoder = json.JSONDecoder(object_pairs_hook=self.collect)

    def entries(self) -> Iterator[tuple[str | int, Any]]:
        """The entries of the outermost object, or the elements of the outermost list with their places."""
        seen: set[str] = set()
        is_list = self.peek() == "["
        self.expect("[" if is_list else "{")
        closing = "]" if is_list else "}"
        number = 0
        while number or self.peek() != closing:
            key = number if is_list else self.key(seen)
            yield key, self.value()
            number += 1
            if self.peek() != ",":
                break
            self.expect(",")
        self.expect(closing)
        if self.peek():
            raise self.fault("there is something after the end")

    def key(self, seen: set[str]) -> str:
        """The next query id and the colon after it."""
        if self.peek() != '"':
            raise self.fault("expected a query id in quotes")
        self.query = self.value()
        if self.query in seen:
            message = f"query {show(self.query)} stands twice; put its documents into one object"
            raise DuplicateError(f"{self.source.name}: {message}")
        seen.add(self.query)
        self.expect(":")
        return self.query

    def peek(self) -> str:
        """The next character that is no blank, or nothing at the end."""
        while True:
            while self.at < len(self.text) and self.text[self.at] in BLANKS:
                self.at += 1
            if self.at < len(self.text) or not self.read():
                return self.text[self.at : self.at + 1]

    def expect(self, character: str) -> None:
        if self.peek() != character:
            raise self.fault(f"expected {character!r}")
        self.at += 1

    def value(self) -> Any:  # noqa: ANN401 - whatever the file holds
        """The next value. It is read on until the value is whole."""
        self.peek()
        while True:
            try:
                value, end = self.decoder.raw_decode(self.text, self.at)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos > len(self.text) - NEAR_END
                if not (is_cut and self.read(more=len(self.text))):
                    self.at = min(error.pos, len(self.text))
                    raise self.fault(error.msg) from None
            except ValueError:
                raise self.fault("a number has too many digits") from None
            except RecursionError:
                raise self.fault("the values are nested too deeply") from None
            else:
                if end < len(self.text) or not self.read():
                    self.at = end
                    return value

    def read(self, more: int = 0) -> bool:
        """Reads on; false at the end. What was used is let go."""
        if self.ended:
            return False
        try:
            chunk = self.file.read(max(CHUNK, more))
        except UnicodeDecodeError:
            line = undecodable_line(self.file.name)
            message = "bytes that are not UTF-8; save the file as UTF-8"
            raise FormatError(f"{self.source.name}, line {line}: {message}") from None
        self.lines += self.text.count("\n", 0, self.at)
        self.text = self.text[self.at :] + chunk
        self.at = 0
        self.ended = not chunk
        return not self.ended

    def fault(self, message: str) -> FormatError:
        line = self.lines + self.text.count("\n", 0, self.at) + 1
        return FormatError(f"{self.source.name}, line {line}: this is not JSON as assay reads it: {message}")

    def collect(self, pairs: Pairs) -> dict[str, Any] | Pairs:
        """The object; where a key stands in it twice, all of it in another form."""
        result = dict(pairs)
        if len(result) == len(pairs):
            return result
        return {Repeatable(key): value for key, value in pairs} if self.judgments else pairs
