"""Voters of different reliability, by EM: Dawid and Skene, Applied Statistics 28, 1979.

P(true = t | votes) ∝ π_t Π_voters π^voter(t, vote); then π and the confusion matrix of each voter are estimated anew
from these, until nothing changes. The start is the share of each vote on a pair.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.judged import ratio

if TYPE_CHECKING:
    from assay.core.judged import FloatArray
    from assay.tasks.vote.ballots import Ballots

ROUNDS = 200
SETTLED = 1e-6


class Reliability(NamedTuple):
    """What EM found: the labels, how likely each is for each pair, each voter's confusion matrix, and the rounds.

    A row of a confusion matrix is a true label, a column a vote; a row sums to 1, or to 0 if the voter met no such
    pair. `accuracy` is how likely a vote of each voter is the true label.
    """

    labels: FloatArray
    posterior: FloatArray
    prevalence: FloatArray
    confusion: FloatArray
    accuracy: FloatArray
    rounds: int
    settled: bool

    @property
    def grades(self) -> FloatArray:
        """The expected grade of each pair; of thumbs, how likely it is relevant."""
        return np.asarray(self.posterior @ self.labels)

    def bounds(self, level: float) -> tuple[FloatArray, FloatArray]:
        """The labels that cut off the same share of the posterior on each side."""
        total = np.cumsum(self.posterior, axis=1)
        tail = (1 - level) / 2
        last = len(self.labels) - 1
        low, high = ((total < share - 1e-12).sum(axis=1) for share in (tail, 1 - tail))
        return self.labels[np.minimum(low, last)], self.labels[np.minimum(high, last)]


def estimate_reliability(ballots: Ballots) -> Reliability:
    """The posterior of each pair and the confusion matrix of each voter."""
    labels, vote = np.unique(ballots.value, return_inverse=True)
    size, pairs = len(labels), len(ballots.pairs)
    names, voter = np.unique(ballots.voter, return_inverse=True)
    posterior = np.bincount(ballots.pair * size + vote, minlength=pairs * size).reshape(pairs, size).astype(np.float64)
    posterior /= posterior.sum(axis=1, keepdims=True)
    rounds, settled = 0, False
    while rounds < ROUNDS and not settled:
        rounds += 1
        prevalence = posterior.mean(axis=0)
        confusion = np.empty((len(names), size, size))
        for true in range(size):
            cells = np.bincount(voter * size + vote, weights=posterior[ballots.pair, true], minlength=len(names) * size)
            confusion[:, true, :] = cells.reshape(len(names), size)
        confusion = ratio(confusion, confusion.sum(axis=2, keepdims=True))
        with np.errstate(divide="ignore"):
            logs = np.log(confusion)[voter, :, vote]
        before, posterior = posterior, expect(ballots, prevalence, logs)
        settled = bool(np.abs(posterior - before).max() < SETTLED)
    right = np.bincount(voter, weights=posterior[ballots.pair, vote]) / np.bincount(voter)
    return Reliability(labels, posterior, prevalence, confusion, right, rounds, settled)


def expect(ballots: Ballots, prevalence: FloatArray, logs: FloatArray) -> FloatArray:
    """How likely each label is for each pair; `logs` has what each vote says about each label."""
    with np.errstate(divide="ignore"):
        total = np.broadcast_to(np.log(prevalence), (len(ballots.pairs), len(prevalence))).copy()
    for true in range(len(prevalence)):
        total[:, true] += np.bincount(ballots.pair, weights=logs[:, true], minlength=len(total))
    likely = np.exp(total - total.max(axis=1, keepdims=True))
    return np.asarray(likely / likely.sum(axis=1, keepdims=True))
