"""Odd surroundings: folders that are gone, variables that are unset or nonsense, narrow terminals, ids that control one."""

import os
import pty
import select
import subprocess
import sys

import pytest

from every_command import COMMANDS, write_files
from outcomes import check_sentence, run_command
from tables import for_each

pytestmark = pytest.mark.attack("Surroundings")
EVAL = ("eval", "qrels.txt", "two.run", "-q")
VARIABLES = [
    {"HOME": None}, {"HOME": "/nowhere"}, {"TMPDIR": "/nowhere"}, {"TMPDIR": ""}, {"TERM": "dumb"},
    {"TERM": "no-such-terminal"}, {"TERM": None}, {"NO_COLOR": "1"}, {"FORCE_COLOR": "1"}, {"COLUMNS": "abc"},
    {"COLUMNS": "0"}, {"COLUMNS": "-5"}, {"COLUMNS": "1"}, {"LINES": "x", "COLUMNS": "9" * 40},
    {"TZ": "Nowhere/At_All"}, {"TZ": ":" * 300}, {"LC_ALL": "xx_YY.nonsense"}, {"POLARS_MAX_THREADS": "1"},
    {"GITHUB_STEP_SUMMARY": "/nowhere/summary"},
]  # fmt: skip


@pytest.fixture
def folder(tmp_path):
    write_files(tmp_path)
    return tmp_path


@for_each("variables", VARIABLES)
def test_variables(variables, launcher, folder, tried):
    """The same data and the same exit code."""
    for arguments in (EVAL, (*EVAL, "--format", "csv"), ("gate", "qrels.txt", "one.run", "--min", "rr=0.1")):
        usual = launcher.run(*arguments, folder=folder)
        found = launcher.run(*arguments, folder=folder, environment=variables)
        assert (found.code, found.out) == (usual.code, usual.out), found.said
        assert b"Traceback" not in found.said
    helped = launcher.run("eval", "--help", folder=folder, environment=variables)
    assert (helped.code, b"Traceback" in helped.said) == (0, False)
    tried(4)


def test_standard_input_where_the_folder_for_temporary_files_is_not_there(launcher, folder):
    given = {"stdin": str(folder / "two.run"), "folder": folder}
    found = launcher.run("eval", "qrels.txt", "-", environment={"TMPDIR": "/nowhere"}, **given)
    assert (found.code, found.out[:7]) == (0, b"measure")


# Commands without a folder to work in, and their exit codes.
NOWHERE = {
    **dict.fromkeys((
        "eval QRELS RUN -m rr", "convert RUN -", "gate QRELS RUN --min rr=0.1", "measures rr", "demo", "--help",
    ), 0),
    **dict.fromkeys((
        "eval QRELS RUN --format csv -o out.csv", "eval QRELS RUN --save out.json", "eval qrels.txt RUN",
        "convert RUN out.run",
    ), 2),
}  # fmt: skip


@for_each("command", NOWHERE)
def test_a_current_folder_that_is_gone(command, launcher, folder):
    paths = {"QRELS": str(folder / "qrels.txt"), "RUN": str(folder / "one.run")}
    words = [paths.get(each, each) for each in command.split()]
    found = launcher.run(*words, folder=folder, removed=str(folder / "gone"))
    assert (found.code, b"Traceback" in found.said) == (NOWHERE[command], False), found.said
    if found.code:
        check_sentence(found)


@for_each("ending", [".trec", ".json", ".csv", ".parquet", ".trec.gz", ".csv.zst"])
def test_input_and_output_are_the_same_file(ending, launcher, folder):
    path = folder / f"same{ending}"
    assert launcher.run("convert", "one.run", path.name, "--lossy", folder=folder).code == 0
    before = launcher.run("eval", "qrels.txt", path.name, "--format", "json", folder=folder).out
    found = launcher.run("convert", path.name, path.name, "--from", "run", "--lossy", folder=folder)
    assert found.code == 0, found.said
    assert launcher.run("eval", "qrels.txt", path.name, "--format", "json", folder=folder).out == before


def on_terminal(arguments, folder, width="80", **variables):
    """What a terminal gets from the command, a process of its own, on both streams."""
    here, there = pty.openpty()
    surroundings = {**os.environ, "COLUMNS": width, "TERM": "xterm", **variables}
    command = [sys.executable, "-c", "from assay.cli.main import main; main()", *arguments]
    with subprocess.Popen(command, stdin=there, stdout=there, stderr=there, cwd=folder, env=surroundings) as running:  # noqa: S603
        os.close(there)
        got = b""
        while select.select([here], [], [], 60)[0]:
            try:
                chunk = os.read(here, 1 << 16)
            except OSError:
                break
            if not chunk:
                break
            got += chunk
        running.wait(60)
    os.close(here)
    return running.returncode, got


HOSTILE_ID = "q\x1b]0;owned\x07\x1b[2J\x9b31m"


def test_ids_that_control_a_terminal(folder):
    """Neither tables nor errors pass on what would set a title or clear the screen."""
    (folder / "odd.txt").write_text(f"{HOSTILE_ID} 0 d1 1\n")
    (folder / "odd.run").write_text(f"{HOSTILE_ID} Q0 d1 1 0.9 a\n")
    (folder / "bad.run").write_text(f"{HOSTILE_ID} Q0 d1 1 none a\n")
    for arguments, code in ((("eval", "odd.txt", "odd.run", "-q"), 0), (("eval", "odd.txt", "bad.run"), 2)):
        found, got = on_terminal(arguments, folder)
        assert found == code, got
        assert all(mark not in got for mark in (b"\x1b]", b"\x1b[2J", b"\x07", b"\xc2\x9b"))


@for_each("width", ["1", "abc"])
def test_terminals_of_any_width(width, folder):
    code, got = on_terminal(("eval", "qrels.txt", "two.run"), folder, width=width)
    assert (code, b"ndcg" in got, b"Traceback" in got) == (0, True, False)


@pytest.mark.hostile
@for_each(
    "variable",
    [{"PYTHONOPTIMIZE": "2"}, {"PYTHONSAFEPATH": "1"}, {"PYTHONDEVMODE": "1"}, {"PYTHONUTF8": "0", "LC_ALL": "C"}],
)
@for_each("name", COMMANDS)
def test_modes_of_python(name, variable, folder, tried):
    """Without asserts and docstrings, too, help is there and the command works."""
    works = () if COMMANDS[name] is None or name == "probe" else COMMANDS[name]
    ways = [(*name.split(), "--help"), *([(*name.split(), *works)] if works else [])]
    for arguments in ways:
        found = run_command(*arguments, cwd=folder, env={**os.environ, **variable})
        ended = (found.returncode, len(found.stdout) > 50, b"Traceback" in found.stderr)
        assert ended == (0, True, False), found.stderr
    tried(len(ways))


def test_two_writers_at_once(launcher, folder):
    """The file is that of one of them; the other tests of this are in tests/data/test_replace.py."""
    code = "import sys, threading, assay\nruns = [assay.Run({'q': {f'd{n}': 1.0}}) for n in range(4)]\n"
    code += "threads = [threading.Thread(target=lambda each=each: [each.write(sys.argv[1]) for _ in range(20)]) for each in runs]\n"
    code += "[each.start() for each in threads]\n[each.join() for each in threads]\n"
    found = launcher.run(str(folder / "shared.run"), code=code, folder=folder)
    assert (found.code, found.said) == (0, b"")
    assert (folder / "shared.run").read_text() in [f"q Q0 d{n} 1 1 assay\n" for n in range(4)]
    assert not list(folder.glob(".assay-*"))
