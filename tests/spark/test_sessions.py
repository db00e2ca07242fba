"""Sessions of Spark in a process of their own: without pandas, over Spark Connect, with executors that have no assay."""

import os
import subprocess
import sys
from pathlib import Path

from spark_runs import MARKS

pytestmark = MARKS
HERE = Path(__file__).parent


def alone(kind, **variables):
    """`alone.py` in a process of its own; it prints the module of its session, and whether pandas was imported."""
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, **variables}
    command = [sys.executable, HERE / "alone.py", kind]
    return subprocess.run(command, check=False, capture_output=True, text=True, env=environment, timeout=300)  # noqa: S603 - our own script


def printed(done):
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[-1]


def test_without_pandas(tmp_path):
    # Python runs this at its start, in the driver and in every worker.
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['pandas'] = None\n")
    assert printed(alone("classic", PYTHONPATH=str(tmp_path))) == "pyspark.sql.session False"


def test_with_spark_connect():
    # Spark's own switch for tests: the server takes any free port instead of 15002.
    assert printed(alone("connect", SPARK_TESTING="1")).startswith("pyspark.sql.connect.session")


def test_executors_without_assay(tmp_path):
    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')  # -S: without installed packages
    bare.chmod(0o755)
    done = alone("classic", PYSPARK_PYTHON=str(bare), PYSPARK_DRIVER_PYTHON=sys.executable)
    assert done.returncode == 1
    assert "the Python that Spark's executors run has no assay; install it there" in done.stderr
