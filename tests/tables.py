"""Tables of rows that one test goes through."""

import functools
import inspect
import os
import runpy
from pathlib import Path

import pytest


def for_each(names, rows):
    """`pytest.mark.parametrize` as one test: every row is tried, and each that fails is shown with its error.

    A row costs no set-up of its own, which is most of the time of a short test. Fixtures are shared by all rows, but each
    has a folder of its own where the test asks for `tmp_path` or `make`.
    """
    names = names.replace(" ", "").split(",") if isinstance(names, str) else list(names)
    rows = [row if len(names) > 1 else (row,) for row in rows]
    assert rows, "a table without rows tests nothing"

    def decorate(test):
        @functools.wraps(test)
        def go_through(**fixtures):
            failures = []
            root = fixtures.get("tmp_path") or ("make" in fixtures and Path.cwd())
            works_there = root and Path.cwd() == root
            for number, row in enumerate(rows):
                if root:
                    (folder := root / str(number)).mkdir()
                    fixtures |= {"tmp_path": folder} if "tmp_path" in fixtures else {}
                    if works_there:
                        os.chdir(folder)
                try:
                    test(**fixtures, **dict(zip(names, row, strict=True)))
                except (Exception, pytest.fail.Exception) as error:  # noqa: BLE001 - raised below
                    error.add_note(f"in the row {row!r}"[:2_000])
                    failures.append(error)
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} rows fail", failures)

        signature = inspect.signature(test)
        others = [parameter for name, parameter in signature.parameters.items() if name not in names]
        go_through.__signature__ = signature.replace(parameters=others)
        go_through.rows = len(rows) * getattr(test, "rows", 1)
        return go_through

    return decorate


def with_hostile(quick, others):
    """Values or rows of parameters, of which the others are tried only by `make hostile`."""
    rows = (row if isinstance(row, tuple) else (row,) for row in others)
    return [*quick, *(pytest.param(*row, marks=pytest.mark.hostile) for row in rows)]


def refusing(table, before=""):
    """The test that a command refuses each line of the table, after what is `before` it, with the line's message."""

    @for_each(("line", "message"), table.items())
    def test_refusals(refused, line, message):
        refused(f"{before}{line}", message)

    return test_refusals


def gather(table):
    """The tables of this name in the tests of single measures, as one."""
    merged = {}
    for path in sorted(Path(__file__).parent.glob("measures/**/test_*.py")):
        if f"\n{table} = " in path.read_text(encoding="utf-8"):
            merged |= runpy.run_path(str(path))[table]
    return merged
