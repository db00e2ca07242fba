"""Runs in parts: counted in two passes and added up, with the same bits as the run ranked whole."""

import subprocess
import sys
from functools import reduce
from pathlib import Path

import numpy as np
import polars
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import assay
from assay.engine.counting import Counting, FindingPass, ways_of
from assay.engine.ranking import GivenRun
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan

MEASURES = ["ndcg@3", "ap", "rr", "bpref", "recall@2", "num_ret", "rbp", "success@1"]
DOCUMENTS = ["a", "b", "c", "d", "é", "z", "q1"]
# In float32 the last two are infinite.
SCORES = [-0.0, 0.0, 0.1, 0.1 + 1e-12, 1.0, 2.0, -3.5, 1e39, 1e40]


def count_in_parts(qrels, rows, cuts, measures=MEASURES, **policies):
    """The result of a run that is read in parts."""
    scorer = Scorer(make_plan(measures, **policies), qrels)
    judged = polars.DataFrame(scorer.qrels.rows)
    parts = [rows[start:end] for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    finding = FindingPass(judged, foreign=any("foreign" in group.needs for group in scorer.plan.groups))
    found = finding.finish(finding.merge([finding.partial(part) for part in parts]))
    counting = Counting(found, ways_of(scorer.plan.groups))
    states = [counting.partial(part) for part in parts]
    # One by one, and so in another grouping than all at once.
    state = reduce(lambda one, other: counting.merge([other, one]), states)
    counted = counting.finish(state)
    ranking = counted.ranking(scorer.qrels)
    sample = {}
    for query, document, value in rows.select("query_id", "doc_id", "value").iter_rows():
        sample.setdefault(query, {})[document] = value
    ranking.given = GivenRun(sample, is_sample=True)
    return scorer.score(ranking)


def same(one, other):
    """Two results have the same bits, and the same notes but for what a reader in one piece says."""
    assert one.queries == other.queries
    for name in one.measures:
        np.testing.assert_array_equal(one.scores[name], other.scores[name])
    assert set(map(str, one.notes)) == {str(note) for note in other.notes if note.kind != "scattered"}


@st.composite
def collections(draw):
    queries = ["q1", "q2", "q3"]
    documents = st.sampled_from(DOCUMENTS)
    qrels = {query: draw(st.dictionaries(documents, st.integers(-1, 3), min_size=1)) for query in queries}
    pairs = draw(st.lists(st.tuples(st.sampled_from([*queries, "q9"]), documents), unique=True, min_size=1))
    pairs = [("q1", "a"), *(pair for pair in pairs if pair != ("q1", "a"))]
    scores = draw(st.lists(st.sampled_from(SCORES), min_size=len(pairs), max_size=len(pairs)))
    rows = polars.DataFrame(pairs, schema=["query_id", "doc_id"], orient="row")
    rows = rows.with_columns(value=polars.Series(scores), order=polars.int_range(len(pairs)))
    cuts = draw(st.lists(st.integers(0, len(pairs)), max_size=3))
    return qrels, rows, sorted(cuts)


POLICIES = [
    {},
    # Documents that only other queries judged.
    {"measures": ["ap", "hole@2", "hole"]},
    {"ties": "docid_asc"},
    {"ties": "input"},
    {"order": "given"},
    {"precision": "float32"},
    {"exclude": "query_id"},
    {"depth": 2},
    {"judged_only": True},
    {"missing": "skip", "no_relevant": "nan", "negative": "nonrelevant", "rel": 2},
]


@pytest.mark.parametrize("policies", POLICIES, ids=str)
@given(collections())
@settings(max_examples=settings.default.max_examples // 3)
def test_the_same_bits_as_in_one_piece(policies, collection):
    qrels, rows, cuts = collection
    how = {"measures": MEASURES, **policies}
    same(count_in_parts(qrels, rows, cuts, **how), assay.evaluate(qrels, rows.rename({"value": "score"}), **how))


def test_a_run_in_files_with_a_pool_of_processes(tmp_path):
    rows = [(f"q{number % 7}", f"d{number * 5 % 31}", float(number * 7 % 11)) for number in range(217)]
    run = polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row").unique(["query_id", "doc_id"])
    qrels = {f"q{query}": {f"d{document}": document % 3 for document in range(query, 31, 4)} for query in range(7)}
    assay.Qrels(qrels).write(tmp_path / "qrels.parquet")
    paths = [tmp_path / f"part-{part}.parquet" for part in range(3)]
    for part, path in enumerate(paths):
        run[part::3].write_parquet(path)
    example = Path(__file__).parents[2] / "examples" / "parts.py"
    command = [sys.executable, example, tmp_path / "qrels.parquet", *paths]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout  # noqa: S603 - our own example
    assert shown == f"{assay.evaluate(tmp_path / 'qrels.parquet', run.sort('query_id'), ['ndcg@10', 'ap', 'rr@10'])}\n"


def test_what_cannot_be_counted():
    rows = polars.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "a"], "value": [1.0, 2.0]})
    finding = FindingPass(polars.DataFrame({"query_id": ["q"], "doc_id": ["a"]}))
    with pytest.raises(assay.errors.DuplicateError, match="query 'q' lists document 'a' more than once"):
        finding.finish(finding.partial(rows))
    ways = ways_of(make_plan("ap").groups)
    counting = Counting(finding.finish(finding.partial(rows[:1])), ways)
    with pytest.raises(assay.errors.DataError, match="gave other rows when it was read again"):
        counting.finish(counting.partial(rows[1:]))
    other = Counting(finding.finish(finding.partial(rows[1:].with_columns(query_id=polars.lit("r")))), ways)
    assert not len(other.levels[0].frame)
    with pytest.raises(assay.errors.DataError, match="belong to other judged documents"):
        other.finish(counting.partial(rows[:1]))
    ordered = polars.DataFrame({"query_id": ["q", "q"], "doc_id": ["a", "b"], "value": [1.0, 1.0], "order": [3, 3]})
    with pytest.raises(assay.errors.DataError, match="two rows with the same number in the order column"):
        Counting(ordered, ways_of(make_plan("ap", ties="input").groups))
    counting = Counting(ordered[:1], ways_of(make_plan("ap", ties="input").groups))
    with pytest.raises(assay.errors.DataError, match="query 'q' has two rows with the same number in the order column"):
        counting.finish(counting.partial(ordered))
