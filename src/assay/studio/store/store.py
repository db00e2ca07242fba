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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from typing import Any, Self

from sqlalchemy import Connection, Engine, Row, Select, Table, bindparam, delete, func, insert, select, update

from assay.core.errors import AssayError, DataError
from assay.core.text import show
from assay.studio.store import schema
from assay.studio.store.database import Place, back_up, explain_failures, find_place, open_engine, prepare
from assay.studio.store.record import COLUMNS, batches, create_voters, record_votes

# The setting that holds what signs cookies.
SECRET = "cookie-secret"  # noqa: S105 - its name
SECRET_BYTES = 32
SETTING = select(schema.SETTINGS.c.value).where(schema.SETTINGS.c.name == bindparam("name"))
LONGEST_QUESTION = 2000
# How passwords are kept: scrypt's parameters, then the salt and the hash; the memory that it may take, in bytes.
SCRYPT = f"scrypt:{1 << 14}:8:5"
MEMORY = 64 << 20
SALT = 16
LONGEST_PASSWORD = 1000


class Store:
    """What a studio keeps; open one with `Store.open`."""

    def __init__(self, engine: Engine, place: Place) -> None:
        self._engine, self._place = engine, place
        self._writing = engine.execution_options(writing=True)

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

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({self._place.name})"

    @contextmanager
    def _begin(self, *, writing: bool = False) -> Iterator[Connection]:
        with explain_failures(self._place.name), (self._writing if writing else self._engine).begin() as connection:
            yield connection

    # Votes

    def record(self, votes: Sequence[schema.NewVote]) -> list[schema.Recorded | AssayError]:
        """Records votes in one transaction; one that cannot be recorded has its error in its place."""
        with self._begin(writing=True) as connection:
            return record_votes(connection, votes)

    def record_whole(
        self, votes: Sequence[schema.NewVote], kinds: Mapping[str, schema.VoterKind] | None = None
    ) -> list[schema.Recorded]:
        """Records all votes or raises; new voters are persons unless `kinds` says more, others must be of its kinds."""
        recorded = []
        with self._begin(writing=True) as connection:
            for outcome in record_votes(connection, votes, kinds):
                if isinstance(outcome, AssayError):
                    raise outcome
                recorded.append(outcome)
            for part in batches(kinds or {}):
                for voter in connection.execute(select(schema.VOTERS).where(schema.VOTERS.c.name.in_(part))):
                    if kinds and voter.kind != kinds[voter.name]:
                        said = f"{show(voter.name)} is a {voter.kind} here"
                        raise DataError(f"{said}; import these votes as {voter.kind}")
        return recorded

    def events(
        self,
        after: int = 0,
        limit: int | None = None,
        query: str | None = None,
        document: str | None = None,
        voter: str | None = None,
    ) -> list[schema.VoteEvent]:
        """The events past an id, in order; only those of a query, a document or a voter, if they are given."""
        wanted = {"query": query, "document": document, "voter": voter}
        given = {name: value for name, value in wanted.items() if value is not None}
        if not all(is_storable(value) for value in given.values()):
            return []
        where = [schema.EVENTS.c.id > after, *(schema.EVENTS.c[name] == value for name, value in given.items())]
        found = select(*COLUMNS).where(*where).order_by(schema.EVENTS.c.id).limit(limit)
        return [schema.VoteEvent(*row) for row in self._rows(found)]

    def _rows(self, statement: Select[Any]) -> Sequence[Any]:
        with self._begin() as connection:
            return connection.execute(statement).all()

    # Voters

    def add_voter(
        self, name: str, kind: schema.VoterKind = "person", password: str | None = None, *, is_admin: bool | None = None
    ) -> schema.StoredVoter:
        """A voter of that name; of one who is there, only a password and `is_admin` change, if they are given."""
        schema.check_name("voter", name)
        schema.check_choice("kind", kind, schema.VOTER_KINDS)
        given = {"password": None if password is None else hash_password(password), "is_admin": is_admin}
        changes = {field: value for field, value in given.items() if value is not None}
        with self._begin(writing=True) as connection:
            known = connection.execute(voter_named(name)).first()
            if known is None:
                values = {"name": name, "kind": kind, "is_admin": False, "created": time.time(), **changes}
                connection.execute(insert(schema.VOTERS).values(**values))
            elif changes:
                check_same_kind(as_voter(known), kind)
                connection.execute(update(schema.VOTERS).where(schema.VOTERS.c.name == name).values(**changes))
            return as_voter(connection.execute(voter_named(name)).one())

    def voters(self) -> list[schema.StoredVoter]:
        return sorted(map(as_voter, self._rows(select(schema.VOTERS))), key=lambda voter: voter.name)

    def voter(self, name: str) -> schema.StoredVoter | None:
        return next(map(as_voter, self._rows(voter_named(name))), None) if is_storable(name) else None

    def check_password(self, name: str, password: str) -> bool:
        """Whether it is the password of that voter; takes as long if there is no such voter."""
        found = self._rows(voter_named(name)) if is_storable(name) else []
        kept = next((row.password for row in found), None)
        how, _, expected = (kept or f"{SCRYPT}:{'00' * SALT}:").rpartition(":")
        return hmac.compare_digest(derive(password[:LONGEST_PASSWORD], how), expected) and kept is not None

    # Tokens

    def add_token(self, application: str) -> str:
        """A new token for an application; the store keeps only its digest."""
        schema.check_name("application", application)
        token = secrets.token_urlsafe(32)
        values = {"digest": token_digest(token), "application": application, "created": time.time()}
        with self._begin(writing=True) as connection:
            connection.execute(insert(schema.TOKENS).values(**values))
        return token

    def token_application(self, token: str) -> str | None:
        """Whose token it is; None if it is nobody's."""
        found = self._rows(select(schema.TOKENS.c.application).where(schema.TOKENS.c.digest == token_digest(token)))
        return next((row.application for row in found), None)

    def revoke_tokens(self, application: str) -> int:
        """Makes all tokens of an application worthless; returns how many there were."""
        if not is_storable(application):
            return 0
        with self._begin(writing=True) as connection:
            return connection.execute(delete(schema.TOKENS).where(schema.TOKENS.c.application == application)).rowcount

    def applications(self) -> list[str]:
        return sorted(row.application for row in self._rows(select(schema.TOKENS.c.application).distinct()))

    # Live search

    def add_question(self, text: str, by: str) -> str:
        """The id of a question that somebody typed; the same text has the same id."""
        words = schema.check_text("the question", " ".join(text.split()), LONGEST_QUESTION)
        schema.check_name("voter", by)
        key = schema.digest(words)
        with self._begin(writing=True) as connection:
            number = connection.scalar(select(schema.QUESTIONS.c.number).where(schema.QUESTIONS.c.digest == key))
            if number is None:
                now = time.time()
                create_voters(connection, [by], now, {})
                number = (connection.scalar(select(func.max(schema.QUESTIONS.c.number))) or 0) + 1
                values = {"number": number, "digest": key, "text": words, "voter": by, "created": now}
                connection.execute(insert(schema.QUESTIONS).values(**values))
        return f"search-{number}"

    def questions(self) -> dict[str, str]:
        rows = self._rows(select(schema.QUESTIONS).order_by(schema.QUESTIONS.c.number))
        return {f"search-{row.number}": row.text for row in rows}

    def keep_passages(self, texts: Mapping[str, str]) -> None:
        """Keeps the texts of documents; the first text of a document stays."""
        rows = {}
        for document, words in texts.items():
            key = schema.digest(schema.check_text("the document", document, schema.LONGEST_DOCUMENT))
            rows[key] = {"digest": key, "document": document, "text": schema.storable(words)}
        with self._begin(writing=True) as connection:
            for part in batches(rows):
                known = connection.scalars(select(schema.PASSAGES.c.digest).where(schema.PASSAGES.c.digest.in_(part)))
                there = set(map(bytes, known))
                new = [rows[key] for key in part if key not in there]
                if new:
                    connection.execute(insert(schema.PASSAGES), new)

    def passages(self, ids: Iterable[str]) -> dict[str, str]:
        """The texts of those documents that were kept."""
        found: dict[str, str] = {}
        with self._begin() as connection:
            for part in batches(schema.digest(document) for document in ids if is_storable(document)):
                rows = connection.execute(select(schema.PASSAGES).where(schema.PASSAGES.c.digest.in_(part)))
                found |= {row.document: row.text for row in rows}
        return found

    def keep_ranking(self, query: str, ranking: Sequence[tuple[str, float]]) -> None:
        """Keeps what live search returned for a query; the last one stays."""
        schema.check_text("the query", query, schema.LONGEST_QUERY)
        for document, score in ranking:
            schema.check_text("the document", document, schema.LONGEST_DOCUMENT)
            if not schema.is_finite(score):
                raise DataError(f"the score {show(score)} is not a finite number")
        kept = json.dumps([(document, float(score)) for document, score in ranking], ensure_ascii=False)
        with self._begin(writing=True) as connection:
            put(connection, schema.RANKINGS, query=query, ranking=kept)

    def rankings(self) -> dict[str, list[tuple[str, float]]]:
        """What live search returned last, by query."""
        rows = sorted(map(tuple, self._rows(select(schema.RANKINGS))))
        return {query: [(document, score) for document, score in json.loads(ranking)] for query, ranking in rows}

    # Settings

    def setting(self, name: str) -> str | None:
        """A setting, such as the guidelines."""
        with self._begin() as connection:
            return connection.scalar(SETTING, {"name": name})

    def set_setting(self, name: str, value: str) -> None:
        schema.check_text("the name of the setting", name, schema.LONGEST_NAME)
        schema.check_text(f"the setting {name}", value, None)
        with self._begin(writing=True) as connection:
            put(connection, schema.SETTINGS, name=name, value=value)

    def secret(self) -> bytes:
        """What signs cookies: random bytes that were made once."""
        with self._begin(writing=True) as connection:
            found = connection.scalar(SETTING, {"name": SECRET})
            if found is None:
                found = secrets.token_hex(SECRET_BYTES)
                put(connection, schema.SETTINGS, name=SECRET, value=found)
        return bytes.fromhex(found)

    def backup(self, path: str | os.PathLike[str]) -> None:
        with explain_failures(self._place.name):
            back_up(self._engine, self._place, path)


