"""Preferences, by hand. A row: measure, levels in rank order, levels not retrieved, value."""

import math

import numpy as np
import pytest

import assay
from tables import for_each

ONE_GROUP = [
    # 3 preferences: 2 to 1, 2 to 0, 1 to 0
    ("prefs", [0, 1, 2], [], 0),
    ("prefs", [0, 2, 1], [], 1 / 3),
    ("prefs", [], [1, 0], 0),
    ("prefs", [None, 0], [1], 0),
    ("prefs(of=both)", [2, 0], [1], 1),
    ("prefs(of=either)", [0, 2], [1, 0], 2 / 4),
    ("prefs(of=all)", [0, 2], [1, 0], 2 / 5),
    ("prefs(over=pairs)", [0, 2], [1, 0], 2 / 5),
    ("prefs(over=groups)", [0, 2], [1, 0], 2 / 5),
    # two relevant and one other document: each of the relevant ones that was found fulfils one preference more
    ("prefs(over=balanced_groups)", [0, 1], [1], (0 + 1) / (2 + 2)),
    ("prefs(over=balanced_groups,of=both)", [0, 1], [1], 0),
    # only the first of three others is kept: 1 to 0 fails; each of the others against it: itself and the two below fail
    ("prefs(over=balanced_groups)", [0, 1, 0, 0], [], 0),
    ("prefs(over=balanced_groups)", [1, 0, 0, 0], [], 1 / 4),
    ("num_prefs", [0, 2, 1], [0], 5),
    ("num_prefs(count=fulfilled)", [0, 2, 1], [0], 3),
    ("num_prefs(count=fulfilled_both)", [0, 2, 1], [0], 1),
]


@for_each(("name", "grades", "unseen", "expected"), ONE_GROUP)
def test_values(score, name, grades, unseen, expected):
    assert score(name, grades, unseen) == pytest.approx(expected, abs=1e-15)


# One judge with six documents; one with subgroups that follow from each other; two who disagree.
PREFERENCES = """\
# a comment
six u 1 a 3
six u 1 b 2
six u 1 c 0
six u 1 d 6
six u 1 e 0
six u 1 f 2

chain u 1 a 3
chain u 1 b 2
chain u 1 c 1
chain u 2 b 5
chain u 2 d 4
two u 1 a 2
two u 1 b 1
two v 1 a 1
two v 1 b 2
two v 2 c 3
two v 2 a 1
"""
RUN = {"six": ["d", "a", "b", "f", "c", "e"], "chain": ["d", "a", "b"], "two": ["a", "b"]}
GROUPED = {
    # six: 5 preferences of d, 4 of a, 2 each of b and f. chain: a to b, a to c, b to c, b to d and so a to d.
    # two: u has a before b; v has b before a, c before a.
    "num_prefs": [13, 5, 3],
    "num_prefs(count=fulfilled)": [13, 3, 1],
    "num_prefs(count=fulfilled_both)": [13, 1, 1],
    "prefs": [1, 3 / 5, 1 / 3],
    "prefs(of=both)": [1, 1 / 3, 1 / 2],
    "prefs(of=either)": [1, 3 / 5, 1 / 3],
    # a and b: one for and one against; c and a: against
    "prefs(over=pairs)": [1, 3 / 5, (1 / 2 + 0) / 2],
    "prefs(over=pairs,of=both)": [1, 1 / 3, 1 / 2],
    "prefs(over=groups)": [1, 3 / 5, (1 + 0) / 2],
    # six: 4 relevant and 2 others, so 2 more for each of the 4. chain: 4 relevant, 3 of them found. two: u 2, v 3.
    "prefs(over=balanced_groups)": [1, (3 + 3 * 4) / (5 + 16), ((1 + 4) / (1 + 4) + (0 + 2 * 3) / (2 + 9)) / 2],
}


@pytest.fixture
def qrels(make):
    return lambda text, **how: assay.Qrels(make("prefs.txt", text), format="prefs", **how)


@for_each("name", GROUPED)
def test_groups_and_subgroups(qrels, name):
    result = assay.evaluate(qrels(PREFERENCES), RUN, [name])
    assert result.queries == ["six", "chain", "two"]
    assert result.scores[name].tolist() == pytest.approx(GROUPED[name], abs=1e-15)


# Two levels in one subgroup; relevant in one subgroup and not in the other; a circle.
CONTRADICTIONS = [
    "q u 1 a 2\nq u 1 a 1\n",
    "q u 1 a 0\nq u 1 b 1\nq u 2 a 1\nq u 2 c 0\n",
    "q u 1 a 2\nq u 1 b 1\nq u 2 b 2\nq u 2 c 1\nq u 3 c 2\nq u 3 a 1\n",
]


@for_each("text", CONTRADICTIONS)
def test_a_judge_who_contradicts_himself_leaves_a_query_undefined(qrels, text):
    judgments = qrels(f"{text}p u 1 a 1\np u 1 b 0\n", duplicates="count")
    result = assay.evaluate(judgments, {"q": ["a", "b"], "p": ["a"]}, ["prefs", "num_prefs"])
    assert np.isnan(result.scores["prefs"]).tolist() == [True, False]
    assert result["prefs"] == 1
    assert math.isnan(result.scores["num_prefs"][0])


def test_too_many_of_no_interest_with_subgroups(qrels):
    # One relevant document and three others in two subgroups: b is the first of those, c and d are left out.
    judgments = qrels("q u 1 a 1\nq u 1 b 0\nq u 1 c 0\nq u 2 a 1\nq u 2 d 0\n")
    result = assay.evaluate(judgments, {"q": ["b", "a", "c"]}, ["prefs", "prefs(over=balanced_groups)"])
    assert result["prefs"] == pytest.approx(2 / 3)
    assert result["prefs(over=balanced_groups)"] == 0


BAD = [
    ("q u 1 a\n", "line 1: expected 5 fields (query group subgroup document level), found 4: 'q u 1 a'"),
    ("\n# x\nq u 1 a x\n", "line 3: the level 'x' is not a number"),
    (b"q u 1 \xff 1\n", "not UTF-8"),
]


@for_each(("text", "message"), BAD)
def test_a_file_that_is_malformed(qrels, text, message):
    with pytest.raises(assay.errors.FormatError) as caught:
        qrels(text)
    assert message in str(caught.value)
