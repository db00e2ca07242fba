"""The run: through the kernel where it can be, and by trec_eval's own rules where it cannot.

The kernel refuses what it cannot be sure of, such as a score that is no number or a document that comes twice;
trec_eval goes on with most of that.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay._kernel import Index, Options, Ranker, Rows
from assay.compat.trec_eval.files import opened
from assay.compat.trec_eval.judgments import BYTE_ORDER_MARK, Judgments
from assay.compat.trec_eval.loose import ENCODING, FIELDS, rank_loosely, read_loosely
from assay.compat.trec_eval.outcome import FILE, Stop
from assay.core.errors import DataError
from assay.data.source import MAGIC
from assay.tasks.evaluate.evaluator import check_threads

if TYPE_CHECKING:
    from pathlib import Path

    from assay.compat.trec_eval.options import Settings

# Any name that begins like this is standard input.
INPUT = "-"
TAIL = 1 << 16


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """What the kernel made of judgments and run, the run's name, and the topics that list a document twice."""

    rows: Rows
    index: Index
    ranker: Ranker
    encoding: str
    name: bytes
    repeated: dict[bytes, bytes]


def rank_run(settings: Settings, judgments: Judgments) -> JudgedRun:
    """Ranks the judged documents of the run."""
    if settings.results_format != "trec_results":
        raise Stop(FILE, f"trec_eval: Illegal retrieval results format '{settings.results_format}'\n")
    argument = settings.files[1]
    complaint = f"trec_eval.get_results: Cannot read results file '{argument}'\n"
    try:
        with opened(argument, complaint, is_input=argument.startswith(INPUT)) as path:
            threads = check_threads(None)
            return judge_fast(path, judgments, threads) or judge_slowly(path, judgments, settings, threads)
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Quit in file '{argument}'\n") from None


def judge_fast(path: Path, judgments: Judgments, threads: int) -> JudgedRun | None:
    """The run as the kernel reads it, or nothing where it refuses to, or would read it otherwise than trec_eval."""
    with path.open("rb") as file:
        begins_otherwise = file.read(8).startswith((*MAGIC, BYTE_ORDER_MARK))
    # A comment that is indented would be a topic to the kernel.
    has_comment_topic = any(topic.startswith(b"#") for topic in judgments.topics)
    if begins_otherwise or has_comment_topic or judgments.encoding != "utf-8" or not judgments.topics:
        return None
    try:
        rows = judgments.rows(judgments.encoding)
        index = Index(rows, "count")
        ranker = Ranker(index, [Options()])
        ranker.add_file(path, str(path), threads)
    except DataError:
        return None
    return JudgedRun(rows, index, ranker, judgments.encoding, name_of_run(path), {})


def name_of_run(path: Path) -> bytes:
    """The last field that counts of the last line that says something, read from the end of the file."""
    size = path.stat().st_size
    length = TAIL
    with path.open("rb") as file:
        while True:
            start = max(0, size - length)
            file.seek(start)
            lines = file.read().split(b"\n")[1 if start else 0 :]
            for line in reversed(lines):
                if is_data(line):
                    return line.split(None, FIELDS)[FIELDS - 1]
            if not start:
                return b""
            length *= 4


def is_data(line: bytes) -> bool:
    """Whether a line is neither blank nor a comment."""
    text = line.lstrip()
    return bool(text) and not text.startswith(b"#")


def judge_slowly(path: Path, judgments: Judgments, settings: Settings, threads: int) -> JudgedRun:
    """The run as trec_eval reads it. Preferences have documents that tie the other way round."""
    run = read_loosely(path, judgments.topics)
    rows = judgments.rows(ENCODING)
    index = Index(rows, "count")
    ranker, repeated = rank_loosely(
        run,
        lambda: Ranker(index, [Options()]),
        max(0, settings.depth),
        threads,
        ascending=settings.rel_format in {"prefs", "qrels_prefs"},
    )
    return JudgedRun(rows, index, ranker, ENCODING, run.name, repeated)
