"""Overlap of tokens between retrieved passages and gold ones, against a literal form of AutoRAG's and hand-worked values."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.measures import TABLE, parse
from assay.measures.answers.overlap import Contents
from oracle.obvious_answers import best_overlap
from tables import for_each

NAMES = ("retrieval_token_f1", "retrieval_token_precision", "retrieval_token_recall")
BUILT_IN = [each for each in TABLE.values() if each.of == "contents"]


def literal(gold, retrieved):
    """F1, precision and recall of each retrieved passage against its best gold one, and the mean.

    A blank text leaves AutoRAG without a value.
    """
    if not all(text.strip() for text in [*gold, *retrieved]):
        return [np.nan] * 3
    # As in HotpotQA, texts without words have nothing in common.
    best = [best_overlap(gold, passage, "squad", yes_no=True) for passage in retrieved]
    return np.mean(best, axis=0)[[2, 0, 1]]


def test_there_are_three():
    assert tuple(each.name for each in BUILT_IN) == NAMES


WORDS = st.lists(st.sampled_from(["a", "the", "tower", "Tower!", "Paris", "1889", "...", ""]), max_size=6).map(" ".join)
TEXTS = st.lists(WORDS, min_size=1, max_size=4)


@given(TEXTS, TEXTS)
def test_they_are_what_autorag_computes(gold, retrieved):
    result = assay.evaluate_rag([{"gold_texts": gold, "retrieved_texts": retrieved}], NAMES)
    assert [result[name] for name in NAMES] == pytest.approx(literal(gold, retrieved), abs=1e-12, nan_ok=True)


@for_each(
    "gold, retrieved, expected",
    [(["x y", "z"], ["z", "x"], ((1 + 2 / 3) / 2, 1, 0.75)), (["the a"], ["an"], (0, 0, 0))],
)
def test_hand_worked(gold, retrieved, expected):
    contents = Contents(["q"], [tuple(gold)], [tuple(retrieved)])
    assert [parse(name)(contents)[0] for name in NAMES] == pytest.approx(expected)


@for_each(("gold", "retrieved"), [((), ("x",)), (("x",), ()), ((), ()), (("",), ("x",)), (("x",), ("x", " "))])
def test_without_texts_there_is_no_value(gold, retrieved):
    assert np.isnan(parse("retrieval_token_f1")(Contents(["q"], [gold], [retrieved]))).all()


@for_each("definition", BUILT_IN)
def test_example_computes_to_its_value(definition):
    measure, gold, retrieved, value, working = definition.example
    assert parse(measure)(Contents(["q"], [tuple(gold)], [tuple(retrieved)]))[0] == pytest.approx(value)
    assert working


def test_groups_of_gold_texts_are_taken_together():
    record = {"gold_texts": [["x y"], ["z"]], "retrieved_texts": ["z"]}
    assert assay.evaluate_rag([record], "retrieval_token_recall")["retrieval_token_recall"] == 1


@for_each("call", [assay.evaluate, assay.evaluate_answers])
def test_other_calls_say_where_they_belong(call):
    with pytest.raises(assay.errors.MeasureError, match=r"is a measure of contents; use assay\.evaluate_rag"):
        call({"q": ["a"]}, {"q": ["a"]} if call is assay.evaluate else {"q": "a"}, ["retrieval_token_f1"])
