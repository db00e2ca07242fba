"""Runs that are Spark DataFrames: found, counted and grouped where they are.

Only the DataFrame interface is used, so that a session of Spark Connect does as well as a classic one. Conditions are
SQL where they are long: every call for a column asks Java several times.

`find` and `count` are the two passes of `Finding` and `Counting`: the first is a join in Spark itself, the second sends
batches of Arrow through the kernel on the executors, where `spark_counts` cannot count in Spark. Only counts are
shuffled. `group` is for what cannot be counted that way: it brings the rows of each query together, with their
judgments, and ranks them as a local run is ranked.
"""

from __future__ import annotations

import re
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import polars

from assay.core import errors
from assay.core.errors import AssayError, DataError, FormatError
from assay.core.interface import Option
from assay.core.text import printable, show
from assay.data.frames import find_columns, list_names
from assay.engine.counting import STATE, SUMMED, Counting, add_up, to_bytes
from assay.engine.spark_hash import xxhash64

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import pyarrow
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

    from assay.core.doc_id import DocIdRule
    from assay.engine.counting import Way

    Batches = Iterator[pyarrow.RecordBatch]

# Judgments that every executor holds, unless it is said otherwise.
MOST_BROADCAST = 2_000_000
STATE_SCHEMA = "way int, slot long, run string, query_id string, rows long, excluded long"
WHOLE_NUMBERS = ("byte", "short", "integer", "long")
NUMBERS = (*WHOLE_NUMBERS, "float", "double")
# The rows of judgments come before those of runs.
JUDGMENT, RETRIEVED = 0, 1
WITHOUT_ASSAY = (
    "the Python that Spark's executors run has no assay; install it there, or name one that has it in the variable "
    f"PYSPARK_PYTHON of the environment before the session starts (here: {sys.executable})"
)
# What executors raise, as Spark's message has it.
RAISED = re.compile(r"assay(?:\.core\.errors)?\.(\w+Error): (.+)")
# Rows that are brought together before whole queries among them are ranked.
MOST_ROWS = 1 << 18


class SparkRun(NamedTuple):
    """A run, or several: `query_id`, `doc_id` and `value`, and perhaps `run`, `order` and the `document` of a chunk."""

    frame: DataFrame
    has_runs: bool
    has_order: bool

    @property
    def session(self) -> SparkSession:
        return self.frame.sparkSession

    def rows(self) -> DataFrame:
        """The rows without their places."""
        return self.frame.drop("order")


def is_spark(data: object) -> bool:
    """Whether the data is a Spark DataFrame, without importing Spark."""
    return any(each.__name__ == "DataFrame" and each.__module__.startswith("pyspark.") for each in type(data).__mro__)


def read_run(
    frame: DataFrame,
    columns: Any,  # noqa: ANN401 - as users give them
    run_column: str | None,
    order_column: str | None,
    rule: DocIdRule | None = None,
) -> SparkRun:
    """A DataFrame with the columns that assay knows; a rule may say which field names the `document` of a chunk."""
    from pyspark.sql import functions

    found = find_columns(frame.columns, columns, judgments=False, name="the run")
    for name in (run_column, order_column):
        if name is not None and name not in frame.columns:
            raise FormatError(f"the run has no column {show(name)}; it has {list_names(frame.columns)}")
    kinds = {field.name: field.dataType.typeName() for field in frame.schema.fields}
    chosen = [functions.col(quoted(found[role])).cast("string").alias(role) for role in ("query_id", "doc_id")]
    check_kind(found["value"], kinds, NUMBERS, "numbers")
    chosen.append(functions.col(quoted(found["value"])).cast("double").alias("value"))
    if run_column is not None:
        chosen.append(functions.col(quoted(run_column)).cast("string").alias("run"))
    if order_column is not None:
        check_kind(order_column, kinds, WHOLE_NUMBERS, "whole numbers")
        chosen.append(functions.col(quoted(order_column)).cast("long").alias("order"))
    for role in ("query_id", "doc_id"):
        check_kind(found[role], kinds, ("string", *WHOLE_NUMBERS), "strings or integers")
    if rule is not None and rule.is_field:
        chosen.append(document_column(frame.schema, rule.argument).cast("string").alias("document"))
    return SparkRun(frame.select(*chosen), run_column is not None, order_column is not None)


