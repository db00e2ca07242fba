"""From the votes on a pair to its grade, by any of several methods; and how sure that grade is.

With u of n votes up: the share u / n, the mean (a + u) / (a + b + n) of a Beta posterior with prior a, b, and the
Wilson interval (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n), p = u / n: Wilson, JASA 22, 1927. Graded votes:
the most frequent one, mean and median; Quepid takes the mean of one or two and the third-highest of three or more.

Voters of different reliability, by EM: Dawid and Skene, Applied Statistics 28, 1979. P(true = t | votes) ∝
π_t Π_voters π^voter(t, vote); then π and the confusion matrix of each voter are estimated again from these, until
nothing changes. The start is the share of each vote on a pair.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.judged import FloatArray, IntArray, ratio
from assay.tasks.vote.ballots import Ballots

if TYPE_CHECKING:
    import polars

# Quepid grades as the third-highest vote says, if there are so many.
THIRD = 3
# Rounds of EM, and the change of a probability that ends it.
ROUNDS = 200
SETTLED = 1e-6
# A lower and an upper bound per pair; NaN where nothing is known.
GradeBounds = tuple[FloatArray, FloatArray]


class Settings(NamedTuple):
    """How votes become grades: the method, the prior of beta, and the level of intervals."""

    method: str = "majority"
    prior: tuple[float, float] = (1.0, 1.0)
    level: float = 0.95

    @property
    def z(self) -> float:
        """The quantile of the normal distribution for the level."""
        return NormalDist().inv_cdf((1 + self.level) / 2)


def counts(ballots: Ballots) -> IntArray:
    """The number of votes on each pair."""
    return np.diff(ballots.starts)


def mean(ballots: Ballots) -> FloatArray:
    """The mean of the votes; of thumbs, the share that is up."""
    return np.bincount(ballots.pair, weights=ballots.value, minlength=len(ballots.pairs)) / counts(ballots)


def median(ballots: Ballots) -> FloatArray:
    """The middle vote; of an even number, the mean of the two in the middle."""
    starts, number = ballots.starts[:-1], counts(ballots)
    return np.asarray((ballots.value[starts + (number - 1) // 2] + ballots.value[starts + number // 2]) / 2)


def quepid(ballots: Ballots) -> FloatArray:
    """The mean of one or two votes, the third-highest of three or more."""
    return np.where(counts(ballots) < THIRD, mean(ballots), ballots.value[np.maximum(ballots.starts[1:] - THIRD, 0)])


def beta(ballots: Ballots, settings: Settings) -> FloatArray:
    """The mean of the posterior of the share that votes up."""
    number, (a, b) = counts(ballots), settings.prior
    return (a + mean(ballots) * number) / (a + b + number)


def most_frequent(ballots: Ballots) -> tuple[FloatArray, IntArray, IntArray]:
    """The most frequent vote on each pair, how often it was cast, and how many votes were cast as often."""
    begins = np.flatnonzero(ballots.is_other)
    times = np.diff(np.append(begins, len(ballots.pair)))
    pair = ballots.pair[begins]
    most = np.zeros(len(ballots.pairs), dtype=np.int64)
    np.maximum.at(most, pair, times)
    is_most = times == most[pair]
    first = np.unique(pair[is_most], return_index=True)[1]
    return ballots.value[begins[is_most][first]], most, np.bincount(pair[is_most], minlength=len(ballots.pairs))


def wilson_bounds(share: FloatArray, number: IntArray, z: float) -> GradeBounds:
    """The Wilson interval of a share of a number of votes."""
    middle = share + z * z / (2 * number)
    half = z * np.sqrt(share * (1 - share) / number + z * z / (4 * number * number))
    scale = 1 + z * z / number
    return np.clip((middle - half) / scale, 0, 1), np.clip((middle + half) / scale, 0, 1)


def vote_bounds(ballots: Ballots, settings: Settings) -> GradeBounds:
    """How sure the opinion on each pair is: the interval of the share that votes up, or of the mean vote."""
    number, middle = counts(ballots), mean(ballots)
    if settings.method == "beta":
        # The quantiles of the posterior.
        from scipy.special import betaincinv

        a, b = settings.prior[0] + middle * number, settings.prior[1] + number - middle * number
        tail = (1 - settings.level) / 2
        return betaincinv(a, b, tail), betaincinv(a, b, 1 - tail)
    if ballots.is_thumbs:
        return wilson_bounds(middle, number, settings.z)
    # Student's interval; NaN for a single vote.
    from scipy.special import stdtrit

    apart = (ballots.value - middle[ballots.pair]) ** 2
    freedom = np.where(number == 1, np.nan, number - 1)
    variance = np.bincount(ballots.pair, weights=apart, minlength=len(ballots.pairs)) / freedom
    half = stdtrit(freedom, (1 + settings.level) / 2) * np.sqrt(variance / number)
    return middle - half, middle + half


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

    def bounds(self, level: float) -> GradeBounds:
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
            scores = np.broadcast_to(np.log(prevalence), (pairs, size)).copy()
        for true in range(size):
            scores[:, true] += np.bincount(ballots.pair, weights=logs[:, true], minlength=pairs)
        likely = np.exp(scores - scores.max(axis=1, keepdims=True))
        before, posterior = posterior, likely / likely.sum(axis=1, keepdims=True)
        settled = bool(np.abs(posterior - before).max() < SETTLED)
    right = np.bincount(voter, weights=posterior[ballots.pair, vote]) / np.bincount(voter)
    return Reliability(labels, posterior, prevalence, confusion, right, rounds, settled)


METHODS: dict[str, Callable[[Ballots, Settings], FloatArray]] = {
    # Of several votes that are as frequent, the lowest.
    "majority": lambda ballots, _: most_frequent(ballots)[0],
    "mean": lambda ballots, _: mean(ballots),
    "median": lambda ballots, _: median(ballots),
    "beta": beta,
    # The lower end of the interval of the share that votes up.
    "wilson": lambda ballots, settings: wilson_bounds(mean(ballots), counts(ballots), settings.z)[0],
    "quepid": lambda ballots, _: quepid(ballots),
    "dawid_skene": lambda ballots, _: estimate_reliability(ballots).grades,
}
# Those that take votes that are up or down.
OF_THUMBS = ("beta", "wilson")


def grade_of(votes: Sequence[float], settings: Settings) -> float:
    """The grade that the votes on a single pair give.

    >>> grade_of([3, 1, 3], Settings("majority")), grade_of([1, 0], Settings("mean"))
    (3.0, 0.5)
    """
    value = np.sort(np.asarray(votes, dtype=np.float64))
    number = np.arange(len(value))
    is_thumbs = bool(np.isin(value, (0, 1)).all())
    single = Ballots(one_pair(), 0 * number, number, value, [], is_thumbs=is_thumbs, comments=[])
    return float(METHODS[settings.method](single, settings)[0])


@lru_cache(maxsize=1)
def one_pair() -> polars.DataFrame:
    """The table of a single pair, whose names do not matter."""
    import polars

    return polars.DataFrame({"query": [""], "document": [""]})
