"""Every bad Python object gets an error that says what is wrong, where, and what to do."""

from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from types import MappingProxyType

import numpy as np
import pandas
import polars
import pytest

import assay
from assay.errors import DataError, DuplicateError, MismatchError
from refusals import refused
from tables import for_each

QRELS = {"q1": {"d1": 1}}
RUN = {"q1": {"d1": 1.0}}
NAN, INFINITY = float("nan"), float("inf")
HUGE = 10**400
LONE = "\ud800"


class Stubborn:
    """A number that does not want to be one."""

    def __float__(self):
        raise RuntimeError("no")

    def __index__(self):
        raise RuntimeError("no")

    def __repr__(self):
        raise RuntimeError("no")


# A ranking of query q1, and words of the message.
BAD_RANKINGS = [
    (None, ["query 'q1'", "None", "dict of scores", "list of documents"]),
    ("d1", ["query 'q1'", "list of documents", "str 'd1'"]),
    ("", ["query 'q1'", "list of documents"]),
    (b"d1", ["query 'q1'", "bytes"]),
    (5, ["query 'q1'", "int 5"]),
    (True, ["query 'q1'", "bool"]),
    ({"d1", "d2"}, ["query 'q1'", "set"]),
    (frozenset(["d1"]), ["query 'q1'", "frozenset"]),
    (iter(["d1"]), ["query 'q1'", "list_iterator"]),
    (range(3), ["query 'q1'", "range"]),
    (deque(["d1"]), ["query 'q1'", "deque"]),
    (object(), ["query 'q1'", "object"]),
    (Stubborn(), ["query 'q1'", "Stubborn"]),
    (np.float64(1.5), ["query 'q1'", "float"]),
    ([None], ["query 'q1'", "an id must be a string or an integer", "None"]),
    ([b"d1"], ["query 'q1'", "an id must be a string or an integer", "bytes"]),
    ([1.5], ["query 'q1'", "an id must be", "float 1.5"]),
    ([True], ["query 'q1'", "an id must be", "bool"]),
    ([NAN], ["query 'q1'", "an id must be"]),
    ([{"d1": 1}], ["query 'q1'", "an id must be", "dict"]),
    ([{"d1"}], ["query 'q1'", "an id must be", "set"]),
    ([""], ["query 'q1'", "empty string"]),
    ([LONE], ["query 'q1'", "not valid Unicode"]),
    ([10**5000], ["query 'q1'", "an id has thousands of digits"]),
    ([Stubborn()], ["query 'q1'", "an id must be", "Stubborn"]),
    ([("d1",)], ["query 'q1'", "a pair (document, score)"]),
    ([("d1", 1.0, 2.0)], ["query 'q1'", "rank 2 at position 1"]),
    ([("d1", 1.0, 1, 1)], ["query 'q1'", "a pair (document, score)", "('d1', 1.0, 1, 1)"]),
    ([()], ["query 'q1'", "a pair (document, score)"]),
    ([["d1", ["d2"]]], ["query 'q1'", "the score must be a number", "list ['d2']"]),
    ([["d1", "d2"]], ["query 'q1'", "the score must be a number", "str 'd2'"]),
    ([[["d1"], 1.0]], ["query 'q1'", "an id must be", "list ['d1']"]),
    ([("d1", 1.0), "d2"], ["query 'q1'", "expected a pair (document, score)", "str 'd2'"]),
    (["d1", ("d2", 1.0)], ["query 'q1'", "expected a document id", "('d2', 1.0)"]),
    (["d1", ["d2"]], ["query 'q1'", "expected a document id", "['d2']"]),
    ([("d1", None)], ["query 'q1'", "'d1'", "the score must be a number", "None"]),
    ([("d1", NAN)], ["query 'q1'", "'d1'", "must be finite"]),
    ({"d1": None}, ["query 'q1'", "'d1'", "the score must be a number", "None"]),
    ({"d1": "1"}, ["query 'q1'", "'d1'", "the score must be a number", "str '1'"]),
    ({"d1": b"1"}, ["query 'q1'", "'d1'", "the score must be a number", "bytes"]),
    ({"d1": 1j}, ["query 'q1'", "'d1'", "the score must be a number", "complex"]),
    ({"d1": [1]}, ["query 'q1'", "'d1'", "the score must be a number", "list [1]"]),
    ({"d1": {"score": 1}}, ["query 'q1'", "'d1'", "the score must be a number", "dict"]),
    ({"d1": (1.0, 2.0)}, ["query 'q1'", "'d1'", "the score must be a number", "tuple"]),
    ({"d1": np.array([1.0, 2.0])}, ["query 'q1'", "'d1'", "the score must be a number", "ndarray"]),
    ({"d1": Stubborn()}, ["query 'q1'", "'d1'", "the score must be a number", "Stubborn"]),
    ({"d1": NAN}, ["query 'q1'", "'d1'", "the score is NaN", "must be finite"]),
    ({"d1": INFINITY}, ["query 'q1'", "'d1'", "must be finite"]),
    ({"d1": -INFINITY}, ["query 'q1'", "'d1'", "must be finite"]),
    ({"d1": np.float32("nan")}, ["query 'q1'", "'d1'", "must be finite"]),
    ({"d1": HUGE}, ["query 'q1'", "'d1'", "the score is too large for a float"]),
    ({"d1": 1.0, "d2": HUGE}, ["query 'q1'", "'d2'", "the score is too large for a float"]),
    ({"d1": Decimal("nan")}, ["query 'q1'", "'d1'", "must be finite"]),
    ({None: 1.0}, ["query 'q1'", "an id must be", "None"]),
    ({b"d1": 1.0}, ["query 'q1'", "an id must be", "bytes"]),
    ({1.5: 1.0}, ["query 'q1'", "an id must be", "float"]),
    ({True: 1.0}, ["query 'q1'", "an id must be", "bool"]),
    ({("d", 1): 1.0}, ["query 'q1'", "an id must be", "tuple"]),
    ({LONE: 1.0, "d1": 1.0}, ["query 'q1'", "not valid Unicode"]),
    ({"": 1.0, "d1": 1.0}, ["query 'q1'", "empty string"]),
    (np.array([1.5, 2.5]), ["query 'q1'", "an id must be"]),
    (np.array([["d1", "1.0"]]), ["query 'q1'", "the score must be a number"]),
    (np.array(5), ["query 'q1'"]),
]
BAD_JUDGMENTS = [
    (None, ["query 'q1'", "None", "dict of grades", "list of documents"]),
    ("d1", ["query 'q1'", "list of documents", "str 'd1'"]),
    (b"d1", ["query 'q1'", "bytes"]),
    (5, ["query 'q1'", "int 5"]),
    (iter(["d1"]), ["query 'q1'", "list_iterator"]),
    (Stubborn(), ["query 'q1'", "Stubborn"]),
    ([None], ["query 'q1'", "an id must be", "None"]),
    ([b"d1"], ["query 'q1'", "an id must be", "bytes"]),
    ([1.5], ["query 'q1'", "an id must be", "float"]),
    ([True], ["query 'q1'", "an id must be", "bool"]),
    ([""], ["query 'q1'", "empty string"]),
    ([LONE], ["query 'q1'", "not valid Unicode"]),
    ([10**5000], ["query 'q1'", "an id has thousands of digits"]),
    ([{"d1": 1}], ["query 'q1'", "an id must be", "dict"]),
    ([{"d1"}, {"d2"}], ["query 'q1'", "an id must be", "set"]),
    ([[["d1"]]], ["query 'q1'", "an id must be", "list ['d1']"]),
    ([("d1", 3.0)], ["query 'q1'", "mixes text and numbers", "('d1', 3.0)"]),
    ([(1, 3.0)], ["query 'q1'", "an id must be", "float 3.0"]),
    ({"d1": None}, ["query 'q1'", "'d1'", "the grade must be a number", "None"]),
    ({"d1": "3"}, ["query 'q1'", "'d1'", "the grade must be a number", "str '3'"]),
    ({"d1": 1j}, ["query 'q1'", "'d1'", "the grade must be a number", "complex"]),
    ({"d1": [1]}, ["query 'q1'", "'d1'", "the grade must be a number", "list"]),
    ({"d1": Stubborn()}, ["query 'q1'", "'d1'", "the grade must be a number"]),
    ({"d1": NAN}, ["query 'q1'", "'d1'", "must be finite"]),
    ({"d1": INFINITY}, ["query 'q1'", "'d1'", "must be finite"]),
    ({"d1": HUGE}, ["query 'q1'", "'d1'", "the grade is too large for a float"]),
    ({None: 1}, ["query 'q1'", "an id must be", "None"]),
    ({b"d1": 1}, ["query 'q1'", "an id must be", "bytes"]),
    ({"": 1}, ["query 'q1'", "empty string"]),
    ({LONE: 1}, ["query 'q1'", "not valid Unicode"]),
]
# What is given for the judgments and for the run as a whole.
BAD_WHOLES = [
    (None, ["None", "a dict, a list, a frame or a file"]),
    (5, ["int 5", "a dict, a list, a frame or a file"]),
    (b"q1", ["bytes", "a dict, a list, a frame or a file"]),
    ({"q1", "q2"}, ["set", "a dict, a list, a frame or a file"]),
    (iter([]), ["list_iterator", "a dict, a list, a frame or a file"]),
    (object(), ["object", "a dict, a list, a frame or a file"]),
    (Stubborn(), ["Stubborn", "a dict, a list, a frame or a file"]),
    ({}, ["has no"]),
    ([], ["has no"]),
    ((), ["has no"]),
    (np.array([]), ["has no"]),
    ({None: ["d1"]}, ["an id must be a string or an integer", "None"]),
    ({1.5: ["d1"]}, ["an id must be a string or an integer", "float"]),
    ({True: ["d1"]}, ["an id must be a string or an integer", "bool"]),
    ({b"q1": ["d1"]}, ["an id must be a string or an integer", "bytes"]),
    ({("q", 1): ["d1"]}, ["an id must be a string or an integer", "tuple"]),
    ({"": ["d1"]}, ["empty string"]),
    ({LONE: ["d1"]}, ["not valid Unicode"]),
    ({10**5000: ["d1"]}, ["an id has thousands of digits"]),
    (["d1"], ["query '0'", "list of documents", "str 'd1'"]),
    ([None], ["query '0'", "None"]),
    ([1, 2], ["query '0'", "int 1"]),
    (np.array([1, 2]), ["query '0'", "int 1"]),
]


