"""The fixture `assay_gate`, in a project of its own."""

import os
import tomllib
from pathlib import Path

import pytest

from outcomes import run_python

QRELS = "".join(f"q{number:02} 0 d 1\n" for number in range(30))
GOOD = "".join(f"q{number:02} Q0 d 1 2 t\nq{number:02} Q0 x 2 1 t\n" for number in range(30))
BAD = "".join(f"q{number:02} Q0 x 1 2 t\nq{number:02} Q0 d 2 1 t\n" for number in range(30))
TESTS = """
import assay

def test_good(assay_gate):
    report = assay_gate("qrels.txt", "good.run", {"rr": 0.9}, baseline="baseline.json", max_drop={"rr": 0.1})
    assert report.passed

def test_bad(assay_gate):
    assay_gate("qrels.txt", "bad.run", {"rr": 0.9}, baseline="baseline.json", max_drop={"rr": 0.1})

def test_dicts(assay_gate):
    assert assay_gate({"q": ["a"]}, {"q": ["b", "a"]}, {"rr": 0.5}).checks[0].value == 0.5
    assert assay_gate({"q": ["a"]}, {"q": ["a#2", "a#1"]}, {"rr": 1}, doc_id="before:#").checks[0].value == 1

def test_wrong(assay_gate):
    assay_gate("qrels.txt", "none.run", {"rr": 0.9})
"""
FAILURE = """\
gate failed: 2 of 2 checks

FAIL  rr  0.5000 (minimum 0.9000), 0.4000 too low
FAIL  rr  1.0000 → 0.5000, dropped 0.5000 (limit 0.1000); significant, p < 0.0001

worst queries by rr
  q00  0.5000
      d (grade 1): rank 2 (-0.5000)
"""


@pytest.fixture
def run_pytest(tmp_path):
    """Runs pytest in a folder that has nothing but these files."""
    for name, text in {"qrels.txt": QRELS, "good.run": GOOD, "bad.run": BAD, "test_search.py": TESTS}.items():
        (tmp_path / name).write_text(text)
    source = Path(__file__).parent.parent / "src"

    def run(*arguments, code=None, installed=None):
        environment = {**os.environ, "PYTHONPATH": str(source), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        if installed is not None:
            environment["PYTHONPATH"] = os.pathsep.join((str(installed), str(source)))
            environment.pop("PYTEST_DISABLE_PLUGIN_AUTOLOAD")
        load = ["-p", "assay_pytest"] if installed is None else []
        command = ["-c", code] if code else ["-m", "pytest", *load, "-p", "no:cacheprovider", *arguments]
        return run_python(*command, cwd=tmp_path, env=environment, text=True)

    save = "import assay; assay.evaluate('qrels.txt', 'good.run', ['rr']).save('baseline.json')"
    assert run(code=save).returncode == 0
    return run


def test_a_gate_that_fails_is_a_test_that_fails(run_pytest):
    result = run_pytest()
    assert result.returncode == 1
    assert "2 failed, 2 passed" in result.stdout
    assert FAILURE in result.stdout
    assert "assay_gate: file 'none.run' not found" in result.stdout
    assert "Traceback" not in result.stdout
    assert "During handling" not in result.stdout
    assert "assay_pytest" not in result.stdout.partition("FAILURES")[2].partition("short test summary")[0]


def test_the_plugin_is_listed_and_loads_nothing_else(run_pytest):
    assert "assay_gate" in run_pytest("--fixtures").stdout
    code = "import pytest, sys; before = {*sys.modules}; import assay_pytest; print({*sys.modules} - before)"
    assert run_pytest(code=code).stdout == "{'assay_pytest'}\n"


@pytest.mark.verify
def test_a_project_that_has_assay_installed_has_the_fixture(run_pytest, tmp_path):
    """As an installer leaves it: the entry point in the metadata, and every file listed."""
    project = tomllib.loads((Path(__file__).parent.parent / "pyproject.toml").read_text(encoding="utf-8"))
    ((name, module),) = project["project"]["entry-points"]["pytest11"].items()
    assert module in project["tool"]["maturin"]["python-packages"]
    metadata = tmp_path / "site" / "assay-9.9.9.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: assay\nVersion: 9.9.9\n")
    (metadata / "entry_points.txt").write_text(f"[pytest11]\n{name} = {module}\n")
    (metadata / "RECORD").write_text("assay/__init__.py,,\nassay/gate.py,,\nassay_pytest/__init__.py,,\n")
    result = run_pytest("-W", "error", "-k", "good or dicts", installed=metadata.parent)
    assert "2 passed" in result.stdout, result.stdout
    assert "assay-9.9.9" in result.stdout
    again = run_pytest("-p", "assay_pytest", "-k", "good", installed=metadata.parent)
    assert "1 passed" in again.stdout, again.stdout + again.stderr
    without = run_pytest("-p", "no:assay_pytest", "-k", "good", installed=metadata.parent)
    assert "fixture 'assay_gate' not found" in without.stdout
