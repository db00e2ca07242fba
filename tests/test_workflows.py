"""The workflows of the repository's host: every action is pinned, and the release checks its tag against the version."""

import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

import assay

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")
PYTHON_STEP = re.compile(r"- shell: python\n +run: \|\n(.*?)\n\n  \w", re.DOTALL)


@pytest.mark.parametrize("workflow", WORKFLOWS, ids=lambda path: path.name)
def test_actions_are_pinned_by_commit(workflow):
    used = re.findall(r"^ *(?:- )?uses: (.+)$", workflow.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []


def test_one_version_of_each_action():
    pins = {pin for workflow in WORKFLOWS for pin in re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8"))}
    assert len(pins) == len({pin.partition("@")[0] for pin in pins})


@pytest.mark.parametrize(
    ("kind", "name", "code"),
    [("branch", "main", 0), ("tag", f"v{assay.__version__}", 0), ("tag", "v99.0.0", 1), ("tag", assay.__version__, 1)],
)
def test_a_release_is_built_where_the_tag_is_the_version(kind, name, code):
    step = PYTHON_STEP.search((ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8"))
    result = subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-c", textwrap.dedent(step[1])],
        cwd=ROOT,
        env={**os.environ, "GITHUB_REF_TYPE": kind, "GITHUB_REF_NAME": name},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (result.returncode, result.stdout) == (code, f"{assay.__version__}\n"), result.stderr


def test_the_workflow_fuzzes_what_make_fuzz_does():
    make = (ROOT / "Makefile").read_text(encoding="utf-8")
    workflow = (ROOT / ".github/workflows/fuzz.yml").read_text(encoding="utf-8")
    targets = sorted(path.stem for path in (ROOT / "kernel/fuzz/fuzz_targets").glob("*.rs"))
    assert sorted(re.search(r"for target in (.+?);", make)[1].split()) == targets
    assert sorted(re.search(r"target: \[(.+)\]", workflow)[1].split(", ")) == targets
    for text in (make, workflow):
        assert re.search(r"cargo \+nightly fuzz run .* -timeout=60 -detect_leaks=0", text)
        assert re.search(r"python fuzz/grammar\.py .*-max_total_time=", text)
