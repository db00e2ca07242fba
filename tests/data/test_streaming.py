"""A run file is scored while it is read: it is never held whole."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from assay.data.run import Run

QUERIES = 100
SCRIPT = """
import sys
import assay
result = assay.evaluate(sys.argv[1], sys.argv[2], ["ap", "ndcg@10", "num_ret"], threads=2)
status = open("/proc/self/status").read()
print(int(result["num_ret"]), int(status.partition("VmHWM:")[2].split()[0]))
"""


def write_run(path, documents):
    """The same queries, with as many documents each as asked for."""
    lines = [b" Q0 document-%06d 0 %d tag\n" % (number, documents - number) for number in range(documents)]
    with path.open("wb") as file:
        for query in range(QUERIES):
            file.write(b"".join([b"query-%03d" % query + line for line in lines]))
    return round(path.stat().st_size / 1e6)


def peak(qrels, run):
    """The number of documents read, and the most memory used on the way, in MB."""
    command = [sys.executable, "-c", SCRIPT, str(qrels), str(run)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603 - our own script
        read, kilobytes = process.communicate()[0].split()
    return int(read), int(kilobytes) / 1024


@pytest.mark.verify
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="reads the peak from /proc")
def test_ten_times_the_file_needs_no_more_memory(tmp_path):
    qrels, small, large = tmp_path / "qrels", tmp_path / "small", tmp_path / "large"
    qrels.write_text("".join(f"query-{query:03d} 0 document-{10 * query:06d} 1\n" for query in range(QUERIES)))
    assert write_run(small, 1_600) == 6
    assert write_run(large, 16_000) == 64
    read_small, peak_small = peak(qrels, small)
    read_large, peak_large = peak(qrels, large)
    assert (read_small, read_large) == (160_000, 1_600_000)
    assert peak_large < peak_small + 10


def test_no_run_is_made_of_a_file(tmp_path, monkeypatch):
    files = {"run.trec": "q1 Q0 d1 1 2 t\n", "run.csv": "qid,docno,score\nq1,d1,2\n", "run.json": '{"q1": {"d1": 2}}'}

    def refuse(*_, **__):
        raise AssertionError("a run was made")

    monkeypatch.setattr(Run, "__init__", refuse)
    for name, content in files.items():
        (tmp_path / name).write_text(content)
        assert assay.evaluate({"q1": ["d1"]}, tmp_path / name, ["rr"])["rr"] == 1


def test_a_json_run_is_read_query_by_query(tmp_path):
    """Values that are longer than what is read at a time, and that end where a piece of the text ends."""
    for padding in (0, 1, 2, 3, 17):
        ranking = {f"{'x' * padding}d{document}": document for document in range(9_000)}
        run = {f"q{number}": ranking for number in range(9)}
        path = tmp_path / "run.json"
        path.write_text(json.dumps(run))
        assert path.stat().st_size > 1 << 20
        qrels = {f"q{number}": {f"{'x' * padding}d{8_999 - number}": 1} for number in range(9)}
        assert assay.evaluate(qrels, path, ["rr"]).scores["rr"].tolist() == [1 / rank for rank in range(1, 10)]


@pytest.mark.parametrize("chunk", [1, 2, 3, 7, 16, 50])
def test_json_may_be_cut_anywhere(chunk, tmp_path, monkeypatch):
    monkeypatch.setattr("assay.data.formats.json.CHUNK", chunk)
    text = ' {"q\\u00e91" : {"d\\"1": 1.25e1, "d2": -3, "d3": 0}, "q2":["a","b\\\\"] ,\n "q3": [["a", 1], ["b", 12]], "q4": {} } \n'
    (tmp_path / "run.json").write_text(text)
    rankings = [{'d"1': 12.5, "d2": -3.0, "d3": 0.0}, ["a", "b\\"], {"a": 1.0, "b": 12.0}, {}]
    found = assay.read_run(tmp_path / "run.json").to_dict()
    assert found == dict(zip(("qé1", "q2", "q3", "q4"), rankings, strict=True))
