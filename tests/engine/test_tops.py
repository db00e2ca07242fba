"""The first documents of each query: as an obvious sort gives them, whatever the form of the run and the policies."""

import gzip
import random

import numpy as np
import polars
import pytest

from assay.core.errors import DataError
from assay.core.text import given_id
from assay.engine.ranking import repeats_of
from assay.engine.tops import Tops
from assay.tasks.evaluate.api import Scorer
from assay.tasks.evaluate.plan import make_plan
from tables import for_each

TOP = 7
SCORES = (-1.0, 0.0, -0.0, 0.5, 0.5 + 1e-12, 1.0, 1.0 + 1e-12, 3.0)


def make_rankings(seed, *, repeats=False):
    """Rankings of different lengths with many ties; the document named like the query may be among them."""
    choice = random.Random(seed)
    rankings = {}
    for number in range(20):
        names = [f"d{each}" for each in range(40)] + [f"q{number}", "é", "日本"]
        size = choice.choice((1, TOP - 1, TOP, TOP + 1, 15, 16, 40))
        drawn = choice.choices(names[:15], k=size) if repeats else choice.sample(names, size)
        rankings[f"q{number}"] = [(each, choice.choice(SCORES)) for each in drawn]
    return rankings


def make_qrels(seed):
    """Judgments of most queries of the rankings, and of one that they lack."""
    choice = random.Random(seed)
    return {f"q{n}": {f"d{each}": choice.randint(-1, 2) for each in choice.sample(range(40), 12)} for n in range(2, 21)}


def rows_of(rankings):
    return [(query, *row) for query, ranking in rankings.items() for row in ranking]


def mixed(rankings):
    """The rows of all queries mixed; those of one query keep their order, which is that of input."""
    rows = rows_of(rankings)
    random.Random(1).shuffle(rows)
    left = {query: iter(ranking) for query, ranking in rankings.items()}
    return [(query, *next(left[query])) for query, *_ in rows]


def frame_of(rows):
    return polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")


def written(path, rows, *, compress=bytes):
    lines = [f"{query} Q0 {document} 1 {score!r} t\n" for query, document, score in rows]
    path.write_bytes(compress("".join(lines).encode()))
    return path


