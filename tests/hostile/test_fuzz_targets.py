"""The fuzz targets in Python that start from files still work: they withstand their seeds, changed a few hundred times."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tables import for_each

pytestmark = pytest.mark.attack("Changed files")
FUZZ = Path(__file__).parents[2] / "fuzz"
CHANGES = 150


@for_each("target", ["formats", "stored"])
def test_changed_files_are_refused_or_read_the_same_again(target, tried):
    result = run(target)
    assert result.returncode == 0, result.stderr[-2000:]
    tried(CHANGES)


def test_a_target_that_fails_says_on_what():
    result = run("formats", "import harness, formats; harness.fuzz(lambda data: 1 / (len(data) % 2), [bytes(9)])")
    assert result.returncode == 1
    assert re.search(r"AssertionError: seed \d+, change \d+: b'", result.stderr)


def run(target, code=None):
    program = ["-c", f"import sys; sys.path.insert(0, {str(FUZZ)!r}); {code}"] if code else [str(FUZZ / f"{target}.py")]
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-B", *program, f"--check={CHANGES}"], capture_output=True, text=True, timeout=300, check=False
    )
