"""What the Makefile asks for on a machine without Rust, and which Pythons the wheel is tried on."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def make(*arguments, folder):
    """Runs make where only the programs in that folder can be found."""
    command = [shutil.which("make"), "--no-print-directory", f"PYTHON={sys.executable}", *arguments]
    environment = {"PATH": str(folder), "HOME": str(folder)}
    return subprocess.run(  # noqa: S603 - our own program
        command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def without_rust(tmp_path):
    for name in ("sh", "find", "touch", "rm"):
        (tmp_path / name).symlink_to(shutil.which(name))
    return tmp_path


def test_building_needs_no_rust(without_rust):
    steps = make("--dry-run", "--always-make", "demo", folder=without_rust)
    assert steps.returncode == 0, steps.stderr
    assert "pip fetches a toolchain" in steps.stdout
    assert "pip install --verbose --editable ." in steps.stdout
    assert "rustup.rs" not in steps.stdout


def test_tests_of_the_kernel_name_what_they_need(without_rust):
    asked = make("rust", folder=without_rust)
    assert asked.returncode == 2
    assert asked.stderr.startswith("The kernel's tests need Rust: install it from https://rustup.rs")


PYTHONS = {"3.12": "echo 3.12", "3.13": "exit 127", "3.9": "echo 3.9", "3-config": "echo 3.20", "3.14": "echo 3.14"}


def test_the_wheel_is_tried_on_every_python_that_starts(tmp_path, monkeypatch):
    wheel = runpy.run_path(str(ROOT / ".ci/wheel.py"))
    for name, body in PYTHONS.items():
        program = tmp_path / f"python{name}"
        program.write_text(f"#!/bin/sh\n{body}\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    found = wheel["pythons"]()
    ours = f"3.{sys.version_info.minor}"
    assert found[ours].parent == Path(sys.executable).parent
    assert {"3.12", "3.14", ours} <= set(found)
    assert found.get("3.14") == tmp_path / "python3.14" or ours == "3.14"
    assert not {"3.9", "3.20"} & set(found)
    assert list(found) == sorted(found, key=wheel["numbers"])
