"""Rows that do not stand together, in several blocks and threads, change no bit."""

import gzip
import random

import polars
import pytest

import assay
from forms import (
    EXPECTED,
    MEASURES,
    QRELS,
    QRELS_NAMES,
    QRELS_ROWS,
    QUERIES,
    RUN,
    RUN_NAMES,
    RUN_ROWS,
    RUN_TEXTS,
    frame,
    in_pandas,
    records,
    scores_of,
    separated,
    shuffled,
)
from tables import for_each

# Rows that do not stand together.


@for_each("threads", [1, 2, 4])
@for_each(
    "name", ["run.trec", "run.trec.gz", "run.csv", "run.tsv", "run.jsonl", "run.parquet", "polars", "pandas", "pyarrow"]
)
def test_scattered_rows_give_the_same_scores_and_a_note(name, threads, make, tmp_path):
    rows = shuffled(RUN_ROWS)
    table = frame(rows, "score")
    trec = "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in rows)
    texts = {
        "run.trec": trec.encode(),
        "run.trec.gz": gzip.compress(trec.encode()),
        "run.csv": separated(rows, RUN_NAMES, ",").encode(),
        "run.tsv": separated(rows, RUN_NAMES, "\t").encode(),
        "run.jsonl": records(rows, RUN_NAMES).encode(),
    }
    if name in texts:
        run = make(name, texts[name])
    elif name == "run.parquet":
        run = tmp_path / name
        table.write_parquet(run)
    else:
        run = {"polars": table, "pandas": in_pandas(table, "score"), "pyarrow": table.to_arrow()}[name]
    result = assay.evaluate(QRELS, run, MEASURES, threads=threads)
    assert scores_of(result) == EXPECTED
    assert [note.kind for note in result.notes] == ["scattered"]
    assert result.notes[0].text.startswith(f"rows of {len(QUERIES)} queries are not contiguous")


@pytest.mark.parametrize("batch", [4, 25, 40, 299])
def test_tables_are_read_in_batches(batch, make, monkeypatch):
    """Wherever a batch ends, a query's rows stay together; where they do not, that is noticed across batches."""
    monkeypatch.setattr("assay.data.formats.separated.BATCH", batch)
    monkeypatch.setattr("assay.data.formats.jsonl.BATCH", batch)
    for name in ("run.csv", "run.jsonl"):
        result = assay.evaluate(QRELS, make(name, RUN_TEXTS[name]), MEASURES)
        assert scores_of(result) == EXPECTED
        assert result.notes == ()
    apart = [row for row in RUN_ROWS if row[1] > "3"] + [row for row in RUN_ROWS if row[1] <= "3"]
    for name, text in (("run.csv", separated(apart, RUN_NAMES, ",")), ("run.jsonl", records(apart, RUN_NAMES))):
        result = assay.evaluate(QRELS, make(name, text), MEASURES)
        assert scores_of(result) == EXPECTED
        assert [note.kind for note in result.notes] == ["scattered"]


def test_scattered_judgments_are_put_together(make):
    rows = shuffled(QRELS_ROWS)
    text = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows)
    per_query = assay.evaluate(QRELS, RUN, MEASURES).per_query()
    for qrels in (make("q.trec", text), frame(rows, "relevance"), make("q.csv", separated(rows, QRELS_NAMES, ","))):
        assert assay.evaluate(qrels, RUN, MEASURES).per_query() == per_query


# Many rows: several blocks of a file, several threads.


@pytest.fixture(scope="module")
def large():
    """A run of several megabytes with ties, as a dict; and judgments."""
    choice = random.Random(5)
    run = {
        f"query-{number}": {f"doc{document:07d}": choice.randrange(500) / 4 for document in range(2000)}
        for number in range(80)
    }
    qrels = {
        query: {document: choice.randrange(3) for document in choice.sample(list(run[query]), 40)} for query in run
    }
    return qrels, run


@pytest.fixture(scope="module")
def large_lines(large):
    return [
        f"{query} Q0 {document} 0 {score} t\n"
        for query, ranking in large[1].items()
        for document, score in ranking.items()
    ]


@for_each("threads", [1, 2, 4])
def test_threads_and_blocks_do_not_change_a_bit(threads, large, large_lines, make):
    qrels, run = large
    expected = scores_of(assay.evaluate(qrels, run, MEASURES))
    path = make("run.trec", "".join(large_lines))
    assert path.stat().st_size > 4 << 20
    table = polars.DataFrame([(q, d, s) for q in run for d, s in run[q].items()], schema=RUN_NAMES, orient="row")
    for form in (path, table, table.to_arrow(), assay.Run(path), make("run.gz", gzip.compress(path.read_bytes(), 1))):
        result = assay.evaluate(qrels, form, MEASURES, threads=threads)
        assert scores_of(result) == expected
        assert result.notes == ()


@for_each("threads", [1, 2, 4])
def test_scattered_lines_of_several_blocks_do_not_change_a_bit(threads, large, large_lines, make):
    qrels, run = large
    expected = scores_of(assay.evaluate(qrels, run, MEASURES))
    lines = large_lines[:60_000] + shuffled(large_lines[60_000:])
    result = assay.evaluate(qrels, make("run.trec", "".join(lines)), MEASURES, threads=threads)
    assert scores_of(result) == expected
    assert [str(note) for note in result.notes] == ["rows of 50 queries are not contiguous; grouped by query"]