def evaluate(qrels, run, **options):
    return assay.evaluate(qrels, run, ["ap"], **options)


@for_each(("ranking", "words"), BAD_RANKINGS)
def test_a_bad_ranking_is_refused(ranking, words):
    if type(ranking).__name__ == "list_iterator":
        ranking = iter(["d1"])
    refused(lambda: evaluate(QRELS, {"q1": ranking}), DataError, words)
    refused(lambda: evaluate(QRELS, {"q0": {"d1": 1.0}, "q1": ranking, "q2": ["d1"]}), DataError, words)
    refused(lambda: evaluate([["d1"]], [ranking]), DataError, [word.replace("q1", "0") for word in words])
    refused(lambda: assay.Run({"q1": ranking}), DataError, words)
    refused(lambda: assay.Evaluator(QRELS, ["ap"]).add("q1", ranking), DataError, words)


@for_each(("ranking", "words"), BAD_RANKINGS)
def test_a_bad_ranking_of_a_query_without_judgments_is_refused_too(ranking, words):
    words = [word.replace("q1", "q9") for word in words]
    refused(lambda: evaluate(QRELS, {"q1": ["d1"], "q9": ranking}), DataError, words)


@for_each(("judgments", "words"), BAD_JUDGMENTS)
def test_bad_judgments_are_refused(judgments, words):
    refused(lambda: evaluate({"q1": judgments}, RUN), DataError, words)
    refused(lambda: evaluate({"q0": ["d1"], "q1": judgments}, RUN), DataError, words)
    refused(lambda: assay.Qrels({"q1": judgments}), DataError, words)


