"""nDCG averaged over ranks, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

SECOND, THIRD, FOURTH = (1 / math.log2(rank + 1) for rank in (2, 3, 4))

IDEAL_DCG = [
    ("ideal_dcg", [0, 1], [3], 3 + SECOND),
    ("ideal_dcg@1", [0, 1], [3], 3),
    ("ideal_dcg(gain=exp2)", [1], [3], 7 + SECOND),
    ("ideal_dcg(gain=1:5)", [1], [3], 5 + 3 * SECOND),
    ("ideal_dcg(rel=2)", [1], [3], 3),
    ("ideal_dcg(gain=1:-1)", [1], [], 0),
    ("ideal_dcg", [None, -1], [0], 0),
]

AT_RELEVANT = [
    # At rank 1 it is 1, at rank 3 the ideal ranking has both documents since rank 2.
    ("ndcg_rel", [1, 0, 1], [], (1 + (1 + THIRD) / (1 + SECOND)) / 2),
    ("ndcg_rel", [0, 1], [1], 2 * SECOND / (1 + SECOND) / 2),
    ("ndcg_rel", [1, 2], [], (1 / 2 + (1 + 2 * SECOND) / (2 + SECOND)) / 2),
    # What was not retrieved has the gain of the whole ranking.
    ("ndcg_rel", [1], [1, 1], (1 + 2 / (1 + SECOND + THIRD)) / 3),
    ("ndcg_rel(gain=1:3)", [None, 1], [2], 2 * 3 * SECOND / (3 + 2 * SECOND) / 2),
    ("ndcg_rel(rel=2)", [1, 2], [], SECOND / 1),
    # Losses can take everything, but not more.
    ("ndcg_rel(gain=0:-9)", [0, 1], [], 0),
    ("ndcg_rel", [0, 0], [], 0),
    ("ndcg_rel", [], [1], 0),
]

AT_LEVELS = [
    ("rndcg", [1, 2], [], (1 / 2 + (1 + 2 * SECOND) / (2 + SECOND)) / 2),
    # The ranks are 1 and 2; only if more than one document follows, the end is one too.
    ("rndcg", [0, 2, 1], [], (0 + 2 * SECOND / (2 + SECOND)) / 2),
    ("rndcg", [0, 2, 0, 1], [], (0 + 2 * SECOND / (2 + SECOND) + (2 * SECOND + FOURTH) / (2 + SECOND)) / 3),
    ("rndcg", [1, None, 1], [], 1 / (1 + SECOND)),
    ("rndcg", [1, 0, 0, 1], [], (1 / (1 + SECOND) + (1 + FOURTH) / (1 + SECOND)) / 2),
    # Fewer retrieved than there are to gain from.
    ("rndcg", [1], [2, 2], (1 / (2 + 2 * SECOND) + 1 / (2 + 2 * SECOND + THIRD)) / 2),
    # Two grades of the same gain are one level.
    ("rndcg(gain=1:2)", [1, 2], [], 1),
    ("rndcg(gain=0:-1)", [0, 1], [], -1),
    # Something must be relevant, and something must gain.
    ("rndcg(rel=2)", [1], [], 0),
    ("rndcg(rel=2)", [1], [2], (1 / 2 + 1 / (2 + SECOND)) / 2),
    ("rndcg(gain=1:0)", [1], [], math.nan),
    ("rndcg", [0], [], 0),
    ("rndcg", [], [1], 0),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), IDEAL_DCG + AT_RELEVANT + AT_LEVELS)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15, nan_ok=True)


def test_the_common_level_decides_only_whether_anything_is_relevant(score):
    assert score("rndcg", [1, 2], rel=2) == score("rndcg", [1, 2])
    assert score("rndcg", [1, 2], rel=3) == 0
