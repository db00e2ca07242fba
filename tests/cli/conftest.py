"""Small files, and two ways to run the command: in this process, and as one of its own."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from assay.cli.main import commands

QRELS = "q1 0 d1 3\nq1 0 d2 0\nq1 0 d3 1\nq2 0 d4 1\n"
ONE = "q1 Q0 d1 1 0.9 a\nq1 Q0 d2 2 0.8 a\nq1 Q0 d3 3 0.7 a\nq2 Q0 d5 1 0.4 a\nq2 Q0 d4 2 0.3 a\n"
TWO = "q1 Q0 d3 1 0.9 b\nq1 Q0 d1 2 0.8 b\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder to work in, with judgments and two runs; the second lacks a query."""
    for name, text in {"qrels.txt": QRELS, "one.run": ONE, "two.run": TWO}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def assay(folder):  # noqa: ARG001 - the folder is where it runs
    """Runs the command in this process."""

    def run(*arguments, stdin=None):
        return CliRunner().invoke(commands, arguments, input=stdin, prog_name="assay")

    return run


@pytest.fixture
def process(folder):
    """Runs the command as a process of its own."""

    def run(*arguments, **options):
        environment = {**os.environ, **options.pop("env", {})}
        command = [sys.executable, "-c", "from assay.cli.main import main; main()", *arguments]
        return subprocess.run(  # noqa: S603 - our own command
            command, cwd=folder, env=environment, capture_output=True, timeout=60, check=False, **options
        )

    return run
