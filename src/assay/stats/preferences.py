"""Strengths of systems from comparisons of two: Bradley–Terry, which does not depend on an order, and Elo, which does.

Bradley–Terry: system i beats j with probability pᵢ / (pᵢ + pⱼ); a tie is half a win for each. The strengths are found
by Hunter's minorisation (2004, MM algorithms for generalized Bradley–Terry models), with half a tie more between any
two that were compared, so that a system that never lost has a finite strength. Elo: R_A += K (S − E) with
E = 1 / (1 + 10^((R_B − R_A) / 400)), over games in random order, averaged over many orders.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from assay.core.judged import FloatArray, IntArray
from assay.stats.intervals import SAMPLES, Interval, percentiles

ROUNDS = 10_000
CLOSE = 1e-10
PRIOR = 0.5
START, SCALE, FACTOR = 1500.0, 400.0, 32.0
ORDERS = 100
LEVEL = 0.95


class Games(NamedTuple):
    """One entry per game: two systems by number, the score of the first (1, 0.5 or 0), and the question by number."""

    first: IntArray
    second: IntArray
    score: FloatArray
    question: IntArray


def win_table(games: Games, systems: int, weights: FloatArray | None = None) -> FloatArray:
    """How often each system (row) beat each other (column); a tie is half a win for both."""
    wins = np.zeros((systems, systems))
    share = np.ones(len(games.score)) if weights is None else weights
    np.add.at(wins, (games.first, games.second), games.score * share)
    np.add.at(wins, (games.second, games.first), (1 - games.score) * share)
    return wins


def bradley_terry(wins: FloatArray) -> FloatArray:
    """The strengths on a logarithmic scale, with mean 0: their difference is the logarithm of the odds of a win."""
    played = wins + wins.T
    smooth = wins + PRIOR / 2 * (played > 0)
    games = smooth + smooth.T
    total = smooth.sum(axis=1)
    strength = np.ones(len(wins))
    for _ in range(ROUNDS):
        shared = games / (strength[:, None] + strength[None, :])
        old, strength = strength, total / np.maximum(shared.sum(axis=1), CLOSE)
        strength = np.maximum(strength, CLOSE)
        strength /= np.exp(np.log(strength).mean())
        if np.abs(np.log(strength / old)).max() < CLOSE:
            break
    result: FloatArray = np.log(strength)
    return result


def strength_intervals(games: Games, systems: int, seed: int = 0, level: float = LEVEL) -> list[Interval]:
    generator = np.random.default_rng(seed)
    questions = int(games.question.max()) + 1 if len(games.question) else 0
    drawn = np.empty((min(SAMPLES, 1000), systems))
    for row in drawn:
        times = np.bincount(generator.integers(questions, size=questions), minlength=questions)
        row[:] = bradley_terry(win_table(games, systems, times[games.question].astype(float)))
    return [percentiles(drawn[:, system], level) for system in range(systems)]


def elo(games: Games, systems: int, seed: int = 0) -> FloatArray:
    """Elo ratings, averaged over random orders of the games."""
    generator = np.random.default_rng(seed)
    rows = list(zip(games.first.tolist(), games.second.tolist(), games.score.tolist(), strict=True))
    total = np.zeros(systems)
    for _ in range(ORDERS):
        ratings = [START] * systems
        for at in generator.permutation(len(rows)).tolist():
            first, second, score = rows[at]
            change = FACTOR * (score - 1 / (1 + 10 ** ((ratings[second] - ratings[first]) / SCALE)))
            ratings[first] += change
            ratings[second] -= change
        total += ratings
    return total / ORDERS
