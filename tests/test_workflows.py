"""The workflows of the repository's host: every action is pinned, and the release checks its tag against the version."""

import json
import os
import re
import runpy
import subprocess
import textwrap
from pathlib import Path
from types import SimpleNamespace

import assay
from outcomes import run_python
from tables import for_each

ROOT = Path(__file__).parent.parent
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PINNED = re.compile(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+")
PYTHON_STEP = re.compile(r"- shell: python\n +run: \|\n(.*?)\n\n  \w", re.DOTALL)


@for_each("workflow", WORKFLOWS)
def test_actions_are_pinned_by_commit(workflow):
    used = re.findall(r"^ *(?:- )?uses: (.+)$", workflow.read_text(encoding="utf-8"), re.MULTILINE)
    assert used
    assert [action for action in used if not PINNED.fullmatch(action)] == []


def test_one_version_of_each_action():
    pins = {pin for workflow in WORKFLOWS for pin in re.findall(r"uses: (\S+)", workflow.read_text(encoding="utf-8"))}
    assert len(pins) == len({pin.partition("@")[0] for pin in pins})


@for_each(
    ("kind", "name", "code"),
    [("branch", "main", 0), ("tag", f"v{assay.__version__}", 0), ("tag", "v99.0.0", 1), ("tag", assay.__version__, 1)],
)
def test_a_release_is_built_where_the_tag_is_the_version(kind, name, code):
    step = PYTHON_STEP.search((ROOT / ".github/workflows/wheels.yml").read_text(encoding="utf-8"))
    environment = {**os.environ, "GITHUB_REF_TYPE": kind, "GITHUB_REF_NAME": name}
    result = run_python("-c", textwrap.dedent(step[1]), cwd=ROOT, env=environment, text=True)
    assert (result.returncode, result.stdout) == (code, f"{assay.__version__}\n"), result.stderr


runner = SimpleNamespace(**runpy.run_path(str(ROOT / "fuzz" / "run.py")))


def test_every_fuzz_target_is_run_by_make_and_by_the_workflow():
    kernel = {path.stem for path in (ROOT / "kernel/fuzz/fuzz_targets").glob("*.rs")}
    python = {path.stem for path in (ROOT / "fuzz").glob("*.py") if "harness.fuzz(" in path.read_text(encoding="utf-8")}
    assert {name for name, target in runner.TARGETS.items() if target.sanitizer} == kernel
    assert {name for name, target in runner.TARGETS.items() if not target.sanitizer} == python
    workflow = (ROOT / ".github/workflows/fuzz.yml").read_text(encoding="utf-8")
    matrices = [set(each.split(", ")) for each in re.findall(r"target: \[(.+)\]", workflow)]
    assert matrices == [kernel, python]
    assert "fuzz/run.py --seconds" in (ROOT / "Makefile").read_text(encoding="utf-8")
    assert workflow.count("fuzz/run.py ${{ matrix.target }} --seconds") == len(matrices)


def test_executions_are_counted_from_the_statistics():
    counted = "#2 pulse\nstat::number_of_executed_units: 7854\nstat::average_exec_per_sec:     490\n"
    for said, executions in {"": 0, "Done 12 runs in 1 second(s)\n": 0, counted: 7854}.items():
        assert runner.count_executions(said) == executions


def test_the_page_says_how_many_executions_are_recorded():
    known = json.loads(runner.RECORD.read_text(encoding="utf-8"))
    assert set(known) <= set(runner.TARGETS)
    assert runner.TABLE.search(runner.PAGE.read_text(encoding="utf-8"))[0] == runner.table(known)


@for_each(
    ("workflow", "target"),
    [("test.yml", "audit"), *(("fuzz.yml", each) for each in ("sanitize", "properties", "hostile", "slow"))],
)
def test_the_workflow_runs_what_make_does(workflow, target):
    assert f"run: make {target}\n" in (ROOT / ".github/workflows" / workflow).read_text(encoding="utf-8")
    assert re.search(rf"^{target}: .*##", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_mark_is_run(pytestconfig):
    """By `make verify`, or by a target that a workflow runs every week."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    recipes = dict(re.findall(r"^([a-z-]+):.*\n((?:\t.*\n)*)", makefile, re.MULTILINE))
    landing = "".join(recipes[name] for name in ["verify", *re.findall(r"\$\(MAKE\) (\S+)", recipes["verify"])])
    weekly = (ROOT / ".github/workflows/fuzz.yml").read_text(encoding="utf-8")
    often = "".join(recipes[name] for name in re.findall(r"run: make (\S+)", weekly))
    assert (ROOT / ".ci/run").read_text(encoding="utf-8").splitlines()[-1] == "make verify"
    assert "$(PYTEST) --verify\n" in landing
    assert all(f"-m {mark} " in landing for mark in ("llm", "spark"))
    assert "-m slow\n" in often
    assert '-m "not slow" tests/hostile ' in often
    marks = next(each.MARKS for each in pytestconfig.pluginmanager.get_plugins() if hasattr(each, "MARKS"))
    assert set(marks) == {"verify", "llm", "spark", "slow", "hostile"}
    others = [path for path in (ROOT / "tests").rglob("*.py") if "mark.hostile" in path.read_text(encoding="utf-8")]
    assert {path.parent.name for path in others} - {"tests"} == {"hostile"}


def test_make_help_lists_the_targets():
    command = ["make", "--no-print-directory", "help"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True).stdout  # noqa: S603
    targets = re.search(r"^\.PHONY: (.+)$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)[1].split()
    assert {line.split()[0] for line in listed.splitlines()} == set(targets) - {"python", "rust", "clean"}
