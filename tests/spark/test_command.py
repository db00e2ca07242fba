"""`assay eval --engine spark`: files that Spark reads, as the local engine does."""

import gzip

import pytest
from click.testing import CliRunner

import assay
from assay.cli.main import commands
from spark_runs import MARKS, QRELS, RUN

pytestmark = MARKS
TABLES = [
    'query_id,doc_id,score\nq1,"d""1",2\nq1,x,3\nq2,d2,1\n',
    'query_id,doc_id,score,text\nq1,x,3,a\nq1,d1,2,"a\nq1,zz,9,b"\nq2,d2,1,c\n',
    'query_id,doc_id,score,text\nq1,x,3,"he said ""hi"", ok"\nq1,d1,2,"ends with \\"\nq2,d2,1,c\n',
]
WRONG_FILES = {
    "bytes.trec": (b"q1 Q0 d1 1 3 t\nq1 Q0 \xff 1 2 t\n", "6 fields in UTF-8"),
    "space.trec": (b"\t# not a comment\nq1 Q0 d1 1 3 t\n", "6 fields in UTF-8"),
    "hex.trec": (b"q1 Q0 d1 1 0x1p3 t\n", "no score"),
    "letter.csv": (b"query_id,doc_id,score\nq1,d1,2d\n", "no score"),
    "cut.trec.gz": (gzip.compress(b"q1 Q0 d1 1 3 t\n" * 99)[:-20], "is truncated"),
    "run.txt.xz": (b"", "does not read files compressed with xz"),
}


class TestCommand:
    """`assay eval --engine spark`."""

    @pytest.fixture
    def files(self, tmp_path, spark):  # noqa: ARG002 - the command finds the session that is there
        QRELS.write_parquet(tmp_path / "qrels.parquet")
        run = RUN.drop("place")
        run.write_parquet(tmp_path / "run.parquet")
        run.write_csv(tmp_path / "run.csv")
        run.write_csv(tmp_path / "run.tsv", separator="\t")
        run.write_ndjson(tmp_path / "run.jsonl")
        assay.Run(run).write(tmp_path / "run.trec")
        return tmp_path

    def call(self, *arguments):
        return CliRunner().invoke(commands, ["eval", *map(str, arguments)], prog_name="assay")

    @pytest.mark.parametrize("ending", ["parquet", "csv", "tsv", "jsonl", "trec"])
    def test_the_same_output(self, files, ending):
        options = ("-m", "ndcg@10,ap", "--format", "csv")
        spark = self.call(files / "qrels.parquet", files / f"run.{ending}", *options, "--engine", "spark")
        local = self.call(files / "qrels.parquet", files / "run.parquet", *options)
        assert spark.exit_code == 0, spark.output
        assert spark.stdout == local.stdout

    @pytest.mark.parametrize("table", TABLES)
    def test_quotes(self, files, table):
        (files / "qrels.txt").write_text('q1 0 d1 1\nq1 0 d"1 1\nq2 0 d2 1\n')
        (files / "quoted.csv").write_text(table)
        options = (files / "qrels.txt", files / "quoted.csv", "--per-query", "--format", "csv")
        spark, local = self.call(*options, "--engine", "spark"), self.call(*options)
        assert (spark.exit_code, spark.stdout) == (0, local.stdout), spark.output

    def test_spaces(self, files):
        (files / "qrels.txt").write_text("q1 0 d1 1\n")
        (files / "spaces.trec").write_bytes(b"\tq1 Q0\td1 1 3 t \r\n \t\n# note\nq1 Q0 d2 1 +4.e0 t\t\n")
        options = (files / "qrels.txt", files / "spaces.trec", "--format", "csv")
        spark, local = self.call(*options, "--engine", "spark"), self.call(*options)
        assert (spark.exit_code, spark.stdout) == (0, local.stdout), spark.output

    @pytest.mark.parametrize("name", WRONG_FILES)
    def test_what_the_local_engine_refuses_too(self, files, name):
        content, message = WRONG_FILES[name]
        (files / name).write_bytes(content)
        for engine in ((), ("--engine", "spark")):
            result = self.call(files / "qrels.parquet", files / name, *engine)
            assert result.exit_code == 2, result.output
        assert message in result.stderr

    def test_files_with_other_headers(self, files):
        (files / "parts").mkdir()
        (files / "parts" / "p0.csv").write_text("query_id,doc_id,score\nq1,d1,2\n")
        (files / "parts" / "p1.csv").write_text("doc_id,query_id,score\nd2,q1,1\n")
        result = self.call(files / "qrels.parquet", files / "parts" / "*.csv", "--engine", "spark")
        assert (result.exit_code, "header" in result.stderr) == (2, True), result.output

    def test_usage(self, files):
        qrels, run = files / "qrels.parquet", files / "run.parquet"
        cases = [
            ((run, "--master", "local[1]"), "add --engine spark"),
            ((run, "--engine", "spark", "--worst", "3"), "--worst cannot be combined"),
            (("-", "--engine", "spark"), "cannot read standard input"),
            ((files / "none.parquet", "--engine", "spark"), "none.parquet"),
            ((files / "run.xyz", "--engine", "spark"), "the format cannot be told"),
            ((run, "--engine", "spark", "--policy", "ties=input"), "--column order="),
        ]
        for arguments, message in cases:
            result = self.call(qrels, *arguments)
            assert result.exit_code == 2, message
            assert message in result.stderr
        (files / "bad.trec").write_text("q1 Q0 d1 1 0.5\n")
        result = self.call(qrels, files / "bad.trec", "--engine", "spark")
        assert (result.exit_code, "6 fields" in result.stderr) == (2, True)
