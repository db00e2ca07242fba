"""Votes and judgments of a studio as files, in and out.

Votes: one row per event with who, when and why, as CSV, JSON Lines or Parquet; or as a book of Quepid. In CSV, a
comment or a name that a spreadsheet would take for a formula gets an apostrophe, which reading takes away. Judgments:
TREC, CSV, JSON Lines and Parquet as everywhere in assay, and Quepid's ratings.

Quepid's files are ratings (`query,docid,rating`), and books (`query,docid` and a column for each judge). Both name a
query by its text. Quepid puts a space before a text that a spreadsheet would take for a formula; so do we, and reading
takes it away. A book has no cell for what a judge could not rate.
"""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, NamedTuple, TypeVar

from assay.core.errors import DataError, FormatError
from assay.core.note import Note, NoteKind
from assay.core.text import show
from assay.data.events import Events, Part, find_fields, read_events, read_parts
from assay.data.formats import BY_NAME
from assay.data.formats.parquet import write_frame
from assay.data.frames.columns import normalise_name
from assay.data.qrels import Qrels, read_qrels
from assay.data.write import refuse_losses
from assay.files.source import Source, temporary_folder
from assay.render.export import write_rows
from assay.studio.store.schema import EVENT_KINDS, VOTER_KINDS, NewVote, VoteEvent, VoterKind
from assay.tasks.vote.ballots import FIELDS as VOTE_FIELDS
from assay.tasks.vote.ballots import NEEDED, as_seconds, read_values

Kinds = Mapping[str, str]
Grades = Mapping[str, Mapping[str, float]]
Kind = TypeVar("Kind", bound=str)
# What only files of a studio have, under which names; what an event has in a file; and the columns of those.
OWN = {name: (name,) for name in ("kind", "source", "application", "key", "id", "replaces", "voter_kind")}
COLUMNS = ("query", "document", "voter", "vote", "time", "comment", *OWN)
FIELDS = COLUMNS[:-1]
# What people typed, and what a formula begins with in a spreadsheet, with the apostrophes before it.
TYPED = ("voter", "comment")
FORMULA = re.compile(r"'*[=+\-@\t\r]")
VOTE_FORMATS = ("csv", "jsonl", "parquet", "quepid-book")
JUDGMENT_FORMATS = ("trec", "csv", "jsonl", "parquet", "quepid")
# A format, and the ending under which its reader knows it.
READ_FORMATS = {"trec": "qrels", "csv": "csv", "jsonl": "jsonl", "parquet": "parquet"}
READ_FORMATS |= {"quepid": "csv", "quepid-book": "csv"}
NAME = "the file"
# Of Quepid's files: the columns that name a pair, what may precede a judge, and what a formula begins with.
PAIR = {"query": "query", "docid": "document", "doc_id": "document"}
RATING = re.compile(r"\s*(?:rating:\s*)?", re.IGNORECASE)
QUEPID_FORMULA = ("-", "=", "+", "@")


def export_votes(
    events: Sequence[VoteEvent], format: str, *, questions: Mapping[str, str] | None = None, kinds: Kinds | None = None
) -> bytes:
    """The events as a file: `csv`, `jsonl`, `parquet`, or `quepid-book`, which holds the votes in force.

    A book has the texts of queries where `questions` has them; the others say of what kind each voter is, a person
    unless `kinds` says otherwise.
    """
    if format in ("trec", "quepid"):
        raise FormatError(f"{format} cannot hold who voted; export the judgments, or the votes as csv")
    check_format(format, VOTE_FORMATS)
    if format == "quepid-book":
        return write_book(events, questions or {})
    rows = []
    for event in events:
        row = {name: getattr(event, name) for name in FIELDS} | {"time": datetime.fromtimestamp(event.time, UTC)}
        rows.append(row | {"voter_kind": (kinds or {}).get(event.voter, "person")})
    if format == "parquet":
        return write_parquet(rows)
    for row in rows:
        row["time"] = row["time"].isoformat()
        if row["vote"] is None and row["kind"] != "withdrawal":
            row["vote"] = "?"
    if format == "jsonl":
        return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()
    for row in rows:
        row.update({name: f"'{row[name]}" for name in TYPED if FORMULA.match(row[name])})
    return write_rows([COLUMNS, *(row.values() for row in rows)]).encode()


