"""The workflows of the repository's host: every action is pinned, and the release checks its tag against the version."""

import importlib.util
import json
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


def load_runner():
    spec = importlib.util.spec_from_file_location("fuzz_run", ROOT / "fuzz" / "run.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_fuzz_target_is_run_by_make_and_by_the_workflow():
    runner = load_runner()
    kernel = {path.stem for path in (ROOT / "kernel/fuzz/fuzz_targets").glob("*.rs")}
    python = {path.stem for path in (ROOT / "fuzz").glob("*.py") if "harness.fuzz(" in path.read_text(encoding="utf-8")}
    assert {name for name, target in runner.TARGETS.items() if target.sanitizer} == kernel
    assert {name for name, target in runner.TARGETS.items() if not target.sanitizer} == python
    workflow = (ROOT / ".github/workflows/fuzz.yml").read_text(encoding="utf-8")
    matrices = [set(each.split(", ")) for each in re.findall(r"target: \[(.+)\]", workflow)]
    assert matrices == [kernel, python]
    assert "fuzz/run.py --seconds" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert workflow.count("fuzz/run.py ${{ matrix.target }} --seconds") == len(matrices)


@pytest.mark.parametrize(
    ("said", "executions"),
    [
        ("", 0),
        ("Done 12 runs in 1 second(s)\n", 0),
        ("#2 pulse\nstat::number_of_executed_units: 7854\nstat::average_exec_per_sec:     490\n", 7854),
    ],
)
def test_executions_are_counted_from_the_statistics(said, executions):
    assert load_runner().count_executions(said) == executions


def test_the_page_says_how_many_executions_are_recorded():
    runner = load_runner()
    known = json.loads(runner.RECORD.read_text(encoding="utf-8"))
    assert set(known) <= set(runner.TARGETS)
    assert runner.TABLE.search(runner.PAGE.read_text(encoding="utf-8"))[0] == runner.table(known)


@pytest.mark.parametrize(
    ("workflow", "target"),
    [("test.yml", "audit"), *(("fuzz.yml", each) for each in ("sanitize", "properties", "hostile", "slow"))],
)
def test_the_workflow_runs_what_make_does(workflow, target):
    assert f"run: make {target}\n" in (ROOT / ".github/workflows" / workflow).read_text(encoding="utf-8")
    assert re.search(rf"^{target}: .*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
