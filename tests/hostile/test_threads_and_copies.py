"""Threads that cannot be started, and processes that are given data and results; no pickle is ever loaded."""

import ast
import multiprocessing
import os
import sys
from pathlib import Path

import pytest

import assay
from every_command import write_files
from outcomes import check_sentence, run_python
from tables import with_hostile

if os.name != "nt":
    from launcher import NOBODY

pytestmark = pytest.mark.attack("Threads and copies")
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


@pytest.mark.parametrize("method", with_hostile(["spawn"], ["forkserver", "fork"]))
def test_a_pool_of_processes_gives_the_same_results(method, tmp_path):
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"this system has no {method}; Linux has all")
    (tmp_path / "pool.py").write_text(POOL.replace("METHODS", repr([method])))
    done = run_python("pool.py", cwd=tmp_path, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "same\n", "")


FORBIDDEN = {"eval", "exec", "pickle", "marshal", "shelve", "allow_pickle"}


def names_in(node):
    """What is called, imported or passed by name."""
    if isinstance(node, ast.Import | ast.ImportFrom):
        names = [getattr(node, "module", None) or "", *(each.name for each in node.names)]
        return {name.partition(".")[0] for name in names}
    return {getattr(node.func, "id", None) if isinstance(node, ast.Call) else getattr(node, "arg", None)}


def test_nothing_loads_a_pickle_or_evaluates_text():
    """In no file of assay; names in strings and comments do not count."""
    for path in Path(assay.__file__).parent.rglob("*.py"):
        nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        assert not [name for node in nodes for name in names_in(node) & FORBIDDEN], path


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
    done = run_python("-c", FEW_THREADS, "limited", cwd=tmp_path, text=True)
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["none", "True"], "")


# OpenBLAS, which `compare` needs, and polars, which `convert` needs, end the process or panic.
ALONE = {
    "eval qrels.txt one.run": 0,
    "--limit threads=8 eval qrels.txt one.run two.run": 0,
    "rag records.jsonl": 0,
    "check qrels.txt one.run": 0,
    "probe http://127.0.0.1:9/ --queries questions.jsonl --qrels judged.txt": 2,
}


@pytest.mark.skipif(sys.platform != "linux", reason="the limit counts processes on Linux")
@pytest.mark.parametrize("command", ALONE)
def test_commands_without_processes_or_threads(command, launcher, tmp_path):
    """Of a user who may start neither."""
    if os.getuid() != 0:
        pytest.skip("only root can become a user who may start no process; the workflow's container is root")
    write_files(tmp_path)
    tmp_path.chmod(0o777)
    found = launcher.run(*command.split(), folder=tmp_path, limits={"NPROC": 1}, user=NOBODY)
    broken = [word for word in (b"Traceback", b"panicked") if word in found.said]
    assert (found.code, broken) == (ALONE[command], []), found.said
    if found.code:
        check_sentence(found)
    else:
        assert found.out
