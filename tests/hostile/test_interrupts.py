"""Ctrl-C at any moment: the command ends within half a second with 130, says nothing, and leaves nothing behind.

What is measured is compared with how long an idle Python takes to end, and does not count the time that a process waits
for a processor.
"""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import pytest

from busy_commands import BUSY
from ending import seconds_until_end
from interrupting import SEED, SOON, idle_end, leftovers, start, surroundings
from launcher import BEFORE_ALL, INTERRUPTIBLE, LISTEN, Launcher
from search_server import QRELS, QUESTIONS, SearchServer
from tables import for_each

pytestmark = [pytest.mark.attack("Interrupts"), pytest.mark.xdist_group("interrupts")]
# Takes longest of all: on two processes, and apart from what else is measured here.
HALVES = [pytest.param(name, marks=pytest.mark.xdist_group(f"moments-{n % 2}")) for n, name in enumerate(BUSY)]
INTERRUPTED = 130
COMMAND = [sys.executable, "-c", LISTEN + "from assay.__main__ import main; main()"]
MOMENTS = 100
# Seconds over which moments are spread, and after which a command is taken for one that does not end.
LIFE, LONGEST = 3.0, 6.0


@pytest.fixture(scope="module")
def folder(busy_folder):
    return busy_folder


def end(running, folder):
    """Interrupts a process, and gives what it said and the seconds it took beyond those of an idle one."""
    # `send_signal` would reap a process that has ended.
    os.kill(running.pid, signal.SIGINT)
    took = seconds_until_end(running.pid)
    _, said = running.communicate()
    return said.decode(), max(0.0, took - (idle_end(folder) if took > SOON else 0.0))


@cache
def finished(arguments, launcher, folder):
    """What a command prints and writes if nobody interrupts it; None if it takes longer than anybody waits here."""
    ended = run_interrupted(arguments, LONGEST, launcher, folder)
    return None if ended.code == INTERRUPTED else results_of(ended, folder)


def run_interrupted(arguments, delay, launcher, folder):
    job = {"environment": surroundings(folder), "folder": folder}
    return launcher.run(*arguments.split(), code=INTERRUPTIBLE, interrupt_after=delay, **job)


def results_of(ended, folder):
    """The exit code, what is printed without the times in it, and the files that were written, which are removed."""
    found = {}
    for each in sorted((folder / "out").iterdir()):
        found[each.name] = each.read_bytes()
        each.unlink()
    return ended.code, re.sub(rb"[\d.]+ (ms|s)\b", b"", ended.out), found


def interrupt_after(delay, arguments, launcher, folder):
    """Interrupts a command; false if its work was done before, and then all of it is there."""
    ended = run_interrupted(arguments, delay, launcher, folder)
    where = f"{arguments} interrupted after {delay:.3f} s (seed {SEED}): {ended.said.decode()[-500:]}"
    assert b"Traceback" not in ended.said, where
    if ended.code in (INTERRUPTED, BEFORE_ALL):
        took = launcher.seconds - (idle_end(folder) if launcher.seconds > SOON else 0.0)
        assert took <= SOON, f"{took:.2f} s; {where}"
        assert leftovers(folder) == [], where
        return ended.code == INTERRUPTED
    assert results_of(ended, folder) == finished(arguments, launcher, folder), where
    assert leftovers(folder) == [], where
    return False


@pytest.mark.parametrize("name", BUSY)
def test_a_command_ends_soon(folder, launcher, name):
    """In a process that has loaded everything; half of the moments are in its first tenth of a second."""
    moments = random.Random(f"{SEED}, {name}")
    for longest in (0.4, 0.2, 0.1, 0.05, *[0.02] * 20):
        if interrupt_after(moments.uniform(0.005, longest), BUSY[name], launcher, folder):
            return
    pytest.fail(f"{name} could not be interrupted in time")


def worker_folder(folder, tmp_path, number):
    """The same data, with folders of its own to write to."""
    made = tmp_path / str(number)
    made.mkdir()
    for each in folder.iterdir():
        if each.name not in ("out", "tmp"):
            (made / each.name).symlink_to(each)
    (made / "out").mkdir()
    (made / "tmp").mkdir()
    return made


def spread(count, longest, draw):
    """Moments over a life, one in each of as many parts: as many in its first hundredth as between a tenth and all."""
    shortest = longest / 1000
    return [shortest * (longest / shortest) ** ((part + draw.random()) / count) for part in range(count)]


