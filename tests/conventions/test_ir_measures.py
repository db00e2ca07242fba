"""The names of ir_measures: each has a measure, its options are read, and its objects are measures."""

import ir_measures
import pytest
from ir_measures import AP, RR, P, SetF, nDCG

import assay
from assay.conventions import find_convention, resolve
from tables import for_each

IR_MEASURES = find_convention("ir_measures")

BY_ID = "ties=docid_asc precision=float64"
MSMARCO = "ties=docid_asc precision=float64 no_relevant=skip_unjudged negative=nonrelevant"
NDEVAL = "ties=docid_asc precision=float64 duplicates=once no_relevant=skip_unjudged negative=nonrelevant"
AS_GIVEN = "ties=input precision=float64 duplicates=count no_relevant=skip_unjudged negative=nonrelevant"
# ir_measures' spelling, assay's, and the policies that differ from those of most measures.
SPELLINGS = [
    ("nDCG@10", "ndcg@10", ""),
    ("NDCG", "ndcg", ""),
    ("nDCG(dcg='log2')@10", "ndcg@10", ""),
    ('nDCG(dcg="exp-log2")@10', "ndcg(gain=exp2,max=4)@10", "precision=float64 duplicates=count"),
    ("nDCG(dcg='exp-log2')", "ndcg(gain=exp2)", "ties=input precision=float64"),
    ("nDCG(gains={1: 3, 2: 9})@5", "ndcg(gain=1:3;2:9)@5", ""),
    ("nDCG(gains={})@5", "ndcg@5", ""),
    ("AP(rel=2)@100", "ap(rel=2)@100", ""),
    ("AP(cutoff=100)", "ap@100", ""),
    ("AP(judged_only=True)", "ap", "judged_only=yes"),
    ("AP(judged_only=False)", "ap", ""),
    ("RR", "rr", ""),
    ("MRR(rel=2)", "rr(rel=2)", ""),
    ("MRR@10", "rr@10", MSMARCO),
    ("RR(rel=2,cutoff=10)", "rr(rel=2)@10", MSMARCO),
    ("P @ 5", "precision@5", ""),
    ("IPrec@0.1", "iprec(cut=v9)@0.1", ""),
    ("IPrec(recall=0.1)", "iprec(cut=v9)@0.1", ""),
    ("SetF(beta=0.5)", "f(beta=0.5,squared=true)", ""),
    ("SetRelP", "recall(cap=true)", ""),
    ("SetP(relative=True,rel=2)", "recall(rel=2,cap=true)", ""),
    ("SetRelP(relative=False)", "precision", ""),
    ("NumRet", "num_ret", "no_relevant=skip_unjudged"),
    ("NumRet(rel=2)", "num_rel_ret(rel=2)", ""),
    ("NumRelRet", "num_rel_ret", ""),
    ("NumQ", "num_q", "missing=skip no_relevant=skip_unjudged"),
    ("Accuracy@5", "auc(tied=rank)@5", AS_GIVEN),
    ("Compat(p=0.9)", "compatibility(p=0.9,limit=0,ideal=score)", BY_ID),
    ("Compat(normalize=False)", "compatibility(limit=0,ideal=score,normalize=false)", BY_ID),
    ("NRBP(alpha=0.3,beta=0.8)", "nrbp(alpha=0.3,p=0.8)", NDEVAL),
    ("INST(T=2.0,max_rel=3)", "inst(target=2,max=3)", f"{AS_GIVEN} exclude=empty_id"),
]


@for_each(("name", "measure", "differing"), SPELLINGS)
def test_spellings(name, measure, differing):
    [(key, chosen)] = resolve([name], IR_MEASURES, {}).items()
    assert key == name
    assert str(chosen.measure) == measure
    assert chosen.policies.differing(IR_MEASURES.policies) == differing


@for_each("name", list(ir_measures.measures.registry))
def test_every_name_with_every_option_it_has(name):
    measure = ir_measures.measures.registry[name]
    entries = [each for key, each in IR_MEASURES.names.items() if key == name or key.startswith(f"{name}(")]
    known = {option for entry in entries for option in entry.options} | {"cutoff", "recall", "dcg", "relative"}
    assert set(measure.SUPPORTED_PARAMS) - known <= ({"rel"} if name == "NumRet" else set())


QRELS = {"q": {"a": 1, "c": 1}}
RUN = {"q": {"b": 1.0, "a": 1.0, "x": 0.5}}


def test_its_objects_are_measures_under_the_policies_of_the_evaluation():
    measures = [nDCG @ 10, AP(rel=1) @ 100, RR @ 10, SetF(beta=0.5), P(judged_only=True) @ 1]
    result = assay.evaluate(QRELS, RUN, measures)
    assert list(result) == ["nDCG@10", "AP@100", "RR@10", "SetF(beta=0.5)", "P(judged_only=True)@1"]
    # Ties go from high to low ids, which RR at a cutoff does not do in ir_measures.
    assert result["RR@10"] == 1 / 2
    assert result["SetF(beta=0.5)"] == pytest.approx(1.5 * (1 / 6) / (0.5 / 3 + 1 / 2))
    assert result["P(judged_only=True)@1"] == 1
    assert str(result.measures["SetF(beta=0.5)"]) == "f(beta=0.5,squared=true)"
    assert assay.evaluate(QRELS, RUN, AP)[AP] == assay.evaluate(QRELS, RUN, AP)["AP"] == 1 / 4
    # The objects mean the same under every convention.
    assert str(assay.evaluate(QRELS, RUN, SetF, convention="trec_eval").measures["SetF"]) == "f(squared=true)"


def test_its_objects_and_names_under_its_convention_have_its_ties():
    assert assay.evaluate(QRELS, RUN, [RR, RR @ 10], convention="ir_measures").mean == {"RR": 1 / 2, "RR@10": 1}
    named = assay.evaluate(QRELS, RUN, ["ir_measures:RR", "ir_measures:RR@10"])
    assert named.mean == {"ir_measures:RR": 1 / 2, "ir_measures:RR@10": 1}


def test_a_policy_that_the_user_sets_holds_for_all():
    result = assay.evaluate(QRELS, RUN, [RR, RR @ 10], convention="ir_measures", ties="docid_desc")
    assert result.mean == {"RR": 1 / 2, "RR@10": 1 / 2}


DEFECTS = [
    # Every retrieved document is relevant.
    ("Accuracy", {"a": 1}, {"a": 1.0}, "nan"),
    # Its ideal is 0, and it divides by it.
    ("nNRBP", {"a": 0}, {"a": 1.0}, "0.0"),
    # A cutoff above 20, and only judged documents.
    ("alpha_nDCG@100", {"a": 1}, {"a": 1.0}, "1.0"),
    ("ERR_IA(judged_only=True)@1", {"a": 1}, {"x": 2.0, "a": 1.0}, "1.0"),
    # A grade above 4.
    ("ERR@5", {"a": 5}, {"a": 1.0}, "nan"),
    ("nDCG(dcg='exp-log2')@5", {"a": 5}, {"a": 1.0}, "nan"),
]


@for_each(("name", "grades", "ranking", "expected"), DEFECTS)
def test_where_it_fails(name, grades, ranking, expected):
    result = assay.evaluate({"q": grades}, {"q": ranking}, name, convention="ir_measures")
    assert str(float(result.scores[name][0])) == expected
