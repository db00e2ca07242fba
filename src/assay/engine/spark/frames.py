"""Runs that are Spark DataFrames: their columns, the way between Spark and polars, and whole queries on executors.

Only the DataFrame interface is used, so that a session of Spark Connect does as well as a classic one. Conditions are
SQL where they are long: every call for a column asks Java several times.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import polars

from assay.core import errors
from assay.core.doc_id import DocIdRule
from assay.core.errors import AssayError, DataError, FormatError
from assay.core.text import Option, printable, show
from assay.data.frames.columns import find_columns, list_names

if TYPE_CHECKING:
    import pyarrow
    from pyspark.sql import Column, DataFrame, SparkSession
    from pyspark.sql.types import DataType, StructType

    Batches = Iterator[pyarrow.RecordBatch]

WHOLE_NUMBERS = ("byte", "short", "integer", "long")
NUMBERS = (*WHOLE_NUMBERS, "float", "double")
WITHOUT_ASSAY = (
    "the Python that Spark's executors run has no assay; install it there, or name one that has it in the variable "
    f"PYSPARK_PYTHON of the environment before the session starts (here: {sys.executable})"
)
# What executors raise, as Spark's message has it.
RAISED = re.compile(r"assay(?:\.\w+)*\.(\w+Error): (.+)")


class SparkRun(NamedTuple):
    """A run, or several: `query_id`, `doc_id` and `value`, and perhaps `run`, `order` and the `document` of a chunk."""

    frame: DataFrame
    has_runs: bool
    has_order: bool

    @property
    def session(self) -> SparkSession:
        return self.frame.sparkSession


def is_spark(data: object) -> bool:
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
    is_decimal = "double" in allowed and kinds[name].startswith("decimal")
    if kinds[name] not in allowed and not is_decimal:
        raise FormatError(f"the run: the column {show(name)} must hold {what}, not {kinds[name]}")


def to_spark(session: SparkSession, frame: polars.DataFrame) -> DataFrame:
    import pyarrow

    table = frame.to_arrow(compat_level=polars.CompatLevel.oldest())
    # Spark knows no arrays with offsets of 64 bits; texts with such offsets can be longer.
    is_list = pyarrow.types.is_large_list
    fields = [each.with_type(small_type(each.type)) if is_list(each.type) else each for each in table.schema]
    schema = pyarrow.schema(fields)
    # Spark does not take a table without batches.
    batches = table.cast(schema).to_batches() or [pyarrow.RecordBatch.from_pylist([], schema=schema)]
    return session.createDataFrame(pyarrow.Table.from_batches(batches))


def to_frame(frame: DataFrame) -> polars.DataFrame:
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


def small_type(kind: pyarrow.DataType) -> pyarrow.DataType:
    import pyarrow

    if pyarrow.types.is_large_list(kind):
        return pyarrow.list_(small_type(kind.value_type))
    return pyarrow.string() if pyarrow.types.is_large_string(kind) else kind


def map_queries(
    run: SparkRun, judgments: DataFrame, function: Callable[[polars.DataFrame], polars.DataFrame], schema: str
) -> DataFrame:
    """What a function makes of the judgments and the rows of whole queries: all those of a partition at once."""
    from pyspark.sql import functions

    judged = judgments.withColumn("is_judgment", functions.lit(True))
    together = judged.unionByName(run.frame, allowMissingColumns=True).repartition("query_id")
    return map_batches(together, partial(apply, function), schema)


def apply(function: Callable[[polars.DataFrame], polars.DataFrame], batches: Batches) -> Batches:
    import pyarrow

    frames: list[Any] = [polars.from_arrow(batch) for batch in batches if batch.num_rows]
    if frames and len(made := function(polars.concat(frames))):
        # Spark takes no texts in views.
        table = made.to_arrow(compat_level=polars.CompatLevel.oldest())
        fields = [pyarrow.field(each.name, small_type(each.type)) for each in table.schema]
        yield from table.cast(pyarrow.schema(fields)).to_batches()