@pytest.mark.hostile
@pytest.mark.parametrize("name", HALVES)
def test_a_command_ends_soon_at_every_moment(folder, name, tmp_path, tried):
    """A hundred moments over its life, or over the first seconds of it; two at a time."""

    def interrupt(number):
        place = worker_folder(folder, tmp_path, number)
        with Launcher() as launcher:
            began = time.monotonic()
            finished(BUSY[name], launcher, place)
            life = min(time.monotonic() - began, LIFE)
            moments = spread(MOMENTS // 2, life, random.Random(f"{SEED}, {name}, {number}"))
            return sum(interrupt_after(each, BUSY[name], launcher, place) for each in moments)

    with ThreadPoolExecutor(2) as workers:
        hit = sum(workers.map(interrupt, range(2)))
    assert hit >= MOMENTS // 5, f"{name}: only {hit} of {MOMENTS} moments were while it worked"
    tried(MOMENTS)


# Interrupts the command when it has begun to import so many modules.
AT_IMPORT = """
import os, signal, sys
from assay.__main__ import main
left = int(os.environ["WANTED"])

def count(event, _):
    global left
    if event == "import":
        left -= 1
        if left == 0:
            signal.raise_signal(signal.SIGINT)

sys.addaudithook(count)
main()
"""


def test_a_command_that_is_being_loaded_ends_soon(folder, tried):
    command = [sys.executable, "-c", LISTEN + AT_IMPORT, "eval", "qrels.txt", "a.run"]
    for number in ("1", "2", "5", "20", "50", "100"):
        job = {"env": {**os.environ, **surroundings(folder), "WANTED": number}, "cwd": folder}
        ended = subprocess.run(command, check=False, capture_output=True, **job)  # noqa: S603 - our own code
        assert (ended.returncode, ended.stderr) == (INTERRUPTED, b""), number
    tried(6)


# Interrupts the command at the return of one of click's functions, which no moment hits by chance.
AT_RETURN = """
import os, signal, sys
from assay.__main__ import main
wanted = os.environ["WANTED"]

def profile(frame, event, _):
    if event == "return" and f"{frame.f_globals.get('__name__')}.{frame.f_code.co_qualname}" == wanted:
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)

sys.setprofile(profile)
main()
"""
PLACES = [
    *(f"click.core.Context.{name}" for name in ("__enter__", "exit", "invoke", "close")),
    *("assay.cli.main.Commands.make_context", "assay.cli.main.Commands.invoke"),
]


@for_each("place", PLACES)
def test_between_commands(folder, launcher, place):
    job = {"environment": {**surroundings(folder), "WANTED": place}, "folder": folder}
    ended = launcher.run("measures", "rr", code=LISTEN + AT_RETURN, **job)
    assert (ended.code, ended.said) == (INTERRUPTED, b""), place


# Python ignores what is raised in a callback of a weak reference, and prints it.
IN_A_CALLBACK = """
import signal, sys, time, weakref
from assay.cli import interrupt
interrupt.SHORTLY = {shortly}
interrupt.guard()
thing = type("Thing", (), {})()
watch = weakref.ref(thing, lambda _: signal.raise_signal(signal.SIGINT))
try:
    del thing
    ready()
    time.sleep(60)
except KeyboardInterrupt:
    sys.exit(99)
"""


# The second time it is raised before the callback is over.
@pytest.mark.parametrize("shortly", ["0.001", "0.000001"])
def test_in_a_callback(folder, launcher, tried, shortly):
    for _ in range(20):
        ended = launcher.run(code=LISTEN + IN_A_CALLBACK.replace("{shortly}", shortly), folder=folder)
        assert (ended.code, ended.said) == (99, b"")
    tried(20)


def test_a_pipe_that_delivers_nothing(folder, tried):
    for delay in (0.6, 0.9, 1.2):
        command = [*COMMAND, "eval", "qrels.txt", "-"]
        with start(command, folder, stdout=subprocess.DEVNULL, stdin=subprocess.PIPE) as running:
            time.sleep(delay)
            running.send_signal(signal.SIGINT)
            took = seconds_until_end(running.pid)
            running.wait()
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
from assay.files.source import temporary_folder
guard()
with temporary_folder() as folder:
    (folder / "copy").write_text("")
    print(flush=True)
    sum(range(10**12))
"""
# A folder that was one of ours by its name alone is not removed.
FOREIGN = """
from contextlib import suppress
from assay.cli.interrupt import guard
from assay.files.source import temporary_folder
guard()
with suppress(ValueError), temporary_folder() as folder:
    raise ValueError
folder.mkdir()
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


@pytest.mark.parametrize(("code", "limit", "kept"), [(STUCK, SOON, 0), (FOREIGN, SOON, 1), (DEAF, 3 * SOON, 0)])
def test_work_that_lets_no_signal_in_is_ended(folder, code, limit, kept):
    with start([sys.executable, "-c", LISTEN + code], folder, stdout=subprocess.PIPE) as running:
        running.stdout.readline()
        time.sleep(0.2)
        said, took = end(running, folder)
    assert (running.returncode, said, len(leftovers(folder))) == (INTERRUPTED, "", kept)
    assert took <= limit
    for each in (folder / "tmp").iterdir():
        each.rmdir()
