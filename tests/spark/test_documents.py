"""Chunks in Spark: the documents that a rule finds, ranked as in a run that is read here, with the same notes."""

import numpy as np
import polars
import pytest

import assay
from assay.spark import evaluate
from spark_runs import MARKS, MEASURES, QRELS, RUN, same

pytestmark = MARKS


def chunked(seed=0):
    """The run with chunks of its documents: several of most, tied with each other, and some ids without a separator."""
    generator = np.random.default_rng(seed)
    parts = []
    for number in range(3):
        chosen = RUN.filter(polars.Series(generator.random(len(RUN)) < 0.6))
        score = chosen["score"] + polars.Series(generator.integers(-1, 2, len(chosen)) * 0.5)
        parts.append(chosen.with_columns(doc_id=chosen["doc_id"] + f"#{number}", score=score))
    whole = RUN.filter(polars.Series(generator.random(len(RUN)) < 0.05))
    rows = polars.concat([*parts, whole]).sample(fraction=1, shuffle=True, seed=seed)
    return rows.with_columns(place=polars.int_range(len(rows), dtype=polars.Int64))


CHUNKS = chunked()
POLICIES = [
    {},
    {"chunks": "once"},
    {"chunks": "count"},
    {"ties": "docid_asc", "precision": "float32"},
    {"ties": "input", "depth": 20},
    {"order": "given"},
    {"exclude": "query_id", "judged_only": True},
    {"convention": "trec_eval", "measures": ["map", "P.5,10", "ndcg"]},
    {"measures": ["ap", "trec_eval:map", "num_ret"]},
    {"doc_id": "regex:^(.+)#"},
    {"doc_id": "regex:^(x)"},
    {"doc_id": lambda chunk: chunk.partition("#")[0]},
    # A document for some of the chunks only.
    {"doc_id": lambda chunk: chunk.partition("#")[0] if chunk.endswith(("0", "2")) else None},
]


@pytest.fixture(scope="module")
def run(frame_of):
    """The chunks, in more partitions than cores."""
    return frame_of(CHUNKS, 5).cache()


def same_numbers(one, other):
    """Two results have the same bits, and notes of the same kinds and counts: which ids a note shows may differ."""
    same(one, other, notes=False)
    noted, expected = (
        {(note.kind, note.count, note.queries, note.measures) for note in each.notes} for each in (one, other)
    )
    assert noted == expected


@pytest.mark.parametrize("policies", POLICIES, ids=str)
def test_the_same_bits_as_a_local_run(run, policies):
    how = {"measures": MEASURES, "doc_id": "before:#", **policies}
    local = assay.evaluate(QRELS, CHUNKS, **how)
    same_numbers(evaluate(QRELS, run, order_column="place", **how), local)
    if not {"ties", "order"} & set(policies):
        same_numbers(evaluate(QRELS, run, **how), local)


@pytest.mark.parametrize("seed", range(3))
def test_random_chunks_however_they_are_spread(frame_of, seed):
    chunks = chunked(seed + 1)
    local = assay.evaluate(QRELS, chunks, MEASURES, doc_id="before:#")
    made = [evaluate(QRELS, frame_of(chunks, parts), MEASURES, doc_id="before:#") for parts in (1, 9)]
    for each in made:
        same_numbers(each, local)
    # Ids that the rule does not match are shown in their order.
    assert made[0].notes == made[1].notes
    unmatched = sorted({each for each in chunks["doc_id"] if "#" not in each})[:3]
    assert any(", ".join(map(repr, unmatched)) in note.text for note in made[0].notes)


def test_a_field_names_the_document(frame_of):
    number = polars.int_range(polars.len())
    source = polars.col("doc_id").str.extract("^(.+)#")
    source = polars.when(number % 7 == 0).then(polars.lit("")).otherwise(source)
    rows = CHUNKS.with_columns(source=source, metadata=polars.struct(source=source, page=number))
    for rule in ("source", "metadata.source"):
        local = assay.evaluate(QRELS, rows, MEASURES, doc_id=rule)
        same_numbers(evaluate(QRELS, frame_of(rows, 3), MEASURES, doc_id=rule), local)
    for rule, message in (("nothing", "has no column 'nothing'"), ("metadata", "must hold strings or integers")):
        with pytest.raises(assay.errors.FormatError, match=message):
            evaluate(QRELS, frame_of(rows, 3), MEASURES, doc_id=rule)


