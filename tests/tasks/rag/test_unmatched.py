"""What is said of gold without ids: in signatures and stored results, to comparisons, and if nothing matches."""

import re

import pytest

import assay
from tables import for_each

GUIDE = {"document": "guide.md", "start": 0, "end": 10}


def test_the_signature_says_how_gold_was_matched():
    spans = {"gold": [GUIDE], "retrieved": [GUIDE]}
    texts = {"retrieved_texts": ["It rained."], "gold_texts": ["It rained."]}
    share = {"overlap": 0.5, "overlap_of": "iou"}
    said = ((spans, {}, "overlap=any"), (spans, share, "overlap=0.5 overlap_of=iou"), (texts, {}, "match=0.9"))
    for row, how, end in said:
        assert str(assay.evaluate_rag([row], "rr", **how).signature).endswith(end)
    assert "match" not in str(assay.evaluate_rag([{"gold": ["a"], "retrieved": ["a"]}], "rr").signature)


ANSWER = {"answer": "yes", "references": ["yes"]}
BY_SPANS = [{"gold": [GUIDE], **ANSWER, "retrieved": [GUIDE | {"start": n, "end": n + 4}]} for n in range(3)]
BY_TEXTS = [
    {"retrieved_texts": ["The cat sat.", "Dogs bark."], "gold_texts": ["the  cat sat.", "It rained."], **ANSWER},
    {"retrieved_texts": ["no", "Dogs bark loudly."], "gold_texts": ["Dogs bark loudly!"], **ANSWER},
]
TWO_WAYS = [
    (BY_SPANS, {"overlap": "any"}, {"overlap": 0.4}, "overlap=any in {}, overlap=0.4 overlap_of=gold in {}"),
    (BY_TEXTS, {"match": 0.99}, {"match": 0.5}, "match=0.99 in {}, match=0.5 in {}"),
]


@for_each("rows, one, other, why", TWO_WAYS)
def test_results_whose_gold_was_matched_differently_are_not_compared(rows, one, other, why, tmp_path):
    measures = ["recall", "f1@2", "rr", "answer_f1"]
    strict, loose = (assay.evaluate_rag(rows, measures, **how) for how in (one, other))
    strict.save(tmp_path / "kept.json")
    kept = assay.load_result(tmp_path / "kept.json")
    assert (kept.mean, kept.signature, kept.matching) == (strict.mean, strict.signature, strict.matching)
    assert strict.matching != loose.matching
    assert "group_recall" in str(kept.signature)
    for each in (strict, kept):
        with pytest.raises(assay.errors.MismatchError, match=why.format("one result", "the other")):
            assay.compare(None, {"a": each, "b": loose}, ["rr"])
        with pytest.raises(assay.errors.MismatchError, match="run and baseline cannot be compared: rr"):
            assay.gate(None, loose, baseline=each, max_drop={"rr": 0.1})
        # Answers do not depend on it.
        assert assay.compare(None, {"a": each, "b": loose}, ["answer_f1"]).pairs[0].difference == 0


def test_gold_with_ids_was_matched_otherwise_too():
    by_spans = assay.evaluate_rag(BY_SPANS, "rr")
    by_ids = assay.evaluate_rag([{"gold": ["a"], "retrieved": ["a"]}] * 3, "rr")
    with pytest.raises(assay.errors.MismatchError, match="overlap=any in one result, gold known by ids in the other"):
        assay.compare(None, {"old": by_spans, "new": by_ids}, "rr")


def test_texts_belong_to_the_ids_of_a_dict_in_its_order():
    scores, texts = {"a": 0.5, "b": 0.5, "c": 0.9}, ["one", "two", "three"]
    # Tied documents are ranked by id, descending.
    for text, rank in (("three", 1), ("two", 2), ("one", 3)):
        rows = [{"retrieved": scores, "retrieved_texts": texts, "gold": [{"text": text}]}]
        result = assay.evaluate_rag(rows, "rr")
        assert result["rr"] == pytest.approx(1 / rank)
        assert result.records[0].retrieved_texts == ("three", "two", "one")


SAME = "likely the same documents: 'guide.md' vs. 'data/guide.md' (the prefix"
ELSEWHERE = 'no document in common; name the field that has the document of a chunk: columns={"d'
UNMET = [
    ({}, {"document": "data/guide.md"}, SAME),
    ({}, {"document": "x.txt"}, ELSEWHERE),
    ({}, {"start": 20, "end": 30}, "'guide.md[0:10]', the retrieved chunks are 'guide.md[20:30]'; check that both"),
    ({"overlap": 0.9}, {"start": 5}, "no retrieved chunk hits a gold span: the gold has"),
    ({"overlap": 0.9}, {"start": 5}, 'overlap="any" asks for less'),
]


@for_each("how, chunk, warning", UNMET)
def test_spans_that_never_meet_are_said_loudly(tmp_path, how, chunk, warning):
    with pytest.warns(assay.DataWarning, match=re.escape(warning)):
        result = assay.evaluate_rag([{"gold": [GUIDE], "retrieved": [GUIDE | chunk]}], "rr", **how)
    result.save(tmp_path / "kept.json")
    assert assay.load_result(tmp_path / "kept.json").notes == result.notes


def test_a_few_spans_that_meet_are_too_few():
    rows = [{"gold": [GUIDE], "retrieved": [GUIDE | {"start": 5 + 5 * bool(n), "end": 20}]} for n in range(150)]
    with pytest.warns(assay.DataWarning, match="^only 1 of 150 gold spans is hit by a retrieved chunk: the gold has"):
        assay.evaluate_rag(rows, "rr")


def test_texts_that_never_match_are_said_loudly():
    rows = [{"retrieved_texts": ["It rained."], "gold_texts": ["It  rains."]}]
    said = "no gold text matches a retrieved text: the gold has 'It rains.', what was retrieved has 'It rained.'; "
    for match, advice in ((0.9, "lower match (here 0.9) if"), ("exact", "match=0.9 also takes similar texts")):
        with pytest.warns(assay.DataWarning, match=re.escape(said + advice)):
            assay.evaluate_rag(rows, "rr", match=match)
    # If some gold has ids, these are shown.
    with pytest.warns(assay.DataWarning, match="the judgments have"):
        assay.evaluate_rag([*rows, {"gold": ["a"], "retrieved": ["b"]}], "rr")