def is_storable(words: str) -> bool:
    """Whether a database can hold a text; what it cannot hold, it has not."""
    return "\0" not in words and schema.storable(words) == words


def token_digest(token: str) -> bytes:
    return hashlib.sha256(token.encode(errors="surrogatepass")).digest()


def voter_named(name: str) -> Select[Any]:
    return select(schema.VOTERS).where(schema.VOTERS.c.name == name)


def as_voter(row: Row[Any]) -> schema.StoredVoter:
    """A voter without the password; what tells it from any other says nothing about it."""
    kept = row.password
    mark = "" if kept is None else hashlib.sha256(b"mark:" + kept.encode()).hexdigest()[:32]
    return schema.StoredVoter(row.name, row.kind, kept is not None, row.is_admin, row.created, mark)


def check_same_kind(known: schema.StoredVoter, kind: schema.VoterKind) -> None:
    if known.kind != kind:
        raise DataError(f"{show(known.name)} is a {known.kind} here, not a {kind}; choose another name")


def put(connection: Connection, table: Table, **row: str) -> None:
    """Writes a row in place of the one with the same key."""
    (key,) = table.primary_key
    connection.execute(delete(table).where(key == row[key.name]))
    connection.execute(insert(table).values(**row))


def hash_password(password: str) -> str:
    if not password or len(password) > LONGEST_PASSWORD:
        raise DataError(f"a password has 1 to {LONGEST_PASSWORD:,} characters")
    how = f"{SCRYPT}:{secrets.token_hex(SALT)}"
    return f"{how}:{derive(password, how)}"


def derive(password: str, how: str) -> str:
    """The hash, by parameters and a salt; a letter with an accent is the same however the keyboard composes it."""
    _, cost, block, lanes, salt = how.split(":")
    text = unicodedata.normalize("NFC", password).encode(errors="surrogatepass")
    parameters = {"n": int(cost), "r": int(block), "p": int(lanes), "maxmem": MEMORY}
    return hashlib.scrypt(text, salt=bytes.fromhex(salt), **parameters).hex()
