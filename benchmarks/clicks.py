"""Judgments from clicks: CPU time for so many events of simulated users, by every model.

    python benchmarks/clicks.py [EVENTS]

The time is that of the process, from a Parquet file to the judgments; `--ubi` gives the same pages as UBI events.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import polars

import assay

DEPTH = 10
QUERIES = 1000
DOCUMENTS = 50
CONTINUATION = 0.9
TARGET = 30


def simulate(events: int, seed: int = 0) -> polars.DataFrame:
    """Result pages of users who behave as the dynamic Bayesian network model says."""
    generator = np.random.default_rng(seed)
    pages = events // DEPTH
    attraction, satisfaction = generator.beta(2, 4, (QUERIES, DOCUMENTS)), generator.beta(3, 3, (QUERIES, DOCUMENTS))
    query = generator.integers(QUERIES, size=pages)
    shown = generator.random((pages, DOCUMENTS)).argsort(axis=1)[:, :DEPTH]
    is_seen = np.ones(pages, dtype=bool)
    clicked = np.zeros((pages, DEPTH), dtype=bool)
    for place in range(DEPTH):
        document = shown[:, place]
        clicked[:, place] = is_seen & (generator.random(pages) < attraction[query, document])
        ends = clicked[:, place] & (generator.random(pages) < satisfaction[query, document])
        is_seen &= ~ends & (generator.random(pages) < CONTINUATION)
    return polars.DataFrame(
        {
            "query": polars.Series(np.repeat(query, DEPTH)).cast(polars.String),
            "document": polars.Series(shown.ravel()).cast(polars.String),
            "position": np.tile(np.arange(1, DEPTH + 1), pages),
            "clicked": clicked.ravel(),
            "impression": np.repeat(np.arange(pages), DEPTH),
        }
    )


def as_ubi(table: polars.DataFrame) -> polars.DataFrame:
    """The same pages as events: an impression of each document, and its click."""
    shown = table.select(
        polars.lit("impression").alias("action_name"),
        polars.col("impression").cast(polars.String).alias("query_id"),
        polars.col("query").alias("user_query"),
        polars.col("document").alias("object_id"),
        polars.struct(polars.struct(polars.col("position").alias("ordinal")).alias("position")).alias(
            "event_attributes"
        ),
        "clicked",
    )
    clicks = shown.filter("clicked").with_columns(polars.lit("click").alias("action_name"))
    return polars.concat([shown, clicks]).drop("clicked")


def main(arguments: list[str]) -> None:
    events = int(next((each for each in arguments if each.isdigit()), 10**7))
    table = simulate(events)
    table = as_ubi(table) if "--ubi" in arguments else table
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "clicks.parquet"
        table.write_parquet(path)
        for model in ("coec", "pbm", "dbn"):
            start = time.process_time()
            found = assay.clicks(path, model=model)
            judgments = len(found.qrels.grades)
            spent = time.process_time() - start
            size = f"{len(table):,} events, {judgments:,} judgments"
            print(f"{model}: {size}, {spent:.1f} s of CPU time (target {TARGET} s)", *found.notes)


if __name__ == "__main__":
    main(sys.argv[1:])
