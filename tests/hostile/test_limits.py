"""Each limit on how much data is taken: at the limit all is well, one past it is an error that names the option."""

import gzip
import io
import lzma
import math
import subprocess
import sys
from functools import partial

import pytest

import assay
from assay.live import HttpSearch, probe
from outcomes import run_command
from search_server import Reply, SearchServer
from tables import for_each

command = partial(run_command, encoding="utf-8")
pytestmark = pytest.mark.attack("Bombs and limits")

QRELS = {"q1": {"d1": 1}}
LINE = "q1 Q0 d1 1 2.5 t"


def padded(size):
    """A line of a run of that many bytes, in its tag."""
    return (LINE + "t" * (size - len(LINE)) + "\n").encode()


def rows(count, queries=("q1",)):
    """A run with that many rows of each query, one query's among the other's."""
    return "".join(f"{query} Q0 d{n} 1 {n} t\n" for n in range(1, count + 1) for query in queries).encode()


BOTH = ("q1", "q2")


def evaluated(path):
    return assay.evaluate(QRELS, path, "rr")["rr"]


# The limit, its value, a file at the limit, one past it, and the words of the error.
CASES = {
    "line": ("line", 1 << 20, padded(1 << 20), padded((1 << 20) + 1), "line 1: line longer than 1 MiB"),
    "line, set": ("line", 100, padded(100), padded(101), "line 1: line longer than 100 bytes"),
    "rows": ("rows", 50, rows(50), rows(51), "query 'q1' has more than 50 rows"),
    "scattered rows": ("rows", 50, rows(50, BOTH), rows(51, BOTH), "has more than 50 rows"),
    "gzip": ("decompressed", 5000, gzip.compress(padded(4999)), gzip.compress(padded(5000)), "more than 5,000 bytes when"),
    "xz": ("decompressed", 5000, lzma.compress(padded(4999)), lzma.compress(padded(5000)), "more than 5,000 bytes when"),
}  # fmt: skip


@for_each("case", CASES)
def test_a_file_at_its_limit_and_one_past_it(case, tmp_path):
    name, value, good, bad, words = CASES[case]
    (tmp_path / "good").write_bytes(good)
    (tmp_path / "bad").write_bytes(bad)
    with assay.limits(**{name: value}):
        for read in (evaluated, assay.read_run):
            read(tmp_path / "good")
            with pytest.raises(assay.errors.LimitError) as caught:
                read(tmp_path / "bad")
            assert words in str(caught.value)
            option = f"if that is right, raise the limit: with assay.limits({name}={2 * value}):"
            assert str(caught.value).endswith(option)
    with assay.limits(**{name: 2 * value}):
        evaluated(tmp_path / "bad")


def test_a_copy_of_a_stream_ends_at_its_limit():
    content = rows(100)
    with assay.limits(temporary=len(content)):
        assert evaluated(io.BytesIO(content)) == 1 / 100
    said = "in a temporary file.*temporary="
    with assay.limits(temporary=len(content) - 1), pytest.raises(assay.errors.LimitError, match=said):
        evaluated(io.BytesIO(content))


def test_what_compresses_well_is_read(tmp_path):
    content = b"q1 Q0 d1 1 2.5 t\n" + b"".join(b"q2 Q0 d%d 1 2.5 t\n" % (n % 2) for n in range(2)) + b"\n" * 2_000_000
    (tmp_path / "run.gz").write_bytes(gzip.compress(content))
    assert len(content) > 500 * (tmp_path / "run.gz").stat().st_size
    assert evaluated(tmp_path / "run.gz") == 1


# A gzip file of many members, each of a blank line that it makes a thousand times as small; 1 GiB is free of the ratio.
MEMBER = gzip.compress(b" " * ((1 << 20) - 1) + b"\n", mtime=0)
FREE = 1 << 30


@pytest.mark.hostile
def test_the_ratio_is_kept_past_a_gibibyte(tmp_path):
    head = gzip.compress(b"q1 Q0 d1 1 2.5 t\n", mtime=0)
    path = tmp_path / "run.gz"
    path.write_bytes(head + MEMBER * (FREE >> 20))
    large, small = 17 + FREE, path.stat().st_size
    # The smallest ratio that is large enough.
    ratio = large // (small + 1) + 1
    assert large // ratio <= small < large // (ratio - 1)
    with assay.limits(ratio=ratio):
        assert evaluated(path) == 1
    with assay.limits(ratio=ratio - 1), pytest.raises(assay.errors.LimitError) as caught:
        evaluated(path)
    assert f"more than {ratio - 1} times as large when decompressed" in str(caught.value)
    assert str(caught.value).endswith(f"with assay.limits(ratio={2 * (ratio - 1)}):")


