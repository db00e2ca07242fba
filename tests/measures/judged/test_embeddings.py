"""Measures that compare embeddings."""

import json

import numpy as np
import pytest

import assay
from assay.measures.judged.case import replay
from assay.measures.judged.embeddings import cosine
from judges import Script
from tables import for_each

nan = np.nan
RECORD = {"question": "Who?", "answer": "Ada.", "references": ["Ada L.", "Grace."]}
COSINES = [([1, 0], [0, 1], 0), ([1, 0], [-2, 0], -1), ([1, 1], [1, 0], 2**-0.5), ([0, 0], [1, 0], nan)]
COSINES += [([1e200, 0], [1e200, 0], nan)]


@for_each("one, other, expected", COSINES)
def test_cosine(one, other, expected):
    with np.errstate(over="ignore"):
        assert cosine(one, other) == pytest.approx(expected, nan_ok=True)


def questions(*noncommittal):
    return {"questions": [{"question": f"q{at}", "noncommittal": each} for at, each in enumerate(noncommittal)]}


STEPS = [
    ("answer_relevancy", [questions(False, False, True), [[1, 0], [1, 0], [0, 1], [3, 4]]], (1 + 0 + 0.6) / 3),
    ("answer_relevancy", [questions(True, True, True), [[1, 0], [1, 0], [1, 0], [1, 0]]], 0),
    ("answer_relevancy(strictness=1)", [questions(False), [[1, 0], [-1, 0]]], -1),
    ("answer_relevancy(strictness=2)", [questions(False, False), [[1, 0], [0, 0], [1, 0]]], nan),
    ("answer_relevancy(method=points)", [{"reason": "", "subject": True, "focus": False}], 0.5),
    ("answer_relevancy(method=points)", [{"reason": "", "subject": True, "focus": True}], 1),
    ("semantic_similarity", [[[1, 0], [3, 4], [0, 1]]], 0.6),
    ("semantic_similarity(threshold=0.6)", [[[1, 0], [3, 4], [0, 1]]], 1),
    ("semantic_similarity(threshold=0.8)", [[[1, 0], [3, 4], [0, 1]]], 0),
    ("semantic_similarity(threshold=0.8)", [[[1, 0], [0, 0], [4, 3]]], 1),
    ("semantic_similarity(threshold=0.8)", [[[0, 0], [3, 4], [0, 1]]], nan),
]


@for_each("name, replies, expected", STEPS)
def test_steps(name, replies, expected):
    assert replay(name, RECORD, replies).score == pytest.approx(expected, nan_ok=True)


def test_the_answer_alone_is_shown_and_the_number_of_questions_is_checked():
    script = Script(json.dumps(questions(False)), json.dumps(questions(False, False, False)))
    judge = assay.Judge(script, embedder=lambda texts: [[1.0, 0.0] for _ in texts], cache=False)
    result = assay.evaluate_rag([RECORD], ["answer_relevancy"], judge=judge)
    assert result.mean == {"answer_relevancy": 1.0}
    assert "Who?" not in script.asked[0][1]["content"]
    assert "questions has 1 entry, expected 3" in script.asked[1][-1]["content"]


def test_without_an_embedder_it_says_so():
    judge = assay.Judge(Script(json.dumps(questions(False, False, False))), cache=False)
    result = assay.evaluate_rag([RECORD], ["answer_relevancy", "semantic_similarity"], judge=judge)
    assert result.counted("semantic_similarity") == 0
    assert "pass embedder=" in str(result.notes)
