"""The measures that came from ir_measures, slow and obvious: the whole ranking is walked, document by document.

Rankings here have no groups, so a query has one subtopic; pyndeval is the oracle for more.
"""

import math

from oracle.obvious import divide


def scaled_gains(query, low, high, depth):
    """The gain at each rank up to the depth, nothing where the ranking has ended."""
    high = high if high > low else low + 1
    gains = []
    for rank in range(1, depth + 1):
        grade = query.ranked[rank - 1] if rank <= len(query.ranked) else None
        kept = min(max(grade, 0, low), high) if query.is_judged(grade) else low
        gains.append((kept - low) / (high - low))
    return gains


def read_on(gains, go_on):
    """What a reader gains a document; `go_on` is the chance to go on, given the rank and the gains up to it."""
    total = seen = found = 0.0
    reach = 1.0
    for rank, gain in enumerate(gains, start=1):
        total += reach * gain
        seen += reach
        found += gain
        reach *= go_on(rank, gain, found)
    return total / seen


def sdcg(query, k, min=0, max=None):
    gains = scaled_gains(query, min, max, k)
    discounts = [1 / math.log2(rank + 1) for rank in range(1, k + 1)]
    return sum(gain * discount for gain, discount in zip(gains, discounts, strict=True)) / sum(discounts)


def bpm(query, k, target=1, min=0, max=None):
    total, stop = 0.0, 0
    for gain in scaled_gains(query, min, max, k):
        total, stop = total + gain, stop + 1
        if total >= target:
            break
    return total / stop


def patient(rank, target, found=0.0):
    return ((rank + 2 * target - found - 1) / (rank + 2 * target - found)) ** 2


def reader(go_on, **defaults):
    """The measure of a reader: the chance to go on, given rank, gain, what was found so far, and the parameters."""

    def measure(query, k=None, min=0, max=None, limit=1000, **given):
        values = {**defaults, **given}
        return read_on(scaled_gains(query, min, max, k or limit), lambda *seen: go_on(*seen, **values))

    return measure


def overlap(ranking, ideal, p, depth):
    total, left, right = 0.0, set(), set()
    for step in range(1, depth + 1):
        left.update(ranking[step - 1 : step])
        right.update(ideal[step - 1 : step])
        total += p ** (step - 1) * len(left & right) / step
    return total


def compatibility(query, p=0.95, limit=1000, ideal="rank", normalize=True):
    assert ideal == "rank"
    unseen = [grade for grade in query.judged if grade > 0]
    wanted = []
    for place, (document, grade) in enumerate(zip(query.documents, query.ranked, strict=True)):
        if grade is not None and grade > 0 and document not in [name for _, _, name in wanted]:
            unseen.remove(grade)
            wanted.append((-grade, place, document))
    wanted += [(-grade, math.inf, f"unseen {number}") for number, grade in enumerate(unseen)]
    best = [document for _, _, document in sorted(wanted)]
    score = overlap(query.documents, best, p, limit)
    divisor = overlap(best, best, p, limit) if normalize else sum(p**step for step in range(limit))
    return divide(score, divisor)


def novelty(ranks, alpha, worth, k):
    return sum((1 - alpha) ** seen * worth(rank) for seen, rank in enumerate(ranks) if k is None or rank <= k)


DISCOUNTS = {"log": lambda rank: 1 / math.log2(rank + 1), "reciprocal": lambda rank: 1 / rank}


def of_perfect(worth):
    def measure(query, k, rel=1, alpha=0.5, norm="ideal"):
        total = novelty(query.relevant_ranks(rel), alpha, worth, k)
        if norm == "none" or (norm == "ndeval" and k == 1) or not query.count_relevant(rel):
            return total
        return total / novelty(range(1, k + 1), alpha, worth, k)

    return measure


def of_best(worth):
    def measure(query, k=None, rel=1, alpha=0.5):
        best = range(1, query.count_relevant(rel) + 1)
        return divide(novelty(query.relevant_ranks(rel), alpha, worth, k), novelty(best, alpha, worth, k))

    return measure


def nrbp(query, rel=1, alpha=0.5, p=0.5):
    return (1 - (1 - alpha) * p) * novelty(query.relevant_ranks(rel), alpha, lambda rank: p ** (rank - 1), None)


def ap_ia(query, rel=1, k=None):
    ranks = query.relevant_ranks(rel, k)
    return divide(sum(found / rank for found, rank in enumerate(ranks, start=1)), query.count_relevant(rel))


def precision_ia(query, rel=1, k=None, over="k"):
    looked_at = k if k is not None and over == "k" else len(query.ranked[:k])
    return divide(len(query.relevant_ranks(rel, k)), looked_at)


IR_MEASURES = {
    "sdcg": sdcg,
    "bpm": bpm,
    "inst": reader(lambda rank, _, found, target: patient(rank, target, found), target=1),
    "insq": reader(lambda rank, _, __, target: patient(rank, target), target=1),
    "nerr8": reader(lambda _, gain, __: 1 - gain),
    "nerr9": reader(lambda rank, gain, _: rank / (rank + 1) * (1 - gain)),
    "nerr10": reader(lambda _, gain, __, p: p * (1 - gain), p=0.9),
    "nerr11": reader(lambda rank, gain, _, target: patient(rank, target) * (1 - gain), target=1),
    "compatibility": compatibility,
    "alpha_dcg": of_perfect(DISCOUNTS["log"]),
    "alpha_ndcg": of_best(DISCOUNTS["log"]),
    "err_ia": of_perfect(DISCOUNTS["reciprocal"]),
    "nerr_ia": of_best(DISCOUNTS["reciprocal"]),
    "nrbp": nrbp,
    "nnrbp": lambda query, rel=1, alpha=0.5, p=0.5: of_best(lambda rank: p ** (rank - 1))(query, None, rel, alpha),
    "ap_ia": ap_ia,
    "precision_ia": precision_ia,
    "subtopic_recall": lambda query, rel=1, k=None: 1.0 if query.relevant_ranks(rel, k) else 0.0,
}
