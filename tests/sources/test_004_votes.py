"""Document 004 from its beginning: users vote on search results, and the votes give its relevance scores and numbers."""

import numpy as np
import pytest

import assay
from sources.test_004_metrics_for_ir import QRELS, RUN
from tables import for_each

# Ten users vote on every document; as many vote up as the document's relevance score says.
USERS = 10
SHARES = [(query, document, share) for query, grades in QRELS.items() for document, share in grades.items()]
ANSWERS = ("down", "up")
VOTES = [
    {"query": query, "document": document, "voter": f"user {user}", "vote": ANSWERS[user < round(USERS * share)]}
    for query, document, share in SHARES
    for user in range(USERS)
]
# Measure, and its value for each of the three queries, as the formulas of the document give it.
EXPECTED = [
    ("dcg@2", [1.31546, 1.33093, 0.52619]),
    ("ndcg@2", [1, 0.92320, 0.42015]),
    ("precision@2", [1, 1, 0]),
    ("recall@2", [1, 1, 0]),
    ("r_cap@2", [1, 1, 0]),
    ("mrr@2", [1, 1, 0]),
    ("mrr", [1, 1, 1 / 3]),
]


@for_each(("measure", "expected"), EXPECTED)
def test_the_numbers_of_the_document_from_votes(measure, expected):
    result = assay.evaluate(None, RUN, measure, votes=assay.votes(VOTES, method="mean"), rel=0.5)
    assert result.scores[measure] == pytest.approx(expected, abs=5e-6)
    assert result[measure] == pytest.approx(np.mean(expected), abs=5e-6)


def test_from_a_file_of_votes_to_a_file_of_judgments(tmp_path):
    lines = [",".join(row.values()) for row in VOTES]
    (tmp_path / "votes.csv").write_text("\n".join(["query,document,voter,vote", *lines]) + "\n")
    assay.votes(tmp_path / "votes.csv", method="mean").write(tmp_path / "qrels.csv")
    assert assay.read_qrels(tmp_path / "qrels.csv").to_dict() == QRELS


def test_a_threshold_on_shares_is_one_on_the_careful_grade_only_with_more_votes():
    careful = assay.votes(VOTES, method="wilson").qrels
    # Five of ten votes up: the share is 0.5, and the careful grade is far below.
    assert careful["Query 1"]["Document 2"] == pytest.approx(0.2365931, abs=5e-8)
    assert careful["Query 1"]["Document 1"] == pytest.approx(0.7224672, abs=5e-8)