def in_parts(rankings, folder):
    rows = rows_of(rankings)
    for number in range(3):
        written(folder / f"part-{number}.trec", rows[number * len(rows) // 3 : (number + 1) * len(rows) // 3])
    return folder


def in_parquet(rankings, folder):
    frame_of(rows_of(rankings)).write_parquet(folder / "run.parquet")
    return folder / "run.parquet"


FORMS = {
    "lists": lambda rankings, _: rankings,
    "dicts": lambda rankings, _: {query: dict(ranking) for query, ranking in rankings.items()},
    "frame": lambda rankings, _: frame_of(rows_of(rankings)),
    "mixed frame": lambda rankings, _: frame_of(mixed(rankings)),
    "trec": lambda rankings, folder: written(folder / "run.trec", rows_of(rankings)),
    "gz": lambda rankings, folder: written(folder / "run.trec.gz", rows_of(rankings), compress=gzip.compress),
    "mixed trec": lambda rankings, folder: written(folder / "run.trec", mixed(rankings)),
    "parts": in_parts,
    "parquet": in_parquet,
}
POLICIES = [
    {},
    {"ties": "docid_asc"},
    {"ties": "input"},
    {"precision": "float32"},
    {"precision": "float32", "ties": "docid_asc"},
    {"order": "given"},
    {"exclude": "query_id"},
    {"exclude": "empty_id"},
    {"depth": 3},
    {"depth": 10**30},
    {"judged_only": True},
    {"judged_only": True, "negative": "nonrelevant", "depth": 2},
]


def obvious(ranking, query, judged, how):
    """The first documents of a ranking with their scores, by sorting it."""
    rows = [row for row in ranking if how.get("exclude") != "query_id" or row[0] != query]
    if how.get("duplicates") == "first":
        rows = [row for at, row in enumerate(rows) if row[0] not in dict(rows[:at])]
    if how.get("duplicates") == "last":
        rows = [row for at, row in enumerate(rows) if row[0] not in dict(rows[at + 1 :])]
    if how.get("precision") == "float32":
        rows = [(document, float(np.float32(score))) for document, score in rows]
    if how.get("order") == "given":
        rows = [(document, float(-place)) for place, (document, _) in enumerate(rows)]
    if how.get("ties", "docid_desc") != "input":
        # Both sorts keep what is equal in order, so duplicates stay as they are given.
        rows.sort(key=lambda row: row[0].encode(), reverse=how.get("ties") != "docid_asc")
    rows.sort(key=lambda row: -row[1])
    if how.get("judged_only"):
        least = 0 if how.get("negative") != "nonrelevant" else -1
        rows = [row for row in rows if judged.get(row[0], -2) >= least]
    return rows[: min(TOP, how.get("depth", TOP))]


def all_obvious(rankings, qrels, how):
    return [obvious(rankings.get(query, ()), query, judged, how) for query, judged in qrels.items()]


def read_tops(qrels, run, measures="ap", *, threads=1, **how):
    scorer = Scorer(make_plan(measures, top=TOP, **how), qrels, threads=threads)
    read = scorer.read(run)
    return scorer, read, scorer.plan.tops(read)


def check_ranks(scorer, read, tops):
    """Each judged document among the first has the rank and the score that it has in `Judged`."""
    policies = scorer.plan.groups[0].policies
    hits = read.judged(scorer.plan.groups[0].policies, 0)[0].hits
    index = scorer.qrels.index_under(policies.duplicates)
    rankings = tops.rankings()
    among = [0] * len(rankings)
    for query, rank, number, score in zip(hits.query, hits.rank, hits.document, hits.score, strict=True):
        if rank <= len(rankings[query]):
            assert rankings[query][rank - 1] == (given_id(index.document(int(number))), score)
            among[query] += 1
    for ranking, query, count in zip(rankings, scorer.qrels.queries, among, strict=True):
        known = set(map(given_id, scorer.qrels[query]))
        names = [document for document, _ in ranking if document in known]
        assert count == (len(set(names)) if repeats_of(policies) == "once" else len(names))


@for_each("threads", [1, 2])
@for_each("form", FORMS)
@for_each("how", POLICIES)
def test_the_first_documents_are_those_of_a_sort(form, how, threads, tmp_path):
    qrels, rankings = make_qrels(1), make_rankings(2)
    scorer, read, tops = read_tops(qrels, FORMS[form](rankings, tmp_path), threads=threads, **how)
    expected = all_obvious(rankings, qrels, how)
    assert tops.rankings() == expected
    assert tops.ids() == [document for ranking in expected for document, _ in ranking]
    assert [tops.documents(n) for n in range(len(qrels))] == [[row[0] for row in ranking] for ranking in expected]
    assert [tops.count(n) for n in range(len(qrels))] == [len(ranking) for ranking in expected]
    check_ranks(scorer, read, tops)


@for_each("form", ["lists", "frame", "mixed frame", "trec", "mixed trec"])
@for_each("ties", ["docid_desc", "docid_asc", "input"])
@for_each("duplicates", ["first", "last", "count", "once"])
def test_duplicate_documents_are_as_the_policy_has_them(form, ties, duplicates, tmp_path):
    qrels, rankings = make_qrels(3), make_rankings(4, repeats=True)
    how = {"ties": ties, "duplicates": duplicates}
    scorer, read, tops = read_tops(qrels, FORMS[form](rankings, tmp_path), threads=2, **how)
    assert tops.rankings() == all_obvious(rankings, qrels, how)
    check_ranks(scorer, read, tops)


@for_each("how", POLICIES)
@for_each("queries", [10, 200])
def test_dicts_whose_judged_documents_do_not_tie(queries, how):
    """They are ranked without a look at most ids; others that tie do so within and at the end of the first."""
    choice = random.Random(5)
    rankings, qrels = {}, {}
    for number in range(queries):
        scores = [choice.choice(SCORES) for _ in range(30)] + [4.0 + choice.random() for _ in range(3)]
        names = [*choice.sample([f"d{each}" for each in range(30)], 30), "é", "日本", "x"]
        rows = list(zip(names, scores, strict=True))
        choice.shuffle(rows)
        rankings[f"q{number}"] = rows
        qrels[f"q{number}"] = {"x": 1, "é": 0}
    scorer, read, tops = read_tops(qrels, {query: dict(rows) for query, rows in rankings.items()}, **how)
    assert tops.rankings() == all_obvious(rankings, qrels, how)
    check_ranks(scorer, read, tops)


def test_some_dicts_tie_and_others_do_not():
    run = {"q1": {"a": 1.0, "b": 1.0}, "q2": {"a": 1.0, "b": 2.0}, "q3": {"b": 5, "a": 5}}
    scorer = Scorer(make_plan(["ap", "ranx:map"], top=1), {query: ["a"] for query in run})
    assert scorer.plan.tops(scorer.read(run)).ids() == ["b", "b", "b"]


def test_what_is_not_unicode_is_an_error_of_the_run():
    with pytest.raises(DataError, match="not valid Unicode"):
        read_tops({"q": {"a": 1}}, {"q": {"a": 1.0, "\ud800": 3.0}})


@for_each("chunks", ["best", "count", "once"])
def test_chunks_are_their_documents(chunks):
    run = {"q": {"a#1": 4.0, "b#1": 3.0, "a#2": 2.5, "c#1": 2.0}, "p": ["b#1", "c#2", "c#1"], "empty": []}
    qrels = {"q": {"a": 1, "c": 0}, "p": {"c": 1}, "empty": {"c": 1}}
    scorer, read, tops = read_tops(qrels, run, doc_id="before:#", chunks=chunks)
    best, every = [["a", "b", "c"], ["b", "c"], []], [["a", "b", "a", "c"], ["b", "c", "c"], []]
    assert [tops.documents(number) for number in range(3)] == (best if chunks == "best" else every)
    check_ranks(scorer, read, tops)


@for_each("how", [{}, {"depth": 4}, {"precision": "float32"}, {"exclude": "query_id"}])
def test_ties_of_a_run_in_memory_are_in_the_order_of_the_sort(how):
    run = {query: dict(ranking) for query, ranking in make_rankings(8).items()}
    everything = {query: dict.fromkeys(ranking, 1) for query, ranking in run.items()}
    for qrels in (make_qrels(7), everything):
        scorer, read, tops = read_tops(qrels, run, ties="quicksort", **how)
        check_ranks(scorer, read, tops)
    names = {"query_id": set(everything)}.get(how.get("exclude"), set())
    sizes = [min(len({*ranking} - names), how.get("depth", TOP)) for ranking in run.values()]
    assert [tops.count(number) for number in range(len(run))] == [min(size, TOP) for size in sizes]


def test_ties_of_a_file_keep_its_order_where_the_sort_needs_the_ranking(tmp_path):
    qrels, rankings = make_qrels(7), make_rankings(8)
    scorer, read, tops = read_tops(qrels, FORMS["trec"](rankings, tmp_path), ties="quicksort")
    assert tops.rankings() == all_obvious(rankings, qrels, {"ties": "input"})
    check_ranks(scorer, read, tops)


def test_rankings_added_one_by_one():
    scorer = Scorer(make_plan(["rr"], top=2), {"q1": ["a"], "q2": ["b"]})
    read = scorer.start()
    scorer.add(read, "q2", ["x", "b", "y"])
    scorer.add(read, "q1", {"a": 1.0})
    assert scorer.plan.tops(read).rankings() == [[("a", 1.0)], [("x", 0.0), ("b", -1.0)]]


def test_an_excluded_empty_id_keeps_its_place():
    run = [["x", "", "a"]]
    scorer, read, tops = read_tops([["a", ""]], run, "DocumentRecallEvaluator", convention="haystack")
    assert (scorer.plan.groups[0].policies.exclude, tops.documents(0)) == ("empty_id", ["x", "", "a"])
    assert read.judged(scorer.plan.groups[0].policies, 0)[0].hits.rank.tolist() == [3]


def test_the_policies_of_the_first_measure_order_them_at_no_further_ranking():
    plan = make_plan(["ap", "trec_eval:map"], top=2, ties="docid_asc")
    scorer = Scorer(plan, {"q": {"a": 1}})
    assert scorer.plan.tops(scorer.read({"q": {"a": 1.0, "b": 1.0, "c": 1.0}})).documents(0) == ["a", "b"]
    assert len(plan.options) == len(make_plan(["ap", "trec_eval:map"], ties="docid_asc").options)


@for_each(("top", "expected"), [(0, {}), (1, {"one": ["a"], "two": ["b"]})])
def test_runs_to_compare_keep_theirs_if_asked_for(top, expected):
    scorer = Scorer(make_plan(["rr"], top=top), {"q": ["a"]})
    ranks = scorer.score_all({"one": {"q": ["a", "b"]}, "two": {"q": ["b", "a"]}})[1]
    assert {name: tops.ids() for name, tops in ranks.tops.items()} == expected
    tops = scorer.plan.tops(scorer.read({"q": ["a"]}))
    assert (tops.ids(), tops.starts.tolist(), tops.text) == ((["a"], [0, 1], b"a") if top else ([], [0, 0], b""))


def test_packed_rankings_are_the_same_again():
    rankings = [[("é", 1.0), ("", 0.5)], [], [("日本", -2.0)]]
    assert Tops.pack(rankings).rankings() == rankings
