"""`Ballots`: the votes that count, read from any form of data.

A vote is up or down, a grade or any number. A vote that says nothing (empty, "?", "cannot tell") counts for nothing. Of
several votes by one voter on one document the last counts, by time or else by order.

The votes in a studio's store, an SQLite file, are read while the studio runs or afterwards. Votes that were replaced or
taken back are not in force; votes of models are left out.
"""

from __future__ import annotations

import math
import os
import re
import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

import numpy as np

from assay.core.errors import DataError, FileError, FormatError, PolicyError
from assay.core.judged import BoolArray, FloatArray, IntArray
from assay.core.note import Note, NoteKind
from assay.core.text import Option, show
from assay.data.events import Events, read_events
from assay.data.frames.columns import DOCUMENT, QUERY, as_float
from assay.files.source import describe

if TYPE_CHECKING:
    import polars

FIELDS = {
    "query": (*QUERY, "question_id", "question", "user_query", "search"),
    "document": (*DOCUMENT, "object_id", "item_id", "item", "result", "url"),
    "voter": ("voter", "voter_id", "user_id", "user", "judge", "judge_id", "rater", "annotator", "assessor", "worker"),
    "vote": ("vote", "rating", "judgment", "judgement", "feedback", "thumb", "relevance", "grade", "label", "rel"),
    "time": ("time", "timestamp", "created_at", "updated_at", "date", "voted_at"),
    "comment": ("comment", "comments", "note", "explanation", "remark", "reason"),
}
# What only a studio's files have: whether a row is a vote, a withdrawal, or a decision where votes differ; its number,
# that of the row which it replaces or takes back, and whether the voter is a model.
OWN = {name: (name,) for name in ("kind", "id", "replaces", "voter_kind")}
NEEDED = ("query", "document", "vote")
SCALES = ("auto", "thumbs", "grades")
UP = ("up", "yes", "y", "true", "relevant", "like", "liked", "upvote", "thumbs up", "thumbsup", "good", "\U0001f44d")
DOWN = (
    *("down", "no", "n", "false", "irrelevant", "not relevant", "dislike", "disliked", "downvote", "thumbs down"),
    *("thumbsdown", "bad", "\U0001f44e"),
)
NOTHING = (
    *("", "?", "cannot tell", "can not tell", "cant tell", "can't tell", "unsure", "not sure", "unknown", "dont know"),
    *("don't know", "skip", "skipped", "none", "null", "na", "n/a", "nan", "-"),
)
WORDS = {**dict.fromkeys(UP, 1.0), **dict.fromkeys(DOWN, 0.0), **dict.fromkeys(NOTHING, math.nan)}
# Skin tones, and the mark that asks for a picture instead of a letter.
MODIFIERS = re.compile("[\U0001f3fb-\U0001f3ff\ufe0f]")
SIGNS = {-1.0, 0.0, 1.0}
# How an SQLite file begins, and what is read from a store.
SQLITE = b"SQLite format 3\0"
STORED = ("query", "document", "voter", "vote", "time", "comment", "kind")
IN_FORCE = """
SELECT e.query, e.document, e.voter, e.vote, e.time, e.comment, e.kind, v.kind = 'model'
FROM events e JOIN voters v ON v.name = e.voter
WHERE e.kind <> 'withdrawal' AND e.id NOT IN (SELECT replaces FROM events WHERE replaces IS NOT NULL)
ORDER BY e.id
"""


class Ballots(NamedTuple):
    """The votes that count, by pair and then by value; a vote without a voter has a number of its own past `voters`."""

    pairs: polars.DataFrame
    pair: IntArray
    voter: IntArray
    value: FloatArray
    voters: list[str]
    is_thumbs: bool
    comments: list[tuple[str, str, str, str]]

    @property
    def starts(self) -> IntArray:
        """Where the votes of each pair begin; one more entry marks the end."""
        return np.searchsorted(self.pair, np.arange(len(self.pairs) + 1)).astype(np.int64)

    @property
    def is_other(self) -> BoolArray:
        """Whether each vote is on another pair than the one before it, or is another vote."""
        return np.concatenate([[True], (np.diff(self.pair) != 0) | (np.diff(self.value) != 0)])


