"""The dynamic Bayesian network model of clicks: Chapelle and Zhang, WWW 2009.

A user looks at the first document, and clicks if it is attractive (a). After a click the user is satisfied (s) and
ends, or goes on with probability γ, as after a document that was not clicked. The grade is a · s, how likely a document
that is looked at satisfies.

All that precedes the last click was looked at, and no click but the last satisfied. What is not known is whether the
last one did, and how far the user went on from there: EM over that, all result pages at once, position by position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.errors import DataError
from assay.core.judged import FloatArray, IntArray, ratio
from assay.tasks.click.impressions import explain_page
from assay.tasks.click.models import Fitted

if TYPE_CHECKING:
    from assay.tasks.click.impressions import Impressions

ROUNDS = 200
SETTLED = 1e-5
START = 0.5


class Pages(NamedTuple):
    """Result pages of different lengths, one row per position: the pair shown there, the number of pairs if none.

    `last` is the position of the last click, from 1, and 0 for none; `length` is that of the page.
    """

    pair: IntArray
    last: IntArray
    length: IntArray
    clicks: FloatArray
    known: FloatArray


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
    while rounds < ROUNDS and not settled:
        rounds += 1
        before, now = now, improve(pages, now)
        moved = np.abs(now.attraction * now.satisfaction - before.attraction * before.satisfaction)
        settled = abs(now.onward - before.onward) < SETTLED and float(moved @ weights) / weights.sum() < SETTLED
    columns = {"attraction": now.attraction, "satisfaction": now.satisfaction}
    return Fitted(now.attraction * now.satisfaction, columns, {}, {"continuation": now.onward}, rounds, settled)


def lay_out(impressions: Impressions) -> Pages:
    """The documents of each page by position, side by side."""
    if impressions.page is None or (impressions.shown != 1).any():
        raise DataError("dbn needs result pages: add a column impression, and one row per document shown")
    order = np.lexsort((impressions.place, impressions.page))
    page, place = impressions.page[order], impressions.place[order]
    again = np.flatnonzero((np.diff(page) == 0) & (np.diff(place) == 0))
    if len(again):
        where = explain_page(impressions, int(order[again[0] + 1]))
        raise DataError(f"two documents at one position of a result page ({where}); give each page its own impression")
    begins = np.flatnonzero(np.diff(page, prepend=-1))
    length = np.diff(np.append(begins, len(page)))
    number = np.arange(len(page)) - np.repeat(begins, length)
    size, pair, clicked = len(impressions.pairs), impressions.pair[order], impressions.clicks[order]
    column = np.repeat(np.arange(len(begins)), length)
    laid = np.full((int(length.max()), len(begins)), size, dtype=np.int64)
    laid[number, column] = pair
    last = np.zeros(len(begins), dtype=np.int64)
    np.maximum.at(last, column, np.where(clicked > 0, number + 1, 0))
    seen = number < last[column]
    clicks, known = (np.bincount(pair, weights=each, minlength=size).astype(np.float64) for each in (clicked, seen))
    return Pages(laid, last, length, clicks, known)


def improve(pages: Pages, now: Parameters) -> Parameters:
    """One round of EM."""
    depth, size = len(pages.pair), len(pages.clicks)
    # A place past the end of a page attracts nobody: nothing is learnt there.
    attraction, satisfaction = np.append(now.attraction, 0.0), np.append(now.satisfaction, 0.0)
    passed = [np.ones(pages.pair.shape[1])]
    for row in range(depth - 1, -1, -1):
        passed.append((1 - attraction[pages.pair[row]]) * (now.onward * passed[-1] + 1 - now.onward))
    # passed[row]: how likely nothing is clicked from that row on, if it is looked at.
    passed.reverse()
    looked = np.zeros(size + 1)
    satisfied = np.zeros(size + 1)
    chances = went = 0.0
    is_seen = np.where(pages.last == 0, 1.0, 0.0)
    for row in range(depth):
        pair, after = pages.pair[row], passed[row + 1]
        is_last, is_inside = pages.last == row + 1, row + 1 < pages.length
        looked += np.bincount(pair, weights=is_seen, minlength=size + 1)
        on = now.onward * after
        stays = np.where(is_last, 1 - satisfaction[pair], is_seen)
        evidence = np.where(is_last, satisfaction[pair] + stays * (on + 1 - now.onward), on + 1 - now.onward)
        # Nothing that happened has evidence 0; before the last click there is nothing to find out.
        share = ratio(np.ones_like(evidence), evidence)
        ended = np.where(is_last, satisfaction[pair] * share, 0.0)
        satisfied += np.bincount(pair, weights=ended, minlength=size + 1)
        going, leaving = stays * on * share, stays * (1 - now.onward) * share
        before_last = row + 1 < pages.last
        went += float(before_last.sum() + going[is_inside].sum())
        chances += float(before_last.sum() + (going + leaving)[is_inside].sum())
        is_seen = np.where(is_inside, going, 0.0)
    onward = went / chances if chances else now.onward
    return Parameters(ratio(pages.clicks, pages.known + looked[:-1]), ratio(satisfied[:-1], pages.clicks), onward)