def quoted(name: str) -> str:
    """A column's name as Spark takes it, whatever characters it has."""
    return "`" + name.replace("`", "``") + "`"


def document_column(schema: StructType, path: str) -> Column:
    """The field that names the document of a chunk: a column with the whole path as its name, or fields inside one."""
    from pyspark.sql import functions

    names = [path] if path in schema.names else path.split(".")
    kind: DataType = schema
    for name in names:
        fields = {each.name: each.dataType for each in getattr(kind, "fields", ())}
        if name not in fields:
            raise FormatError(
                f"the run has no column {show(path)} for {Option('doc_id')}; it has {list_names(schema.names)}"
            )
        kind = fields[name]
    if kind.typeName() not in ("string", *WHOLE_NUMBERS):
        raise FormatError(f"the run: the field {show(path)} must hold strings or integers, not {kind.typeName()}")
    return functions.col(".".join(map(quoted, names)))


def check_kind(name: str, kinds: dict[str, str], allowed: Sequence[str], what: str) -> None:
    """Raises unless a column is of one of the allowed types."""
    is_decimal = "double" in allowed and kinds[name].startswith("decimal")
    if kinds[name] not in allowed and not is_decimal:
        raise FormatError(f"the run: the column {show(name)} must hold {what}, not {kinds[name]}")


def to_spark(session: SparkSession, frame: polars.DataFrame) -> DataFrame:
    """A frame as a Spark DataFrame."""
    import pyarrow

    table = frame.to_arrow(compat_level=polars.CompatLevel.oldest())
    # Spark knows no arrays with offsets of 64 bits; texts with such offsets can be longer.
    is_list = pyarrow.types.is_large_list
    fields = [each.with_type(small_type(each.type)) if is_list(each.type) else each for each in table.schema]
    schema = pyarrow.schema(fields)
    return session.createDataFrame(table.cast(schema))


def to_frame(frame: DataFrame) -> polars.DataFrame:
    """A Spark DataFrame on the driver."""
    with executor_errors():
        made = polars.from_arrow(frame.toArrow())
    return made if isinstance(made, polars.DataFrame) else made.to_frame()


@contextmanager
def executor_errors() -> Iterator[None]:
    """An error of assay on an executor is the same error here; what Spark says of others is one sentence."""
    try:
        yield
    except Exception as error:
        if not is_of_spark(error):
            raise
        if raised := RAISED.search(str(error)):
            kind = getattr(errors, raised[1], AssayError)
            raise kind(raised[2]) from error
        if "No module named 'assay'" in str(error):
            raise DataError(WITHOUT_ASSAY) from error
        raise DataError(f"Spark cannot read the run: {reason_of(error)}") from error


def is_of_spark(error: Exception) -> bool:
    """Whether Spark raised an error, or what carries its own to Python."""
    return any(each.__module__.startswith(("pyspark.", "py4j.")) for each in type(error).__mro__)


def reason_of(error: Exception) -> str:
    """What Spark says was the first cause, or its first line."""
    said = (line.strip(": ") for line in str(error).splitlines())
    lines = [line for line in said if not line.startswith("An error occurred while calling")]
    causes = [line.removeprefix("Caused by: ") for line in lines if line.startswith("Caused by: ")]
    return printable(next((line for line in (*causes[-1:], *lines) if line), type(error).__name__))


def map_batches(frame: DataFrame, function: Callable[[Batches], Batches], schema: str) -> DataFrame:
    """`mapInArrow`, which checks for pandas though it does not use it; where there is none, without that check."""
    from importlib import import_module
    from importlib.util import find_spec

    if find_spec("pandas") is not None or not hasattr(frame, "_jdf"):
        return frame.mapInArrow(function, schema)
    from pyspark.sql import DataFrame as ClassicFrame
    from pyspark.util import PythonEvalType

    make = import_module("pyspark.sql.pandas.functions").vectorized_udf
    udf = make(function, schema, PythonEvalType.SQL_MAP_ARROW_ITER_UDF, "pandas")
    classic: Any = frame
    column = udf(*[classic[name] for name in classic.columns])
    return ClassicFrame(classic._jdf.mapInArrow(column._jc, False, None), classic.sparkSession)  # noqa: SLF001 - see above


