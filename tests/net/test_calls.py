"""Calls of other people's functions: what is left of one that takes too long."""

import threading
import time

import pytest

from assay.net.calls import Callers, LateError


def test_a_call_that_hangs_is_counted_until_it_ends():
    over, callers = threading.Event(), Callers("caller")
    with pytest.raises(LateError):
        callers.call(lambda: over.wait(30), 0.05)
    assert (callers.call(lambda: "next", 30), callers.count_hanging()) == ("next", 1)
    over.set()
    end = time.monotonic() + 30
    while callers.count_hanging() and time.monotonic() < end:
        time.sleep(0.005)
    assert callers.count_hanging() == 0
    callers.close()
