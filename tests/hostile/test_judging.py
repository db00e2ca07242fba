"""The commands that ask a language model: files that cannot be written, a full disk, Ctrl-C and kills while it replies.

The model is a script on loopback. What was replied is kept: a command that is started again asks only for the rest.
"""

import json
import random
import sqlite3
from threading import Event

import pytest

from chat_server import completion, serve
from launcher import BEFORE_ALL, BROKEN, CLOSED, INTERRUPTIBLE
from tables import with_hostile

pytestmark = pytest.mark.attack("Judges")
SEED = 12
KILLED, INTERRUPTED = -9, 130
SOON = 0.5
QUESTIONS, DEPTH = 10, 12
PAIRS = QUESTIONS * DEPTH
GRADED = {"intent": "x", "fit": 2, "trust": 2, "grade": 2}


def reply(_):
    """A grade for whatever is asked."""
    return completion(json.dumps(GRADED))


@pytest.fixture
def folder(tmp_path):
    corpus = "".join(json.dumps({"id": f"d{n}", "text": f"passage {n} about things"}) + "\n" for n in range(DEPTH))
    questions = "".join(json.dumps({"id": f"q{n}", "text": f"why {n}?"}) + "\n" for n in range(QUESTIONS))
    run = "".join(f"q{n} Q0 d{m} 1 {-m} t\n" for n in range(QUESTIONS) for m in range(DEPTH))
    for name, text in (("corpus.jsonl", corpus), ("queries.jsonl", questions), ("one.run", run)):
        (tmp_path / name).write_text(text)
    return tmp_path


def relevance(url, *more):
    asked = f"judge relevance queries.jsonl one.run --corpus corpus.jsonl --pool {DEPTH} --judge {url}"
    options = "--judge-model m --judge-cache cache.sqlite --judge-option retries=0 -o qrels.txt"
    return [*asked.split(), *options.split(), *more]


def rows_in(cache):
    """How many replies a cache has; it is whole."""
    if not cache.exists():
        return 0
    with sqlite3.connect(cache) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        tables = file.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'replies'").fetchone()[0]
        found = file.execute("SELECT reply FROM replies").fetchall() if tables else []
    file.close()
    assert all(json.loads(row[0]) for row in found)
    return len(found)


# A target, what it is a link to, and what is said.
REFUSED = [
    ("full.txt", "/dev/full", b"No space left on device"),
    ("folder.txt", ".", b"is a directory, not a file"),
    ("loop.txt", "loop.txt", b"Too many levels of symbolic links"),
    ("missing/new.txt", None, b"No such file or directory"),
    ("new.txt/", None, b"names a directory, not a file"),
    ("", None, b"the path is empty; name a file"),
]


@pytest.mark.parametrize("option", ["-o", "--reasons"])
@pytest.mark.parametrize(("target", "link", "message"), REFUSED)
def test_files_that_cannot_be_written(option, target, link, message, launcher, folder):  # noqa: PLR0917 - fixtures
    """One sentence; a wrong name is refused before anything is asked and paid for, and no reply is lost."""
    if link:
        (folder / target).symlink_to(link)
    before = {each.name for each in folder.iterdir()}
    with serve(reply) as chats:
        found = launcher.run(*relevance(chats.url, option, target), folder=folder)
    assert (found.code, b"Traceback" in found.said) == (2, False), found.said
    last = found.said.splitlines()[-1]
    assert last.startswith(b"assay: "), found.said
    assert message in last
    left = {"cache.sqlite", "cache.sqlite-shm", "cache.sqlite-wal", "qrels.txt"}
    assert {each.name for each in folder.iterdir()} - before <= left
    if target == "full.txt":
        assert rows_in(folder / "cache.sqlite") == PAIRS
    else:
        assert chats.bodies == []


STREAMS = {
    "output closed": ({"stdout": CLOSED}, 2, b"assay: standard output is closed"),
    "output full": ({"stdout": "/dev/full"}, 2, b"assay: standard output cannot be written: No space left on device"),
    "output unread": ({"stdout": BROKEN}, 141, b""),
    "messages full": ({"stderr": "/dev/full"}, 0, b""),
    "messages closed": ({"stderr": CLOSED}, 0, b""),
}


@pytest.mark.parametrize("fault", STREAMS)
def test_streams(fault, launcher, folder):
    """The judgments are written whatever becomes of what is printed."""
    streams, code, said = STREAMS[fault]
    with serve(reply) as chats:
        found = launcher.run(*relevance(chats.url), folder=folder, **streams)
    assert (found.code, said in found.said, b"Traceback" in found.said) == (code, True, False), found.said
    assert (folder / "qrels.txt").read_text().count("\n") == PAIRS


