"""Changed files: the fuzz targets in Python withstand their seeds, changed a few hundred times; and what fuzzing found."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from tables import for_each

pytestmark = pytest.mark.attack("Changed files")
FUZZ = Path(__file__).parents[2] / "fuzz"
CHANGES = 150


@for_each("target", ["formats", "stored"])
def test_changed_files_are_refused_or_read_the_same_again(target, tried):
    result = run(target)
    assert result.returncode == 0, result.stderr[-2000:]
    tried(CHANGES)


def test_a_target_that_fails_says_on_what():
    result = run("formats", "import harness, formats; harness.fuzz(lambda data: 1 / (len(data) % 2), [bytes(9)])")
    assert result.returncode == 1
    assert re.search(r"AssertionError: seed \d+, change \d+: b'", result.stderr)


def run(target, code=None):
    program = ["-c", f"import sys; sys.path.insert(0, {str(FUZZ)!r}); {code}"] if code else [str(FUZZ / f"{target}.py")]
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-B", *program, f"--check={CHANGES}"], capture_output=True, text=True, timeout=300, check=False
    )


@for_each("data", [{"q1": [["d1", "d2"]]}, {"q1": [["d1"]], "q2": [["d2", "d3"]]}])
def test_a_single_group_is_not_lost_in_a_trec_file(data, tmp_path):
    qrels = assay.Qrels(data)
    with pytest.raises(assay.errors.LossError, match="trec cannot hold a single group of judgments"):
        qrels.write(tmp_path / "one.qrels")
    qrels.write(tmp_path / "one.json")
    assert assay.read_qrels(tmp_path / "one.json").to_dict() == data
    qrels.write(tmp_path / "one.qrels", lossy=True)
    assert assay.read_qrels(tmp_path / "one.qrels").to_dict() != data


def test_two_groups_are_written_and_read_again(tmp_path):
    data = {"q1": [["d1", "d2"], ["d3"]]}
    assay.Qrels(data).write(tmp_path / "two.qrels")
    assert assay.read_qrels(tmp_path / "two.qrels").to_dict() == data
