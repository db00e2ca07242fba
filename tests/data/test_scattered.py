"""Rows that do not stand together, in several blocks and threads, change no bit."""

import gzip
import io
import random
from pathlib import Path

import polars
import pytest

import assay
import forms
from forms import MEASURES, QRELS, QUERIES, RUN, RUN_NAMES, RUN_ROWS, check, records, scores_of, separated, shuffled
from tables import for_each

ROWS = shuffled(RUN_ROWS)
TABLE = forms.frame(ROWS, "score")
TREC = "".join(f"{query} Q0 {document} 1 {score} tag\n" for query, document, score in ROWS).encode()
FILES = {
    "run.trec": TREC,
    "run.trec.gz": gzip.compress(TREC),
    "run.csv": separated(ROWS, RUN_NAMES, ",").encode(),
    "run.tsv": separated(ROWS, RUN_NAMES, "\t").encode(),
    "run.jsonl": records(ROWS, RUN_NAMES).encode(),
}


@for_each("threads", [1, 2, 4])
def test_scattered_rows_give_the_same_scores_and_a_note(threads, make):
    TABLE.write_parquet("run.parquet")
    files = [make(name, content) for name, content in FILES.items()]
    for run in (*files, "run.parquet", TABLE, forms.in_pandas(TABLE, "score"), TABLE.to_arrow()):
        result = check(run=run, threads=threads, notes=("scattered",))
        assert result.notes[0].text.startswith(f"rows of {len(QUERIES)} queries are not contiguous")


@pytest.mark.parametrize("batch", [4, 25, 40, 299])
def test_tables_are_read_in_batches(batch, make, monkeypatch):
    """Wherever a batch ends, a query's rows stay together; where they do not, that is noticed across batches."""
    monkeypatch.setattr("assay.data.formats.separated.BATCH", batch)
    monkeypatch.setattr("assay.data.formats.jsonl.BATCH", batch)
    for name in ("run.csv", "run.jsonl"):
        check(run=make(name, forms.RUN_TEXTS[name]))
    apart = [row for row in RUN_ROWS if row[1] > "3"] + [row for row in RUN_ROWS if row[1] <= "3"]
    for name, text in (("run.csv", separated(apart, RUN_NAMES, ",")), ("run.jsonl", records(apart, RUN_NAMES))):
        check(run=make(name, text), notes=("scattered",))


def test_scattered_judgments_are_put_together(make):
    rows = shuffled(forms.QRELS_ROWS)
    text = "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows)
    files = [make("q.trec", text), make("q.csv", separated(rows, forms.QRELS_NAMES, ","))]
    for qrels in (*files, forms.frame(rows, "relevance")):
        assert assay.evaluate(qrels, RUN, MEASURES).per_query() == assay.evaluate(QRELS, RUN, MEASURES).per_query()


@pytest.fixture(scope="module")
def large():
    """A run of several megabytes with ties, as a dict; and judgments."""
    choice = random.Random(5)
    documents = [f"doc{number:07d}" for number in range(2000)]
    run = {f"query-{number}": {each: choice.randrange(500) / 4 for each in documents} for number in range(80)}
    qrels = {query: {each: choice.randrange(3) for each in choice.sample(documents, 40)} for query in run}
    return qrels, run


@for_each("threads", [1, 2, 4])
def test_threads_and_blocks_do_not_change_a_bit(threads, large, make):
    qrels, run = large
    lines = [f"{query} Q0 {each} 0 {score} t\n" for query in run for each, score in run[query].items()]
    expected = scores_of(assay.evaluate(qrels, run, MEASURES))
    path = make("run.trec", "".join(lines))
    assert path.stat().st_size > 4 << 20
    table = polars.DataFrame([(q, d, s) for q in run for d, s in run[q].items()], schema=RUN_NAMES, orient="row")
    table.write_csv("run.csv")
    table.write_ndjson("run.jsonl")
    files = [path, "run.csv", "run.jsonl", make("run.gz", gzip.compress(path.read_bytes(), 1))]
    for form in (*files, io.BytesIO(Path("run.csv").read_bytes()), table, table.to_arrow(), assay.Run(path)):
        result = assay.evaluate(qrels, form, MEASURES, threads=threads)
        assert scores_of(result) == expected
        assert result.notes == ()
    lines = lines[:60_000] + shuffled(lines[60_000:])
    result = assay.evaluate(qrels, make("run.trec", "".join(lines)), MEASURES, threads=threads)
    assert scores_of(result) == expected
    assert [str(note) for note in result.notes] == ["rows of 50 queries are not contiguous; grouped by query"]