def test_a_full_disk(launcher, folder):
    """One sentence that names the cache; what it has stays, and the next command asks for the rest alone."""
    with serve(lambda _: completion(json.dumps({**GRADED, "intent": "x" * 2000}))) as chats:
        limits = {"FSIZE": 128 << 10}
        found = launcher.run(*relevance(chats.url, "--judge-option", "concurrency=1"), folder=folder, limits=limits)
        assert (found.code, b"Traceback" in found.said) == (2, False), found.said
        assert b"cache.sqlite" in found.said.splitlines()[-1], found.said
        assert not (folder / "qrels.txt").exists()
        kept, asked = rows_in(folder / "cache.sqlite"), len(chats.bodies)
        assert 0 < kept < PAIRS
        assert launcher.run(*relevance(chats.url), folder=folder).code == 0
        assert len(chats.bodies) - asked == PAIRS - kept
    assert (folder / "qrels.txt").read_text().count("\n") == PAIRS


UNUSABLE = {
    "a text file": (lambda path: path.write_text("no database\n" * 99), "file is not a database"),
    "another database": (lambda path: sqlite3.connect(path).execute("CREATE TABLE x (y)"), "a database of something"),
    "a directory": (lambda path: path.mkdir(), "unable to open database file"),
    "a loop": (lambda path: path.symlink_to(path), "unable to open database file"),
    "cut off": (lambda path: path.write_bytes(b"SQLite format 3\0" + bytes(50)), "file is not a database"),
}


@pytest.mark.parametrize("kind", UNUSABLE)
def test_a_cache_that_cannot_be_used(kind, launcher, folder):
    make, message = UNUSABLE[kind]
    make(folder / "cache.sqlite")
    with serve(reply) as chats:
        found = launcher.run(*relevance(chats.url), folder=folder)
    assert (found.code, found.said.count(b"\n"), chats.bodies) == (2, 1, []), found.said
    assert message.encode() in found.said


@pytest.mark.parametrize("times", with_hostile([4], [100]))
@pytest.mark.parametrize(("signal_name", "code"), [("kill_after", KILLED), ("interrupt_after", INTERRUPTED)])
def test_stopped_while_judging(times, signal_name, code, launcher, folder, tried):  # noqa: PLR0917 - fixtures
    """Again and again, until it is done: the cache is whole, and nothing kept is asked again."""
    draw = random.Random(f"{SEED} {signal_name}")
    cache, stopped = folder / "cache.sqlite", 0
    while stopped < times:
        with serve(reply) as chats:
            before = rows_in(cache)
            if before == PAIRS:
                cache.unlink()
                before = 0
            (folder / "qrels.txt").write_text("earlier\n")
            found = launcher.run(
                *relevance(chats.url, "--judge-option", "concurrency=2", "--reasons", "reasons.jsonl"),
                code=INTERRUPTIBLE,
                folder=folder,
                **{signal_name: draw.uniform(0, 0.3)},
            )
            where = f"seed {SEED}, stop {stopped}: {found.said.decode()[-500:]}"
            assert found.code in (code, 0, BEFORE_ALL), where
            assert b"Traceback" not in found.said, where
            stopped += found.code == code
            after = rows_in(cache)
            # Two requests at a time may have been replied to but not kept.
            assert before + len(chats.bodies) - 2 <= after <= before + len(chats.bodies), where
            written = (folder / "qrels.txt").read_text()
            assert written == "earlier\n" or written.count("\n") == PAIRS, where
            if signal_name == "interrupt_after":
                assert launcher.seconds_beyond_idle() <= SOON, where
                assert list(folder.glob(".assay-*")) == [], where
    with serve(reply) as chats:
        assert launcher.run(*relevance(chats.url, "--reasons", "reasons.jsonl"), folder=folder).code == 0
    assert (folder / "qrels.txt").read_text().count("\n") == PAIRS
    assert (folder / "reasons.jsonl").read_text().count("\n") == PAIRS
    assert list(folder.glob(".assay-*")) == []
    tried(times)


def test_a_model_that_does_not_reply(launcher, folder):
    """Ctrl-C ends the command although requests are under way."""
    wait = Event()
    with serve(lambda body: wait.wait(20) and reply(body)) as chats:
        found = launcher.run(*relevance(chats.url), code=INTERRUPTIBLE, folder=folder, interrupt_after=1.0)
        wait.set()
    assert (found.code, b"Traceback" in found.said) == (INTERRUPTED, False), found.said
    assert launcher.seconds_beyond_idle() <= SOON
    assert not (folder / "qrels.txt").exists()
