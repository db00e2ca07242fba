"""The stand-in for pytrec_eval against pytrec_eval itself: results, keys, queries and errors."""

import copy
import io
import math

import numpy as np
import pytest
import pytrec_eval as theirs
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay
from assay.compat import pytrec_eval as ours
from strategies import WHOLE_GRADES, Collection, collections, judgments, rankings
from tables import for_each

# It never returns from some measures where all grades of a query are negative.
GRADED = judgments(WHOLE_GRADES, min_size=1).filter(lambda grades: max(grades.values()) >= 0)
# A part in 2^40 is lost in 32 bits.
CLOSE_SCORES = st.tuples(st.integers(-2, 4), st.sampled_from([0, 2**-40, -(2**-41)])).map(lambda pair: 4 + sum(pair))
SAFE = collections(GRADED, rankings(CLOSE_SCORES, min_size=1))
LEVELS = st.sampled_from([1, 2, 3])

# pytrec_eval's numbers for these are what happens to be in memory.
MEANINGLESS = {"runid", "relstring"}
SPELLINGS = [
    ["P_5", "ndcg_cut.3,10", "recall_2,4,100", "map_cut.1", "success.1,2", "relative_P.3"],
    ["P", "P.7", "P_2,3", "P.4.9"],
    ["iprec_at_recall.0.25,0.1", "Rprec_mult.0.5,1.5", "11pt_avg.0.2,0.5,0.8", "set_F.2.0"],
    ["set_F_0.5", "map.5", "num_ret.3", "P_5junk", "recall_2_3"],
    ["utility.1,2,3,4"],
    ["official", "set", "ndcg"],
]


def values_of(module, collection, names, level=1, judged_only=False):
    evaluator = module.RelevanceEvaluator(collection.qrels, names, level, judged_only)
    return evaluator.evaluate(collection.run)


def assert_same(found, expected):
    """The same queries and keys, in the same order, and the same values."""
    assert list(found) == list(expected)
    for query, values in expected.items():
        assert list(found[query]) == list(values)
        for name, value in values.items():
            assert type(found[query][name]) is float
            if name not in MEANINGLESS:
                assert found[query][name] == pytest.approx(value, rel=1e-12, abs=1e-12, nan_ok=True), (query, name)


def test_it_has_the_same_names():
    assert ours.supported_measures == theirs.supported_measures
    assert ours.supported_nicknames == theirs.supported_nicknames
    assert set(theirs.__all__) <= set(ours.__all__)


@given(collection=SAFE, level=LEVELS, judged_only=st.booleans())
@example(Collection({"q": {"a": 1, "b": 0}}, {"q": {"c": 1.0}}), 1, True)
@example(Collection({"q": {"a": 0}}, {"q": {"c": 1.0}}), 1, True)
@example(Collection({"q": {"a": 1, "b": 3}}, {"q": {"c": 1.0, "b": 1, "a": 1.0}}), 2, False)
@example(Collection({"q": {"a": 1}, "empty": {}}, {"q": {"a": 1}, "empty": {"a": 1}}), 1, False)
def test_all_measures(collection, level, judged_only):
    expected = values_of(theirs, collection, {"all_trec"}, level, judged_only)
    assert_same(values_of(ours, collection, {"all_trec"}, level, judged_only), expected)


