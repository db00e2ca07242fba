"""Every measure once more, slow and obvious: the whole ranking is sorted and walked, document by document.

Each function follows the formula as it is printed, with plain loops; nothing is shared with assay.
"""

import math
import struct
from typing import NamedTuple

from oracle.obvious_groups import GROUP_ORACLE

EPSILON = 1e-5


class Query(NamedTuple):
    """One query: the grades, scores and ids of its documents in rank order, and all grades that were judged.

    A document without a judgment has the grade None. Grades below `floor` mark documents that were looked at, but not
    judged. `known` tells of each ranked document whether any query's judgments hold it.
    """

    ranked: list
    scores: list
    judged: list
    floor: float = 0.0
    documents: list | None = None
    judgments: dict | None = None
    known: list = ()

    def is_judged(self, grade):
        return grade is not None and grade >= self.floor

    def is_relevant(self, grade, rel):
        return self.is_judged(grade) and grade >= rel

    def count_relevant(self, rel):
        return sum(self.is_relevant(grade, rel) for grade in self.judged)

    def count_nonrelevant(self, rel):
        return sum(self.is_judged(grade) and grade < rel for grade in self.judged)

    def relevant_ranks(self, rel, k=None):
        top = self.ranked[:k]
        return [rank for rank, grade in enumerate(top, start=1) if self.is_relevant(grade, rel)]


def rank(judgments, query_id, rows, policies, everything=()):
    """Follows the policies one after another on the (document, score) pairs of one query.

    `everything` holds the documents that are judged for any query.
    """
    if policies.exclude == "query_id":
        rows = [row for row in rows if row[0] != query_id]
    if policies.duplicates == "first":
        rows = [row for place, row in enumerate(rows) if row[0] not in [document for document, _ in rows[:place]]]
    elif policies.duplicates == "last":
        rows = [row for place, row in enumerate(rows) if row[0] not in [document for document, _ in rows[place + 1 :]]]
    if policies.precision == "float32":
        rows = [(document, struct.unpack("f", struct.pack("f", score))[0]) for document, score in rows]
    if policies.order == "given":
        rows = [(document, -place) for place, (document, _) in enumerate(rows)]
    if policies.ties != "input":
        rows = sorted(rows, key=lambda row: row[0], reverse=policies.ties == "docid_desc")
    rows = sorted(rows, key=lambda row: -row[1])
    floor = 0.0 if policies.negative == "unjudged" else -math.inf
    if policies.judged_only:
        rows = [row for row in rows if row[0] in judgments and judgments[row[0]] >= floor]
    rows = rows[: policies.depth]
    return Query(
        ranked=[judgments.get(document) for document, _ in rows],
        scores=[score for _, score in rows],
        judged=list(judgments.values()),
        floor=floor,
        documents=[document for document, _ in rows],
        judgments=judgments,
        known=[document in everything for document, _ in rows],
    )


def divide(numerator, denominator):
    return numerator / denominator if denominator else 0.0


def hits(query, rel=1, k=None):
    return len(query.relevant_ranks(rel, k))


def precision(query, rel=1, k=None, over="k"):
    retrieved = len(query.ranked[:k])
    return divide(len(query.relevant_ranks(rel, k)), retrieved if k is None or over == "retrieved" else k)


def recall(query, rel=1, k=None, *, cap=False, total="relevant", nothing="zero"):  # noqa: ARG001 - none is listed twice
    if nothing == "nan" and query.ranked and not query.count_relevant(rel):
        return math.nan
    relevant = query.count_relevant(rel)
    room = len(query.ranked) if k is None else k
    return divide(len(query.relevant_ranks(rel, k)), min(relevant, room) if cap else relevant)


def f_score(query, rel=1, k=None, beta=1, squared=False):
    p, r = precision(query, rel, k), recall(query, rel, k)
    square = beta if squared else beta**2
    return divide((1 + square) * p * r, square * p + r)


def r_precision(query, rel=1):
    relevant = query.count_relevant(rel)
    return divide(len(query.relevant_ranks(rel, relevant)), relevant)


def reciprocal_rank(query, rel=1, k=None, credit="first"):
    values = [1 / rank for rank in query.relevant_ranks(rel, k)]
    if credit == "first":
        return values[0] if values else 0.0
    return sum(values) if credit == "sum" else divide(sum(values), len(values))


def first_rank(query, rel=1, k=None, missing="skip"):
    ranks = query.relevant_ranks(rel, k)
    if ranks:
        return ranks[0]
    return math.nan if missing == "skip" else len(query.ranked[:k]) + 1


