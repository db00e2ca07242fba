"""Agreement with pytrec_eval, which is trec_eval 9 as a library, on every measure that both have.

It compares scores in 32 bits, so all scores here are exact in them. It crashes or loops on an empty ranking and on a
query whose grades are all negative, so it is never given those; assay's values for them are in a table at the end.
"""

import math
from functools import cache

import numpy as np
import pytest
import pytrec_eval
from hypothesis import example, given, settings
from hypothesis import strategies as st

import assay
from assay.measures import parse
from strategies import DOCUMENTS, WHOLE_GRADES, Collection, collections, judgments, rankings
from tables import for_each

CUTOFFS = (1, 2, 3, 5, 10, 100)
LEVELS = tuple(tenth / 10 for tenth in range(11))

# pytrec_eval's name, its name for the value, assay's measure
ALIKE = {"map": "ap", "gm_map": "gm_ap", "Rprec": "r_precision", "recip_rank": "rr", "infAP": "infap", "set_F": "f1"}
ALIKE |= {"set_P": "precision", "set_recall": "recall"}
ALIKE |= {name: name for name in ("bpref", "ndcg", "num_ret", "num_rel", "num_rel_ret")}
MEASURES = [
    *((theirs, theirs, ours) for theirs, ours in ALIKE.items()),
    *((f"P.{k}", f"P_{k}", f"precision@{k}") for k in CUTOFFS),
    *((f"recall.{k}", f"recall_{k}", f"recall@{k}") for k in CUTOFFS),
    *((f"success.{k}", f"success_{k}", f"hit_rate@{k}") for k in CUTOFFS),
    *((f"map_cut.{k}", f"map_cut_{k}", f"ap@{k}") for k in CUTOFFS),
    *((f"ndcg_cut.{k}", f"ndcg_cut_{k}", f"ndcg@{k}") for k in CUTOFFS),
    *((f"iprec_at_recall.{r:.2f}", f"iprec_at_recall_{r:.2f}", f"iprec(cut=v9)@{r:g}") for r in LEVELS),
]
THEIRS = [name for name, _, _ in MEASURES]

# Spellings that both understand and give the same keys for. iprec_at_recall is not among them, as trec_eval 10 rounds
# otherwise; and the lists are separate because pytrec_eval drops a measure's own cutoffs once some are named.
SPELLINGS = [
    ["map", "gm_map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "set_P", "set_recall", "set_F"],
    ["num_ret", "num_rel", "num_rel_ret", "P", "recall", "success", "map_cut", "ndcg_cut"],
    ["P.3,7", "recall_2,4", "success.2", "map_cut_3", "ndcg_cut.1,3", "map"],
]

GRADED = judgments(WHOLE_GRADES, min_size=1).filter(lambda grades: max(grades.values()) >= 0)
SAFE = collections(GRADED, rankings(min_size=1))


@cache
def our_measures(rel=1):
    """Our measures by pytrec_eval's names; as objects, since a name like recall means several under its convention."""
    return {value: parse(name, rel) for _, value, name in MEASURES}


def peer_scores(collection, names, *, rel=1, judged_only=False):
    """What pytrec_eval says, by query and name."""
    qrels, run = collection
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, set(names), rel, judged_only)
    scores = evaluator.evaluate(run)
    for values in scores.values():
        if "gm_map" in values:
            # It gives the logarithm, of what is at least 0.00001.
            values["gm_map"] = math.exp(values["gm_map"])
    return scores


def check(result, expected, ours):
    """Every query and every measure that the peer has, to 1e-9."""
    assert set(result.queries) == set(expected)
    scores = result.per_query()
    for query, values in expected.items():
        for name, value in values.items():
            found = scores[query][str(ours.get(name, name))]
            found = max(found, 0.00001) if name == "gm_map" else found
            assert found == pytest.approx(value, abs=1e-9), (query, name)


def has_judged(collection):
    """Whether every query that both sides have keeps a document once the unjudged ones are gone."""
    qrels, run = collection
    both = qrels.keys() & run.keys()
    return all(any(qrels[query].get(document, -1) >= 0 for document in run[query]) for query in both)


