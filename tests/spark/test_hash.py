"""The driver's hash of texts is Spark's."""

import random

import polars
import pytest

from assay.engine.spark import to_frame
from assay.engine.spark_hash import xxhash64
from spark_runs import MARKS

pytestmark = MARKS
CHARACTERS = "aZ09-\u00e9\u4e2d\U0001f600\u0000"


def texts(generator, count):
    """Texts of 0 to 99 characters, many of them with the same length in bytes."""
    return ["".join(generator.choices(CHARACTERS, k=number % 100)) for number in range(count)]


@pytest.mark.parametrize("seed", range(3))
def test_random_texts(frame_of, seed):
    from pyspark.sql import functions

    generator = random.Random(seed)
    frame = polars.DataFrame({"one": texts(generator, 1000), "two": generator.sample(texts(generator, 1000), 1000)})
    one, both = functions.xxhash64("one").alias("single"), functions.xxhash64("one", "two").alias("both")
    spark = to_frame(frame_of(frame, 2).select("*", one, both))
    assert xxhash64(spark["one"]).to_list() == spark["single"].to_list()
    assert xxhash64(spark["one"], spark["two"]).to_list() == spark["both"].to_list()