def average_precision(query, rel=1, k=None, *, norm="relevant", ties="rank", nothing="zero"):
    ranks = query.relevant_ranks(rel, k) if ties == "rank" else last_tied_ranks(query, rel, k)
    if not ranks and nothing == "one":
        return 1.0
    total = sum((found if ties == "rank" else at_most(ranks, rank)) / rank for found, rank in enumerate(ranks, start=1))
    relevant = query.count_relevant(rel)
    divisor = {
        "relevant": relevant,
        "found": len(ranks),
        "about_found": len(ranks) + 1e-10,
        "cutoff": min(relevant, k or relevant),
        "none": 1,
    }[norm]
    return divide(total, divisor)


def last_tied_ranks(query, rel, k):
    last = [at_most([-score for score in query.scores], -score) for score in query.scores]
    ranks = [rank for rank, grade in zip(last, query.ranked, strict=True) if query.is_relevant(grade, rel)]
    return [rank for rank in ranks if k is None or rank <= k]


def at_most(numbers, limit):
    return sum(number <= limit for number in numbers)


def gain_of(query, grade, gain, rel):
    if not query.is_judged(grade):
        return 0.0
    if gain == "signed":
        return 0.0 if 0 <= grade < rel else grade
    if isinstance(gain, dict) and grade in gain:
        return gain[grade]
    if gain == "signed" and grade < 0:
        return grade
    kept = max(grade, 0) if grade >= rel else 0
    if gain == "binary":
        return 1 if kept > 0 else 0
    return 2**kept - 1 if gain == "exp2" else kept


def discounted(gains, base=2):
    return sum(gain / math.log(rank + 1, base) for rank, gain in enumerate(gains, start=1))


def dcg(query, k=None, gain="linear", rel=0, *, ties="rank", base=2, fewest=0):
    if len(query.ranked) < fewest:
        return math.nan
    gains = [gain_of(query, grade, gain, rel) for grade in query.ranked]
    if ties == "average":
        # Documents that tie share what they gain, and each takes its part of it.
        scored = list(zip(gains, query.scores, strict=True))
        tied = [[gain for gain, other in scored if other == score] for score in query.scores]
        gains = [sum(group) / len(group) for group in tied]
    return discounted(gains[:k], base)


def ndcg(query, k=None, gain="linear", rel=0, *, ties="rank", ideal="judged", fewest=0, max=None):
    grades = query.ranked if ideal == "retrieved" else query.judged
    grades = [grade for grade in grades if query.is_judged(grade)]
    if len(query.ranked) < fewest or (ideal == "retrieved" and min(grades, default=0) < 0):
        return math.nan
    if max is not None and any(grade > max for grade in query.judged):
        return math.nan
    gains = sorted((gain_of(query, grade, gain, rel) for grade in grades), reverse=True)
    # A document that would take gain away has no place in the best ranking, unless grades are gains as they are.
    best = gains if gain == "signed" else [each for each in gains if each > 0]
    best = discounted(best[: len(query.ranked[:k])] if ideal == "listed_cut" else best[:k])
    return dcg(query, k, gain, rel, ties=ties) / best if best > 0 else 0.0


def rank_biased_precision(query, rel=1, k=None, *, p=0.8, gain="binary", limit=None):
    highest = max([0, *query.judged])
    gained = {"binary": lambda _: 1, "grade": lambda grade: grade, "max": lambda grade: divide(grade, highest)}
    gain_for = mapped_gain(query, gain) if isinstance(gain, dict) else gained[gain]
    ranks = query.relevant_ranks(rel, k)
    total = sum(gain_for(query.ranked[rank - 1]) * p ** (rank - 1) for rank in ranks if limit is None or rank <= limit)
    return total / sum(p**step for step in range(limit)) if limit else (1 - p) * total


def mapped_gain(query, gain):
    """What a grade gains by a map, brought between 0 and 1 if the scale of the query is wider."""
    scale = [0, *gain.values(), *(gain.get(grade, grade) for grade in query.judged)]
    low, high = min(0, *gain.values()), max(scale)
    if low >= 0 and high <= 1:
        return lambda grade: gain.get(grade, max(grade, 0))
    return lambda grade: divide(gain.get(grade, max(grade, 0)) - low, high - low)


