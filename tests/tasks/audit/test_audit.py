"""The audit: every tool's number, and what each choice is worth."""

import io
import json
import re

import ir_measures
import numpy as np
import pytest

import assay
from assay.conventions import CONVENTIONS
from assay.core.judged import Hits, Judged
from assay.core.policies import CHOICES, Policies, policy_sentence
from assay.engine.ranking import rerank_ties
from assay.render import render
from assay.tasks.audit.readings import find_readings

QRELS = {"q1": {"a": 1, "b": 1, "c": 2, "x": 0}, "q2": {"d": 1}, "q3": {"e": 0}}
RUN = {"q1": {"a": 3.0, "x": 2.0, "b": 2.0, "z": 1.0}, "q3": {"e": 1.0}}
MEASURES = ["map", "ap@2", "ndcg@10", "ndcg", "rr", "rr@10", "recall@100", "precision@3", "hit_rate@1", "bpref"]
# What a tool cannot start from, because there its name stands for several measures or takes no cutoff, or it has none.
NO_STARTS = {("map", "mteb"), ("ndcg", "mteb"), ("rr", "mteb"), ("bpref", "mteb")}
NO_STARTS |= {(each, "beir") for each in ("map", "ndcg", "rr", "bpref")}
NO_STARTS |= {(each, "autorag") for each in ("hit_rate@1", "bpref")}
NO_STARTS |= {(each, "llama_index") for each in ("ap@2", "ndcg@10", "recall@100", "precision@3", "hit_rate@1", "bpref")}
NO_STARTS |= {(each, "haystack") for each in ("precision@3", "bpref")}
NO_STARTS |= {(each, "ragas") for each in ("ndcg@10", "ndcg", "rr", "rr@10", "hit_rate@1", "bpref")}
NO_STARTS |= {(each, "gdeval") for each in MEASURES if not each.startswith("ndcg")}
NO_STARTS |= {(each, "sklearn") for each in ("rr", "rr@10", "recall@100", "precision@3", "hit_rate@1", "bpref")}
STARTS = [(measure, start) for measure in MEASURES for start in CONVENTIONS if (measure, start) not in NO_STARTS]


@pytest.mark.parametrize("measure", MEASURES)
def test_each_number_is_the_tools_own(measure):
    audit = assay.audit(QRELS, RUN, measure)
    for reading, account in zip(find_readings(measure), audit[measure], strict=True):
        depth = reading.chosen.policies.depth
        result = assay.evaluate(QRELS, RUN, reading.name, convention=reading.tool, depth=depth)
        assert (account.tool, account.name) == (reading.tool, reading.name)
        assert account.value == pytest.approx(result[reading.name], nan_ok=True)
        assert account.queries == result.counted(reading.name)


@pytest.mark.parametrize(("measure", "start"), STARTS)
def test_the_steps_lead_from_the_first_number_to_the_others(measure, start):
    audit = assay.audit(QRELS, RUN, measure, start=start)
    first, *others = audit[measure]
    assert (first.tool, first.steps) == (start, ())
    for account in others:
        if not np.isnan([first.value, account.value, *(step.worth for step in account.steps)]).any():
            assert first.value + sum(step.worth for step in account.steps) == pytest.approx(account.value)
        assert not account.steps or account.steps[-1].value == pytest.approx(account.value, nan_ok=True)


@pytest.mark.parametrize(("measure", "start"), sorted(NO_STARTS))
def test_a_tool_without_the_measure_starts_nothing(measure, start):
    with pytest.raises(assay.errors.MeasureError, match=r"audit them one by one|takes no cutoff|has no measure like"):
        assay.audit(QRELS, RUN, measure, start=start)


def test_a_tools_own_spelling_of_a_cutoff_is_found():
    found = {f"{each.tool} {each.name}" for name in ("rr@10", "ndcg@10", "ap@1000000") for each in find_readings(name)}
    assert {"ir_measures RR@10", "mteb mrr_at_10", "ir_measures nDCG(dcg='exp-log2')@10", "ranx map@1000000"} <= found


