"""Writes votes and judgments.

Votes: one row per event with who, when and why, as CSV, JSON Lines or Parquet; or as a book of Quepid. In CSV, a
comment or a name that a spreadsheet would take for a formula gets an apostrophe, which reading takes away. Judgments:
TREC, CSV, JSON Lines and Parquet as everywhere in assay, and Quepid's ratings.
"""

from __future__ import annotations

import io
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from assay.core.errors import DataError, FormatError
from assay.core.text import show
from assay.data.formats import BY_NAME
from assay.data.formats.parquet import write_frame
from assay.data.qrels import Qrels
from assay.data.write import refuse_losses
from assay.render.export import write_rows
from assay.studio.exchange.quepid import write_book, write_ratings

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from assay.studio.store import VoteEvent

FIELDS = (
    *("query", "document", "voter", "vote", "time", "comment"),
    *("kind", "source", "application", "key", "id", "replaces"),
)
COLUMNS = (*FIELDS, "voter_kind")
# What people typed, and what a formula begins with in a spreadsheet, with the apostrophes before it.
TYPED = ("voter", "comment")
FORMULA = re.compile(r"'*[=+\-@\t\r]")
NO_VOTERS = ("trec", "quepid")
JUDGMENT_FORMATS = ("trec", "csv", "jsonl", "parquet", "quepid")


def export_votes(
    events: Sequence[VoteEvent],
    format: str,
    *,
    questions: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> bytes:
    """The events as a file: `csv`, `jsonl`, `parquet`, or `quepid-book`, which holds the votes in force.

    A book has the texts of queries where `questions` has them; the others say of what kind each voter is, a person
    unless `kinds` says otherwise.
    """
    if format in NO_VOTERS:
        raise FormatError(f"{format} cannot hold who voted; export the judgments, or the votes as csv")
    if format not in VOTE_FORMATS:
        raise FormatError(f"unknown format {show(format)}; choose one of {', '.join(VOTE_FORMATS)}")
    if format == "quepid-book":
        return write_book(events, questions or {})
    return TABLES[format](events, kinds or {})


def as_row(event: VoteEvent, kinds: Mapping[str, str]) -> dict[str, Any]:
    """An event as a row of a text format: `?` is "cannot tell"."""
    row = {name: getattr(event, name) for name in FIELDS} | {"voter_kind": kinds.get(event.voter, "person")}
    row["time"] = moment(event.time).isoformat()
    if event.vote is None and event.kind != "withdrawal":
        row["vote"] = "?"
    return row


def moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


def write_csv(events: Sequence[VoteEvent], kinds: Mapping[str, str]) -> bytes:
    rows = [as_row(event, kinds) for event in events]
    for row in rows:
        row.update({name: escape_formula(row[name]) for name in TYPED})
    return write_rows([COLUMNS, *(row.values() for row in rows)]).encode()


def escape_formula(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if FORMULA.match(text) else text


def unescape_formula(text: str) -> str:
    """The text that `escape_formula` was given."""
    return text[1:] if text.startswith("'") and FORMULA.match(text) else text


def write_json_lines(events: Sequence[VoteEvent], kinds: Mapping[str, str]) -> bytes:
    return "".join(json.dumps(as_row(event, kinds), ensure_ascii=False) + "\n" for event in events).encode()


def write_parquet(events: Sequence[VoteEvent], kinds: Mapping[str, str]) -> bytes:
    """Typed columns; a vote that is "cannot tell" is null."""
    import polars

    schema: dict[str, polars.DataType] = {name: polars.String() for name in COLUMNS}
    schema |= {"vote": polars.Float64(), "time": polars.Datetime("us", "UTC")}
    schema |= {"id": polars.Int64(), "replaces": polars.Int64()}
    columns = {name: [getattr(event, name) for event in events] for name in FIELDS}
    columns["voter_kind"] = [kinds.get(event.voter, "person") for event in events]
    columns["time"] = [moment(event.time) for event in events]
    file = io.BytesIO()
    write_frame(polars.DataFrame(columns, schema=schema), file)
    return file.getvalue()


TABLES: dict[str, Callable[[Sequence[VoteEvent], Mapping[str, str]], bytes]] = {
    "csv": write_csv,
    "jsonl": write_json_lines,
    "parquet": write_parquet,
}
VOTE_FORMATS = (*TABLES, "quepid-book")


def export_judgments(
    grades: Mapping[str, Mapping[str, float]], format: str, *, questions: Mapping[str, str] | None = None
) -> bytes:
    """The grades of documents by query as a file; `quepid` has the texts of queries where `questions` has them."""
    if format == "quepid-book":
        raise FormatError("a book of Quepid holds votes; export the votes as quepid-book, or the judgments as quepid")
    if format not in JUDGMENT_FORMATS:
        raise FormatError(f"unknown format {show(format)}; choose one of {', '.join(JUDGMENT_FORMATS)}")
    judged = {query: documents for query, documents in grades.items() if documents}
    if not judged:
        raise DataError("there is no judgment yet; vote first")
    if format == "quepid":
        return write_ratings(judged, questions or {})
    qrels, chosen, file = Qrels(judged), BY_NAME[format], io.BytesIO()
    refuse_losses(qrels, chosen)
    if chosen.write is None:
        raise FormatError(f"{format} can only be read; choose another format")
    chosen.write(qrels, file)
    return file.getvalue()
