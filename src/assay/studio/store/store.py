"""`Store`: votes, voters, tokens, and what live search added, in an SQLite file or in PostgreSQL.

Every method is one transaction and can be called from any thread. What `record` has returned is on the disk. Passwords
are salted scrypt hashes, with the parameters that OWASP's cheat sheet of 2025 names for 16 MB.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import os
import secrets
import time
import unicodedata
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Self

from sqlalchemy import delete, func, insert, select, update

from assay.core.errors import AssayError, DataError
from assay.core.text import show
from assay.studio.store.database import Place, back_up, explain_failures, find_place, open_engine, prepare
from assay.studio.store.record import COLUMNS, batches, create_voters, record_votes, record_whole
from assay.studio.store.schema import (
    EVENTS,
    LONGEST_DOCUMENT,
    LONGEST_NAME,
    LONGEST_QUERY,
    PASSAGES,
    QUESTIONS,
    RANKINGS,
    SETTINGS,
    TOKENS,
    VOTER_KINDS,
    VOTERS,
    StoredVoter,
    VoteEvent,
    VoterKind,
    check_choice,
    check_name,
    check_text,
    digest,
    is_finite,
    storable,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from types import TracebackType

    from sqlalchemy import Connection, Engine

    from assay.studio.store.schema import NewVote, Recorded

VOTER_COLUMNS = (VOTERS.c.name, VOTERS.c.kind, VOTERS.c.password, VOTERS.c.is_admin, VOTERS.c.created)
# The setting that holds what signs cookies.
SECRET = "cookie-secret"  # noqa: S105 - its name
SECRET_BYTES = 32
LONGEST_QUESTION = 2000
# Of scrypt: its parameters, the memory that it may take, and the salt, in bytes.
COST, BLOCK, LANES = 1 << 14, 8, 5
MEMORY = 64 << 20
SALT = 16
LONGEST_PASSWORD = 1000
# What nobody's password is checked against.
NOBODY = f"scrypt:{COST}:{BLOCK}:{LANES}:{'00' * SALT}:{'00' * 64}"


class Store:
    """What a studio keeps; open one with `Store.open`."""

    def __init__(self, engine: Engine, place: Place) -> None:
        self._engine = engine
        self._writing = engine.execution_options(writing=True)
        self._place = place

    @classmethod
    def open(cls, where: str | os.PathLike[str]) -> Self:
        """The store in a file, which is created if there is none, or at postgresql://user:password@host/database."""
        place = find_place(where)
        engine = open_engine(place)
        try:
            with explain_failures(place.name):
                prepare(engine, place)
                if place.path is not None:
                    # The write-ahead log: who reads does not wait for who writes. The file remembers it.
                    with closing(engine.raw_connection()) as connection:
                        connection.cursor().execute("PRAGMA journal_mode = WAL")
        except BaseException:
            engine.dispose()
            raise
        return cls(engine, place)

    def close(self) -> None:
        self._engine.dispose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self._place.name})"

    @contextmanager
    def _read(self) -> Iterator[Connection]:
        with explain_failures(self._place.name), self._engine.begin() as connection:
            yield connection

    @contextmanager
    def _write(self) -> Iterator[Connection]:
        with explain_failures(self._place.name), self._writing.begin() as connection:
            yield connection

    # Votes

    def record(self, votes: Sequence[NewVote]) -> list[Recorded | AssayError]:
        """Records votes in one transaction; one that cannot be recorded has its error in its place."""
        if not votes:
            return []
        with self._write() as connection:
            return record_votes(connection, votes)

    def record_whole(self, votes: Sequence[NewVote], kinds: Mapping[str, VoterKind] | None = None) -> list[Recorded]:
        """Records all votes in one transaction; if one cannot be, it raises, and nothing is recorded.

        Voters who are not there are of the kind that `kinds` says, else persons.
        """
        if not votes:
            return []
        with self._write() as connection:
            return record_whole(connection, votes, kinds or {})

    def events(
        self,
        after: int = 0,
        limit: int | None = None,
        query: str | None = None,
        document: str | None = None,
        voter: str | None = None,
    ) -> list[VoteEvent]:
        """The events past an id, in order; only those of a query, a document or a voter, if they are given."""
        wanted = {"query": query, "document": document, "voter": voter}
        given = {name: value for name, value in wanted.items() if value is not None}
        if not all(is_storable(value) for value in given.values()):
            return []
        where = [EVENTS.c.id > after, *(EVENTS.c[name] == value for name, value in given.items())]
        with self._read() as connection:
            rows = connection.execute(select(*COLUMNS).where(*where).order_by(EVENTS.c.id).limit(limit))
            return [VoteEvent(*row) for row in rows]

    # Voters

    def add_voter(
        self, name: str, kind: VoterKind = "person", password: str | None = None, *, is_admin: bool | None = None
    ) -> StoredVoter:
        """A voter of that name; of one who is there, only a password and `is_admin` change, if they are given."""
        check_name("voter", name)
        check_choice("kind", kind, VOTER_KINDS)
        hashed = None if password is None else hash_password(password)
        given = {"password": hashed, "is_admin": is_admin}
        changes = {field: value for field, value in given.items() if value is not None}
        with self._write() as connection:
            known = find_voter(connection, name)
            if known is None:
                values = {"kind": kind, "is_admin": False, "created": time.time(), **changes}
                connection.execute(insert(VOTERS).values(name=name, **values))
            elif changes:
                check_same_kind(known, kind)
                connection.execute(update(VOTERS).where(VOTERS.c.name == name).values(**changes))
            found = find_voter(connection, name)
        if found is None:
            raise DataError(f"the voter {show(name)} could not be added")
        return found

    def voters(self) -> list[StoredVoter]:
        with self._read() as connection:
            return sorted(map(as_voter, connection.execute(select(*VOTER_COLUMNS))), key=lambda voter: voter.name)

    def voter(self, name: str) -> StoredVoter | None:
        if not is_storable(name):
            return None
        with self._read() as connection:
            return find_voter(connection, name)

    def check_password(self, name: str, password: str) -> bool:
        """Whether it is the password of that voter; takes as long if there is no such voter."""
        kept = None
        if is_storable(name):
            with self._read() as connection:
                kept = connection.scalar(select(VOTERS.c.password).where(VOTERS.c.name == name))
        return is_password(password, kept)

    # Tokens

    def add_token(self, application: str) -> str:
        """A new token for an application; the store keeps only its digest."""
        check_name("application", application)
        token = secrets.token_urlsafe(32)
        values = {"digest": token_digest(token), "application": application, "created": time.time()}
        with self._write() as connection:
            connection.execute(insert(TOKENS).values(**values))
        return token

    def token_application(self, token: str) -> str | None:
        """Whose token it is; None if it is nobody's."""
        with self._read() as connection:
            return connection.scalar(select(TOKENS.c.application).where(TOKENS.c.digest == token_digest(token)))

    def revoke_tokens(self, application: str) -> int:
        """Makes all tokens of an application worthless; returns how many there were."""
        if not is_storable(application):
            return 0
        with self._write() as connection:
            return connection.execute(delete(TOKENS).where(TOKENS.c.application == application)).rowcount

    def applications(self) -> list[str]:
        with self._read() as connection:
            return sorted(connection.scalars(select(TOKENS.c.application).distinct()))

    # Live search

    def add_question(self, text: str, by: str) -> str:
        """The id of a question that somebody typed; the same text has the same id."""
        words = check_text("the question", " ".join(text.split()), LONGEST_QUESTION)
        check_name("voter", by)
        key = digest(words)
        with self._write() as connection:
            number = connection.scalar(select(QUESTIONS.c.number).where(QUESTIONS.c.digest == key))
            if number is None:
                now = time.time()
                create_voters(connection, [by], now, {})
                number = (connection.scalar(select(func.max(QUESTIONS.c.number))) or 0) + 1
                values = {"number": number, "digest": key, "text": words, "voter": by, "created": now}
                connection.execute(insert(QUESTIONS).values(**values))
        return f"search-{number}"

    def questions(self) -> dict[str, str]:
        with self._read() as connection:
            rows = connection.execute(select(QUESTIONS.c.number, QUESTIONS.c.text).order_by(QUESTIONS.c.number))
            return {f"search-{number}": words for number, words in rows}

    def keep_passages(self, texts: Mapping[str, str]) -> None:
        """Keeps the texts of documents; the first text of a document stays."""
        rows = {}
        for document, words in texts.items():
            key = digest(check_text("the document", document, LONGEST_DOCUMENT))
            rows[key] = {"digest": key, "document": document, "text": storable(words)}
        with self._write() as connection:
            for part in batches(rows):
                known = connection.scalars(select(PASSAGES.c.digest).where(PASSAGES.c.digest.in_(part)))
                there = set(map(bytes, known))
                new = [rows[key] for key in part if key not in there]
                if new:
                    connection.execute(insert(PASSAGES), new)

    def passages(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of those documents that were kept."""
        found: dict[str, str] = {}
        keys = [digest(document) for document in ids if is_storable(document)]
        with self._read() as connection:
            for part in batches(keys):
                rows = connection.execute(select(PASSAGES).where(PASSAGES.c.digest.in_(part)))
                found |= {row.document: row.text for row in rows}
        return found

    def keep_ranking(self, query: str, documents: Sequence[str], scores: Sequence[float]) -> None:
        """Keeps what live search returned for a query; the last one stays."""
        check_text("the query", query, LONGEST_QUERY)
        for document in documents:
            check_text("the document", document, LONGEST_DOCUMENT)
        if wrong := [score for score in scores if not is_finite(score)]:
            raise DataError(f"the score {show(wrong[0])} is not a finite number")
        ranking = json.dumps(list(zip(documents, map(float, scores), strict=True)), ensure_ascii=False)
        with self._write() as connection:
            connection.execute(delete(RANKINGS).where(RANKINGS.c.query == query))
            connection.execute(insert(RANKINGS).values(query=query, ranking=ranking))

    def rankings(self) -> dict[str, list[tuple[str, float]]]:
        """What live search returned last, by query."""
        with self._read() as connection:
            rows = connection.execute(select(RANKINGS.c.query, RANKINGS.c.ranking)).all()
        return {
            query: [(document, score) for document, score in json.loads(ranking)] for query, ranking in sorted(rows)
        }

    # Settings

    def setting(self, name: str) -> str | None:
        """A setting, such as the guidelines."""
        with self._read() as connection:
            return find_setting(connection, name)

    def set_setting(self, name: str, value: str) -> None:
        check_text("the name of the setting", name, LONGEST_NAME)
        check_text(f"the setting {name}", value, None)
        with self._write() as connection:
            put_setting(connection, name, value)

    def secret(self) -> bytes:
        """What signs cookies: random bytes that were made once."""
        with self._write() as connection:
            found = find_setting(connection, SECRET)
            if found is None:
                found = secrets.token_hex(SECRET_BYTES)
                put_setting(connection, SECRET, found)
        return bytes.fromhex(found)

    def backup(self, path: str | os.PathLike[str]) -> None:
        with explain_failures(self._place.name):
            back_up(self._engine, self._place, path)


def is_storable(words: str) -> bool:
    """Whether a database can hold a text; what it cannot hold, it has not."""
    return "\0" not in words and storable(words) == words


def token_digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def find_voter(connection: Connection, name: str) -> StoredVoter | None:
    row = connection.execute(select(*VOTER_COLUMNS).where(VOTERS.c.name == name)).first()
    return None if row is None else as_voter(row)


def check_same_kind(known: StoredVoter, kind: VoterKind) -> None:
    if known.kind != kind:
        raise DataError(f"{show(known.name)} is a {known.kind} here, not a {kind}; choose another name")


def as_voter(row: Sequence[Any]) -> StoredVoter:
    name, kind, password, is_admin, created = row
    return StoredVoter(name, kind, password is not None, bool(is_admin), created, mark_of(password))


def find_setting(connection: Connection, name: str) -> str | None:
    return connection.scalar(select(SETTINGS.c.value).where(SETTINGS.c.name == name))


def put_setting(connection: Connection, name: str, value: str) -> None:
    connection.execute(delete(SETTINGS).where(SETTINGS.c.name == name))
    connection.execute(insert(SETTINGS).values(name=name, value=value))


def hash_password(password: str) -> str:
    if not password or len(password) > LONGEST_PASSWORD:
        raise DataError(f"a password has 1 to {LONGEST_PASSWORD:,} characters")
    salt = secrets.token_bytes(SALT)
    derived = derive(password, salt, COST, BLOCK, LANES)
    return f"scrypt:{COST}:{BLOCK}:{LANES}:{salt.hex()}:{derived.hex()}"


def is_password(password: str, kept: str | None) -> bool:
    """Whether a password is the one that was kept; takes as long where none was."""
    _, cost, block, lanes, salt, expected = (kept or NOBODY).split(":")
    derived = derive(password[:LONGEST_PASSWORD], bytes.fromhex(salt), int(cost), int(block), int(lanes))
    return hmac.compare_digest(derived, bytes.fromhex(expected)) and kept is not None


def mark_of(kept: str | None) -> str:
    """What tells a kept password from any other, and says nothing about it; empty where none is kept."""
    return "" if kept is None else hashlib.sha256(b"mark:" + kept.encode()).hexdigest()[:32]


def derive(password: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    """The hash; a letter with an accent is the same however the keyboard composes it."""
    text = unicodedata.normalize("NFC", password).encode(errors="surrogatepass")
    return hashlib.scrypt(text, salt=salt, n=cost, r=block, p=lanes, maxmem=MEMORY)
