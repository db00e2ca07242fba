"""How often a run is read in Spark, and by whom its rows are counted: the same bits whatever way is taken."""

import polars
import pytest

import assay
from assay.engine import spark_sums
from assay.spark import evaluate
from spark_runs import MARKS, MEASURES, QRELS, RUN, collection, same, written

pytestmark = MARKS
# Of double and of single precision.
SCALES = ["ap", "trec_eval_9:map"]


def counted_by(monkeypatch):
    """The names of the passes that are made.

    These are `sums`, `ties` (of rows that tie), `keys` (by search) and `others` in Spark's SQL, and `kernel` in Arrow
    batches.
    """
    from assay.engine import spark, spark_counts

    made = []

    def watch(module, name, label):
        original = getattr(module, name)

        def call(*arguments, **options):
            made.append(label)
            return original(*arguments, **options)

        monkeypatch.setattr(module, name, call)

    watch(spark_sums.LevelSums, "read", "sums")
    watch(spark_sums.LevelSums, "read_ties", "ties")
    watch(spark_counts.SparkCounter, "count_keys", "keys")
    watch(spark_counts.SparkCounter, "other_rankings", "others")
    watch(spark, "count", "kernel")
    return made


def test_passes_that_are_made(frame_of, monkeypatch):
    made = counted_by(monkeypatch)
    distinct = RUN.filter(query_id="q3").with_columns(score=polars.col("place") * 0.5)
    tied = distinct.with_columns(score=polars.col("place") // 3 * -0.0)
    few = QRELS.filter(query_id="q3")
    both = polars.concat([distinct, RUN.filter(query_id="q5").with_columns(score=polars.col("place") * 0.5)])
    all_judged = tied.select("query_id", "doc_id", relevance=1)
    assert len(few) <= spark_sums.MOST_COLUMNS < len(all_judged)
    cases = [
        (few, distinct, ["sums"]),
        (few, tied, ["sums", "ties"]),
        (all_judged.head(3), tied.head(3), ["sums"]),
        # Many documents are judged.
        (all_judged, tied, ["keys"]),
        # A query without judgments.
        (few, both, ["sums", "others"]),
    ]
    for qrels, rows, passes in cases:
        made.clear()
        same(evaluate(qrels, frame_of(rows, 3), MEASURES), assay.evaluate(qrels, rows, MEASURES))
        assert made == passes


def test_more_ties_than_may_be_read_are_searched(frame_of, monkeypatch):
    made = counted_by(monkeypatch)
    rows = [("q1", "a", 1.0), ("q1", "b", 1.0), ("q1", "x", 1.0), ("q1", "y", 2.0), ("q2", "a", 1.0)]
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "score"], orient="row")
    qrels = {"q1": {"a": 1, "b": 1}, "q2": {"a": 1}}
    count = spark_sums.LevelSums.count
    for most, passes in ((3, ["sums", "ties"]), (2, ["sums", "keys"])):
        monkeypatch.setattr(spark_sums.LevelSums, "count", lambda sums, _, most=most: count(sums, most))
        made.clear()
        same(evaluate(qrels, frame_of(frame, 2), MEASURES), assay.evaluate(qrels, frame, MEASURES))
        assert made == passes


def test_a_search_that_java_would_not_compile_goes_to_the_kernel(spark, frame_of, monkeypatch):
    made = counted_by(monkeypatch)
    rows = RUN.filter(query_id="q3")
    spark.conf.set("spark.sql.codegen.wholeStage", "true")
    try:
        for count, passes in ((8, ["sums", "ties", "ties"]), (15, ["keys"]), (16, ["kernel"])):
            qrels = rows.head(count).select("query_id", "doc_id", relevance=1)
            made.clear()
            same(evaluate(qrels, frame_of(rows, 3), SCALES), assay.evaluate(qrels, rows, SCALES))
            assert made == passes
    finally:
        spark.conf.set("spark.sql.codegen.wholeStage", "false")


def test_a_table_that_is_too_large_for_executors_goes_to_the_kernel(frame_of, monkeypatch):
    made = counted_by(monkeypatch)
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
    rows = [("r1", "q1", "a", 1.0), ("r1", "q1", "x", 1.0), ("r2", "q2", "b", 1.0), ("r2", "q2", "c", 2.0)]
    frame = polars.DataFrame(rows, schema=["run", "query_id", "doc_id", "score"], orient="row")
    for measures, passes in ((["ap"], ["sums", "ties"]), (SCALES, ["kernel"])):
        made.clear()
        results = evaluate(qrels, frame_of(frame, 2), measures, broadcast=2)
        for name in ("r1", "r2"):
            local = assay.evaluate(qrels, frame.filter(run=name).drop("run"), measures)
            same(results[name], local)
        assert made == passes


