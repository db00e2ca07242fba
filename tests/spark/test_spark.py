"""Runs in real Spark: the same bits and notes as a local run, under every policy, however the rows are spread.

`make spark` installs what this needs: pyspark. Java 17 must be there.
"""

import os
import signal

import numpy as np
import polars
import pytest

import assay
from assay.core.note import NoteKind
from assay.spark import evaluate
from spark_runs import MARKS, MEASURES, QRELS, RUN, collection, same, written
from tables import for_each

pytestmark = MARKS


@pytest.fixture(scope="module")
def run(frame_of):
    """The run, in more partitions than it has rows for some of them."""
    from pyspark.sql import functions

    made = frame_of(RUN).withColumn("part", functions.expr("pmod(hash(doc_id), 3)"))
    return made.repartition(7, "part").drop("part").cache()


def same_scores(frame, result):
    """A DataFrame of scores has what the result has."""
    table = polars.from_arrow(frame.toArrow())
    assert sorted(table["query_id"]) == sorted(result.queries)
    for name in result.measures:
        expected = dict(zip(result.queries, result.scores[name].tolist(), strict=True))
        found = dict(table.select("query_id", name).iter_rows())
        np.testing.assert_array_equal([found[query] for query in expected], list(expected.values()))


POLICIES = [
    {},
    {"ties": "docid_asc", "precision": "float32"},
    {"ties": "input"},
    {"order": "given", "depth": 7},
    {"exclude": "query_id", "judged_only": True},
    {"missing": "skip", "no_relevant": "nan", "negative": "nonrelevant", "rel": 2, "grades": "whole"},
    {"convention": "trec_eval", "measures": ["map", "P.5,10", "ndcg"]},
    {"convention": "ranx", "measures": ["map", "ndcg@10", "mrr"]},
    {"convention": "beir", "measures": ["NDCG@10", "MAP@100"]},
]


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_the_same_bits_as_a_local_run(run, policies):
    how = {"measures": MEASURES, **policies}
    # A file, as whatever is not in memory: ranx's own order of ties is that of a run in memory only.
    local = assay.evaluate(QRELS, RUN.lazy() if how.get("convention") != "ranx" else written(RUN), **how)
    for method in ("auto", "group"):
        same(evaluate(QRELS, run, **how, order_column="place", method=method), local)


@pytest.mark.parametrize("how", [{"method": "auto"}, {"method": "group"}, {"broadcast": 10}], ids=str)
def test_scores_that_stay_in_spark(run, frame_of, how):
    local = assay.evaluate(QRELS, RUN, MEASURES)
    # The last judgments are too many for every executor.
    same(evaluate(frame_of(QRELS), run, MEASURES, **how), local)
    for qrels in (QRELS, frame_of(QRELS)) if "method" in how else [frame_of(QRELS)]:
        scores = evaluate(qrels, run, MEASURES, collect=False, **how)
        assert scores.columns == ["query_id", *MEASURES]
        same_scores(scores, local)


def row_of(note, about="run"):
    """A note as a row."""
    return (str(note.kind), about, list(note.measures), note.count, sorted(note.queries)[:10])


def note_table(frame):
    assert frame.columns == ["kind", "about", "measures", "count", "queries"]
    return sorted(map(tuple, frame.collect()))


@pytest.mark.parametrize("method", ["auto", "group"])
def test_notes_of_scores_that_stay_in_spark(run, method):
    how = {"exclude": "query_id", "method": method}
    notes = evaluate(QRELS, run, MEASURES, **how).notes
    assert note_table(evaluate(QRELS, run, MEASURES, collect="notes", **how)) == sorted(map(row_of, notes))
    local = assay.evaluate(QRELS, RUN, MEASURES, exclude="query_id").notes
    said = {note.kind for note in local} - {NoteKind.SCATTERED}
    assert (
        {str(note.kind) for note in notes} - {"duplicates"} == said >= {"unjudged", "missing", "excluded", "negative"}
    )


def pairs(first, end, document):
    queries = [f"q{number}" for number in range(first, end)]
    return polars.DataFrame({"query_id": queries, "doc_id": [document] * len(queries)})


APART = [
    # No judged document, hardly a judged one, hardly a query.
    (pairs(1, 3, "nothing"), pairs(1, 4, "d"), [0]),
    (pairs(0, 200, "d"), pairs(0, 1, "d").vstack(pairs(1, 200, "x")), [1]),
    (pairs(0, 200, "d"), pairs(199, 400, "d"), [1]),
    (pairs(0, 200, "d"), pairs(199, 400, "x"), [0, 1]),
]