@given(collection=SAFE, rel=st.sampled_from([1, 2, 3]))
@example(Collection({"q": {"a": 1}}, {"q": {"a": 1.0}}), 1)
@example(Collection({"q": {"a": 0, "b": -1}}, {"q": {"b": 0.5}}), 1)
@example(Collection({"q": {"a": 1, "b": 1, "c": 0}}, {"q": {"c": 1, "b": 1, "a": 1}}), 1)
def test_agrees(collection, rel):
    ours = our_measures(rel)
    for judged_only in (False, True) if has_judged(collection) else (False,):
        result = assay.evaluate(*collection, ours.values(), convention="trec_eval", rel=rel, judged_only=judged_only)
        check(result, peer_scores(collection, THEIRS, rel=rel, judged_only=judged_only), ours)


@pytest.mark.parametrize("names", SPELLINGS)
@settings(max_examples=settings.default.max_examples // 4)
@given(collection=SAFE, rel=st.sampled_from([1, 2, 3]))
def test_agrees_under_its_own_names(names, collection, rel):
    expected = peer_scores(collection, names, rel=rel)
    result = assay.evaluate(*collection, names, convention="trec_eval", rel=rel)
    theirs = next(iter(expected.values()))
    assert len(result) == len(theirs)
    check(result, expected, {name: result.key(name) for name in theirs})


@settings(max_examples=settings.default.max_examples // 2)
@given(collection=SAFE)
def test_agrees_on_the_means(collection):
    names = ["map", "gm_map", "bpref", "ndcg", "num_ret", "num_rel_ret"]
    scores = pytrec_eval.RelevanceEvaluator(collection.qrels, set(names)).evaluate(collection.run)
    result = assay.evaluate(*collection, names, convention="trec_eval")
    for name in names:
        values = [each[name] for each in scores.values()]
        assert result[name] == pytest.approx(pytrec_eval.compute_aggregated_measure(name, values), abs=1e-9), name


@settings(max_examples=settings.default.max_examples // 2)
@given(collection=SAFE, places=st.permutations(range(len(DOCUMENTS))))
def test_agrees_on_scores_that_differ_only_beyond_32_bits(collection, places):
    # A part in 2^40 is lost in 32 bits, so that documents tie there, and only there, as they do without it.
    beyond = dict(zip(DOCUMENTS, (place / 2**40 for place in places), strict=True))
    tied = {query: {document: value + 4 for document, value in each.items()} for query, each in collection.run.items()}
    run = {
        query: {document: value + beyond[document] for document, value in each.items()} for query, each in tied.items()
    }
    ours = our_measures()
    result = assay.evaluate(collection.qrels, run, ours.values(), convention="trec_eval", precision="float32")
    check(result, peer_scores((collection.qrels, run), THEIRS), ours)
    expected = assay.evaluate(collection.qrels, tied, ours.values(), convention="trec_eval")
    for measure in map(str, ours.values()):
        np.testing.assert_array_equal(result.scores[measure], expected.scores[measure], measure)


SHARES = ["map", "gm_map", "Rprec", "bpref", "recip_rank", "infAP", "ndcg", "ndcg_cut_5", "set_P", "P_5", "set_recall"]
SHARES += ["recall_5", "set_F", "success_5", "map_cut_5", "iprec@0", "iprec(cut=v9)@0", "iprec@1"]
NO_NUMBERS = [
    # An empty ranking.
    ({"a": 1, "b": 0}, {}, {"num_ret": 0, "num_rel": 1, "num_rel_ret": 0}),
    # Grades that are all negative: looked at, but not judged.
    ({"a": -1, "b": -2}, {"a": 2, "b": 1}, {"num_ret": 2, "num_rel": 0, "num_rel_ret": 0}),
    ({"a": -1}, {}, {"num_ret": 0, "num_rel": 0, "num_rel_ret": 0}),
    # No judgment at all.
    ({}, {"a": 1}, {"num_ret": 1, "num_rel": 0, "num_rel_ret": 0}),
]


@for_each(("grades", "ranking", "counts"), NO_NUMBERS)
def test_what_the_peer_cannot_be_given_scores_nothing(grades, ranking, counts):
    result = assay.evaluate({"q": grades}, {"q": ranking}, [*SHARES, *counts], convention="trec_eval")
    assert result.per_query() == {"q": dict.fromkeys(SHARES, 0) | counts}


def test_a_ranking_without_judged_documents_scores_nothing_on_judged_documents_alone():
    counts = {"num_ret": 0, "num_rel": 1, "num_rel_ret": 0}
    qrels, run = {"q": {"a": 1, "b": -1}}, {"q": {"b": 2, "c": 1}}
    result = assay.evaluate(qrels, run, [*SHARES, *counts], convention="trec_eval", judged_only=True)
    assert result.per_query() == {"q": dict.fromkeys(SHARES, 0) | counts}