def test_several_runs(frame_of):
    runs = {"a": chunked(4), "b": chunked(5)}
    both = polars.concat([frame.with_columns(run=polars.lit(name)) for name, frame in runs.items()])
    results = evaluate(QRELS, frame_of(both, 4), MEASURES, doc_id="before:#")
    for name, frame in runs.items():
        same_numbers(results[name], assay.evaluate(QRELS, frame, MEASURES, doc_id="before:#"))


def test_scores_and_notes_that_stay_in_spark(run, frame_of):
    local = assay.evaluate(QRELS, CHUNKS, MEASURES, doc_id="before:#")
    expected = {(note.kind, note.count) for note in local.notes}
    for qrels, broadcast in ((QRELS, 10_000), (frame_of(QRELS), 10)):
        how = {"doc_id": "before:#", "broadcast": broadcast}
        table = polars.from_arrow(evaluate(qrels, run, MEASURES, collect=False, **how).toArrow())
        scores = {row[0]: row[1:] for row in table.iter_rows()}
        assert scores == dict(
            zip(local.queries, zip(*(local.scores[name].tolist() for name in MEASURES), strict=True), strict=True)
        )
        notes = evaluate(qrels, run, MEASURES, collect="notes", **how).collect()
        assert {(row["kind"], row["count"]) for row in notes} == expected
        assert {row["about"] for row in notes if row["kind"] == "chunks"} == {"run", "rule"}


def test_duplicate_chunks(frame_of):
    judged, unjudged = CHUNKS.filter(query_id="q3")[:2], CHUNKS.filter(query_id="q5")[:3]
    again = polars.concat([judged, unjudged]).with_columns(score=0.25)
    rows = polars.concat([CHUNKS, again])
    rows = rows.with_columns(place=polars.int_range(len(rows), dtype=polars.Int64))
    with pytest.raises(assay.errors.DuplicateError, match="lists chunk"):
        evaluate(QRELS, frame_of(rows, 3), doc_id="before:#")
    for policies in ({"duplicates": "first"}, {"duplicates": "last", "chunks": "once"}, {"duplicates": "count"}):
        how = {"doc_id": "before:#", **policies}
        local = assay.evaluate(QRELS, rows, MEASURES, **how)
        for parts in (1, 6):
            same_numbers(evaluate(QRELS, frame_of(rows, parts), MEASURES, order_column="place", **how), local)
    for chunks in ("best", "once"):
        with pytest.raises(assay.errors.DataError, match="order_column"):
            evaluate(QRELS, frame_of(rows, 3), doc_id="before:#", duplicates="last", chunks=chunks)


@pytest.fixture
def many_partitions(spark):
    """More partitions than queries, so that some have only queries without judgments."""
    changed = {"spark.sql.shuffle.partitions": "40", "spark.sql.adaptive.enabled": "false"}
    before = {name: spark.conf.get(name) for name in changed}
    for name, value in changed.items():
        spark.conf.set(name, value)
    yield
    for name, value in before.items():
        spark.conf.set(name, value)


@pytest.mark.usefixtures("many_partitions")
def test_queries_without_judgments_in_partitions_of_their_own(frame_of):
    few = QRELS.filter(polars.col("query_id") == QRELS["query_id"][0])
    rows = frame_of(CHUNKS, 3)
    for policies in ({}, {"chunks": "once"}):
        how = {"doc_id": "before:#", **policies}
        same_numbers(evaluate(few, rows, MEASURES, **how), assay.evaluate(few, CHUNKS, MEASURES, **how))
    twice = polars.DataFrame({"query_id": ["q1", "u", "u"], "doc_id": ["d1#0", "x#0", "x#0"], "score": [1.0, 2.0, 2.0]})
    with pytest.raises(assay.errors.DataError, match="rows of a DataFrame have no first one"):
        evaluate({"q1": {"d1": 1}}, frame_of(twice), ["ap"], doc_id="before:#", duplicates="first")
