"""How questions are asked: a few at a time, within a time limit, again where they failed, from wherever one is."""

import asyncio
import subprocess
import sys
import threading
import time
from contextlib import suppress
from itertools import pairwise

import pytest

import assay
from assay.net import calls, http
from assay.net.http import TemporaryError, pause_before_retry
from assay.tasks.probe import ask as asking
from assay.tasks.probe.ask import Asker, CallLimits
from assay.tasks.probe.response import LiveRanking, RankingReader
from tables import for_each

QUESTIONS = {f"q{number}": f"question {number}" for number in range(20)}


def ask(search, questions=QUESTIONS, **limits):
    """The outcome of each question."""
    outcomes = {}
    limits = CallLimits(**{"concurrency": 4, "timeout": 5.0, "retries": 1, **limits})
    asker = Asker(search, RankingReader(10).read, limits)
    asker.ask_all(questions, lambda outcome: outcomes.update({outcome.query: outcome}))
    return outcomes


class Gauge:
    """Counts how many are inside at a time; whoever comes waits until so many are as are wanted."""

    def __init__(self, wanted=1):
        self.inside = self.most = 0
        self.lock, self.barrier = threading.Lock(), threading.Barrier(wanted)

    def go_through(self):
        with self.lock:
            self.inside += 1
            self.most = max(self.most, self.inside)
        time.sleep(0.01)
        self.barrier.wait(30)
        with self.lock:
            self.inside -= 1


def kinds(gauge):
    """The same search in each of the ways that one can be written."""

    def plain(question):
        gauge.go_through()
        return [question]

    async def asynchronous(question):
        await asyncio.to_thread(gauge.go_through)
        return [question]

    class Called:
        async def __call__(self, question):
            return await asynchronous(question)

    def lazily(question):
        gauge.go_through()
        yield question

    def gives_a_coroutine(question):
        return asynchronous(question)

    return {"plain": plain, "async": asynchronous, "gives": gives_a_coroutine, "object": Called(), "lazily": lazily}


@for_each("kind", kinds(Gauge()))
def test_every_kind_of_search_is_asked_a_few_at_a_time(kind):
    gauge = Gauge(4)
    outcomes = ask(kinds(gauge)[kind], timeout=30.0)
    found = {query: LiveRanking([question]) for query, question in QUESTIONS.items()}
    assert {query: outcome.ranking for query, outcome in outcomes.items()} == found
    assert gauge.most == 4
    assert all(0.01 <= outcome.seconds < 30 and outcome.attempts == 1 for outcome in outcomes.values())


def test_it_works_inside_a_running_loop():
    async def notebook():
        return [ask(kind) for kind in kinds(Gauge()).values()]

    assert [len(outcomes) for outcomes in asyncio.run(notebook())] == [20] * 5


