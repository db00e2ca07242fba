"""AutoRAG, LlamaIndex and haystack: the edge cases of their sources, then their formulas once more on random lists."""

import math

import numpy as np
import polars
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

import assay
from conventions.formulas import agree, precisions
from tables import for_each

LOG3 = math.log2(3)


def dcg(gains):
    return sum(gain / math.log2(place + 2) for place, gain in enumerate(gains))


def ap_of_groups(groups, listed):
    each = [precisions([one in group for one in listed]) for group in groups]
    return sum(sum(found) / len(found) if found else 0 for found in each) / len(groups)


def group_recall(groups, listed):
    return sum(any(each in listed for each in group) for group in groups) / len(groups)


def group_precision(groups, listed):
    return sum(any(each in group for group in groups) for each in set(listed)) / len(listed)


def group_f1(groups, listed):
    recall, precision = group_recall(groups, listed), group_precision(groups, listed)
    return 2 * recall * precision / (recall + precision) if recall + precision else 0


def group_ndcg(groups, listed):
    ideal = dcg([1] * min(sum(map(len, groups)), len(listed)))
    return dcg([any(each in group for group in groups) for each in listed]) / ideal


def group_rr(groups, listed):
    places = [[place for place, each in enumerate(listed, start=1) if each in group] for group in groups]
    return sum(1 / each[0] if each else 0 for each in places) / len(groups)


def ranks(expected, retrieved):
    return [rank for rank, each in enumerate(retrieved, start=1) if each in expected]


def ap_of_hits(expected, retrieved):
    return sum(precisions([each in expected for each in retrieved])) / len(set(expected))


def positive(truth):
    return {document for document, grade in truth.items() if grade > 0}


def first_hits(truth, retrieved):
    """Whether each document retrieved is relevant, and stands there for the first time."""
    return [each in positive(truth) and each not in retrieved[:place] for place, each in enumerate(retrieved)]


def graded_ndcg(truth, retrieved):
    gains = [truth.get(each, 0) if each not in retrieved[:place] else 0 for place, each in enumerate(retrieved)]
    ideal = dcg(sorted(truth.values(), reverse=True))
    return dcg(gains) / ideal if ideal > 0 else 0.0


def any_hit(truth, retrieved):
    return float(any(first_hits(truth, retrieved)))


