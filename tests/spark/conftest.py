"""One Spark for all tests of a process: two cores, and three attempts for every task."""

import os
import sys

import polars
import pytest


@pytest.fixture(scope="session")
def spark():
    """A classic session."""
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
    from pyspark.sql import SparkSession

    settings = {
        "spark.driver.memory": "1g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.shuffle.partitions": "3",
        # For tasks of milliseconds, compiling costs more than it saves.
        "spark.sql.codegen.wholeStage": "false",
        "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
    }
    session = SparkSession.builder.master("local[2,3]").appName("tests").config(map=settings).getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="session")
def frame_of(spark):
    """Makes a DataFrame of a polars frame, in some partitions."""

    def make(frame, partitions=None):
        made = spark.createDataFrame(frame.to_arrow(compat_level=polars.CompatLevel.oldest()))
        return made if partitions is None else made.repartition(partitions)

    return make
