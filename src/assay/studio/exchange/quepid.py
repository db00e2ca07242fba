"""Quepid's files: ratings (`query,docid,rating`), and books (`query,docid` and a column for each judge).

Both name a query by its text. Quepid puts a space before a text that a spreadsheet would take for a formula; so do we,
and reading takes it away. A book has no cell for what a judge could not rate.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.errors import FormatError
from assay.data.events import Part
from assay.data.frames.columns import normalise_name
from assay.render.export import write_rows

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from assay.studio.store import VoteEvent

FORMULA = ("-", "=", "+", "@")
RATING = "rating:"
PAIR = {"query": "query", "docid": "document", "doc_id": "document"}


def write_ratings(grades: Mapping[str, Mapping[str, float]], questions: Mapping[str, str]) -> bytes:
    """Judgments as Quepid imports ratings."""
    rows = [
        (safe(questions.get(query, query)), document, number(grade))
        for query, documents in grades.items()
        for document, grade in documents.items()
    ]
    return write_rows([("query", "docid", "rating"), *rows]).encode()


def write_book(events: Sequence[VoteEvent], questions: Mapping[str, str]) -> bytes:
    """The votes in force as a book; "cannot tell" is an empty cell, as where there is no vote."""
    votes: dict[tuple[str, str], dict[str, str]] = {}
    voters: dict[str, None] = {}
    for event in in_force(events):
        voters.setdefault(event.voter)
        votes.setdefault((event.query, event.document), {})[event.voter] = (
            "" if event.vote is None else number(event.vote)
        )
    rows = [
        (safe(questions.get(query, query)), document, *(row.get(voter, "") for voter in voters))
        for (query, document), row in votes.items()
    ]
    return write_rows([("query", "docid", *map(safe, voters)), *rows]).encode()


def in_force(events: Sequence[VoteEvent]) -> list[VoteEvent]:
    """The votes that no later event replaced."""
    replaced = {event.replaces for event in events}
    return [event for event in events if event.kind == "vote" and event.id not in replaced]


def safe(text: str) -> str:
    """A text that no spreadsheet takes for a formula, as Quepid writes it."""
    return f" {text}" if text.startswith(FORMULA) else text


def number(grade: float) -> str:
    """A grade with as few digits as it needs.

    >>> number(2.0), number(0.1)
    ('2', '0.1')
    """
    return str(int(grade)) if float(grade).is_integer() else repr(float(grade))


def unpivot(part: Part) -> Part:
    """A book with one row per vote; cells without one are left out."""
    import polars

    names = {normalise_name(column.strip()): column for column in reversed(part.frame.columns)}
    pair = {PAIR[name]: column for name, column in names.items() if name in PAIR}
    if set(pair) != {"query", "document"}:
        raise FormatError(f"{part.name} is not a book of Quepid: its first columns are query and docid")
    judges = [column for column in part.frame.columns if column not in pair.values()]
    cells = (
        part.frame.with_row_index("row")
        .rename({column: role for role, column in pair.items()})
        .unpivot(on=judges, index=["row", "query", "document"], variable_name="voter", value_name="vote")
        .filter(polars.col("vote").str.strip_chars() != "")
        .sort("row", maintain_order=True)
        .with_columns(polars.col("voter").replace({judge: name_of(judge) for judge in judges}))
    )
    return Part(cells.drop("row"), part.name, [part.numbers[row] for row in cells["row"]], part.noun)


def name_of(column: str) -> str:
    """The judge whose votes a column has.

    >>> name_of(" =ann"), name_of("Rating: bob")
    ('=ann', 'bob')
    """
    name = column.strip()
    return name[len(RATING) :].strip() if name.lower().startswith(RATING) else name
