"""By which way a run is counted in Spark: the same bits whatever way is taken."""

import polars
import pytest

import assay
from assay.engine.spark import count as spark_count
from assay.spark import evaluate
from assay.tasks.evaluate import spark as task
from spark_runs import MARKS, MEASURES, QRELS, RUN, collection, same, written

pytestmark = MARKS
# Of double and of single precision.
SCALES = ["ap", "trec_eval_9:map"]


def watch_passes(monkeypatch):
    """The passes that are made: one `count` for each way to compare, or a `group` of whole queries."""
    made = []

    def watch(module, name, label):
        original = getattr(module, name)

        def call(*arguments, **options):
            made.append(label)
            return original(*arguments, **options)

        monkeypatch.setattr(module, name, call)

    watch(spark_count, "count_slots", "count")
    watch(task, "map_queries", "group")
    return made


def test_passes_that_are_made(frame_of, monkeypatch):
    made = watch_passes(monkeypatch)
    rows = RUN.filter(query_id="q3")
    tied = rows.with_columns(score=polars.col("place") // 3 * -0.0)
    both = polars.concat([rows, RUN.filter(query_id="q5")])
    few, all_judged = QRELS.filter(query_id="q3"), rows.select("query_id", "doc_id", relevance=1)
    ordered = {"ties": "input", "order_column": "place"}
    cases = [
        (few, rows, MEASURES, {}, ["count"]),
        (few, tied, MEASURES, ordered, ["count"]),
        (few, rows, [*SCALES, "hole"], {}, ["count", "count"]),
        # Many documents are judged, and a query without judgments is there.
        (all_judged, tied, MEASURES, {}, ["count"]),
        (few, both, MEASURES, {}, ["count"]),
        # What counts do not tell.
        (few, rows, MEASURES, {"method": "group"}, ["group"]),
        (few, rows, MEASURES, {"duplicates": "error"}, ["group"]),
        (few, rows, ["nauc"], {"order_column": "place"}, ["group"]),
        (few, rows, MEASURES, {"broadcast": len(few) - 1}, ["group"]),
    ]
    for qrels, table, measures, how, passes in cases:
        made.clear()
        policies = {name: each for name, each in how.items() if name in ("ties", "duplicates")}
        same(evaluate(qrels, frame_of(table, 3), measures, **how), assay.evaluate(qrels, table, measures, **policies))
        assert made == passes, how


def test_more_levels_than_java_compiles_a_search_for_are_whole_queries(frame_of, monkeypatch):
    made = watch_passes(monkeypatch)
    rows = RUN.filter(query_id="q3")
    for most, passes in ((8, ["count"]), (7, ["group"])):
        monkeypatch.setattr(spark_count, "MOST_LEVELS", most)
        qrels = rows.head(8).select("query_id", "doc_id", relevance=1)
        made.clear()
        same(evaluate(qrels, frame_of(rows, 3), MEASURES), assay.evaluate(qrels, rows, MEASURES))
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
    retrieved = {("a", "q1", 1.0), ("b", "q1", 2.0)}
    for missing, more in (("zero", {("a", "q2", 0.0), ("b", "q2", 0.0)}), ("skip", set())):
        found = evaluate(qrels, frame, ["num_ret"], collect=False, missing=missing).collect()
        assert set(map(tuple, found)) == retrieved | more


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


SCHEMA = {"query_id": polars.String, "doc_id": polars.String, "score": polars.Float64, "place": polars.Int64}
PLACES = [
    (3, "auto", "query 'q1' has two rows with the same number in the order column"),
    (3, "group", "query 'q1' has two rows with the same number in the order column"),
    (None, "group", "a row has no number"),
]


@pytest.mark.parametrize(("place", "method", "message"), PLACES)
def test_rows_without_a_place_of_their_own(frame_of, place, method, message):
    rows = [("q1", "a", 1.0, 3), ("q1", "b", 1.0, place), ("q1", "c", 0.5, 4), ("q2", "a", 1.0, 1)]
    frame, qrels = polars.DataFrame(rows, schema=SCHEMA, orient="row"), {"q1": {"a": 1, "c": 1}, "q2": {"a": 1}}
    with pytest.raises(assay.errors.DataError, match=message):
        evaluate(qrels, frame_of(frame, 2), ["ap"], ties="input", order_column="place", method=method)
    # Where places decide nothing, they may be the same.
    if method == "auto":
        same(evaluate(qrels, frame_of(frame, 2), ["ap"], order_column="place"), assay.evaluate(qrels, frame, ["ap"]))