@for_each(("data", "words"), BAD_WHOLES)
def test_what_is_no_data_is_refused(data, words):
    refused(lambda: evaluate(QRELS, data), DataError, words)
    refused(lambda: evaluate(data, RUN), DataError, words)
    refused(lambda: assay.Run(data), DataError, words)
    refused(lambda: assay.Qrels(data), DataError, words)


def test_judgments_are_no_run_and_a_run_is_no_judgments():
    refused(lambda: evaluate(QRELS, assay.Qrels(QRELS)), DataError, ["the run must be a dict", "Qrels"])
    refused(lambda: evaluate(assay.Run(RUN), RUN), DataError, ["the judgments must be a dict", "Run"])


def test_objects_that_hold_themselves():
    ring, entries = [], {}
    ring.append(ring)
    entries["q1"] = entries
    for data in (ring, entries, {"q1": ring}):
        with pytest.raises(DataError):
            evaluate(QRELS, data)
        with pytest.raises(DataError):
            evaluate(data, RUN)


# What may look odd and is right.


@for_each(
    "ranking",
    [
        {"d2": Decimal("1.5"), "d1": Fraction(1, 3)},
        {"d2": np.int8(3), "d1": np.float16(0.5)},
        {"d2": 2**70, "d1": 0},
        {"d2": np.array(2.0), "d1": 1},
        OrderedDict(d2=2, d1=1),
        Counter(d2=2, d1=1),
        defaultdict(float, d2=2.0, d1=1.0),
        MappingProxyType({"d2": 2.0, "d1": 1.0}),
        {"d2": 5e-324, "d1": -0.0},
        {"d2": -1e308, "d1": -1.7e308},
    ],
)
def test_other_numbers_and_mappings_are_taken(ranking):
    assert evaluate(QRELS, {"q1": ranking})["ap"] == 0.5


