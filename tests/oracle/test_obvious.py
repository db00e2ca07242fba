"""Every measure against its slow, obvious form, on random data."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.measures import TABLE
from oracle.obvious import ORACLE, rank
from oracle.obvious_ir_measures import IR_MEASURES
from oracle.obvious_judges import JUDGES
from oracle.obvious_trec_eval import TREC_EVAL
from strategies import DOCUMENTS, QUERIES, SCORES, cases
from tables import gather

ALL = {**ORACLE, **TREC_EVAL, **IR_MEASURES, **JUDGES, **gather("OBVIOUS")}

# Everything that decides which documents are ranked, and where.
POLICIES = st.fixed_dictionaries(
    {
        "ties": st.sampled_from(["docid_desc", "docid_asc", "input"]),
        "order": st.sampled_from(["score", "given"]),
        "precision": st.sampled_from(["float64", "float32"]),
        "duplicates": st.sampled_from(["first", "last", "count"]),
        "negative": st.sampled_from(["unjudged", "nonrelevant"]),
        "exclude": st.sampled_from(["nothing", "query_id"]),
        "depth": st.none() | st.integers(1, 9),
        "judged_only": st.booleans(),
    }
)
# Documents that come more than once or are named like a query, and scores that are the same only in 32 bits.
NAMES = st.sampled_from([*DOCUMENTS[:6], *QUERIES[:2]])
ROWS = st.lists(st.tuples(NAMES, st.tuples(SCORES, st.sampled_from([0, 2**-40])).map(sum)), max_size=15)


def check(case, result, queries):
    """Every measure of every query equals the value of the oracle."""
    highest = max(grade for judgments in case.qrels.values() for grade in [0, *judgments.values()])
    assert result.queries == list(queries)
    for measure in case.measures:
        parameters = dict(measure.values)
        if "max" in parameters and parameters["max"] is None:
            parameters["max"] = highest
        expected = [ALL[measure.definition.name](query, **parameters) for query in queries.values()]
        np.testing.assert_allclose(result.scores[str(measure)], expected, rtol=1e-9, atol=1e-12, err_msg=str(measure))


def test_every_measure_has_an_obvious_form():
    assert set(ALL) == {name for name, each in TABLE.items() if each.of == "rankings"}


@given(case=cases() | cases(ranked=ROWS), policies=POLICIES)
@settings(max_examples=2 * settings.default.max_examples)
def test_agrees_with_the_obvious_form(case, policies):
    result = assay.evaluate(case.qrels, case.run, case.measures, **policies)
    chosen = assay.Policies(**policies)
    everything = {document for judgments in case.qrels.values() for document in judgments}
    ranked = {}
    for query, judgments in case.qrels.items():
        ranking = case.run.get(query, [])
        rows = list(ranking.items()) if isinstance(ranking, dict) else ranking
        ranked[query] = rank(judgments, query, rows, chosen, everything)
    check(case, result, ranked)
