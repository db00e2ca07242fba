"""What is said of gold without ids: in signatures and stored results, to comparisons, and if nothing matches."""

import re

import pytest

import assay
from tables import for_each

GUIDE = {"document": "guide.md", "start": 0, "end": 10}


def test_the_signature_says_how_gold_was_matched():
    rows = [{"gold": [GUIDE], "retrieved": [GUIDE]}]
    texts = [{"retrieved_texts": ["It rained."], "gold_texts": ["It rained."]}]
    assert str(assay.evaluate_rag(rows, "rr").signature).endswith("overlap=any")
    share = assay.evaluate_rag(rows, "rr", overlap=0.5, overlap_of="iou")
    assert str(share.signature).endswith("overlap=0.5 overlap_of=iou")
    assert str(assay.evaluate_rag(texts, "rr").signature).endswith("match=0.9")
    assert "match" not in str(assay.evaluate_rag([{"gold": ["a"], "retrieved": ["a"]}], "rr").signature)


def matched_in_two_ways():
    row = {"gold": [GUIDE], "answer": "a", "references": ["a"]}
    rows = [{"query_id": str(n), **row, "retrieved": [GUIDE | {"start": n, "end": n + 4}]} for n in range(3)]
    return tuple(assay.evaluate_rag(rows, ["rr", "answer_f1"], overlap=overlap) for overlap in ("any", 0.4))


def test_results_whose_gold_was_matched_differently_are_not_compared(tmp_path):
    old, new = matched_in_two_ways()
    why = "rr was not computed alike: overlap=any in one result, overlap=0.4 overlap_of=gold in the other"
    old.save(tmp_path / "old.json")
    for first in (old, assay.load_result(tmp_path / "old.json")):
        with pytest.raises(assay.errors.MismatchError, match=why):
            assay.compare(None, {"old": first, "new": new})
        with pytest.raises(assay.errors.MismatchError, match="run and baseline cannot be compared: rr"):
            assay.gate(None, new, baseline=first, max_drop={"rr": 0.1})
    # Answers do not depend on it.
    assert assay.compare(None, {"old": old, "new": new}, "answer_f1").pairs[0].difference == 0
    by_ids = assay.evaluate_rag([{"query_id": str(n), "gold": ["a"], "retrieved": ["a"]} for n in range(3)], "rr")
    with pytest.raises(assay.errors.MismatchError, match="overlap=any in one result, gold known by ids in the other"):
        assay.compare(None, {"old": old, "new": by_ids}, "rr")


def test_a_stored_result_says_how_gold_was_matched(tmp_path):
    for result in matched_in_two_ways():
        result.save(tmp_path / "kept.json")
        again = assay.load_result(tmp_path / "kept.json")
        assert again.matching == result.matching != ()
        assert again.signature == result.signature


def test_a_stored_result_of_matched_texts_loads_and_is_compared(tmp_path):
    measures = ["recall", "f1@2", "rr", "answer_f1"]
    answer = {"answer": "yes", "references": ["yes"]}
    rows = [
        {"retrieved_texts": ["The cat sat.", "Dogs bark."], "gold_texts": ["the  cat sat.", "It rained."], **answer},
        {"retrieved_texts": ["no", "Dogs bark loudly."], "gold_texts": ["Dogs bark loudly!"], **answer},
    ]
    strict, loose = (assay.evaluate_rag(rows, measures, match=least) for least in (0.99, 0.5))
    strict.save(tmp_path / "strict.json")
    loaded = assay.load_result(tmp_path / "strict.json")
    assert (loaded.mean, loaded.signature) == (strict.mean, strict.signature)
    assert "group_recall" in str(loaded.signature)
    for each in (strict, loaded):
        with pytest.raises(assay.errors.MismatchError, match=r"match=0\.99 in one result, match=0\.5 in the other"):
            assay.compare(None, {"a": each, "b": loose}, ["rr"])
        assert assay.compare(None, {"a": each, "b": loose}, ["answer_f1"]).pairs[0].difference == 0
    with pytest.raises(assay.errors.MismatchError, match=r"match=0\.5 in one result, match=0\.99 in the other"):
        assay.gate(None, loose, baseline=loaded, max_drop={"recall": 0.1})


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
    with pytest.warns(assay.DataWarning, match=re.escape(said + "lower match (here 0.9) if")):
        assay.evaluate_rag(rows, "rr")
    with pytest.warns(assay.DataWarning, match=re.escape(said + "match=0.9 also takes similar texts")):
        assay.evaluate_rag(rows, "rr", match="exact")
    # If some gold has ids, these are shown.
    with pytest.warns(assay.DataWarning, match="the judgments have"):
        assay.evaluate_rag([*rows, {"gold": ["a"], "retrieved": ["b"]}], "rr")
