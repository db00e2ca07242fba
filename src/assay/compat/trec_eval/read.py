"""Judgments and run, read as trec_eval reads them: by the kernel where it reads the same, else line by line.

In judgments, a line that begins with # is a comment, but of consecutive comments only the first is skipped; every other
line must have exactly the fields of its format. Topics and documents are compared byte by byte. The kernel rejects
ambiguous runs, such as a score that is not a number or a duplicate document; trec_eval continues with most of them.
"""

from __future__ import annotations

import os
import re
import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay._kernel import Index, Options, Ranker, Rows
from assay.compat.trec_eval.loose import ENCODING, RUN_FIELDS, check_lines, check_rows, rank_loosely, read_loosely
from assay.compat.trec_eval.options import FILE, CommandLine, Stop, read_real, read_whole
from assay.core.errors import DataError, FileError, LimitError
from assay.core.judged import SUBGROUP
from assay.core.limits import LIMITS
from assay.engine.kernel import count_threads
from assay.files.marks import MARKED
from assay.files.source import StandardInput, is_encoded, open_source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from assay.files.source import Source

# A line that is not four fields of which the first is not a comment and the last a whole number.
NOT_PLAIN = re.compile(rb"^(?![^\s#]\S*[ \t]+\S+[ \t]+\S+[ \t]+-?\d{1,9}[ \t\r]*$)", re.MULTILINE)
# Judgments of this name, and runs whose name begins with it, are standard input.
INPUT = "-"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
TAIL = 1 << 16


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
    UTF-8, as that keeps all bytes distinct and in order. `repeated` has, per topic, a document that is judged twice.
    """

    topics: list[bytes]
    rows: Callable[[str], Rows]
    encoding: str
    repeated: dict[bytes, bytes]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """Judgments and ranked run in the kernel, the run's name, and per topic a document that is retrieved twice.

    `surplus` is the number of lines with more than six fields.
    """

    rows: Rows
    index: Index
    ranker: Ranker
    encoding: str
    name: bytes
    repeated: dict[bytes, bytes]
    surplus: int


@contextmanager
def open_argument(argument: str, complaint: str, *, is_input: bool) -> Iterator[Source]:
    """The file to read, or standard input; if empty or unreadable, the program ends with an error message."""
    data: Any = StandardInput() if is_input else argument
    try:
        with open_source(data) as source:
            if not is_readable(source.path):
                raise Stop(FILE, complaint)
            yield source
    except FileError as error:
        # trec_eval has no words for what only a copy of standard input can need.
        is_copy = is_input and sys.stdin is not None
        raise Stop(FILE, f"assay: {error}\n{complaint}" if is_copy else complaint) from None


def is_readable(path: Path) -> bool:
    """Whether a path is a regular file that is not empty."""
    try:
        return path.is_file() and path.stat().st_size > 0 and os.access(path, os.R_OK)
    except (OSError, ValueError):
        return False


def read_judgments(path: str, form: str) -> Judgments:
    """The judgments of a file in one of the formats."""
    if form not in FORMATS:
        raise Stop(FILE, f"trec_eval: Illegal rel_format '{form}'\n")
    complaint = f"trec_eval.{FORMATS[form].opener} file '{path}'\n"
    try:
        with open_argument(path, complaint, is_input=path == INPUT) as file:
            content = read_nonempty(file.path, complaint, FILE)
            check_lines(content, file.name)
            plain = read_plain(file, content) if form == "qrels" else None
            return plain or read_judgment_lines(content, form, file.name)
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Quit in file '{path}'\n") from None


def read_plain(source: Source, content: bytes) -> Judgments | None:
    """The judgments as the kernel reads them, or None where trec_eval might read them differently."""
    if NOT_PLAIN.search(content, 0, len(content) - content.endswith(b"\n")) or content.startswith(BYTE_ORDER_MARK):
        return None
    try:
        rows = Rows.from_file(source.path, source.name, judgments=True, limits=LIMITS.get())
        Index(rows, "error")
    except LimitError:
        raise
    except DataError:
        return None
    if rows.has_groups():
        # The second field varies; the kernel reads it as groups, which may hide a duplicate.
        return None
    topics = [query.encode() for query in rows.queries()]
    return Judgments(
        topics,
        lambda code: rows if code == "utf-8" else read_judgment_lines(content, "qrels", source.name).rows(code),
        "utf-8",
        {},
    )


def read_judgment_lines(content: bytes, form: str, name: str) -> Judgments:
    """The judgments line by line."""
    lines = split_lines(content, FORMATS[form])
    topics = Counter(topic for topic, *_ in lines)
    check_rows({topic.decode(errors="replace"): count for topic, count in topics.most_common(1)}, name)
    try:
        content.decode()
        encoding = "utf-8"
    except UnicodeDecodeError:
        encoding = ENCODING
    return judge_once(lines, encoding) if form == "qrels" else judge_in_groups(lines, encoding, form)


def read_nonempty(path: str | Path, complaint: str, code: int) -> bytes:
    """The content of a file; one that is empty or cannot be read ends the program."""
    try:
        content = Path(path).read_bytes()
    except (OSError, ValueError):
        content = b""
    if not content:
        raise Stop(code, complaint)
    return content


def split_lines(content: bytes, form: JudgmentFormat) -> list[list[bytes]]:
    """The fields of each line that is not a comment."""
    lines = [line.split() for line in data_lines(content)]
    for number, fields in enumerate(lines, start=1):
        if len(fields) != form.fields:
            raise Stop(FILE, f"trec_eval.{form.reader}: Malformed line {number}\n")
    return lines


def data_lines(content: bytes) -> Iterator[bytes]:
    """The lines of a file, without each comment that does not follow another comment."""
    was_comment = False
    for line in content.removesuffix(b"\n").split(b"\n"):
        was_comment = line.startswith(b"#") and not was_comment
        if not was_comment:
            yield line


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
        check_once([(topic, group, document) for topic, document, group, _ in divided])

    def rows(encoding: str) -> Rows:
        from assay.data.formats.trec import grouped_rows

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


def rank_results(settings: CommandLine, judgments: Judgments) -> JudgedRun:
    """Ranks the judged documents of the run."""
    if settings.results_format != "trec_results":
        raise Stop(FILE, f"trec_eval: Illegal retrieval results format '{settings.results_format}'\n")
    argument = settings.files[1]
    complaint = f"trec_eval.get_results: Cannot read results file '{argument}'\n"
    try:
        with open_argument(argument, complaint, is_input=argument.startswith(INPUT)) as source:
            threads = count_threads(None)
            ranked = rank_with_kernel(source, judgments, threads)
            return ranked or rank_by_own_rules(source, judgments, settings, threads)
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Quit in file '{argument}'\n") from None


def rank_with_kernel(source: Source, judgments: Judgments, threads: int) -> JudgedRun | None:
    """The run as the kernel reads it, or None where it rejects it or trec_eval would read it differently."""
    with source.path.open("rb") as file:
        start = file.read(MARKED)
    is_not_text = is_encoded(start) or start.startswith(BYTE_ORDER_MARK)
    # The kernel takes an indented comment for a topic.
    has_comment_topic = any(topic.startswith(b"#") for topic in judgments.topics)
    if is_not_text or has_comment_topic or judgments.encoding != "utf-8" or not judgments.topics:
        return None
    try:
        rows = judgments.rows(judgments.encoding)
        index = Index(rows, "count")
        ranker = Ranker(index, [Options()], surplus=True)
        ranker.add_file(source.path, source.name, threads, limits=LIMITS.get())
    except LimitError:
        raise
    except DataError:
        return None
    return JudgedRun(rows, index, ranker, judgments.encoding, name_of_run(source.path), {}, ranker.surplus)


def name_of_run(path: Path) -> bytes:
    """The sixth field of the last line that is not blank or a comment, read from the end of the file."""
    size = path.stat().st_size
    length = TAIL
    with path.open("rb") as file:
        while True:
            start = max(0, size - length)
            file.seek(start)
            lines = file.read().split(b"\n")[1 if start else 0 :]
            for line in reversed(lines):
                if line.lstrip()[:1] not in (b"", b"#"):
                    return line.split(None, RUN_FIELDS)[RUN_FIELDS - 1]
            if not start:
                return b""
            length *= 4


def rank_by_own_rules(source: Source, judgments: Judgments, settings: CommandLine, threads: int) -> JudgedRun:
    """The run by trec_eval's own rules. For preferences, ties are broken in the opposite order."""
    run = read_loosely(source, judgments.topics)
    rows = judgments.rows(ENCODING)
    index = Index(rows, "count")
    ranker, repeated = rank_loosely(
        run,
        lambda: Ranker(index, [Options()]),
        max(0, settings.depth),
        threads,
        ascending=settings.rel_format in {"prefs", "qrels_prefs"},
    )
    return JudgedRun(rows, index, ranker, ENCODING, run.name, repeated, run.surplus)
