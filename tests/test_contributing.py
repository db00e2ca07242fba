"""CONTRIBUTING's examples, applied to a copy of the project: their tests pass there."""

import os
import re
import shutil
from pathlib import Path
from textwrap import dedent

import pytest

from outcomes import run_python

ROOT = Path(__file__).parent.parent
BLOCK = re.compile(r"^( *)```(python|diff|javascript) (\S+)\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
BLOCKS = [
    (kind, path, dedent(text)) for _, kind, path, text in BLOCK.findall((ROOT / "CONTRIBUTING.md").read_text("utf-8"))
]
# Tests that look at whole tables.
COMPLETE = [
    "tests/oracle/test_obvious.py::test_every_measure_has_an_obvious_form",
    "tests/measures/ranking/test_ties.py",
    "tests/measures/judged/test_all_measures.py",
    "tests/render/charts/test_chart.py::test_there_is_one_of_every_kind",
    "tests/tasks/audit/test_audit.py",
    "tests/test_public_names.py",
]


@pytest.fixture
def copy(tmp_path):
    """The project as far as tests need it, with every example applied."""
    skipped = shutil.ignore_patterns("__pycache__", "golden")
    for folder in ("src", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=skipped)
    for file in ("pyproject.toml", "conftest.py"):
        shutil.copy(ROOT / file, tmp_path)
    for kind, path, text in BLOCKS:
        target = tmp_path / path
        if kind != "diff":
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
        else:
            apply(target, text.splitlines(keepends=True))
    return tmp_path


def apply(path, lines):
    """A diff without line numbers: its old lines are in the file once."""
    content = path.read_text(encoding="utf-8")
    old = "".join(line[1:] for line in lines if line[0] != "+")
    new = "".join(line[1:] for line in lines if line[0] != "-")
    assert content.count(old) == 1, f"{path.name} does not have these lines, or twice:\n{old}"
    path.write_text(content.replace(old, new), encoding="utf-8")


@pytest.mark.verify
def test_the_examples_work(copy):
    tests = [path for kind, path, _ in BLOCKS if kind == "python" and path.startswith("tests/")]
    doctests = [path for _, path, text in BLOCKS if path.startswith("src/") and ">>>" in text]
    assert len(tests) > 3
    python = [path for kind, path, _ in BLOCKS if kind == "python"]
    options = {"cwd": copy, "env": {**os.environ, "PYTHONPATH": str(copy / "src")}, "text": True}
    for command in (
        ["pytest", "-p", "no:cacheprovider", *tests, *doctests, *COMPLETE],
        ["ruff", "check", "--no-cache", *python],
    ):
        found = run_python("-m", *command, **options)
        assert found.returncode == 0, found.stdout + found.stderr
