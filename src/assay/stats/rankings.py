"""How far two rankings agree: rank-biased overlap, and Kendall's τ over the documents of both.

Webber, Moffat and Zobel, A similarity measure for indefinite rankings, ACM TOIS 28(4), 2010.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

PERSISTENCE = 0.9
# One document has no order.
FEWEST = 2


def rank_biased_overlap(a: Sequence[str], b: Sequence[str], p: float = PERSISTENCE) -> float:
    """The extrapolated rank-biased overlap, to the depth of the shorter ranking; NaN if both are empty.

    >>> rank_biased_overlap(["x", "y"], ["x", "y"]), rank_biased_overlap(["x"], ["y"])
    (1.0, 0.0)
    """
    depth = min(len(a), len(b))
    if not depth:
        return float("nan") if len(a) == len(b) else 0.0
    place = {document: number for number, document in enumerate(b[:depth])}
    # A document of both counts from the deeper of its two ranks on.
    shared = [max(number, place[document]) for number, document in enumerate(a[:depth]) if document in place]
    depths = np.arange(1, depth + 1)
    agreed = np.cumsum(np.bincount(shared, minlength=depth)) / depths
    return float(agreed[-1] * p**depth + (1 - p) / p * (agreed * p**depths).sum())


def common_tau(a: Sequence[str], b: Sequence[str]) -> float:
    """Kendall's τ of the order of the documents in both rankings; NaN for fewer than two.

    >>> common_tau(["x", "y", "z"], ["z", "y", "w"])
    -1.0
    """
    place = {document: number for number, document in enumerate(b)}
    order = np.array([place[document] for document in a if document in place])
    if len(order) < FEWEST:
        return float("nan")
    in_order = int(np.triu(order[:, None] < order[None, :]).sum())
    couples = len(order) * (len(order) - 1) // 2
    return 2 * in_order / couples - 1
