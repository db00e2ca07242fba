"""Measures averaged over groups of judgments, by hand."""

import pytest

import assay

# q has the judges 1 and 2, who agree on b only; p has one.
QRELS = "q 1 a 1\nq 1 b 1\nq 2 b 2\nq 2 c 0\nq 2 d 1\np 2 a 1\n"
RUN = {"q": ["a", "x", "b", "c"], "p": ["x", "a"]}

VALUES = {
    # judge 1 sees 1 - 1 -, judge 2 sees - - 1 0 and lacks d
    "judges_ap": [((1 + 2 / 3) / 2 + (1 / 3) / 2) / 2, 1 / 2],
    "judges_ap@2": [((1 / 1) / 2 + 0) / 2, 1 / 2],
    "judges_ap(rel=2)": [(0 + 1 / 3) / 2, 0],
    # without what a judge has not judged: 1 1, and 1 0
    "judges_ap(condensed=true)": [(1 + 1 / 2) / 2, 1],
    "judges_precision@2": [(1 / 2 + 0) / 2, 1 / 2],
    "judges_precision@4": [(2 / 4 + 1 / 4) / 2, 1 / 4],
    "judges_precision": [(2 / 4 + 1 / 4) / 2, 1 / 2],
    "judges_precision(condensed=true)@2": [(2 / 2 + 1 / 2) / 2, 1 / 2],
}


@pytest.mark.parametrize("name", VALUES)
def test_values(tmp_path, name):
    (tmp_path / "qrels.txt").write_text(QRELS)
    result = assay.evaluate(tmp_path / "qrels.txt", RUN, [name])
    assert result.scores[name].tolist() == pytest.approx(VALUES[name], abs=1e-15)


ONE_GROUP = [
    ("judges_ap", [1, 0, 1], [1], (1 + 2 / 3) / 3),
    ("judges_ap", [], [1], 0),
    ("judges_ap", [0], [], 0),
    ("judges_ap(condensed=true)", [None, 1], [], 1),
    ("judges_precision@5", [1, 1], [], 2 / 5),
    ("judges_precision", [1, None], [], 1 / 2),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), ONE_GROUP)
def test_one_group(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
