"""Changed files: the fuzz targets in Python withstand their seeds, changed a few hundred times; and what fuzzing found."""

import re
from pathlib import Path

import pytest

import assay
from outcomes import run_python
from tables import for_each

pytestmark = pytest.mark.attack("Changed files")
FUZZ = Path(__file__).parents[2] / "fuzz"
CHANGES = 150


@for_each("target", ["formats", "stored"])
def test_changed_files_are_refused_or_read_the_same_again(target, tried):
    result = run_python("-B", FUZZ / f"{target}.py", f"--check={CHANGES}", text=True)
    assert result.returncode == 0, result.stderr[-2000:]
    tried(CHANGES)


def test_a_target_that_fails_says_on_what():
    code = "import harness, formats; harness.fuzz(lambda data: 1 / (len(data) % 2), [bytes(9)])"
    result = run_python("-Bc", code, f"--check={CHANGES}", text=True, cwd=FUZZ)
    assert result.returncode == 1
    assert re.search(r"AssertionError: seed \d+, change \d+: b'", result.stderr)


@for_each("data", [{"q1": [["d1", "d2"]]}, {"q1": [["d1"]], "q2": [["d2", "d3"]]}])
def test_a_single_group_is_not_lost_in_a_trec_file(data, tmp_path):
    qrels = assay.Qrels(data)
    with pytest.raises(assay.errors.LossError, match="trec cannot hold a single group of judgments"):
        qrels.write(tmp_path / "one.qrels")
    qrels.write(tmp_path / "one.json")
    assert assay.read_qrels(tmp_path / "one.json").to_dict() == data
    qrels.write(tmp_path / "one.qrels", lossy=True)
    assert assay.read_qrels(tmp_path / "one.qrels").to_dict() != data
