"""Votes of many people at once: few commits, every answer true, and nothing acknowledged is lost to kill -9."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest

from assay import AssayError
from assay.studio.store import KeyConflictError, NewVote, Store, StoreError, Writer
from assay.studio.store.record import MOST


class Counting:
    """A store that waits before its first transaction, and counts them."""

    def __init__(self, store):
        self.store, self.sizes, self.may_go = store, [], threading.Event()

    def record(self, votes):
        self.may_go.wait(60)
        self.sizes.append(len(votes))
        return self.store.record(votes)


def test_what_comes_meanwhile_is_one_transaction(store):
    counting = Counting(store)
    writer = Writer(counting)
    futures = [writer.record(NewVote(f"q{number}", "d", "ann", 1)) for number in range(MOST + 100)]
    counting.may_go.set()
    writer.close()
    assert [future.result(60).event.id for future in futures] == list(range(1, MOST + 101))
    assert len(counting.sizes) <= 3
    assert max(counting.sizes) <= MOST


def test_each_future_has_its_own_error(store):
    counting = Counting(store)
    writer = Writer(counting)
    votes = [("q", 1, "k"), ("", 1, None), ("q", 2, "k"), ("q", 3, None)]
    sent = [writer.record(NewVote(query, "d", "ann", vote, key=key)) for query, vote, key in votes]
    first, empty, conflict, last = sent
    counting.may_go.set()
    writer.close()
    assert (first.result(60).event.id, last.result(60).event.id) == (1, 2)
    assert isinstance(conflict.exception(60), KeyConflictError)
    with pytest.raises(AssayError, match="the query is empty"):
        empty.result(60)


def test_a_store_that_fails_is_told_to_everyone_and_the_writer_goes_on(tmp_path):
    with Store.open(tmp_path / "s") as store:
        writer = Writer(store)
        with store._begin(writing=True) as connection:  # noqa: SLF001
            connection.exec_driver_sql("ALTER TABLE settings RENAME TO hidden")
            connection.exec_driver_sql("ALTER TABLE voters RENAME TO people")
        futures = [writer.record(NewVote(f"q{number}", "d", "ann", 1)) for number in range(3)]
        for future in futures:
            with pytest.raises(StoreError, match="no such table"):
                future.result(60)
        with store._begin(writing=True) as connection:  # noqa: SLF001
            connection.exec_driver_sql("ALTER TABLE people RENAME TO voters")
        assert writer.record(NewVote("q", "d", "ann", 1)).result(60).is_new
        writer.close()


def test_a_vote_that_was_cancelled_is_not_recorded(store):
    counting = Counting(store)
    writer = Writer(counting)
    busy = writer.record(NewVote("q0", "d", "ann", 1))
    while not busy.running():
        time.sleep(0.001)
    kept, dropped = [writer.record(NewVote(f"q{number}", "d", "ann", 1)) for number in (1, 2)]
    assert dropped.cancel()
    counting.may_go.set()
    writer.close()
    assert kept.result(60).event.id == 2
    assert [each.query for each in store.events()] == ["q0", "q1"]
    # After its end it takes no vote.
    writer.close()
    with pytest.raises(StoreError, match="closing"):
        writer.record(NewVote("q", "d", "ann", 1))


VOTERS, ROUNDS = 8, 5
VOTING = """
import os, sys, threading
from assay.studio.store import NewVote, Store, Writer

store, round = Store.open(sys.argv[1]), sys.argv[2]
writer = Writer(store)

def vote(name):
    number = 0
    while True:
        key = f"{name}-{round}-{number}"
        writer.record(NewVote(f"q{number % 7}", "d", name, number, key=key)).result()
        os.write(1, f"{key}\\n".encode())
        number += 1

for number in range(int(sys.argv[3])):
    threading.Thread(target=vote, args=(f"voter{number}",), daemon=True).start()
threading.Event().wait()
"""


def test_kill_loses_nothing_that_was_acknowledged(where):
    chance, acknowledged = random.Random(7), []
    for number in range(ROUNDS):
        command = [sys.executable, "-c", VOTING, str(where), str(number), str(VOTERS)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            acknowledged.extend(process.stdout.readline().strip() for _ in range(chance.randint(20, 200)))
            os.kill(process.pid, signal.SIGKILL)
            acknowledged.extend(line.strip() for line in process.stdout if line.endswith("\n"))
    with Store.open(where) as store:
        events = store.events()
    recorded = Counter(each.key for each in events)
    assert len(acknowledged) == len(set(acknowledged)) >= 20 * ROUNDS
    assert set(acknowledged) <= set(recorded)
    assert set(recorded.values()) == {1}
    # What was recorded without being acknowledged is what was under way at each kill.
    assert len(recorded) - len(acknowledged) <= VOTERS * ROUNDS
    assert [each.id for each in events] == list(range(1, len(events) + 1))


def test_votes_that_belong_together_keep_their_place(store):
    taken = []
    writer = Writer(store, taken.extend)
    first = writer.record(NewVote("q", "d", "ann", 1))
    whole = writer.record_whole([NewVote(f"q{number}", "d", "ann", 1) for number in range(MOST + 1)], {"ann": "person"})
    last = writer.record(NewVote("q", "d", "ann", 2))
    failed = writer.record_whole([NewVote("q", "d", "bob", 1), NewVote("q", "e", "bob", None, kind="withdrawal")])
    other = writer.record_whole([NewVote("q", "d", "ann", 0)], {"ann": "model"})
    writer.close()
    assert first.result().event.id == 1
    assert [each.event.id for each in whole.result()] == list(range(2, MOST + 3))
    assert (last.result().event.id, last.result().event.replaces) == (MOST + 3, 1)
    for future, said in ((failed, "to take back"), (other, "'ann' is a person here; import these votes as person")):
        with pytest.raises(AssayError, match=said):
            future.result()
    assert [event.id for event in taken] == [event.id for event in store.events()] == list(range(1, MOST + 4))
    assert store.voter("bob") is None
