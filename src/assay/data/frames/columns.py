"""Columns of tables: which one holds the queries, the documents, the grades or the scores, as the kernel takes them.

A ranking whose order was given, whatever its scores, has a `score` that falls with the rank, so that every tool ranks
its documents as they were given, and beside it `given_rank`, and `given_score` where the documents had scores of their
own. Both are empty for rankings by score.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from assay._kernel import Rows
from assay.core.errors import PASSING, FormatError, LossError
from assay.core.text import INTERFACE, Interface, Option, show, some

if TYPE_CHECKING:
    import polars

    from assay.core.judged import FloatArray
    from assay.data.run import Run

# Where a table has several of these, the first one here is used: a `query` may be the text of the query, and a `docid`
# beside a `docno` is the index's own number.
QUERY = ("query_id", "qid", "q_id", "queryid", "topic_id", "topic", "query")
DOCUMENT = ("doc_id", "docno", "document_id", "docid", "corpus_id", "passage_id", "pid", "doc", "document")
SCORE = ("score", "similarity", "sim")
GRADE = ("relevance", "rel", "grade", "label", "score")
GROUP = ("group", "subtopic", "subtopic_id")
# The second field of TREC's judgments: groups, unless it is the same everywhere.
ITERATION = ("iteration",)
KNOWN = frozenset((*QUERY, *DOCUMENT, *SCORE, *GRADE, *GROUP, *ITERATION))
ROLES = ("query_id", "doc_id", "score", "relevance", "group")
NO_ITERATION = "0"
# What ids cannot contain or start with in some text format.
BLANK = r"[\t\n\x0b\x0c\r ]"
NUL = r"\x00"
# In TREC a line that starts with # is a comment, and a byte order mark at the start of a file is skipped.
NOT_FIRST = r"^[#\x{feff}]"
WHOLE = 2.0**53


def prepare_table(
    table: polars.DataFrame,
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
    name: str,
    place: Callable[[int], str],
) -> polars.DataFrame:
    """The table with `query_id`, `doc_id` and perhaps `group` or `iteration` as text, and `value` as float64."""
    import polars

    found = find_columns(table.columns, columns, judgments=judgments, name=name)
    ready: list[polars.Series] = []
    for role, column in found.items():
        if role == "iteration" and table[column].null_count() == len(table):
            ready.append(polars.repeat(NO_ITERATION, len(table), eager=True).alias(role))
            continue
        if table[column].null_count():
            row = int(table[column].is_null().arg_true()[0])
            raise FormatError(f"{name}, {place(row)}: the column {show(column)} is empty")
        read = partial(as_number, truths=judgments) if role == "value" else as_text
        ready.append(read(table[column], name, place).alias(role))
    if not judgments and GIVEN_RANK in table.columns:
        names = [each for each in (GIVEN_RANK, GIVEN_SCORE) if each in table.columns]
        ready += [optional_numbers(table[each], name, place) for each in names]
    return polars.DataFrame(ready)


def groups_of_iterations(table: polars.DataFrame) -> polars.DataFrame:
    """The table with its iterations as groups, or without them if all judgments have the same one."""
    if "iteration" not in table.columns:
        return table
    # A batch without the column has none, where others have none but empty ones.
    is_idle = table["iteration"].fill_null(NO_ITERATION).n_unique() <= 1
    return table.drop("iteration") if is_idle else table.rename({"iteration": "group"})


def rows_of_table(table: polars.DataFrame, name: str) -> Rows:
    return given_rows(table, name) if GIVEN_RANK in table.columns else Rows.from_frame(table, name)


def as_text(column: polars.Series, name: str, place: Callable[[int], str]) -> polars.Series:
    import polars

    kind, text = column.dtype, column
    if kind == polars.Object:
        text = polars.Series(column.name, [as_id(each) for each in column], dtype=polars.String)
        for row in text.is_null().arg_true():
            raise FormatError(f"{name}, {place(row)}: {show(column[row])} is not an id; use strings or integers")
    elif kind.is_integer() or kind in (polars.Categorical, polars.Enum, polars.Null):
        text = column.cast(polars.String)
    elif kind != polars.String:
        raise FormatError(f"{name}: the column {show(column.name)} must hold strings or integers, not {kind}")
    for row in (text == "").arg_true():
        raise FormatError(f"{name}, {place(row)}: the column {show(column.name)} is empty")
    return text


def as_id(value: object) -> str | None:
    """An id as text, or None if the value cannot be one."""
    if not isinstance(value, (str, Integral)) or isinstance(value, bool):
        return None
    try:
        text = str(value)
        text.encode()
    except ValueError:
        return None
    return text


def as_number(column: polars.Series, name: str, place: Callable[[int], str], *, truths: bool) -> polars.Series:
    """Grades or scores as finite float64; grades may be true or false."""
    import polars

    kind = column.dtype
    if kind == polars.Object:
        numbers = polars.Series(column.name, [as_float(each, truths=truths) for each in column], dtype=polars.Float64)
    elif kind == polars.String:
        numbers = column.str.strip_chars().cast(polars.Float64, strict=False)
    elif kind.is_numeric() or kind == polars.Null or (truths and kind == polars.Boolean):
        numbers = column.cast(polars.Float64, strict=False)
    else:
        raise FormatError(f"{name}: the column {show(column.name)} must hold numbers, not {kind}")
    for row in (numbers.is_null() | ~numbers.is_finite()).arg_true():
        what = "is not a number" if numbers[row] is None else "is not finite"
        raise FormatError(f"{name}, {place(row)}: {show(column[row])} in the column {show(column.name)} {what}")
    return numbers


def normalise_name(name: str) -> str:
    """A column's name without differences in case and punctuation."""
    return name.lower().replace("-", "_").replace(" ", "_")