# What is given to `assay trec_eval`, the limit that holds, and the error of one less.
OF_TREC_EVAL = {
    "line of a run": (["qrels", "run"], "line", 16, "assay: run, line 1: line longer than 15 bytes"),
    "line of judgments": (["long", "run"], "line", 30, "assay: long, line 1: line longer than 29 bytes"),
    "line of a run read loosely": (["qrels", "loose"], "line", 16, "assay: loose, line 2: line longer than 15 bytes"),
    "rows of a run read loosely": (["qrels", "loose"], "rows", 2, "assay: loose: query 'q1' has more than 1 rows"),
    "line of judgments with a comment": (["noted", "run"], "line", 16, "assay: noted, line 1: line longer than 15"),
    "rows of judgments with a comment": (["noted", "run"], "rows", 2, "assay: noted: query 'q1' has more than 1 rows"),
    "rows of a query": (["qrels", "run"], "rows", 2, "assay: run: query 'q1' has more than 1 rows"),
    "standard input": (["qrels", "-"], "rows", 2, "assay: standard input: query 'q1' has more than 1 rows"),
    "copy of standard input": (["qrels", "-"], "temporary", 34, "assay: standard input: more than 33 bytes in a temp"),
}


@for_each("case", OF_TREC_EVAL)
def test_the_trec_eval_command_keeps_the_limits(case, tmp_path):
    files, name, value, words = OF_TREC_EVAL[case]
    run = f"{LINE}\nq1 Q0 d2 2 1.5 t\n"
    (tmp_path / "qrels").write_text("q1 0 d1 1\n", encoding="utf-8")
    (tmp_path / "long").write_text(f"q1 0 {'d' * 23} 1\n", encoding="utf-8")
    (tmp_path / "noted").write_text("# pooled by hand\nq1 0 d1 1\nq1 0 d2 0\n", encoding="utf-8")
    (tmp_path / "run").write_text(run, encoding="utf-8")
    (tmp_path / "loose").write_text("q1 Q0 d1 1 x t\nq1 Q0 d2 2 1.5 t\n", encoding="utf-8")
    at_limit, past_it = (
        command("--limit", f"{name}={each}", "trec_eval", "-m", "num_ret", *files, cwd=tmp_path, input=run)
        for each in (value, value - 1)
    )
    assert (at_limit.returncode, at_limit.stdout.split()) == (0, ["num_ret", "all", "2"])
    assert (past_it.returncode, past_it.stdout, past_it.stderr.count("\n")) == (2, "", 1)
    assert past_it.stderr.startswith(words)
    assert past_it.stderr.endswith(f"if that is right, raise the limit: assay --limit {name}={2 * (value - 1)} …\n")


def test_a_stored_result_at_its_limits_is_saved_and_loaded(tmp_path):
    data = {f"q{n}": ["d1"] for n in range(500)}
    result = assay.evaluate(data, data, ["rr", "ap"])
    path = tmp_path / "result.json"
    result.save(path)
    content = path.read_bytes()
    for name, value in {"stored": len(content), "values": sum(map(content.count, (b",", b"[", b"{")))}.items():
        with assay.limits(**{name: value}):
            result.save(path)
            assert assay.load_result(path).to_json() == result.to_json()
        with assay.limits(**{name: value - 1}):
            for act in (result.save, assay.load_result):
                with pytest.raises(assay.errors.LimitError, match=rf"limits\({name}={2 * (value - 1)}\)"):
                    act(path)
        assert path.read_bytes() == content


def test_a_response_at_its_limit_is_read():
    content = b'[{"id": "d1"}]'

    def asked(most):
        with SearchServer(lambda *_: Reply(content)) as server, assay.limits(response=most):
            return probe(HttpSearch(server.url), {"q1": "question"}, QRELS, "rr", k=5)

    assert asked(len(content)).run.to_dict() == {"q1": ["d1"]}
    with pytest.raises(assay.errors.DataError, match=rf"the response is larger than {len(content) - 1} bytes"):
        asked(len(content) - 1)


