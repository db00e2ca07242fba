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
from assay.data.source import Source, temporary_folder
from assay.studio.exchange.quepid import unpivot
from assay.studio.exchange.votes import unescape_formula
from assay.studio.store.events import EVENT_KINDS, VOTER_KINDS, EventKind, NewVote, VoterKind
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
    return VoteFile([with_query(vote, ids) for vote in votes], notes, rows.voter_kinds())


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
        value = self.columns[field][row] if field in self.columns else None
        return None if value == "" else value

    def typed(self, text: str) -> str:
        """What somebody typed."""
        return unescape_formula(text) if self.is_escaped else text

    def comment(self, row: int) -> str:
        return self.typed(str(self.cell("comment", row) or ""))

    def time(self, row: int) -> float | None:
        seconds = as_seconds(self.cell("time", row), self.events, row)
        return seconds if math.isfinite(seconds) else None

    def kind(self, row: int) -> EventKind:
        kind = self.cell("kind", row) if self.is_own else None
        if kind not in (None, *EVENT_KINDS):
            place = self.events.place(row)
            raise FormatError(f"{place}: the kind {show(kind)} must be {' or '.join(EVENT_KINDS)}")
        return kind or "vote"

    def voter_kinds(self) -> dict[str, VoterKind]:
        """The kind of each voter, where a studio wrote it."""
        found: dict[str, VoterKind] = {}
        if not self.is_own or "voter_kind" not in self.columns or "voter" not in self.columns:
            return found
        for row, name in enumerate(self.events.ids("voter").to_list()):
            kind = self.cell("voter_kind", row)
            if not name or kind is None:
                continue
            if kind not in VOTER_KINDS:
                allowed = " or ".join(VOTER_KINDS)
                raise FormatError(f"{self.events.place(row)}: the kind {show(kind)} of the voter must be {allowed}")
            if found.setdefault(self.typed(name), kind) != kind:
                before = found[self.typed(name)]
                raise FormatError(f"{self.events.place(row)}: {show(name)} is a {kind} here, and a {before} before")
        return found

    def text(self, field: str, row: int) -> str:
        """A field that only a studio writes."""
        value = self.cell(field, row) if self.is_own else None
        return "" if value is None else str(value)


def votes_of(rows: Rows, voter: str | None, scale: str) -> tuple[list[NewVote], list[Note]]:
    """The rows as votes to record."""
    events = rows.events
    # A studio writes grades as they are.
    values, _, notes = read_values(events, "grades" if rows.is_own and scale == "auto" else scale)
    voters = events.ids("voter").to_list() if "voter" in rows.columns else [None] * len(values)
    ids = zip(events.needed_ids("query"), events.needed_ids("document"), voters, values.tolist(), strict=True)
    votes = [
        NewVote(
            query,
            document,
            rows.typed(name) if name else needed_voter(voter),
            None if math.isnan(value) else value,
            comment=rows.comment(row),
            key=rows.text("key", row) or None,
            kind=rows.kind(row),
            source="import",
            time=rows.time(row),
            application=rows.text("application", row),
        )
        for row, (query, document, name, value) in enumerate(ids)
    ]
    kept = without_past_decisions(votes, rows)
    if len(kept) < len(votes):
        notes.append(Note.of(NoteKind.VOTES, about="past", count=len(votes) - len(kept)))
    return kept, notes


def without_past_decisions(votes: list[NewVote], rows: Rows) -> list[NewVote]:
    """The votes without decisions that were replaced or taken back, and without what took them back.

    A withdrawal names what it takes back by an id, which is another one where it is read.
    """
    numbers = [rows.text("id", row) for row in range(len(votes))]
    replaced = [rows.text("replaces", row) for row in range(len(votes))]
    decisions = {number for number, vote in zip(numbers, votes, strict=True) if vote.kind == "decision" and number}
    past = decisions.intersection(replaced)
    return [
        vote
        for vote, number, other in zip(votes, numbers, replaced, strict=True)
        if number not in past and not (vote.kind == "withdrawal" and other in past)
    ]


def with_query(vote: NewVote, ids: Mapping[str, str]) -> NewVote:
    """The vote with the id of its query in place of the text."""
    return replace(vote, query=ids[vote.query]) if vote.query in ids else vote