def find_columns(
    names: Sequence[str], columns: Mapping[str, str] | None, *, judgments: bool, name: str
) -> dict[str, str]:
    """The columns with `query_id`, `doc_id`, `value` and, if any, `group` or `iteration`; `columns` may name them."""
    given = check_roles(columns)
    for own in given.values():
        if own not in names:
            raise FormatError(f"{name} has no column {show(own)}; it has {list_names(names)}")
    value_role = "relevance" if judgments else "score"
    wanted = {"query_id": QUERY, "doc_id": DOCUMENT, value_role: GRADE if judgments else SCORE}
    found: dict[str, str] = {}
    for role, known in {**wanted, **({"group": GROUP, "iteration": ITERATION} if judgments else {})}.items():
        if role == "iteration" and "group" in found:
            continue
        column = given.get(role) or find_column(names, known)
        if column is None and role in wanted:
            # Commands cannot map the columns of runs.
            is_shell, option = INTERFACE.get() is Interface.SHELL, Option("columns", (role, "…"))
            advice = f"rename the column that has it to {role}" if is_shell else f"name it with {option}"
            raise FormatError(f"{name} has no column for {role} (columns: {list_names(names)}); {advice}")
        if column is not None and list(names).count(column) > 1:
            raise FormatError(f"{name}: duplicate column {show(column)}; rename one of them")
        if column is not None:
            found["value" if role == value_role else role] = column
    return found


def check_roles(columns: Mapping[str, str] | None) -> dict[str, str]:
    """The user's own column names by their roles; whether there are such columns is known where there is a table."""
    if columns is not None and not isinstance(columns, Mapping):
        raise FormatError(f"columns= must map roles to columns, such as {{'query_id': 'topic'}}, not {show(columns)}")
    given = dict(columns or {})
    for role in given:
        if role not in ROLES:
            raise FormatError(f"columns={{{show(role)}: …}}: the roles are {', '.join(ROLES)}")
    return given


def find_column(names: Sequence[str], known: Sequence[str]) -> str | None:
    normalised = {normalise_name(column): column for column in reversed(names)}
    return next((normalised[each] for each in known if each in normalised), None)


def list_names(names: Sequence[str]) -> str:
    return some(names, most=20) or "none"


def shortest_text(numbers: polars.Series) -> polars.Series:
    """Numbers as the shortest text that reads back the same, whole numbers without a point."""
    import polars

    is_whole = (numbers == numbers.floor()) & (numbers.abs() < WHOLE)
    return numbers.cast(polars.Int64, strict=False).cast(polars.String).zip_with(is_whole, numbers.cast(polars.String))


