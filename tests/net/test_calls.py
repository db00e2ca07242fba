"""Calls of other people's functions: what is left of one that takes too long."""

import inspect
import threading
import time

import pytest

from assay.net.calls import Callers, CallLoop, LateError


def test_a_coroutine_that_the_loop_does_not_get_to_is_closed():
    over, loop = threading.Event(), CallLoop("loop")

    async def block():
        over.wait(30)

    async def never():
        """Python would warn that it was never awaited."""

    unstarted = never()
    blocked = threading.Thread(target=loop.wait_for, args=(block(), 30))
    blocked.start()
    with pytest.raises(LateError):
        loop.wait_for(unstarted, 0.05)
    over.set()
    blocked.join(30)
    loop.close()
    assert inspect.getcoroutinestate(unstarted) == inspect.CORO_CLOSED


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