FORMULAS = {
    "autorag": {
        "retrieval_recall": group_recall,
        "retrieval_precision": group_precision,
        "retrieval_f1": group_f1,
        "retrieval_ndcg": group_ndcg,
        "retrieval_mrr": group_rr,
        "retrieval_map": ap_of_groups,
    },
    "llama_index": {
        "hit_rate": lambda expected, retrieved: float(bool(ranks(expected, retrieved))),
        "hit_rate(use_granular_hit_rate=True)": lambda expected, retrieved: (
            len(ranks(expected, retrieved)) / len(expected)
        ),
        "mrr": lambda expected, retrieved: max((1 / rank for rank in ranks(expected, retrieved)), default=0),
        "mrr(use_granular_mrr=True)": lambda expected, retrieved: np.mean(
            [1 / rank for rank in ranks(expected, retrieved)] or [0]
        ),
        "precision": lambda expected, retrieved: len({*expected} & {*retrieved}) / len({*retrieved}),
        "recall": lambda expected, retrieved: len({*expected} & {*retrieved}) / len({*expected}),
        "ap": ap_of_hits,
        "ndcg": lambda expected, retrieved: dcg([each in expected for each in retrieved]) / dcg([1] * len(expected)),
    },
    "haystack": {
        "DocumentMAPEvaluator": lambda truth, retrieved: (
            sum(precisions(first_hits(truth, retrieved))) / (len(positive(truth)) or 1)
        ),
        "DocumentMAPEvaluator(divide_by=hits)": lambda truth, retrieved: np.mean(
            precisions(first_hits(truth, retrieved)) or [0]
        ),
        "DocumentMRREvaluator": lambda truth, retrieved: max(
            (1 / rank for rank in ranks(positive(truth), retrieved)), default=0
        ),
        "DocumentNDCGEvaluator": graded_ndcg,
        "DocumentRecallEvaluator": any_hit,
        "DocumentRecallEvaluator(mode=single_hit)": any_hit,
        "DocumentRecallEvaluator(mode=multi_hit)": lambda truth, retrieved: (
            sum(first_hits(truth, retrieved)) / (len(positive(truth)) or 1)
        ),
    },
}
GRADES = {"a": 3, "b": 1, "c": 0}
# Judgments, ranking, and what the measures say, in their order.
EDGES = {
    "autorag": [
        ([["a", "b"], ["c"]], ["a", "x", "b", "y"], (0.5, 0.5, 0.5, 1.5 / (1.5 + 1 / LOG3), 0.5, 5 / 12)),
        ([["a", "b"]], ["a", "x"], (1, 0.5, 2 / 3, 1 / (1 + 1 / LOG3), 1, 1)),
        ([["a"]], ["a", "a", "x"], (1, 1 / 3, 0.5, 1 + 1 / LOG3, 1, 1)),
        ([["a"], ["a"]], ["a", "x"], (1, 0.5, 2 / 3, 1 / (1 + 1 / LOG3), 1, 1)),
        ([["a", "b"], ["a", "c"]], ["a", "b", "c"], (1, 1, 1, 1, 1, 11 / 12)),
        ([["a"], ["b"], ["c"]], ["a"], (1 / 3, 1, 0.5, 1, 1 / 3, 1 / 3)),
        ([["a", "b"]], ["x", "a"], (1, 0.5, 2 / 3, 1 / LOG3 / (1 + 1 / LOG3), 0.5, 0.5)),
        ([[1, 2]], [1, 3], (1, 0.5, 2 / 3, 1 / (1 + 1 / LOG3), 1, 1)),
        # Without groups, each is a group of its own; a grade only says that a document is relevant.
        (["a", "b"], ["b", "x"], (1 / 2, 1 / 2, 1 / 2, 1 / (1 + 1 / LOG3), 1 / 2, 1 / 2)),
        (GRADES, ["c", "b", "a"], (1, 2 / 3, 4 / 5, (1 / LOG3 + 1 / 2) / (1 + 1 / LOG3), 5 / 12, 5 / 12)),
        # The order is the one given, whatever the scores say.
        ([["a"]], {"b": 0.1, "a": 0.9}, (1, 1 / 2, 2 / 3, 1 / LOG3, 1 / 2, 1 / 2)),
        # Floats are ids.
        ([[1.0, 2.5], [3]], [2.5, 7, 3.0], (1, 2 / 3, 4 / 5, 1.5 / (1.5 + 1 / LOG3), 2 / 3, 2 / 3)),
        ([[1.0, 2]], {1.5: 0.9, 2.0: 0.5}, (1, 1 / 2, 2 / 3, 1 / LOG3 / (1 + 1 / LOG3), 1 / 2, 1 / 2)),
    ],
    "llama_index": [
        (["a", "b", "c"], ["a", "x", "b", "y"], (1, 2 / 3, 1, 2 / 3, 0.5, 2 / 3, 5 / 9, 0.7039180890341347)),
        (["a"], ["a", "a"], (1, 2, 1, 0.75, 1, 1, 2, 1.6309297535714573)),
        (["a", "a"], ["a"], (1, 0.5, 1, 1, 1, 1, 1, 0.6131471927654584)),
        (["a", "b", "c", "d"], ["a", "b"], (1, 0.5, 1, 0.75, 1, 0.5, 0.5, 0.6366824387328317)),
        # A grade only says that a document is relevant.
        (GRADES, ["c", "b"], (1, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 2, 1 / 4, 1 / LOG3 / (1 + 1 / LOG3))),
        # The empty string is an id.
        (["a", ""], ["a"], (1, 1 / 2, 1, 1, 1, 1 / 2, 1 / 2, 1 / (1 + 1 / LOG3))),
        (["a"], ["", "a"], (1, 1, 1 / 2, 1 / 2, 1 / 2, 1, 1 / 2, 1 / LOG3)),
        ([""], [""], (1, 1, 1, 1, 1, 1, 1, 1)),
    ],
    "haystack": [
        (["a", "b"], ["a", "x", "b"], (5 / 6, 5 / 6, 1, 1.5 / (1 + 1 / LOG3), 1, 1, 1)),
        (["a", "b", "c"], ["x", "b"], (1 / 6, 1 / 2, 1 / 2, 1 / LOG3 / (1.5 + 1 / LOG3), 1, 1, 1 / 3)),
        # A document that is retrieved again is credited once and takes up a rank.
        (["a", "b"], ["a", "a", "b"], (5 / 6, 5 / 6, 1, 1.5 / (1 + 1 / LOG3), 1, 1, 1)),
        (["a", "a"], ["a"], (1, 1, 1, 1, 1, 1, 1)),
        # The grade is the score of a document of the ground truth. Of this, haystack prints another nDCG than it computes.
        ({"a": 1.0, "b": 0.5}, ["a", "x", "b"], (5 / 6, 5 / 6, 1, 1.25 / (1 + 0.5 / LOG3), 1, 1, 1)),
        ({"a": 0.25}, ["a"], (1, 1, 1, 1, 1, 1, 1)),
        ({"a": 3, "b": -1}, ["b", "a"], (1 / 2, 1 / 2, 1 / 2, (-1 + 3 / LOG3) / (3 - 1 / LOG3), 1, 1, 1)),
        # What has no grade above 0 is not in the ground truth.
        ({"a": 2, "b": 0}, ["b", "a"], (1 / 2, 1 / 2, 1 / 2, 1 / LOG3, 1, 1, 1)),
        (["a"], [], (0,) * 7),
        ([], ["a"], (0,) * 7),
        ([], [], (0,) * 7),
        # The evaluators' own answers, by content: recall drops empty ids, and the others count them.
        (["a", ""], ["a"], (1 / 2, 1, 1, 1 / (1 + 1 / LOG3), 1, 1, 1)),
        (["a"], ["", "a"], (1 / 2, 1 / 2, 1 / 2, 1 / LOG3, 1, 1, 1)),
        ([""], [""], (1, 1, 1, 1, 0, 0, 0)),
        (["a", ""], ["", "a"], (1, 1, 1, 1, 1, 1, 1)),
        (["", "b"], ["x", "", "b"], (7 / 12, 7 / 12, 1 / 2, (1 / LOG3 + 1 / 2) / (1 + 1 / LOG3), 1, 1, 1)),
    ],
}


