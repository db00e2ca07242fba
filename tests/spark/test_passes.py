"""How often a run is read in Spark, and by whom its rows are counted: the same bits whatever way is taken."""

import polars
import pytest

import assay
from assay.spark import evaluate
from spark_runs import MEASURES, QRELS, RUN, collection, same, written

pytestmark = [
    pytest.mark.spark,
    pytest.mark.xdist_group("spark"),
    # PySpark's own: about pandas 3, which it looks for and assay does not use, and sockets that it leaves to the collector.
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]
# Of double and of single precision.
SCALES = ["ap", "trec_eval_9:map"]


def counted_by(monkeypatch):
    """The names of the passes that are made: `places` in Spark's SQL, `ties` and `all` by the kernel."""
    from assay.engine import spark, spark_counts

    made = []

    def watch(module, name, label):
        original = getattr(module, name)

        def call(*arguments, **options):
            made.append(label)
            return original(*arguments, **options)

        monkeypatch.setattr(module, name, call)

    watch(spark_counts.SparkCounter, "count_places", "places")
    watch(spark_counts.SparkCounter, "other_rankings", "others")
    watch(spark_counts, "count", "ties")
    watch(spark, "count", "all")
    return made


def test_rows_go_to_the_kernel_only_where_they_must(frame_of, monkeypatch):
    made = counted_by(monkeypatch)
    distinct = RUN.filter(query_id="q3").with_columns(score=polars.col("place") * 0.5)
    tied = distinct.with_columns(score=polars.col("place") // 3 * -0.0)
    few = QRELS.filter(query_id="q3")
    many = distinct.select("query_id", "doc_id", relevance=1)
    both = polars.concat([distinct, RUN.filter(query_id="q5").with_columns(score=polars.col("place") * 0.5)])
    cases = [
        (few, distinct, ["places"]),
        (few, tied, ["places", "ties"]),
        # More judged documents than are compared in a tree.
        (many, distinct, ["all"]),
        # A query without judgments.
        (few, both, ["places", "others"]),
        # As many judged documents as are compared in a tree, and one more.
        (many.head(31), distinct, ["places"]),
        (many.head(32), distinct, ["all"]),
    ]
    for qrels, rows, passes in cases:
        made.clear()
        same(evaluate(qrels, frame_of(rows, 3), MEASURES), assay.evaluate(qrels, rows, MEASURES))
        assert made == passes


def test_all_scales_share_the_room_of_a_tree(spark, frame_of, monkeypatch):
    made = counted_by(monkeypatch)
    rows = RUN.filter(query_id="q3").with_columns(score=polars.col("place") * 0.5)
    spark.conf.set("spark.sql.codegen.wholeStage", "true")
    try:
        for count, passes in ((15, ["places"]), (16, ["all"])):
            qrels = rows.head(count).select("query_id", "doc_id", relevance=1)
            made.clear()
            same(evaluate(qrels, frame_of(rows, 3), SCALES), assay.evaluate(qrels, rows, SCALES))
            assert made == passes
    finally:
        spark.conf.set("spark.sql.codegen.wholeStage", "false")


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


@pytest.mark.parametrize("seed", range(4))
def test_random_runs_under_several_policies_at_once(frame_of, seed):
    qrels, rows = collection(seed + 10, queries=12)
    measures = ["ap", "trec_eval:map", "ranx:map", "num_ret"]
    local = assay.evaluate(qrels, written(rows), measures)
    same(evaluate(qrels, frame_of(rows, 4), measures, order_column="place"), local)
