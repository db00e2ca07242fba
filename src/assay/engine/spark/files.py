"""Files that Spark reads, on any file system it knows, and the session that reads them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from assay.core.errors import AssayError, FileError, FormatError
from assay.core.text import Option, show
from assay.engine.spark.frames import is_of_spark, quoted, reason_of

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame, SparkSession

# The formats of runs that Spark reads, by the endings of their files; a folder without one is Parquet.
FORMATS = {
    ".parquet": "parquet",
    ".csv": "csv",
    ".tsv": "tsv",
    **dict.fromkeys((".jsonl", ".ndjson"), "jsonl"),
    ".orc": "orc",
    **dict.fromkeys((".run", ".trec", ".txt"), "trec"),
    "": "parquet",
}
COMPRESSED = (".gz", ".bz2", ".zst")
# White space at the ends of lines and cells, and numbers: Java takes "1f" for one.
SPACE = " \t\v\f\r"
NUMBER = r"^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?(?i:nan|inf(inity)?)$"
FIELDS = {"query_id": 0, "doc_id": 2, "score": 4}
TREC_FIELDS = 6


def start_session(master: str | None = None) -> SparkSession:
    """A session of Spark: at a master, such as `local[4]` or `sc://host` for Spark Connect, or the default one."""
    # What runs this process also runs the executors on this machine, unless something else was chosen.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    try:
        from pyspark.errors import PySparkException
        from pyspark.sql import SparkSession
    except ImportError as error:
        raise AssayError('Spark is not installed; install it with pip install "assay[spark]"') from error
    builder = SparkSession.builder.appName("assay").config("spark.ui.showConsoleProgress", "false")
    if master is not None:
        builder = builder.remote(master) if master.startswith("sc://") else builder.master(master)
    with spark_errors("Spark cannot be started"):
        session = builder.getOrCreate()
    with suppress(PySparkException):
        # What fails is said in one sentence, without Java's own pages. A session of Spark Connect has no context.
        session.sparkContext.setLogLevel("FATAL")
    return session


@contextmanager
def spark_errors(what: str) -> Iterator[None]:
    """What Spark raises, as one sentence."""
    try:
        yield
    except Exception as error:
        if not (is_of_spark(error) or isinstance(error, RuntimeError)):
            raise
        raise FileError(f"{what}: {reason_of(error)}") from error


def read_file(session: SparkSession, path: str, format: str | None = None) -> DataFrame:
    """A file, a folder or a glob, as its ending says or as given."""
    from pyspark.sql import functions

    from assay.data.frames.columns import find_columns

    if path.endswith(".xz"):
        raise FormatError(f"{show(path)}: Spark does not read files compressed with xz; use gzip, bzip2 or Zstandard")
    chosen = format or format_of(path)
    read = session.read
    with spark_errors(f"cannot read {show(path)}"):
        if chosen in ("csv", "tsv"):
            # Quotes are doubled inside quotes, where lines may end too; every file must have the same header.
            how = {"quote": '"', "escape": '"', "multiLine": True, "enforceSchema": False}
            table = read.csv(path, header=True, inferSchema=False, sep="\t" if chosen == "tsv" else ",", **how)
            # Scores become numbers; what is not a number is null, an error where it is counted.
            score = find_columns(table.columns, None, judgments=False, name="the run")["value"]
            text = functions.btrim(functions.col(quoted(score)), functions.lit(SPACE))
            return table.withColumn(score, to_number(text))
        if chosen == "trec":
            return trec_columns(read.text(path, lineSep="\n"))
        if chosen in ("jsonl", "parquet", "orc"):
            return read.format("json" if chosen == "jsonl" else chosen).load(path)
    raise FormatError(
        f"Spark does not read runs of format {show(chosen)}; use {', '.join(dict.fromkeys(FORMATS.values()))}"
    )


def format_of(path: str) -> str:
    name = PurePosixPath(path.rstrip("/*"))
    suffix = name.with_suffix("").suffix if name.suffix in COMPRESSED else name.suffix
    if suffix.lower() not in FORMATS:
        known = ", ".join(each for each in FORMATS if each)
        raise FormatError(f"{show(path)}: the format cannot be told from the ending ({known}); set {Option('format')}")
    return FORMATS[suffix.lower()]


def to_number(text: Column) -> Column:
    from pyspark.sql import functions

    return functions.when(text.rlike(NUMBER), text.try_cast("double"))


def trec_columns(lines: DataFrame) -> DataFrame:
    """The lines of a TREC run as columns; a line that has other than six fields is an error."""
    from pyspark.sql import functions

    said = lines.where("NOT startswith(value, '#')")
    filled = said.select(functions.btrim("value", functions.lit(SPACE)).alias("value")).where("value <> ''")
    words = filled.select(functions.split("value", r"\s+").alias("words"), "value")
    is_line = (functions.size("words") == TREC_FIELDS) & functions.is_valid_utf8("value")
    shown = functions.make_valid_utf8("value")
    wrong = functions.concat(functions.lit("not a line of a TREC run, 6 fields in UTF-8: "), shown)
    checked = functions.when(is_line, functions.col("words")).otherwise(functions.raise_error(wrong))
    fields = words.select(checked.alias("words"))
    columns = {name: functions.col("words")[place] for name, place in FIELDS.items()}
    columns["score"] = to_number(columns["score"])
    return fields.select(*(column.alias(name) for name, column in columns.items()))
