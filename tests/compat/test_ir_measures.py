"""`assay.compat.ir_measures`: what its users call, and the same numbers."""

import subprocess
import sys

import ir_measures as theirs
import pandas
import pytest
from hypothesis import given, settings

import assay
from assay.compat import ir_measures as ours
from assay.compat.ir_measures import AP, RBP, RR, Accuracy, AssayProvider, NumQ, NumRel, P, nDCG
from strategies import WHOLE_GRADES, collections, judgments, rankings
from tables import for_each

QRELS = {"q1": {"a": 1, "b": 0, "c": 2}, "q2": {"d": 1, "e": -1}, "q3": {"a": 1}}
RUN = {"q1": {"a": 1.0, "x": 1.0, "c": 0.5, "b": 0.2}, "q2": {"e": 1.0, "d": 0.9}}
MEASURES = [nDCG @ 10, AP(rel=2), RR, RR @ 10, P(rel=1, judged_only=True) @ 3, RBP(rel=1), NumQ, NumRel]
GRADED = judgments(WHOLE_GRADES, min_size=1).filter(lambda grades: max(grades.values()) >= 0)


def values(metrics):
    return {(metric.query_id, metric.measure): pytest.approx(metric.value, abs=1e-9) for metric in metrics}


def check_same(measures, qrels, run, theirs_of=None):
    """Checks that ir_measures computes the same, of other objects with the same data if they can be read only once."""
    expected, found = theirs.calc(measures, *(theirs_of or (qrels, run))), ours.calc(measures, qrels, run)
    assert values(found.per_query) == values(expected.per_query)
    assert found.aggregated == pytest.approx(expected.aggregated, abs=1e-5, nan_ok=True)


def test_the_same_numbers():
    check_same(MEASURES, QRELS, RUN)
    expected = theirs.calc(MEASURES, QRELS, RUN)
    assert ours.calc_aggregate(MEASURES, QRELS, RUN) == pytest.approx(expected.aggregated)
    assert values(ours.iter_calc(MEASURES, QRELS, RUN)) == values(expected.per_query)
    assert values(AssayProvider().iter_calc(MEASURES, QRELS, RUN)) == values(expected.per_query)


@settings(max_examples=settings.default.max_examples // 4)
@given(collection=collections(GRADED, rankings(min_size=1)))
def test_the_same_numbers_on_random_data(collection):
    measures = [nDCG @ 5, AP, RR, RR @ 2, RBP(rel=1), NumQ, NumRel, theirs.Judged @ 3, theirs.Bpref, theirs.Compat]
    check_same(measures, *collection)


def test_an_evaluator_serves_many_runs():
    evaluator = ours.evaluator([AP], QRELS)
    for _ in range(2):
        assert evaluator.calc_aggregate(RUN) == pytest.approx(theirs.calc_aggregate([AP], QRELS, RUN))
        assert evaluator.calc_aggregate({"q3": {"a": 1.0}}) == pytest.approx({AP: 1 / 3})


SUBTOPICS = "1 x a 1\n1 y b 1\n1 y a 1\n2 x b 0\n2 y c 1\n"
SCORED = "1 Q0 b 1 1.0 t\n1 Q0 a 2 0.5 t\n2 Q0 a 1 0.5 t\n2 Q0 c 2 0.4 t\n"
DIVERSITY = [ours.alpha_nDCG @ 2, ours.ERR_IA @ 1, ours.nNRBP, ours.StRecall @ 1, ours.AP_IA, ours.P_IA @ 3]


@for_each("measure", DIVERSITY)
@for_each("form", [iter, list, pandas.DataFrame])
def test_every_form_of_data(form, measure):
    def read():
        return form(list(ours.read_trec_qrels(SUBTOPICS))), form(list(ours.read_trec_run(SCORED)))

    check_same([measure], *read(), read())


def test_judgments_without_iterations():
    qrels = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["a", "b"], "relevance": [1, 0]})
    run = pandas.DataFrame({"query_id": ["1", "1"], "doc_id": ["b", "a"], "score": [2.0, 1.0]})
    assert ours.calc_aggregate([AP], qrels, run) == {AP: 0.5}


INF = float("inf")
INFINITE = {"q1": {"a": INF, "x": INF, "c": -INF, "b": 1e308}, "q2": {"e": 2.0, "d": -INF}, "q3": {"z": INF, "a": INF}}


def as_rows(run):
    return [theirs.ScoredDoc(query, *each) for query, ranking in run.items() for each in ranking.items()]


@for_each("form", [lambda run: run, as_rows, lambda run: pandas.DataFrame(as_rows(run))])
def test_infinite_scores(form):
    measures = [nDCG @ 2, AP, RR, RR @ 10, P @ 1, RBP(rel=1), theirs.Judged @ 1, theirs.Compat]
    check_same(measures, QRELS, form(INFINITE), (QRELS, INFINITE))


