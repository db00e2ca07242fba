"""Frames of polars, pandas, pyarrow and other Arrow libraries, and lists of named tuples, as columns for the kernel.

Columns are found by their names: which one holds the queries, the documents, the grades or the scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from numbers import Integral
from typing import TYPE_CHECKING, Any

from assay._kernel import Rows
from assay.core.errors import PASSING, FormatError, LossError
from assay.core.interface import INTERFACE, Interface, Option
from assay.core.text import printable, show, some
from assay.data.frames.given import GIVEN_RANK, as_float, given_columns, given_rows
from assay.files.source import is_source

if TYPE_CHECKING:
    import polars

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


def is_frame(data: object) -> bool:
    """Whether the data is a frame."""
    return hasattr(type(data), "__arrow_c_stream__") or is_a(data, "pandas.DataFrame") or is_a(data, "polars.LazyFrame")


def is_a(data: object, kind: str) -> bool:
    """Whether the data is of a library's class, without importing the library.

    >>> is_a({}, "pandas.DataFrame")
    False
    """
    library, _, name = kind.partition(".")
    return any(each.__name__ == name and each.__module__.split(".")[0] == library for each in type(data).__mro__)


def prepare_frame(
    frame: Any,  # noqa: ANN401 - any library's frame
    columns: Mapping[str, str] | None,
    *,
    judgments: bool,
    name: str = "the frame",
) -> polars.DataFrame:
    """A user's frame, ready for the kernel; `name` is what messages call it."""
    import polars

    with library_errors():
        table = to_polars(frame, columns, judgments=judgments)
    if not isinstance(table, polars.DataFrame):
        raise FormatError("the frame cannot be read: it is a single column; pass queries, documents and values")
    return groups_of_iterations(
        prepare_table(table, columns, judgments=judgments, name=name, place=lambda row: f"row {row}")
    )


