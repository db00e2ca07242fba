"""Judgments and runs of texts: what they hold, and what is said about bad ones."""

import pytest

import assay
from tables import for_each


def test_each_reference_is_a_group():
    qrels, run = assay.match_texts({"q1": ["abcd", "x"], "q2": []}, {"q1": ["abce", "y"], "q2": ["z"]})
    assert qrels.groups("q1") == {
        "0": {"reference-0": 1, "retrieved-0": 0.75, "retrieved-1": 0},
        "1": {"reference-1": 1, "retrieved-0": 0, "retrieved-1": 0},
    }
    assert qrels["q1"]["retrieved-0"] == 0.75
    assert qrels["q2"] == {"reference-none": 0}
    assert run.to_dict() == {"q1": ["retrieved-0", "retrieved-1"], "q2": ["retrieved-0"]}


def test_lists_pair_up():
    qrels, run = assay.match_texts([["a"], ["b"]], [["a"], []])
    assert (qrels.queries, run.queries) == (["0", "1"], ["0", "1"])


# 1 less the normalised distance, by hand.
ALIKE = [
    ("levenshtein", "kitten", "sitting", 1 - 3 / 7),
    ("hamming", "karolin", "kathrin", 1 - 3 / 7),
    ("hamming", "ab", "abcd", 1 / 2),
    ("jaro", "martha", "marhta", (1 + 1 + 5 / 6) / 3),
    ("jaro_winkler", "martha", "marhta", 17 / 18 + 3 / 10 * (1 - 17 / 18)),
    ("levenshtein", "", "", 1),
    ("levenshtein", "", "a", 0),
]


@for_each(("distance", "one", "other", "expected"), ALIKE)
def test_likeness(distance, one, other, expected):
    qrels, _ = assay.match_texts({"q": [one]}, {"q": [other]}, distance=distance)
    assert qrels["q"]["retrieved-0"] == pytest.approx(expected, rel=1e-14, abs=1e-15)


BAD = [
    ("abc", {"q": []}, "the references must be a dict or a list of lists of texts, not 'abc'"),
    ({"q": []}, 5, "the retrieved texts must be a dict or a list of lists of texts, not '5'"),
    ({}, {"q": []}, "no references"),
    ({"q": "abc"}, {"q": []}, "the references of query 'q' must be a list of texts, not 'abc'"),
    ({"q": ["a"]}, {"q": ["a", None]}, "the retrieved texts of query 'q' must be a list of texts, not '['a', None]'"),
    ({"q": None}, {"q": []}, "the references of query 'q' must be a list of texts, not 'None'"),
    ({1.5: []}, {"q": []}, "the references: an id must be a string or an integer, not '1.5'"),
    ([["a"]], [["a"], ["b"]], "1 list of references but 2 of retrieved texts; lists must have the same length"),
]


@for_each(("references", "retrieved", "message"), BAD)
def test_bad_texts(references, retrieved, message):
    with pytest.raises(assay.errors.DataError) as caught:
        assay.match_texts(references, retrieved)
    assert str(caught.value) == message


def test_a_distance_that_there_is_not():
    with pytest.raises(assay.errors.PolicyError) as caught:
        assay.match_texts([["a"]], [["a"]], distance="cosine")
    assert str(caught.value) == (
        "distance must be 'levenshtein' or 'hamming' or 'jaro' or 'jaro_winkler', not 'cosine'"
    )


# References, retrieved texts, threshold, and per retrieved text its grade; None if it matches nothing.
MATCHES = {
    "case, blanks and width do not count": (["The  Cat\nsat."], ["the cat sat．"], 1, [1]),
    "a threshold of 1 is only for equal texts": (["abcdefghij"], ["abcdefghix"], 1, [None]),
    "as similar as the threshold": (["abcdefghij"], ["abcdefghix"], 0.9, [1]),
    "less similar": (["abcdefghij"], ["abcdefghxx"], 0.9, [None]),
    "a later text finds nothing more": (["abcdefghij"], ["abcdefghix", "abcdefghij"], 0.9, [None, 1]),
    "similar texts, the second finds nothing more": (["abcdefghij"], ["abcdefghix", "abcdefghxj"], 0.9, [1, 0]),
    "equal to one, not also similar to another": (["abcdefghij", "abcdefghix"], ["abcdefghij"], 0.9, [1]),
    "the most similar one": (["abcdefghij", "abcdefghxx"], ["abcdefghxy"], 0.8, [1]),
    "blank texts match nothing": (["", " "], ["", "x"], 0.5, [None, None]),
}


@for_each("case", MATCHES)
def test_texts_that_match(case):
    references, retrieved, threshold, expected = MATCHES[case]
    qrels, run = assay.match_texts({"q": references}, {"q": retrieved}, threshold=threshold)
    grades = qrels["q"]
    assert [grades.get(each) for each in run["q"]] == expected


def test_what_matches_nothing_stays_to_be_found():
    matched = assay.match_texts({"q": ["one", "two"]}, {"q": ["one", "x"]}, threshold=0.9)
    assert matched.qrels.groups("q") == {"0": {"retrieved-0": 1}, "1": {"reference-1": 1}}
    assert assay.evaluate(*matched, ["group_recall", "recall"]).mean == {"group_recall": 0.5, "recall": 0.5}


@for_each("threshold", [0, -1, 1.5, "high", True])
def test_a_threshold_that_is_none(threshold):
    with pytest.raises(assay.errors.PolicyError, match="threshold must be a number above 0 and at most 1, not"):
        assay.match_texts([["a"]], [["a"]], threshold=threshold)
