"""Positives and negatives from a threshold on: how well one side finds what the other calls positive.

With it, the share of positives in all that one side judged is corrected to what the other would have found.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from assay.core.note import Note, NoteKind
from assay.stats.agreement import kappa, with_interval
from assay.stats.anchored import corrected_shares
from assay.stats.intervals import FEWEST, resampled_totals
from assay.tasks.agree.result import Figure

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.core.judged import FloatArray, IntArray
    from assay.tasks.agree.result import AgreementSettings

GRADES = np.array([0.0, 1.0])


class Verdicts(NamedTuple):
    """What each side says of the documents or queries that both have, and the second side of all that it has.

    `query` is the number of the query of each, `every_query` likewise.
    """

    query: IntArray
    first: FloatArray
    second: FloatArray
    every_query: IntArray
    every: FloatArray


def threshold_figures(
    verdicts: Verdicts, threshold: float, settings: AgreementSettings, measure: str = ""
) -> tuple[list[Figure], list[Note], tuple[tuple[int, ...], ...]]:
    """The statistics of positives and negatives, notes on them, and their confusion matrix."""
    first, second, every = (each >= threshold for each in (verdicts.first, verdicts.second, verdicts.every))
    queries, numbers = np.unique(np.concatenate([verdicts.query, verdicts.every_query]), return_inverse=True)
    own, others = numbers[: len(first)], numbers[len(first) :]
    kinds = 2 * first + second
    # Per query: both negative, only the second positive, only the first, both; all of the second, and its positives.
    columns = [*(own[kinds == kind] for kind in range(4)), others, others[every]]
    counts = np.stack([np.bincount(each, minlength=len(queries)) for each in columns], axis=1).astype(np.float64)
    whole = counts.sum(axis=0)
    drawn = resampled_totals(counts, settings.samples, settings.seed) if len(queries) >= FEWEST else None
    found = {
        name: with_interval(float(function(whole)), None if drawn is None else function(drawn), settings.level)
        for name, function in STATISTICS.items()
    }
    figures = [Figure(name, each.value, *each.interval, measure) for name, each in found.items()]
    matrix = tuple(tuple(int(number) for number in row) for row in whole[:4].reshape(2, 2))
    is_known = not np.isnan(found["sensitivity"].value + found["specificity"].value)
    notes = []
    if is_known and np.isnan(found["corrected_share"].value):
        notes.append(Note.of(NoteKind.UNDEFINED, about="correction", measures=[measure] if measure else []))
    return figures, notes, matrix


def share(part: FloatArray, total: FloatArray) -> FloatArray:
    return np.where(total > 0, part / np.where(total > 0, total, 1.0), np.nan)


def share_b(counts: FloatArray) -> FloatArray:
    return share(counts[..., 5], counts[..., 4])


def sensitivity(counts: FloatArray) -> FloatArray:
    return share(counts[..., 3], counts[..., 2] + counts[..., 3])


def specificity(counts: FloatArray) -> FloatArray:
    return share(counts[..., 0], counts[..., 0] + counts[..., 1])


STATISTICS: dict[str, Callable[[FloatArray], FloatArray]] = {
    "kappa_at_threshold": lambda counts: kappa(counts[..., :4].reshape(*counts.shape[:-1], 2, 2), GRADES),
    "share_a": lambda counts: share(counts[..., 2] + counts[..., 3], counts[..., :4].sum(axis=-1)),
    "share_b": share_b,
    "sensitivity": sensitivity,
    "specificity": specificity,
    "corrected_share": lambda counts: corrected_shares(share_b(counts), sensitivity(counts), specificity(counts)),
}