def read_ballots(
    data: object, scale: str, min_votes: int, threshold: float | None = None
) -> tuple[Ballots, list[Note]]:
    """The votes that count, and notes on the others; with a threshold, a vote of at least that much is up."""
    import polars

    found, left_out = read_store(data) if is_store(data) else (data, [])
    events = read_events(found, FIELDS | OWN, NEEDED, "the votes")
    values, is_thumbs, notes = read_values(events, scale, threshold)
    table, more = votes_of_people(vote_table(events, values), events)
    last = last_votes(table, events)
    said = last.filter(last["vote"].is_not_nan())
    counted = said.filter(polars.len().over("query", "document") >= min_votes)
    before, after = (each.select("query", "document").n_unique() for each in (said, counted))
    numbers = {"again": len(table) - len(last), "": len(last) - len(said), "few": before - after}
    numbers["unnamed"] = counted["voter"].null_count()
    told = ((about, number) for about, number in numbers.items() if number)
    notes += [*left_out, *more, *(Note.of(NoteKind.VOTES, about=of, count=n, least=min_votes) for of, n in told)]
    if not len(counted):
        raise DataError(f"no judgment: {'; '.join(map(str, notes))}")
    remarks = last.drop_nulls("comment").select("query", "document", polars.col("voter").fill_null(""), "comment")
    return make_ballots(counted, remarks.rows(), is_thumbs=is_thumbs), notes


def vote_table(events: Events, values: FloatArray) -> polars.DataFrame:
    """The votes as a table, each with its row."""
    import polars

    known, nothing = events.frame.columns, polars.lit(None, polars.String)
    texts = events.frame["comment"].to_list() if "comment" in known else []
    comments = polars.Series([None if each in (None, "") else str(each) for each in texts], dtype=polars.String)
    pairs = polars.DataFrame([events.needed_ids("query"), events.needed_ids("document")])
    return pairs.with_columns(
        voter=events.ids("voter") if "voter" in known else nothing,
        vote=polars.Series(values),
        comment=comments if "comment" in known else nothing,
    ).with_row_index("row")


def votes_of_people(table: polars.DataFrame, events: Events) -> tuple[polars.DataFrame, list[Note]]:
    """The votes of people, and notes on the rest: decisions, with what takes them back, and votes of models."""
    import polars

    columns = {name: events.frame[name].to_list() for name in OWN if name in events.frame.columns}
    if "kind" not in columns:
        return table, []
    nothing: list[object] = [None] * len(table)
    # A file may write the numbers of rows in any way.
    ids, replaced = (
        [None if each in (None, "") else as_float(each, truths=False) for each in columns.get(name, nothing)]
        for name in ("id", "replaces")
    )
    kinds = columns["kind"]
    is_decision = [kind == "decision" for kind in kinds]
    is_of_model = [kind == "model" for kind in columns.get("voter_kind", nothing)]
    decisions = {number for number, decided in zip(ids, is_decision, strict=True) if decided} - {None}
    is_undone = [kind == "withdrawal" and number in decisions for kind, number in zip(kinds, replaced, strict=True)]
    counts = {"decisions": sum(is_decision), "models": sum(is_of_model)}
    notes = [Note.of(NoteKind.VOTES, about=about, count=count) for about, count in counts.items() if count]
    is_kept = [not any(each) for each in zip(is_decision, is_undone, is_of_model, strict=True)]
    return table.filter(polars.Series(is_kept, dtype=polars.Boolean)), notes


def last_votes(table: polars.DataFrame, events: Events) -> polars.DataFrame:
    """The last vote of each voter on each pair."""
    import polars

    key = ("query", "document", "voter")
    is_again = (polars.len().over(*key) > 1) & polars.col("voter").is_not_null()
    again = table.filter(is_again)
    if not len(again):
        return table
    if "time" in events.frame.columns:
        column = events.frame["time"]
        times = [as_seconds(column[row], events, row) for row in again["row"].to_list()]
        again = again.with_columns(time=polars.Series(times)).sort("time", maintain_order=True)
    kept = again.group_by(*key, maintain_order=True).last().select(table.columns)
    return polars.concat([table.filter(~is_again), kept]).sort("row")


