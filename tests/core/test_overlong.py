"""Overlong numbers in names of measures and in options are refused with a sentence that names them."""

import pytest

import assay
from tables import for_each

QRELS, RUN = {"q1": ["a"], "q2": ["b"]}, {"q1": ["a"], "q2": ["x", "b"]}
LONG = "1" * 500
STARTS = ["ndcg@", "P_", "P.", "map_cut_", "ndcg_cut.", "iprec@", "iprec_at_recall_", "set_F."]
STARTS += ["trec_eval:ndcg_cut_", "ranx:ndcg@", "ir_measures:nDCG@", "beir:NDCG@"]
NAMES = [start + LONG for start in STARTS]
NAMES += [name.format(LONG) for name in ("ap(rel={})", "rbp(p={})", "ndcg(gain=1:{})", "ndcg(gain={}:1)", "f(beta={})")]
NAMES += ["ndcg@1e310", "ap(rel=1e400)", "P_1" + 308 * "0", "ndcg@" + 5000 * "9", f"mean_iprec(recalls=0.1;{LONG})"]
NUMBERS = [10**310, -(10**310), 10**5000]


@for_each("name", NAMES)
def test_names(name):
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.evaluate(QRELS, RUN, name)
    assert len(str(caught.value)) < 400


@for_each("number", NUMBERS)
@for_each(
    ("name", "parameter"), [("ndcg", "k"), ("rbp", "p"), ("ap", "rel"), ("ndcg", "gain"), ("mean_iprec", "recalls")]
)
def test_parameters(number, name, parameter):
    definition = assay.parse_measure(name).definition
    values = {"gain": {1: number}, "recalls": (0.1, number)}
    with pytest.raises(assay.errors.MeasureError, match=rf"{name}: {parameter} must be .*, not '.*(0000…|of digits)"):
        definition(**{parameter: values.get(parameter, number)})


@for_each("number", NUMBERS)
@for_each("option", ["rel", "depth", "threads", "alpha", "samples", "seed"])
def test_options(number, option):
    is_of_comparisons = option in ("alpha", "samples", "seed")
    act, runs = (assay.compare, {"one": RUN, "two": QRELS}) if is_of_comparisons else (assay.evaluate, RUN)
    with pytest.raises(assay.errors.PolicyError, match=f"{option} must be a "):
        act(QRELS, runs, "ap", **{option: number})


def test_the_largest_numbers_that_are_taken():
    assert assay.evaluate(QRELS, RUN, "ap", depth=10**300)["ap"] == 0.75
    said = "depth must be a whole number of at most 308 digits, or None, not"
    with pytest.raises(assay.errors.PolicyError, match=said):
        assay.evaluate(QRELS, RUN, "ap", depth=10**310)
    result = assay.evaluate(QRELS, RUN, "ap")
    assert result.interval("ap", seed=2**128 - 1).low <= 0.75
    with pytest.raises(assay.errors.PolicyError, match="seed must be a whole number of at most 40 digits, not '1000"):
        result.interval("ap", seed=10**40)
