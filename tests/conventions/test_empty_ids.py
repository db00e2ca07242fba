r"""The empty string as a document's id, where a tool takes it: in every form of data, and never under another name."""

import json
from contextlib import nullcontext

import ir_measures
import polars
import pytest
from ir_measures import Qrel, ScoredDoc

import assay
from tables import for_each

QUERIES = [f"q{number}" for number in range(12)]
QRELS = {query: {"": 1, "g": 1} for query in QUERIES}
FIRST = {query: {"": 2.0, "y": 1.5, "g": 1.0} for query in QUERIES}
LAST = {query: {"x": 2.0, "y": 1.5, "": 1.0} for query in QUERIES}
JUDGMENTS = [Qrel("q", "a", 1), Qrel("q", "", 1)]
RANKING = [ScoredDoc("q", "x", 3.0), ScoredDoc("q", "", 2.0), ScoredDoc("q", "a", 1.0)]
FORMS = {
    "polars": polars.DataFrame,
    "lazy": lambda rows: polars.DataFrame(rows).lazy(),
    "pandas": lambda rows: polars.DataFrame(rows).to_pandas(),
    "arrow": lambda rows: polars.DataFrame(rows).to_arrow(),
    "tuples": list,
}


def is_clean(text):
    return not any(mark in text for mark in ("\x00", "\\x00", "\\u0000", "empty id"))


@for_each("form", FORMS)
def test_frames(form):
    qrels, run = FORMS[form](JUDGMENTS), FORMS[form](RANKING)
    assert assay.evaluate(qrels, run, "mrr", convention="ranx")["mrr"] == 1 / 2
    with pytest.raises(assay.errors.FormatError, match="row 1: the column 'doc_id' is empty"):
        assay.evaluate(qrels, run, "rr")


def test_frames_with_named_columns():
    run = polars.DataFrame(RANKING).rename({"doc_id": "url"})
    evaluator = assay.Evaluator({"q": {"": 1}}, "mrr", convention="ranx")
    assert evaluator.evaluate(run, columns={"doc_id": "url"})["mrr"] == 1 / 2


def test_an_empty_query_id_is_an_error():
    qrels = polars.DataFrame([Qrel("", "a", 1)])
    with pytest.raises(assay.errors.FormatError, match="the column 'query_id' is empty"):
        assay.evaluate(qrels, {"q": {"a": 1.0}}, "mrr", convention="ranx")


def test_a_null_character_is_another_id():
    assert assay.evaluate({"q": {"": 1}}, {"q": {"\x00": 1.0}}, "hits", convention="ranx")["hits"] == 0
    qrels, run = {"q": {"": 1, "\x00": 1}}, {"q": {"": 1.0, "\x00": 2.0}}
    assert assay.evaluate(qrels, run, "hits", convention="ranx")["hits"] == 2
    recall = assay.evaluate(qrels, run, "DocumentRecallEvaluator(mode=multi_hit)", convention="haystack")
    assert recall.mean == {"DocumentRecallEvaluator(mode=multi_hit)": 1}


def test_in_long_ties():
    tied = {f"d{number}": 1.0 for number in range(20)}
    empty, named = (
        assay.evaluate({"q": {document: 1}}, {"q": {**tied, document: 1.0}}, "mrr", convention="ranx")["mrr"]
        for document in ("", "e")
    )
    assert empty == named > 0


UNMET = {query: {"x": 1.0} for query in QUERIES}
GIVEN = "the judgments have 'g', the run has ''"
SHOWN = [
    (QRELS, FIRST, nullcontext()),
    (QRELS, LAST, nullcontext()),
    (QRELS, UNMET, pytest.warns(assay.DataWarning, match="the judgments have '', 'g', the run has 'x'")),
    ({"q": {"g": 1}}, {"q": {"": 1.0}}, pytest.warns(assay.DataWarning, match=GIVEN)),
]


@for_each(("qrels", "run", "warned"), SHOWN)
def test_results_show_the_id_as_given(qrels, run, warned):
    with warned:
        result = assay.evaluate(qrels, run, "ndcg@10", convention="ranx")
    assert is_clean(f"{result} {result.notes} {result.to_json()} {result.to_html()}")


@for_each("texts", [{}, {"queries": {"q0": "which?"}, "corpus": {"x": "a text", "g": "gold"}}])
def test_gates_show_the_id_as_given(texts):
    report = assay.gate(QRELS, LAST, baseline=FIRST, max_drop={"ndcg@10": 0.01}, convention="ranx", **texts)
    assert not report.passed
    assert "'' (grade 1): rank 1 → 3" in str(report)
    assert is_clean(f"{report} {report.to_json()}")
    documents = json.loads(report.to_json())["checks"][0]["worst"][0]["documents"]
    assert "" in {each["document"] for each in documents}


def test_in_an_audit_each_tool_takes_it_or_not():
    audit = assay.audit({"q": {"": 1}}, {"q": {"x": 2.0, "": 1.0}}, "rr")
    values = {each["tool"]: each["value"] for each in audit.to_dict()["measures"]["rr"]["tools"]}
    assert values["ranx"] == 1 / 2
    assert values["assay"] is None
    assert "same as assay: trec_eval recip_rank, autorag retrieval_mrr\n" in str(audit)


HIGH = "'high' in the column 'score' is not a number"
WRONG = [
    (polars.DataFrame({"query_id": ["q"], "doc_id": ["a"], "score": ["high"]}), HIGH),
    (polars.DataFrame({"query_id": ["q"], "doc_id": [""], "score": ["high"]}), HIGH),
    (polars.DataFrame({"query_id": ["q"], "name": ["a"]}), "no column for"),
    (polars.Series(["a"]), "cannot be read|no column for"),
]


@for_each(("frame", "message"), WRONG)
def test_frames_that_cannot_be_read(frame, message):
    with pytest.raises(assay.errors.DataError, match=message):
        assay.evaluate({"q": {"a": 1}}, frame, "mrr", convention="ranx")


def test_the_providers_of_ir_measures():
    qrels, run = {"q": {"": 1, "a": 1}}, {"q": {"": 3.0, "a": 2.0, "x": 1.0}}
    expected = {"RR@5": 1, "Accuracy": 1, "RBP(rel=1,p=0.5)": 1 / 4, "SDCG(max_rel=1)@1": 0, "BPM(max_rel=1)@2": 1 / 2}
    measures = [ir_measures.parse_measure(name) for name in expected]
    theirs = [ir_measures.calc_aggregate([measure], qrels, run)[measure] for measure in measures]
    assert theirs == pytest.approx(list(expected.values()))
    result = assay.evaluate(qrels, run, list(expected), convention="ir_measures")
    assert result.mean == pytest.approx(expected)
