"""JSON: `{query: {document: value}}`, and the other forms that judgments and rankings have in Python.

A file is read query by query, so that a run is never held whole; a key that stands twice is seen, not dropped.
"""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any

from assay.core.errors import DuplicateError, FormatError
from assay.core.text import show

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.io.source import Source

BLANKS = " \t\r\n"
CHUNK = 1 << 20


def read_json(source: Source) -> Any:  # noqa: ANN401 - whatever the file holds
    """The whole content: a dict, or a list where the file holds one."""
    with source.plain() as path, path.open(encoding="utf-8-sig") as file:
        reader = Reader(file, source)
        return reader.value() if reader.peek() == "[" else dict(reader.entries())


def iterate_json(source: Source) -> Iterator[tuple[Any, Any]]:
    """The queries of a file, one after another; the places in a list are their ids."""
    with source.plain() as path, path.open(encoding="utf-8-sig") as file:
        reader = Reader(file, source)
        yield from enumerate(reader.value()) if reader.peek() == "[" else reader.entries()


class Reader:
    """Reads one value after another from a text that is held only in part."""

    def __init__(self, file: IO[str], source: Source) -> None:
        self.file = file
        self.source = source
        self.text = ""
        self.at = 0
        self.lines = 0
        self.ended = False
        self.query = ""
        self.decoder = json.JSONDecoder(object_pairs_hook=self.unique)

    def entries(self) -> Iterator[tuple[str, Any]]:
        """The entries of the outermost object."""
        seen: set[str] = set()
        self.expect("{")
        while self.peek() != "}" or seen:
            if self.peek() != '"':
                raise self.fault("expected a query id in quotes")
            self.query = self.value()
            if self.query in seen:
                message = f"query {show(self.query)} stands twice; put its documents into one object"
                raise DuplicateError(f"{self.source.name}: {message}")
            seen.add(self.query)
            self.expect(":")
            yield self.query, self.value()
            if self.peek() != ",":
                break
            self.expect(",")
        self.expect("}")
        if self.peek():
            raise self.fault("there is something after the end")

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
                if not self.read(more=len(self.text)):
                    self.at = error.pos
                    raise self.fault(error.msg) from None
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
            raise FormatError(f"{self.source.name}: bytes that are not UTF-8; save the file as UTF-8") from None
        self.lines += self.text.count("\n", 0, self.at)
        self.text = self.text[self.at :] + chunk
        self.at = 0
        self.ended = not chunk
        return not self.ended

    def fault(self, message: str) -> FormatError:
        line = self.lines + self.text.count("\n", 0, self.at) + 1
        return FormatError(f"{self.source.name}, line {line}: this is not JSON as assay reads it: {message}")

    def unique(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        """The object, unless a key stands in it twice."""
        result = dict(pairs)
        if len(result) == len(pairs):
            return result
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                where = f"query {show(self.query)}" if self.query else "a query"
                message = f"{where} lists document {show(key)} more than once; remove the repeats"
                raise DuplicateError(f"{self.source.name}: {message}")
            seen.add(key)
        return result
