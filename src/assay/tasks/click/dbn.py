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
from assay.core.text import show
from assay.tasks.click.models import Fitted

if TYPE_CHECKING:
    from assay.tasks.click.impressions import Impressions

ROUNDS = 200
SETTLED = 1e-5
START = 0.5


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
    key = impressions.page * len(impressions.positions) + impressions.place
    order = np.arange(len(key)) if (np.diff(key) > 0).all() else np.argsort(key, kind="stable")
    page, place = impressions.page[order], impressions.place[order]
    again = np.flatnonzero((np.diff(page) == 0) & (np.diff(place) == 0))
    if len(again):
        query, document = impressions.pairs.row(int(impressions.pair[order[again[0] + 1]]))
        where = f"query {show(query)}, document {show(document)}"
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
    clicks = np.bincount(pair, weights=clicked, minlength=size).astype(np.float64)
    known = np.bincount(pair, weights=number < last[column], minlength=size).astype(np.float64)
    rows = range(1, len(laid) + 1)
    ends = [np.flatnonzero(last == row) for row in rows]
    inside = [(row < length).astype(np.float64) for row in rows]
    return Pages(laid, (last == 0).astype(np.float64), ends, inside, clicks, known, int(np.maximum(last - 1, 0).sum()))


def improve(pages: Pages, now: Parameters) -> Parameters:
    """One round of EM."""
    passed = pass_by(pages, now)
    size = len(pages.clicks)
    looked, satisfied = np.zeros(size + 1), np.zeros(size + 1)
    went = stopped = 0.0
    # How likely each page is looked at here, past its last click.
    seen = pages.bare
    for pair, ends, inside, after in zip(pages.pair, pages.ends, pages.inside, passed, strict=True):
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


def pass_by(pages: Pages, now: Parameters) -> list[FloatArray]:
    """For each row, how likely nothing is clicked on a page below it, if the next document is looked at."""
    # A place past the end of a page attracts nobody: nothing is learnt there.
    attraction = np.append(now.attraction, 0.0)
    passed = [np.ones(pages.pair.shape[1])]
    for pair in pages.pair[:0:-1]:
        passed.append((1 - attraction[pair]) * (now.onward * passed[-1] + (1 - now.onward)))
    passed.reverse()
    return passed
