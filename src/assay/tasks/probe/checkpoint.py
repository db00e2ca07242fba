"""A checkpoint: a file of JSON Lines that holds every answered question, so that none of them is asked again.

Its first line says what it belongs to; every other line is one answer, written as soon as it is there. A last line that
is not whole, as a killed process leaves it, is dropped. Questions that failed are not in it. The request may hold keys:
only a digest of it is kept, salted and slow to make, so that a key cannot be found by trying.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
import secrets
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from assay._kernel import __version__
from assay.core.errors import FileError, FormatError, MismatchError
from assay.core.text import show
from assay.data.passages import is_number
from assay.data.source import quoted
from assay.tasks.probe.asking import Outcome
from assay.tasks.probe.found import Answer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FORMAT = 1
ROUNDS = 100_000
FIELDS = ("query_id", "ids", "scores", "repeats", "rose", "seconds", "attempts")


class Belongs(NamedTuple):
    """What a checkpoint belongs to: a search, k, the questions, and all else that decides on what is found."""

    name: str
    k: int
    questions: Mapping[str, str]
    request: object

    @property
    def beginning(self) -> str:
        """The first line up to what is another each time."""
        fields = {"assay_checkpoint": FORMAT, "version": __version__, "name": self.name, "k": self.k}
        return json.dumps(fields).removesuffix("}") + ", "

    def line(self, salt: str) -> str:
        """The first line."""
        fields = {"salt": salt, "questions": digest(sorted(self.questions.items())), "request": self.sealed(salt)}
        return self.beginning + json.dumps(fields).removeprefix("{") + "\n"

    def sealed(self, salt: str) -> str:
        """The request as a digest."""
        written = json.dumps(self.request, sort_keys=True).encode()
        return hashlib.pbkdf2_hmac("sha256", written, salt.encode(), ROUNDS).hex()


def digest(value: object) -> str:
    """A short text that is another for another value."""
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class Checkpoint:
    """An open checkpoint: what it held, and a place to add to."""

    def __init__(self, finished: dict[str, Outcome], file: IO[bytes] | None, name: str = "") -> None:
        self.finished = finished
        self.file = file
        self.name = name

    def add(self, outcome: Outcome) -> None:
        """Writes an answer down at once."""
        if self.file is None or outcome.answer is None:
            return
        answer = outcome.answer
        values = (outcome.query, *answer, outcome.seconds, outcome.attempts)
        with usable(self.name):
            self.file.write(json.dumps(dict(zip(FIELDS, values, strict=True))).encode() + b"\n")
            self.file.flush()


@contextmanager
def open_checkpoint(path: str | os.PathLike[str] | None, owner: Belongs) -> Iterator[Checkpoint]:
    """The checkpoint, begun if it is not there; one that remembers nothing where there is no path."""
    if path is None:
        yield Checkpoint({}, None)
        return
    name = quoted(path)
    if Path(path).exists() and not Path(path).is_file():
        # A pipe or a device might be read for ever.
        raise FileError(f"the checkpoint {name} cannot be used: it is no ordinary file")
    with ExitStack() as stack:
        with usable(name):
            file = stack.enter_context(Path(path).open("a+b"))
            finished = resume(file, name, owner)
        yield Checkpoint(finished, file, name)


@contextmanager
def usable(name: str) -> Iterator[None]:
    """Says of which file it is that the system will not read or write it."""
    try:
        yield
    except OSError as error:
        raise FileError(f"the checkpoint {name} cannot be used: {error.strerror or error}") from error


def resume(file: IO[bytes], name: str, owner: Belongs) -> dict[str, Outcome]:
    """What the file holds; its end is then where the next answer goes."""
    file.seek(0)
    content = file.read()
    whole, _, rest = content.rpartition(b"\n")
    if b"\n" not in content:
        # Nothing of another file is written over: what stands there must be the beginning of this very line.
        beginning = owner.beginning.encode()
        if rest[: len(beginning)] != beginning[: len(rest)]:
            raise FormatError(f"{name} is no checkpoint; name a file of its own")
        file.truncate(0)
        file.write(owner.line(secrets.token_hex(16)).encode())
        file.flush()
        return {}
    lines = whole.split(b"\n")
    check_owner(parsed(lines[0], name, 1), name, owner)
    finished = {}
    for number, line in enumerate(lines[1:], start=2):
        outcome = read_outcome(parsed(line, name, number), f"{name}, line {number}", owner.questions)
        finished[outcome.query] = outcome
    file.truncate(len(whole) + 1)
    return finished


def parsed(line: bytes, name: str, number: int) -> dict[str, Any]:
    try:
        record = json.loads(line)
    except (ValueError, RecursionError):
        record = None
    if isinstance(record, dict):
        return record
    if number == 1:
        raise FormatError(f"{name} is no checkpoint; name a file of its own")
    raise FormatError(f"{name}, line {number}: this is no answer; take the line out, and its question is asked again")


def check_owner(header: dict[str, Any], name: str, owner: Belongs) -> None:
    """Raises unless the checkpoint is of the same search, the same questions and the same k."""
    salt = header.get("salt")
    if header.get("assay_checkpoint") != FORMAT or not isinstance(salt, str):
        raise FormatError(f"{name} is no checkpoint that assay {__version__} can read; name a file of its own")
    reasons = {
        "name": f"is of {show(header.get('name'))}, not of {show(owner.name)}",
        "k": f"was made with k={show(header.get('k'))}, not {owner.k}",
        "questions": "is of other questions",
        "request": "was made with another request (address, body or headers) or another place of the ids",
    }
    expected = json.loads(owner.line(salt))
    for field, reason in reasons.items():
        if header.get(field) != expected[field]:
            raise MismatchError(f"the checkpoint {name} {reason}; name another file, or delete it to begin anew")


def read_outcome(record: dict[str, Any], place: str, questions: Mapping[str, str]) -> Outcome:
    """One answer, with every field checked."""
    query, ids, scores, repeats, rose, seconds, attempts = (record.get(field) for field in FIELDS)
    wrong = [
        field
        for field, is_right in (
            ("query_id", isinstance(query, str) and query in questions),
            ("ids", isinstance(ids, list) and all(isinstance(each, str) and each for each in ids)),
            ("scores", scores is None or (is_scores(scores) and isinstance(ids, list) and len(scores) == len(ids))),
            ("repeats", is_count(repeats)),
            ("rose", isinstance(rose, bool)),
            ("seconds", is_finite(seconds) and seconds >= 0),  # type: ignore[operator]
            ("attempts", is_count(attempts)),
        )
        if not is_right
    ]
    if wrong:
        raise FormatError(f"{place}: {wrong[0]} is not as it should be; take the line out to have it asked again")
    scores = None if scores is None else list(map(float, scores))
    return Outcome(str(query), Answer(ids, scores, repeats, rose), float(seconds), attempts)  # type: ignore[arg-type]


def is_scores(value: object) -> bool:
    return isinstance(value, list) and all(map(is_finite, value))


def is_finite(value: object) -> bool:
    """Whether a value is a number that a float can hold."""
    try:
        return is_number(value) and math.isfinite(value)  # type: ignore[arg-type]
    except OverflowError:
        return False


def is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0