@for_each("grade", [1e100, -1e100])
def test_a_grade_at_its_limit(grade):
    run = {"q1": ["d1", "d2"]}
    assay.evaluate({"q1": {"d1": grade, "d2": 1}}, run, "rr")
    with pytest.raises(assay.errors.DataError, match="is too large"):
        assay.evaluate({"q1": {"d1": math.nextafter(grade, grade * 2), "d2": 1}}, run, "rr")


def test_an_id_at_its_limit_is_stored(tmp_path):
    path = tmp_path / "result.json"
    query = "x" * 100_000
    assay.evaluate({query: ["d1"]}, {query: ["d1"]}, "rr").save(path)
    assert assay.load_result(path).queries == [query]
    with pytest.raises(assay.errors.DataError, match="not too long"):
        assay.evaluate({query + "x": ["d1"]}, {query + "x": ["d1"]}, "rr").save(path)


def test_the_name_of_a_measure_at_its_limit():
    name = f"ap(rel=1.{'0' * 990})"
    assert len(name) == 1000
    assert assay.parse_measure(name) == assay.parse_measure("ap(rel=1)")
    for longer in (name.replace(")", "0)"), "score:" + "x" * 995):
        with pytest.raises(assay.errors.MeasureError, match=r"has 1,001 characters; at most 1,000 are allowed$"):
            assay.parse_measure(longer)


def test_many_measures_are_no_more_than_a_result_can_hold(tmp_path):
    measures = [f"precision@{k}" for k in range(1, 1001)]
    result = assay.evaluate(QRELS, {"q1": ["d1"]}, measures)
    said = "more than 1,000 values; store fewer measures"
    with assay.limits(values=1000), pytest.raises(assay.errors.LimitError, match=said):
        result.save(tmp_path / "result.json")
    result.save(tmp_path / "result.json")
    assert len(assay.load_result(tmp_path / "result.json").measures) == 1000


WRONG = {
    "lines=5": "unknown limit 'lines'",
    "line=0": "from 1 to",
    "line=five": "a whole number",
    "rows=9T": "from 1 to",
}


@for_each("pair", WRONG)
def test_a_limit_that_is_none(pair):
    done = command("--limit", pair, "measures", "ap")
    assert (done.returncode, WRONG[pair] in done.stderr) == (2, True), done.stderr


# Streams that do not end, as a shell writes them.
ENDLESS = ["cat /dev/zero", "yes", "yes q1 Q0 d1 1 2.5 t", "cat /dev/zero | gzip -1"]


@for_each("stream", ENDLESS)
def test_an_endless_stream_ends_at_the_limit(stream, tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 d1 1\n", encoding="utf-8")
    assay_ = f"{sys.executable} -m assay --limit temporary=4Mi eval {qrels} -"
    shell = ["sh", "-c", f"{stream} 2>/dev/null | {assay_}"]
    done = subprocess.run(shell, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - tables above
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "more than 4 MiB in a temporary file" in done.stderr
    assert "assay --limit temporary=8388608" in done.stderr


def test_an_endless_device_ends_at_the_limit():
    said = "more than 1 MiB in a temporary file"
    with assay.limits(temporary=1 << 20), pytest.raises(assay.errors.LimitError, match=said):
        evaluated("/dev/zero")


def test_limits_are_not_part_of_the_signature():
    plain = assay.evaluate(QRELS, {"q1": {"d1": 1.0}}, "ap")
    with assay.limits(line=10, rows=7):
        assert assay.evaluate(QRELS, {"q1": {"d1": 1.0}}, "ap").signature == plain.signature


def test_standard_input_that_is_kept_stops_at_the_limit(tmp_path):
    limit = 4 * len(LINE)
    for size, expected in ((limit, 0), (limit + 1, 2)):
        content = padded(size - 1).decode()
        done = command("--limit", f"temporary={limit}", "convert", "-", "out.run", input=content, cwd=tmp_path)
        assert done.returncode == expected, done.stderr
    said = f"assay: standard input: more than {limit} bytes; if that is right, raise the "
    assert done.stderr.startswith(said)
    assert (tmp_path / "out.run").stat().st_size == limit


@for_each("name", ["eval", "compare", "convert", "measures"])
def test_the_option_after_the_command_says_where_it_goes(name):
    done = command(name, "a", "b", "--limit", "line=5")
    said = f"Error: --limit goes before the command: assay --limit NAME=N {name} …"
    assert (done.returncode, done.stdout, done.stderr.splitlines()[-1]) == (2, "", said)
