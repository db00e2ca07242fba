"""Subclasses of dict are the mappings they say they are, however they store it."""

from collections import Counter, OrderedDict, UserDict, defaultdict
from types import MappingProxyType

import pytest

import assay
from assay.data.qrels import as_dicts
from tables import for_each

QRELS = {"q1": {"d1": 1, "d2": 0, "d3": 2}, "q2": {"d4": 1}}
RUN = {"q1": {"d9": 3.0, "d3": 2.0, "d1": 1.0}, "q2": {"d4": 1.0}}
NAMES = ["ap", "ndcg@10", "rr", "num_ret"]
EXPECTED = assay.evaluate(QRELS, RUN, NAMES).per_query()


class Shown(dict):
    """Shows something else than it stores."""

    def __init__(self, shown, stored):
        super().__init__(stored)
        self.shown = shown


class Items(Shown):
    def __init__(self, shown):
        super().__init__(shown, {"stored": -1.0})

    def items(self):
        return self.shown.items()


class Lookups(Shown):
    def __init__(self, shown):
        super().__init__(shown, dict.fromkeys(shown))

    def __getitem__(self, key):
        return self.shown[key]


class Iterated(Shown):
    def __init__(self, shown):
        super().__init__(shown, {**shown, "stored": 7.0})

    def keys(self):
        return self.shown.keys()


def reordered(entries):
    """An OrderedDict that stores its entries in another order."""
    result = OrderedDict(reversed(entries.items()))
    for key in entries:
        result.move_to_end(key)
    return result


KINDS = [Items, Lookups, Iterated, reordered]


@for_each("kind", KINDS)
@for_each("outer", [*KINDS, dict, MappingProxyType, UserDict])
def test_judgments_and_rankings_are_what_they_say(kind, outer):
    qrels = outer({query: kind(grades) for query, grades in QRELS.items()})
    run = outer({query: kind(scores) for query, scores in RUN.items()})
    assert assay.evaluate(qrels, run, NAMES).per_query() == EXPECTED
    assert assay.Qrels(qrels).to_dict() == QRELS
    assert assay.Run(run).to_dict() == RUN
    listed = assay.evaluate(list(map(kind, QRELS.values())), list(map(kind, RUN.values())), NAMES)
    assert list(listed.per_query().values()) == list(EXPECTED.values())


@for_each("convention", ["autorag", "ranx", "trec_eval_9", "ir_measures", "haystack"])
@for_each("kind", KINDS)
def test_conventions_that_look_at_each_query_see_the_same(convention, kind):
    expected = assay.evaluate(QRELS, RUN, "precision@2", convention=convention).per_query()
    qrels, run = (kind({query: kind(each) for query, each in data.items()}) for data in (QRELS, RUN))
    assert assay.evaluate(qrels, run, "precision@2", convention=convention).per_query() == expected


def test_order_breaks_ties_as_the_mapping_shows_it():
    ranking = OrderedDict(d1=1.0, x=1.0, y=1.0)
    assert assay.evaluate({"q1": ["d1"]}, {"q1": ranking}, "rr", ties="input")["rr"] == 1.0
    ranking.move_to_end("d1")
    assert assay.evaluate({"q1": ["d1"]}, {"q1": ranking}, "rr", ties="input")["rr"] == pytest.approx(1 / 3)
    assert list(assay.Run({"q1": ranking}).to_dict()["q1"]) == ["x", "y", "d1"]


def test_what_stores_what_it_shows_is_not_copied():
    for each in (RUN, Counter(a=1), defaultdict(float, a=1.0), {"q1": Counter(a=1)}, [RUN["q1"]], "a path"):
        assert as_dicts(each) is each


class Twice(dict):
    def items(self):
        return [("d1", 1.0), ("d1", 2.0)]


class Broken(dict):
    def items(self):
        raise KeyboardInterrupt


def test_a_key_that_is_shown_twice_is_an_error_and_what_a_mapping_raises_is_not_hidden():
    with pytest.raises(assay.errors.DataError, match="a Twice has the key 'd1' twice; keep one"):
        assay.evaluate(QRELS, {"q1": Twice()}, "ap")
    with pytest.raises(KeyboardInterrupt):
        assay.evaluate(QRELS, {"q1": Broken()}, "ap")
