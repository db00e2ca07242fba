"""Every measure once more, slow and obvious: the whole ranking is sorted and walked, document by document.

Each function follows the formula as it is printed, with plain loops; nothing is shared with assay.
"""

import math
import struct
from typing import NamedTuple

EPSILON = 1e-5


class Query(NamedTuple):
    """One query: the grades and scores of its documents in rank order, and all grades that were judged.

    A document without a judgment has the grade None. Grades below `floor` mark documents that were looked at, but not
    judged.
    """

    ranked: list
    scores: list
    judged: list
    floor: float = 0.0
    documents: tuple = ()

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


def rank(judgments, ranking, ties="docid_desc", negative="unjudged"):
    """Sorts one query's documents by score, from high to low, and looks up their grades."""
    documents = list(ranking)
    if ties != "input":
        documents.sort(reverse=ties == "docid_desc")
    documents.sort(key=lambda document: -ranking[document])
    return Query(
        ranked=[judgments.get(document) for document in documents],
        scores=[ranking[document] for document in documents],
        judged=list(judgments.values()),
        floor=0.0 if negative == "unjudged" else -math.inf,
        documents=tuple(documents),
    )


def rank_with(judgments, query_id, rows, policies):
    """Follows the policies one after another on the (document, score) pairs of one query."""
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
        documents=tuple(document for document, _ in rows),
    )


def divide(numerator, denominator):
    return numerator / denominator if denominator else 0.0


def hits(query, rel=1, k=None):
    return len(query.relevant_ranks(rel, k))


def hit_rate(query, rel=1, k=None):
    return 1.0 if query.relevant_ranks(rel, k) else 0.0


def precision(query, rel=1, k=None, over="k"):
    retrieved = len(query.ranked[:k])
    return divide(len(query.relevant_ranks(rel, k)), retrieved if k is None or over == "retrieved" else k)


def recall(query, rel=1, k=None, cap=False):
    relevant = query.count_relevant(rel)
    room = k or len(query.ranked)
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


def average_precision(query, rel=1, k=None, norm="relevant"):
    ranks = query.relevant_ranks(rel, k)
    total = sum(found / rank for found, rank in enumerate(ranks, start=1))
    relevant = query.count_relevant(rel)
    divisor = {"relevant": relevant, "found": len(ranks), "cutoff": min(relevant, k or relevant), "none": 1}[norm]
    return divide(total, divisor)


def gain_of(query, grade, gain, rel):
    if not query.is_judged(grade):
        return 0.0
    if isinstance(gain, dict) and grade in gain:
        return gain[grade]
    kept = max(grade, 0) if grade >= rel else 0
    return 2**kept - 1 if gain == "exp2" else kept


def discounted(gains):
    return sum(gain / math.log2(rank + 1) for rank, gain in enumerate(gains, start=1))


def dcg(query, k=None, gain="linear", rel=0):
    return discounted([gain_of(query, grade, gain, rel) for grade in query.ranked[:k]])


def ndcg(query, k=None, gain="linear", rel=0):
    gains = sorted((gain_of(query, grade, gain, rel) for grade in query.judged), reverse=True)
    # A document that would take gain away has no place in the best ranking.
    ideal = [each for each in gains if each > 0][:k]
    return divide(dcg(query, k, gain, rel), discounted(ideal))


def rank_biased_precision(query, rel=1, k=None, p=0.8, gain="binary"):
    highest = max([0, *query.judged])
    gained = {"binary": lambda _: 1, "grade": lambda grade: grade, "max": lambda grade: divide(grade, highest)}
    gain_for = mapped_gain(query, gain) if isinstance(gain, dict) else gained[gain]
    ranks = query.relevant_ranks(rel, k)
    return (1 - p) * sum(gain_for(query.ranked[rank - 1]) * p ** (rank - 1) for rank in ranks)


def mapped_gain(query, gain):
    """What a grade gains by a map, brought between 0 and 1 if the scale of the query is wider."""
    scale = [0, *gain.values(), *(gain.get(grade, grade) for grade in query.judged)]
    low, high = min(0, *gain.values()), max(scale)
    if low >= 0 and high <= 1:
        return lambda grade: gain.get(grade, max(grade, 0))
    return lambda grade: divide(gain.get(grade, max(grade, 0)) - low, high - low)


def expected_reciprocal_rank(query, k=None, max=None, gain="exp2"):
    total, still_reading = 0.0, 1.0
    for rank, grade in enumerate(query.ranked[:k], start=1):
        if grade is None or grade < 0:
            continue
        chance = grade if gain == "identity" else (2**grade - 1) / 2**max
        total += still_reading * chance / rank
        still_reading *= 1 - chance
    return total


def bpref(query, rel=1, denominator="min"):
    relevant, nonrelevant = query.count_relevant(rel), query.count_nonrelevant(rel)
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


def area_under_curve(query, rel=1, over="retrieved"):
    documents = list(zip(query.ranked, query.scores, strict=True))
    if over == "judged":
        documents = [(grade, score) for grade, score in documents if query.is_judged(grade)]
    good = [score for grade, score in documents if query.is_relevant(grade, rel)]
    bad = [score for grade, score in documents if not query.is_relevant(grade, rel)]
    wins = sum(1.0 if high > low else 0.5 if high == low else 0.0 for high in good for low in bad)
    return wins / (len(good) * len(bad)) if good and bad else math.nan


def judged_share(query, k=None):
    top = query.ranked[:k]
    return divide(sum(query.is_judged(grade) for grade in top), len(top))


ORACLE = {
    "hits": hits,
    "hit_rate": hit_rate,
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
    "judged": judged_share,
    "num_ret": lambda query: len(query.ranked),
    "num_rel": lambda query, rel=1: query.count_relevant(rel),
    "num_rel_ret": hits,
    "num_q": lambda query: 1,  # noqa: ARG005 - every query is one
}
