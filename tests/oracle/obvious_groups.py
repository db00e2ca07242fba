"""The measures over groups once more, slow and obvious: each group walks down the whole ranking by itself.

`groups` is a list of lists of relevant documents, `ranking` the documents in order.
"""


def mean(values):
    return sum(values) / len(values) if values else 0.0


def group_recall(groups, ranking):
    return mean([1 if set(group) & set(ranking) else 0 for group in groups])


def group_f_score(groups, ranking, retrieved, beta):
    right = [document for document in ranking if any(document in group for group in groups)]
    p = len(right) / retrieved if retrieved else 0.0
    r = group_recall(groups, ranking)
    return (1 + beta**2) * p * r / (beta**2 * p + r) if p * r else 0.0


def group_reciprocal_rank(groups, ranking):
    values = []
    for group in groups:
        ranks = [rank for rank, document in enumerate(ranking, start=1) if document in group]
        values.append(1 / ranks[0] if ranks else 0)
    return mean(values)


def group_average_precision(groups, ranking):
    values = []
    for group in groups:
        ranks = [rank for rank, document in enumerate(ranking, start=1) if document in group]
        values.append(mean([found / rank for found, rank in enumerate(ranks, start=1)]))
    return mean(values)


def each_alone(query, rel):
    """The groups of judgments that have none: each relevant document by itself."""
    return [[document] for document, grade in query.judgments.items() if query.is_relevant(grade, rel)]


def of_query(function):
    return lambda query, rel=1, k=None: function(each_alone(query, rel), query.documents[:k])


def f_of_query(query, rel=1, k=None, beta=1):
    retrieved = len(query.documents) if k is None else k
    return group_f_score(each_alone(query, rel), query.documents[:k], retrieved, beta)


GROUP_ORACLE = {
    "group_recall": of_query(group_recall),
    "group_f": f_of_query,
    "group_rr": of_query(group_reciprocal_rank),
    "group_ap": of_query(group_average_precision),
}
