"""Judgments and run through pipes, by real processes of a real shell: the same bytes as from files."""

import os
import shutil
import subprocess
import sys
from functools import partial

import pytest

from tables import for_each

pytestmark = [
    pytest.mark.verify,
    pytest.mark.skipif(os.name == "nt" or not shutil.which("bash"), reason="needs a shell with such pipes"),
]

# Topic 2 twice, so that the second field matters to other formats; the last line makes the kernel refuse the run.
QRELS = "2 1 a 1\n2 1 b 0\n2 2 a 0\n2 2 c 1\n10 1 a 1\n"
PLAIN = "2 0 a 1\n2 0 b 0\n10 0 a 1\n"
RUN = "2 Q0 b 1 3 r\n2 Q0 a 2 2 r\n10 Q0 x 1 2 r\n10 Q0 a 2 1 r\n"
ODD = RUN + "10 Q0 z 3 inf r\n"
WAYS = [
    "trec_eval OPTIONS <(cat qrels) run",
    "trec_eval OPTIONS qrels <(cat run)",
    "trec_eval OPTIONS <(cat qrels) <(cat run)",
    "cat qrels | trec_eval OPTIONS - run",
    "trec_eval OPTIONS - run < qrels",
    "cat qrels | trec_eval OPTIONS /dev/stdin run",
    "cat run | trec_eval OPTIONS qrels /dev/stdin",
    "cat qrels | trec_eval OPTIONS - <(cat run)",
    "cat run | trec_eval OPTIONS <(cat qrels) -",
    "mkfifo pipe; cat qrels > pipe & trec_eval OPTIONS pipe run",
]


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


@for_each("way", WAYS)
def test_pipes_give_the_same_bytes_as_files(shell, from_files, way):
    found = shell(way)
    assert (found.returncode, found.stdout, found.stderr) == (0, from_files, b"")


# The slow reader, judges, and a comment.
READERS = [("-q -m all_trec", PLAIN, ODD), ("-q -R qrels_jg -m qrels_jg", QRELS, RUN), ("-q", "#\n" + PLAIN, RUN)]


@for_each(("options", "qrels", "ranked"), READERS)
def test_other_readers_read_pipes_too(shell, options, qrels, ranked):
    expected = shell("trec_eval OPTIONS qrels run", options, qrels, ranked)
    found = shell("trec_eval OPTIONS <(cat qrels) <(cat run)", options, qrels, ranked)
    assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, b"")


# A line, and what it says; the name of a pipe is the shell's own.
NO_QRELS, NO_RUN = "trec_eval.get_qrels: Cannot read qrels file", "trec_eval.get_results: Cannot read results file"
ERRORS = {
    "trec_eval - - < qrels": "trec_eval: qrels and run cannot both be standard input; name a file for one of them\n",
    "trec_eval <(true) run": f"{NO_QRELS} '/dev/fd/",
    "trec_eval qrels <(true)": f"{NO_RUN} '/dev/fd/",
    "trec_eval /dev/null run": f"{NO_QRELS} '/dev/null'\n",
    "trec_eval - run < /dev/null": f"{NO_QRELS} '-'\n",
    "trec_eval - run <&-": f"{NO_QRELS} '-'\n",
    "trec_eval qrels - < /dev/null": f"{NO_RUN} '-'\n",
    "trec_eval qrels - <&-": f"{NO_RUN} '-'\n",
    "trec_eval . run": f"{NO_QRELS} '.'\n",
    "trec_eval <(echo 2 0 a) run": "trec_eval.get_qrels: Malformed line 1\ntrec_eval: Quit in file '/dev/fd/",
    "cat qrels | trec_eval /dev/stdin /dev/stdin": f"{NO_RUN} '/dev/stdin'",
}


@for_each(("line", "message"), ERRORS.items())
def test_what_cannot_be_read_is_said(shell, line, message):
    found = shell(line)
    assert (found.returncode, found.stdout) == (1 if "- -" in line else 2, b"")
    assert found.stderr.decode().startswith(message)