@settings(max_examples=settings.default.max_examples // 4)
@given(names=st.sampled_from(SPELLINGS), collection=SAFE, level=LEVELS, judged_only=st.booleans())
def test_spellings(names, collection, level, judged_only):
    expected = values_of(theirs, collection, names, level, judged_only)
    assert_same(values_of(ours, collection, names, level, judged_only), expected)


@settings(max_examples=settings.default.max_examples // 4)
@given(collection=SAFE)
def test_aggregates(collection):
    expected = values_of(theirs, collection, {"all_trec"})
    for name in set(next(iter(expected.values()))) - MEANINGLESS:
        values = [each[name] for each in expected.values()]
        assert ours.compute_aggregated_measure(name, values) == theirs.compute_aggregated_measure(name, values)


def test_one_evaluator_serves_many_runs_and_leaves_them_as_they_are():
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    evaluator = ours.RelevanceEvaluator(qrels, {"recip_rank"})
    assert evaluator.evaluate({"q1": {"x": 2.0, "a": 1.0}}) == {"q1": {"recip_rank": 0.5}}
    assert evaluator.evaluate({}) == {}
    assert evaluator.evaluate({"q9": {"a": 1.0}}) == {}
    assert evaluator.evaluate({"q2": {"b": 1}, "q1": {"a": 1}}) == {"q2": {"recip_rank": 1}, "q1": {"recip_rank": 1}}
    qrels, run = {"q": {"a": 1}}, {"q": {"a": math.inf, "b": True}}
    before = copy.deepcopy((qrels, run))
    ours.RelevanceEvaluator(qrels, {"map"}).evaluate(run)
    assert (qrels, run) == before


INFINITE = [
    {"a": math.inf, "b": -math.inf, "c": 1e300},
    {"a": math.inf, "b": math.inf, "c": math.inf},
    {"a": -math.inf, "b": -math.inf, "c": 0.0},
    {"a": -math.inf, "b": -1e300, "c": -1e30},
    {"a": True, "b": 2, "c": False},
]


@for_each("ranking", INFINITE)
def test_infinite_scores_and_bools(ranking):
    collection = Collection({"q": {"a": 1, "b": 0}}, {"q": ranking})
    for judged_only in (False, True):
        found, expected = (values_of(each, collection, {"map", "bpref"}, 1, judged_only) for each in (ours, theirs))
        assert_same(found, expected)


@for_each("level", [np.int64(2), np.int32(1), np.uint8(1), True])
def test_levels_of_any_kind_of_integer(level):
    collection = Collection({"q": {"a": 1, "b": 2}}, {"q": {"a": 2.0, "b": 1.0}})
    assert_same(values_of(ours, collection, {"map"}, level), values_of(theirs, collection, {"map"}, level))


QRELS, RUN = {"q": {"a": 1}}, {"q": {"a": 1.0}}
EMPTY = [
    ({}, ["map"], RUN, {}),
    ({"q": {}}, ["map"], RUN, {}),
    (QRELS, [], RUN, {"q": {}}),
    (QRELS, ["map"], {"q": {}}, {"q": {"map": 0.0}}),
    (QRELS, ["runid", "relstring.3"], RUN, {"q": {"runid": 0.0, "relstring": 0.0}}),
    # pytrec_eval never returns from some measures here.
    ({"q": {"a": -1}}, ["ndcg", "ndcg_cut.5", "map"], RUN, {"q": {"map": 0.0, "ndcg": 0.0, "ndcg_cut_5": 0.0}}),
]


@for_each(("qrels", "measures", "run", "expected"), EMPTY)
def test_nothing_to_measure(qrels, measures, run, expected):
    assert ours.RelevanceEvaluator(qrels, measures).evaluate(run) == expected


# Arguments of the evaluator, the run, and the error that both raise.
ERRORS = [
    ((QRELS, {"foo"}), RUN, ValueError, "unsupported measure foo"),
    ((QRELS, {"map_avgjg"}), RUN, ValueError, "unsupported measure map_avgjg"),
    ((QRELS, {5}), RUN, TypeError, "expected string or bytes-like object"),
    ((QRELS, {"map"}, 0), RUN, TypeError, "Argument relevance_level should be positive."),
    ((QRELS, {"map"}, 1.5), RUN, TypeError, "Expected object_relevance_per_qid dictionary and measures set."),
    (({1: {"a": 1}}, {"map"}), RUN, TypeError, "Expected string as key."),
    (({"q": ["a"]}, {"map"}), RUN, TypeError, "Expected dictionary as value."),
    (({"q": {1: 1}}, {"map"}), RUN, TypeError, "Expected mapping of document id to query relevance"),
    (({"q": {"a": 1.0}}, {"map"}), RUN, TypeError, "Expected relevance to be integer."),
    (({"q": {"a": np.int64(1)}}, {"map"}), RUN, TypeError, "Expected relevance to be integer."),
    ((QRELS, {"map"}), [1], TypeError, "Argument object scores should be of type dictionary."),
    ((QRELS, {"map"}), {1: {"a": 1.0}}, TypeError, "Unable to extract query/object scores."),
    ((QRELS, {"map"}), {**RUN, "other": {5: 1.0}}, TypeError, "Unable to extract query/object scores."),
    ((QRELS, {"map"}), {**RUN, "other": {"a": 1.0, None: 1.0}}, TypeError, "Unable to extract query/object scores."),
    ((QRELS, {"map"}), {"q": ["a"]}, TypeError, "Unable to extract query/object scores."),
    ((QRELS, {"map"}), {"q": {"a": "1"}}, TypeError, "Unable to extract query/object scores."),
    ((QRELS, {"map"}), {"q": {"a": None}}, TypeError, "Unable to extract query/object scores."),
]


@for_each("module", [ours, theirs])
@for_each(("arguments", "run", "error", "message"), ERRORS)
def test_errors(module, arguments, run, error, message):
    with pytest.raises(error) as caught:
        module.RelevanceEvaluator(*arguments).evaluate(run)
    assert str(caught.value).startswith(message)
    if module is ours and "expected string or bytes" not in message:
        assert isinstance(caught.value, assay.AssayError)


@for_each("measures", [{"P.0"}, {"P.5", "P_5.2"}, {"ndcg.10"}, {"utility.2"}])
def test_what_ends_the_interpreter_there_is_an_error_here(measures):
    with pytest.raises(ValueError, match="unsupported measure"):
        ours.RelevanceEvaluator(QRELS, measures)


def test_a_score_that_is_no_number_is_an_error():
    expected = "ranking of query 'q', document 'a': the score is NaN, which pytrec_eval ranks in no defined order"
    for ranking in ({"a": math.nan}, {"b": math.inf, "a": math.nan}):
        with pytest.raises(assay.errors.DataError, match=expected):
            ours.RelevanceEvaluator(QRELS, {"map"}).evaluate({"q": ranking})


@for_each("module", [ours, theirs])
def test_a_document_listed_twice_is_the_same_error(module):
    with pytest.raises(AssertionError):
        module.parse_run(["q Q0 d 1 2.5 t", "q Q0 d 2 2.5 t"])
    with pytest.raises(AssertionError):
        module.parse_qrel(["q 0 d 1", "q 0 d 1"])


RUN_LINES = "q1 Q0 d1 1 2.5 tag\nq1\tQ0\td2  2 -1e3 tag\n q2 Q0 d1 1 7 tag \n"
QREL_LINES = "q1 0 d1 2\nq1 0 d2 -1\nq2\t0\td1 0\n"


def test_parsing():
    assert ours.parse_run(io.StringIO(RUN_LINES)) == theirs.parse_run(io.StringIO(RUN_LINES))
    assert ours.parse_qrel(io.StringIO(QREL_LINES)) == theirs.parse_qrel(io.StringIO(QREL_LINES))
    assert ours.parse_run(iter([])) == {}
    assert ours.parse_qrel([])["missing"] == {}


BAD_LINES = [
    (ours.parse_run, "q1 Q0 d1 1 2.5\n", "line 1: expected 6 fields (query Q0 document rank score tag), found 5"),
    (ours.parse_run, "q1 Q0 d1 1 x tag\n", "line 1: 'x' is not a number"),
    (ours.parse_run, RUN_LINES + "q1 Q0 d1 1 2.5 tag\n", "line 4: query 'q1' lists 'd1' twice"),
    (ours.parse_qrel, "q1 0 d1 1 2\n", "line 1: expected 4 fields (query 0 document grade), found 5"),
    (ours.parse_qrel, "q1 0 d1 1.5\n", "line 1: '1.5' is not a number"),
    (ours.parse_qrel, QREL_LINES + "\n", "line 4: expected 4 fields (query 0 document grade), found 0"),
    (ours.parse_qrel, QREL_LINES + "q2 0 d1 3\n", "line 4: query 'q2' lists 'd1' twice"),
]


@for_each(("parse", "text", "message"), BAD_LINES)
def test_bad_lines(parse, text, message):
    with pytest.raises(assay.errors.DataError) as caught:
        parse(io.StringIO(text))
    assert str(caught.value).startswith(message)
