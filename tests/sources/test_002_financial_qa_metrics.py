"""Document 002, ten metrics for answering financial questions: every formula and every worked example."""

from math import log2, prod

from hypothesis import given
from hypothesis import strategies as st

import assay
from sources import rankings
from tables import for_each

FORMULAS = {
    "precision@{k}": rankings.precision,
    "recall": rankings.whole(rankings.recall),
    "map": rankings.whole(rankings.average_precision),
    "mrr": rankings.whole(rankings.reciprocal_rank),
    "f1": rankings.whole(rankings.f1),
    "first_rank": lambda ranking, *_: ranking.index(1) + 1,
    "hit_rate@{k}": rankings.hit_rate,
}
GRADED = {
    "dcg(gain=exp2)": rankings.whole(rankings.burges(rankings.dcg)),
    "ndcg(gain=exp2)": rankings.uncut(rankings.burges(rankings.ndcg)),
}


def expected_reciprocal_rank(chances):
    return sum(prod(1 - earlier for earlier in chances[: i - 1]) * r / i for i, r in enumerate(chances, start=1))


@rankings.few_examples
@given(
    rankings.hit_queries, rankings.graded_queries, rankings.cutoffs, st.lists(st.floats(0, 1), min_size=1, max_size=8)
)
def test_formulas(drawn, graded, k, chances):
    rankings.agree(FORMULAS, drawn, k)
    rankings.agree(GRADED, graded, k)
    assert rankings.score("err(gain=identity)", chances) == rankings.close(expected_reciprocal_rank(chances))


@rankings.few_examples
@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 5)), min_size=2, max_size=10).filter(
        lambda documents: len({is_relevant for is_relevant, _ in documents}) == 2
    )
)
def test_auc_is_the_chance_that_a_relevant_document_is_ranked_higher(documents):
    relevant = [value for is_relevant, value in documents if is_relevant]
    others = [value for is_relevant, value in documents if not is_relevant]
    right = sum((one > other) + (one == other) / 2 for one in relevant for other in others)
    qrels = {"q": {f"d{number}": int(is_relevant) for number, (is_relevant, _) in enumerate(documents)}}
    run = {"q": {f"d{number}": value for number, (_, value) in enumerate(documents)}}
    assert assay.evaluate(qrels, run, "auc")["auc"] == rankings.close(right / (len(relevant) * len(others)))


def test_auc_without_discrimination_is_a_half():
    qrels, run = {"q": {"a": 1, "b": 0, "c": 1, "d": 0, "e": 0}}, {"q": dict.fromkeys("abcde", 0.3)}
    assert assay.evaluate(qrels, run, "auc")["auc"] == 0.5


def test_precision_example_revenue_sources():
    relevant = ["Revenue Streams", "Revenue Recognition Policies", "Financial Statements"]
    retrieved = [relevant[0], "Executive Profiles", "Market Analysis", *relevant[1:]]
    assert assay.evaluate({"q": relevant}, {"q": retrieved}, "precision@5")["precision@5"] == 0.6


# Measure, rankings of one query each, grades that were not retrieved, the mean, and as the document rounds it.
EXAMPLES = [
    ("recall", [[1, 1, 0, 1, 1, 0, 1, 1]], [1] * 4, 6 / 10, 0.6),
    # Average precisions of (1/1 + 2/5) / 2, (1/1 + 2/2 + 3/3 + 4/20) / 4 and (1/1 + 2/10) / 2
    ("map", [[1, 0, 0, 0, 1], [1, 1, 1, *[0] * 16, 1], [1, *[0] * 8, 1]], [], (0.7 + 0.8 + 0.6) / 3, 0.7),
    # 7/log2(2) + 0 + 3/log2(4) = 8.5, and ideally 7/log2(2) + 3/log2(3) = 8.892789
    ("dcg(gain=exp2)", [[3, 0, 2]], [], 8.5, 8.5),
    ("dcg(gain=exp2)", [[3, 2, 0]], [], 7 + 3 / log2(3), 8.892789),
    ("ndcg(gain=exp2)", [[3, 0, 2]], [], 8.5 / (7 + 3 / log2(3)), 0.95583),
    ("ndcg(gain=exp2)", [[3, 2, 0]], [], 1, 1),
    ("mrr", [[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 1]], [], (1 / 2 + 1 / 1 + 1 / 4) / 3, 0.58),
    ("precision", [[1, 1, 0, 1, 1, 0, 1, 1, 0, 1]], [1] * 7, 0.7, 0.7),
    ("recall", [[1, 1, 0, 1, 1, 0, 1, 1, 0, 1]], [1] * 7, 0.5, 0.5),
    ("f1", [[1, 1, 0, 1, 1, 0, 1, 1, 0, 1]], [1] * 7, 7 / 12, 0.58),
    ("auc", [[1, 1, 1, 0, 0]], [], 1, 1),
    ("auc", [[0, 0, 1, 1, 1]], [], 0, 0),
    # Five relevant documents, with 0, 0, 0, 1 and 2 of the four others above them: 3 of 20 pairs are in wrong order.
    ("auc", [[1, 1, 1, 0, 1, 0, 1, 0, 0]], [], 17 / 20, 0.85),
    ("mean_rank", [[0, 0, 1, 1, 0], [0, 1, 0, 0, 0], [0, 0, 0, 0, 1]], [], (3 + 2 + 5) / 3, 3.33),
    # Fifteen of twenty queries; the first relevant document of the other five stands just below the top five.
    ("hit_rate@5", [[0] * (number % 5) + [1] for number in range(15)] + [[0] * 5 + [1]] * 5, [], 15 / 20, 0.75),
    ("hit_rate@6", [[0] * (number % 5) + [1] for number in range(15)] + [[0] * 5 + [1]] * 5, [], 1, 1),
    # Hit rate is recall only with one relevant document.
    ("hit_rate@5", [[0, 1, 0, 0, 0]], [], 1, 1),
    ("recall@5", [[0, 1, 0, 0, 0]], [], 1, 1),
    ("hit_rate@5", [[0, 1, 0, 0, 0]], [1, 1, 1], 1, 1),
    ("recall@5", [[0, 1, 0, 0, 0]], [1, 1, 1], 1 / 4, 0.25),
    ("err(gain=identity)", [[0.2, 0.5, 0.8]], [], 0.2 + 0.8 * 0.5 / 2 + 0.8 * 0.5 * 0.8 / 3, 0.506667),
    ("err(gain=identity)", [[0.8, 0.5, 0.2]], [], 0.8 + 0.2 * 0.5 / 2 + 0.2 * 0.5 * 0.2 / 3, 0.856667),
]


@for_each(("measure", "grades", "unseen", "expected", "printed"), EXAMPLES)
def test_examples(measure, grades, unseen, expected, printed):
    result = rankings.judged_scores(measure, [(ranking, unseen) for ranking in grades])
    assert result[measure] == rankings.close(expected)
    assert round(result[measure], len(str(printed).partition(".")[2])) == printed