class Found(NamedTuple):
    """The rows of judged documents, whether these are all, and whether all rows of the run can be used."""

    rows: polars.DataFrame
    is_whole: bool
    is_sound: bool


def find(run: SparkRun, judged: polars.DataFrame, *, foreign: bool, by_order: bool, most: int) -> Found:
    """The rows of judged documents; if there are more than `most`, not all of them.

    `judged` has columns `query_id` and `doc_id`. Most rows have a document that no query judged: documents are looked
    up first, so that Spark need not decode the query of such a row. Query ids are checked when rows are counted.
    Executors only get hashes of ids; rows that have such a hash but other ids are left out here.
    """
    is_usable = usable(run, by_order=by_order)
    rows = run.frame
    lookups = [["doc_id"]] if foreign else [["doc_id"], ["query_id", "doc_id"]]
    for names in lookups:
        hashes = xxhash64(*judged.select(names).unique()).unique()
        rows = look_up(rows, names, to_spark(run.session, hashes.to_frame()), is_small=most <= MOST_BROADCAST)
        rows = rows.where(f"is_found OR NOT {is_usable}").drop("is_found")
    found = to_frame(rows.selectExpr("*", f"{is_usable} AS is_usable").limit(most + 1))
    usable_rows = found.filter(polars.col("is_usable") & (polars.col("query_id") != "")).drop("is_usable")
    rows_found = usable_rows.join(judged, on=lookups[-1], how="semi", maintain_order="left")
    return Found(rows_found, len(found) <= most, bool(found["is_usable"].all()))


def look_up(rows: DataFrame, names: Sequence[str], hashes: DataFrame, *, is_small: bool) -> DataFrame:
    """Rows with `is_found`, whether a table of distinct hashes has that of their ids."""
    from pyspark.sql import functions

    is_same = functions.expr(f"{hash_of(names)} = hash")
    # Spark would rather sort the run; of more judgments than usual, whether it does is for Spark to say.
    joined = rows.join(functions.broadcast(hashes) if is_small else hashes, is_same, "left")
    return joined.selectExpr(*map(quoted, rows.columns), "hash IS NOT NULL AS is_found")


def usable(run: SparkRun, *, by_order: bool) -> str:
    """Whether a row has all that it needs beside a query. What is wrong with one that does not, the kernel says."""
    # Only of a finite score the difference to itself is 0.
    needs = ["doc_id != ''", "value - value = 0"]
    named = ("run", "order") if by_order else ("run",)
    needs += [f"{quoted(name)} IS NOT NULL" for name in run.frame.columns if name in named]
    return f"coalesce({' AND '.join(needs)}, false)"


def hash_of(names: Sequence[str]) -> str:
    """Spark's hash of columns."""
    return f"xxhash64({', '.join(map(quoted, names))})"


def same_value(one: str, other: str) -> str:
    """Whether two columns are equal, said so that Spark does not join by them."""
    return f"coalesce({quoted(one)} = {quoted(other)}, false)"


def count(run: SparkRun, found: polars.DataFrame, ways: Sequence[Way]) -> DataFrame:
    """The sums of what the kernel counts of the partitions of a run, still in Spark."""
    from pyspark.sql import functions

    rows = run.frame if any(way.by_order for way in ways) else run.rows()
    counted = map_batches(rows, PartCounter(to_bytes(found), ways), STATE_SCHEMA)
    keys = [name for name in STATE if name not in SUMMED]
    return counted.groupBy(*keys).agg(*(functions.sum(name).alias(name) for name in SUMMED))


