"""Strengths from comparisons of two."""

import numpy as np
import pytest
from scipy.optimize import minimize

from assay.stats.preferences import Games, bradley_terry, elo, strength_intervals, win_table
from tables import for_each


def games_of(*rows):
    first, second, score, question = zip(*rows, strict=True)
    return Games(np.array(first), np.array(second), np.array(score, dtype=float), np.array(question))


# Two systems: half the logarithm of the odds, with a quarter of a win more for each.
ODDS = [([[0, 3], [1, 0]], 3.25 / 1.25), ([[0, 2], [2, 0]], 1), ([[0, 4], [0, 0]], 4.25 / 0.25)]


@for_each("wins, odds", ODDS)
def test_two_systems_by_hand(wins, odds):
    strengths = [np.log(odds) / 2, -np.log(odds) / 2]
    np.testing.assert_allclose(bradley_terry(np.array(wins, dtype=float)), strengths, atol=1e-8)


def test_the_strengths_are_those_of_the_highest_likelihood():
    generator = np.random.default_rng(3)
    for systems in (3, 5, 8):
        wins = generator.integers(0, 6, size=(systems, systems)).astype(float)
        np.fill_diagonal(wins, 0)
        smooth = wins + 0.25 * ((wins + wins.T) > 0)

        def cost(values, smooth=smooth):
            differences = values[:, None] - values[None, :]
            return (smooth * np.log1p(np.exp(-differences))).sum()

        best = minimize(cost, np.zeros(systems), tol=1e-12).x
        np.testing.assert_allclose(bradley_terry(wins), best - best.mean(), atol=1e-4)


def test_a_tie_is_half_a_win_for_both():
    games = games_of((0, 1, 1.0, 0), (0, 1, 0.5, 1), (1, 0, 1.0, 2))
    assert win_table(games, 2).tolist() == [[0.0, 1.5], [1.5, 0.0]]


def test_the_interval_of_a_clear_winner_lies_above_the_others():
    games = games_of(*((0, 1, 1.0, number) for number in range(40)), *((0, 1, 0.0, number) for number in range(40, 50)))
    first, second = strength_intervals(games, 2)
    assert first.low > 0 > second.high
    assert first.low < bradley_terry(win_table(games, 2))[0] < first.high


def test_elo_of_one_game_by_hand():
    # Equal ratings: a win moves 32 · (1 - 0.5) points.
    assert elo(games_of((0, 1, 1.0, 0)), 2).tolist() == [1516.0, 1484.0]
    # Then 32 points apart, which leave the winner 1 / (1 + 10^(-32 / 400)) to expect, and the loser gains as much.
    again = elo(games_of((0, 1, 1.0, 0), (0, 1, 1.0, 1)), 2)
    change = 32 * (1 - 1 / (1 + 10 ** (-32 / 400)))
    assert again == pytest.approx([1516 + change, 1484 - change])


def test_elo_keeps_the_sum_and_the_seed_keeps_the_order():
    generator = np.random.default_rng(0)
    rows = [(*generator.choice(4, 2, replace=False), generator.choice([0, 0.5, 1]), number) for number in range(60)]
    ratings = elo(games_of(*rows), 4)
    assert ratings.sum() == pytest.approx(6000)
    np.testing.assert_array_equal(ratings, elo(games_of(*rows), 4))
