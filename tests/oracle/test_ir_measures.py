"""Agreement with ir_measures and the tools behind it, measure by measure and option by option.

Each measure is given to ir_measures alone, as some of its providers mix up what they are asked together. pytrec_eval
crashes or loops on an empty ranking and on a query whose grades are all negative, so it is never given those.
"""

import contextlib
import io
import math
import shutil

import ir_measures
import polars
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import assay
from oracle.test_pytrec_eval import GRADED, has_judged
from strategies import DOCUMENTS, SCORES, WHOLE_GRADES, collections, judgments, rankings
from tables import for_each

PYTREC_EVAL = [
    *("AP", "MAP", "AP(rel=2)", "AP@3", "AP(rel=3)@1", "AP(judged_only=True)@4", "AP(judged_only=True,rel=2)"),
    *("P@1", "P@5", "Precision@20", "P(rel=2)@3", "P(judged_only=True)@2", "P(cutoff=4)"),
    *("R@1", "R@5", "Recall@20", "R(rel=2)@3", "R(judged_only=True)@2"),
    *("RR", "MRR", "RR(rel=2)", "RR(judged_only=True)"),
    *("Rprec", "RPrec(rel=2)", "Rprec(judged_only=True)", "Bpref", "BPref(rel=2)", "infAP", "infAP(rel=2)"),
    *("nDCG", "NDCG@1", "nDCG@5", "nDCG(judged_only=True)@5", "nDCG(dcg='log2')@3", "nDCG(judged_only=True)"),
    *("nDCG(gains={1:3,2:9})", "nDCG(gains={0:1,3:0})@5", "nDCG(gains={1:2,2:1,3:7})@2"),
    *("IPrec@0.0", "IPrec@0.1", "IPrec@0.33", "IPrec(rel=2)@0.5", "IPrec(judged_only=True)@1.0"),
    *("SetP", "SetP(rel=2)", "SetP(judged_only=True)", "SetRelP", "SetP(relative=True,rel=2)", "SetR", "SetR(rel=2)"),
    *("SetRelP(judged_only=True)", "SetF", "SetF(rel=2)", "SetF(beta=0.5)", "SetF(beta=2.0,judged_only=True)"),
    *("SetAP", "SetAP(rel=2)", "SetAP(judged_only=True)", "Success@1", "Success(rel=2)@3"),
    *("Success(judged_only=True)@1", "NumQ", "NumRel", "NumRet", "NumRelRet", "NumRet(rel=2)"),
]
CWL_EVAL = [
    *("RBP(rel=1)", "RBP(rel=2,p=0.5)", "RBP(rel=1,p=0.999)", "BPM(max_rel=3)@1", "BPM(max_rel=3)@5"),
    *("BPM(max_rel=2,T=0.4)@20", "BPM(min_rel=1,max_rel=2,T=3.0)@4", "BPM(max_rel=3)@1000"),
    *("SDCG(max_rel=3)@1", "SDCG(max_rel=2)@5", "SDCG(min_rel=1,max_rel=3,dcg='log2')@20"),
    *("NERR8(max_rel=3)@1", "NERR8(max_rel=1)@4", "NERR8(min_rel=-2,max_rel=3)@20"),
    *("NERR9(max_rel=3)@1", "NERR9(max_rel=2)@20", "NERR9(min_rel=1,max_rel=3)@5"),
    *("NERR10(max_rel=3)", "NERR10(max_rel=2,p=0.5)", "NERR10(min_rel=1,max_rel=2)"),
    *("NERR11(max_rel=3)", "NERR11(max_rel=2,T=0.5)", "NERR11(min_rel=1,max_rel=2,T=3.0)"),
    *("INST(max_rel=3)", "INST(max_rel=1,T=0.25)", "INST(min_rel=1,max_rel=3,T=3.0)"),
    *("INSQ(max_rel=3)", "INSQ(max_rel=1,T=0.25)", "INSQ(min_rel=-1,max_rel=3,T=3.0)"),
]
IN_PYTHON = [
    *("Judged", "Judged@1", "Judged@4", "Judged@30", "RR@1", "MRR@3", "RR(rel=2)@20", "RR(rel=-1)@2"),
    *("Compat", "Compat(p=0.5)", "Compat(normalize=False)", "Compat(p=0.99,normalize=False)"),
]
PYNDEVAL = [
    *("ERR_IA@1", "ERR_IA@2", "ERR_IA(rel=2)@20", "nERR_IA@1", "nERR_IA@3", "nERR_IA(rel=2)@20"),
    *("alpha_DCG@1", "α_DCG@5", "alpha_DCG(alpha=0.0)@4", "alpha_DCG(alpha=1.0,rel=2)@20", "alpha_DCG(alpha=0.3)@3"),
    *("alpha_nDCG@1", "α_nDCG@5", "alpha_nDCG(alpha=0.0)@4", "alpha_nDCG(alpha=1.0)@20", "alpha_nDCG(alpha=0.3)@3"),
    *("NRBP", "NRBP(alpha=0.3,beta=0.8)", "NRBP(rel=2)", "nNRBP", "nNRBP(alpha=0.3,beta=0.8)", "nNRBP(rel=-1)"),
    *("AP_IA", "MAP_IA(rel=2)", "P_IA@1", "P_IA@7", "P_IA(rel=2)@20", "StRecall@1", "StRecall@3", "StRecall(rel=2)@20"),
]
GDEVAL = ["nDCG(dcg='exp-log2')@1", "nDCG(dcg='exp-log2')@5", "NDCG(dcg='exp-log2')@20", "ERR@1", "ERR@5", "ERR@20"]

