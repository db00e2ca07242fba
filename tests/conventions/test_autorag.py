"""AutoRAG: the edge cases of its source, then its formulas once more on random lists."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

import assay
from tables import for_each

MEASURES = [f"retrieval_{name}" for name in ("recall", "precision", "f1", "ndcg", "mrr", "map")]
ROUGE_TYPES = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
LOG3 = math.log2(3)

# Judgments, ranking, and what the six measures say.
EDGES = [
    ([["a", "b"], ["c"]], ["a", "x", "b", "y"], (0.5, 0.5, 0.5, 1.5 / (1.5 + 1 / LOG3), 0.5, 5 / 12)),
    ([["a", "b"]], ["a", "x"], (1, 0.5, 2 / 3, 1 / (1 + 1 / LOG3), 1, 1)),
    ([["a"]], ["a", "a", "x"], (1, 1 / 3, 0.5, 1 + 1 / LOG3, 1, 1)),
    ([["a"], ["a"]], ["a", "x"], (1, 0.5, 2 / 3, 1 / (1 + 1 / LOG3), 1, 1)),
    ([["a", "b"], ["a", "c"]], ["a", "b", "c"], (1, 1, 1, 1, 1, 11 / 12)),
    ([["a"], ["b"], ["c"]], ["a"], (1 / 3, 1, 0.5, 1, 1 / 3, 1 / 3)),
    ([["a", "b"]], ["x", "a"], (1, 0.5, 2 / 3, 1 / LOG3 / (1 + 1 / LOG3), 0.5, 0.5)),
    ([[1, 2]], [1, 3], (1, 0.5, 2 / 3, 1 / (1 + 1 / LOG3), 1, 1)),
    ([["a"]], ["x", "y"], (0, 0, 0, 0, 0, 0)),
]
ROUNDED = [0.703918, 0.613147, 1.63093, 0.613147, 1, 1, 0.386853, 0.613147, 0]


@for_each(("judgments", "ranking", "expected"), EDGES)
def test_edges(judgments, ranking, expected):
    result = assay.evaluate({"q": judgments}, {"q": ranking}, MEASURES, convention="autorag")
    assert [result[name] for name in MEASURES] == pytest.approx(list(expected), rel=1e-14)


def test_ndcg_as_it_was_published():
    found = [
        assay.evaluate({"q": judgments}, {"q": ranking}, "retrieval_ndcg", convention="autorag")["retrieval_ndcg"]
        for judgments, ranking, _ in EDGES
    ]
    assert found == pytest.approx(ROUNDED, abs=5e-6)


# Where AutoRAG gives None: judgments, ranking, and whether the query is said to be unusable.
NONE = [
    ([["a"]], [], None),
    ([["a"]], None, "rankings"),
    ([["a"]], ["a", ""], "rankings"),
    ([["a"]], ["a", " "], "rankings"),
    ([["a"]], ["a", None], "rankings"),
    ([["a"]], ["a", b"b"], "rankings"),
    ([["a"]], {"a": 1, "": 0.5}, "rankings"),
    ([], ["a"], None),
    (None, ["a"], "judgments"),
    ([[]], ["a"], "judgments"),
    ([["a"], []], ["a"], "judgments"),
    ([["a"], [""]], ["a"], "judgments"),
    ([["a"], [None]], ["a"], "judgments"),
    ([["a"], ["\t"]], ["a"], "judgments"),
    ([["a"], [True]], ["a"], "judgments"),
    ([np.array(["a"]), np.array([], dtype=str)], ["a"], "judgments"),
]


@for_each(("judgments", "ranking", "unusable"), NONE)
def test_none_is_left_out_and_said(judgments, ranking, unusable):
    qrels, run = {"good": [["a"]], "bad": judgments}, {"good": ["a"], "bad": ranking}
    result = assay.evaluate(qrels, run, MEASURES, convention="autorag")
    assert all(math.isnan(result.per_query()["bad"][name]) for name in MEASURES)
    assert [result[name] for name in MEASURES] == [1] * 6
    said = [str(note) for note in result.notes]
    assert [text for text in said if text.endswith("left out of the mean: 'bad'")]
    expected = [f"autorag cannot use the {unusable} of 1 query; left out of the mean: 'bad'"] if unusable else []
    assert [text for text in said if text.startswith("autorag")] == expected


def test_none_in_lists_of_queries():
    result = assay.evaluate([[["a"]], None, [["b"]]], [["a"], ["a"], [None]], "retrieval_map", convention="autorag")
    np.testing.assert_array_equal(result.scores["retrieval_map"], [1, math.nan, math.nan])
    assert "autorag cannot use the judgments of 1 query; left out of the mean: '1'" in map(str, result.notes)
    assert "autorag cannot use the rankings of 1 query; left out of the mean: '2'" in map(str, result.notes)


def test_none_query_by_query():
    evaluator = assay.Evaluator({"q1": [["a"]], "q2": [["b"]]}, ["retrieval_recall"], convention="autorag")
    evaluator.add("q1", ["a"])
    evaluator.add("q2", ["b", None])
    np.testing.assert_array_equal(evaluator.result().scores["retrieval_recall"], [1, math.nan])


def test_a_query_that_the_run_lacks_is_none():
    result = assay.evaluate({"q1": [["a"]], "q2": [["b"]]}, {"q1": ["a"]}, MEASURES, convention="autorag")
    assert all(math.isnan(result.per_query()["q2"][name]) for name in MEASURES)
    assert [result[name] for name in MEASURES] == [1] * 6


def test_the_order_is_the_one_given_whatever_the_scores_say():
    result = assay.evaluate({"q": [["a"]]}, {"q": {"b": 0.1, "a": 0.9}}, "retrieval_mrr", convention="autorag")
    assert result["retrieval_mrr"] == 1 / 2


def test_grades_are_relevant_or_not():
    qrels = {"q": {"a": 3, "b": 1, "c": 0}}
    result = assay.evaluate(qrels, {"q": ["c", "b", "a"]}, ["retrieval_ndcg"], convention="autorag")
    assert result["retrieval_ndcg"] == pytest.approx((1 / LOG3 + 1 / 2) / (1 + 1 / LOG3))
    result = assay.evaluate(qrels, {"q": ["c", "b", "a"]}, ["retrieval_ndcg"], convention="autorag", rel=2)
    assert result["retrieval_ndcg"] == pytest.approx(1 / 2)


def test_there_is_no_cutoff_but_a_depth():
    with pytest.raises(assay.errors.MeasureError) as caught:
        assay.evaluate({"q": ["a"]}, {"q": ["a"]}, "retrieval_ndcg@5", convention="autorag")
    assert str(caught.value) == "'retrieval_ndcg@5': retrieval_ndcg takes no cutoff; leave it out"
    result = assay.evaluate({"q": ["a"]}, {"q": ["a", "x"]}, MEASURES, convention="autorag", depth=1)
    assert [result[name] for name in MEASURES] == [1] * 6


def test_judgments_without_groups_are_groups_of_one():
    nested = assay.evaluate({"q": [["a"], ["b"]]}, {"q": ["b", "x"]}, MEASURES, convention="autorag")
    flat = assay.evaluate({"q": ["a", "b"]}, {"q": ["b", "x"]}, MEASURES, convention="autorag")
    assert flat.per_query() == nested.per_query()


def recall(groups, listed):
    return sum(any(each in listed for each in group) for group in groups) / len(groups)


def precision(groups, listed):
    return sum(any(each in group for group in groups) for each in set(listed)) / len(listed)


def f1(groups, listed):
    r, p = recall(groups, listed), precision(groups, listed)
    return 2 * r * p / (r + p) if r + p else 0


def ndcg(groups, listed):
    gained = sum(1 / math.log2(i + 2) for i, each in enumerate(listed) if any(each in group for group in groups))
    ideal = sum(1 / math.log2(i + 2) for i in range(min(sum(map(len, groups)), len(listed))))
    return gained / ideal


def mrr(groups, listed):
    total = 0
    for group in groups:
        places = [place for place, each in enumerate(listed) if each in group]
        total += 1 / (places[0] + 1) if places else 0
    return total / len(groups)


def average_precision(groups, listed):
    total = 0
    for group in groups:
        hits = [each in group for each in listed]
        precisions = [sum(hits[: place + 1]) / (place + 1) for place, hit in enumerate(hits) if hit]
        total += sum(precisions) / len(precisions) if precisions else 0
    return total / len(groups)


FORMULAS = [recall, precision, f1, ndcg, mrr, average_precision]
IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", ""])
JUDGMENTS = st.none() | st.lists(st.lists(IDS, max_size=4), max_size=4)
RANKINGS = st.none() | st.lists(IDS | st.none(), max_size=8)


def usable(groups, listed):
    return bool(groups and listed) and all(map(all, groups)) and all(groups) and all(listed)


@given(queries=st.lists(st.tuples(JUDGMENTS, RANKINGS), min_size=1, max_size=4))
def test_agrees_with_the_formulas(queries):
    result = assay.evaluate(
        [groups for groups, _ in queries], [ranking for _, ranking in queries], MEASURES, convention="autorag"
    )
    for name, formula in zip(MEASURES, FORMULAS, strict=True):
        expected = [formula(*query) if usable(*query) else math.nan for query in queries]
        np.testing.assert_allclose(result.scores[name], expected, rtol=1e-9, err_msg=name)
        scored = [value for value in expected if not math.isnan(value)]
        assert result[name] == pytest.approx(sum(scored) / len(scored) if scored else math.nan, rel=1e-9, nan_ok=True)


PREFIXED = ["autorag:retrieval_map", "autorag:retrieval_precision"]


def test_names_with_the_prefix_alone_are_read_as_autorag_reads():
    qrels, run = {"q": [["a", "a"]], "bad": [["a"], []]}, {"q": ["x", "a", "a"], "bad": ["a"]}
    result = assay.evaluate(qrels, run, PREFIXED)
    expected = assay.evaluate(qrels, run, ["retrieval_map", "retrieval_precision"], convention="autorag")
    np.testing.assert_array_equal(result.scores["autorag:retrieval_map"], expected.scores["retrieval_map"])
    np.testing.assert_array_equal(result.scores["autorag:retrieval_precision"], expected.scores["retrieval_precision"])
    assert "autorag cannot use the judgments of 1 query; left out of the mean: 'bad'" in map(str, result.notes)


def test_names_with_several_prefixes():
    qrels, run = {"q1": [["a", "b"], ["c"]], "q2": [["a"]]}, {"q1": ["a", "x", "b", "y"], "q2": []}
    result = assay.evaluate(qrels, run, ["autorag:retrieval_map", "llama_index:ndcg", "ndcg@10"])
    np.testing.assert_allclose(result.scores["autorag:retrieval_map"], [5 / 12, math.nan])
    np.testing.assert_allclose(result.scores["llama_index:ndcg"], [1.5 / (1.5 + 1 / LOG3), math.nan])
    np.testing.assert_allclose(result.scores["ndcg@10"], [1.5 / (1.5 + 1 / LOG3), 0])
    assert result["autorag:retrieval_map"] == pytest.approx(5 / 12)


def test_repeats_are_an_error_only_to_who_says_so():
    qrels, run = {"q": ["a", "a"]}, {"q": ["a", "a"]}
    result = assay.evaluate(qrels, run, ["autorag:retrieval_precision", "llama_index:ap"])
    assert (result["autorag:retrieval_precision"], result["llama_index:ap"]) == (1 / 2, 2)
    with pytest.raises(assay.errors.DuplicateError):
        assay.evaluate(qrels, run, ["autorag:retrieval_precision", "ap"])


def test_float_ids_are_ids():
    result = assay.evaluate({"q": [[1.0, 2.5], [3]]}, {"q": [2.5, 7, 3.0]}, MEASURES, convention="autorag")
    same = assay.evaluate({"q": [["1", "2.5"], ["3"]]}, {"q": ["2.5", "7", "3"]}, MEASURES, convention="autorag")
    assert result.per_query() == same.per_query()
    assert result["retrieval_recall"] == 1
    scored = assay.evaluate({"q": [[1.0, 2]]}, {"q": {1.5: 0.9, 2.0: 0.5}}, MEASURES, convention="autorag")
    assert scored["retrieval_mrr"] == 1 / 2


def test_measures_of_answers():
    references = [["the cat sat on the mat", "a cat"], ["dogs bark"]]
    predictions = ["the cat sat on a mat", "a dog barks"]
    pairs = list(zip(references, predictions, strict=True))
    bleu = BLEU(max_ngram_order=2, smooth_method="floor", effective_order=True)
    rouge = RougeScorer(["rougeL", "rouge1"], use_stemmer=True)
    plain = RougeScorer(["rougeL"])
    expected = {
        "bleu": [BLEU(effective_order=True).sentence_score(text, right).score for right, text in pairs],
        "bleu(max_ngram_order=2,smooth_method=floor)": [
            bleu.sentence_score(text, right).score for right, text in pairs
        ],
        "rouge": [plain.score_multi(right, text)["rougeL"].fmeasure for right, text in pairs],
        "rouge(rouge_type=rouge1,use_stemmer=True)": [
            rouge.score_multi(right, text)["rouge1"].fmeasure for right, text in pairs
        ],
    }
    result = assay.evaluate_answers(references, predictions, list(expected), convention="autorag")
    for name, values in expected.items():
        assert result.scores[name] == pytest.approx(values)
        assert result[name] == pytest.approx(sum(values) / 2)
    meteor = "autorag:meteor(tokenize=treebank,alpha=0.5)"
    own = "meteor(tokenize=treebank,alpha=0.5)"
    both = assay.evaluate_answers(references, predictions, [meteor, own])
    assert both[meteor] == both[own] > 0
    with pytest.raises(
        assay.errors.MeasureError, match="rouge: rouge_type must be rouge1 or rouge2 or rougeL or rougeLsum"
    ):
        assay.evaluate_answers(references, predictions, "rouge(rouge_type=rougeX)", convention="autorag")


@for_each(
    ("references", "prediction"),
    [(["the cat sat"], " "), ([""], "the cat sat"), (["the cat sat", "\n"], "the cat sat"), ([], "the cat sat")],
)
def test_blank_texts_have_no_value(references, prediction):
    names = ["bleu", "meteor(tokenize=treebank)", *(f"rouge(rouge_type={kind})" for kind in ROUGE_TYPES)]
    same = ["the cat sat on the mat"]
    result = assay.evaluate_answers([references, same], [prediction, *same], names, convention="autorag")
    for name in names:
        assert math.isnan(result.scores[name][0])
        assert result[name] == result.scores[name][1] > 0.9
    notes = [str(note) for note in result.notes]
    assert sum("there is no reference, or a text is blank" in note for note in notes) == len(names)


def test_a_pooled_score_without_blank_texts():
    references, predictions = [["a b c d e"], ["f g"]], ["a b c d x", ""]
    whole, part = "bleu", "bleu(blank=nan)"
    result = assay.evaluate_answers(references, predictions, [whole, part])
    assert result.scores[whole][1] == 0
    assert math.isnan(result.scores[part][1])
    assert result[part] == assay.evaluate_answers(references[:1], predictions[:1], whole)[whole] > result[whole]