def test_every_policy_has_words():
    values = [(name, value) for name, choices in CHOICES.items() for value in choices]
    values += [("judged_only", True), ("judged_only", False), ("depth", 10), ("depth", None), ("rel", 2)]
    values += [("doc_id", None), ("doc_id", "before:#")]
    assert [each for each in values if "=" in policy_sentence(*each)] == []
    assert {name for name, _ in values} == set(Policies.__slots__)


def test_what_is_said_of_a_run():
    text = str(assay.audit(QRELS, RUN, ["map", "rr"]))
    assert "map\n\ntool" in text
    assert "from assay 0.1852 to trec_eval map" in text
    assert "+0.0926  queries missing from the run are skipped\n" in text
    assert "2 of 4 judged documents retrieved are tied" in text
    assert "other orders give 0.1852 to 0.2222" in text
    assert "20.0% of the documents retrieved are unjudged" in text
    qrels = {"q1": {"a": 1, "b": 1}}
    whole = str(assay.audit(qrels, {"q1": {"a": 1.0, "z": 1.0, "b": 0.5}}, "map"))
    assert "1 of 2 judged documents retrieved is tied" in whole
    cut = str(assay.audit(qrels, {"q1": {"a": 1.0, "z": 1.0, "b": 0.5, "y": 0.4}}, "ndcg@2"))
    assert "1 of 1 judged document retrieved up to the cutoff is tied" in cut
    assert "50.0% of the documents retrieved up to the cutoff are unjudged" in cut


@pytest.mark.parametrize("format_", ["table", "markdown", "csv", "latex"])
def test_a_run_that_is_cut_is_said_on_the_row(format_):
    audit = assay.audit(QRELS, RUN, "map@2")
    text = str(audit) if format_ == "table" else render(audit.table(), format_)
    assert re.search(r"retrieval(_|\\_)map, run cut at 2", text)
    assert not re.search(r"map@2, run cut", text)
    assert {each.beside for each in audit["map@2"]} == {"", "run cut at 2"}


def test_what_is_and_is_not_a_step_to_another_cutoff():
    accounts = assay.audit(QRELS, RUN, "ap@1", start="autorag")["ap@1"]
    assert not [step for each in accounts for step in each.steps if "whole run" in step.choice or "k=" in step.choice]
    audit = assay.audit({"q": ["a", "b"]}, {"q": ["a"]}, ["p@5"])
    differs = {each.steps[0].choice for each in audit["p@5"] if each.value != 0.2}
    assert differs == {"divides by the documents retrieved, even if they are fewer than k"}


def test_noise_is_no_step():
    qrels = {"q1": {f"d{number}": 1 for number in range(50)}}
    run = {"q1": {f"d{number}": 1.0 / (number + 1) for number in range(50)}}
    accounts = assay.audit(qrels, run, "map")["map"]
    ragas = next(each for each in accounts if each.name == "ContextPrecision")
    assert 0 < 1 - ragas.value < 1e-9
    assert ragas.steps == ()
    assert not [step for each in accounts for step in each.steps if abs(step.worth) < 1e-9]


def test_data_that_a_tool_refuses():
    # AutoRAG makes nothing of a blank id.
    qrels = {"q": ["a"], "r": ["b"]}
    run = {"q": ["a", " "], "r": ["c", "b"]}
    accounts = {each.tool: each for each in assay.audit(qrels, run, "map")["map"]}
    assert (accounts["assay"].value, accounts["assay"].queries) == (0.75, 2)
    assert (accounts["autorag"].value, accounts["autorag"].queries) == (0.5, 1)
    assert [step.choice for step in accounts["autorag"].steps] == ["queries that autorag cannot use are NaN"]
    back = assay.audit(qrels, run, "retrieval_map", start="autorag")
    other = next(each for each in back["retrieval_map"] if each.tool == "llama_index")
    assert [(step.choice, step.worth) for step in other.steps] == [("queries that autorag cannot use count", 0.25)]
    assert any("autorag cannot use the rankings of 1 query" in str(note) for note in back.notes)
    # What every tool refuses.
    audit = assay.audit({"q": [["a"], []], "r": ["b"]}, {"q": ["a"], "r": ["c", "b"]}, "map")
    assert {each.queries for each in audit["map"]} == {1}
    refused = "assay cannot use the judgments of 1 query; left out of the mean: 'q'"
    assert any(refused in str(note) for note in audit.notes)