def as_frame(data: object, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame | None:
    """A frame or a list of named tuples, ready for the kernel; None if the data has another form."""
    table = from_tuples(data)
    if not is_frame(table):
        return None
    return prepare_frame(table, columns, judgments=judgments, name="the frame" if table is data else "the list")


def to_polars(frame: Any, columns: Mapping[str, str] | None, *, judgments: bool) -> polars.DataFrame:  # noqa: ANN401 - any library's frame
    """Any frame as a polars one, without a copy where the library allows it."""
    import polars

    if isinstance(frame, polars.DataFrame):
        return frame
    if isinstance(frame, polars.LazyFrame):
        names = frame.collect_schema().names()
        used = find_columns(names, columns, judgments=judgments, name="the frame").values()
        return frame.select(list(dict.fromkeys(used))).collect()
    if is_a(frame, "pandas.DataFrame"):
        names = [str(each) for each in frame.columns]
        used = find_columns(names, columns, judgments=judgments, name="the frame").values()
        series = {each: from_pandas(frame.iloc[:, names.index(each)]) for each in used}
        return polars.DataFrame([column.alias(each) for each, column in series.items()])
    return polars.DataFrame(frame)


def from_pandas(column: Any) -> polars.Series:  # noqa: ANN401 - pandas' series
    """A pandas column; of objects if its values are of several types, or if pyarrow is not installed."""
    import polars

    try:
        return polars.Series(values=column)
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - pandas and pyarrow raise their own
        values = [None if missing else each for each, missing in zip(column.tolist(), column.isna(), strict=True)]
        return polars.Series(values=values, dtype=polars.Object)


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
        if role == "value":
            ready.append(as_number(table[column], name, place, truths=judgments).alias(role))
        else:
            ready.append(as_text(table[column], name, place).alias(role))
    if not judgments and GIVEN_RANK in table.columns:
        ready += given_columns(table, name, place)
    return polars.DataFrame(ready)


def groups_of_iterations(table: polars.DataFrame) -> polars.DataFrame:
    """The table with its iterations as groups, or without them if all judgments have the same one."""
    if "iteration" not in table.columns:
        return table
    is_idle = table["iteration"].n_unique() <= 1
    return table.drop("iteration") if is_idle else table.rename({"iteration": "group"})


def rows_of_table(table: polars.DataFrame, name: str) -> Rows:
    """A table that is ready, as rows of the kernel."""
    return given_rows(table, name) if GIVEN_RANK in table.columns else Rows.from_frame(table, name)


def as_text(column: polars.Series, name: str, place: Callable[[int], str]) -> polars.Series:
    """Ids as text: integers as decimal strings."""
    import polars

    kind = column.dtype
    if kind == polars.Object:
        text = polars.Series(column.name, [as_id(each) for each in column], dtype=polars.String)
        wrong = text.is_null().arg_true()
        if len(wrong):
            row = int(wrong[0])
            raise FormatError(f"{name}, {place(row)}: {show(column[row])} is not an id; use strings or integers")
    elif kind == polars.String:
        text = column
    elif kind.is_integer() or kind in (polars.Categorical, polars.Enum, polars.Null):
        text = column.cast(polars.String)
    else:
        raise FormatError(f"{name}: the column {show(column.name)} must hold strings or integers, not {kind}")
    empty = (text == "").arg_true()
    if len(empty):
        raise FormatError(f"{name}, {place(int(empty[0]))}: the column {show(column.name)} is empty")
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
    wrong = (numbers.is_null() | ~numbers.is_finite()).arg_true()
    if len(wrong):
        row = int(wrong[0])
        what = "is not a number" if numbers[row] is None else "is not finite"
        raise FormatError(f"{name}, {place(row)}: {show(column[row])} in the column {show(column.name)} {what}")
    return numbers


@contextmanager
def library_errors() -> Iterator[None]:
    """Each library raises its own errors about a frame; they become `FormatError`."""
    try:
        yield
    except (FormatError, *PASSING):
        raise
    except Exception as error:
        reason = printable(str(error).strip().partition("\n")[0])
        raise FormatError(f"the frame cannot be read: {reason}") from error


def from_tuples(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """A list of named tuples, such as those of ir_measures and ir_datasets, as a frame; any other data as it is.

    >>> from collections import namedtuple
    >>> Judgment = namedtuple("Judgment", "query_id doc_id relevance")
    >>> from_tuples([Judgment("q1", "d1", 1)]).rows()
    [('q1', 'd1', 1)]
    >>> from_tuples([["d1"], ["d2"]])
    [['d1'], ['d2']]
    """
    data = gather(data)
    return tuples_table(data) if is_tuples(data) else data


def is_tuples(data: object) -> bool:
    """Whether the data is a list whose first entry is a tuple that names its query and its document."""
    first = data[0] if isinstance(data, (list, tuple)) and data else None
    fields = getattr(first, "_fields", ())
    return isinstance(first, tuple) and bool(find_column(fields, QUERY) and find_column(fields, DOCUMENT))


def gather(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """A generator of named tuples as a list; any other data as it is."""
    if not isinstance(data, Iterator) or is_source(data):
        return data
    if is_frame(data):
        return data
    first = next(data, None)
    return [first, *data] if is_tuples([first]) else data


def tuples_table(rows: list[Any]) -> polars.DataFrame:
    """The rows as a frame with a column for each field of the first."""
    import polars

    fields = rows[0]._fields
    wrong = next((row for row, each in enumerate(rows) if getattr(each, "_fields", None) != fields), None)
    if wrong is not None:
        names = ", ".join(fields)
        raise FormatError(f"the list, row {wrong}: {show(rows[wrong])} has other fields than the first row ({names})")
    return polars.DataFrame([tuples_series(*each) for each in zip(fields, zip(*rows, strict=True), strict=True)])


def tuples_series(name: str, values: tuple[Any, ...]) -> polars.Series:
    """A column; of objects if its values are of several types."""
    import polars

    try:
        return polars.Series(name, values, strict=True)
    except (TypeError, ValueError, OverflowError, AttributeError, polars.exceptions.PolarsError):
        return polars.Series(name, list(values), dtype=polars.Object)


def normalise_name(name: str) -> str:
    """A column's name without differences in case and punctuation.

    >>> normalise_name("Query-ID")
    'query_id'
    """
    return name.lower().replace("-", "_").replace(" ", "_")


def find_columns(
    names: Sequence[str], columns: Mapping[str, str] | None, *, judgments: bool, name: str
) -> dict[str, str]:
    """The columns that hold `query_id`, `doc_id`, `value` and, if there is one, `group` or else `iteration`.

    `columns` names them explicitly, such as `{"query_id": "topic", "doc_id": "url"}`.
    """
    given = check_columns(names, columns, name)
    value_role = "relevance" if judgments else "score"
    wanted = {"query_id": QUERY, "doc_id": DOCUMENT, value_role: GRADE if judgments else SCORE}
    found: dict[str, str] = {}
    grouping = {"group": GROUP, "iteration": ITERATION} if judgments else {}
    for role, known in {**wanted, **grouping}.items():
        if role == "iteration" and "group" in found:
            continue
        column = given.get(role) or find_column(names, known)
        if column is None and role in wanted:
            raise FormatError(f"{name} has no column for {role} (columns: {list_names(names)}); {how_to_name(role)}")
        if column is not None and list(names).count(column) > 1:
            raise FormatError(f"{name}: duplicate column {show(column)}; rename one of them")
        if column is not None:
            found["value" if role == value_role else role] = column
    return found


def how_to_name(role: str) -> str:
    """What to do about a column that is not found; commands cannot map the columns of runs."""
    if INTERFACE.get() is Interface.SHELL:
        return f"rename the column that has it to {role}"
    return f"name it with {Option('columns', (role, '…'))}"


def check_columns(names: Sequence[str], columns: Mapping[str, str] | None, name: str) -> dict[str, str]:
    """The user's own column names, each of which must exist."""
    given = check_roles(columns)
    for column in given.values():
        if column not in names:
            raise FormatError(f"{name} has no column {show(column)}; it has {list_names(names)}")
    return given


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
    """The column with the first of the known names that exists, or None."""
    for each in known:
        column = next((column for column in names if normalise_name(column) == each), None)
        if column is not None:
            return column
    return None


def list_names(names: Sequence[str]) -> str:
    """Column names, in a message."""
    return some(names, most=20) or "none"


def shortest_text(numbers: polars.Series) -> polars.Series:
    """Numbers as the shortest text that reads back the same, whole numbers without a point."""
    import polars

    name = numbers.name
    number = polars.col(name)
    whole = number.cast(polars.Int64, strict=False).cast(polars.String)
    is_whole = (number == number.floor()) & (number.abs() < WHOLE)
    text = polars.when(is_whole).then(whole).otherwise(number.cast(polars.String))
    return numbers.to_frame().select(text.alias(name))[name]


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
            raise LossError(
                f"{format} cannot hold some of the ids, and replacing characters makes two equal; rename them"
            )
    return cleaned


def id_columns(frame: polars.DataFrame) -> list[str]:
    return [each for each in ("query_id", "doc_id", "group") if each in frame.columns]
