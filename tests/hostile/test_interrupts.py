"""Ctrl-C at any moment: the command ends within half a second with 130, says nothing, and leaves nothing behind.

What is measured is compared with how long an idle Python takes to end at the same time, as the machine may be busy.
"""

import bz2
import gzip
import lzma
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from search_server import QRELS, QUESTIONS, SearchServer

pytestmark = [
    pytest.mark.attack("Interrupts"),
    pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals"),
    pytest.mark.xdist_group("interrupts"),
]
SEED = 12
SOON = 0.5
INTERRUPTED = 130
QUERIES = 300
# A shell that runs this in the background has the signal ignored, which a process inherits.
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
COMMAND = [sys.executable, "-c", LISTEN + "from assay.__main__ import main; main()"]
IDLE = [sys.executable, "-c", LISTEN + "import sys, time; print(flush=True); time.sleep(60)"]

CASES = {
    "eval": "eval qrels.txt a.run b.run",
    "eval, gzip": "eval qrels.txt big.run.gz",
    "eval, bzip2": "eval qrels.txt big.run.bz2",
    "eval, xz": "eval qrels.txt big.run.xz",
    "eval, rows that are scattered": "eval qrels.txt scattered.run --threads 1",
    "eval, one giant query": "eval giant.qrels giant.run",
    "compare": "compare qrels.txt a.run b.run --samples 50000000",
    "compare, bootstrap": "compare qrels.txt a.run b.run --test bootstrap --samples 3000000",
    "compare, tukey": "compare qrels.txt a.run b.run --test tukey_randomized --samples 3000000",
    "gate": "gate qrels.txt a.run --baseline b.run --max-drop map=0.01 --samples 50000000",
    "audit": "audit qrels.txt a.run -m map",
    "diff": "diff qrels.txt a.run b.run",
    "check": "check qrels.txt a.run b.run",
    "check, one giant query": "check giant.qrels giant.run",
    "convert": "convert giant.run out/x.jsonl",
    "convert, Zstandard": "convert giant.run out/x.trec.zst",
    "convert, Parquet": "convert giant.run out/x.parquet",
    "convert, printed": "convert giant.run -",
    "trec_eval": "trec_eval qrels.txt a.run",
    "rag": "rag records.jsonl",
    "demo": "demo",
    "measures": "measures",
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Data that keeps each command busy."""
    path = tmp_path_factory.mktemp("busy")
    make = random.Random(SEED)
    (path / "qrels.txt").write_text(
        "".join(f"q{query} 0 d{number * 7} {number % 3}\n" for query in range(QUERIES) for number in range(20))
    )
    for name in ("a.run", "b.run"):
        rows = (f"q{query} Q0 d{number} 1 {make.random():.6f} t\n" for query in range(QUERIES) for number in range(500))
        (path / name).write_text("".join(rows))
    part = "".join(f"x{row // 1000} Q0 d{row % 1000} 1 {1000 - row % 1000} t\n" for row in range(100_000)).encode()
    (path / "big.run.gz").write_bytes(gzip.compress(part, 1) * 300)
    (path / "big.run.bz2").write_bytes(bz2.compress(part, 1) * 60)
    (path / "big.run.xz").write_bytes(lzma.compress(part, preset=0) * 200)
    scattered = (f"q{query} Q0 d{number} 1 {-number} t\n" for number in range(3000) for query in range(QUERIES))
    (path / "scattered.run").write_text("".join(scattered))
    (path / "giant.run").write_text("".join(f"q0 Q0 d{number} 1 1 t\n" for number in range(1_000_000)))
    (path / "giant.qrels").write_text("".join(f"q0 0 d{number} 1\n" for number in range(0, 1_000_000, 2)))
    record = (
        '{{"query_id": "q{0}", "answer": "{1}", "reference": "{1} more", "retrieved_ids": ["d1"], "gold": ["d1"]}}\n'
    )
    text = " ".join(f"word{number}" for number in range(300))
    (path / "records.jsonl").write_text("".join(record.format(number, text) for number in range(3000)))
    (path / "out").mkdir()
    (path / "tmp").mkdir()
    return path


def start(command, folder, **more):
    environment = {**os.environ, "TMPDIR": str(folder / "tmp"), "COLUMNS": "100"}
    return subprocess.Popen(command, cwd=folder, env=environment, stderr=subprocess.PIPE, **more)  # noqa: S603


def idle_end(folder):
    """How long an idle Python takes to end."""
    with start(IDLE, folder, stdout=subprocess.PIPE) as idle:
        idle.stdout.readline()
        began = time.monotonic()
        idle.send_signal(signal.SIGINT)
        idle.communicate()
        return time.monotonic() - began


def end(running, folder):
    """Interrupts a process, and gives what it said and the seconds it took beyond those of an idle one."""
    began = time.monotonic()
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    took = time.monotonic() - began
    return said.decode(), max(0.0, took - (idle_end(folder) if took > SOON else 0.0))


def leftovers(folder):
    return sorted(each.name for name in ("out", "tmp") for each in (folder / name).iterdir())


def interrupt_after(delay, arguments, folder):
    """Interrupts a command; false if it was done before, or before it could listen."""
    with start([*COMMAND, *arguments.split()], folder, stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL) as running:
        try:
            _, said = running.communicate(timeout=delay)
        except subprocess.TimeoutExpired:
            said, took = end(running, folder)
        else:
            for each in (folder / "out").iterdir():
                each.unlink()
            return False
    where = f"{arguments} interrupted after {delay:.3f} s (seed {SEED}): {said[-500:]}"
    if running.returncode == -signal.SIGINT or "frozen " in said:
        # Python itself was not up yet.
        return False
    assert "Traceback" not in said, where
    if running.returncode != INTERRUPTED:
        # It had finished its work, and was about to end.
        assert running.returncode in (0, 1), where
        for each in (folder / "out").iterdir():
            each.unlink()
        return False
    assert took <= SOON, f"{took:.2f} s; {where}"
    assert leftovers(folder) == [], where
    return True


@pytest.mark.parametrize("name", CASES)
def test_a_command_ends_soon(folder, name):
    moments = random.Random(f"{SEED}, {name}")
    longest = 1.5
    for _ in range(20):
        if interrupt_after(moments.uniform(0.3, longest), CASES[name], folder):
            return
        longest = max(0.4, longest * 0.8)
    pytest.fail(f"{name} could not be interrupted in time")


@pytest.mark.hostile
@pytest.mark.parametrize("name", CASES)
def test_a_command_ends_soon_at_every_moment(folder, name, tried):
    began = time.monotonic()
    with start([*COMMAND, *CASES[name].split()], folder, stdout=subprocess.DEVNULL) as running:
        try:
            running.communicate(timeout=8)
        except subprocess.TimeoutExpired:
            running.kill()
    whole = time.monotonic() - began
    for where in ("out", "tmp"):
        subprocess.run(["rm", "-rf", str(folder / where)], check=True)  # noqa: S603, S607 - our own folder
        (folder / where).mkdir()
    moments = random.Random(f"{SEED}, {name}")
    hit = sum(interrupt_after(moments.uniform(0.05, whole), CASES[name], folder) for _ in range(100))
    assert hit >= 20, f"{name}: only {hit} of 100 moments were while it worked"
    tried(100)


def test_a_pipe_that_delivers_nothing(folder, tried):
    for delay in (0.6, 0.9, 1.2):
        command = [*COMMAND, "eval", "qrels.txt", "-"]
        with start(command, folder, stdout=subprocess.DEVNULL, stdin=subprocess.PIPE) as running:
            time.sleep(delay)
            began = time.monotonic()
            running.send_signal(signal.SIGINT)
            running.wait(timeout=60)
            took = time.monotonic() - began
            assert (running.returncode, running.stderr.read()) == (INTERRUPTED, b"")
        assert took - idle_end(folder) <= SOON
        assert leftovers(folder) == []
    tried(3)


def test_a_named_pipe_that_nobody_opens(folder):
    os.mkfifo(folder / "pipe.run")
    with start([*COMMAND, "eval", "qrels.txt", "pipe.run"], folder, stdout=subprocess.DEVNULL) as running:
        time.sleep(1.0)
        said, took = end(running, folder)
    assert (running.returncode, said, leftovers(folder)) == (INTERRUPTED, "", [])
    assert took <= SOON


def test_a_search_that_does_not_answer(folder):
    import json

    (folder / "questions.json").write_text(json.dumps(QUESTIONS))
    (folder / "judged.json").write_text(json.dumps(QRELS))
    with SearchServer(delay=20) as server:
        command = [*COMMAND, "probe", server.url, "--queries", "questions.json", "--qrels", "judged.json"]
        with start(command, folder, stdout=subprocess.DEVNULL) as running:
            until = time.monotonic() + 30
            while not server.asked and time.monotonic() < until:
                time.sleep(0.01)
            said, took = end(running, folder)
        server.delay = 0
    assert (running.returncode, leftovers(folder)) == (INTERRUPTED, [])
    assert said.startswith("assay: interrupted: 0 of 40 questions answered")
    assert took <= SOON


# What no library would let Ctrl-C into: the interpreter runs no line of Python meanwhile.
STUCK = """
from pathlib import Path
from assay.cli.interrupt import guard
from assay.data.source import temporary_folder
guard()
with temporary_folder() as folder:
    (folder / "copy").write_text("")
    print(flush=True)
    sum(range(10**12))
"""
DEAF = """
import time
from assay.cli.interrupt import guard
guard()
print(flush=True)
while True:
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        pass
"""


@pytest.mark.parametrize(("code", "limit"), [(STUCK, SOON), (DEAF, 3 * SOON)])
def test_work_that_lets_no_signal_in_is_ended(folder, code, limit):
    with start([sys.executable, "-c", LISTEN + code], folder, stdout=subprocess.PIPE) as running:
        running.stdout.readline()
        time.sleep(0.2)
        said, took = end(running, folder)
    assert (running.returncode, said, leftovers(folder)) == (INTERRUPTED, "", [])
    assert took <= limit


IN_PYTHON = {
    "a file": "assay.evaluate('qrels.txt', 'scattered.run', ['ap'])",
    "gzip": "assay.evaluate('qrels.txt', 'big.run.gz', ['ap'])",
    "judgments": "assay.read_qrels('giant.qrels')",
    "a run": "assay.read_run('giant.run')",
    "a dict": "assay.evaluate(SMALL, DICT, ['ap'])",
    "one giant dict": "assay.evaluate(GIANT_QRELS, GIANT, ['ap'])",
    "a frame": "assay.evaluate(SMALL, FRAME, ['ap'])",
    "a table of a frame": "assay.Run(FRAME)",
    "a frame of a table": "TABLE.to_polars()",
    "a comparison": "assay.compare('qrels.txt', {'a': 'a.run', 'b': 'b.run'}, samples=50_000_000)",
    "a bootstrap": "assay.compare('qrels.txt', {'a': 'a.run', 'b': 'b.run'}, test='bootstrap', samples=3_000_000)",
    "an interval": "RESULT.interval('ap')",
    "records": "assay.evaluate_rag('records.jsonl')",
    "a probe": "assay.probe(lambda question: time.sleep(60), {'q1': 'who'}, {'q1': ['d1']}, ['rr'], progress=False)",
}
SETUP = """
import sys, time
import assay, polars
use = sys.argv[1]
SMALL = {f"q{query}": {f"d{number}": 1 for number in range(10)} for query in range(300)}
if "DICT" in use or "FRAME" in use or "TABLE" in use:
    DICT = {query: {f"d{number}": float(number % 7) for number in range(1000)} for query in SMALL}
if "FRAME" in use or "TABLE" in use:
    TABLE = assay.Run(DICT)
    FRAME = TABLE.to_polars()
if "GIANT" in use:
    GIANT = {"q": {f"d{number}": 1.0 for number in range(1_000_000)}}
    GIANT_QRELS = {"q": {f"d{number}": 1 for number in range(0, 1_000_000, 2)}}
if "RESULT" in use:
    RESULT = assay.evaluate("qrels.txt", "a.run", ["ap"])
code = compile(use, "use", "eval")
print(flush=True)
try:
    while True:
        eval(code)
except KeyboardInterrupt:
    print(time.monotonic(), flush=True)
"""


@pytest.mark.parametrize("name", IN_PYTHON)
def test_python_raises_soon(folder, name):
    moment = random.Random(f"{SEED}, {name}").uniform(0.2, 0.8)
    command = [sys.executable, "-c", LISTEN + SETUP, IN_PYTHON[name]]
    with start(command, folder, stdout=subprocess.PIPE, text=True) as running:
        running.stdout.readline()
        time.sleep(moment)
        began = time.monotonic()
        running.send_signal(signal.SIGINT)
        out, said = running.communicate(timeout=60)
    assert (running.returncode, said) == (0, ""), said
    took = float(out) - began
    assert took - (idle_end(folder) if took > SOON else 0.0) <= SOON, f"{took:.2f} s after {moment:.2f} s (seed {SEED})"
    assert leftovers(folder) == []