def write_parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    """Typed columns; a vote that is "cannot tell" is null."""
    import polars

    schema: dict[str, polars.DataType] = {name: polars.String() for name in COLUMNS}
    schema |= {"vote": polars.Float64(), "time": polars.Datetime("us", "UTC")}
    schema |= {"id": polars.Int64(), "replaces": polars.Int64()}
    file = io.BytesIO()
    write_frame(polars.DataFrame(rows, schema=schema), file)
    return file.getvalue()


def write_book(events: Sequence[VoteEvent], questions: Mapping[str, str]) -> bytes:
    """The votes that no later event replaced as a book; "cannot tell" is an empty cell, as where there is no vote."""
    replaced = {event.replaces for event in events}
    votes: dict[tuple[str, str], dict[str, str]] = {}
    voters: dict[str, None] = {}
    for event in events:
        if event.kind == "vote" and event.id not in replaced:
            voters.setdefault(event.voter)
            said = "" if event.vote is None else number(event.vote)
            votes.setdefault((event.query, event.document), {})[event.voter] = said
    rows = [
        (safe(questions.get(query, query)), document, *(row.get(voter, "") for voter in voters))
        for (query, document), row in votes.items()
    ]
    return write_rows([("query", "docid", *map(safe, voters)), *rows]).encode()


