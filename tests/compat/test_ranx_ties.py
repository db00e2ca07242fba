"""Ties in the ranx drop-in: the order of ranx's sort, however often ranx has sorted; and data given as arrays."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.typed import List as TypedList

import assay
import real_ranx
from assay.compat import ranx as ours
from real_ranx import ranx as theirs
from real_ranx import stat_test_labels
from tables import for_each

pytestmark = [pytest.mark.verify, pytest.mark.xdist_group("ranx")]  # one worker, so that ranx compiles once

METRICS = ["map", "mrr", "ndcg@5", "precision@3", "rbp.80"]
DOCUMENTS = [f"d{number:02}" for number in range(60)]
few = settings(max_examples=settings.default.max_examples // 10)


@st.composite
def collections(draw):
    """Judgments and long rankings with many ties."""
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    levels = draw(st.integers(1, 12))
    qrels, run = {}, {}
    for number in range(draw(st.integers(1, 8))):
        size = int(random.integers(1, 60))
        documents = [DOCUMENTS[place] for place in random.permutation(60)]
        run[f"q{number}"] = dict(zip(documents[:size], (random.integers(0, levels, size) / 4).tolist(), strict=True))
        judged = [DOCUMENTS[place] for place in random.permutation(60)[:9]]
        qrels[f"q{number}"] = dict(zip(judged, random.integers(0, 4, 9).tolist(), strict=True))
    return qrels, run


def check(qrels, run, peer_qrels, peer_run):
    found = ours.evaluate(qrels, run, METRICS, return_mean=False)
    expected = real_ranx.evaluate(peer_qrels, peer_run, METRICS, return_mean=False)
    for name in METRICS:
        np.testing.assert_allclose(found[name], expected[name], atol=1e-12, err_msg=name)


@few
@given(collection=collections())
def test_a_run_and_a_dict(collection):
    qrels, run = collection
    one, other = ours.Run(run), theirs.Run(run)
    assert one.to_dict() == other.to_dict()
    assert [list(one[query]) for query in run] == [list(other[query]) for query in run]
    check(ours.Qrels(qrels), one, theirs.Qrels(qrels), other)
    check(qrels, run, qrels, run)


@few
@given(collection=collections(), steps=st.lists(st.sampled_from(["add", "score", "sort", "evaluate", "comparable"])))
def test_every_sort_counts(collection, steps):
    qrels, run = collection
    # ranx spoils what it was given as a dict when something is added to it, so all is added here.
    runs = ours.Run(), theirs.Run()
    for each in runs:
        each.add_multi(list(run), list(map(list, run.values())), [list(ranking.values()) for ranking in run.values()])
    judged = ours.Qrels(qrels), theirs.Qrels(qrels)
    for number, step in enumerate(steps):
        for each, judgments in zip(runs, judged, strict=True):
            if step == "add":
                each.add("q0", list(run["q0"]), list(run["q0"].values()))
            elif step == "score":
                each.add_score("q0", f"n{number:02}", 0.5)
            elif step == "sort":
                each.sort()
            elif step == "comparable":
                each.make_comparable(judgments)
        if step == "evaluate":
            check(judged[0], runs[0], judged[1], runs[1])
        assert runs[0].sorted == runs[1].sorted
        assert [list(runs[0][query]) for query in run] == [list(runs[1][query]) for query in run]
    check(judged[0], runs[0], judged[1], runs[1])


@for_each("kind", ["Qrels", "Run"])
def test_whether_it_is_sorted(kind):
    for library in (ours, theirs):
        table = getattr(library, kind)()
        assert table.sorted is False
        table.add_score("q1", "d1", 1)
        table.add_score("q1", "d2", 2)
        assert (table.sorted, list(table["q1"])) == (False, ["d1", "d2"])
        table.sort()
        assert (table.sorted, list(table["q1"])) == (True, ["d2", "d1"])
        assert getattr(library, kind)({"q1": {"d1": 1}}).sorted is True


# Rows of a document's number and its value; ranx does not sort them.
# Judgments are from the highest grade to the lowest, as ranx takes their order for the ideal one.
JUDGED = [[[3, 2], [12, 1]], [[1, 1], [2, 0]]]
RANKED = [[[3, 0.1], [12, 0.9], [7, 0.5]], [[2, 0.9], [5, 0.9], [1, 0.2]]]


@for_each("form", [list, TypedList, np.array])
def test_arrays(form):
    qrels = form([np.array(rows, dtype=float) for rows in JUDGED])
    run = form([np.array(rows, dtype=float) for rows in RANKED])
    peer = [TypedList([np.array(rows, dtype=float) for rows in each]) for each in (JUDGED, RANKED)]
    check(qrels, run, *peer)
    assert ours.evaluate(qrels, run, "mrr") == (1 + 1 / 3) / 2


def test_arrays_beside_objects():
    qrels, run = (
        {"q2": {"d01": 1}, "q1": {"d01": 1, "d02": 2}},
        {"q2": {"x01": 3.0, "d01": 1.0}, "q1": {"d02": 2.0, "d01": 2.0}},
    )
    judged, ranked = ours.Qrels(qrels), ours.Run(run)
    expected = ours.evaluate(judged, ranked, METRICS)
    assert ours.evaluate(judged.to_typed_list(), ranked, METRICS) == expected
    assert ranked.scores["mrr"] == {"q1": 1.0, "q2": 0.5}
    assert ours.evaluate(judged, ranked.to_typed_list(), METRICS) == expected
    peer = theirs.Run(run).to_typed_list()
    assert ours.evaluate(judged, peer, METRICS) == expected
    np.testing.assert_array_equal(np.concatenate(ranked.to_typed_list()), np.concatenate(list(peer)))


@for_each("rows", [[1, 2], [[1, 2, 3]], [["d1", 1.0]]])
def test_rows_of_another_shape_are_an_error(rows):
    with pytest.raises(assay.errors.DataError, match="run: query 0 must be an array of two columns"):
        ours.evaluate([np.array(JUDGED[0])], [np.array(rows)], "mrr")


@for_each("test", ["student", "fisher", "tukey"])
def test_labels_of_tests(test):
    qrels, runs = {"q1": {"d1": 1}}, [{"q1": {"d1": 1.0}}, {"q1": {"d2": 1.0}}]
    report = ours.compare(ours.Qrels(qrels), [ours.Run(each, name=str(n)) for n, each in enumerate(runs)], "mrr")
    assert report.get_stat_test_label(test) == stat_test_labels[test]