def replace_unwritable(frame: polars.DataFrame, format: str) -> polars.DataFrame:
    """The rows with ids that the text format can hold; raises if two ids would become the same."""
    import polars

    names = id_columns(frame)
    unwanted = f"{BLANK}|{NUL}" if format == "trec" else NUL
    if not any(frame[name].str.contains(f"{unwanted}|{NOT_FIRST}").any() for name in names):
        return frame
    cleaned = frame.with_columns(polars.col(names).str.replace_all(unwanted, "_"))
    if format == "trec":
        cleaned = cleaned.with_columns(polars.col("query_id").str.replace(NOT_FIRST, "_"))
    for columns in (["query_id"], names):
        if cleaned.select(columns).n_unique() < frame.select(columns).n_unique():
            said = "cannot hold some of the ids, and replacing characters makes two equal; rename them"
            raise LossError(f"{format} {said}")
    return cleaned


def id_columns(frame: polars.DataFrame) -> list[str]:
    return [each for each in ("query_id", "doc_id", "group") if each in frame.columns]


GIVEN_RANK, GIVEN_SCORE = "given_rank", "given_score"


def add_given(frame: polars.DataFrame, run: Run) -> polars.DataFrame:
    """The rows of a run with the columns of given orders, and scores that fall with the rank in these."""
    import polars

    sizes = np.diff(run.starts)
    ordered = [run.rows.is_ordered(number) for number in range(len(run))]
    is_ordered = np.repeat(np.array(ordered, dtype=bool), sizes)
    rank = np.arange(1, len(frame) + 1) - np.repeat(run.starts[:-1], sizes)
    columns = [
        polars.Series("score", np.where(is_ordered, np.repeat(sizes, sizes) - rank + 1.0, run.values)),
        polars.Series(GIVEN_RANK, rank).set(polars.Series(~is_ordered), None),
    ]
    has_scores = np.repeat([each and any(run.values_of(number)) for number, each in enumerate(ordered)], sizes)
    if has_scores.any():
        columns.append(polars.Series(GIVEN_SCORE, run.values).set(polars.Series(~has_scores), None))
    return frame.with_columns(columns)


def optional_numbers(column: polars.Series, name: str, place: Callable[[int], str]) -> polars.Series:
    import polars

    if column.dtype.is_numeric() and column.cast(polars.Float64).is_finite().all():
        return column.cast(polars.Float64)
    values = column.to_list()
    numbers = [None if value in (None, "") else as_float(value, truths=False) for value in values]
    for row, (value, number) in enumerate(zip(values, numbers, strict=True)):
        if value not in (None, "") and (number is None or not math.isfinite(number)):
            raise FormatError(f"{name}, {place(row)}: {show(value)} in the column {show(column.name)} is not a number")
    return polars.Series(column.name, numbers, dtype=polars.Float64)


def given_rows(table: polars.DataFrame, name: str) -> Rows:
    """The rankings in a table, those with ranks in the order of these and with the scores that were given."""
    import polars

    rank, row = polars.col(GIVEN_RANK), polars.col("row")
    if GIVEN_SCORE not in table.columns:
        table = table.with_columns(polars.lit(None, polars.Float64).alias(GIVEN_SCORE))
    mixed = table.filter(rank.null_count().over("query_id").is_between(1, polars.len().over("query_id") - 1))
    if len(mixed):
        query = show(mixed["query_id"][0])
        raise FormatError(f"{name}: {GIVEN_RANK} of query {query} is empty in some rows; fill in all of them or none")
    order = row.min().over("query_id"), polars.coalesce(rank, row)
    table = table.with_row_index("row").sort(*order, maintain_order=True)
    kept = polars.when(rank.is_null()).then("value").otherwise(polars.col(GIVEN_SCORE).fill_null(0.0))
    scores: FloatArray = table.select(kept)["value"].to_numpy()
    queries = table.group_by("query_id", maintain_order=True).agg(rank.first())
    ordered = queries[GIVEN_RANK].is_not_null().arg_true().to_list()
    return Rows.from_frame(table, name).with_order(ordered, scores.tolist())


def as_float(value: Any, *, truths: bool) -> float | None:  # noqa: ANN401 - whatever the column holds
    """A value as a float, or None if it cannot be one; too large an integer is infinite."""
    if isinstance(value, bool) and not truths:
        return None
    if isinstance(value, str) and ("_" in value or not value.isascii()):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - a value's own conversion raises what it likes
        return None
