"""`assay convert`: between formats, and which kind of data a file holds."""

import json

from assay import Qrels, Run
from assay.data.recognise import holds_judgments
from tables import for_each

SORTED = "q1 Q0 d1 1 0.9 a\nq1 Q0 d2 2 0.8 a\nq1 Q0 d3 3 0.7 a\nq2 Q0 d5 1 0.4 a\nq2 Q0 d4 2 0.3 a\n"
NAMES = "x.txt x.json x.jsonl x.csv x.tsv x.parquet x.qrels.gz x.qrels.zst x.json.bz2 x.csv.xz"
TARGETS = NAMES.split()


@for_each("target", TARGETS)
def test_there_and_back(assay, folder, target):
    there = assay(f"convert qrels.txt {target}")
    said = f"wrote judgments to {target}: 2 queries, 4 rows\n"
    assert (there.exit_code, there.stdout, there.stderr) == (0, "", said)
    assert assay(f"convert {target} back.txt").exit_code == 0
    assert (folder / "back.txt").read_text() == (folder / "qrels.txt").read_text()
    there = assay(f"convert one.run {target} --lossy")
    assert (there.exit_code, there.stderr) == (0, f"wrote a run to {target}: 2 queries, 5 rows\n")
    assert assay(f"convert {target} back.run").exit_code == 0
    assert (folder / "back.run").read_text().replace("assay", "a") == SORTED


def test_what_the_format_cannot_hold_is_refused_and_named(refused, assay, folder):
    for target in ("x.json", "x.jsonl", "x.csv", "x.tsv", "- --to json"):
        refused(f"convert one.run {target}", "cannot hold the run's tag")
        assert "--lossy" in assay(f"convert one.run {target}").stderr
        assert not (folder / target).exists()
    assert assay("convert one.run x.parquet").exit_code == 0
    assert assay("convert x.parquet back.run").exit_code == 0
    assert (folder / "back.run").read_text() == SORTED


def test_many_files_become_one(assay, folder):
    (folder / "parts").mkdir()
    for number, line in enumerate(SORTED.splitlines(keepends=True)):
        (folder / f"parts/part-{number}").write_text(line)
    (folder / "parts/_SUCCESS").touch()
    for source in ("parts", "parts/part-*"):
        assert assay(f"convert {source} whole.run").exit_code == 0
        assert (folder / "whole.run").read_text() == SORTED


def test_repeats_are_kept_where_they_can_be(assay, refused, folder):
    (folder / "twice.txt").write_text("q1 0 d1 0\nq1 0 d1 1\n")
    assert assay("convert twice.txt twice.csv").exit_code == 0
    assert (folder / "twice.csv").read_text().splitlines()[1:] == ["q1,d1,0.0", "q1,d1,1.0"]
    refused("convert twice.txt twice.json", "cannot hold duplicate documents")


def test_standard_input_and_output_and_formats_that_are_named(assay, folder):
    result = assay("convert - - --to csv", stdin="q1 0 d1 1\n")
    assert (result.exit_code, result.stdout) == (0, "query_id,doc_id,relevance\nq1,d1,1.0\n")
    assert result.stderr == "wrote judgments to standard output: 1 query, 1 row\n"
    (folder / "data").write_text("query_id\tdoc_id\tscore\nq1\td1\t2.5\n")
    assert assay("convert data out --from run=tsv --to trec").exit_code == 0
    assert (folder / "out").read_text() == "q1 Q0 d1 1 2.5 assay\n"


def test_a_flag_says_what_cannot_be_told(assay, refused, folder):
    (folder / "data.json").write_text('{"q1": ["d1", "d2"]}')
    said = "cannot tell whether data.json holds judgments or a run; say which: --from qrels or --from run\n"
    refused("convert data.json x.jsonl", said)
    for flag, kind in (("qrels", Qrels), ("run", Run)):
        assert assay(f"convert data.json x.csv --from {flag} --lossy").exit_code == 0
        assert kind("x.csv").queries == ["q1"]


KINDS = [
    ("x.json", {"q1": {"d1": 1, "d2": 0}}, True),
    ("x.json", {"q1": {"d1": 1.0}, "q2": {"d1": -1.0}}, True),
    ("x.json", {"q1": [["d1", "d2"], ["d3"]]}, True),
    ("x.json", [{"d1": 1}], True),
    ("x.json", {"q1": {"d1": 12.5, "d2": 11.25}}, False),
    ("x.json", {"q1": {f"d{place}": place + 0.5 for place in range(20)} | {"x": 3}}, False),
    ("x.json", {"q1": [["d1", 2.5], ["d2", 1]]}, False),
    ("x.json", [{"d1": 0.5}], False),
    ("x.json", {"q1": {"d1": 1, "d2": 0.5}}, None),
    ("x.json", {"q1": {"d1": 1000, "d2": 999}}, None),
    ("x.json", {"q1": ["d1", "d2"]}, None),
    ("x.json", {"q1": [["d1", 1], ["d2"]]}, None),
    ("x.json", {"q1": {}}, None),
    ("x.json", {"q1": {"d1": "high"}}, None),
    ("x.json", {"q1": 7}, None),
    ("x.txt", "q1 0 d1 1\n", True),
    ("x.txt", "# a comment\n\nq1\t0\td1\t1\n", True),
    ("x.txt", "q1 Q0 d1 1 0.5 a\n", False),
    ("x.txt", "q1 d1 1\n", None),
    ("x.txt", "", None),
    ("x.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n", True),
    ("x.csv", "qid,docno,rel\n1,2,3\n", True),
    ("x.csv", "query_id,doc_id,Score\n1,2,3\n", False),
    ("x.csv", '"query_id","doc_id","grade"\n1,2,3\n', True),
    ("x.csv", "query_id,doc_id,relevance,score\n1,2,3,4\n", None),
    ("x.csv", "query_id,doc_id\n1,2\n", None),
    ("x.jsonl", '{"query_id": "1", "doc_id": "2", "label": 3}\n', True),
    ("x.jsonl", '{"query_id": "1", "doc_id": "2", "score": 3}\n', False),
    ("x.jsonl", "no JSON\n", None),
]


@for_each(("name", "content", "expected"), KINDS)
def test_whether_a_file_holds_judgments(tmp_path, name, content, expected):
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    try:
        assert holds_judgments(path, None) is expected
    except ValueError as error:
        assert expected is None
        assert 'say which: kind="qrels" or kind="run"' in str(error)
