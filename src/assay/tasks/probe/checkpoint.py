"""A checkpoint: a JSON Lines file of the questions that have been answered, so that none of them is asked again.

The first line says what it belongs to; every other line is one ranking, written as soon as it arrives. An incomplete
last line, as a killed process leaves it, is dropped; blank lines are skipped. Failed questions are not in it. The
request may contain keys: only a digest of it is stored, salted and slow to compute, so that keys cannot be guessed.
The file is locked while a probe writes to it: two of them would ask the same questions.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from typing import TYPE_CHECKING, Any, NamedTuple

from assay._kernel import __version__
from assay.core.errors import FileError, FormatError, MismatchError
from assay.core.text import quoted, show
from assay.data.formats.jsonl import filled_lines, parse_json_line
from assay.data.passages import is_number
from assay.files.replace import lock, target_of
from assay.tasks.probe.ask import Outcome
from assay.tasks.probe.retrievers import LiveRanking

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMAT = 1
ROUNDS = 100_000
FIELDS = ("query_id", "ids", "scores", "repeats", "rose", "seconds", "attempts")
# What most rankings do not have is written only where it is.
MORE = ("ordered", "answer", "texts", "unmatched", "concealed")


class CheckpointOwner(NamedTuple):
    """What a checkpoint belongs to: a retriever, k, the questions, and whatever else determines the results."""

    name: str
    k: int
    questions: Mapping[str, str]
    request: object

    @property
    def beginning(self) -> str:
        """The first line, up to what differs each time."""
        fields = {"assay_checkpoint": FORMAT, "version": __version__, "name": self.name, "k": self.k}
        return json.dumps(fields).removesuffix("}") + ", "

    def first_line(self, salt: str) -> str:
        """The first line."""
        fields = {
            "salt": salt,
            "questions": digest(sorted(self.questions.items())),
            "request": self.request_digest(salt),
        }
        return self.beginning + json.dumps(fields).removeprefix("{")

    def request_digest(self, salt: str) -> str:
        """A digest of the request."""
        written = json.dumps(self.request, sort_keys=True).encode()
        return hashlib.pbkdf2_hmac("sha256", written, salt.encode(), ROUNDS).hex()


def digest(value: object) -> str:
    """A short text that identifies a value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Checkpoint:
    """An open checkpoint: what it held, and where to add to it."""

    def __init__(self, finished: dict[str, Outcome], file: FileIO | None, name: str = "") -> None:
        self.finished = finished
        self.file = file
        self.name = name

    def add(self, outcome: Outcome) -> None:
        """Writes a ranking at once."""
        if self.file is None or outcome.ranking is None:
            return
        ids, scores, repeats, rose, *more = outcome.ranking
        values = (outcome.query, ids, scores, repeats, rose, outcome.seconds, outcome.attempts)
        fields: dict[str, object] = dict(zip(FIELDS, values, strict=True))
        fields |= {name: value for name, value in zip(MORE, more, strict=True) if value not in (False, None, ())}
        with naming_checkpoint(self.name):
            append_line(self.file, json.dumps(fields).encode())


def append_line(file: FileIO, line: bytes) -> None:
    """Adds a whole line, or nothing; what is not buffered cannot come out later."""
    end = file.seek(0, os.SEEK_END)
    rest = memoryview(line + b"\n")
    try:
        while rest:
            rest = rest[file.write(rest) :]
    except OSError:
        with suppress(OSError):
            file.truncate(end)
        raise


@contextmanager
def open_checkpoint(path: str | os.PathLike[str] | None, owner: CheckpointOwner) -> Iterator[Checkpoint]:
    """The checkpoint, created if it does not exist; without a path, one that remembers nothing."""
    if path is None:
        yield Checkpoint({}, None)
        return
    name = quoted(path)
    target = target_of(path)
    if target.exists() and not target.is_file():
        # Reading a pipe or a device might never end.
        raise FileError(f"the checkpoint {name} cannot be used: it is not a regular file")
    with ExitStack() as stack:
        with naming_checkpoint(name):
            file = stack.enter_context(target.open("a+b", buffering=0))
            keep_apart(file, name)
            finished = resume(file, name, owner)
        yield Checkpoint(finished, file, name)


def keep_apart(file: FileIO, name: str) -> None:
    """Raises if another probe has the checkpoint open; where the file system has no locks, nothing can tell."""
    try:
        lock(file.fileno())
    except BlockingIOError:
        said = f"the checkpoint {name} is in use by another probe; wait until it ends, or use another file"
        raise FileError(said) from None
    except OSError:
        return