def test_repeated_documents_leave_out_the_tools_that_stop_at_them(tmp_path):
    (tmp_path / "twice.run").write_text(DUPLICATE_RUN)
    rows = (ir_measures.ScoredDoc("q1", each, score) for each, score in (("a", 3), ("a", 2)))
    once = [io.StringIO(DUPLICATE_RUN), io.BytesIO(DUPLICATE_RUN.encode()), rows, tmp_path / "twice.run"]
    for run in (*once, {"q1": [("a", 2), ("a", 1), ("b", 0.5)]}):
        audit = assay.audit(io.StringIO("q1 0 a 1\nq1 0 b 1\n"), run, "map")
        assert {account.tool for account in audit["map"]}.isdisjoint({"assay", "trec_eval"})
        (note,) = [note for note in audit.notes if note.kind == "strict"]
        assert str(note).startswith("assay, trec_eval")
        assert "'a' more than once" in str(note)
    # The notes on the start are kept.
    both = assay.audit(QRELS, io.StringIO(DUPLICATE_RUN), "ap(norm=found)", start="ranx")
    assert [note.kind for note in both.notes][:2] == ["start", "strict"]


def test_it_can_be_had_in_every_form():
    audit = assay.audit(QRELS, RUN, "map")
    assert repr(audit) == f"<Audit: {len(audit['map'])} readings of map>"
    stored = json.loads(audit.to_json())["measures"]["map"]
    assert [each["tool"] for each in stored["tools"]] == [each.tool for each in audit["map"]]
    assert stored["tools"][1]["steps"][0]["choice"] == "queries missing from the run are skipped"
    assert audit.to_polars().columns == ["measure", "tool", "name", "value", "queries", "why it differs"]
    assert len(audit.to_polars()) == len(audit["map"])
    assert "nDCG@10" in assay.audit(QRELS, RUN, ir_measures.nDCG @ 10).accounts


BAD = [
    ([], "no measure to audit; name one, such as map"),
    ("qzx", "unknown measure 'qzx'; `assay measures` lists them all"),
    ("P_5,10", "'P_5,10' means 2 measures; audit them one by one, such as P_5"),
]


@pytest.mark.parametrize(("measure", "message"), BAD)
def test_bad_measures(measure, message):
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.audit(QRELS, RUN, measure)
    assert str(caught.value) == message


def test_the_extreme_orders_of_ties():
    # The columns: query, grade, rank, score, how many score higher, how many tie, document.
    columns = ([0] * 4, [3.0, 0.0, 1.0, 2.0], [1, 3, 4, 6], [9.0, 5.0, 5.0, 5.0], [0, 1, 1, 1], [0, 4, 4, 4], range(4))
    hits = Hits(1, *map(np.array, columns))
    judged = Judged(1, np.array([7]), np.zeros(4, int), np.array([3.0, 2, 1, 0]), hits)
    best, worst = (rerank_ties(judged, 1, best=each).hits for each in (True, False))
    assert list(zip(best.rank.tolist(), best.grade.tolist(), strict=True)) == [(1, 3), (2, 2), (3, 1), (6, 0)]
    assert list(zip(worst.rank.tolist(), worst.grade.tolist(), strict=True)) == [(1, 3), (2, 0), (5, 1), (6, 2)]


def test_the_extremes_bound_every_order_of_ties():
    qrels = {"q": {"a": 1, "c": 2, "d": 0}}
    run = {"q": {"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}}
    for measure in ("map", "ndcg@2", "rr", "bpref", "precision@2"):
        ties = assay.audit(qrels, run, measure).ties[measure]
        for order in ("abcd", "badc", "cadb", "dbac", "acbd", "dbca"):
            value = assay.evaluate(qrels, {"q": list(order)}, measure)[measure]
            assert ties.low - 1e-12 <= value <= ties.high + 1e-12


DUPLICATE_RUN = "q1 Q0 a 1 3 t\nq1 Q0 a 2 2 t\nq1 Q0 x 3 1 t\n"
