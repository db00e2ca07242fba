"""Dicts and lists of many sizes: entries are read several at a time, and an odd one may be anywhere among them."""

import pytest

import assay
from tables import for_each

pytestmark = pytest.mark.attack("Data in Python")

SIZES = [0, 1, 2, 31, 32, 33, 63, 64, 65, 1000, 4095, 4096, 4097, 10_000]


def reciprocal_rank(run):
    return assay.evaluate({"q1": {"d0": 1}}, run, "rr")["rr"]


@for_each("size", SIZES)
def test_a_ranking_of_any_size_is_read_whole(size):
    """The judged document comes last."""
    documents = [f"d{number}" for number in range(size, -1, -1)]
    expected = 1 / (size + 1)
    assert reciprocal_rank({"q1": documents}) == expected
    assert reciprocal_rank({"q1": tuple(documents)}) == expected
    for kind in (int, float):
        assert reciprocal_rank({"q1": {each: kind(each[1:]) for each in documents}}) == expected


# What stands at one place of a dict or a list, and the error, or the place in the ranking that the judged document has.
KEYS = [
    (7, None),
    ("", "an id is the empty string"),
    (b"x", "must be a string or an int"),
    (None, "must be a string or"),
]
KEYS += [("\udcff", "not valid Unicode"), ("d0", "more than once")]
SCORES = [(float("nan"), "must be finite"), (10**400, "too large for a float"), (10**30, None)]
SCORES += [("x", "must be a number"), (True, "must be a number")]


def check(run, words):
    if words is None:
        assert reciprocal_rank(run) == 1 / 4102
    else:
        with pytest.raises(assay.errors.DataError, match=words):
            reciprocal_rank(run)


@for_each("place", [0, 1, 31, 32, 33, 64, 4096])
def test_one_odd_document_or_score_anywhere(place):
    for key, words in KEYS:
        documents = [f"d{number}" for number in range(4100, -1, -1)]
        documents.insert(place, key)
        check({"q1": documents}, words)
    for score, words in SCORES:
        entries = [(f"d{number}", float(number)) for number in range(4100, -1, -1)]
        entries.insert(place, ("odd", score))
        check({"q1": dict(entries)}, words)


@for_each("place", [0, 1, 31, 32, 33, 64, 4096])
def test_a_score_that_changes_its_dict_anywhere(place):
    class Score:
        def __float__(self):
            run["q1"]["new"] = 1.0
            return 1.0

    entries = [(f"d{number}", float(number)) for number in range(4100, -1, -1)]
    entries.insert(place, ("odd", Score()))
    run = {"q1": dict(entries)}
    with pytest.raises(assay.errors.DataError, match="ranking of query 'q1' changed while being read"):
        reciprocal_rank(run)
