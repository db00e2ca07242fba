"""ragas: the edge cases of its source, then its formulas once more on random ids, verdicts and texts."""

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz import distance as distances

import assay
from assay.conventions.tools.ragas import NAMES, read_ragas
from conventions.formulas import agree, precisions
from tables import for_each

nan = math.nan
IDS = ["IDBasedContextPrecision", "IDBasedContextRecall"]
TEXTS = ["NonLLMContextPrecisionWithReference", "NonLLMContextRecall"]
VERDICTS = ["ContextPrecision", "ContextUtilization", "LLMContextPrecisionWithReference"]
VERDICTS += ["llm_context_precision_with_reference"]
TINY = 1e-10
# References, retrieved ids, precision and recall.
ID_EDGES = [
    (["a", "b"], ["a", "x"], 1 / 2, 1 / 2),
    (["a", "b", "b"], ["a", "a", "x"], 1 / 2, 1 / 2),
    ([1, 2], ["1", 3], 1 / 2, 1 / 2),
    (["a"], ["x"], 0, 0),
    (["a"], [], nan, 0),
    ([], ["a"], 0, nan),
    ([], [], nan, nan),
]


@for_each(("reference", "retrieved", "precision", "recall"), ID_EDGES)
def test_ids(reference, retrieved, precision, recall):
    result = assay.evaluate({"q": reference}, {"q": retrieved}, IDS, convention="ragas")
    assert [result.scores[name][0] for name in IDS] == pytest.approx([precision, recall], nan_ok=True)


def test_what_cannot_be_scored_is_left_out_of_the_mean():
    qrels, run = {"q1": ["a"], "q2": [], "q3": ["a", "b"]}, {"q1": ["a"], "q2": ["a"], "q3": []}
    result = assay.evaluate(qrels, run, IDS, convention="ragas")
    assert (result["IDBasedContextPrecision"], result["IDBasedContextRecall"]) == (1 / 2, 1 / 2)
    said = [str(note) for note in result.notes]
    assert "IDBasedContextPrecision: 1 query has no results; left out of the mean: 'q3'" in said
    assert "IDBasedContextRecall: 1 query has no relevant documents; left out of the mean: 'q2'" in said


VERDICT_EDGES = [
    ([1, 0, 1], (1 + 2 / 3) / (2 + TINY)),
    ([1], 1 / (1 + TINY)),
    ([0, 0, 1], 1 / 3 / (1 + TINY)),
    ([0, 0], 0),
    ([], 0),
]


@for_each("name", VERDICTS)
@for_each(("verdicts", "expected"), VERDICT_EDGES)
def test_verdicts(name, verdicts, expected):
    judged = {f"c{place}": verdict for place, verdict in enumerate(verdicts)}
    result = assay.evaluate({"q": judged}, {"q": list(judged)}, name, convention="ragas")
    assert result[name] == pytest.approx(expected, rel=1e-14)
    labels = assay.evaluate_labels([verdicts], name, convention="ragas")
    assert labels[name] == pytest.approx(expected, rel=1e-14)


def test_the_classes_of_its_collections_score_no_empty_list():
    names = ["ContextPrecisionWithReference", "context_precision_without_reference"]
    result = assay.evaluate_labels([[0, 1], []], names, convention="ragas")
    assert [result[name] for name in names] == pytest.approx([1 / 2 / (1 + TINY)] * 2, rel=1e-14)


# References, retrieved texts, precision and recall. Of the pair "ab" and "ax" half is alike.
TEXT_EDGES = [
    (["abcd"], ["abcd"], 1 / (1 + TINY), 1),
    (["abcd"], ["abce", "zzzz"], 1 / (1 + TINY), 1),
    (["abcd"], ["zzzz", "abce"], 1 / 2 / (1 + TINY), 1),
    # At 0.5 a retrieved text is a hit, but a reference is not found.
    (["ab"], ["ax"], 1 / (1 + TINY), 0),
    (["ab", "cd"], ["ab", "zz", "cd"], (1 + 2 / 3) / (2 + TINY), 1),
    (["ab", "cd", "ef"], ["cd"], 1 / (1 + TINY), 1 / 3),
    (["ab"], ["ab", "ab"], 2 / (2 + TINY), 1),
    (["ab", "ab"], ["ab"], 1 / (1 + TINY), 1),
    (["ab"], ["zz"], 0, 0),
    ([""], [""], 1 / (1 + TINY), 1),
    (["ab"], [], 0, nan),
    ([], ["ab"], nan, nan),
    ([], [], nan, nan),
]


