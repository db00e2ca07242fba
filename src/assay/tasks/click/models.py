"""From clicks to grades: COEC, the position-based model, and the dynamic Bayesian network model.

COEC, clicks over expected clicks, divides the clicks on a pair by the sum, over its impressions, of the click-through
rate at the position of each: Zhang and Jones, Comparing click logs and editorial labels for training query rewriting,
2007. The position-based model takes a click to be P(click) = θ_position · α_pair, and finds both by EM: Richardson,
Dominowska and Ragno, Predicting clicks, WWW 2007. Only the products are known, so the largest θ is 1.

The dynamic Bayesian network model: Chapelle and Zhang, WWW 2009. A user looks at the first document, and clicks if it
is attractive (a). After a click the user is satisfied (s) and ends, or goes on with probability γ, as after a document
that was not clicked. The grade is a · s, how likely a document that is looked at satisfies. All that precedes the last
click was looked at, and no click but the last satisfied. What is not known is whether the last one did, and how far the
user went on from there: EM over that, all result pages at once, position by position.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from assay.core.errors import DataError
from assay.core.judged import FloatArray, IntArray, ratio
from assay.core.text import show
from assay.tasks.click.impressions import Impressions

PBM_ROUNDS, PBM_SETTLED = 500, 1e-6
DBN_ROUNDS, DBN_SETTLED = 200, 1e-5
START = 0.5


class Fitted(NamedTuple):
    """What a model found: a grade per pair, figures per pair and per position, others, and how EM ended.

    A grade is NaN if the model has none for a pair. `is_told` says whether the data can tell attraction and position
    apart.
    """

    grades: FloatArray
    of_pairs: dict[str, FloatArray]
    of_positions: dict[str, FloatArray]
    figures: dict[str, float]
    rounds: int = 0
    settled: bool = True
    is_told: bool = True


def coec(impressions: Impressions) -> Fitted:
    """Clicks over expected clicks; no grade where none is expected."""
    size = len(impressions.positions)
    shown = np.bincount(impressions.place, weights=impressions.shown, minlength=size)
    rate = ratio(np.bincount(impressions.place, weights=impressions.clicks, minlength=size), shown)
    expected = np.bincount(impressions.pair, weights=impressions.shown * rate[impressions.place]).astype(np.float64)
    grades = ratio(np.bincount(impressions.pair, weights=impressions.clicks), expected)
    return Fitted(np.where(expected > 0, grades, np.nan), {"expected": expected}, {}, {})


def pbm(impressions: Impressions) -> Fitted:
    """The position-based model: attraction of each pair, and how likely each position is looked at."""
    size = len(impressions.positions)
    cells, inverse = np.unique(impressions.pair * size + impressions.place, return_inverse=True)
    pair, place = cells // size, cells % size
    shown = np.bincount(inverse, weights=impressions.shown)
    clicks = np.bincount(inverse, weights=impressions.clicks)
    total = np.bincount(pair, weights=shown)
    at = np.bincount(place, weights=shown, minlength=size)
    alpha, theta = np.full(len(total), START), np.full(size, START)
    rounds, settled = 0, False
    while rounds < PBM_ROUNDS and not settled:
        rounds += 1
        before = alpha * theta.max(), theta / theta.max()
        a, t = alpha[pair], theta[place]
        # Of those that were not clicked: attractive but not seen, and seen but not attractive.
        passed = ratio(shown - clicks, 1 - a * t)
        alpha = np.bincount(pair, weights=clicks + passed * a * (1 - t)) / total
        theta = np.bincount(place, weights=clicks + passed * t * (1 - a), minlength=size) / at
        after = alpha * theta.max(), theta / theta.max()
        moved = np.abs(after[0] - before[0]) @ total / total.sum(), np.abs(after[1] - before[1]).max()
        settled = max(map(float, moved)) < PBM_SETTLED
    highest = theta.max()
    is_told = size == 1 or len(cells) > len(total)
    return Fitted(alpha * highest, {}, {"examined": theta / highest}, {}, rounds, settled, is_told)


class Pages(NamedTuple):
    """Result pages of different lengths, one row per position: the pair shown there, the number of pairs if none.

    `bare` are the pages without a click, as 1 and 0. `ends` has for each row the pages whose last click is there, and
    `inside` says for each row which pages go on after it. `known` is how often each pair was surely looked at, and
    `onward` how often a user surely went on.
    """

    pair: IntArray
    bare: FloatArray
    ends: list[IntArray]
    inside: list[FloatArray]
    clicks: FloatArray
    known: FloatArray
    onward: int


class Parameters(NamedTuple):
    """Attraction and satisfaction of each pair, and how likely a user goes on."""

    attraction: FloatArray
    satisfaction: FloatArray
    onward: float


def dbn(impressions: Impressions) -> Fitted:
    """The dynamic Bayesian network model: attraction and satisfaction of each pair, and how likely a user goes on."""
    pages = lay_out(impressions)
    size = len(impressions.pairs)
    weights = np.bincount(impressions.pair, minlength=size)
    now = Parameters(np.full(size, START), np.full(size, START), START)
    rounds, settled = 0, False
    while rounds < DBN_ROUNDS and not settled:
        rounds += 1
        before, now = now, improve(pages, now)
        moved = np.abs(now.attraction * now.satisfaction - before.attraction * before.satisfaction)
        settled = abs(now.onward - before.onward) < DBN_SETTLED and float(moved @ weights) / weights.sum() < DBN_SETTLED
    columns = {"attraction": now.attraction, "satisfaction": now.satisfaction}
    return Fitted(now.attraction * now.satisfaction, columns, {}, {"continuation": now.onward}, rounds, settled)


def lay_out(impressions: Impressions) -> Pages:
    """The documents of each page by position, side by side."""
    if impressions.page is None or (impressions.shown != 1).any():
        raise DataError("dbn needs result pages: add a column impression, and one row per document shown")
    key = impressions.page * len(impressions.positions) + impressions.place
    order = np.arange(len(key)) if (np.diff(key) > 0).all() else np.argsort(key, kind="stable")
    again = np.flatnonzero(np.diff(key[order]) == 0)
    if len(again):
        query, document = impressions.pairs.row(int(impressions.pair[order[again[0] + 1]]))
        where = f"query {show(query)}, document {show(document)}"
        raise DataError(f"two documents at one position of a result page ({where}); give each page its own impression")
    page, pair, clicked = impressions.page[order], impressions.pair[order], impressions.clicks[order]
    size = len(impressions.pairs)
    begins = np.flatnonzero(np.diff(page, prepend=-1))
    length = np.diff(np.append(begins, len(page)))
    number = np.arange(len(page)) - np.repeat(begins, length)
    column = np.repeat(np.arange(len(begins)), length)
    laid = np.full((int(length.max()), len(begins)), size, dtype=np.int64)
    laid[number, column] = pair
    last = np.zeros(len(begins), dtype=np.int64)
    np.maximum.at(last, column, np.where(clicked > 0, number + 1, 0))
    rows = range(1, len(laid) + 1)
    return Pages(
        laid,
        bare=(last == 0).astype(np.float64),
        ends=[np.flatnonzero(last == row) for row in rows],
        inside=[(row < length).astype(np.float64) for row in rows],
        clicks=np.bincount(pair, weights=clicked, minlength=size).astype(np.float64),
        known=np.bincount(pair, weights=number < last[column], minlength=size).astype(np.float64),
        onward=int(np.maximum(last - 1, 0).sum()),
    )


def improve(pages: Pages, now: Parameters) -> Parameters:
    """One round of EM."""
    # For each row, how likely nothing is clicked on a page below it, if the next document is looked at. A place past
    # the end of a page attracts nobody: nothing is learnt there.
    attraction = np.append(now.attraction, 0.0)
    passed = [np.ones(pages.pair.shape[1])]
    for pair in pages.pair[:0:-1]:
        passed.append((1 - attraction[pair]) * (now.onward * passed[-1] + (1 - now.onward)))
    size = len(pages.clicks)
    looked, satisfied = np.zeros(size + 1), np.zeros(size + 1)
    went = stopped = 0.0
    # How likely each page is looked at here, past its last click.
    seen = pages.bare
    for pair, ends, inside, after in zip(pages.pair, pages.ends, pages.inside, reversed(passed), strict=True):
        looked += np.bincount(pair, weights=seen, minlength=size + 1)
        on = now.onward * after
        evidence = on + (1 - now.onward)
        going = seen * ratio(on, evidence)
        leaving = seen - going
        satisfaction = now.satisfaction[pair[ends]]
        whole = satisfaction + (1 - satisfaction) * evidence[ends]
        satisfied += np.bincount(pair[ends], weights=ratio(satisfaction, whole), minlength=size + 1)
        going[ends] = ratio((1 - satisfaction) * on[ends], whole)
        leaving[ends] = ratio((1 - satisfaction) * (1 - now.onward), whole)
        seen = going * inside
        went += float(seen.sum())
        stopped += float(leaving @ inside)
    went += pages.onward
    return Parameters(
        ratio(pages.clicks, pages.known + looked[:-1]),
        ratio(satisfied[:-1], pages.clicks),
        went / (went + stopped) if went + stopped else now.onward,
    )


MODELS: dict[str, Callable[[Impressions], Fitted]] = {"coec": coec, "pbm": pbm, "dbn": dbn}
