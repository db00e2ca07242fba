"""Judgments in one group of alternatives, which TREC files cannot tell from judgments without groups. Found by fuzzing."""

import pytest

import assay
from tables import for_each

pytestmark = pytest.mark.attack("Changed files")


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