@for_each(("references", "retrieved", "precision", "recall"), TEXT_EDGES)
def test_texts(references, retrieved, precision, recall):
    matched = assay.match_texts({"q": references, "p": ["a"]}, {"q": retrieved, "p": ["a"]})
    result = assay.evaluate(*matched, TEXTS, convention="ragas")
    assert result.queries == ["q", "p"]
    assert [result.scores[name][0] for name in TEXTS] == pytest.approx([precision, recall], nan_ok=True, rel=1e-14)


THRESHOLDS = [
    ("NonLLMContextPrecisionWithReference(threshold=0.75)", 1 / (1 + TINY)),
    ("NonLLMContextPrecisionWithReference(threshold=0.76)", 0),
    ("NonLLMContextRecall(threshold=0.75)", 0),
    ("NonLLMContextRecall(threshold=0.74)", 1),
]


@for_each(("name", "expected"), THRESHOLDS)
def test_thresholds(name, expected):
    result = assay.evaluate(*assay.match_texts([["abcd"]], [["abce"]]), name, convention="ragas")
    assert result[name] == pytest.approx(expected, rel=1e-14)


def context_precision(verdicts):
    return sum(precisions(verdicts)) / (sum(verdicts) + TINY)


@given(verdicts=st.lists(st.lists(st.sampled_from([0, 1]), max_size=8), min_size=1, max_size=3))
def test_agrees_with_the_formula_of_verdicts(verdicts):
    result = assay.evaluate_labels(verdicts, "ContextPrecision", convention="ragas")
    expected = [context_precision(each) for each in verdicts]
    np.testing.assert_allclose(result.scores["ContextPrecision"], expected, rtol=1e-9)
    assert result["ContextPrecision"] == pytest.approx(sum(expected) / len(expected), rel=1e-9)


LISTS = st.lists(st.sampled_from("abcdef"), max_size=8)
FORMULAS = {
    "IDBasedContextPrecision": lambda wanted, found: len({*wanted} & {*found}) / len({*found}) if found else nan,
    "IDBasedContextRecall": lambda wanted, found: len({*wanted} & {*found}) / len({*wanted}) if wanted else nan,
}


@given(queries=st.lists(st.tuples(LISTS, LISTS), min_size=1, max_size=4))
def test_agrees_with_the_formulas_of_ids(queries):
    agree(queries, FORMULAS, "ragas")


CLASSES = {
    "levenshtein": distances.Levenshtein,
    "hamming": distances.Hamming,
    "jaro": distances.Jaro,
    "jaro_winkler": distances.JaroWinkler,
}
CONTEXTS = st.lists(st.text("abé ", max_size=6), max_size=4)


def text_precision(wanted, found, alike):
    if not wanted:
        return nan
    return context_precision([1 if max(alike(text, each) for each in wanted) >= 0.5 else 0 for text in found])


def text_recall(wanted, found, alike):
    if not wanted or not found:
        return nan
    return sum(max(alike(text, each) for text in found) > 0.5 for each in wanted) / len(wanted)


@given(queries=st.lists(st.tuples(CONTEXTS, CONTEXTS), min_size=1, max_size=3), name=st.sampled_from([*CLASSES]))
@example(queries=[(["ab"], ["aé"])], name="hamming")
def test_agrees_with_the_formulas_of_texts(queries, name):
    matched = assay.match_texts([each for each, _ in queries], [each for _, each in queries], distance=name)
    result = assay.evaluate(*matched, TEXTS, convention="ragas")

    def alike(one, other):
        return 1 - CLASSES[name].normalized_distance(one, other)

    for measure, formula in zip(TEXTS, (text_precision, text_recall), strict=True):
        expected = [formula(*query, alike) for query in queries]
        np.testing.assert_allclose(result.scores[measure], expected, rtol=1e-9, err_msg=measure)


def test_only_the_names_that_are_given_are_read():
    few = {"IDBasedContextRecall": NAMES["IDBasedContextRecall"]}
    for text in ("IDBasedContextRecall", "id_based_context_recall"):
        assert read_ragas(text, few) == ("IDBasedContextRecall", {}, ())
    assert read_ragas("id_based_context_precision", few) is None
