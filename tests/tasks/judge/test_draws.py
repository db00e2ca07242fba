"""Repeated draws: means, majorities, and how far other draws would have moved them."""

import itertools
import json

import pytest

import assay
from assay.tasks.judge.drive import draws_variance, score_draws
from tables import for_each

SCORES = [
    # draws, mean, its variance, majority, its variance
    ([1], 1, 0, 1, 0),
    ([1, 1, 1], 1, 0, 1, 0),
    ([1, 1, 0], 2 / 3, 1 / 9, 1, 20 / 27 * 7 / 27),
    ([0, 1, 0], 1 / 3, 1 / 9, 0, 20 / 27 * 7 / 27),
    ([1, 0], 1 / 2, 1 / 4, 1 / 2, 1 / 8),
    ([0, 0, 0, 0, 1], 1 / 5, 1 / 25, 0, 0.05792 * (1 - 0.05792)),
]


@for_each("draws, mean, variance, majority, majority_variance", SCORES)
def test_values(draws, mean, variance, majority, majority_variance):
    assert score_draws(draws) == pytest.approx(mean)
    assert draws_variance(draws) == pytest.approx(variance)
    assert score_draws(draws, "majority") == majority
    assert draws_variance(draws, "majority") == pytest.approx(majority_variance)


@for_each("draws", [[1, 0, 1], [1, 1, 0, 0], [1, 0, 0, 0, 1]])
def test_the_variance_of_a_majority_is_that_of_all_draws_there_could_be(draws):
    share = sum(draws) / len(draws)
    expected = square = 0.0
    for each in itertools.product([0, 1], repeat=len(draws)):
        chance = share ** sum(each) * (1 - share) ** (len(each) - sum(each))
        vote = score_draws(each, "majority")
        expected, square = expected + chance * vote, square + chance * vote**2
    assert draws_variance(draws, "majority") == pytest.approx(square - expected**2)


@pytest.fixture
def polite():
    """A criterion with a name of its own."""
    assay.judges.read_criteria({"polite": {"aspect": "Is it polite?"}})
    yield "polite"
    assay.extend.remove_measure("polite")


@pytest.mark.parametrize("kind", ["aspect", "guideline", "relevancy", "own"])
def test_yes_and_no_are_put_to_the_vote(kind, polite):
    replies = itertools.cycle([False, True, True])

    def changing(_):
        verdict = next(replies)
        return json.dumps({"reason": "polite" if verdict else "rude", "verdict": verdict})

    name = {"own": polite, "relevancy": kind}.get(kind, f'{kind}(criterion="Kind?")')
    record = {"query_id": "q1", "question": "Who?", "answer": "Ann.", "retrieved_texts": ["Ann did it."]}
    judge = assay.Judge(changing, cache=False, samples=3, temperature=1, concurrency=1)
    result = assay.evaluate_rag([record], [name], judge=judge)
    (key,) = result.measures
    assert result.scores[key].tolist() == [1.0]
    (ruling,) = result.rulings[key]
    assert (ruling.samples, ruling.is_flipped) == ((0.0, 1.0, 1.0), True)
    # The verdict that is shown is one of those that won.
    assert [each.reason for each in ruling.verdicts] == ["polite"]
    assert [str(note) for note in result.notes] == [f"{key}: 1 of 1 questions changed its score between 3 draws: 'q1'"]
    assert result.noise[key].tolist() == [pytest.approx(20 / 27 * 7 / 27)]
