"""Judgments read as trec_eval reads them, in each of its formats.

A line that begins with # is a comment, but only one comment in a row is passed over; every other line must have all
fields and no more. Topics and documents are compared byte by byte.
"""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from assay._kernel import Index, Rows
from assay.compat.trec_eval.files import opened
from assay.compat.trec_eval.numbers import real, whole
from assay.compat.trec_eval.outcome import FILE, Stop
from assay.core.errors import DataError
from assay.core.judged import SUBGROUP

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


# A line that is not four fields of which the first is no comment and the last a whole number.
NOT_PLAIN = re.compile(rb"^(?![^\s#]\S*[ \t]+\S+[ \t]+\S+[ \t]+-?\d{1,9}[ \t\r]*$)", re.MULTILINE)
# This name is standard input.
INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Format(NamedTuple):
    """How many fields a line has, and how trec_eval's messages name the reader and the file."""

    fields: int
    reader: str
    opener: str


FORMATS = {
    "qrels": Format(4, "get_qrels", "get_qrels: Cannot read qrels"),
    "qrels_jg": Format(4, "get_qrels_jg", "get_qrels: Cannot read qrels"),
    "prefs": Format(5, "get_prefs", "get_prefs: Cannot read prefs"),
    "qrels_prefs": Format(4, "get_qrels_prefs", "get_prefs: Cannot read prefs"),
}


class Judgments(NamedTuple):
    """The judgments of a file.

    `rows` makes them what the kernel takes, given how to decode them; that is as `encoding` says where the file is
    UTF-8, and as Latin-1, which keeps all bytes apart and in order, where it is not. `repeated` names a document that a
    topic judges twice.
    """

    topics: list[bytes]
    rows: Callable[[str], Rows]
    encoding: str
    repeated: dict[bytes, bytes]


def read_judgments(path: str, form: str) -> Judgments:
    """The judgments of a file in one of the formats."""
    if form not in FORMATS:
        raise Stop(FILE, f"trec_eval: Illegal rel_format '{form}'\n")
    complaint = f"trec_eval.{FORMATS[form].opener} file '{path}'\n"
    try:
        with opened(path, complaint, is_input=path == INPUT) as file:
            content = contents(str(file), complaint, FILE)
            return (read_plain(file, content) if form == "qrels" else None) or read_lines(content, form)
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Quit in file '{path}'\n") from None


def read_plain(path: Path, content: bytes) -> Judgments | None:
    """The judgments through the kernel, where it reads them as trec_eval does; nothing where it may not."""
    if NOT_PLAIN.search(content, 0, len(content) - content.endswith(b"\n")) or content.startswith(BYTE_ORDER_MARK):
        return None
    try:
        rows = Rows.from_file(path, str(path), judgments=True)
        Index(rows, "error")
    except DataError:
        return None
    if rows.has_groups():
        # The second field is not the same everywhere; what the kernel takes for groups may hide a repeat.
        return None
    topics = [query.encode() for query in rows.queries()]
    return Judgments(
        topics, lambda code: rows if code == "utf-8" else read_lines(content, "qrels").rows(code), "utf-8", {}
    )


def read_lines(content: bytes, form: str) -> Judgments:
    """The judgments line by line."""
    lines = split(content, FORMATS[form])
    encoding = "utf-8" if is_utf8(content) else "latin-1"
    return ungrouped(lines, encoding) if form == "qrels" else grouped(lines, encoding, form)


def contents(path: str, complaint: str, code: int) -> bytes:
    """All of a file; one that is empty or cannot be read ends the program."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError):
        content = b""
    if not content:
        raise Stop(code, complaint)
    return content


def is_utf8(content: bytes) -> bool:
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def split(content: bytes, form: Format) -> list[list[bytes]]:
    """The fields of each line that is no comment."""
    lines = [line.split() for line in data_lines(content)]
    for number, fields in enumerate(lines, start=1):
        if len(fields) != form.fields:
            raise Stop(FILE, f"trec_eval.{form.reader}: Malformed line {number}\n")
    return lines


def data_lines(content: bytes) -> Iterator[bytes]:
    """The lines of a file, without each comment that does not follow another one."""
    was_comment = False
    for line in content.removesuffix(b"\n").split(b"\n"):
        was_comment = line.startswith(b"#") and not was_comment
        if not was_comment:
            yield line


def ungrouped(lines: list[list[bytes]], encoding: str) -> Judgments:
    """Judgments of one judge."""
    grades = {text: whole(text) for text in {grade for *_, grade in lines}}
    table: dict[bytes, dict[bytes, int]] = {topic: {} for topic, *_ in lines}
    repeated: dict[bytes, bytes] = {}
    for topic, _, document, grade in lines:
        judged = table[topic]
        if document in judged:
            repeated[topic] = min(document, repeated.get(topic, document))
        judged[document] = grades[grade]

    def rows(encoding: str) -> Rows:
        return Rows.from_judgments(
            {
                topic.decode(encoding): {document.decode(encoding): grade for document, grade in judged.items()}
                for topic, judged in table.items()
            }
        )

    return Judgments(list(table), rows, encoding, repeated)


def grouped(lines: list[list[bytes]], encoding: str, form: str) -> Judgments:
    """Judgments of several judges, by topic and then by document."""
    number = whole if form == "qrels_jg" else real
    divided = [
        (topic, rest[-2], group + SUBGROUP.encode() + rest[0] if form == "prefs" else group, number(rest[-1]))
        for topic, group, *rest in lines
    ]
    divided.sort()
    if form == "qrels_jg":
        check_once([(topic, group, document) for topic, document, group, _ in divided])

    def rows(encoding: str) -> Rows:
        from assay.data.formats.preferences import grouped_rows

        queries, documents, groups, grades = zip(*divided, strict=True)
        names = [[each.decode(encoding) for each in column] for column in (queries, groups, documents)]
        return grouped_rows(names[0], names[1], names[2], grades)

    return Judgments(list(dict.fromkeys(topic for topic, *_ in divided)), rows, encoding, {})


def check_once(judged: list[tuple[bytes, bytes, bytes]]) -> None:
    """Raises for the first document that a group of a topic judges twice."""
    judged.sort()
    for this, following in pairwise(judged):
        if this == following:
            document = this[2].decode(errors="surrogateescape")
            raise Stop(FILE, f"trec_eval.get_qrels: duplicate docs {document}\n")
