"""Runs that differ in known ways, and results with given scores."""

import numpy as np

import assay

NAMES = "measure a b mean_a mean_b difference low high p p_corrected cohen_d cliff_delta wins ties losses detectable"
FIELDS = NAMES.split()
QRELS = {f"q{number}": {"good": 2, "fair": 1, "bad": 0} for number in range(8)}
ORDERS = {"one": ["good", "fair", "bad", "x"], "two": ["x", "good", "bad", "fair"], "three": ["x", "y", "z", "good"]}
RUNS = {name: dict.fromkeys(QRELS, order) for name, order in ORDERS.items()}
RUNS["two"] = {**RUNS["two"], "q0": ["good"], "q1": ["y", "z", "x", "good"]}
RUNS["three"] = {**RUNS["three"], "q5": ["x", "good"]}


def results_of(measure="ap", **scores):
    """Finished results with these scores of the queries 0, 1, 2 and so on."""
    measures = {measure: assay.parse_measure(measure)}
    found = {}
    for name, values in scores.items():
        queries = [str(number) for number in range(len(values))]
        columns = {measure: np.array(values, dtype=np.float64)}
        found[name] = assay.Result(measures, queries, columns, "assay", assay.Policies())
    return found


def one_pair(a, b, measure="ap", **options):
    """The comparison of two lists of scores, and its one pair."""
    comparison = assay.compare(None, results_of(measure, a=a, b=b), **options)
    (pair,) = comparison.pairs
    return comparison, pair