# A part in 2^40 is lost where scores are compared in 32 bits.
FINE = st.tuples(SCORES, st.sampled_from([0, 0, 2**-40])).map(sum)
SAFE = collections(GRADED, rankings(FINE, min_size=1))
few = settings(max_examples=settings.default.max_examples // 4)


def some_of(names):
    return st.lists(st.sampled_from(names), min_size=4, max_size=8, unique=True)


def peer(name, qrels, run):
    """What ir_measures says of each query, and of all."""
    # Its own parser takes no negative numbers.
    measure = eval(name, dict(ir_measures.measures.registry))  # noqa: S307 - the names of this file
    # pyndeval's provider warns of judgments without subtopics on stderr.
    with contextlib.redirect_stderr(io.StringIO()):
        aggregated, metrics = ir_measures.calc([measure], qrels, run)
    return aggregated[measure], {metric.query_id: metric.value for metric in metrics}


def check(names, qrels, run, judged=None, places=1e-9):
    """Every query and the mean of every measure; a query that ir_measures does not report has no value."""
    result = assay.evaluate(qrels if judged is None else judged, run, names, convention="ir_measures")
    scores = result.per_query()
    for name in names:
        mean, expected = peer(name, qrels, run)
        for query, values in scores.items():
            # Only queries of the run are counted there.
            is_left_out = query not in expected or (name in ("NumQ", "NumRel") and query not in run)
            value = math.nan if is_left_out else expected[query]
            assert values[name] == pytest.approx(value, abs=places, nan_ok=True), (name, query)
        assert result[name] == pytest.approx(mean, abs=places, nan_ok=True), name


@given(collection=SAFE.filter(has_judged), names=some_of(PYTREC_EVAL))
def test_agrees_on_measures_of_pytrec_eval(collection, names):
    check(names, *collection)


JUDGED = judgments(WHOLE_GRADES, min_size=1)


@few
@given(collection=collections(JUDGED, rankings(FINE)), names=some_of(CWL_EVAL))
def test_agrees_on_measures_of_cwl_eval(collection, names):
    check(names, *collection)


@given(collection=collections(JUDGED, rankings(FINE, min_size=1)), names=some_of(IN_PYTHON))
def test_agrees_on_measures_of_its_own(collection, names):
    check(names, *collection)


ACCURACY = ["Accuracy", "Accuracy@3", "Accuracy(rel=2)", "Accuracy(rel=2)@6"]


@given(collection=collections(JUDGED, rankings(FINE)), name=st.sampled_from(ACCURACY))
def test_agrees_on_accuracy(collection, name):
    # One query at a time, as one that has only relevant documents makes it divide by zero.
    qrels, run = collection
    result = assay.evaluate(qrels, run, name, convention="ir_measures")
    for query, values in result.per_query().items():
        try:
            _, expected = peer(name, {query: qrels[query]}, {query: run.get(query, {})})
        except ZeroDivisionError:
            expected = {}
        assert values[name] == pytest.approx(expected.get(query, math.nan), abs=1e-9, nan_ok=True)


@st.composite
def subtopic_judgments(draw):
    """Rows of judgments of a few queries, each document for some subtopics."""
    queries = draw(st.lists(st.sampled_from(["q1", "q2", "3"]), min_size=1, unique=True))
    keys = st.tuples(st.sampled_from(DOCUMENTS), st.sampled_from(["1", "2", "10", "x"]))
    rows = []
    for query in queries:
        grades = draw(st.dictionaries(keys, WHOLE_GRADES, min_size=1, max_size=16))
        rows += [ir_measures.Qrel(query, document, grade, topic) for (document, topic), grade in grades.items()]
    return rows


def grouped(rows):
    """Judgments with subtopics as assay has them."""
    frame = polars.DataFrame([row._asdict() for row in rows], infer_schema_length=None)
    return assay.Qrels(frame, columns={"group": "iteration"})


@given(
    rows=subtopic_judgments(),
    run=st.dictionaries(st.sampled_from(["q1", "q2", "3", "q4"]), rankings(FINE, min_size=1), min_size=1),
    names=some_of(PYNDEVAL),
)
def test_agrees_on_measures_of_pyndeval(rows, run, names):
    queries = {row.query_id for row in rows}
    run = {rows[0].query_id: {"other": 1.0}, **run}
    relevant = {row.query_id for row in rows if row.relevance >= 1}
    # It divides zero by zero where nothing is relevant.
    names = [name for name in names if "nNRBP" not in name or relevant == queries]
    assume(names)
    scored = [ir_measures.ScoredDoc(query, *row) for query, ranking in run.items() for row in ranking.items()]
    result = assay.evaluate(grouped(rows), run, names, convention="ir_measures").per_query()
    for name in names:
        mean, expected = peer(name, rows, scored)
        assert expected.keys() == result.keys()
        for query, value in expected.items():
            assert result[query][name] == pytest.approx(value, abs=1e-9), (name, query)
        assert mean == pytest.approx(sum(expected.values()) / len(expected), abs=1e-12)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
@settings(max_examples=settings.default.max_examples // 10)
@given(
    qrels=st.dictionaries(st.sampled_from(["1", "2", "30"]), judgments(st.integers(-2, 4), min_size=1), min_size=1),
    run=st.dictionaries(st.sampled_from(["1", "2", "30", "4"]), rankings(FINE, min_size=1), min_size=1),
    names=st.lists(st.sampled_from(GDEVAL), min_size=2, max_size=2, unique=True),
)
def test_agrees_on_measures_of_gdeval(qrels, run, names):
    # It prints five decimals.
    run = run if qrels.keys() & run.keys() else {**run, next(iter(qrels)): {"a": 1.0}}
    check(names, qrels, run, places=5.1e-6)


ENDINGS = ["", "@5", "(rel=1)", "(rel=1)@5", "(max_rel=3)", "(max_rel=3)@5", "(judged_only=True)@5"]
# What assay can compute and ir_measures cannot: diversity of judged documents alone.
BEYOND = {f"{name}(judged_only=True)@5" for name in ("ERR_IA", "nERR_IA", "alpha_DCG", "α_DCG", "alpha_nDCG", "P_IA")}
BEYOND.add("α_nDCG(judged_only=True)@5")


def is_computed(name):
    """Whether ir_measures computes it."""
    qrels, run = [ir_measures.Qrel("1", "a", 1, "1")], {"1": {"x": 2.0, "a": 1.0}}
    try:
        with contextlib.redirect_stderr(io.StringIO()):
            ir_measures.calc_aggregate([ir_measures.parse_measure(name)], qrels, run)
    except (ValueError, KeyError, TypeError, NameError, AssertionError, RuntimeError):
        return False
    return True


@pytest.mark.parametrize("name", list(ir_measures.measures.registry))
@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a perl script")
def test_refuses_what_it_refuses(name):
    names = [name + ending for ending in ENDINGS]
    known = []
    for each in names:
        with contextlib.suppress(assay.errors.MeasureError):
            assay.parse_measure(f"ir_measures:{each}")
            known.append(each)
    assert set(known) - BEYOND == {each for each in names if is_computed(each)}


UNJUDGED = ["RR@5", "RBP(rel=1)", "AP_IA", "NumQ", "NumRet", "NumRel", "ERR_IA@5", "NRBP", "INST(max_rel=1)"]
UNJUDGED += ["StRecall@5"]
COUNTED = ["AP", "RR", "P@1", "nDCG@5", "Judged@1", "Compat", "NumRelRet", "Bpref", "Rprec", "SetF", "IPrec@0.1"]


@for_each("name", [*UNJUDGED, *COUNTED])
def test_agrees_on_a_query_whose_judgments_are_empty(name):
    qrels, run = {"q1": {}, "q2": {"d1": 1}}, {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}}
    mean, expected = peer(name, qrels, run)
    result = assay.evaluate(qrels, run, name, convention="ir_measures")
    assert result[name] == pytest.approx(mean, abs=1e-9)
    assert set(result.queries) == ({"q2"} if name in UNJUDGED else {"q1", "q2"})
    assert expected["q2"] == pytest.approx(result.per_query()["q2"][name], abs=1e-9)