@contextmanager
def naming_checkpoint(name: str) -> Iterator[None]:
    """Names the file in errors of the operating system."""
    try:
        yield
    except OSError as error:
        raise FileError(f"the checkpoint {name} cannot be used: {error.strerror or error}") from error


def resume(file: FileIO, name: str, owner: CheckpointOwner) -> dict[str, Outcome]:
    """What the file holds; the next ranking is then written at its end."""
    file.seek(0)
    content = file.read()
    whole, _, rest = content.rpartition(b"\n")
    if b"\n" not in content:
        # Other files are not overwritten: what is there must be the beginning of this very line.
        beginning = owner.beginning.encode()
        if rest[: len(beginning)] != beginning[: len(rest)]:
            raise FormatError(f"{name} is not a checkpoint; use another file")
        file.truncate(0)
        append_line(file, owner.first_line(secrets.token_hex(16)).encode())
        return {}
    lines = filled_lines(whole.split(b"\n"), name)
    check_owner(read_header(lines, name), name, owner)
    finished = {}
    for number, line in lines:
        outcome = read_outcome(read_entry(line, number, name), f"{name}, line {number}", owner.questions)
        finished[outcome.query] = outcome
    file.truncate(len(whole) + 1)
    return finished


def read_header(lines: Iterator[tuple[int, bytes]], name: str) -> dict[str, Any]:
    """What the first line says."""
    number, line = next(lines, (1, b""))
    try:
        return parse_json_line(line, number, name)
    except FormatError:
        raise FormatError(f"{name} is not a checkpoint; use another file") from None


def read_entry(line: bytes, number: int, name: str) -> dict[str, Any]:
    """What any other line says."""
    try:
        return parse_json_line(line, number, name)
    except FormatError as error:
        raise FormatError(f"{error}; delete the line to ask its question again") from None


def check_owner(header: dict[str, Any], name: str, owner: CheckpointOwner) -> None:
    """Raises unless the checkpoint belongs to the same retriever, questions and k."""
    salt = header.get("salt")
    if header.get("assay_checkpoint") != FORMAT or not isinstance(salt, str):
        raise FormatError(f"{name} is not a checkpoint that assay {__version__} can read; use another file")
    reasons = {
        "name": f"belongs to {show(header.get('name'))}, not to {show(owner.name)}",
        "k": f"was made with k={show(header.get('k'))}, not {owner.k}",
        "questions": "belongs to other questions",
        "request": "was made with another request (URL, body, headers or path) or another doc_id",
    }
    expected = json.loads(owner.first_line(salt))
    for field, reason in reasons.items():
        if header.get(field) != expected[field]:
            raise MismatchError(f"the checkpoint {name} {reason}; use another file, or delete it to start over")


def read_outcome(record: dict[str, Any], place: str, questions: Mapping[str, str]) -> Outcome:
    """One entry, with every field checked."""
    query, ids, scores, repeats, rose, seconds, attempts = (record.get(field) for field in FIELDS)
    ordered, answer, texts, unmatched, concealed = (record.get(field) for field in MORE)
    wrong = [
        field
        for field, is_right in (
            ("query_id", isinstance(query, str) and query in questions),
            ("ids", isinstance(ids, list) and all(isinstance(each, str) and each for each in ids)),
            ("scores", scores is None or (are_finite(scores) and isinstance(ids, list) and len(scores) == len(ids))),
            ("repeats", is_count(repeats)),
            ("rose", isinstance(rose, bool)),
            ("seconds", fits_float(seconds) and seconds >= 0),  # type: ignore[operator]
            ("attempts", is_count(attempts)),
            ("ordered", ordered is None or isinstance(ordered, bool)),
            ("answer", answer is None or isinstance(answer, str)),
            ("texts", texts is None or (are_texts(texts) and isinstance(ids, list) and len(texts) == len(ids))),
            ("unmatched", unmatched is None or are_texts(unmatched)),
            ("concealed", concealed is None or is_count(concealed)),
        )
        if not is_right
    ]
    if wrong:
        raise FormatError(f"{place}: {wrong[0]} is invalid; delete the line to ask its question again")
    scores = None if scores is None else list(map(float, scores))
    more = (bool(ordered), answer, texts, tuple(unmatched or ()), concealed or 0)
    ranking = LiveRanking(ids, scores, repeats, rose, *more)  # type: ignore[arg-type]
    return Outcome(str(query), ranking, float(seconds), attempts)  # type: ignore[arg-type]


def are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def are_finite(value: object) -> bool:
    return isinstance(value, list) and all(map(fits_float, value))


def fits_float(value: object) -> bool:
    """Whether a value is a number that fits a float."""
    try:
        return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
