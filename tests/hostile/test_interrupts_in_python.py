"""Ctrl-C at any moment of a call in Python: `KeyboardInterrupt` is raised within half a second, and nothing is left behind."""

import random

import pytest

from interrupting import SEED, SOON, idle_end, leftovers, surroundings
from launcher import LISTEN
from tables import for_each

pytestmark = [pytest.mark.attack("Interrupts"), pytest.mark.xdist_group("interrupts")]
IN_PYTHON = {
    "a file": "assay.evaluate('qrels.txt', 'scattered.run', ['ap'])",
    "gzip": "assay.evaluate('qrels.txt', 'big.run.gz', ['ap'])",
    "judgments": "assay.read_qrels('giant.qrels')",
    "a run": "assay.read_run('giant.run')",
    "a dict": "assay.evaluate(SMALL, DICT, ['ap'])",
    "one giant dict": "assay.evaluate(GIANT_QRELS, GIANT, ['ap'])",
    "a frame": "assay.evaluate(SMALL, FRAME, ['ap'])",
    "a table of a frame": "assay.Run(FRAME)",
    "a frame of a table": "TABLE.to_polars()",
    "a comparison": "assay.compare('qrels.txt', {'a': 'a.run', 'b': 'b.run'}, samples=50_000_000)",
    "a bootstrap": "assay.compare('qrels.txt', {'a': 'a.run', 'b': 'b.run'}, test='bootstrap', samples=3_000_000)",
    "an interval": "RESULT.interval('ap')",
    "records": "assay.evaluate_rag('records.jsonl')",
    "long answers": "assay.evaluate_answers([LONG] * 50, [LONG[::-1]] * 50, ['f1', 'rouge_l', 'chrf'])",
    "moved words": "assay.evaluate_answers([WORDS] * 5000, [WORDS[::-1]] * 5000, 'ter')",
    "texts that are matched": "assay.evaluate_rag('texts.jsonl', ['recall@5'])",
    "a stored result": "assay.load_result('stored/a.json')",
    "a result to store": "RESULT.save('stored.json')",
    "Zstandard": "assay.evaluate('qrels.txt', 'big.run.zst', ['ap'])",
    "a probe": "assay.probe(lambda question: time.sleep(60), {'q1': 'who'}, {'q1': ['d1']}, ['rr'], progress=False)",
}
SETUP = """
import sys, time
import assay
use = sys.argv[1]
SMALL = {f"q{query}": {f"d{number}": 1 for number in range(10)} for query in range(300)}
if "DICT" in use or "FRAME" in use or "TABLE" in use:
    DICT = {query: {f"d{number}": float(number % 7) for number in range(1000)} for query in SMALL}
if "FRAME" in use or "TABLE" in use:
    TABLE = assay.Run(DICT)
    FRAME = TABLE.to_polars()
if "GIANT" in use:
    GIANT = {"q": {f"d{number}": 1.0 for number in range(1_000_000)}}
    GIANT_QRELS = {"q": {f"d{number}": 1 for number in range(0, 1_000_000, 2)}}
if "LONG" in use or "WORDS" in use:
    LONG = " ".join(f"w{number * number % 9973}" for number in range(20_000))
    WORDS = " ".join("abcdefghij"[number * number % 10] for number in range(190))
if "RESULT" in use:
    RESULT = assay.evaluate("qrels.txt", "a.run", ["ap"])
code = compile(use, "use", "eval")
try:
    ready()
    while True:
        eval(code)
except KeyboardInterrupt:
    pass
"""


@pytest.fixture(scope="module")
def folder(busy_folder):
    return busy_folder


@for_each("name", IN_PYTHON)
def test_python_raises_soon(folder, launcher, name):
    moment = random.Random(f"{SEED}, {name}").uniform(0.1, 0.5)
    job = {"environment": surroundings(folder), "folder": folder}
    ended = launcher.run(IN_PYTHON[name], code=LISTEN + SETUP, interrupt_after=moment, **job)
    assert (ended.code, ended.said) == (0, b""), ended.said
    took = launcher.seconds - (idle_end(folder) if launcher.seconds > SOON else 0.0)
    assert took <= SOON, f"{took:.2f} s after {moment:.2f} s (seed {SEED})"
    assert leftovers(folder) == []
