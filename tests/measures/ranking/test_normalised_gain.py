"""G and its binary form, by hand. A row: measure, grades in rank order, grades not retrieved, value."""

import math

import pytest

import assay

LOG3, LOG5 = math.log2(3), math.log2(5)

G = [
    ("g", [1, 0, 1], [], (1 + 1 / LOG3) / 2),
    ("g", [2, 1], [], 1),
    # Before the second document the best ranking has gained 2 + 1, this one 1 + 2.
    ("g", [1, 2], [], (1 / LOG3 + 2) / 3),
    ("g", [None, 3], [], 3 / math.log2(2 + 4 - 3) / 3),
    ("g", [1], [4], 1 / math.log2(2 + 4 - 1) / 5),
    # A rank costs at least 1.
    ("g", [0, 0.5], [], 0.5 / math.log2(2 + 2 - 0.5) / 0.5),
    ("g(gain=1:3)", [2, 1], [], (2 / math.log2(2 + 3 - 2) + 3 / math.log2(2 + 5 - 5)) / 5),
    ("g(gain=0:-1)", [0, 1], [], (-1 / math.log2(2 + 1 + 1) + 1 / math.log2(2 + 2 - 0)) / 1),
    ("g(rel=2)", [1, 2], [], 2 / LOG3 / 2),
    ("g", [0], [], 0),
    ("g", [], [1], 0),
]

BINARY = [
    ("bin_g", [1, 0, 1], [], (1 + 1 / LOG3) / 2),
    ("bin_g", [None, -1, 0, 2], [1], 1 / LOG5 / 2),
    ("bin_g(rel=2)", [1, 2], [], 1 / LOG3),
    ("bin_g", [1, 1], [1, 1], 1 / 2),
    ("bin_g", [0], [], 0),
    ("bin_g", [], [1], 0),
]


@pytest.mark.parametrize(("name", "grades", "unseen", "expected"), G + BINARY)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, rel=1e-14, abs=1e-15)


def test_a_document_listed_twice_gains_no_more_than_in_the_best_place():
    result = assay.evaluate({"q": {"a": 3}}, {"q": ["a", "a", "a"]}, "g", duplicates="count")
    assert result["g"] == 3
