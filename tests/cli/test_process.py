"""The command as a process: exit codes, streams, locales, pipes and Ctrl-C."""

import os
import subprocess
import sys

import pytest

COMMAND = [sys.executable, "-c", "from assay.cli.main import main; main()"]
UNIX = pytest.mark.skipif(os.name == "nt", reason="Windows has no such pipes, signals or locales")


def test_data_on_stdout_and_talk_on_stderr(process, folder):
    result = process("eval", "qrels.txt", "-", "-m", "rr", "--format", "csv", input=(folder / "two.run").read_bytes())
    assert result.returncode == 0
    assert result.stdout.splitlines() == [b"measure,mean,low,high,queries", b"rr,0.5,0.0,1.0,2"]
    assert result.stderr.startswith(b"note: 1 query in the judgments is missing")
    result = process("eval", "qrels.txt", "none.run")
    assert (result.returncode, result.stderr) == (2, b"assay: file 'none.run' not found\n")


def test_a_terminal_that_has_only_ascii(process):
    for more in ({"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}):
        plain = {"PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", **more}
        result = process("eval", "qrels.txt", "one.run", "two.run", "-m", "rr", env=plain)
        assert result.returncode == 0
        assert result.stdout.splitlines()[1] == b"-" * 20
        assert b"0.7500 +- 0.2500" in result.stdout
        about = process("measures", "ndcg", env=plain)
        assert about.returncode == 0
        assert b"J\\xe4rvelin and Kek\\xe4l\\xe4inen" in about.stdout
    result = process("eval", "qrels.txt", "one.run", "-m", "größe", env={**plain, "LC_ALL": "C"})
    assert result.returncode == 2
    assert result.stderr.startswith(b"assay: unknown measure 'gr")
    assert b"Traceback" not in result.stderr


@UNIX
def test_a_closed_pipe_is_quiet(folder):
    queries = range(20_000)
    (folder / "long.txt").write_text("".join(f"q{query} 0 d1 1\n" for query in queries))
    (folder / "long.run").write_text("".join(f"q{query} Q0 d1 1 0.5 a\n" for query in queries))
    for line in ("convert long.run -", "eval long.txt long.run -q", "measures --format json"):
        read, write = os.pipe()
        os.close(read)
        command = [*COMMAND, *line.split()]
        with subprocess.Popen(command, stdout=write, stderr=subprocess.PIPE, cwd=folder) as running:  # noqa: S603
            os.close(write)
            said = running.communicate(timeout=60)[1]
        assert (running.returncode, said) == (141, b"")


@UNIX
def test_a_name_that_is_not_utf_8(process, folder):
    name = os.fsdecode(b"judged\xff.txt")
    try:
        (folder / name).write_text("q1 0 d1 1\n")
    except OSError:
        pytest.skip("the file system has no such names")
    result = process("eval", name, "one.run", "-m", "rr", "--format", "csv")
    assert (result.returncode, result.stdout.splitlines()[1:]) == (0, [b"rr,1.0,,,1"])
    (folder / name).write_text("q1\n")
    result = process("eval", name, "one.run")
    assert (result.returncode, b"Traceback" in result.stderr) == (2, False)
    assert result.stderr.startswith(b"assay: judged")


def with_closed(stream, line, folder):
    """Runs the command in a shell that closes one of its streams."""
    command = ["sh", "-c", f'"$@" {stream}>&-', "sh", *COMMAND, *line.split()]
    return subprocess.run(command, cwd=folder, capture_output=True, timeout=60, check=False)  # noqa: S603


@UNIX
def test_a_closed_standard_output_is_an_error(folder):
    # Every other command loses its streams in tests/hostile/test_outputs.py.
    for line in ("eval qrels.txt one.run", "trec_eval qrels.txt one.run", "--version"):
        result = with_closed(1, line, folder)
        assert result.returncode == 2
        last = result.stderr.splitlines()[-1]
        assert last == b"assay: standard output is closed; redirect it to a file, or to /dev/null to discard it"
        assert b"Traceback" not in result.stderr
    result = with_closed(1, "eval qrels.txt one.run -m rr --format csv -o out.csv", folder)
    assert (result.returncode, result.stderr) == (0, b"")
    assert (folder / "out.csv").read_text().splitlines()[1:] == ["rr,0.75,0.5,1.0,2"]


@UNIX
def test_what_is_said_is_not_data_if_standard_error_is_closed(process, folder):
    lines = {"eval qrels.txt none.run": 2, "eval qrels.txt": 2, "eval qrels.txt two.run -m rr --format csv": 0}
    for line, code in lines.items():
        usual, result = process(*line.split()), with_closed(2, line, folder)
        assert (result.returncode, result.stdout) == (code, usual.stdout)
        assert (usual.returncode, bool(usual.stderr)) == (code, True)


@UNIX
def test_no_file_gets_the_place_of_a_closed_stream(folder):
    """A file that is written is whole, though all streams are closed and it could be taken for one."""
    arguments = ["eval", "qrels.txt", "two.run", "-m", "rr", "--format", "csv", "-o", "out.csv"]
    command = ["sh", "-c", '"$@" <&- >&- 2>&-', "sh", *COMMAND, *arguments]
    done = subprocess.run(command, cwd=folder, timeout=60, check=False)  # noqa: S603 - our own command
    assert done.returncode == 0
    assert (folder / "out.csv").read_text().splitlines()[1:] == ["rr,0.5,0.0,1.0,2"]


def test_neither_polars_nor_rich_is_loaded_for_a_text_file(process):
    result = process("eval", "qrels.txt", "one.run", env={"PYTHONPROFILEIMPORTTIME": "1"})
    assert result.returncode == 0
    loaded = {line.rpartition(b"|")[2].strip() for line in result.stderr.splitlines()}
    assert b"assay.tasks.evaluate.plan" in loaded
    assert loaded.isdisjoint({b"polars", b"rich", b"pandas", b"scipy", b"numpy.ma", b"numpy.typing", b"asyncio"})