def expected_reciprocal_rank(query, k=None, max=None, gain="exp2", above="error"):
    assert above in {"error", "nan"}
    if above == "nan" and gain == "exp2" and any(grade > max for grade in query.judged):
        return math.nan
    total, still_reading = 0.0, 1.0
    for rank, grade in enumerate(query.ranked[:k], start=1):
        if grade is None or grade < 0:
            continue
        chance = grade if gain == "identity" else (2**grade - 1) / 2**max
        total += still_reading * chance / rank
        still_reading *= 1 - chance
    return total


def bpref(query, rel=1, denominator="min", unopposed="one"):
    relevant, nonrelevant = query.count_relevant(rel), query.count_nonrelevant(rel)
    if unopposed == "nan" and not nonrelevant and query.relevant_ranks(rel):
        return math.nan
    total, above = 0.0, 0
    for grade in query.ranked:
        if query.is_relevant(grade, rel):
            divisor = relevant if denominator == "relevant" else min(relevant, nonrelevant)
            total += 1 - divide(min(above, relevant), divisor)
        elif query.is_judged(grade):
            above += 1
    return divide(total, relevant)


def inferred_average_precision(query, rel=1):
    total, relevant, nonrelevant, unjudged = 0.0, 0, 0, 0
    for above, grade in enumerate(query.ranked):
        if query.is_relevant(grade, rel):
            if above == 0:
                total += 1
            else:
                pool = (relevant + nonrelevant + unjudged) / above
                share = (relevant + EPSILON) / (relevant + nonrelevant + 2 * EPSILON)
                total += 1 / (above + 1) + above / (above + 1) * pool * share
            relevant += 1
        elif query.is_judged(grade):
            nonrelevant += 1
        elif grade is not None:
            unjudged += 1
    return divide(total, query.count_relevant(rel))


def interpolated_precision(query, recall=0.0, rel=1, cut="round"):
    needed = int(recall * query.count_relevant(rel) + (0.5 if cut == "round" else 0.9))
    ranks = query.relevant_ranks(rel)
    precisions = [found / rank for found, rank in enumerate(ranks, start=1) if found >= needed]
    return max(precisions, default=0.0)


def area_under_curve(query, rel=1, k=None, over="retrieved", tied="half"):
    scores = query.scores if tied == "half" else [-place for place in range(len(query.ranked))]
    documents = list(zip(query.ranked, scores, strict=True))[:k]
    if over == "judged":
        documents = [(grade, score) for grade, score in documents if query.is_judged(grade)]
    good = [score for grade, score in documents if query.is_relevant(grade, rel)]
    bad = [score for grade, score in documents if not query.is_relevant(grade, rel)]
    wins = sum(1.0 if high > low else 0.5 if high == low else 0.0 for high in good for low in bad)
    return wins / (len(good) * len(bad)) if good and bad else math.nan


def abstention(query, of="ndcg", k=None, rel=1, *, figure="max", tied="mean"):  # noqa: ARG001 - a query's value
    return ORACLE[of](query, k=k) if of == "ndcg" else ORACLE[of](query, k=k, rel=rel)


def worst(query, of="ndcg", k=None, rel=1, *, whole=False, members=None, part="first"):  # noqa: ARG001 - ids have no line
    """No id in the random data has a low line, so every query is a family."""
    value = abstention(query, of, k, rel)
    return math.nan if members not in (None, 1) else float(value > 1 - 1e-12) if whole else value


ORACLE = {
    "hits": hits,
    "hit_rate": lambda query, rel=1, k=None: 1.0 if query.relevant_ranks(rel, k) else 0.0,
    "precision": precision,
    "r_precision": r_precision,
    "recall": recall,
    "f": f_score,
    "rr": reciprocal_rank,
    "first_rank": first_rank,
    "ap": average_precision,
    "gm_ap": average_precision,
    "dcg": dcg,
    "ndcg": ndcg,
    "rbp": rank_biased_precision,
    "err": expected_reciprocal_rank,
    "bpref": bpref,
    "infap": inferred_average_precision,
    "iprec": interpolated_precision,
    "auc": area_under_curve,
    "judged": lambda query, k=None: divide(sum(map(query.is_judged, query.ranked[:k])), len(query.ranked[:k])),
    "num_ret": lambda query: len(query.ranked),
    "num_rel": lambda query, rel=1: query.count_relevant(rel),
    "num_rel_ret": hits,
    "num_q": lambda query: 1,  # noqa: ARG005 - every query is one
    **GROUP_ORACLE,
    "hole": lambda query, k=None: divide(sum(not each for each in query.known[:k]), k or len(query.known)),
    "nauc": abstention,
    "worst": worst,
    "p_mrr": lambda query, rel=1: math.nan,  # noqa: ARG005 - no query in the random data has a partner
}