@for_each(("tool", "judgments", "ranking", "expected"), [(tool, *row) for tool, rows in EDGES.items() for row in rows])
def test_edges(tool, judgments, ranking, expected):
    result = assay.evaluate({"q": judgments}, {"q": ranking}, list(FORMULAS[tool]), convention=tool)
    assert [result[name] for name in FORMULAS[tool]] == pytest.approx(list(expected), rel=1e-14)


IDS = st.sampled_from(["a", "b", "c", "d", "e", "f", ""])
GROUPS = st.none() | st.lists(st.lists(IDS, max_size=4), max_size=4)
TRUTH = st.dictionaries(IDS.filter(bool), st.sampled_from([-2.5, -1, 0, 0.25, 0.5, 1, 1.75, 3, 1e6]), max_size=6)


def some(judgments, rankings):
    return st.lists(st.tuples(judgments, rankings), min_size=1, max_size=4)


@given(queries=some(GROUPS, st.none() | st.lists(IDS | st.none(), max_size=8)))
def test_autorag_agrees_with_its_formulas(queries):
    def is_usable(groups, listed):
        return bool(groups and listed) and all(map(all, groups)) and all(groups) and all(listed)

    agree(queries, FORMULAS["autorag"], "autorag", is_usable)


@given(queries=some(*[st.none() | st.lists(IDS, max_size=8)] * 2))
def test_llama_index_agrees_with_its_formulas(queries):
    agree(queries, FORMULAS["llama_index"], "llama_index", lambda *query: all(query))


@given(queries=some(TRUTH, st.lists(IDS.filter(bool), max_size=8)))
def test_haystack_agrees_with_its_formulas(queries):
    agree(queries, FORMULAS["haystack"], "haystack")


# Where AutoRAG gives None or LlamaIndex raises: judgments, ranking, and what of the query is said to be unusable.
LEFT_OUT = [
    ("autorag", [["a"]], [], None),
    ("autorag", [["a"]], ["a", " "], "rankings"),
    ("autorag", [["a"]], ["a", None], "rankings"),
    ("autorag", [["a"]], ["a", b"b"], "rankings"),
    ("autorag", [["a"]], {"a": 1, "": 0.5}, "rankings"),
    ("autorag", [], ["a"], None),
    ("autorag", [[]], ["a"], "judgments"),
    ("autorag", [["a"], []], ["a"], "judgments"),
    ("autorag", [["a"], [None]], ["a"], "judgments"),
    ("autorag", [["a"], ["\t"]], ["a"], "judgments"),
    ("autorag", [["a"], [True]], ["a"], "judgments"),
    ("autorag", [np.array(["a"]), np.array([], dtype=str)], ["a"], "judgments"),
    ("llama_index", ["a"], [], None),
    ("llama_index", [], ["a"], None),
    ("llama_index", ["a"], None, "rankings"),
    ("llama_index", None, ["a"], "judgments"),
]


@for_each(("tool", "judgments", "ranking", "unusable"), LEFT_OUT)
def test_what_is_left_out_is_said(tool, judgments, ranking, unusable):
    qrels, run = {"good": [["a"]], "bad": judgments}, {"good": ["a"], "bad": ranking}
    result = assay.evaluate(qrels, run, list(FORMULAS[tool]), convention=tool)
    assert all(math.isnan(value) for value in result.per_query()["bad"].values())
    assert set(result.mean.values()) == {1}
    said = [str(note) for note in result.notes]
    assert [text for text in said if text.endswith("left out of the mean: 'bad'")]
    expected = [f"{tool} cannot use the {unusable} of 1 query; left out of the mean: 'bad'"] if unusable else []
    assert [text for text in said if text.startswith(tool)] == expected


