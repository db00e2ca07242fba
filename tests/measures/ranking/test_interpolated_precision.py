"""Interpolated precision, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

INTERPOLATED = [
    # R = 3: recall 0 to 0.4 asks for at most one document, 0.5 to 0.8 for two, 0.9 and 1 for three.
    ("mean_iprec", [1, 0, 0, 1], [1], (5 * 1 + 4 * 2 / 4) / 11),
    # In trec_eval 9 one up to 0.3, two up to 0.7, where 2.1 + 0.9 falls short of 3 by the last bit.
    ("mean_iprec(cut=v9)", [1, 0, 0, 1], [1], (4 * 1 + 4 * 2 / 4) / 11),
    ("mean_iprec(recalls=1;0)", [0, 1, 1, 0, 0, 1], [], (2 / 3 + 3 / 6) / 2),
    ("mean_iprec(recalls=0.5;0.5;1)", [1, 0], [1], 2 / 3),
    ("mean_iprec(rel=2,recalls=0)", [1, 2], [], 1 / 2),
    ("mean_iprec", [], [1], 0),
    ("mean_iprec", [0], [], 0),
    # Precision at the relevant ranks: 1/2, 2/3 and 3/6.
    ("iprec@0", [0, 1, 1, 0, 0, 1], [], 2 / 3),
    ("iprec@0.34", [0, 1, 1, 0, 0, 1], [], 2 / 3),
    ("iprec@1", [0, 1, 1, 0, 0, 1], [], 3 / 6),
    ("iprec(recall=1)", [0, 1, 1, 0, 0, 1], [], 3 / 6),
    # The level is never reached.
    ("iprec@1", [1, 1], [1], 0),
    ("iprec@0.5", [1, 1], [1], 1),
    ("iprec@0", [], [1], 0),
    ("iprec@0", [0, 0], [], 0),
    ("iprec@1", [0, 0], [], 0),
    ("iprec@1", [1, 1, 1], [], 1),
    ("iprec@0", [None, -1, 1], [], 1 / 3),
    # 0.4 of 3 relevant documents is 1.2: rounded it asks for one of them, in trec_eval 9 for two.
    ("iprec@0.4", [1, 0, 0, 1], [1], 1),
    ("iprec(cut=round)@0.4", [1, 0, 0, 1], [1], 1),
    ("iprec(cut=v9)@0.4", [1, 0, 0, 1], [1], 2 / 4),
    # 0.5 of 3 is 1.5, and 0.1 of 5 is 0.5: halves go up.
    ("iprec@0.5", [1, 0, 0, 1], [1], 2 / 4),
    ("iprec(cut=v9)@0.5", [1, 0, 0, 1], [1], 2 / 4),
    ("iprec@0.1", [0, 1], [1, 1, 1, 1], 1 / 2),
    # 0.7 of 2 is 1.4: one is enough.
    ("iprec@0.7", [1, 0, 0, 1], [], 1),
    ("iprec(cut=v9)@0.7", [1, 0, 0, 1], [], 2 / 4),
    ("iprec(rel=2)@0.5", [1, 2, 2, 1], [], 2 / 3),
    ("iprec(rel=0.5)@1", [0.25, 0.5], [], 1 / 2),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), INTERPOLATED)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)
