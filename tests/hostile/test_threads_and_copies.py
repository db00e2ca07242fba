"""Threads that cannot be started, and values that are copied or pickled; no pickle is ever loaded."""

import ast
import copy
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import assay

pytestmark = pytest.mark.attack("Threads and copies")

JUDGED = {"q": {"a": 2, "b": 0}, "r": {"c": 1}}
ONE, TWO = {"q": ["a", "b"], "r": ["c"]}, {"q": ["b", "a"], "r": ["c"]}
MADE = {
    "Qrels": lambda: assay.Qrels(JUDGED),
    "Run": lambda: assay.Run(ONE, tag="one"),
    "Result": lambda: assay.evaluate(JUDGED, ONE, ["rr", "ndcg@10"]),
    "Results": lambda: assay.evaluate_many(JUDGED, {"one": ONE, "two": TWO}, ["rr"]),
    "Comparison": lambda: assay.compare(JUDGED, {"one": ONE, "two": TWO}, ["rr"]),
    "GateReport": lambda: assay.gate(JUDGED, ONE, {"rr": 0.5}),
    "Audit": lambda: assay.audit(JUDGED, ONE, "map"),
    "Measure": lambda: assay.parse_measure("ndcg@10"),
    "Note": lambda: assay.evaluate(JUDGED, {"q": ["a"]}, ["rr"]).notes[0],
    "error": lambda: assay.DataError("a message"),
    "Probe": lambda: assay.probe(ONE.get, {"q": "q", "r": "r"}, JUDGED, ["rr"], progress=False),
}
PICKLED = {
    f"pickle {number}": lambda value, number=number: pickle.loads(pickle.dumps(value, number))  # noqa: S301 - our own
    for number in (2, 3, 4, 5)
}
WAYS = {**PICKLED, "copy": copy.copy, "deep copy": copy.deepcopy}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("kind", MADE)
def test_a_copy_is_as_the_original(kind, way):
    value = MADE[kind]()
    other = WAYS[way](value)
    assert type(other) is type(value)
    assert (str(other), repr(other)) == (str(value), repr(value))
    if hasattr(value, "to_dict"):
        assert other.to_dict() == value.to_dict()


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_a_copied_comparison_keeps_its_documents(way):
    comparison = MADE["Comparison"]()
    moved = str(comparison.queries("rr", "one", "two"))
    assert str(pickle.loads(pickle.dumps(comparison)).queries("rr", "one", "two")) != moved  # noqa: S301 - our own
    assert str(way(comparison).queries("rr", "one", "two")) == moved


FORBIDDEN = {"eval", "exec"}


def test_nothing_loads_a_pickle_or_evaluates_text():
    """In no file of assay; names in strings and comments do not count."""
    found = []
    for path in Path(assay.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = node.func if isinstance(node, ast.Call) else None
            imports = [each.name for each in node.names] if isinstance(node, (ast.Import, ast.ImportFrom)) else []
            if isinstance(called, ast.Name) and called.id in FORBIDDEN:
                found.append((path.name, called.id))
            found += [
                (path.name, name) for name in imports if name.partition(".")[0] in ("pickle", "marshal", "shelve")
            ]
            if isinstance(node, ast.keyword) and node.arg == "allow_pickle":
                found.append((path.name, node.arg))
    assert found == []


FEW_THREADS = """
import os, resource, sys, threading
import assay
rows = "".join(f"q{q} Q0 d{n} 1 {n % 7} t\\n" for q in range(500) for n in range(200))
open("run.txt", "w").write(rows)
qrels = {f"q{q}": {f"d{n}": 1 for n in range(0, 50, 3)} for q in range(500)}
run = {f"q{q}": {f"d{n}": float(n % 7) for n in range(200)} for q in range(500)}
before = [assay.evaluate(qrels, each, ["ap"], threads=8).per_query() for each in ("run.txt", run)]
if len(sys.argv) > 1:
    resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
    os.setuid(65534)
    try:
        threading.Thread(target=print).start()
    except RuntimeError:
        print("none")
after = [assay.evaluate(qrels, each, ["ap"], threads=8).per_query() for each in ("run.txt", run)]
print(before == after)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts threads on Linux")
def test_without_threads_the_numbers_are_the_same(tmp_path):
    import os

    if os.getuid() != 0:
        pytest.skip("only root can become a user who may start no thread; the workflow's container is root")
    tmp_path.chmod(0o777)
    done = subprocess.run(  # noqa: S603 - our own
        [sys.executable, "-c", FEW_THREADS, "limited"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["none", "True"], "")