class PartCounter:
    """Counts the batches of a partition on an executor."""

    def __init__(self, found: bytes, ways: Sequence[Way]) -> None:
        self.found = found
        self.ways = list(ways)

    def __call__(self, batches: Batches) -> Batches:
        import pyarrow

        from assay.engine.counting import from_bytes

        part = Counting(from_bytes(self.found), self.ways).start()
        for batch in batches:
            part.add(pyarrow.Table.from_batches([batch]))
        yield from to_batches(add_up(part.state()))


def to_batches(frame: polars.DataFrame) -> Batches:
    """A frame as Spark takes it: text is not in views."""
    import pyarrow

    table = frame.to_arrow(compat_level=polars.CompatLevel.oldest())
    fields = [pyarrow.field(each.name, small_type(each.type)) for each in table.schema]
    yield from table.cast(pyarrow.schema(fields)).to_batches()


def small_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    """A type with offsets of 32 bits."""
    import pyarrow

    if pyarrow.types.is_large_list(kind):
        return pyarrow.list_(small_type(kind.value_type))
    return pyarrow.string() if pyarrow.types.is_large_string(kind) else kind


def check_duplicates(run: SparkRun, queries: Sequence[str]) -> tuple[str, str] | None:
    """One of these queries and a document that a ranking has twice. Hashes are shuffled, 8 bytes per row, not rows."""
    from pyspark.sql import functions

    keys = [name for name in ("run", "query_id", "doc_id") if name in run.frame.columns]
    hashed = run.frame.select(*keys, functions.xxhash64(*keys).alias("hash"))
    suspects = hashed.groupBy("hash").count().where("count > 1").select("hash")
    judged = to_spark(run.session, polars.DataFrame({"query_id": polars.Series(queries, dtype=polars.String)}))
    rows = hashed.join(suspects, "hash", "left_semi").join(judged, "query_id", "left_semi")
    twice = rows.groupBy(*keys).count().where("count > 1")
    first = to_frame(twice.orderBy(*keys).limit(1))
    return (first["query_id"][0], first["doc_id"][0]) if len(first) else None


def group(
    run: SparkRun,
    judgments: DataFrame,
    function: Callable[[polars.DataFrame, polars.DataFrame], polars.DataFrame],
    schema: str,
) -> DataFrame:
    """What a function makes of the judgments and the rows of whole queries, for all queries."""
    from pyspark.sql import functions

    names = {"run": "string", "order": "long", "group": "string"}
    names |= {"document": "string"} if "document" in run.frame.columns else {}
    parts = []
    for kind, frame in ((JUDGMENT, judgments), (RETRIEVED, run.frame)):
        missing = [
            functions.lit(None).cast(each).alias(name) for name, each in names.items() if name not in frame.columns
        ]
        whole = frame.select("*", *missing, functions.lit(kind).alias("kind"))
        parts.append(whole.select("query_id", "kind", "doc_id", "value", *names))
    together = (
        parts[0]
        .unionByName(parts[1])
        .repartition("query_id")
        .sortWithinPartitions("query_id", "kind", "run", "order", "doc_id")
    )
    return map_batches(together, Grouper(function), schema)


class Grouper:
    """Applies a function to the judgments and the rows of whole queries, on an executor."""

    def __init__(self, function: Callable[[polars.DataFrame, polars.DataFrame], polars.DataFrame]) -> None:
        self.function = function

    def __call__(self, batches: Batches) -> Batches:
        for rows in whole_queries(batches):
            is_judgment = rows["kind"] == JUDGMENT
            made = self.function(rows.filter(is_judgment), rows.filter(~is_judgment))
            if len(made):
                yield from to_batches(made)


def whole_queries(batches: Batches) -> Iterator[polars.DataFrame]:
    """The rows of some queries at a time, each of them whole; rows of a query stand together."""
    held: list[polars.DataFrame] = []
    for batch in batches:
        frame: Any = polars.from_arrow(batch)
        if not len(frame):
            continue
        held.append(frame)
        if sum(map(len, held)) >= MOST_ROWS:
            rows = polars.concat(held)
            is_last = rows["query_id"].eq_missing(rows["query_id"][-1])
            held = [rows.filter(is_last)]
            if not is_last.all():
                yield rows.filter(~is_last)
    if held:
        yield polars.concat(held)
