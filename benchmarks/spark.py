"""Spark: counting without a shuffle of the run, against whole queries, on 7 million shuffled rows and two cores.

The reference is what people write by hand: `repartition` by query and `mapInArrow` of `assay.evaluate`. Run it with
`python benchmarks/spark.py`; pyspark and Java 17 must be there. Times are minima of interleaved rounds: on the clock,
and those of the processors in Java and its Python workers, which other programs disturb less. `--ways` chooses among
them; RankingMetrics, which computes one measure at a time, is asked for average precision only.
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
# The time of counting, as a share of the time of the manual version.
TARGET = 0.8
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


def ranking_metrics(qrels: polars.DataFrame, run: Any) -> float:  # noqa: ANN401 - a DataFrame
    """Average precision by Spark's own class, which needs whole rankings in order."""
    from pyspark.mllib.evaluation import RankingMetrics
    from pyspark.sql import functions

    relevant = qrels.filter(polars.col("relevance") > 0).group_by("query_id").agg("doc_id")
    labels = run.sparkSession.createDataFrame(list(relevant.iter_rows()), "query_id string, labels array<string>")
    pairs = functions.sort_array(functions.collect_list(functions.struct("score", "doc_id")), asc=False)
    ranked = run.groupBy("query_id").agg(pairs.getField("doc_id").alias("documents")).join(labels, "query_id")
    rows = ranked.rdd.map(lambda row: (row.documents, row.labels))
    return float(RankingMetrics(rows).meanAveragePrecision)


def processor_seconds(root: int) -> float:
    """What a process and all that it started have used of the processors, those that have ended included."""
    used, children = {}, {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        used[int(folder.name)] = sum(map(int, fields[11:15]))
        children.setdefault(int(fields[1]), []).append(int(folder.name))
    waiting, ticks = [root], 0
    while waiting:
        process = waiting.pop()
        ticks += used.get(process, 0)
        waiting += children.get(process, [])
    return ticks / os.sysconf("SC_CLK_TCK")


def start_session() -> Any:  # noqa: ANN401 - a SparkSession
    """Spark on two cores."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {"spark.driver.memory": "1g", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false"}
    builder = SparkSession.builder.master("local[2]")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    return session


def main() -> None:
    """Times each way in turns and prints the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", choices=["shuffled", "sorted"], default="shuffled")
    parser.add_argument(
        "--ways", default="hand,count,group,RankingMetrics", help="comma-separated; the first is the reference"
    )
    options = parser.parse_args()
    if not FOLDER.exists():
        make_data(FOLDER)
    session = start_session()
    from assay.spark import evaluate

    run, qrels = session.read.parquet(str(FOLDER / options.rows)), polars.read_parquet(FOLDER / "qrels.parquet")
    ways: dict[str, Callable[[], object]] = {
        "hand": partial(by_hand, qrels, run),
        "count": partial(evaluate, qrels, run, MEASURES),
        "group": partial(evaluate, qrels, run, MEASURES, method="group"),
        "RankingMetrics": partial(ranking_metrics, qrels, run),
    }
    java = session.sparkContext._jvm.ProcessHandle.current().pid()  # noqa: SLF001 - Spark does not tell otherwise
    chosen = options.ways.split(",")
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in chosen}
    for _ in range(options.rounds):
        for name in chosen:
            before = processor_seconds(java)
            clock = seconds(ways[name])
            times[name].append((clock, processor_seconds(java) - before))
            print("{}: {:.1f} s, processors {:.1f} s".format(name, *times[name][-1]), file=sys.stderr)
    session.stop()
    report(times)


def report(times: dict[str, list[tuple[float, float]]]) -> None:
    """Prints the minima, and what they are of the first way's."""
    minima = {name: tuple(map(min, zip(*each, strict=True))) for name, each in times.items()}
    reference = next(iter(minima.values()))
    for name, (clock, processors) in minima.items():
        ratios = f"{clock / reference[0]:.2f} and {processors / reference[1]:.2f}"
        target = f" (target {TARGET})" if name == "count" else ""
        print(f"{name}: {clock:.1f} s, processors {processors:.1f} s; {ratios} of the first{target}")


if __name__ == "__main__":
    main()
