"""The bar: only on a terminal, and only for work that takes a while."""

import io
import sys
import time
from contextlib import contextmanager
from types import SimpleNamespace

import numpy as np
import pytest

from assay import Evaluator, _kernel, compare, evaluate_rag
from assay.core import progress as bars
from assay.core.progress import ignore_progress
from assay.stats.paired import randomization


class Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.fixture
def terminal(monkeypatch):
    """Makes standard error a terminal; called in the test, since pytest sets the streams before each part of it."""

    def become(delay):
        monkeypatch.setattr(sys, "stderr", Terminal())
        monkeypatch.setenv("TERM", "xterm")
        monkeypatch.setattr(bars, "DELAY", delay)
        monkeypatch.setattr(bars, "PAUSE", 0.01)
        return sys.stderr

    return become


def wait_until(condition):
    end = time.monotonic() + 20
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    assert condition()


def wait_for(stream, text):
    wait_until(lambda: text in stream.getvalue())
    return stream.getvalue()


def test_long_work_shows_the_file_and_how_far_it_is(terminal, folder):
    stream = terminal(delay=0)
    evaluator = Evaluator(folder / "qrels.txt", "rr")
    with bars.watched("one.run") as watcher:
        evaluator.evaluate(folder / "one.run", progress=watcher)
        assert "85 bytes of 85 bytes" in wait_for(stream, "85 bytes of 85 bytes")
    assert "reading one.run" in stream.getvalue()


def test_names_are_shown_as_they_are_and_short_work_shows_nothing(terminal):
    stream = terminal(delay=0)
    with bars.watched("[bold]\x1b[31m.run"):
        assert "reading [bold]\\x1b[31m.run" in wait_for(stream, "reading [bold]")
    stream = terminal(delay=60)
    with bars.watched("one.run") as watcher:
        assert isinstance(watcher, _kernel.Progress)
    assert stream.getvalue() == ""


def test_where_nobody_looks_nothing_is_watched_or_heard(monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    monkeypatch.setattr(bars, "DELAY", 0.0)
    with bars.watched("one.run") as watcher, bars.progress_bar("comparing") as report:
        assert (watcher, report) == (None, ignore_progress)
    assert sys.stderr.getvalue() == ""


def fail_once(condition):
    """Raises an error as soon as something is so."""
    wait_until(condition)
    raise ValueError("stop")


def test_the_bar_ends_with_an_error(terminal):
    stream = terminal(delay=0)
    with pytest.raises(ValueError, match="stop"), bars.watched("one.run"):
        fail_once(lambda: "reading" in stream.getvalue())
    size = len(stream.getvalue())
    time.sleep(0.2)
    assert len(stream.getvalue()) == size > 0


def test_bytes_are_counted_against_the_size_of_the_file(folder):
    assert [bars.size_of(each) for each in (str(folder / "one.run"), "-")] == [85, 0]


def test_a_long_test_shows_how_far_it_is(terminal):
    stream = terminal(delay=0)
    with bars.progress_bar("comparing") as report:
        randomization(np.random.default_rng(0).normal(size=(2000, 2)), 3000, 0, report)
        assert "100%" in wait_for(stream, "100%")
    assert "comparing" in stream.getvalue()


@pytest.fixture
def shown(monkeypatch):
    """The title of each bar as it begins, and the amount that it shows at its end."""
    said = []

    @contextmanager
    def noted(title, stage):
        said.append(title)
        yield
        said.append(stage().amount)

    monkeypatch.setattr(bars, "bar", noted)
    return said


def test_a_comparison_shows_each_file_and_the_test(shown, monkeypatch, assay):
    monkeypatch.setattr(bars, "is_terminal", lambda: True)
    assert assay("compare qrels.txt one.run two.run -m rr").exit_code == 0
    read = {
        "reading qrels.txt": "",
        "reading one.run": "85 bytes of 85 bytes",
        "reading two.run": "34 bytes of 34 bytes",
    }
    assert shown == [each for pair in {**read, "comparing": "100%"}.items() for each in pair]


class Notebook:
    """What assay uses of IPython in a kernel: the shell, and displays that can be updated. It keeps every one."""

    def __init__(self, *, is_watched=True):
        self.kernel = SimpleNamespace(_allow_stdin=is_watched)
        self.shown = []

    def get_ipython(self):
        return self

    def display(self, data, *, raw, display_id):
        assert (raw, display_id) == (True, True)
        self.shown.append(data)
        return self

    def update(self, data, *, raw):
        assert raw
        self.shown.append(data)


@pytest.fixture
def notebook(monkeypatch):
    def become(**how):
        made = Notebook(**how)
        for name in ("ipykernel", "IPython", "IPython.display"):
            monkeypatch.setitem(sys.modules, name, made)
        monkeypatch.setattr(sys, "stderr", io.StringIO())
        monkeypatch.setattr(bars, "DELAY", 0.0)
        monkeypatch.setattr(bars, "NOTEBOOK_PAUSE", 0.01)
        return made

    return become


def test_a_notebook_shows_the_bar_and_nothing_is_left_of_it(notebook):
    cell = notebook()
    with pytest.raises(ValueError, match="stop"), bars.progress_bar("scoring <b>\x1b") as report:
        fail_once(lambda: report(0.25) or (cell.shown and cell.shown[-1]["text/plain"].endswith("25%")))
    assert cell.shown[-2] == {
        "text/html": 'scoring &lt;b&gt;\\x1b 25% <progress value="0.2500"></progress>',
        "text/plain": "scoring <b>\\x1b 25%",
    }
    assert cell.shown[-1] == {"text/html": "", "text/plain": ""}
    assert sys.stderr.getvalue() == ""


def test_a_notebook_that_a_program_executes_shows_nothing(notebook, folder):
    cell = notebook(is_watched=False)
    with bars.progress_bar("scoring") as report:
        assert report is ignore_progress
    Evaluator(folder / "qrels.txt", "rr").evaluate(folder / "one.run")
    assert cell.shown == []


def test_a_notebook_shows_how_much_was_read_and_how_far_a_comparison_is(notebook, shown, folder):
    notebook()
    Evaluator(folder / "qrels.txt", "rr").evaluate(folder / "one.run")
    assert shown == [f"reading {folder / 'one.run'}", "85 bytes of 85 bytes"]
    scores = [{f"q{n}": {"x": n % 3 + more * (n % 2)} for n in range(30)} for more in (0, 1)]
    compare(None, [evaluate_rag(each, "score:x") for each in scores])
    assert shown[-2:] == ["comparing", "100%"]
