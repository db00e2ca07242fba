"""Judgments and run through pipes, by real processes of a real shell: the same bytes as from files."""

import os
import shutil
import subprocess
import sys
from functools import partial

import pytest

pytestmark = [
    pytest.mark.verify,
    pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="needs a shell with such pipes"),
]

# Topic 2 twice, so that the second field matters to other formats; the last line makes the kernel refuse the run.
QRELS = "2 1 a 1\n2 1 b 0\n2 2 a 0\n2 2 c 1\n10 1 a 1\n"
PLAIN = "2 0 a 1\n2 0 b 0\n10 0 a 1\n"
RUN = "2 Q0 b 1 3 r\n2 Q0 a 2 2 r\n10 Q0 x 1 2 r\n10 Q0 a 2 1 r\n"
ODD = RUN + "10 Q0 z 3 inf r\n"
WAYS = {
    "qrels by substitution": "trec_eval OPTIONS <(cat qrels) run",
    "run by substitution": "trec_eval OPTIONS qrels <(cat run)",
    "both by substitution": "trec_eval OPTIONS <(cat qrels) <(cat run)",
    "qrels from a pipe": "cat qrels | trec_eval OPTIONS - run",
    "qrels from a file as input": "trec_eval OPTIONS - run < qrels",
    "qrels from the input's name": "cat qrels | trec_eval OPTIONS /dev/stdin run",
    "run from the input's name": "cat run | trec_eval OPTIONS qrels /dev/stdin",
    "qrels from a pipe, run by substitution": "cat qrels | trec_eval OPTIONS - <(cat run)",
    "run from a pipe, qrels by substitution": "cat run | trec_eval OPTIONS <(cat qrels) -",
    "a named pipe": "mkfifo pipe; cat qrels > pipe & trec_eval OPTIONS pipe run",
}


def run_line(folder, line, options="-q", qrels=PLAIN, ranked=RUN):
    """Runs a line of bash in which trec_eval is ours, in a folder with judgments and a run."""
    (folder / "qrels").write_text(qrels)
    (folder / "run").write_text(ranked)
    ours = f"trec_eval() {{ '{sys.executable}' -c 'from assay.cli.main import main; main()' trec_eval \"$@\"; }}"
    script = f"{ours}\n{line.replace('OPTIONS', options)}"
    return subprocess.run(["bash", "-c", script], cwd=folder, capture_output=True, timeout=60, check=False)  # noqa: S603, S607 - our own


@pytest.fixture
def shell(tmp_path):
    return partial(run_line, tmp_path)


@pytest.fixture(scope="module")
def from_files(tmp_path_factory):
    """What a process prints that reads files."""
    found = run_line(tmp_path_factory.mktemp("files"), "trec_eval OPTIONS qrels run")
    assert found.returncode == 0
    assert found.stdout.count(b"\n") > 50
    return found.stdout


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)
def test_pipes_give_the_same_bytes_as_files(shell, from_files, way):
    found = shell(way)
    assert (found.returncode, found.stdout, found.stderr) == (0, from_files, b"")


@pytest.mark.parametrize(
    ("options", "qrels", "ranked"),
    [("-q -m all_trec", PLAIN, ODD), ("-q -R qrels_jg -m qrels_jg", QRELS, RUN), ("-q", "#\n" + PLAIN, RUN)],
    ids=["the slow reader", "judges", "a comment"],
)
def test_other_readers_read_pipes_too(shell, options, qrels, ranked):
    expected = shell("trec_eval OPTIONS qrels run", options, qrels, ranked)
    found = shell("trec_eval OPTIONS <(cat qrels) <(cat run)", options, qrels, ranked)
    assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, b"")


# A line, and what it says; the name of a pipe is the shell's own.
ERRORS = [
    (
        "trec_eval - - < qrels",
        1,
        b"trec_eval: qrels and run cannot both be standard input; name a file for one of them\n",
    ),
    ("trec_eval <(true) run", 2, b"trec_eval.get_qrels: Cannot read qrels file '/dev/fd/"),
    ("trec_eval qrels <(true)", 2, b"trec_eval.get_results: Cannot read results file '/dev/fd/"),
    ("trec_eval /dev/null run", 2, b"trec_eval.get_qrels: Cannot read qrels file '/dev/null'\n"),
    ("trec_eval - run < /dev/null", 2, b"trec_eval.get_qrels: Cannot read qrels file '-'\n"),
    ("trec_eval - run <&-", 2, b"trec_eval.get_qrels: Cannot read qrels file '-'\n"),
    ("trec_eval qrels - < /dev/null", 2, b"trec_eval.get_results: Cannot read results file '-'\n"),
    ("trec_eval qrels - <&-", 2, b"trec_eval.get_results: Cannot read results file '-'\n"),
    ("trec_eval . run", 2, b"trec_eval.get_qrels: Cannot read qrels file '.'\n"),
    ("trec_eval <(echo 2 0 a) run", 2, b"trec_eval.get_qrels: Malformed line 1\ntrec_eval: Quit in file '/dev/fd/"),
    ("cat qrels | trec_eval /dev/stdin /dev/stdin", 2, b"trec_eval.get_results: Cannot read results file '/dev/stdin'"),
]


@pytest.mark.parametrize(("line", "code", "message"), ERRORS)
def test_what_cannot_be_read_is_said(shell, line, code, message):
    found = shell(line)
    assert (found.returncode, found.stdout) == (code, b"")
    assert found.stderr.startswith(message)
