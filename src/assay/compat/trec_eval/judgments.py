"""Judgments, read as trec_eval reads them: by the kernel where it reads the same, else line by line.

A line that begins with # is a comment, but of consecutive comments only the first is skipped; every other line must
have exactly the fields of its format. Topics and documents are compared byte by byte.
"""

import io
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import pairwise
from typing import IO, Any, NamedTuple

from assay._kernel import Index, Rows
from assay.compat.trec_eval.options import FILE, Stop, read_real, read_whole
from assay.core.errors import DataError, FileError, LimitError
from assay.core.judged import SUBGROUP
from assay.core.limits import LIMITS, refuse, size
from assay.core.text import show
from assay.data.formats.trec import grouped_rows
from assay.files.source import Source, StandardInput, open_source

# A line that is not four fields of which the first is not a comment and the last a whole number.
NOT_PLAIN = re.compile(rb"^(?![^\s#]\S*[ \t]+\S+[ \t]+\S+[ \t]+-?\d{1,9}[ \t\r]*$)", re.MULTILINE)
# Judgments of this name, and runs whose name begins with it, are standard input.
INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# Keeps all bytes distinct and in order.
ENCODING = "latin-1"


class JudgmentFormat(NamedTuple):
    """How many fields a line has, and how trec_eval's messages name the reader and the file."""

    fields: int
    reader: str
    opener: str


FORMATS = {
    "qrels": JudgmentFormat(4, "get_qrels", "get_qrels: Cannot read qrels"),
    "qrels_jg": JudgmentFormat(4, "get_qrels_jg", "get_qrels: Cannot read qrels"),
    "prefs": JudgmentFormat(5, "get_prefs", "get_prefs: Cannot read prefs"),
    "qrels_prefs": JudgmentFormat(4, "get_qrels_prefs", "get_prefs: Cannot read prefs"),
}


class Judgments(NamedTuple):
    """The judgments of a file.

    `rows` makes the kernel's rows, given how to decode them: as `encoding` says, which is Latin-1 where the file is not
    UTF-8. `repeated` has, per topic, a document that is judged twice.
    """

    topics: list[bytes]
    rows: Callable[[str], Rows]
    encoding: str
    repeated: dict[bytes, bytes]


@contextmanager
def open_argument(argument: str, complaint: str, *, is_input: bool = False, code: int = FILE) -> Iterator[Source]:
    """The file to read, or standard input; if it is empty or cannot be read, the complaint ends the program."""
    data: Any = StandardInput() if is_input else argument
    try:
        with open_source(data) as source:
            path = source.path
            if not path.is_file() or not path.stat().st_size or not os.access(path, os.R_OK):
                raise Stop(code, complaint)
            yield source
    except FileError as error:
        # trec_eval has no words for what only a copy of standard input can need.
        raise Stop(code, f"assay: {error}\n{complaint}" if is_input and sys.stdin is not None else complaint) from None


def limited_lines(file: IO[bytes], name: str) -> Iterator[bytes]:
    """The lines of a file; raises for one that is too long."""
    most = LIMITS.get().line
    for number, line in enumerate(iter(partial(file.readline, most + 2), b""), start=1):
        if len(line) > most and len(line.removesuffix(b"\n")) > most:
            what = f"line longer than {size(most)}; this is probably not a TREC text file"
            raise refuse(f"{name}, line {number}: {what}", "line")
        yield line


def refuse_rows(topic: bytes, name: str) -> LimitError:
    """The error for a topic with too many lines."""
    query = show(topic.decode(errors="replace"))
    return refuse(f"{name}: query {query} has more than {LIMITS.get().rows:,} rows", "rows")


def read_judgments(path: str, form: str) -> Judgments:
    """The judgments of a file in one of the formats."""
    if form not in FORMATS:
        raise Stop(FILE, f"trec_eval: Illegal rel_format '{form}'\n")
    try:
        with open_argument(path, f"trec_eval.{FORMATS[form].opener} file '{path}'\n", is_input=path == INPUT) as file:
            content = file.path.read_bytes()
            plain = read_plain(file, content) if form == "qrels" else None
            return plain or read_judgment_lines(content, form, file.name)
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Quit in file '{path}'\n") from None


def read_plain(source: Source, content: bytes) -> Judgments | None:
    """The judgments as the kernel reads them, or None where trec_eval might read them differently."""
    if NOT_PLAIN.search(content, 0, len(content) - content.endswith(b"\n")) or content.startswith(BYTE_ORDER_MARK):
        return None
    try:
        rows = Rows.from_files([source[:2]], source.name, judgments=True, limits=LIMITS.get())
        Index(rows, "error")
    except LimitError:
        raise
    except DataError:
        return None
    if rows.has_groups():
        # The second field varies; the kernel reads it as groups, which may hide a duplicate.
        return None
    return Judgments(
        [query.encode() for query in rows.queries()],
        lambda code: rows if code == "utf-8" else read_judgment_lines(content, "qrels", source.name).rows(code),
        "utf-8",
        {},
    )


def read_judgment_lines(content: bytes, form: str, name: str) -> Judgments:
    """The judgments line by line."""
    lines = split_lines(content, FORMATS[form], name)
    for topic, count in Counter(topic for topic, *_ in lines).most_common(1):
        if count > LIMITS.get().rows:
            raise refuse_rows(topic, name)
    try:
        content.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = ENCODING
    return judge_once(lines, encoding) if form == "qrels" else judge_in_groups(lines, encoding, form)


def split_lines(content: bytes, form: JudgmentFormat, name: str) -> list[list[bytes]]:
    """The fields of each line, without each comment that does not follow another comment."""
    rows: list[list[bytes]] = []
    was_comment = False
    for line in limited_lines(io.BytesIO(content), name):
        was_comment = line.startswith(b"#") and not was_comment
        if was_comment:
            continue
        rows.append(line.split())
        if len(rows[-1]) != form.fields:
            raise Stop(FILE, f"trec_eval.{form.reader}: Malformed line {len(rows)}\n")
    return rows


def judge_once(lines: list[list[bytes]], encoding: str) -> Judgments:
    """Judgments of one judge."""
    grades = {text: read_whole(text) for text in {grade for *_, grade in lines}}
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


def judge_in_groups(lines: list[list[bytes]], encoding: str, form: str) -> Judgments:
    """Judgments of several judges, by topic and then by document."""
    read = read_whole if form == "qrels_jg" else read_real
    divided = [
        (topic, rest[-2], group + SUBGROUP.encode() + rest[0] if form == "prefs" else group, read(rest[-1]))
        for topic, group, *rest in lines
    ]
    divided.sort()
    if form == "qrels_jg":
        for this, following in pairwise(sorted((topic, group, document) for topic, document, group, _ in divided)):
            if this == following:
                document = this[2].decode(errors="surrogateescape")
                raise Stop(FILE, f"trec_eval.get_qrels: duplicate docs {document}\n")

    def rows(encoding: str) -> Rows:
        queries, documents, groups, grades = zip(*divided, strict=True)
        names = [[each.decode(encoding) for each in column] for column in (queries, groups, documents)]
        return grouped_rows(names[0], names[1], names[2], grades)

    return Judgments(list(dict.fromkeys(topic for topic, *_ in divided)), rows, encoding, {})
