"""Measures of passages: which are useful, what they contain of a reference, and what they mislead to."""

import json
from itertools import product

import numpy as np
import pytest

import assay
from assay.core.ruling import JudgeFailure
from assay.measures.judged.case import replay
from judges import Script, verdicts
from tables import for_each

RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada."], "retrieved_texts": ["a\nmore", "b", "c"]}
USEFUL = [
    ([0, 0, 0], 0, 0),
    ([1, 1, 1], 1, 3 / (3 + 1e-10)),
    ([1, 0], 1, 1 / (1 + 1e-10)),
    ([0, 1, 1], (1 / 2 + 2 / 3) / 2, (1 / 2 + 2 / 3) / (2 + 1e-10)),
    ([1, 0, 1, 0, 1], (1 + 2 / 3 + 3 / 5) / 3, (1 + 2 / 3 + 3 / 5) / (3 + 1e-10)),
]


@for_each("useful, expected, in_ragas", USEFUL)
def test_useful_passages_come_first(useful, expected, in_ragas):
    record = {**RECORD, "retrieved_texts": [f"c{place}\nmore" for place in range(len(useful))]}
    replies = [{"reason": "r", "verdict": bool(each)} for each in useful]
    finding = replay("context_precision", record, replies)
    assert finding.score == pytest.approx(expected, abs=1e-15)
    assert [each[:2] for each in finding.verdicts] == [(f"c{place}", each) for place, each in enumerate(useful)]
    assert replay("context_precision(norm=about_found)", record, replies).score == pytest.approx(in_ragas, abs=1e-15)


ENTITIES = [
    ([], ["Rome"], np.nan, 0),
    (["Rome"], [], 0, 0),
    (["Rome", "Ada"], ["Ada", "Oslo"], 1 / 2, 1 / (2 + 1e-8)),
    (["Rome", "Rome", "Ada"], ["Rome"], 1 / 2, 1 / (2 + 1e-8)),
]


@for_each("reference, found, expected, in_ragas", ENTITIES)
def test_entities_by_their_exact_names(reference, found, expected, in_ragas):
    replies = [{"entities": reference}, {"entities": found}]
    assert replay("context_entity_recall", RECORD, replies).score == pytest.approx(expected, nan_ok=True)
    assert replay("context_entity_recall(norm=about_reference)", RECORD, replies).score == pytest.approx(in_ragas)


@for_each("against, text", [("reference", "the reference"), ("answer", "the answer")])
def test_context_precision_shows_what_it_is_against(against, text):
    script = Script('{"reason": "", "verdict": true}')
    records = [{**RECORD, "references": ["the reference"], "answer": "the answer", "retrieved_texts": ["x"]}]
    name = f"context_precision(against={against})"
    assert assay.evaluate_rag(records, [name], judge=assay.Judge(script, cache=False)).mean == {name: 1.0}
    ((_, user),) = script.asked
    assert text in user["content"]
    assert ("the reference" in user["content"]) == (against == "reference")


NO_TEXTS = "no texts of retrieved passages; put them into the records, or pass the corpus"
LACKING = [
    ("context_precision", {"references": None}, "no reference answer"),
    ("context_precision(against=answer)", {"answer": None}, "no answer"),
    ("context_precision", {"question": None}, "no question"),
    ("context_precision", {"retrieved_texts": None}, NO_TEXTS),
    ("context_recall", {"references": None}, "no reference answer"),
    ("context_recall", {"retrieved_texts": None}, NO_TEXTS),
    ("context_entity_recall", {"references": None}, "no reference answer"),
    ("context_precision", {"retrieved_texts": []}, "nothing was retrieved"),
    ("context_precision", {"retrieved_texts": [" ", "\n"]}, "nothing was retrieved"),
]


@for_each("name, changes, detail", LACKING)
def test_what_is_missing_is_said(name, changes, detail):
    record = {key: value for key, value in {**RECORD, **changes}.items() if value is not None}
    with pytest.raises(JudgeFailure) as failure:
        replay(name, record, [])
    assert failure.value.detail == detail


def test_nothing_retrieved_is_0_as_in_ragas():
    assert replay("context_precision(nothing=zero)", {**RECORD, "retrieved_texts": []}, []).score == 0


def test_entities_of_contexts_that_do_not_fit_are_listed_in_parts():
    script = Script(*(json.dumps({"entities": each}) for each in (["Ada", "Rome"], ["Ada"], ["Rome", "Oslo"])))
    records = [{"references": ["Ada, in Rome."], "retrieved_texts": ["a" * 1000, "b" * 1000]}]
    judge = assay.Judge(script, cache=False, concurrency=1, context=2548)
    result = assay.evaluate_rag(records, ["context_entity_recall"], judge=judge)
    assert result.mean == {"context_entity_recall": 1.0}
    assert len(script.asked) == 3


NOISY = {"question": "?", "answer": "a", "references": ["r"], "retrieved_texts": ["first", "second"]}


@for_each("mode", ["relevant", "irrelevant"])
def test_noise_of_all_tables_of_two_statements_and_two_passages(mode):
    for bits in product([False, True], repeat=8):
        right, support, relevant = np.array(bits[:2]), np.array(bits[2:6]).reshape(2, 2), np.array(bits[6:])
        replies = [{"statements": ["one", "two"]}, {"statements": ["wanted"]}, verdicts(*right.tolist())]
        for passage in (0, 1):
            replies += [verdicts(*support[:, passage].tolist()), verdicts(bool(relevant[passage]))]
        by_relevant = (relevant & support).max(axis=1)
        by_others = (~relevant & support).max(axis=1) & ~by_relevant
        expected = (by_relevant if mode == "relevant" else by_others) & ~right
        finding = replay(f"noise_sensitivity(mode={mode})", NOISY, replies)
        assert [each.value for each in finding.verdicts] == expected.tolist()
        assert finding.score == expected.mean()
        causes = support & (relevant if mode == "relevant" else ~relevant)
        told = [each.against for each in finding.verdicts]
        assert told == [NOISY["retrieved_texts"][row.argmax()] if row.any() else "" for row in causes]


WITHOUT_STATEMENTS = [
    ("noise_sensitivity", [{"statements": []}, {"statements": ["x"]}], "the answer makes no statement"),
    ("noise_sensitivity", [{"statements": ["x"]}, {"statements": []}], "the reference makes no statement"),
    ("context_recall", [{"statements": [" "]}], "the reference makes no statement"),
]


@for_each("name, replies, reason", WITHOUT_STATEMENTS)
def test_without_statements_there_is_no_score(name, replies, reason):
    finding = replay(name, NOISY, replies)
    assert (np.isnan(finding.score), finding.reason) == (True, reason)
