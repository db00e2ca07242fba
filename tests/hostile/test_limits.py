"""Each limit on how much data is taken: at the limit all is well, one past it is an error that names the option."""

import gzip
import io
import lzma
import subprocess
import sys

import pytest

import assay

pytestmark = pytest.mark.attack("Bombs and limits")

QRELS = {"q1": {"d1": 1}}
LINE = "q1 Q0 d1 1 2.5 t"


def padded(size):
    """A line of a run of that many bytes, in its tag."""
    return (LINE + "t" * (size - len(LINE)) + "\n").encode()


def rows(count):
    """A run of one query with that many rows."""
    return "".join(f"q1 Q0 d{n} 1 {n} t\n" for n in range(1, count + 1)).encode()


def scattered(count):
    """The same, among rows of another query."""
    return "".join(f"q1 Q0 d{n} 1 {n} t\nq2 Q0 d{n} 1 {n} t\n" for n in range(1, count + 1)).encode()


def evaluated(path):
    return assay.evaluate(QRELS, path, "rr")["rr"]


# The limit, its value, a file at the limit, one past it, and the words of the error.
CASES = {
    "line": ("line", 1 << 20, padded(1 << 20), padded((1 << 20) + 1), "line 1: line longer than 1 MiB"),
    "line, set": ("line", 100, padded(100), padded(101), "line 1: line longer than 100 bytes"),
    "rows": ("rows", 50, rows(50), rows(51), "query 'q1' has more than 50 rows"),
    "scattered rows": ("rows", 50, scattered(50), scattered(51), "has more than 50 rows"),
    "gzip": (
        "decompressed",
        5000,
        gzip.compress(padded(4999)),
        gzip.compress(padded(5000)),
        "more than 5000 bytes when",
    ),
    "xz": ("decompressed", 5000, lzma.compress(padded(4999)), lzma.compress(padded(5000)), "more than 5000 bytes when"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_file_at_its_limit_and_one_past_it(case, tmp_path):
    name, value, good, bad, words = CASES[case]
    (tmp_path / "good").write_bytes(good)
    (tmp_path / "bad").write_bytes(bad)
    with assay.limits(**{name: value}):
        for read in (evaluated, assay.read_run):
            read(tmp_path / "good")
            with pytest.raises(assay.LimitError) as caught:
                read(tmp_path / "bad")
            assert words in str(caught.value)
            assert f"limits({name}={2 * value})" in str(caught.value)
            assert f"--limit {name}={2 * value}" in str(caught.value)
    with assay.limits(**{name: 2 * value}):
        evaluated(tmp_path / "bad")


def test_a_copy_of_a_stream_ends_at_its_limit():
    content = rows(100)
    with assay.limits(temporary=len(content)):
        assert evaluated(io.BytesIO(content)) == 1 / 100
    with assay.limits(temporary=len(content) - 1), pytest.raises(assay.LimitError, match=r"temporary=") as caught:
        evaluated(io.BytesIO(content))
    assert "in a temporary file" in str(caught.value)


def test_what_compresses_well_is_read(tmp_path):
    content = b"q1 Q0 d1 1 2.5 t\n" + b"".join(b"q2 Q0 d%d 1 2.5 t\n" % (n % 2) for n in range(2)) + b"\n" * 2_000_000
    (tmp_path / "run.gz").write_bytes(gzip.compress(content))
    assert len(content) > 500 * (tmp_path / "run.gz").stat().st_size
    assert evaluated(tmp_path / "run.gz") == 1


WRONG = {
    "lines=5": "unknown limit 'lines'",
    "line=0": "from 1 to",
    "line=five": "a whole number",
    "rows=9T": "from 1 to",
}


@pytest.mark.parametrize("pair", WRONG)
def test_a_limit_that_is_none(pair):
    done = command("--limit", pair, "measures", "ap")
    assert done.returncode == 2
    assert WRONG[pair] in done.stderr


# Streams that do not end, as a shell writes them.
ENDLESS = ["cat /dev/zero", "yes", "yes q1 Q0 d1 1 2.5 t", "cat /dev/zero | gzip -1"]


@pytest.mark.parametrize("stream", ENDLESS)
def test_an_endless_stream_ends_at_the_limit(stream, tmp_path):
    qrels = tmp_path / "qrels"
    qrels.write_text("q1 0 d1 1\n", encoding="utf-8")
    assay_ = f"{sys.executable} -m assay --limit temporary=4Mi eval {qrels} -"
    shell = ["sh", "-c", f"{stream} 2>/dev/null | {assay_}"]
    done = subprocess.run(shell, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603 - tables above
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "more than 4 MiB in a temporary file" in done.stderr
    assert "assay --limit temporary=8388608" in done.stderr


def test_an_endless_device_ends_at_the_limit():
    with assay.limits(temporary=1 << 20), pytest.raises(assay.LimitError, match="more than 1 MiB in a temporary file"):
        evaluated("/dev/zero")


def test_limits_are_not_part_of_the_signature():
    plain = assay.evaluate(QRELS, {"q1": {"d1": 1.0}}, "ap")
    with assay.limits(line=10, rows=7):
        assert assay.evaluate(QRELS, {"q1": {"d1": 1.0}}, "ap").signature == plain.signature


def command(*arguments):
    line = [sys.executable, "-m", "assay", *arguments]
    return subprocess.run(line, capture_output=True, text=True, check=False)  # noqa: S603 - the interpreter
