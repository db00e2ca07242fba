"""Memory that cannot be had: under a real limit on the address space, a call gives the right number or a clean error."""

import gzip
import json
import lzma
import random
import sys

import pytest

from outcomes import run_python

pytestmark = [
    pytest.mark.attack("Memory that cannot be had"),
    pytest.mark.skipif(sys.platform != "linux", reason="limits the address space by what /proc says; Linux runs it"),
]

# Each limit is tried in a process of its own, which is forked when all is imported and made.
CHILD = """
import json, os, resource, sys
import assay
form, path, limits = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
qrels = {f"q{i}": {f"d{j}": 1 for j in range(0, 2000, 7)} for i in range(20)}
run = {f"q{i}": {f"d{j}": float(2000 - j // 2) for j in range(2000)} for i in range(20)}
data = {"dicts": run, "lists": {q: sorted(r, key=r.get) for q, r in run.items()}}.get(form, path)
right = assay.evaluate(qrels, data, "ap")["ap"]
for limit in limits:
    child = os.fork()
    if child == 0:
        with open("/proc/self/statm") as file:
            most = int(file.read().split()[0]) * resource.getpagesize() + (limit << 10)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        try:
            code = 0 if assay.evaluate(qrels, data, "ap")["ap"] == right else 10
        except MemoryError:
            code = 1
        except assay.AssayError:
            code = 11
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}".encode()[:300])
            code = 12
        os._exit(code)
    print(limit, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""
RIGHT, NO_MEMORY = 0, 1
LIMITS = [100, 300, 600, 1000, 1500, 2000, 3000, 4000, 5000, 6000, 8000, 10_000, 12_000, 16_000, 24_000, 64_000]
FORMS = {"dicts": None, "lists": None, "plain": bytes, "gz": gzip.compress, "xz": lzma.compress, "scattered": bytes}


@pytest.mark.parametrize("form", FORMS)
def test_too_little_memory_is_a_clean_error(form, tmp_path, tried):
    lines = [f"q{i} Q0 d{j} 1 {2000 - j // 2} t\n" for i in range(20) for j in range(2000)]
    if form == "scattered":
        random.Random(12).shuffle(lines)
    path = tmp_path / "run"
    if FORMS[form]:
        path.write_bytes(FORMS[form]("".join(lines).encode()))
    done = run_python("-c", CHILD, form, path, json.dumps(LIMITS), text=True, check=True)
    codes = dict(tuple(map(int, line.split())) for line in done.stdout.splitlines())
    assert set(codes.values()) <= {RIGHT, NO_MEMORY}, (codes, done.stderr)
    assert list(codes) == LIMITS
    tried(len(codes))


# The command, with so many mebibytes more than it has when all is imported.
COMMAND = """
import resource, sys
import assay, polars
from assay.cli.main import main
with open("/proc/self/statm") as file:
    most = int(file.read().split()[0]) * resource.getpagesize() + (int(sys.argv.pop(1)) << 20)
assay.evaluate({"q": ["d"]}, {"q": ["d"]}, "ap")
resource.setrlimit(resource.RLIMIT_AS, (most, most))
sys.exit(main())
"""


def test_the_command_says_it_in_one_sentence(tmp_path):
    (tmp_path / "qrels").write_text("q1 0 d1 1\n", encoding="utf-8")
    for name, rows in {"small": 10, "large": 4_000_000}.items():
        text = "".join(f"q1 Q0 d{j} 1 {j} t\n" for j in range(1, rows + 1))
        (tmp_path / name).write_text(text, encoding="utf-8")
    small, large = (
        run_python("-c", COMMAND, "128", "eval", "qrels", name, "-m", "ap", "--format", "json", cwd=tmp_path)
        for name in ("small", "large")
    )
    assert small.returncode == 0, small.stderr
    assert (large.returncode, large.stdout, large.stderr.count(b"\n")) == (2, b"", 1), large.stderr
    assert b"not enough memory; free some" in large.stderr