@pytest.mark.parametrize(("qrels", "rows", "counts"), APART)
def test_notes_about_a_whole_run(frame_of, qrels, rows, counts):
    qrels, rows = qrels.with_columns(relevance=1), rows.with_columns(score=1.0)
    with pytest.warns(assay.DataWarning):
        local = assay.evaluate(qrels, rows, ["ap"]).notes
    expected = sorted(map(row_of, local))
    assert [note[3] for note in expected if note[0] == "overlap"] == counts
    unchecked = ("duplicates", "run", [], 0, [])
    found = note_table(evaluate(qrels, frame_of(rows, 2), ["ap"], collect="notes"))
    assert found == sorted([*expected, unchecked])
    # Judgments that are joined; each executor sees some of the queries.
    assert note_table(evaluate(frame_of(qrels), frame_of(rows, 2), ["ap"], collect="notes", broadcast=1)) == expected


def test_notes_of_several_runs_and_of_judgments(frame_of):
    qrels = polars.concat([QRELS, QRELS[:2]])
    both = polars.concat([RUN.with_columns(run=polars.lit("a")), RUN[:200].with_columns(run=polars.lit("b"))])
    notes = evaluate(qrels, frame_of(both, 3), ["ap"], collect="notes", duplicates="first", order_column="place")
    rows = {(row.run, row.kind, row.about): row["count"] for row in notes.collect()}
    assert rows["a", "duplicates", "judgments"] == rows["b", "duplicates", "judgments"] == 2
    local = assay.evaluate(qrels, RUN[:200], ["ap"], duplicates="first")
    missing = next(note.count for note in local.notes if note.kind == NoteKind.MISSING)
    assert rows["b", "missing", "run"] == missing > rows["a", "missing", "run"]


def test_groups_foreign_documents_and_figures_of_scores(run, frame_of):
    qrels, _ = collection(groups=True)
    measures = ["alpha_ndcg@5", "hole@5", "ap"]
    local = assay.evaluate(qrels, RUN, measures)
    same(evaluate(frame_of(qrels), run, measures), local)
    same_scores(evaluate(frame_of(qrels), run, measures, collect=False, broadcast=10), local)
    # Sums of all scores are in the order of the run.
    ordered = RUN.sort("query_id", "place")
    same(evaluate(QRELS, run, ["nauc"], order_column="place"), assay.evaluate(QRELS, ordered, ["nauc"]))


def test_several_runs_compared_and_gated(frame_of):
    others = {name: collection(seed)[1] for name, seed in (("b", 1), ("a", 2))}
    both = polars.concat([frame.with_columns(run=polars.lit(name)) for name, frame in others.items()])
    results = evaluate(QRELS, frame_of(both, 4), MEASURES)
    assert list(results) == ["a", "b"]
    for name, frame in others.items():
        same(results[name], assay.evaluate(QRELS, frame, MEASURES))
    local = assay.compare(QRELS, dict(sorted(others.items())), ["ap"])
    assert assay.compare(None, results, ["ap"]).to_csv() == local.to_csv()
    assert assay.gate(None, results["a"], {"ap": 0.0}).passed
    scores = polars.from_arrow(evaluate(QRELS, frame_of(both, 4), ["ap"], collect=False).toArrow())
    assert scores.columns == ["run", "query_id", "ap"]
    assert len(scores) == 2 * len(results["a"].queries)
    means = dict(scores.group_by("run").agg(polars.col("ap").mean()).iter_rows())
    assert means == pytest.approx({name: result["ap"] for name, result in results.items()})


def test_duplicates(frame_of):
    once = RUN.join(QRELS, on=["query_id", "doc_id"], how="semi")[:1]
    extra = RUN.filter(query_id="q3").join(QRELS, on=["query_id", "doc_id"], how="anti")[:1]
    last = polars.lit(10**6, polars.Int64)
    judged, unjudged = (polars.concat([RUN, each.with_columns(score=0.5, place=last)]) for each in (once, extra))
    with pytest.raises(assay.errors.DuplicateError, match="lists document"):
        evaluate(QRELS, frame_of(judged, 3))
    result = evaluate(QRELS, frame_of(unjudged, 3))
    assert any("looked for among judged documents only" in note.text for note in result.notes)
    with pytest.raises(assay.errors.DuplicateError, match=extra["doc_id"][0]):
        evaluate(QRELS, frame_of(unjudged, 3), duplicates="error")
    with pytest.raises(assay.errors.DuplicateError, match="lists document"):
        evaluate(QRELS, frame_of(unjudged, 3), method="group")
    for frame in (judged, unjudged):
        for policy in ("first", "last", "count", "once"):
            local = assay.evaluate(QRELS, frame, MEASURES, duplicates=policy)
            same(evaluate(QRELS, frame_of(frame, 3), MEASURES, duplicates=policy, order_column="place"), local)
    with pytest.raises(assay.errors.DataError, match="order_column"):
        evaluate(QRELS, frame_of(judged, 3), duplicates="last")


