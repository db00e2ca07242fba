"""A plan is made of names alone, and is a value."""

import pickle

import pytest

from assay.core.errors import MeasureError, PolicyError
from assay.tasks.evaluate.plan import MOST_TOP, make_plan
from tables import for_each

NAMES = ["ndcg@10", "trec_eval:map", "ranx:mrr"]


def test_equal_plans_are_one_and_survive_a_pickle():
    plan = make_plan(NAMES, top=3, missing="skip")
    assert plan.groups
    for other in (make_plan(NAMES, top=3, missing="skip"), pickle.loads(pickle.dumps(plan))):  # noqa: S301 - our own
        assert (plan == other, hash(plan) == hash(other), plan.options == other.options) == (True, True, True)
    for other in (make_plan(NAMES, top=3), make_plan(NAMES[1:], top=3, missing="skip"), plan.only("ndcg@10")):
        assert plan != other


def test_measures_that_share_their_policies_are_one_group():
    plan = make_plan(["ndcg@10", "trec_eval:map", "ap", "ranx:mrr", "infap"])
    names = [list(group.measures) for group in plan.groups]
    assert names == [["ndcg@10", "ap", "infap"], ["trec_eval:map"], ["ranx:mrr"]]
    # Ranks under the first two are counted alike.
    assert [group.number for group in plan.groups] == [0, 0, 1]
    assert {name: tool.name for name, tool in plan.tools.items()}["ranx:mrr"] == "ranx"


@for_each(
    ("how", "error", "message"),
    [
        ({"measures": []}, MeasureError, "no measure to compute"),
        ({"measures": "answer_f1"}, MeasureError, "measure of answers"),
        ({"chunks": "once"}, PolicyError, "chunks has no effect"),
        *(({"top": top}, PolicyError, "top must be a whole number from 0") for top in (-1, 1.5, "3", MOST_TOP + 1)),
    ],
)
def test_what_cannot_be_planned_is_refused_without_data(how, error, message):
    with pytest.raises(error, match=message):
        make_plan(**how)
