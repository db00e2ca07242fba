"""Events of people, such as votes and clicks: a table in any form, with its columns under known names.

A field may be inside another one: `event_attributes.position.ordinal` is found in a column of that name, in nested
objects, and in JSON inside a cell of a text table. Where a column is empty, such a field fills it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import DataError, FormatError
from assay.core.json_text import decode_json
from assay.core.text import show
from assay.data.formats import recognise_files
from assay.data.frames.columns import as_id, list_names, normalise_name
from assay.data.frames.frame import from_tuples, is_frame, library_errors, whole_frame
from assay.data.records.fields import as_mapping
from assay.files.source import is_source

if TYPE_CHECKING:
    import polars


# Each field of the events, with the names that it may have, the likeliest first.
Fields = Mapping[str, tuple[str, ...]]

TRUTHS = {"true": "1", "yes": "1", "false": "0", "no": "0"}


class Part(NamedTuple):
    """Some rows: what messages call the data, and the line or number of each row."""

    frame: polars.DataFrame
    name: str
    numbers: Sequence[int]
    noun: str


class Events(NamedTuple):
    """Rows of people's events by field, the parts they were read from, and, if some were left out, the numbers kept."""

    frame: polars.DataFrame
    name: str
    parts: tuple[Part, ...]
    kept: polars.Series | None = None

    def filter(self, is_kept: polars.Series) -> Events:
        numbers = is_kept.arg_true()
        kept = numbers if self.kept is None else self.kept.gather(numbers)
        return self._replace(frame=self.frame.filter(is_kept), kept=kept)

    def place(self, row: int) -> str:
        """Where a row was read, for messages."""
        row = row if self.kept is None else int(self.kept[row])
        for part in self.parts:
            if row < len(part.frame):
                return f"{part.name}, {part.noun} {part.numbers[row]}"
            row -= len(part.frame)
        return self.name

    def ids(self, field: str) -> polars.Series:
        """A field of ids as text, null where it is empty."""
        import polars

        column = self.frame[field]
        if not (column.dtype == polars.String or column.dtype.is_integer()):
            column = polars.Series(field, [self.read_id(row, each) for row, each in enumerate(column.to_list())])
        text = column.cast(polars.String).str.strip_chars()
        return text.set(text == "", None)

    def read_id(self, row: int, value: object) -> str | None:
        if value is None or value != value:  # noqa: PLR0124 - NaN
            return None
        found = as_id(int(value) if isinstance(value, float) and value.is_integer() else value)
        if found is None:
            raise FormatError(f"{self.place(row)}: the id {show(value)} must be a string or an integer")
        return found

    def numbers(self, field: str) -> polars.Series:
        """A field as finite numbers, null where it is empty; true and yes are 1, false and no are 0."""
        import polars

        column = self.frame[field]
        if column.dtype == polars.Object:
            texts = [None if each is None else str(each) for each in column.to_list()]
            column = polars.Series(field, texts, dtype=polars.String)
        if column.dtype.is_integer() or column.dtype in (polars.Boolean, polars.Null):
            return column.cast(polars.Float64)
        if not (column.dtype == polars.String or column.dtype.is_float()):
            raise FormatError(f"{self.name}: the column for {field} must hold numbers, not {column.dtype}")
        if column.dtype == polars.String:
            words = column.str.strip_chars().str.to_lowercase()
            column = words.replace(list(TRUTHS), list(TRUTHS.values())).replace("", None)
        numbers = column.cast(polars.Float64, strict=False).fill_nan(None)
        # A number is missing where it is NaN, as pandas says it.
        is_given = column.is_not_null() & (column.is_not_nan() if column.dtype.is_float() else column != "nan")
        wrong = (numbers.is_null() & is_given) | numbers.is_infinite().fill_null(value=False)
        for row in wrong.arg_true():
            raise FormatError(f"{self.place(row)}: the {field} {show(self.frame[field][row])} is not a finite number")
        return numbers

    def needed_ids(self, field: str) -> polars.Series:
        found = self.ids(field)
        for row in found.is_null().arg_true():
            raise FormatError(f"{self.place(row)}: no {field}; each row needs one")
        return found


def read_events(data: object, fields: Fields, needed: Sequence[str], name: str, sparse: str = "") -> Events:
    """The rows of a file, a frame, or a list of dicts or named tuples; raises if a needed field has no column.

    A part with a column for the field `sparse` may lack the needed ones, if another part has them.
    """
    import polars

    parts, heads = [], []
    for part in read_parts(data, name):
        parts.append(find_fields(part, fields))
        heads.append(part._replace(frame=part.frame.head(0)))
    columns = {column for part in parts for column in part.frame.columns}
    for part, head in zip(parts, heads, strict=True):
        check_fields(head, columns if sparse in part.frame.columns else part.frame.columns, fields, needed)
    filled = [part for part in parts if len(part.frame)]
    if not filled:
        raise DataError(f"{name} are empty; there is no row")
    whole = polars.concat([as_objects(part.frame, filled) for part in filled], how="diagonal")
    return Events(whole, name, tuple(filled))


