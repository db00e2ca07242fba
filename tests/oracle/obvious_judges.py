"""Slow, obvious forms of the measures of preferences and of groups, for judgments that are one group."""

from oracle.obvious import average_precision, divide, precision
from oracle.obvious_trec_eval import TREC_EVAL


def levels_by_place(query):
    """The levels of all judged documents: those retrieved by rank, each once, then the others; and how many were."""
    seen, found = [], []
    for document, grade in zip(query.documents, query.ranked, strict=True):
        if query.is_judged(grade) and document not in seen:
            seen.append(document)
            found.append(grade)
    unseen = [grade for grade in query.judged if query.is_judged(grade)]
    for grade in found:
        unseen.remove(grade)
    return found + unseen, len(found)


def look(pairs, found, of):
    """How many of the preferences (better, worse) are fulfilled, and how many are looked at."""
    enough = {"all": 0, "either": 1, "both": 2}[of]
    pairs = [pair for pair in pairs if sum(place < found for place in pair) >= enough]
    return sum(better < worse and better < found for better, worse in pairs), len(pairs)


def all_pairs(levels):
    places = range(len(levels))
    return [(better, worse) for better in places for worse in places if levels[better] > levels[worse]]


def preferences(query, of="all", over="preferences"):
    levels, found = levels_by_place(query)
    if over == "balanced_groups":
        return divide(*balanced(levels, found, of))
    return divide(*look(all_pairs(levels), found, of))


def balanced(levels, found, of):
    counted = levels[:found] if of == "both" else levels
    relevant = sum(level > 0 for level in counted)
    nonrelevant = len(counted) - relevant
    if relevant >= nonrelevant:
        fulfilled, possible = look(all_pairs(levels), found, of)
        lacking = relevant - nonrelevant
        fulfilled += lacking * sum(level > 0 for level in levels[:found])
        return fulfilled, possible + lacking * sum(level > 0 for level in levels)
    lowest = [place for place, level in enumerate(levels) if level == min(levels)]
    upper = [(better, worse) for better, worse in all_pairs(levels) if worse not in lowest]
    return look(upper + [(better, worse) for better in range(len(levels)) for worse in lowest[:relevant]], found, of)


def number_of_preferences(query, count="possible"):
    levels, found = levels_by_place(query)
    fulfilled, possible = look(all_pairs(levels), found, "both" if count == "fulfilled_both" else "all")
    return possible if count == "possible" else fulfilled


def condense(query, condensed):
    if not condensed:
        return query
    return type(query)([each for each in query.ranked if query.is_judged(each)], [], query.judged, query.floor)


def of_one_judge(measure):
    return lambda query, condensed=False, **values: measure(condense(query, condensed), **values)


JUDGES = {
    "prefs": preferences,
    "num_prefs": number_of_preferences,
    "judges_ap": of_one_judge(average_precision),
    "judges_precision": of_one_judge(precision),
    "judges_r_precision_multiple": of_one_judge(TREC_EVAL["r_precision_multiple"]),
}