WRONG = [
    ({"ties": "input"}, 'ties="input" depends on the order of rows'),
    ({"order": "given"}, 'order="given" depends on the order of rows'),
    ({"order_column": "nothing"}, "has no column 'nothing'"),
    ({"run_column": "nothing"}, "has no column 'nothing'"),
    ({"order_column": "score"}, "must hold whole numbers, not double"),
    ({"columns": {"score": "doc_id"}}, "must hold numbers, not string"),
    ({"method": "best"}, "method must be 'auto' or"),
    ({"collect": "all"}, "collect must be True, False or 'notes'"),
    ({"collect": 0}, "collect must be True, False or 'notes'"),
    ({"measures": "bleu"}, "measure of answers"),
]


@for_each(("options", "message"), WRONG)
def test_options_that_cannot_be(run, options, message):
    with pytest.raises(assay.AssayError, match=message):
        evaluate(QRELS, run, **options)


ROWS = [
    (("q1", "d1", float("nan")), "query 'q1', document 'd1': score NaN; every score must be finite"),
    (("q1", "", 1.0), "a row of query 'q1' has an empty document id"),
    ((None, "d1", 1.0), "1 row has no query id"),
    (("q1", "d1", None), "1 row has no score"),
]


@for_each(("row", "message"), ROWS)
def test_rows_that_cannot_be_used(frame_of, row, message):
    frame = polars.concat([RUN.drop("place"), polars.DataFrame([row], schema=RUN.drop("place").schema, orient="row")])
    with pytest.raises(assay.errors.FormatError, match=message):
        evaluate(QRELS, frame_of(frame, 3))


@for_each("collect", [True, False])
def test_other_data(run, frame_of, collect):
    with pytest.raises(assay.errors.DataError, match="must be a Spark DataFrame"):
        evaluate(QRELS, RUN, collect=collect)
    with pytest.raises(assay.errors.DataError, match="the run has no rankings"):
        evaluate(QRELS, frame_of(RUN[:0]), collect=collect)
    with pytest.raises(assay.errors.MismatchError, match="no query in common"):
        evaluate({"other": ["d1"]}, run, collect=collect)
    with pytest.warns(assay.DataWarning, match="no judged document was retrieved") as warned:
        found = evaluate({"q1": ["nothing"]}, run, ["ap"], collect=collect)
    assert warned[0].filename == __file__
    assert found["ap"] == 0 if collect else found.collect() == [("q1", 0.0)]


def test_duplicates_of_queries_without_judgments(frame_of):
    rows = [("u", "x", 1.0), ("u", "x", 2.0), ("q1", "d1", 1.0)]
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    for qrels in ({"q1": {"d1": 1}}, {"q1": {"d1": 1}, "q2": {"d1": 1}}):
        found = evaluate(qrels, frame_of(frame, 2), ["ap"], duplicates="error")
        same(found, assay.evaluate(qrels, frame, ["ap"], duplicates="error"))


def test_a_run_that_changes_between_its_readings(run):
    def shake(batches):
        import pyarrow

        for batch in batches:
            scores = pyarrow.array(np.random.default_rng().random(batch.num_rows))
            yield batch.set_column(batch.schema.get_field_index("score"), "score", scores)

    unsteady = run.mapInArrow(shake, run.schema)
    with pytest.raises(assay.errors.DataError, match="other rows when it was read again"):
        evaluate(QRELS, unsteady)


def test_a_task_whose_worker_is_killed_is_tried_again(run, tmp_path):
    marker = tmp_path / "killed"

    def die_once(batches):
        for batch in batches:
            if batch.num_rows:
                try:
                    os.close(os.open(marker, os.O_CREAT | os.O_EXCL))
                except FileExistsError:
                    pass
                else:
                    os.kill(os.getpid(), signal.SIGKILL)
            yield batch

    fragile = run.mapInArrow(die_once, run.schema)
    result = evaluate(QRELS, fragile, MEASURES)
    assert marker.exists()
    same(result, assay.evaluate(QRELS, RUN, MEASURES))