def test_ids_may_have_blanks_and_any_letters():
    ids = [" ", "a b", "a\tb", "a\nb", "#", "é", "日本", "\0", "'", '"', "{}", "x" * 10_000, "\u202e", "\ufeff"]
    for query in ids:
        qrels = {query: dict.fromkeys(ids, 1)}
        assert assay.evaluate(qrels, {query: ids}, ["ap", "num_rel_ret"]).mean == {"ap": 1.0, "num_rel_ret": len(ids)}


def test_a_grade_may_be_true_or_false():
    judged = {"q1": {"d1": True, "d2": False}}
    assert evaluate(judged, {"q1": ["d2", "d1"]})["ap"] == 0.5
    table = polars.DataFrame({"qid": ["q1", "q1"], "doc": ["d1", "d2"], "rel": [True, False]})
    for frame in (
        table,
        table.to_pandas(),
        table.with_columns(polars.Series("rel", [True, False], dtype=polars.Object)),
    ):
        assert evaluate(frame, {"q1": ["d2", "d1"]})["ap"] == 0.5


# Repeats, and data that does not belong together.


@for_each(
    "ranking",
    [["d1", "d2", "d1"], [("d1", 3.0), ("d2", 2.0), ("d1", 1.0)], ["d1", 7, "7"], {"d1": 1, 7: 2, "7": 3}, [7, "7", 8]],
)
def test_a_repeated_document_is_named(ranking):
    repeated = "7" if 7 in ranking else "d1"
    words = ["query 'q1'", f"document '{repeated}'", "more than once", 'duplicates="first" or "last"']
    for run in ({"q1": ranking}, assay.Run({"q1": ranking})):
        refused(lambda run=run: evaluate(QRELS, run), DuplicateError, words)
        assert evaluate({"q1": [repeated]}, run, duplicates="first")["ap"] > 0


@for_each("judgments", [["d1", "d1"], {7: 1, "7": 1}, [["d1", "d1"], ["d2"]]])
def test_a_repeated_judgment_is_named(judgments):
    refused(lambda: evaluate({"q1": judgments}, RUN), DuplicateError, ["query 'q1'", "more than once"])


