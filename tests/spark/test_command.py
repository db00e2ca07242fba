"""`assay eval --engine spark`: files that Spark reads, as the local engine does."""

import gzip

import pytest
from click.testing import CliRunner

import assay
from assay.cli.main import commands
from spark_runs import MARKS, QRELS, RUN

pytestmark = MARKS
# Files with judgments of d1 and d"1 for q1 and of d2 for q2: quotes, and white space around fields.
FILES = [
    ("quoted.csv", 'query_id,doc_id,score\nq1,"d""1",2\nq1,x,3\nq2,d2,1\n'),
    ("quoted.csv", 'query_id,doc_id,score,text\nq1,x,3,a\nq1,d1,2,"a\nq1,zz,9,b"\nq2,d2,1,c\n'),
    ("quoted.csv", 'query_id,doc_id,score,text\nq1,x,3,"he said ""hi"", ok"\nq1,d1,2,"ends with \\"\nq2,d2,1,c\n'),
    ("spaces.trec", "\tq1 Q0\td1 1 3 t \r\n \t\n# note\nq1 Q0 d2 1 +4.e0 t\t\n"),
]
WRONG_FILES = {
    "bytes.trec": (b"q1 Q0 d1 1 3 t\nq1 Q0 \xff 1 2 t\n", "6 fields in UTF-8"),
    "space.trec": (b"\t# not a comment\nq1 Q0 d1 1 3 t\n", "6 fields in UTF-8"),
    "short.trec": (b"q1 Q0 d1 1 0.5\n", "6 fields"),
    "hex.trec": (b"q1 Q0 d1 1 0x1p3 t\n", "no score"),
    "letter.csv": (b"query_id,doc_id,score\nq1,d1,2d\n", "no score"),
    "cut.trec.gz": (gzip.compress(b"q1 Q0 d1 1 3 t\n" * 99)[:-20], "is truncated"),
    "run.txt.xz": (b"", "does not read files compressed with xz"),
}
SPARK = ("--engine", "spark")


@pytest.fixture
def files(tmp_path, spark):  # noqa: ARG001 - the command finds the session that is there
    QRELS.write_parquet(tmp_path / "qrels.parquet")
    run = RUN.drop("place")
    run.write_parquet(tmp_path / "run.parquet")
    run.write_csv(tmp_path / "run.csv")
    run.write_csv(tmp_path / "run.tsv", separator="\t")
    run.write_ndjson(tmp_path / "run.jsonl")
    assay.Run(run).write(tmp_path / "run.trec")
    return tmp_path


@pytest.fixture
def call(files):
    """Runs the command. Spark has a working folder of its own, so that files are named in full."""
    runner = CliRunner()
    return lambda *words: runner.invoke(
        commands, ["eval", *(str(files / each) if "." in each else each for each in words)], prog_name="assay"
    )


@pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "jsonl", "trec"])
def test_the_same_output(call, ending):
    options = ("-m", "ndcg@10,ap", "--format", "csv")
    spark = call("qrels.parquet", f"run.{ending}", *options, *SPARK)
    assert (spark.exit_code, spark.stdout) == (0, call("qrels.parquet", "run.parquet", *options).stdout), spark.output


@pytest.mark.parametrize(("name", "content"), FILES)
def test_awkward_files(files, call, name, content):
    (files / "qrels.txt").write_text('q1 0 d1 1\nq1 0 d"1 1\nq2 0 d2 1\n')
    (files / name).write_bytes(content.encode())
    options = ("qrels.txt", name, "--per-query", "--format", "csv")
    spark = call(*options, *SPARK)
    assert (spark.exit_code, spark.stdout) == (0, call(*options).stdout), spark.output


@pytest.mark.parametrize("name", WRONG_FILES)
def test_what_the_local_engine_refuses_too(files, call, name):
    content, message = WRONG_FILES[name]
    (files / name).write_bytes(content)
    for engine in ((), SPARK):
        result = call("qrels.parquet", name, *engine)
        assert result.exit_code == 2, result.output
    assert message in result.stderr


def test_usage(files, call):
    (files / "parts").mkdir()
    (files / "parts" / "p0.csv").write_text("query_id,doc_id,score\nq1,d1,2\n")
    (files / "parts" / "p1.csv").write_text("doc_id,query_id,score\nd2,q1,1\n")
    cases = [
        (("run.parquet", "--master", "local[1]"), "add --engine spark"),
        (("run.parquet", *SPARK, "--worst", "3"), "--worst cannot be combined"),
        (("-", *SPARK), "cannot read standard input"),
        (("none.parquet", *SPARK), "none.parquet"),
        (("run.xyz", *SPARK), "the format cannot be told"),
        (("run.parquet", *SPARK, "--policy", "ties=input"), "--column order="),
        (("parts/*.csv", *SPARK), "header"),
    ]
    for arguments, message in cases:
        result = call("qrels.parquet", *arguments)
        assert result.exit_code == 2, message
        assert message in result.stderr
