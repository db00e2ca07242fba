"""How the tables of hostile inputs say what must come out: a number, or an error and the telling part of its message."""

import subprocess
import sys

import assay


def check(act, expected, name=None):
    """Checks that the act gives the number, or raises the error; `"FormatError: place: what"` is how messages begin.

    Of a file with this name, `line 3: what` and `has no column` are enough.
    """
    if isinstance(expected, str) and expected.startswith(("line ", "has no ")):
        expected = f"FormatError: {name}{', ' if expected.startswith('line ') else ' '}{expected}"
    if isinstance(expected, str):
        try:
            found = act()
        except assay.AssayError as error:
            found = f"{type(error).__name__}: {error}"
            assert str(error).isprintable(), found
        assert str(found).startswith(expected), found
    else:
        assert act() == expected


def run_python(*arguments, check=False, timeout=300, **options):
    """What Python does with these arguments, in a process of its own."""
    command = [sys.executable, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=check, timeout=timeout, **options)  # noqa: S603 - our own


def run_command(*arguments, **options):
    """What `assay` does with these arguments, in a process of its own."""
    return run_python("-m", "assay", *arguments, **options)


def check_sentence(ended, *words):
    """Checks that a command of the launcher failed and said so in one line, with these words."""
    assert (ended.code, ended.said.startswith(b"assay: "), ended.said.count(b"\n")) == (2, True, 1), ended.said
    assert [word for word in words if word.encode() not in ended.said] == [], ended.said
