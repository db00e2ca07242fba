"""Reads votes and judgments of any origin as votes to record: tables, TREC qrels, and Quepid's ratings and books."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError, FormatError
from assay.core.note import Note, NoteKind
from assay.core.text import show
from assay.data.events import Events, find_fields, read_events, read_parts
from assay.data.qrels import read_qrels
from assay.files.source import Source, temporary_folder
from assay.studio.exchange.quepid import unpivot
from assay.studio.exchange.writing import unescape_formula
from assay.studio.store.events import EVENT_KINDS, VOTER_KINDS, NewVote, VoterKind
from assay.tasks.vote.ballots import FIELDS, NEEDED, as_seconds, read_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

# A format, and the ending under which its reader knows it.
READ_FORMATS = {
    "trec": "qrels",
    "csv": "csv",
    "jsonl": "jsonl",
    "parquet": "parquet",
    "quepid": "csv",
    "quepid-book": "csv",
}
NAME = "the file"
# What only files of a studio have.
OWN = {name: (name,) for name in ("kind", "source", "application", "key", "id", "replaces", "voter_kind")}


class VoteFile(NamedTuple):
    """The votes in a file, notes on how they were read, and the kinds of voters, where the file says them."""

    votes: list[NewVote]
    notes: list[Note]
    kinds: dict[str, VoterKind]


def read_votes(
    data: bytes,
    format: str,
    *,
    voter: str | None = None,
    scale: str = "auto",
    questions: Mapping[str, str] | None = None,
) -> VoteFile:
    """The votes in a file, notes on how they were read, and the kinds of voters that it names.

    `voter` is whose votes those without a name are: it is needed for judgments. `scale` says what -1, 0 and 1 are, as
    in `assay.votes`. Texts of queries in Quepid's files become their ids in `questions`.
    """
    if format not in READ_FORMATS:
        raise FormatError(f"unknown format {show(format)}; choose one of {', '.join(READ_FORMATS)}")
    with as_source(data, READ_FORMATS[format]) as source:
        if format == "trec":
            return VoteFile(read_judgments(source, voter), [], {})
        events = read_book(source) if format == "quepid-book" else read_table(source)
    rows = Rows(events, is_csv=format == "csv")
    votes, notes = votes_of(rows, voter, scale)
    ids = {" ".join(text.split()): query for query, text in (questions or {}).items()} if "quepid" in format else {}
    votes = [replace(vote, query=ids.get(vote.query, vote.query)) for vote in votes]
    return VoteFile(votes, notes, rows.voter_kinds())


@contextmanager
def as_source(data: bytes, ending: str) -> Iterator[Source]:
    """What was sent, as a file whose ending says its format."""
    with temporary_folder() as folder:
        path = folder / f"data.{ending}"
        path.write_bytes(data)
        yield Source(path, NAME)


def read_judgments(source: Source, voter: str | None) -> list[NewVote]:
    """Judgments as the votes of one voter."""
    name = needed_voter(voter)
    grades = read_qrels(source, format="trec").to_dict()
    return [
        NewVote(query, document, name, grade, source="import")
        for query, documents in grades.items()
        for document, grade in documents.items()
    ]


def needed_voter(voter: str | None) -> str:
    if not voter:
        raise DataError(f"{NAME} does not say who voted; say whose votes these are")
    return voter


def read_table(source: Source) -> Events:
    return read_events(source, {**FIELDS, **OWN}, NEEDED, NAME)


def read_book(source: Source) -> Events:
    """The votes of a book, one row each."""
    import polars

    parts = [find_fields(unpivot(part), FIELDS, NEEDED) for part in read_parts(source, NAME)]
    whole = polars.concat([part.frame for part in parts]) if parts else polars.DataFrame()
    if not len(whole):
        raise DataError(f"{NAME} has no votes")
    return Events(whole, NAME, tuple(part for part in parts if len(part.frame)))


class Rows:
    """The rows of a file, field by field; `is_own` if a studio wrote it, `is_escaped` if it did so as CSV."""

    def __init__(self, events: Events, *, is_csv: bool) -> None:
        self.events = events
        self.columns = {name: events.frame[name].to_list() for name in events.frame.columns}
        self.is_own = {"kind", "source"} <= set(self.columns)
        self.is_escaped = self.is_own and is_csv

    def cell(self, field: str, row: int) -> Any:  # noqa: ANN401 - whatever the file has there
        """A field; those that only a studio writes count only in its files."""
        value = self.columns[field][row] if field in self.columns and (self.is_own or field not in OWN) else None
        return None if value == "" else value

    def text(self, field: str, row: int) -> str:
        value = self.cell(field, row)
        return "" if value is None else str(value)

    def typed(self, text: str) -> str:
        """What somebody typed."""
        return unescape_formula(text) if self.is_escaped else text

    def choice(self, field: str, row: int, what: str, choices: tuple[str, ...]) -> Any:  # noqa: ANN401 - one of them
        """A word that must be one of a few, where the file has it."""
        said = self.cell(field, row)
        if said not in (None, *choices):
            place = self.events.place(row)
            raise FormatError(f"{place}: the kind {show(said)}{what} must be {' or '.join(choices)}")
        return said

    def voter_kinds(self) -> dict[str, VoterKind]:
        """The kind of each voter, where a studio wrote it."""
        found: dict[str, VoterKind] = {}
        if not self.is_own or not {"voter", "voter_kind"} <= set(self.columns):
            return found
        for row, name in enumerate(self.events.ids("voter").to_list()):
            if not name or self.cell("voter_kind", row) is None:
                continue
            kind = self.choice("voter_kind", row, " of the voter", VOTER_KINDS)
            before = found.setdefault(self.typed(name), kind)
            if before != kind:
                raise FormatError(f"{self.events.place(row)}: {show(name)} is a {kind} here, and a {before} before")
        return found


def votes_of(rows: Rows, voter: str | None, scale: str) -> tuple[list[NewVote], list[Note]]:
    """The rows as votes to record, without decisions that were replaced or taken back, and without what took them back.

    A withdrawal names what it takes back by an id, which is another one where it is read.
    """
    events = rows.events
    # A studio writes grades as they are.
    values, _, notes = read_values(events, "grades" if rows.is_own and scale == "auto" else scale)
    voters = events.ids("voter").to_list() if "voter" in rows.columns else [None] * len(values)
    ids = zip(events.needed_ids("query"), events.needed_ids("document"), voters, values.tolist(), strict=True)
    votes = []
    for row, (query, document, name, value) in enumerate(ids):
        seconds = as_seconds(rows.cell("time", row), events, row)
        vote = NewVote(
            query,
            document,
            rows.typed(name) if name else needed_voter(voter),
            None if math.isnan(value) else value,
            comment=rows.typed(rows.text("comment", row)),
            key=rows.text("key", row) or None,
            kind=rows.choice("kind", row, "", EVENT_KINDS) or "vote",
            source="import",
            time=seconds if math.isfinite(seconds) else None,
            application=rows.text("application", row),
        )
        votes.append((vote, rows.text("id", row), rows.text("replaces", row)))
    decisions = {number for vote, number, _ in votes if vote.kind == "decision" and number}
    past = decisions.intersection(replaced for *_, replaced in votes)
    kept = [
        vote
        for vote, number, replaced in votes
        if number not in past and not (vote.kind == "withdrawal" and replaced in past)
    ]
    if len(kept) < len(votes):
        notes.append(Note.of(NoteKind.VOTES, about="past", count=len(votes) - len(kept)))
    return kept, notes
