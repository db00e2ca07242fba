"""Counts and the share judged, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import pytest

import assay

COUNTS = [
    ("judged", [1, 0, None, None], [1], 1 / 2),
    ("judged@2", [1, 0, None, None], [], 1),
    ("judged@3", [1, 0, None, None], [], 2 / 3),
    # Over what was retrieved where that is less than k.
    ("judged@10", [1, 0, None, None], [], 1 / 2),
    ("judged", [], [1], 0),
    ("judged@5", [], [1], 0),
    ("judged", [-1, 0], [], 1 / 2),
    ("judged", [0.5], [], 1),
    ("unjudged@2", [1, None, None], [], 1 / 2),
    # Ranks that were not filled are not unjudged.
    ("unjudged@10", [1, None, -1], [], 2 / 10),
    ("unjudged", [1, None, -1, 0], [], 1 / 2),
    ("unjudged", [], [1], 0),
    ("unjudged@5", [], [1], 0),
    ("num_nonrel_judged_ret", [1, 0, None, -1, 0], [0], 2),
    ("num_nonrel_judged_ret(rel=2)", [1, 0, 2], [], 2),
    ("num_nonrel_judged_ret", [], [0], 0),
    ("num_ret", [1, None, -1], [1], 3),
    ("num_ret", [], [1], 0),
    ("num_rel", [1, 0, 2], [1, -1], 3),
    ("num_rel", [0], [], 0),
    ("num_rel(rel=2)", [1, 0, 2], [3], 2),
    ("num_rel(rel=0)", [1, 0, -1], [0], 3),
    ("num_rel(rel=0.5)", [0.5, 0.25], [0.75], 2),
    ("num_rel_ret", [1, 0, 2], [1], 2),
    ("num_rel_ret", [], [1], 0),
    ("num_rel_ret(rel=2)", [1, None, 2, -1], [3], 1),
    ("num_q", [], [], 1),
    ("num_q", [1], [], 1),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), COUNTS)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)


def test_counts_are_summed_over_queries_and_shares_are_not():
    labels = [[1, 0, None], [1, 1], [0]]
    result = assay.evaluate_labels(labels, ["num_ret", "num_rel", "num_rel_ret", "num_q", "judged"], relevant=[2, 2, 0])
    assert result.mean == {"num_ret": 6, "num_rel": 4, "num_rel_ret": 3, "num_q": 3, "judged": (2 / 3 + 1 + 1) / 3}