def as_objects(frame: polars.DataFrame, parts: Sequence[Part]) -> polars.DataFrame:
    import polars

    for column in frame.columns:
        if len({part.frame[column].dtype for part in parts if column in part.frame.columns}) > 1:
            frame = frame.with_columns(polars.Series(column, frame[column].to_list(), dtype=polars.Object))
    return frame


def read_parts(data: object, name: str) -> Iterator[Part]:
    data = from_tuples(list(data) if isinstance(data, Iterator) and not is_source(data) else data)
    if is_source(data):
        for file, format_ in recognise_files(data):  # type: ignore[arg-type]
            if format_.batches is None:
                yield object_part(format_.read_content(file), file.name)
                continue
            with closing(format_.batches(file)) as batches:
                yield from (Part(batch.frame, file.name, batch.numbers, batch.noun) for batch in batches)
    elif is_frame(data):
        with library_errors():
            frame = whole_frame(data)
        yield Part(frame, name, range(len(frame)), "row")
    else:
        yield object_part(data, name)


def object_part(data: object, name: str) -> Part:
    import polars

    if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
        raise DataError(f"{name} must be a list of records, a frame or a file, not {show(type(data).__name__)}")
    rows = [as_mapping(each, f"{name}, record {number}") for number, each in enumerate(data)]
    names = {str(key): key for row in rows for key in row}
    columns = [polars.Series(text, [row.get(key) for row in rows], dtype=polars.Object) for text, key in names.items()]
    return Part(polars.DataFrame(columns), name, range(len(rows)), "record")


def find_fields(part: Part, fields: Fields, needed: Sequence[str] = ()) -> Part:
    names = {normalise_name(column.strip()): column for column in reversed(part.frame.columns)}
    found: dict[str, polars.Series] = {}
    for field, spellings in fields.items():
        for spelling in spellings:
            # Only what is inside another field says the same; other columns may mean something else.
            if field in found and ("." not in spelling or not is_blank(found[field]).any()):
                continue
            column = column_at(part, names, spelling)
            if column is not None:
                found[field] = (coalesce(found[field], column) if field in found else column).alias(field)
    check_fields(part, found, fields, needed)
    return part._replace(frame=part.frame.select(list(found.values())))


def is_blank(column: polars.Series) -> polars.Series:
    """Which rows are empty: nothing, a text without a letter, or NaN."""
    import polars

    if column.dtype == polars.Object:
        blank = [each is None or each == "" or each != each for each in column.to_list()]  # noqa: PLR0124 - NaN
        return polars.Series(blank, dtype=polars.Boolean)
    if column.dtype == polars.String:
        return column.is_null() | (column == "").fill_null(value=False)
    return column.is_null() | column.is_nan().fill_null(value=False) if column.dtype.is_float() else column.is_null()


def coalesce(column: polars.Series, other: polars.Series) -> polars.Series:
    """A column whose empty rows are those of another."""
    import polars

    if column.dtype == other.dtype != polars.Object:
        return other.zip_with(is_blank(column), column)
    rows = zip(is_blank(column).to_list(), column.to_list(), other.to_list(), strict=True)
    return polars.Series([theirs if is_empty else own for is_empty, own, theirs in rows], dtype=polars.Object)


def check_fields(part: Part, found: Collection[str], fields: Fields, needed: Sequence[str]) -> None:
    for field in needed:
        if field not in found and part.frame.columns:
            usual, has = ", ".join(fields[field][:3]), list_names(part.frame.columns)
            raise FormatError(f"{part.name} has no column for {field} ({usual} …); it has {has}; rename one of them")


def column_at(part: Part, names: Mapping[str, str], path: str) -> polars.Series | None:
    """The column of that name, or the values that nested objects have at a path of names; None if no row has one."""
    import polars

    if path in names:
        return part.frame[names[path]]
    outer, *inner = path.split(".")
    if not any(inner) or outer not in names:
        return None
    column = part.frame[names[outer]]
    for name in inner:
        if column.dtype == polars.Struct:
            if name not in column.struct.fields:
                return None
            column = column.struct.field(name)
        elif column.dtype in (polars.Object, polars.String):
            column = polars.Series(name, [value_at(each, name) for each in column.to_list()], dtype=polars.Object)
        else:
            return None
    return None if column.null_count() == len(column) else column


def value_at(value: object, name: str) -> object:
    """A field of an object, or of the JSON in a text; None if there is no such thing."""
    if isinstance(value, str):
        with suppress(ValueError, RecursionError):
            value = decode_json(value)
    return value.get(name) if isinstance(value, Mapping) else None
