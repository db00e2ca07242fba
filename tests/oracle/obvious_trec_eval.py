"""The measures that trec_eval alone has, slow and obvious: the ranking is walked document by document."""

import math

from oracle.obvious import average_precision, bpref, discounted, divide, gain_of, hits, interpolated_precision, recall


def r_precision_multiple(query, multiple=1, rel=1):
    looked_at = int(multiple * query.count_relevant(rel) + 0.9)
    return divide(len(query.relevant_ranks(rel, looked_at)), looked_at)


def set_average_precision(query, rel=1):
    return divide(hits(query, rel), len(query.ranked)) * recall(query, rel)


def yaap(query, rel=1):
    total = average_precision(query, rel, norm="none")
    below = 1 + query.count_relevant(rel) - total
    return math.log((1 + total) / below) if below > 0 else math.nan


def mean_interpolated_precision(query, recalls=None, rel=1, cut="round"):
    values = [interpolated_precision(query, recall, rel, cut) for recall in recalls]
    return sum(values) / len(values)


def utility(query, rel=1, weights=None, documents=0):
    found, relevant, retrieved = hits(query, rel), query.count_relevant(rel), len(query.ranked)
    cells = (found, retrieved - found, relevant - found, documents - retrieved - relevant + found)
    return sum(weight * cell for weight, cell in zip(weights, cells, strict=True))


def rank_biased_residual(query, p=0.8, complete="tail"):
    unjudged = [place for place, grade in enumerate(query.ranked) if not query.is_judged(grade)]
    if complete == "zero" and not unjudged:
        return 0.0
    return p ** len(query.ranked) + (1 - p) * sum(p**place for place in unjudged)


def ideal_gains(query, gain, rel):
    gains = sorted((gain_of(query, grade, gain, rel) for grade in query.judged if query.is_judged(grade)), reverse=True)
    return gains if gain == "signed" else [each for each in gains if each > 0]


def ideal_dcg(query, k=None, gain="linear", rel=0, ideal="judged"):
    if ideal == "retrieved":
        query = query._replace(judged=[grade for grade in query.ranked if grade is not None])
    gains = ideal_gains(query, gain, rel)
    return discounted(gains[: len(query.ranked[:k])] if ideal == "listed_cut" else gains[:k])


def ndcg_at_relevant(query, gain="linear", rel=0):
    ideal = ideal_gains(query, gain, rel)
    gained = [gain_of(query, grade, gain, rel) for grade in query.ranked]
    ranks = [rank for rank, each in enumerate(gained, start=1) if each > 0]
    total = sum(discounted(gained[:rank]) / discounted(ideal[:rank]) for rank in ranks)
    total += (len(ideal) - len(ranks)) * divide(discounted(gained), discounted(ideal))
    return max(divide(total, len(ideal)), 0)


def ndcg_at_levels(query, gain="linear", rel=1):
    ideal = ideal_gains(query, gain, 0)
    gained = [gain_of(query, grade, gain, 0) for grade in query.ranked]
    if not query.count_relevant(rel):
        return 0.0
    ranks = [rank for rank in range(1, len(ideal) + 1) if rank == len(ideal) or ideal[rank - 1] != ideal[rank]]
    if ranks and len(gained) > len(ideal) + 1:
        ranks.append(len(gained))
    values = [discounted(gained[:rank]) / discounted(ideal[:rank]) for rank in ranks]
    return sum(values) / len(values) if values else math.nan


def normalised_gain(query, gain="linear", rel=0):
    ideal = ideal_gains(query, gain, rel)
    total, own, best = 0.0, 0.0, 0.0
    for place, grade in enumerate(query.ranked):
        gained = gain_of(query, grade, gain, rel)
        own += gained
        best += max(ideal[place], 1) if place < len(ideal) else 1
        total += gained / math.log2(2 + max(best - own, 0))
    return divide(total, sum(ideal))


def binary_normalised_gain(query, rel=1):
    total, others = 0.0, 0
    for grade in query.ranked:
        if query.is_relevant(grade, rel):
            total += 1 / math.log2(2 + others)
        else:
            others += 1
    return divide(total, query.count_relevant(rel))


TREC_EVAL = {
    "r_precision_multiple": r_precision_multiple,
    "set_ap": set_average_precision,
    "yaap": yaap,
    "mean_iprec": mean_interpolated_precision,
    "unjudged": lambda query, k=None: divide(
        sum(not query.is_judged(grade) for grade in query.ranked[:k]), k or len(query.ranked)
    ),
    "num_nonrel_judged_ret": lambda query, rel=1: sum(query.is_judged(each) and each < rel for each in query.ranked),
    "utility": utility,
    "rbp_residual": rank_biased_residual,
    "gm_bpref": bpref,
    "ideal_dcg": ideal_dcg,
    "ndcg_rel": ndcg_at_relevant,
    "rndcg": ndcg_at_levels,
    "g": normalised_gain,
    "bin_g": binary_normalised_gain,
}
