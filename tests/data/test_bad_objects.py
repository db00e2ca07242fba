"""Every bad Python object gets an error that says what is wrong, where, and what to do."""

from collections import Counter, OrderedDict, defaultdict, deque
from decimal import Decimal
from fractions import Fraction
from functools import partial
from types import MappingProxyType

import numpy as np
import pandas
import polars
import pytest

import assay
from assay.errors import DataError, DuplicateError, MeasureError, MismatchError
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


def rows_of(*tables):
    """Rows of what is refused and words of the message."""
    return [(value, words) for table in tables for words, values in table.items() for value in values]


def of_kinds(words, values, form=lambda value: value):
    """Words with what messages call the type of each value."""
    return {(*words, "None" if value is None else type(value).__name__): [form(value)] for value in values}


AN_ID, A_NUMBER = "an id must be a string or an integer", "the score must be a number"
A_PAIR, WHOLE = "a pair (document, score)", ["list of documents", "dict of scores"]
NO_NUMBERS = [None, "1", b"1", 1j, [1], {"score": 1}, (1.0, 2.0), np.array([1.0, 2.0]), Stubborn()]
# What is refused in place of a ranking and in place of judgments, whose messages have a grade in place of a score.
BAD_VALUES = rows_of(
    of_kinds(WHOLE, [None, b"d1", 5, iter([]), Stubborn()]),
    of_kinds([AN_ID], [None, b"d1", 1.5, True, NAN, {"d1": 1}], lambda value: [value]),
    of_kinds([AN_ID], [None, b"d1", 1.5, True, ("d", 1)], lambda value: {value: 1.0}),
    of_kinds(["'d1'", A_NUMBER], NO_NUMBERS, lambda value: {"d1": value}),
    {
        ("list of documents", "str 'd1'"): ["d1"],
        ("empty string",): [[""], *({"": score, "d1": 2.0} for score in (1.0, 2.0, 3.0))],
        ("not valid Unicode",): [[LONE], {LONE: 1.0, "d1": 1.0}],
        ("an id has thousands of digits",): [[10**5000]],
        ("'d1'", "the score is NaN", "must be finite"): [{"d1": NAN}],
        ("'d1'", "must be finite"): [{"d1": value} for value in (INFINITY, -INFINITY, np.float32(NAN), Decimal(NAN))],
        ("'d1'", "the score is too large for a float"): [{"d1": HUGE}, {"d0": 1.0, "d1": HUGE}],
    },
)
BAD_RANKINGS = BAD_VALUES + rows_of(
    of_kinds(WHOLE, [True, {"d1", "d2"}, frozenset(["d1"]), range(3), deque(["d1"]), object()]),
    {
        ("list of documents",): ["", np.float64(1.5), np.array(5)],
        (AN_ID,): [[{"d1"}], [Stubborn()], [[["d1"], 1.0]], np.array([1.5, 2.5])],
        (A_PAIR,): [[("d1",)], [()], [("d1", 1.0, 1, 1)], [("d1", 1.0), "d2"]],
        ("rank 2 at position 1",): [[("d1", 1.0, 2.0)]],
        (A_NUMBER,): [[["d1", ["d2"]]], [["d1", "d2"]], np.array([["d1", "1.0"]])],
        ("expected a document id", "('d2', 1.0)"): [["d1", ("d2", 1.0)]],
        ("expected a document id", "['d2']"): [["d1", ["d2"]]],
        ("'d1'", A_NUMBER, "None"): [[("d1", None)]],
        ("'d1'", A_NUMBER): [{"d1": True}, {"d1": np.True_}, [("d1", True)], [("d1", np.True_)]],
        ("'d1'", "must be finite"): [[("d1", NAN)]],
    },
)
BAD_JUDGMENTS = [(value, [word.replace("score", "grade") for word in words]) for value, words in BAD_VALUES] + rows_of(
    {
        ("an id must be", "set"): [[{"d1"}, {"d2"}]],
        ("an id must be", "list ['d1']"): [[[["d1"]]]],
        ("mixes text and numbers", "('d1', 3.0)"): [[("d1", 3.0)]],
        ("mixes text and numbers",): [[("d1", 3), ("d2", 0)], [["d1", 3]], [("d1", np.int64(3))]],
        ("are mixed",): [["d1", ["d2"]], [["d1"], "d2"]],
        ("an id must be", "float 3.0"): [[(1, 3.0)]],
    }
)
# What is given for the judgments and for the run as a whole.
BAD_WHOLES = rows_of(
    of_kinds(["a dict, a list, a frame or a file"], [None, 5, b"q1", {"q1", "q2"}, iter([]), object(), Stubborn()]),
    of_kinds([AN_ID], [None, 1.5, True, b"q1", ("q", 1)], lambda value: {value: ["d1"]}),
    {
        ("has no",): [{}, [], (), np.array([])],
        ("empty string",): [{"": ["d1"]}],
        ("not valid Unicode",): [{LONE: ["d1"]}],
        ("an id has thousands of digits",): [{10**5000: ["d1"]}],
        ("query '0'", "list of documents", "str 'd1'"): [["d1"]],
        ("query '0'", "None"): [[None]],
        ("query '0'", "int 1"): [[1, 2], np.array([1, 2])],
    },
)


def evaluate(qrels, run, **options):
    return assay.evaluate(qrels, run, ["ap"], **options)


