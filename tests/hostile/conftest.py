"""Counts what the hostile tests try, and writes the table of docs/reliability.md.

A file says in `pytestmark = pytest.mark.attack("Judgments and runs")` what it attacks. Each of its tests, and each row of
a table, is one kind, tried once; a test that tries something often says how often with the fixture `tried`.
"""

import datetime
import os
import re
from collections import Counter
from pathlib import Path

import pytest

from busy_commands import write_busy_files

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
TABLE = re.compile(r"(?<=<!-- tried -->\n).*?(?=<!-- end -->)", re.DOTALL)
KINDS: Counter[str] = Counter()
TIMES: Counter[str] = Counter()
# These need signals, limits, users, mounts, pipes and terminals of POSIX.
POSIX = "descriptors full_disks interrupts interrupts_in_python judging kills outputs surroundings"
collect_ignore = [f"test_{name}.py" for name in POSIX.split()] if os.name == "nt" else []


def pytest_addoption(parser):
    """`make hostile` keeps the counts."""
    parser.addoption("--keep-counts", action="store_true", help="write what was tried into docs/reliability.md")


def pytest_configure(config):
    """The mark of a file that attacks."""
    config.addinivalue_line("markers", "attack(area): what the tests attack, a row of the table in docs/reliability.md")


def pytest_collection_modifyitems(items):
    """Attacks start processes by the hundred: they are for `make verify`."""
    for item in items:
        if "tests/hostile" in item.path.as_posix():
            item.add_marker(pytest.mark.verify)


@pytest.fixture(autouse=True)
def _area(request, record_property):
    """Each test here belongs to an area; its report carries the name to whoever counts."""
    mark = request.node.get_closest_marker("attack")
    assert mark is not None, "say what this attacks: pytestmark = pytest.mark.attack(...)"
    record_property("area", mark.args[0])
    record_property("kinds", getattr(request.function, "rows", 1))


@pytest.fixture(scope="session")
def launcher():
    """Forks processes; to start it takes a second, so one serves all files."""
    from launcher import Launcher

    with Launcher() as started:
        yield started


@pytest.fixture(scope="session")
def busy_folder(tmp_path_factory):
    """Files that keep a command busy."""
    path = tmp_path_factory.mktemp("busy")
    write_busy_files(path)
    return path


@pytest.fixture
def tried(record_property):
    """Says how often this test tried its kind: `tried(100)`."""

    def count(times):
        assert times > 0
        record_property("times", times)

    return count


def pytest_runtest_logreport(report):
    """A test that passed is a kind that was withstood."""
    said = dict(report.user_properties)
    if report.when == "call" and report.passed and "area" in said:
        KINDS[said["area"]] += said["kinds"]
        times = sum(value for name, value in report.user_properties if name == "times")
        TIMES[said["area"]] += times or said["kinds"]


def pytest_sessionfinish(session, exitstatus):
    """All passed: the table is what this run tried."""
    if (
        exitstatus != 0
        or not session.config.getoption("--keep-counts", default=False)
        or hasattr(session.config, "workerinput")
    ):
        return
    rows = [f"| {area} | {KINDS[area]:,} | {TIMES[area]:,} |" for area in sorted(KINDS)]
    total = f"| **all** | **{KINDS.total():,}** | **{TIMES.total():,}** |"
    day = datetime.datetime.now(tz=datetime.UTC).date()
    lines = [f"Tried on {day}:", "", "| attack | kinds | times |", "| --- | ---: | ---: |", *rows, total]
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: "\n".join(lines) + "\n", text), encoding="utf-8")
