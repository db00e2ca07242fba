"""LlamaIndex: the edge cases of its source, then its formulas once more on random lists."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from tables import for_each

MEASURES = [
    "hit_rate",
    "hit_rate(use_granular_hit_rate=True)",
    "mrr",
    "mrr(use_granular_mrr=True)",
    "precision",
    "recall",
    "ap",
    "ndcg",
]

# Expected ids, retrieved ids, and what the measures say.
EDGES = [
    ("abc", "axby", (1, 2 / 3, 1, 2 / 3, 0.5, 2 / 3, 5 / 9, 0.7039180890341347)),
    ("a", "aa", (1, 2, 1, 0.75, 1, 1, 2, 1.6309297535714573)),
    ("aa", "a", (1, 0.5, 1, 1, 1, 1, 1, 0.6131471927654584)),
    ("abcd", "ab", (1, 0.5, 1, 0.75, 1, 0.5, 0.5, 0.6366824387328317)),
    ("a", "xy", (0, 0, 0, 0, 0, 0, 0, 0)),
]


@for_each(("expected_ids", "retrieved_ids", "expected"), EDGES)
def test_edges(expected_ids, retrieved_ids, expected):
    result = assay.evaluate({"q": list(expected_ids)}, {"q": list(retrieved_ids)}, MEASURES, convention="llama_index")
    assert [result[name] for name in MEASURES] == pytest.approx(list(expected), rel=1e-14)


@for_each(("expected_ids", "retrieved_ids"), [(["a"], []), ([], ["a"]), (["a"], None), (None, ["a"])])
def test_where_it_raises_the_query_is_left_out(expected_ids, retrieved_ids):
    qrels, run = {"good": ["a"], "bad": expected_ids}, {"good": ["a"], "bad": retrieved_ids}
    result = assay.evaluate(qrels, run, MEASURES, convention="llama_index")
    assert all(math.isnan(result.per_query()["bad"][name]) for name in MEASURES)
    assert [result[name] for name in MEASURES] == [1] * len(MEASURES)
    assert [note for note in result.notes if str(note).endswith("left out of the mean: 'bad'")]


OPTIONS = [
    ("hit_rate(use_granular_hit_rate=False)", "hit_rate"),
    ("hit_rate(use_granular_hit_rate=true)", "recall(total=listed)"),
    ("mrr(use_granular_mrr=false)", "rr"),
    ("mrr(use_granular_mrr=True)", "rr(credit=found)"),
    ("ndcg(mode=linear)", "ndcg(gain=binary,rel=1,ideal=listed)"),
    ("ndcg(mode='exponential')", "ndcg(gain=binary,rel=1,ideal=listed)"),
]


@for_each(("name", "measure"), OPTIONS)
def test_options(name, measure):
    result = assay.evaluate({"q": ["a"]}, {"q": ["a"]}, name, convention="llama_index")
    assert [str(each) for each in result.measures.values()] == [measure]


WRONG = [
    ("hit_rate(use_granular_hit_rate=yes)", "use_granular_hit_rate must be True or true or False or false, not 'yes'"),
    ("mrr(granular=True)", "llama_index has no option 'granular' here; it has use_granular_mrr"),
    ("hit_rate@5", "'hit_rate@5': hit_rate takes no cutoff; leave it out"),
]


@for_each(("name", "message"), WRONG)
def test_wrong_options(name, message):
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.evaluate({"q": ["a"]}, {"q": ["a"]}, name, convention="llama_index")
    assert message in str(caught.value)


def test_grades_are_relevant_or_not():
    result = assay.evaluate(
        {"q": {"a": 3, "b": 1, "c": 0}}, {"q": ["c", "b"]}, ["ndcg", "ap"], convention="llama_index"
    )
    assert result["ndcg"] == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert result["ap"] == 1 / 4


def hits(expected, retrieved):
    return [place for place, each in enumerate(retrieved, start=1) if each in expected]


def average_precision(expected, retrieved):
    total, found = 0, 0
    for rank, each in enumerate(retrieved, start=1):
        if each in expected:
            found += 1
            total += found / rank
    return total / len(set(expected))


def ndcg(expected, retrieved):
    gained = sum(1 / math.log2(rank + 1) for rank in hits(expected, retrieved))
    return gained / sum(1 / math.log2(rank + 1) for rank in range(1, len(expected) + 1))


FORMULAS = [
    lambda expected, retrieved: 1 if hits(expected, retrieved) else 0,
    lambda expected, retrieved: len(hits(expected, retrieved)) / len(expected),
    lambda expected, retrieved: max((1 / rank for rank in hits(expected, retrieved)), default=0),
    lambda expected, retrieved: (
        sum(1 / rank for rank in hits(expected, retrieved)) / (len(hits(expected, retrieved)) or 1)
    ),
    lambda expected, retrieved: len(set(expected) & set(retrieved)) / len(set(retrieved)),
    lambda expected, retrieved: len(set(expected) & set(retrieved)) / len(set(expected)),
    average_precision,
    ndcg,
]
LISTS = st.none() | st.lists(st.sampled_from("abcdef"), max_size=8)


@given(queries=st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=4))
def test_agrees_with_the_formulas(queries):
    result = assay.evaluate(
        [each for each, _ in queries], [each for _, each in queries], MEASURES, convention="llama_index"
    )
    for name, formula in zip(MEASURES, FORMULAS, strict=True):
        values = [formula(*query) if all(query) else math.nan for query in queries]
        np.testing.assert_allclose(result.scores[name], values, rtol=1e-9, err_msg=name)
        scored = [value for value in values if not math.isnan(value)]
        assert result[name] == pytest.approx(sum(scored) / len(scored) if scored else math.nan, rel=1e-9, nan_ok=True)


@for_each(
    ("expected", "retrieved", "values"),
    [
        (["a", ""], ["a"], {"recall": 0.5, "precision": 1, "hit_rate": 1, "mrr": 1, "ap": 0.5}),
        (["a"], ["", "a"], {"recall": 1, "precision": 0.5, "hit_rate": 1, "mrr": 0.5, "ap": 0.5}),
        ([""], [""], {"recall": 1, "precision": 1, "hit_rate": 1, "mrr": 1, "ap": 1}),
    ],
)
def test_the_empty_string_is_an_id(expected, retrieved, values):
    assert assay.evaluate([expected], [retrieved], list(values), convention="llama_index").mean == values