def test_a_query_that_the_run_lacks():
    qrels, run = {"q1": ["a"], "q2": ["b"], "q3": [], "q4": ["a"]}, {"q1": ["a"], "q3": ["a"], "q4": []}
    lenient = assay.evaluate(qrels, run, list(FORMULAS["autorag"]), convention="autorag")
    assert all(math.isnan(value) for value in lenient.per_query()["q2"].values())
    assert set(lenient.mean.values()) == {1}
    assert set(assay.evaluate(qrels, run, list(FORMULAS["haystack"]), convention="haystack").mean.values()) == {1 / 4}


def test_levels_and_depths():
    qrels, run = {"q": {"a": 3, "b": 1, "c": 0}}, {"q": ["c", "b", "a"]}
    ndcg = assay.evaluate(qrels, run, "retrieval_ndcg", convention="autorag", rel=2)["retrieval_ndcg"]
    assert ndcg == pytest.approx(1 / 2)
    cut = assay.evaluate({"q": ["a"]}, {"q": ["a", "x"]}, list(FORMULAS["autorag"]), convention="autorag", depth=1)
    assert set(cut.mean.values()) == {1}
    # To haystack half a grade is relevant, and so no note is needed.
    half = assay.evaluate({"q": {"a": 0.5}}, {"q": ["a"]}, list(FORMULAS["haystack"]), convention="haystack")
    assert {note.kind for note in half.notes} == {"policies"}


def test_repeats_are_an_error_only_to_who_says_so():
    qrels, run = {"q": ["a", "a"]}, {"q": ["a", "a"]}
    result = assay.evaluate(qrels, run, ["autorag:retrieval_precision", "llama_index:ap"])
    assert (result["autorag:retrieval_precision"], result["llama_index:ap"]) == (1 / 2, 2)
    with pytest.raises(assay.errors.DuplicateError):
        assay.evaluate(qrels, run, ["autorag:retrieval_precision", "ap"])


@for_each(
    ("truth", "expected"),
    [([("a", 0.5), ("a", 1.0), ("b", 0.25)], 0.7609096232928763), ([("a", 1.0), ("a", 0.5)], 1 / LOG3)],
)
def test_of_a_ground_truth_with_duplicates_the_highest_score_counts(truth, expected):
    rows = [("q", *each) for each in truth]
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "relevance"], orient="row")
    result = assay.evaluate(frame, {"q": ["b", "a", "a"]}, "DocumentNDCGEvaluator", convention="haystack")
    assert result["DocumentNDCGEvaluator"] == pytest.approx(expected, rel=1e-14)


def test_measures_of_answers():
    references = [["the cat sat on the mat", "a cat"], ["dogs bark"]]
    predictions = ["the cat sat on a mat", "a dog barks"]
    bleu = BLEU(max_ngram_order=2, smooth_method="floor", effective_order=True).sentence_score
    rouge = RougeScorer(["rouge1"], use_stemmer=True).score_multi
    formulas = {
        "bleu": lambda right, text: BLEU(effective_order=True).sentence_score(text, right).score,
        "bleu(max_ngram_order=2,smooth_method=floor)": lambda right, text: bleu(text, right).score,
        "rouge": lambda right, text: RougeScorer(["rougeL"]).score_multi(right, text)["rougeL"].fmeasure,
        "rouge(rouge_type=rouge1,use_stemmer=True)": lambda right, text: rouge(right, text)["rouge1"].fmeasure,
    }
    result = assay.evaluate_answers(references, predictions, list(formulas), convention="autorag")
    for name, formula in formulas.items():
        values = [formula(right, text) for right, text in zip(references, predictions, strict=True)]
        assert result.scores[name] == pytest.approx(values)
        assert result[name] == pytest.approx(sum(values) / 2)
    meteor = "meteor(tokenize=treebank,alpha=0.5)"
    both = assay.evaluate_answers(references, predictions, [f"autorag:{meteor}", meteor])
    assert both[f"autorag:{meteor}"] == both[meteor] > 0


@for_each(
    ("references", "prediction"),
    [(["the cat sat"], " "), ([""], "the cat sat"), (["the cat sat", "\n"], "the cat sat"), ([], "the cat sat")],
)
def test_blank_texts_have_no_value(references, prediction):
    kinds = ["rouge1", "rouge2", "rougeL", "rougeLsum"]
    names = ["bleu", "meteor(tokenize=treebank)", *(f"rouge(rouge_type={kind})" for kind in kinds)]
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
