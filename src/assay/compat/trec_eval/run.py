"""The run, ranked as trec_eval ranks it: by the kernel where it reads the same, else line by line.

The kernel rejects ambiguous runs, such as a score that is not a number or a duplicate document; trec_eval continues
with most of them. A score is the number at the start of its text, or 0 if there is none; NaN ranks lowest.
"""

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from operator import itemgetter
from pathlib import Path

from assay._kernel import Index, Options, Ranker, Rows
from assay.compat.trec_eval.judgments import (
    BYTE_ORDER_MARK,
    ENCODING,
    INPUT,
    Judgments,
    limited_lines,
    open_argument,
    refuse_rows,
)
from assay.compat.trec_eval.options import FILE, CommandLine, Stop, read_real
from assay.core.errors import DataError, LimitError
from assay.core.limits import LIMITS
from assay.engine.kernel import count_threads
from assay.files.marks import MARKED
from assay.files.source import Source, is_encoded

RUN_FIELDS = 6
TAIL = 1 << 16
Rankings = dict[bytes, list[tuple[float, bytes]]]


@dataclass(frozen=True, slots=True)
class JudgedRun:
    """Judgments and ranked run; `repeated` has a document that a topic retrieves twice, `surplus` counts long lines."""

    rows: Rows
    index: Index
    ranker: Ranker
    encoding: str
    name: bytes
    repeated: dict[bytes, bytes]
    surplus: int


def rank_results(settings: CommandLine, judgments: Judgments) -> JudgedRun:
    """Ranks the judged documents of the run."""
    if settings.results_format != "trec_results":
        raise Stop(FILE, f"trec_eval: Illegal retrieval results format '{settings.results_format}'\n")
    argument = settings.files[1]
    complaint = f"trec_eval.get_results: Cannot read results file '{argument}'\n"
    try:
        with open_argument(argument, complaint, is_input=argument.startswith(INPUT)) as source:
            return rank_with_kernel(source, judgments) or rank_by_own_rules(source, judgments, settings)
    except Stop as stop:
        raise Stop(stop.code, f"{stop.text}trec_eval: Quit in file '{argument}'\n") from None


def rank_with_kernel(source: Source, judgments: Judgments) -> JudgedRun | None:
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
        ranker.add_files([source[:2]], source.name, count_threads(None), limits=LIMITS.get())
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
            for line in reversed(file.read().split(b"\n")[1 if start else 0 :]):
                if line.lstrip()[:1] not in (b"", b"#"):
                    return line.split(None, RUN_FIELDS)[RUN_FIELDS - 1]
            if not start:
                return b""
            length *= 4


def rank_by_own_rules(source: Source, judgments: Judgments, settings: CommandLine) -> JudgedRun:
    """The run by trec_eval's own rules; of the first documents of a topic, the lowest one that comes twice is kept."""
    rankings, name, surplus = read_rankings(source, judgments.topics)
    rows = judgments.rows(ENCODING)
    index = Index(rows, "count")
    ranker = Ranker(index, [Options()])
    repeated: dict[bytes, bytes] = {}
    for topic, ranking in rankings.items():
        # For preferences, ties are broken in the opposite order.
        ranking.sort(key=itemgetter(1), reverse=settings.rel_format not in {"prefs", "qrels_prefs"})
        ranking.sort(key=itemgetter(0), reverse=True)
        documents = Counter(document for _, document in ranking[: max(0, settings.depth)])
        if twice := [document for document, count in documents.items() if count > 1]:
            repeated[topic] = min(twice)
        ranker.add(topic.decode(ENCODING), [document.decode(ENCODING) for document in documents])
    return JudgedRun(rows, index, ranker, ENCODING, name, repeated, surplus)


def read_rankings(source: Source, topics: Iterable[bytes]) -> tuple[Rankings, bytes, int]:
    """The scores and documents of the judged topics, the run's name, and how many lines have more than six fields."""
    known, most = set(topics), LIMITS.get().rows
    rankings: Rankings = {}
    name, number, surplus = b"", 0, 0
    with source.path.open("rb") as file:
        for line in limited_lines(file, source.name):
            fields = line.split(None, RUN_FIELDS)
            if not fields or fields[0].startswith(b"#"):
                continue
            number += 1
            if len(fields) < RUN_FIELDS:
                raise Stop(FILE, f"trec_eval.get_results: Malformed line {number}\n")
            topic, _, document, _, text, name = fields[:RUN_FIELDS]
            surplus += len(fields) > RUN_FIELDS
            if topic in known:
                score = read_real(text)
                ranking = rankings.setdefault(topic, [])
                ranking.append((-math.inf if math.isnan(score) else score, document))
                if len(ranking) > most:
                    raise refuse_rows(topic, source.name)
    return rankings, name, surplus
