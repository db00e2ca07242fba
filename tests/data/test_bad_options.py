"""Every bad option, measure or set of runs gets an error that says what is wrong and what to do."""

import numpy as np

import assay
from assay.errors import DataError, FormatError, MeasureError, PolicyError
from refusals import QRELS, RUN, refused
from tables import for_each

NAN, INFINITY = float("nan"), float("inf")
HUGE = 10**400


@for_each(
    ("options", "error", "words"),
    [
        (
            {"convention": "trec-eval"},
            PolicyError,
            ["unknown convention 'trec-eval'", "did you mean trec_eval?", "assay, trec_eval"],
        ),
        ({"convention": "xyz"}, PolicyError, ["unknown convention 'xyz'", "assay, trec_eval"]),
        ({"convention": None}, PolicyError, ["unknown convention 'None'"]),
        ({"convention": ["assay"]}, PolicyError, ["unknown convention"]),
        ({"tie": "input"}, PolicyError, ["unknown option 'tie'", "did you mean ties", "ties, order, precision"]),
        ({"xyz": 1}, PolicyError, ["unknown option 'xyz'", "ties, order, precision"]),
        ({"ties": "docid"}, PolicyError, ["ties must be 'docid_desc' or", "'quicksort', not 'docid'"]),
        ({"ties": None}, PolicyError, ["ties must be"]),
        ({"ties": ["input"]}, PolicyError, ["ties must be"]),
        ({"ties": np.array(["input", "x"])}, PolicyError, ["ties must be"]),
        ({"order": "scores"}, PolicyError, ["order must be 'score' or 'given'"]),
        ({"precision": "float16"}, PolicyError, ["precision must be 'float64' or 'float32'"]),
        ({"duplicates": "drop"}, PolicyError, ["duplicates must be 'error' or 'first' or 'last' or 'count'"]),
        ({"missing": 0}, PolicyError, ["missing must be 'zero' or 'skip' or 'error'"]),
        ({"no_relevant": "one"}, PolicyError, ["no_relevant must be 'zero' or 'nan' or 'nan_all' or 'skip'"]),
        ({"negative": "zero"}, PolicyError, ["negative must be 'unjudged' or 'nonrelevant'"]),
        ({"exclude": "q1"}, PolicyError, ["exclude must be 'nothing' or 'query_id'"]),
        ({"depth": 0}, PolicyError, ["depth must be a whole number at least 1, or None, not '0'"]),
        ({"depth": 1.5}, PolicyError, ["depth must be a whole number at least 1"]),
        ({"depth": True}, PolicyError, ["depth must be a whole number at least 1"]),
        ({"depth": INFINITY}, PolicyError, ["depth must be a whole number at least 1"]),
        ({"depth": NAN}, PolicyError, ["depth must be a whole number at least 1"]),
        ({"depth": "10"}, PolicyError, ["depth must be a whole number at least 1"]),
        ({"judged_only": 1}, PolicyError, ["judged_only must be True or False"]),
        ({"rel": "1"}, PolicyError, ["rel must be a number"]),
        ({"rel": NAN}, PolicyError, ["rel must be a number"]),
        ({"rel": HUGE}, PolicyError, ["rel must be a number"]),
        ({"threads": 0}, PolicyError, ["threads must be a whole number from 1"]),
        ({"threads": -1}, PolicyError, ["threads must be a whole number from 1"]),
        ({"threads": "2"}, PolicyError, ["threads must be a whole number from 1"]),
        ({"threads": HUGE}, PolicyError, ["threads must be a whole number from 1"]),
        ({"format": "cvs"}, FormatError, ["unknown format 'cvs'"]),
    ],
)
def test_an_unknown_option_is_refused(options, error, words):
    refused(lambda: assay.evaluate(QRELS, RUN, ["ap"], **options), error, words)


@for_each(
    ("measures", "words"),
    [
        (["ndgc@10"], ["unknown measure 'ndgc'", "did you mean ndcg"]),
        ("xyz", ["unknown measure 'xyz'", "`assay measures`"]),
        (["ndcg@0"], ["k must be a whole number at least 1"]),
        (["ndcg@1.5"], ["k must be a whole number at least 1"]),
        (["rbp(p=2)"], ["p must be a number"]),
        (["ap(norm=x)"], ["norm must be"]),
        (["ap(x=1)"], ["has no parameter 'x'"]),
        (["ap("], ["cannot read the measure"]),
        ([""], ["cannot read the measure"]),
        ([], ["no measure to compute"]),
        ([None], ["a measure is a name", "None"]),
        (None, ["a measure is a name", "None"]),
        (5, ["a measure is a name", "5"]),
        ([b"ap"], ["a measure is a name"]),
        ([["ap"]], ["a measure is a name"]),
    ],
)
def test_an_unknown_measure_is_refused(measures, words):
    refused(lambda: assay.evaluate(QRELS, RUN, measures), MeasureError, words)


def test_the_runs_of_evaluate_many():
    refused(lambda: assay.evaluate_many(QRELS, {}, ["ap"]), DataError, ["no run to evaluate; pass at least one"])
    refused(
        lambda: assay.evaluate_many(QRELS, [RUN], ["ap"]), DataError, ["a dict of runs by name, or a list of paths"]
    )
    refused(
        lambda: assay.evaluate_many(QRELS, {"a": RUN, "b": {"q1": "d1"}}, ["ap"]), DataError, ["query 'q1'", "str 'd1'"]
    )
