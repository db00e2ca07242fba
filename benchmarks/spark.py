"""Spark: counting without a shuffle of the run, against grouping by query, on 7 million shuffled rows and two cores.

The reference is what people write by hand: `repartition` by query and `mapInArrow` of `assay.evaluate`. Run it with
`python benchmarks/spark.py`; pyspark and Java 17 must be there. Times are minima of interleaved rounds.
"""

from __future__ import annotations

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars
from timing import seconds

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

QUERIES = 6980
DEPTH = 1000
FOUND, UNFOUND = 6, 4
PARTS = 8
MEASURES = ["ndcg@10", "ap", "rr@10", "recall@100", "p@5"]
FOLDER = Path(__file__).parent / "data" / "spark"


def make_data(folder: Path) -> None:
    """A run in shuffled parts, the same sorted by query, and judgments of which the run found most."""
    generator = np.random.default_rng(0)
    documents = np.concatenate([generator.choice(8_841_823, DEPTH, replace=False) for _ in range(QUERIES)])
    queries = np.repeat(np.arange(1_000_000, 1_000_000 + QUERIES), DEPTH)
    scores = np.round(generator.random(QUERIES * DEPTH) * 30, 6)
    run = polars.DataFrame({"query_id": queries, "doc_id": documents, "score": scores})
    run = run.with_columns(polars.col("query_id", "doc_id").cast(polars.String))
    first = np.arange(QUERIES)[:, None] * DEPTH
    hits = (first + generator.permuted(np.tile(np.arange(DEPTH), (QUERIES, 1)), axis=1)[:, :FOUND]).ravel()
    found = run[hits].select("query_id", "doc_id")
    unfound = run[np.repeat(first.ravel(), UNFOUND)].select("query_id")
    unfound = unfound.with_columns(doc_id=polars.Series([f"x{number % UNFOUND}" for number in range(len(unfound))]))
    grades = generator.integers(0, 4, len(found) + len(unfound))
    folder.mkdir(parents=True)
    polars.concat([found, unfound]).with_columns(relevance=grades).write_parquet(folder / "qrels.parquet")
    for name, rows in (("sorted", run), ("shuffled", run[generator.permutation(len(run))])):
        (folder / name).mkdir()
        for part in range(PARTS):
            piece = rows[part * len(rows) // PARTS : (part + 1) * len(rows) // PARTS]
            piece.write_parquet(folder / name / f"part-{part}.parquet", row_group_size=250_000)


def by_hand(qrels: polars.DataFrame, run: Any) -> int:  # noqa: ANN401 - a DataFrame
    """Rows brought together by query, each partition a run of its own."""

    def score(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow

        import assay

        rows: Any = polars.from_arrow(pyarrow.Table.from_batches(list(batches)))
        judged = qrels.filter(polars.col("query_id").is_in(rows["query_id"].unique().to_list()))
        result = assay.evaluate(judged, rows, MEASURES, threads=1)
        columns = [pyarrow.array(result.queries), *(pyarrow.array(result.scores[name]) for name in MEASURES)]
        yield pyarrow.RecordBatch.from_arrays(columns, names=["query_id", *MEASURES])

    schema = ", ".join(["query_id string", *(f"`{name}` double" for name in MEASURES)])
    return int(run.repartition("query_id").mapInArrow(score, schema).toArrow().num_rows)


def main() -> None:
    """Times each way in turns and prints the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", choices=["shuffled", "sorted"], default="shuffled")
    options = parser.parse_args()
    if not FOLDER.exists():
        make_data(FOLDER)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    from assay.spark import evaluate

    settings = {"spark.driver.memory": "1g", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    run, qrels = session.read.parquet(str(FOLDER / options.rows)), polars.read_parquet(FOLDER / "qrels.parquet")
    ways: dict[str, Callable[[], object]] = {"repartition and mapInArrow": lambda: by_hand(qrels, run)}
    for method in ("count", "group"):
        ways[f'method="{method}"'] = partial(evaluate, qrels, run, MEASURES, method=method)
    times: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(options.rounds):
        for name, way in ways.items():
            times[name].append(seconds(way))
            print(f"{name}: {times[name][-1]:.1f} s", file=sys.stderr)
    reference = min(next(iter(times.values())))
    for name, each in times.items():
        print(f"{name}: {min(each):.1f} s, {min(each) / reference:.2f} of the first")
    session.stop()


if __name__ == "__main__":
    main()