def export_judgments(grades: Grades, format: str, *, questions: Mapping[str, str] | None = None) -> bytes:
    """The grades of documents by query as a file; `quepid` has the texts of queries where `questions` has them."""
    if format == "quepid-book":
        raise FormatError("a book of Quepid holds votes; export the votes as quepid-book, or the judgments as quepid")
    check_format(format, JUDGMENT_FORMATS)
    judged = {query: documents for query, documents in grades.items() if documents}
    if not judged:
        raise DataError("there is no judgment yet; vote first")
    if format == "quepid":
        texts = questions or {}
        rows = [
            (safe(texts.get(query, query)), document, number(grade))
            for query, documents in judged.items()
            for document, grade in documents.items()
        ]
        return write_rows([("query", "docid", "rating"), *rows]).encode()
    qrels, chosen, file = Qrels(judged), BY_NAME[format], io.BytesIO()
    refuse_losses(qrels, chosen)
    if chosen.write is None:
        raise FormatError(f"{format} can only be read; choose another format")
    chosen.write(qrels, file)
    return file.getvalue()


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula, as Quepid writes it."""
    return f" {text}" if text.startswith(QUEPID_FORMULA) else text


def number(grade: float) -> str:
    """A grade with as few digits as it needs.

    >>> number(2.0), number(0.1)
    ('2', '0.1')
    """
    return str(int(grade)) if float(grade).is_integer() else repr(float(grade))


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
    """The votes in a file: tables, TREC qrels, and Quepid's ratings and books.

    `voter` is whose votes those without a name are: it is needed for judgments. `scale` says what -1, 0 and 1 are, as
    in `assay.votes`. Texts of queries in Quepid's files become their ids in `questions`.
    """
    check_format(format, READ_FORMATS)
    with temporary_folder() as folder:
        path = folder / f"data.{READ_FORMATS[format]}"
        path.write_bytes(data)
        source = Source(path, NAME)
        if format == "trec":
            name, grades = needed_voter(voter), read_qrels(source, format="trec").to_dict()
            votes = [
                NewVote(query, document, name, grade, source="import")
                for query, documents in grades.items()
                for document, grade in documents.items()
            ]
            return VoteFile(votes, [], {})
        book = format == "quepid-book"
        events = read_book(source) if book else read_events(source, {**VOTE_FIELDS, **OWN}, NEEDED, NAME)
    is_own = {"kind", "source"} <= set(events.frame.columns)
    # A studio writes grades as they are.
    values, _, notes = read_values(events, "grades" if is_own and scale == "auto" else scale)
    rows = read_rows(events, is_own=is_own, is_escaped=is_own and format == "csv")
    votes, past = votes_of(rows, values.tolist(), events, voter)
    notes += [Note.of(NoteKind.VOTES, about="past", count=past)] if past else []
    if "quepid" in format:
        ids = {" ".join(text.split()): query for query, text in (questions or {}).items()}
        votes = [replace(vote, query=ids.get(vote.query, vote.query)) for vote in votes]
    return VoteFile(votes, notes, voter_kinds(rows, events))


def check_format(format: str, known: Iterable[str]) -> None:
    if format not in known:
        raise FormatError(f"unknown format {show(format)}; choose one of {', '.join(known)}")


def needed_voter(voter: str | None) -> str:
    if not voter:
        raise DataError(f"{NAME} does not say who voted; say whose votes these are")
    return voter


def read_book(source: Source) -> Events:
    """The votes of a book, one row each; cells without one are left out."""
    import polars

    parts = []
    for part in read_parts(source, NAME):
        names = {normalise_name(column.strip()): column for column in reversed(part.frame.columns)}
        pair = {PAIR[name]: column for name, column in names.items() if name in PAIR}
        if set(pair) != {"query", "document"}:
            raise FormatError(f"{part.name} is not a book of Quepid: its first columns are query and docid")
        others = [column for column in part.frame.columns if column not in pair.values()]
        judges = {column: RATING.sub("", column, count=1).rstrip() for column in others}
        cells = (
            part.frame.with_row_index("row")
            .rename({column: role for role, column in pair.items()})
            .unpivot(on=others, index=["row", "query", "document"], variable_name="voter", value_name="vote")
            .filter(polars.col("vote").str.strip_chars() != "")
            .sort("row", maintain_order=True)
            .with_columns(polars.col("voter").replace(judges))
        )
        votes = Part(cells.drop("row"), part.name, [part.numbers[row] for row in cells["row"]], part.noun)
        parts.append(find_fields(votes, VOTE_FIELDS, NEEDED))
    if not any(len(part.frame) for part in parts):
        raise DataError(f"{NAME} has no votes")
    whole = polars.concat([part.frame for part in parts])
    return Events(whole, NAME, tuple(part for part in parts if len(part.frame)))


def read_rows(events: Events, *, is_own: bool, is_escaped: bool) -> list[dict[str, Any]]:
    """The filled cells of each row by field; `is_own` keeps what studios alone write, `is_escaped` bares formulas."""
    columns = {name: events.frame[name].to_list() for name in events.frame.columns if is_own or name not in OWN}
    columns |= {"query": events.needed_ids("query").to_list(), "document": events.needed_ids("document").to_list()}
    if "voter" in columns:
        columns["voter"] = events.ids("voter").to_list()
    rows = []
    for cells in zip(*columns.values(), strict=True):
        row = {name: cell for name, cell in zip(columns, cells, strict=True) if cell is not None and cell != ""}
        for name in TYPED if is_escaped else ():
            if row.get(name, "").startswith("'") and FORMULA.match(row[name]):
                row[name] = row[name][1:]
        rows.append(row)
    return rows


def votes_of(
    rows: list[dict[str, Any]], values: list[float], events: Events, voter: str | None
) -> tuple[list[NewVote], int]:
    """The rows as votes to record; and how many are left out: decisions that were replaced or taken back, and by what.

    A withdrawal names what it takes back by an id, which is another one where it is read.
    """
    votes = []
    for number, (row, value) in enumerate(zip(rows, values, strict=True)):
        seconds = as_seconds(row.get("time"), events, number)
        vote = NewVote(
            row["query"],
            row["document"],
            row.get("voter") or needed_voter(voter),
            None if math.isnan(value) else value,
            comment=str(row.get("comment", "")),
            key=str(row["key"]) if "key" in row else None,
            kind=check_kind(row.get("kind", "vote"), EVENT_KINDS, "", events, number),
            source="import",
            time=seconds if math.isfinite(seconds) else None,
            application=str(row.get("application", "")),
        )
        votes.append((vote, str(row.get("id", "")), str(row.get("replaces", ""))))
    decisions = {number for vote, number, _ in votes if vote.kind == "decision" and number}
    past = decisions.intersection(replaced for *_, replaced in votes)
    kept = [
        vote
        for vote, number, replaced in votes
        if number not in past and not (vote.kind == "withdrawal" and replaced in past)
    ]
    return kept, len(votes) - len(kept)


def voter_kinds(rows: list[dict[str, Any]], events: Events) -> dict[str, VoterKind]:
    """The kind of each voter, where a studio wrote it."""
    found: dict[str, VoterKind] = {}
    for number, row in enumerate(rows):
        if "voter" in row and "voter_kind" in row:
            kind = check_kind(row["voter_kind"], VOTER_KINDS, " of the voter", events, number)
            before = found.setdefault(row["voter"], kind)
            if before != kind:
                name = show(row["voter"])
                raise FormatError(f"{events.place(number)}: {name} is a {kind} here, and a {before} before")
    return found


def check_kind(said: Kind, kinds: tuple[Kind, ...], what: str, events: Events, row: int) -> Kind:
    if said not in kinds:
        raise FormatError(f"{events.place(row)}: the kind {show(said)}{what} must be {' or '.join(kinds)}")
    return said