@for_each("form", [lambda run: run, as_rows])
@for_each(("score", "reason"), [(float("nan"), "finite"), ("high", "number")])
def test_scores_that_no_two_providers_rank_alike_are_an_error(form, score, reason):
    with pytest.raises(assay.errors.DataError, match=reason):
        ours.calc_aggregate([AP], QRELS, form({"q1": {"a": score, "b": INF}}))


NOTHING = [({}, RUN), (QRELS, {}), (QRELS, {"q9": {"a": 1.0}}), ([], RUN), (QRELS, [])]


@for_each(("qrels", "run"), NOTHING)
def test_nothing_to_measure(qrels, run):
    check_same([AP, NumQ], qrels, run)


# All measures of ir_measures but two whose missing values it has otherwise; see docs/conventions.md.
NAMES = """AP AP@2 BPM(max_rel=3)@2 Bpref Compat ERR@2 ERR_IA@2 nERR_IA@2 alpha_DCG@2 alpha_nDCG@2 NRBP AP_IA P_IA@2
    StRecall@2 INST(max_rel=3) INSQ(max_rel=3) infAP IPrec@0.5 Judged@2 nDCG nDCG@2 NERR8(max_rel=3)@2
    NERR9(max_rel=3)@2 NERR10(max_rel=3) NERR11(max_rel=3) NumQ NumRel NumRet NumRet(rel=1) P@2 R@2 RBP(rel=1) Rprec
    RR RR@2 SDCG(max_rel=3)@2 SetP SetP(relative=True) SetR SetF SetAP Success@2"""
ALL = [theirs.parse_measure(name) for name in NAMES.split()]
FEW_QUERIES = {"1": {"a": 1, "b": 0}, "2": {"a": 1, "c": 2}, "3": {"a": 0}}
LACKING = [{"1": {"a": 1.0, "b": 2.0}}, {"2": {"x": 1.0}, "9": {"a": 1.0}}, {"3": {"a": 1.0}, "1": {"b": 1.0}}]


def test_all_measures_are_there():
    known = {each.NAME for each in theirs.measures.registry.values()}
    assert known - {each.NAME for each in ALL} == {"Accuracy", "nNRBP"}


@for_each("measures", [*([each] for each in ALL), [NumQ, NumRel]])
def test_queries_that_the_run_lacks(measures):
    for run in LACKING:
        for also in ([], [NumQ], [NumRel]):
            check_same([*measures, *also], FEW_QUERIES, run)


def test_accuracy_is_left_out_where_it_has_no_value_and_empty_ids_count():
    found = [each.query_id for each in ours.iter_calc([Accuracy, AP], QRELS, RUN) if each.measure == Accuracy]
    assert found == ["q1", "q2"]
    assert list(ours.iter_calc([Accuracy], QRELS, {"q9": {"a": 1.0}})) == []
    qrels, run = {"q1": {}, "q2": {"": 1, "a": 1}}, {"q1": {"a": 1.0}, "q2": {"": 1.0, "b": 2.0}}
    for measure in (theirs.AP, theirs.RR @ 5, theirs.NumQ):
        assert ours.calc_aggregate([measure], qrels, run) == theirs.calc_aggregate([measure], qrels, run)


def test_measures_of_the_user_go_to_ir_measures():
    @ours.define_byquery
    def half(qrels, run):
        return 0.5 if len(qrels) and len(run) else 0.0

    aggregated = ours.calc_aggregate([half, AP], QRELS, RUN)
    assert aggregated[half] == pytest.approx(1 / 3)
    assert aggregated[AP] == pytest.approx(theirs.calc_aggregate([AP], QRELS, RUN)[AP])
    assert not AssayProvider().supports(half)


def test_everything_else_is_that_of_ir_measures():
    assert ours.parse_measure is theirs.parse_measure
    assert ours.Qrel is theirs.Qrel
    assert {"calc", "AssayProvider", "nDCG", "read_trec_run"} <= set(dir(ours))
    assert theirs.providers.registry["assay"] is ours.assay
    with pytest.raises(AttributeError):
        ours.nothing_of_that_name  # noqa: B018


WITHOUT = """
import sys
sys.modules["ir_measures"] = None  # as if it were not installed
from assay.compat import ir_measures
assert "calc_aggregate" in dir(ir_measures)
try:
    from assay.compat.ir_measures import nDCG
except ImportError as error:
    print(error)
import assay
print(assay.evaluate({"q": {"a": 1}}, {"q": {"a": 1.0}}, ["nDCG@10", "AP(rel=2)"], convention="ir_measures").mean)
"""


def test_without_the_package_it_says_what_to_install():
    run = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=True)  # noqa: S603 - this test's own text
    message, values = run.stdout.splitlines()
    assert "run pip install ir-measures" in message
    assert 'assay.evaluate(qrels, run, ["nDCG@10"], convention="ir_measures") gives the same numbers' in message
    assert values == "{'nDCG@10': 1.0, 'AP(rel=2)': 0.0}"