def as_seconds(value: object, events: Events, row: int) -> float:
    """A time as a number: a count as it is, or a time in ISO 8601; a missing one, NaN or NaT, is before all others."""
    if value is None or value == "" or value != value:  # noqa: PLR0124 - NaN
        return -math.inf
    if isinstance(value, datetime):
        return (value if value.tzinfo else value.replace(tzinfo=UTC)).timestamp()
    number = as_float(value, truths=False)
    if number is not None:
        return -math.inf if math.isnan(number) else number
    try:
        moment = datetime.fromisoformat(re.sub(r"\s*(UTC|GMT)$", "+00:00", str(value).strip()))
    except ValueError:
        advice = "write it as 2024-05-31T12:00:00, or as a number"
        raise FormatError(f"{events.place(row)}: {show(value)} is not a time; {advice}") from None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def read_values(events: Events, scale: str, threshold: float | None = None) -> tuple[FloatArray, bool, list[Note]]:
    """The votes as numbers, cut at a threshold, NaN if they say nothing; whether all are up or down; and notes."""
    if scale not in SCALES:
        raise PolicyError(f"scale must be {' or '.join(map(repr, SCALES))}, not {show(scale)}")
    known: dict[tuple[type, object], tuple[float, bool]] = {}
    places: dict[float, int] = {}
    values = np.empty(len(events.frame))
    for row, value in enumerate(events.frame["vote"].to_list()):
        key = (type(value), str(value))
        if key not in known:
            known[key] = parse_vote(value, events, row)
            places.setdefault(known[key][0], row)
        values[row] = known[key][0]
    has_words = any(is_word for _, is_word in known.values())
    odd = [number for number in places if not math.isnan(number) and number not in SIGNS]
    if odd and (has_words or scale == "thumbs"):
        place = events.place(places[odd[0]])
        raise FormatError(f"{place}: the vote {odd[0]:g} is neither up nor down, as the others are")
    # Words are up or down already.
    if threshold is not None and not has_words:
        if scale == "thumbs" and -1.0 in places:
            values = np.where(values == 0, np.nan, values)
        return np.where(np.isnan(values), np.nan, values >= threshold), True, []
    is_graded, signs = bool(odd), set(places)
    if scale == "grades" or is_graded or -1.0 not in signs:
        return values, not is_graded and scale != "grades", []
    if 0.0 in signs and scale == "auto" and not has_words:
        thumbs, grades = Option("scale", "thumbs"), Option("scale", "grades")
        means = f"with {thumbs} it says nothing, with {grades} all three are grades"
        raise DataError(f"the votes are -1, 0 and 1; say what 0 is: {means}")
    if not has_words:
        values = np.where(values == 0, np.nan, values)
    return np.where(values == -1, 0.0, values), True, [Note.of(NoteKind.VOTES, about="thumbs")]


def parse_vote(value: object, events: Events, row: int) -> tuple[float, bool]:
    """A vote as a number, NaN if it says nothing, and whether it was a word for up or down."""
    if value is None or isinstance(value, bool):
        return (math.nan, False) if value is None else (float(value), True)
    if isinstance(value, str):
        # In small letters, with a straight apostrophe, and no colour of a thumb.
        word = re.sub(r"[\s_-]+", " ", MODIFIERS.sub("", value).replace("\u2019", "'").strip().lower())
        if word in WORDS or not word.strip():
            said = WORDS.get(word, math.nan)
            return said, not math.isnan(said)
    number = as_float(value.strip() if isinstance(value, str) else value, truths=False)
    if number is None or math.isinf(number):
        advice = "write up or down, a number, or ? for cannot tell"
        raise FormatError(f"{events.place(row)}: {show(value)} is not a vote; {advice}")
    return number, False


def make_ballots(counted: polars.DataFrame, comments: list[tuple[str, str, str, str]], *, is_thumbs: bool) -> Ballots:
    """The votes that count, by pair in the order in which the pairs first appear."""
    import polars

    pairs = counted.select("query", "document").unique(maintain_order=True)
    voters = counted.select("voter").drop_nulls().unique(maintain_order=True)
    table = counted.join(pairs.with_row_index("pair"), on=["query", "document"], maintain_order="left").join(
        voters.with_row_index("number"), on="voter", how="left", maintain_order="left"
    )
    unnamed = polars.int_range(len(voters), len(voters) + len(table), eager=True)
    whole = polars.col("pair", "number").cast(polars.Int64)
    table = table.with_columns(whole.fill_null(unnamed)).sort("pair", "vote", maintain_order=True)
    pair, voter, value = (table[name].to_numpy() for name in ("pair", "number", "vote"))
    return Ballots(pairs, pair, voter, value, voters["voter"].to_list(), is_thumbs, comments)


def is_store(data: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether the data is the path of an SQLite file."""
    if not isinstance(data, (str, os.PathLike)):
        return False
    try:
        with Path(data).open("rb") as file:
            return file.read(len(SQLITE)) == SQLITE
    except (OSError, ValueError):
        # What is wrong with the path is said where it is read.
        return False


def read_store(path: str | os.PathLike[str]) -> tuple[polars.DataFrame, list[Note]]:
    """The votes and decisions in force, and a note on those of models."""
    import polars

    name = describe(path)
    try:
        with closing(sqlite3.connect(f"{Path(path).absolute().as_uri()}?mode=ro", uri=True)) as file:
            if not file.execute("SELECT 1 FROM sqlite_master WHERE name = 'assay_studio'").fetchone():
                raise FormatError(f"{name} is an SQLite database, but not a studio's store; export its votes first")
            rows = file.execute(IN_FORCE).fetchall()
    except sqlite3.Error as error:
        raise FileError(f"the votes in {name} cannot be read: {error}") from None
    kept = [row[:-1] for row in rows if not row[-1]]
    types = {field: polars.Float64 if field in ("vote", "time") else polars.String for field in STORED}
    left = len(rows) - len(kept)
    notes = [Note.of(NoteKind.VOTES, about="models", count=left)] if left else []
    return polars.DataFrame(kept, schema=types, orient="row"), notes
