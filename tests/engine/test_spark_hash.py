"""Spark's hash without Spark; that it is Spark's is tested with Spark."""

import polars

from assay.engine import spark_hash
from assay.engine.spark_hash import xxhash64


def test_a_part_of_a_column_and_none_of_it():
    column = polars.Series(["a", "bb", "", "a"])
    assert xxhash64(column[1:]).to_list() == xxhash64(column).to_list()[1:]
    assert xxhash64(column[:0]).to_list() == []


def test_texts_in_parts(monkeypatch):
    columns = [polars.Series([str(number) * (number % 9) for number in range(50)]) for _ in range(2)]
    whole = xxhash64(*columns).to_list()
    monkeypatch.setattr(spark_hash, "PART", 7)
    assert xxhash64(*columns).to_list() == whole
