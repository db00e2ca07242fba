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
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from io import FileIO
from typing import Any, NamedTuple

from assay._kernel import __version__
from assay.core.errors import FileError, FormatError, MismatchError
from assay.core.text import quoted, show
from assay.data.formats.jsonl import filled_lines, parse_json_line
from assay.data.passages import is_number
from assay.files.replace import lock, target_of
from assay.tasks.probe.ask import Outcome
from assay.tasks.probe.response import LiveRanking

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
        request = json.dumps(self.request, sort_keys=True).encode()
        fields = {
            "salt": salt,
            "questions": hashlib.sha256(json.dumps(sorted(self.questions.items())).encode()).hexdigest(),
            "request": hashlib.pbkdf2_hmac("sha256", request, salt.encode(), ROUNDS).hex(),
        }
        return self.beginning + json.dumps(fields).removeprefix("{")


class Checkpoint(NamedTuple):
    """An open checkpoint: what it held, and where to add to it."""

    finished: dict[str, Outcome]
    file: FileIO | None
    name: str = ""

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
            try:
                lock(file.fileno())
            except BlockingIOError:
                said = f"the checkpoint {name} is in use by another probe; wait until it ends, or use another file"
                raise FileError(said) from None
            except OSError:
                # Where the file system has no locks, nothing can tell.
                pass
            finished = resume(file, name, owner)
        yield Checkpoint(finished, file, name)


@contextmanager
def naming_checkpoint(name: str) -> Iterator[None]:
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
    number, line = next(lines, (1, b""))
    try:
        header = parse_json_line(line, number, name)
    except FormatError:
        raise FormatError(f"{name} is not a checkpoint; use another file") from None
    check_owner(header, name, owner)
    finished = {}
    for number, line in lines:
        try:
            outcome = read_outcome(parse_json_line(line, number, name), f"{name}, line {number}", owner.questions)
        except FormatError as error:
            raise FormatError(f"{error}; delete the line to ask its question again") from None
        finished[outcome.query] = outcome
    file.truncate(len(whole) + 1)
    return finished


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
    fields: dict[str, Any] = dict.fromkeys((*FIELDS, *MORE)) | record
    query, ids, scores, repeats, rose, seconds, attempts = (fields[name] for name in FIELDS)
    ordered, answer, texts, unmatched, concealed = (fields[name] for name in MORE)
    size = len(ids) if isinstance(ids, list) else None
    valid = {
        "query_id": isinstance(query, str) and query in questions,
        "ids": are_texts(ids) and all(ids),
        "scores": scores is None or (isinstance(scores, list) and len(scores) == size and all(map(fits_float, scores))),
        "repeats": is_count(repeats),
        "rose": isinstance(rose, bool),
        "seconds": fits_float(seconds) and seconds >= 0,
        "attempts": is_count(attempts),
        "ordered": ordered is None or isinstance(ordered, bool),
        "answer": answer is None or isinstance(answer, str),
        "texts": texts is None or (are_texts(texts) and len(texts) == size),
        "unmatched": unmatched is None or are_texts(unmatched),
        "concealed": concealed is None or is_count(concealed),
    }
    if wrong := [field for field, is_valid in valid.items() if not is_valid]:
        raise FormatError(f"{place}: {wrong[0]} is invalid")
    scores = None if scores is None else list(map(float, scores))
    more = (bool(ordered), answer, texts, tuple(unmatched or ()), concealed or 0)
    return Outcome(str(query), LiveRanking(ids, scores, repeats, rose, *more), float(seconds), attempts)


def are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def fits_float(value: object) -> bool:
    try:
        return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
