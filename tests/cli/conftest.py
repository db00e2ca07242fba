"""Small files, and two ways to run the command: in this process, and as one of its own."""

import json
import os
import shlex
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
    """Runs the command in this process; a single text is a line that the shell would split."""

    def run(*arguments, stdin=None):
        words = shlex.split(arguments[0]) if len(arguments) == 1 else arguments
        return CliRunner().invoke(commands, words, input=stdin, prog_name="assay")

    return run


@pytest.fixture
def read_json(assay):
    """What a command writes as JSON."""
    return lambda line, **more: json.loads(assay(f"{line} --format json", **more).stdout)


@pytest.fixture
def refused(assay):
    """Checks that a command ends with code 2 and a message: one line for bad input, a hint at help for bad usage."""

    def check(line, message, **more):
        result = assay(line, **more)
        assert (result.exit_code, result.stdout) == (2, ""), result.output
        assert message in result.stderr
        is_usage = "--help' for help." in result.stderr
        assert is_usage or (result.stderr.startswith("assay: ") and result.stderr.count("\n") == 1)

    return check


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
