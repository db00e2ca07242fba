"""A value in the background: waited for at first, the last one while a new one is made, errors for whoever asked."""

import threading
import time

import pytest

from assay.studio import live as background
from assay.studio.live import Background


class Slow:
    """Makes values, each when it is let."""

    def __init__(self):
        self.version, self.made, self.told = 1, [], []
        self.gate = threading.Semaphore(1)
        self.error = None
        self.value = Background(self.make, lambda: self.version, lambda: self.told.append(self.version))

    def make(self):
        version = self.version
        self.gate.acquire(timeout=10)
        if self.error is not None:
            raise self.error
        self.made.append(version)
        return f"value {version}"


def test_the_first_value_is_waited_for_and_kept():
    slow = Slow()
    slow.gate.acquire()
    assert slow.value.get(0.01) is None
    slow.gate.release()
    assert slow.value.get(5) == "value 1"
    assert slow.value.get(0) == "value 1"
    assert slow.made == [1]


def test_the_last_value_while_the_next_is_made():
    slow = Slow()
    slow.value.get(5)
    slow.version = 2
    assert slow.value.get(0.01) == "value 1"
    slow.gate.release()
    assert slow.value.get(5) == "value 2"
    assert slow.made == [1, 2]


def test_versions_that_nobody_saw_are_left_out():
    slow = Slow()
    slow.value.get(5)
    slow.version = 2
    slow.value.get(0.0)
    slow.version = 5
    slow.gate.release(2)
    assert slow.value.get(5) == "value 5"
    assert slow.made == [1, 2, 5]


def test_an_error_reaches_whoever_asked_and_is_tried_again():
    slow = Slow()
    slow.error = ValueError("no")
    with pytest.raises(ValueError, match="no"):
        slow.value.get(5)
    slow.error = None
    slow.gate.release()
    assert slow.value.get(5) == "value 1"


def test_many_who_ask_share_one_value():
    slow = Slow()
    slow.gate.acquire()
    found = []
    threads = [threading.Thread(target=lambda: found.append(slow.value.get(5))) for _ in range(8)]
    for thread in threads:
        thread.start()
    slow.gate.release()
    for thread in threads:
        thread.join(10)
    assert found == ["value 1"] * 8
    assert slow.made == [1]


def test_nobody_waits_for_what_takes_longer_than_they_wait(monkeypatch):
    slow = Slow()
    slow.value.get(5)
    monkeypatch.setattr(background, "HARDLY", 0.1)
    monkeypatch.setattr(slow.value, "_took", 60.0)
    slow.version = 2
    started = time.monotonic()
    assert slow.value.get(30) == "value 1"
    assert time.monotonic() - started < 25
    slow.gate.release()
