"""Work on several threads: the order of the results, errors, interruption, and threads that cannot be started."""

import threading
import time

import numpy as np
import pytest

from assay.core.limits import LIMITS, limits
from assay.engine.kernel import map_in_threads

THREADS = pytest.mark.parametrize("threads", [1, 2, 5])


@THREADS
def test_results_stand_in_the_order_of_the_items(threads):
    def wait_and_square(number):
        time.sleep(0.001 * (number % 3))
        return number * number

    assert map_in_threads(wait_and_square, iter(range(20)), threads) == [number * number for number in range(20)]
    assert map_in_threads(wait_and_square, [], threads) == []


@THREADS
def test_an_error_is_raised_and_ends_the_work(threads):
    taken = []

    def items():
        for number in range(10_000):
            taken.append(number)
            yield number

    def fail_at_three(number):
        if number == 3:
            raise ValueError("three")
        return number

    with pytest.raises(ValueError, match="three"):
        map_in_threads(fail_at_three, items(), threads)
    assert len(taken) < 10_000
    with pytest.raises(ZeroDivisionError):
        map_in_threads(str, (1 // number for number in (1, 0, 1)), threads)


def test_an_interruption_ends_the_other_threads():
    here = threading.current_thread()

    def interrupt(number):
        if threading.current_thread() is here:
            raise KeyboardInterrupt
        time.sleep(0.001)
        return number

    before = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        map_in_threads(interrupt, iter(int, 1), threads=3)
    assert threading.active_count() == before


def test_threads_that_cannot_be_started_are_done_without(monkeypatch):
    def fail(_):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    assert map_in_threads(abs, [-1, 2], threads=4) == [1, 2]


def test_settings_of_the_caller_hold_in_all_threads():
    meeting = threading.Barrier(2, timeout=30)

    def look(_):
        meeting.wait()
        return LIMITS.get().line, np.geterr()["divide"]

    with limits(line=77), np.errstate(divide="ignore"):
        assert map_in_threads(look, range(2), threads=2) == [(77, "ignore")] * 2
