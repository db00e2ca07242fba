"""A small run in a Spark of its own: `python alone.py classic`, or `connect`, which has no SparkContext and no RDDs."""

import sys
import warnings

import polars

import assay
from assay.spark import evaluate

QRELS = {"q1": {"a": 1, "b": 0}, "q2": {"c": 2}}
ROWS = [("q1", "b", 2.0), ("q1", "a", 1.0), ("q2", "x", 3.0), ("q2", "c", 3.0)]


def start(kind):
    """A session, classic or of Spark Connect."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.config("spark.driver.memory", "1g").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.codegen.wholeStage", "false").config("spark.sql.shuffle.partitions", "2")
    builder = builder.config("spark.driver.extraJavaOptions", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    return (builder.remote("local[1]") if kind == "connect" else builder.master("local[1]")).getOrCreate()


def lists(result):
    return {name: each.tolist() for name, each in result.scores.items()}


def check(session):
    """Compares both methods, collected and not, with a local run."""
    run = session.createDataFrame(ROWS, "query_id string, doc_id string, score double")
    local = assay.evaluate(QRELS, polars.DataFrame(ROWS, schema=run.columns, orient="row"), ["ap", "ndcg"])
    for method in ("group", "auto"):
        assert lists(evaluate(QRELS, run, ["ap", "ndcg"], method=method)) == lists(local)
        scores = evaluate(QRELS, run, ["ap"], method=method, collect=False)
        expected = dict(zip(local.queries, local.scores["ap"].tolist(), strict=True))
        assert dict(polars.from_arrow(scores.toArrow()).iter_rows()) == expected


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    session = start(sys.argv[1])
    check(session)
    print(type(session).__module__, "pandas" in sys.modules and sys.modules["pandas"] is not None)  # noqa: T201 - what the caller reads
    session.stop()
