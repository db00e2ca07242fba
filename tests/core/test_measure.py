"""Measures made in Python: their parameters and names, and how scores become one number."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.core.measure import AGGREGATES
from assay.core.parameter import write_value
from assay.measures import TABLE
from tables import for_each

GAINS = "linear or exp2 or binary or signed or pairs grade:gain such as 1:3;2:9"
LEVELS = "numbers such as 0.25;0.5, each at least 0 and at most 1"
BAD = [
    ("ap", {"k": True}, "ap: k must be a whole number at least 1, not 'true'"),
    ("ap", {"k": "5"}, "ap: k must be a whole number at least 1, not '5'"),
    ("ap", {"k": 2**53 + 1}, "ap: k must be a whole number at least 1, not '9007199254740993'"),
    ("ap", {"rel": None}, "ap: rel must be a number, not 'None'"),
    ("ap", {"rel": math.nan}, "ap: rel must be a number, not 'nan'"),
    ("ap", {"rel": 10**309}, f"ap: rel must be a number, not '1{'0' * 59}…'"),
    ("ap", {"norm": ["found"]}, "ap: norm must be relevant or found or about_found or cutoff or none, not '['found']'"),
    ("ap", {"norm": {1: 2}}, "ap: norm must be relevant or found or about_found or cutoff or none, not '1:2'"),
    ("recall", {"cap": 1}, "recall: cap must be true or false, not '1'"),
    ("ndcg", {"gain": {}}, f"ndcg: gain must be {GAINS}, not ''"),
    ("ndcg", {"gain": {"x": 1}}, f"ndcg: gain must be {GAINS}, not 'x:1'"),
    ("ndcg", {"gain": {1: None}}, f"ndcg: gain must be {GAINS}, not '1:None'"),
    ("ndcg", {"gain": {1: math.inf}}, f"ndcg: gain must be {GAINS}, not '1:inf'"),
    ("utility", {"weights": (1, 2)}, "utility: weights must be 4 numbers, not '1;2'"),
    ("mean_iprec", {"recalls": ()}, f"mean_iprec: recalls must be {LEVELS}, not ''"),
]


@for_each(("name", "values", "message"), BAD)
def test_bad_parameters(name, values, message):
    with pytest.raises(assay.errors.MeasureError) as caught:
        TABLE[name](**values)
    assert str(caught.value) == message


FULL = "norm=relevant,ties=rank,nothing=zero)"
REST = "rel=0,ties=rank,ideal=judged,fewest=0"
GOOD = [
    ("ap", {}, "ap", f"ap(rel=1,{FULL}"),
    ("ap", {"k": None}, "ap", f"ap(rel=1,{FULL}"),
    ("ap", {"k": 10.0}, "ap@10", f"ap(rel=1,{FULL}@10"),
    ("ap", {"k": np.int32(10), "rel": np.float32(0.5)}, "ap(rel=0.5)@10", f"ap(rel=0.5,{FULL}@10"),
    ("ap", {"k": 2**53}, "ap@9007199254740992", f"ap(rel=1,{FULL}@9007199254740992"),
    ("ndcg", {"gain": {2: 9, 1: 3.5}}, "ndcg(gain=1:3.5;2:9)", f"ndcg(gain=1:3.5;2:9,{REST})"),
    ("iprec", {"recall": 0}, "iprec@0", "iprec(rel=1,cut=round)@0"),
    ("err", {}, "err", "err(gain=exp2,above=error)"),
]


@for_each(("name", "values", "text", "full_name"), GOOD)
def test_names(name, values, text, full_name):
    measure = TABLE[name](**values)
    assert str(measure) == text
    assert measure.full_name == full_name
    assert repr(measure) == f"<measure {text}>"
    assert assay.parse_measure(text) == measure


WRITTEN = [
    (1, "1"),
    (1.0, "1"),
    (-0.0, "0"),
    (0.1, "0.1"),
    (1e-7, "1e-07"),
    (2.0**53, "9007199254740992.0"),
    (1e300, "1e+300"),
    (True, "true"),
    (False, "false"),
    ("exp2", "exp2"),
    ({2.0: 9.0, 1.0: 0.5}, "1:0.5;2:9"),
]


@for_each(("value", "text"), WRITTEN)
def test_written_values(value, text):
    assert write_value(value) == text


nan = math.nan
AGGREGATED = [
    ("mean", [0.5], 0.5),
    ("mean", [0, 1, 1, 1], 0.75),
    ("mean", [0, nan, 1], 0.5),
    ("mean", [], nan),
    ("mean", [nan, nan], nan),
    ("sum", [1, 2, 4], 7),
    ("sum", [1, nan, 4], 5),
    ("sum", [0], 0),
    ("sum", [], nan),
    ("geometric", [0.25], 0.25),
    ("geometric", [0.5, 0.125], 0.25),
    ("geometric", [1, 0], math.sqrt(0.00001)),
    ("geometric", [0, 0], 0.00001),
    ("geometric", [0.5, nan, 0.125], 0.25),
    ("geometric", [], nan),
]


@for_each(("name", "scores", "expected"), AGGREGATED)
def test_values(name, scores, expected):
    assert AGGREGATES[name](np.array(scores, dtype=np.float64)) == pytest.approx(expected, nan_ok=True)


@given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_mean_is_added_up_one_after_another(scores):
    total = 0.0
    for score in scores:
        total += score
    assert AGGREGATES["mean"](np.array(scores)) == total / len(scores)
    assert AGGREGATES["sum"](np.array(scores)) == total


@given(scores=st.lists(st.floats(0, 1) | st.just(nan), max_size=30), name=st.sampled_from(list(AGGREGATES)))
def test_undefined_scores_are_as_if_they_were_not_there(scores, name):
    known = [score for score in scores if not math.isnan(score)]
    found, expected = AGGREGATES[name](np.array(scores)), AGGREGATES[name](np.array(known))
    assert found == expected or (math.isnan(found) and not known)