def test_a_document_of_two_groups_is_no_repeat():
    assert assay.Qrels({"q1": [["d1"], ["d1"]]})["q1"] == {"d1": 1.0}


def test_a_query_as_string_and_as_integer_is_a_duplicate():
    refused(lambda: assay.Qrels({1: ["a"], "1": ["b"]}), DataError, ["duplicate query id '1'"])
    refused(lambda: assay.Run({1: ["a"], "1": ["b"]}), DataError, ["duplicate query id '1'"])


def test_no_query_in_common_shows_three_ids_of_each_side():
    qrels = {f"q{number}": ["d"] for number in (3, 1, 2, 4)}
    run = {f"x{number}": ["d"] for number in (3, 1, 2, 4)}
    words = [
        "no query in common",
        "the judgments have 'q3', 'q1', 'q2', …",
        "the run has 'x1', 'x2', 'x3', …",
        "assay.check looks at the data",
    ]
    refused(lambda: evaluate(qrels, run), MismatchError, words)
    refused(lambda: evaluate(qrels, assay.Run(run)), MismatchError, words)


def test_lists_of_different_length_do_not_pair_up():
    refused(lambda: evaluate([["a"], ["b"]], [["a"]]), MismatchError, ["2 queries", "the run has 1", "same length"])


def test_a_query_that_cannot_be_a_key():
    with pytest.raises(DataError, match="an id must be a string or an integer"):
        assay.Evaluator(QRELS, ["ap"]).add(["q1"], ["d1"])


def test_a_run_with_a_query_as_string_and_as_integer():
    refused(lambda: evaluate({"1": ["a"]}, {1: ["b", "a"], "1": ["a"]}), DataError, ["duplicate query id '1'"])


@for_each("judgments", [[("d1", 3), ("d2", 0)], [["d1", 3]], [("d1", np.int64(3))]])
def test_judgments_in_pairs_are_no_groups(judgments):
    refused(lambda: assay.Qrels({"q1": judgments}), DataError, ["query 'q1'", "mixes text and numbers", "use a dict"])


@for_each("judgments", [["d1", ["d2"]], [["d1"], "d2"]])
def test_documents_and_groups_do_not_mix(judgments):
    refused(lambda: assay.Qrels({"q1": judgments}), DataError, ["query 'q1'", "are mixed"])


def test_groups_in_an_array_are_groups():
    groups = np.array([["d1", "d2"], ["d3", "d4"]])
    assert assay.Qrels({"q1": groups}).groups("q1") == {"0": {"d1": 1.0, "d2": 1.0}, "1": {"d3": 1.0, "d4": 1.0}}


def test_the_index_of_a_series_are_the_documents():
    series = pandas.Series([3, 2], index=["d1", "d2"])
    assert evaluate(QRELS, {"q1": series})["ap"] == 1
    assert assay.Qrels({"q1": series})["q1"] == {"d1": 3.0, "d2": 2.0}
    refused(lambda: evaluate(QRELS, {"q1": pandas.Series(["d1", "d2"])}), DataError, ["query 'q1'", "must be a number"])


@for_each("score", [True, np.True_])
def test_a_truth_value_is_no_score(score):
    for ranking in ({"d1": score}, [("d1", score)]):
        refused(
            lambda ranking=ranking: evaluate(QRELS, {"q1": ranking}), DataError, ["'d1'", "the score must be a number"]
        )


def test_an_empty_id_is_refused_whatever_its_score():
    for ranking in ({"": 1.0, "d1": 2.0}, {"": 3.0, "d1": 2.0}, {"": 2.0, "d1": 2.0}):
        refused(lambda ranking=ranking: evaluate(QRELS, {"q1": ranking}), DataError, ["query 'q1'", "empty string"])


def test_an_id_that_is_no_text_is_a_document_like_others():
    # It can be no judged document, and looking at every id for it would cost more than all the rest.
    assert evaluate(QRELS, {"q1": {LONE: 3.0, "d1": 2.0}})["ap"] == 0.5