# In the order of their bytes, which is not that of UTF-16, nor of any language.
IDS = ["", "0", "Z", "a", "ä", "z", "\u00e9", "e\u0301", "\uffff", "\U00010000", "\U0001f600", "d\u0000", "d", "D"]


@pytest.mark.parametrize("ties", ["docid_asc", "docid_desc", "input"])
def test_ties_are_compared_as_the_kernel_does(spark, frame_of, ties):
    documents = [prefix + each for prefix in ("", "d", "\U0001f600") for each in IDS if prefix + each]
    documents = list(dict.fromkeys(documents))
    judged = {document: number % 4 for number, document in enumerate(documents) if number % 3}
    scores = [float(number % 2) * 1e-9 for number in range(len(documents))]
    rows = {"query_id": ["q"] * len(documents), "doc_id": documents, "score": scores, "place": range(len(documents))}
    frame = polars.DataFrame(rows)
    spark.conf.set("spark.sql.codegen.wholeStage", "true")
    try:
        found = evaluate({"q": judged}, frame_of(frame, 3), [*MEASURES, *SCALES], ties=ties, order_column="place")
    finally:
        spark.conf.set("spark.sql.codegen.wholeStage", "false")
    same(found, assay.evaluate({"q": judged}, frame, [*MEASURES, *SCALES], ties=ties))


def test_a_run_without_judged_documents_keeps_its_rankings(frame_of):
    qrels = {"q1": {"d1": 1}, "q2": {"d2": 1}}
    rows = [("a", "q1", "d1", 1.0), ("b", "q1", "x", 2.0), ("b", "q1", "y", 1.0)]
    frame = frame_of(polars.DataFrame(rows, schema=["run", "query_id", "doc_id", "score"], orient="row"))
    found = {
        missing: {
            (run, query): count
            for run, query, count in evaluate(qrels, frame, ["num_ret"], collect=False, missing=missing).collect()
        }
        for missing in ("zero", "skip")
    }
    retrieved = {("a", "q1"): 1.0, ("b", "q1"): 2.0}
    assert found == {"zero": {**retrieved, ("a", "q2"): 0.0, ("b", "q2"): 0.0}, "skip": retrieved}


def test_rows_without_a_place_do_not_hide_judged_documents(frame_of):
    judged = [("q1", f"d{number}", float(number), number) for number in range(10)]
    rows = [*(("q1", f"x{number}", -1.0, None) for number in range(8)), *judged]
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "score", "place"], orient="row")
    qrels = {"q1": {document: 1 for _, document, *_ in judged}}
    result = evaluate(qrels, frame_of(frame, 1), ["ap"], order_column="place", broadcast=10)
    assert result["ap"] == 1.0


@pytest.fixture(params=["sums", "search"])
def counting(request, monkeypatch):
    """Ranks are counted by sums where that is possible, or always by search."""
    if request.param == "search":
        monkeypatch.setattr(spark_sums, "MOST_COLUMNS", -1)


@pytest.mark.usefixtures("counting")
@pytest.mark.parametrize("seed", range(4))
def test_random_runs_under_several_policies_at_once(frame_of, seed):
    qrels, rows = collection(seed + 10, queries=12)
    measures = ["ap", "trec_eval:map", "ranx:map", "num_ret"]
    local = assay.evaluate(qrels, written(rows), measures)
    same(evaluate(qrels, frame_of(rows, 4), measures, order_column="place"), local)


@pytest.mark.usefixtures("counting")
def test_rows_with_the_same_place(frame_of):
    rows = [("q1", "a", 1.0, 3), ("q1", "b", 1.0, 3), ("q1", "c", 0.5, 4), ("q2", "a", 1.0, 1)]
    frame = polars.DataFrame(rows, schema=["query_id", "doc_id", "score", "place"], orient="row")
    qrels = {"q1": {"a": 1, "c": 1}, "q2": {"a": 1}}
    with pytest.raises(assay.DataError, match="query 'q1' has two rows with the same number in the order column"):
        evaluate(qrels, frame_of(frame, 2), ["ap"], ties="input", order_column="place")
    # Where places decide nothing, they may be the same.
    same(evaluate(qrels, frame_of(frame, 2), ["ap"], order_column="place"), assay.evaluate(qrels, frame, ["ap"]))
