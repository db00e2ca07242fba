"""Threads that cannot be started, and values that are copied or pickled; no pickle is ever loaded."""

import ast
import copy
import multiprocessing
import os
import pickle
import subprocess
import sys
from pathlib import Path

import pytest

import assay
from every_command import write_files
from tables import for_each

if os.name != "nt":
    from launcher import NOBODY

pytestmark = pytest.mark.attack("Threads and copies")

JUDGED = {"q": {"a": 2, "b": 0}, "r": {"c": 1}}
ONE, TWO = {"q": ["a", "b"], "r": ["c"]}, {"q": ["b", "a"], "r": ["c"]}
RECORDS = [
    {"question": "who", "retrieved": ["d1", "d2"], "gold": ["d1"], "answer": "a b", "reference": "a c"},
    {"question": "why", "retrieved": ["d3"], "gold": ["d1"], "answer": "x", "reference": "x"},
]


def grade(_):
    """What a judge replies."""
    return '{"intent": "x", "fit": 2, "trust": 2, "grade": 2}'


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
    "error": lambda: assay.errors.DataError("a message"),
    "RagResult": lambda: assay.evaluate_rag(RECORDS, ["recall@5", "answer_f1"]),
    "Signature": lambda: assay.evaluate(JUDGED, ONE, ["rr"]).signature,
    "CheckReport": lambda: assay.check(JUDGED, ONE),
    "Chart": lambda: assay.plot("cutoff", JUDGED, {"one": ONE, "two": TWO}, ["rr@10"]),
    "Agreement": lambda: assay.agree(JUDGED, {"q": {"a": 1, "b": 0}, "r": {"c": 1}}),
    "RelevanceJudgments": lambda: assay.judges.judge_relevance({"q": "why?"}, {"one": {"q": ["a"]}}, {"a": "text"}, judge=assay.Judge(grade, cache=False)),
    "Probe": lambda: assay.probe(ONE.get, {"q": "q", "r": "r"}, JUDGED, ["rr"], progress=False),
}  # fmt: skip
PICKLED = {
    f"pickle {number}": lambda value, number=number: pickle.loads(pickle.dumps(value, number))  # noqa: S301 - our own
    for number in (2, 3, 4, 5)
}
WAYS = {**PICKLED, "copy": copy.copy, "deep copy": copy.deepcopy}


@for_each("way", WAYS)
@for_each("kind", MADE)
def test_a_copy_is_as_the_original(kind, way):
    value = MADE[kind]()
    other = WAYS[way](value)
    assert type(other) is type(value)
    assert (str(other), repr(other)) == (str(value), repr(value))
    if hasattr(value, "to_dict"):
        assert other.to_dict() == value.to_dict()


@for_each("way", [copy.copy, copy.deepcopy])
def test_a_copied_comparison_keeps_its_documents(way):
    comparison = MADE["Comparison"]()
    moved = str(comparison.queries("rr", "one", "two"))
    assert str(pickle.loads(pickle.dumps(comparison)).queries("rr", "one", "two")) != moved  # noqa: S301 - our own
    assert str(way(comparison).queries("rr", "one", "two")) == moved
    kept = pickle.loads(pickle.dumps(comparison.queries("rr", "one", "two")))  # noqa: S301 - our own
    assert str(kept) == moved


# Starts processes that know nothing of this one, gives them data and takes their results.
POOL = """
import multiprocessing
import assay
qrels = assay.Qrels({"q": {"a": 2, "b": 0}, "r": {"c": 1}})
runs = {f"run{n}": assay.Run({"q": ["a", "b"][:: 1 if n % 2 else -1], "r": ["c"]}) for n in range(4)}

def score(run):
    return assay.evaluate(qrels, run, ["rr", "ndcg@10"], threads=2)

if __name__ == "__main__":
    expected = {name: score(run).to_dict() for name, run in runs.items()}
    for method in METHODS:
        with multiprocessing.get_context(method).Pool(2) as pool:
            found = dict(zip(runs, pool.map(score, runs.values())))
        assert {name: result.to_dict() for name, result in found.items()} == expected, method
        comparison = assay.compare(qrels, {name: found[name] for name in ("run0", "run1")}, ["rr"])
        assert str(comparison) == str(assay.compare(qrels, {name: runs[name] for name in ("run0", "run1")}, ["rr"]))
    print("same")
"""


@pytest.mark.parametrize(
    "method", ["spawn", *(pytest.param(each, marks=pytest.mark.hostile) for each in ("forkserver", "fork"))]
)
def test_a_pool_of_processes_gives_the_same_results(method, tmp_path):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}; Linux has all")
    (tmp_path / "pool.py").write_text(POOL.replace("METHODS", repr([method])))
    done = subprocess.run(
        [sys.executable, "pool.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "same\n", "")


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


# OpenBLAS, which `compare` needs, and polars, which `convert` needs, end the process or panic.
ALONE = [
    (("eval", "qrels.txt", "one.run"), (0,)),
    (("--limit", "threads=8", "eval", "qrels.txt", "one.run", "two.run"), (0,)),
    (("rag", "records.jsonl"), (0,)),
    (("check", "qrels.txt", "one.run"), (0,)),
    (("probe", "http://127.0.0.1:9/", "--queries", "questions.jsonl", "--qrels", "judged.txt"), (2,)),
]


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts processes on Linux")
@pytest.mark.parametrize(("arguments", "codes"), ALONE)
def test_commands_without_processes_or_threads(arguments, codes, launcher, tmp_path):
    """Of a user who may start neither."""
    if os.getuid() != 0:
        pytest.skip("only root can become a user who may start no process; the workflow's container is root")
    write_files(tmp_path)
    tmp_path.chmod(0o777)
    found = launcher.run(*arguments, folder=tmp_path, limits={"NPROC": 1}, user=NOBODY)
    assert (found.code in codes, b"Traceback" in found.said, b"panicked" in found.said) == (True, False, False), (
        found.said
    )
    if found.code:
        assert (found.said.startswith(b"assay: "), found.said.count(b"\n")) == (True, 1), found.said
    else:
        assert found.out