@for_each(("ranking", "words"), BAD_RANKINGS)
def test_a_bad_ranking_is_refused(ranking, words):
    for run in ({"q1": ranking}, {"q0": {"d1": 1.0}, "q1": ranking, "q2": ["d1"]}):
        refused(lambda run=run: evaluate(QRELS, run), DataError, ["query 'q1'", *words])
    refused(lambda: evaluate(QRELS, {"q1": ["d1"], "q9": ranking}), DataError, ["query 'q9'", *words])
    refused(lambda: evaluate([["d1"]], [ranking]), DataError, ["query '0'", *words])
    refused(lambda: assay.Run({"q1": ranking}), DataError, ["query 'q1'", *words])
    refused(lambda: assay.Evaluator(QRELS, ["ap"]).add("q1", ranking), DataError, ["query 'q1'", *words])


@for_each(("judgments", "words"), BAD_JUDGMENTS)
def test_bad_judgments_are_refused(judgments, words):
    for qrels in ({"q1": judgments}, {"q0": ["d1"], "q1": judgments}):
        refused(lambda qrels=qrels: evaluate(qrels, RUN), DataError, ["query 'q1'", *words])
        refused(lambda qrels=qrels: assay.Qrels(qrels), DataError, ["query 'q1'", *words])


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


OTHERS = [
    *({"d2": Decimal("1.5"), "d1": Fraction(1, 3)}, {"d2": np.int8(3), "d1": np.float16(0.5)}, {"d2": 2**70, "d1": 0}),
    *({"d2": np.array(2.0), "d1": 1}, {"d2": 5e-324, "d1": -0.0}, {"d2": -1e308, "d1": -1.7e308}),
    *(kind(d2=2, d1=1) for kind in (OrderedDict, Counter, partial(defaultdict, float))),
    MappingProxyType({"d2": 2.0, "d1": 1.0}),
]


@for_each("ranking", OTHERS)
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
    objects = table.with_columns(polars.Series("rel", [True, False], dtype=polars.Object))
    for frame in (table, table.to_pandas(), objects):
        assert evaluate(frame, {"q1": ["d2", "d1"]})["ap"] == 0.5


TWICE = [["d1", "d2", "d1"], [("d1", 3.0), ("d2", 2.0), ("d1", 1.0)], ["d1", 7, "7"], {"d1": 1, 7: 2, "7": 3}, [7, "7"]]


@for_each("ranking", TWICE)
def test_a_repeated_document_is_named(ranking):
    repeated = "7" if 7 in ranking else "d1"
    words = ["query 'q1'", f"document '{repeated}'", "more than once", 'duplicates="first" or "last"']
    for run in ({"q1": ranking}, assay.Run({"q1": ranking})):
        refused(lambda run=run: evaluate(QRELS, run), DuplicateError, words)
        assert evaluate({"q1": [repeated]}, run, duplicates="first")["ap"] > 0


@for_each("judgments", [["d1", "d1"], {7: 1, "7": 1}, [["d1", "d1"], ["d2"]]])
def test_a_repeated_judgment_is_named(judgments):
    refused(lambda: evaluate({"q1": judgments}, RUN), DuplicateError, ["query 'q1'", "more than once"])


def test_a_query_as_string_and_as_integer_is_a_duplicate():
    refused(lambda: assay.Qrels({1: ["a"], "1": ["b"]}), DataError, ["duplicate query id '1'"])
    refused(lambda: assay.Run({1: ["a"], "1": ["b"]}), DataError, ["duplicate query id '1'"])
    refused(lambda: evaluate({"1": ["a"]}, {1: ["b", "a"], "1": ["a"]}), DataError, ["duplicate query id '1'"])


def test_no_query_in_common_shows_three_ids_of_each_side():
    qrels = {f"q{number}": ["d"] for number in (3, 1, 2, 4)}
    run = {f"x{number}": ["d"] for number in (3, 1, 2, 4)}
    words = ["no query in common", "have 'q3', 'q1', 'q2', …", "the run has 'x1', 'x2', 'x3', …", "assay.check looks"]
    refused(lambda: evaluate(qrels, run), MismatchError, words)
    refused(lambda: evaluate(qrels, assay.Run(run)), MismatchError, words)


def test_many_runs_and_their_measures():
    for runs, words in (({}, "no run to evaluate; pass at least one"), ([RUN], "a dict of runs by name, or a list")):
        refused(lambda runs=runs: assay.evaluate_many(QRELS, runs, ["ap"]), DataError, [words])
    refused(lambda: assay.evaluate_many(QRELS, {"a": RUN, "b": {"q1": "d1"}}, ["ap"]), DataError, ["query 'q1'"])
    refused(lambda: assay.evaluate(QRELS, RUN, []), MeasureError, ["no measure to compute"])


def test_lists_of_different_length_do_not_pair_up():
    refused(lambda: evaluate([["a"], ["b"]], [["a"]]), MismatchError, ["2 queries", "the run has 1", "same length"])


def test_a_query_that_cannot_be_a_key():
    refused(lambda: assay.Evaluator(QRELS, ["ap"]).add(["q1"], ["d1"]), DataError, [AN_ID])


def test_groups_in_an_array_are_groups():
    groups = np.array([["d1", "d2"], ["d3", "d4"]])
    assert assay.Qrels({"q1": groups}).groups("q1") == {"0": {"d1": 1.0, "d2": 1.0}, "1": {"d3": 1.0, "d4": 1.0}}


def test_the_index_of_a_series_are_the_documents():
    series = pandas.Series([3, 2], index=["d1", "d2"])
    assert evaluate(QRELS, {"q1": series})["ap"] == 1
    assert assay.Qrels({"q1": series})["q1"] == {"d1": 3.0, "d2": 2.0}
    refused(lambda: evaluate(QRELS, {"q1": pandas.Series(["d1", "d2"])}), DataError, ["query 'q1'", "must be a number"])


def test_an_id_that_is_no_text_is_a_document_like_others():
    # It can be no judged document, and looking at every id for it would cost more than all the rest.
    assert evaluate(QRELS, {"q1": {LONE: 3.0, "d1": 2.0}})["ap"] == 0.5
