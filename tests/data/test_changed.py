"""A file that is replaced or written to while it is read is refused, whatever the numbers would have been."""

import contextlib
import os
import threading
import time

import pytest

import assay
from assay.errors import FileError, FormatError
from assay.files.source import open_source
from tables import for_each

QRELS = {f"q{number}": {"d1": 1} for number in range(100)}
ROWS = [f"q{number % 100} Q0 d{number} 1 {number} t\n" for number in range(100_000)]
SAID = r"the file '.*run.*' changed while it was read; wait until it is complete, and read it again"


def append(path):
    with path.open("a") as file:
        file.write("q1 Q0 x 1 1 t\n")


def replace(path):
    copy = path.with_name("copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


def rewrite(path):
    content = path.read_bytes()
    time.sleep(0.02)
    path.write_bytes(content)


@contextlib.contextmanager
def again_and_again(act):
    """Something that another thread does until the context ends."""
    over = threading.Event()

    def work():
        while not over.wait(0.002):
            act()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


def again(read):
    """Reads until that raises: one reading takes milliseconds, and may end before the other thread has begun."""
    for _ in range(1000):
        read()


def break_off(path):
    """The change is the reason for what it breaks."""
    append(path)
    raise FormatError("half a line")


@for_each("act", [append, replace, rewrite, os.unlink, break_off])
def test_every_change_is_noticed_and_reading_is_none(act, tmp_path):
    path = tmp_path / "run.trec"
    path.write_text("q1 Q0 d1 1 1 t\n")
    with open_source(path) as source:
        source.read()
        path.chmod(0o600)
        os.utime(path, ns=(0, path.stat().st_mtime_ns))
    with pytest.raises(FileError, match=SAID), open_source(path):
        act(path)


@for_each("read", [lambda path: assay.evaluate(QRELS, path, "ap"), assay.read_run])
def test_a_run_that_grows_while_it_is_read(read, tmp_path):
    path = tmp_path / "run.trec"
    path.write_text("".join(ROWS))
    with again_and_again(lambda: append(path)), pytest.raises(FileError, match=SAID):
        again(lambda: read(path))


@pytest.mark.skipif(os.name == "nt", reason="open files cannot be replaced on Windows")
def test_a_part_that_is_replaced_while_it_is_read(tmp_path):
    folder = tmp_path / "runs"
    folder.mkdir()
    for number in range(3):
        (folder / f"run-{number}.trec").write_text("".join(ROWS[number::3]))
    other = tmp_path / "other"

    def exchange():
        other.write_text("".join(ROWS[1::3]))
        other.replace(folder / "run-1.trec")

    with again_and_again(exchange), pytest.raises(FileError, match=r"run-1\.trec' changed while it was read"):
        again(lambda: assay.evaluate(QRELS, folder, "ap"))