def test_handing_over_between_threads_is_no_latency(monkeypatch):
    now = [0.0]

    def slowly(act):
        def hand_over(*arguments):
            now[0] += 100
            return act(*arguments)

        return hand_over

    async def search(question):
        now[0] += 1
        return [question]

    monkeypatch.setattr(time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(calls.Callers, "call", slowly(calls.Callers.call))
    monkeypatch.setattr(asyncio, "run_coroutine_threadsafe", slowly(asyncio.run_coroutine_threadsafe))
    assert ask(search, {"q1": "x"}, timeout=9999)["q1"].seconds == 1


def fails(times, error):
    """A search that fails so many times before it answers."""
    seen = {}

    def search(question):
        seen[question] = seen.get(question, 0) + 1
        if seen[question] <= times:
            raise error
        return [question]

    return search


ERRORS = [
    (RuntimeError("two\nlines"), "RuntimeError: two lines"),
    (KeyError("x\x1b[31m"), r"KeyError: 'x\x1b[31m'"),
    (StopIteration(), "StopIteration"),
    (asyncio.CancelledError(), "CancelledError"),
    (ValueError("x" * 500), "ValueError: " + "x" * 188 + "…"),
]


@for_each("error, message", ERRORS)
def test_failures_are_one_line(error, message):
    outcome = ask(fails(9, error), {"q1": "x"})["q1"]
    assert (outcome.ranking, outcome.attempts, outcome.failure) == (None, 2, f"{message} (2 attempts)")
    # What to do is never cut off.
    said = "x" * 500 + "; do this"
    assert asking.failure_line(assay.errors.DataError(said), 1) == said


def test_a_failed_call_is_repeated():
    for is_asynchronous in (False, True):
        search = fails(2, OSError("busy"))

        async def later(question, search=search):
            return search(question)

        outcomes = ask(later if is_asynchronous else search, retries=2)
        assert {outcome.attempts for outcome in outcomes.values()} == {3}
        assert all(outcome.ranking for outcome in outcomes.values())


def test_an_answer_that_cannot_be_read_is_final():
    outcome = ask(lambda _: None, {"q1": "x"})["q1"]
    said = "the response: the retrieved documents must be a list of ids or passages, not 'None'"
    assert (outcome.failure, outcome.attempts) == (said, 1)


def test_pauses_grow(monkeypatch):
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(http, "LONGEST_PAUSE", 0.15)
    times = []
    search = fails(4, OSError("busy"))
    outcome = ask(lambda question: times.append(time.monotonic()) or search(question), {"q1": "x"}, retries=4)["q1"]
    assert outcome.attempts == 5
    rows = [(1, None, 0.05), (2, None, 0.1), (3, None, 0.15), (4, None, 0.15), (100, None, 0.15)]
    for attempt, after, seconds in [*rows, (3, 0.0, 0.0), (1, 0.14, 0.14), (1, 3600.0, 0.15)]:
        assert pause_before_retry(attempt, TemporaryError("busy", after)) == seconds
        assert after is not None or pause_before_retry(attempt, OSError("busy")) == seconds
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert all(pause >= least for pause, least in zip(pauses, [0.05, 0.1, 0.15, 0.15], strict=True))


def test_a_synchronous_call_that_hangs_takes_no_place():
    over = threading.Event()
    hanging = {"question 0", "question 1", "question 2"}
    try:
        started = time.monotonic()
        outcomes = ask(lambda question: [question] if question not in hanging else over.wait(30), timeout=1)
        elapsed = time.monotonic() - started
    finally:
        over.set()
    failed = {query: outcome.failure for query, outcome in outcomes.items() if outcome.ranking is None}
    assert failed == dict.fromkeys(("q0", "q1", "q2"), "no response within 1 s (2 attempts)")
    # A call hangs for half a minute.
    assert elapsed < 25


def test_an_asynchronous_call_that_hangs_is_cancelled():
    cancelled = []

    async def search(question):
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            cancelled.append(question)
            raise

    outcomes = ask(search, {"q1": "one", "q2": "two"}, timeout=0.05, retries=0)
    assert sorted(cancelled) == ["one", "two"]
    assert outcomes["q1"].failure == "no response within 0.05 s"


def test_one_that_will_not_be_cancelled_is_left_behind():
    async def stubborn(_):
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(30)

    started = time.monotonic()
    assert ask(stubborn, {"q1": "one"}, timeout=0.05, retries=0)["q1"].failure == "no response within 0.05 s"
    assert time.monotonic() - started < 25


def test_where_too_many_hang_the_rest_is_not_asked(monkeypatch):
    monkeypatch.setattr(asking, "MOST_HANGING", 6)
    over, asked = threading.Event(), []
    try:
        outcomes = ask(lambda question: (asked.append(question), over.wait(30)), timeout=0.05, retries=0)
    finally:
        over.set()
    # Those at a time may hang at once, so there may be a few more.
    assert 6 <= len(asked) <= 6 + 4
    refused = [outcome for outcome in outcomes.values() if outcome.attempts == 0]
    assert len(refused) == 20 - len(asked)
    assert refused[-1].failure.endswith("earlier calls still hang; give the retriever a time limit")


def test_what_comes_back_late_frees_its_place(monkeypatch):
    monkeypatch.setattr(asking, "MOST_HANGING", 2)
    over, outcomes = threading.Event(), []

    def search(question):
        if question in ("question 0", "question 1"):
            over.wait(30)
        return [question]

    def note(outcome):
        outcomes.append(outcome)
        if outcome.attempts == 0:
            over.set()
            time.sleep(0.2)

    Asker(search, RankingReader(10).read, CallLimits(concurrency=1, timeout=1.0, retries=0)).ask_all(QUESTIONS, note)
    assert [outcome.attempts for outcome in outcomes[:3]] == [1, 1, 0]
    assert all(outcome.failure for outcome in outcomes[:3])
    assert (outcomes[-1].attempts, outcomes[-1].failure) == (1, "")


def test_an_error_of_whoever_is_told_ends_it():
    def full(_):
        raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        Asker(lambda question: [question], RankingReader(10).read, CallLimits()).ask_all(QUESTIONS, full)


def test_an_interrupt_says_how_far_it_was(monkeypatch):
    def stopped(thread, timeout=None):
        if thread.name == "assay-probe" and timeout == calls.LOOK and len(asked) > 8:
            raise KeyboardInterrupt
        join(thread, timeout)

    asked, join = [], threading.Thread.join
    monkeypatch.setattr(threading.Thread, "join", stopped)
    monkeypatch.setattr(calls, "LOOK", 0.005)
    qrels = {query: ["d"] for query in QUESTIONS}
    with pytest.raises(KeyboardInterrupt) as caught:
        assay.probe(lambda each: time.sleep(0.01) or asked.append(each) or ["d"], QUESTIONS, qrels, "rr", concurrency=1)
    (said,) = caught.value.__notes__
    assert said.endswith(" of 20 questions answered, nothing saved; use a checkpoint to be able to continue")
    # Nothing more is asked.
    before = len(asked)
    time.sleep(0.05)
    assert len(asked) <= before + 1


def test_the_interpreter_does_not_wait_for_a_call_that_hangs():
    code = (
        "import assay, threading\n"
        "def search(question):\n"
        "    if question == 'b': threading.Event().wait()\n"
        "    return ['d']\n"
        "probe = assay.probe(search, {'q1': 'a', 'q2': 'b'}, {'q1': ['d'], 'q2': ['d']}, 'rr', timeout=2, retries=0)\n"
        "print(probe['rr'], probe.failures)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)  # noqa: S603
    assert (done.returncode, done.stdout) == (0, "0.5 {'q2': 'no response within 2 s'}\n")
    assert done.stderr == ""


def test_a_search_that_ends_the_program_ends_it():
    with pytest.raises(SystemExit):
        ask(lambda _: sys.exit(3))


def test_thread_after_thread_is_not_left_behind():
    before, calling = set(threading.enumerate()), set()

    def search(question):
        calling.add(threading.current_thread())
        return [question]

    for _ in range(5):
        ask(search)
    assert 5 <= len(calling) <= 5 * 4
    assert calling.isdisjoint(before)
    for thread in calling:
        thread.join(30)
    assert [thread for thread in calling if thread.is_alive()] == []
    # Threads of earlier tests may still end; none of this one's is left.
    assert [each for each in threading.enumerate() if each not in before and each.name.startswith("assay")] == []
