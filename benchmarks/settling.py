"""How many judgments settle a comparison of two runs, by the order in which documents are judged.

    python benchmarks/settling.py [COLLECTIONS]
    python benchmarks/settling.py --speed [QUERIES DOCUMENTS]

Pairs are judged one by one, as the truth says, until `assay.next_judgments` proves that no further judgment can change
which run is better by dcg@10. The figure is the share of the pool, the first 20 documents of both runs, that had to be
judged. The truth is that of the demo collection, and of generated ones whose runs are of different quality.

With `--speed`: the CPU time to build a pool of two runs, and to take in a judgment, settle and find the next pair.
"""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np

import assay
from assay.tasks.next.api import make_pool

MEASURE = "dcg@10"
DEPTH = 20
TOP = 3
ORDERS = ("against", "worth", "depth", "random")
COLLECTIONS = 20
QUERIES = 50
DOCUMENTS = 200
ROUNDING = 1e-12
# Judgments that are timed.
TURNS = 30
SPEED_WORDS = 3


class Trial(NamedTuple):
    """Judging in one order until a comparison is settled: judgments made, pairs in the pool, the sign it ended with.

    `truth` is the sign if the whole pool is judged.
    """

    judged: int
    pool: int
    sign: int
    truth: int


def judge_until_settled(
    truth: dict[str, dict[str, float]], runs: dict[str, object], order: str, seed: int = 0
) -> Trial:
    """Judges pairs in an order, as the truth says; what it does not have is not relevant."""
    pool = make_pool(None, runs, MEASURE, depth=DEPTH, grade_range={"top": TOP})
    size = sum(int(rank) <= DEPTH for rank in pool.pairs.best)
    judged = 0
    while (settlement := pool.settlement) is not None and not settlement.is_settled:
        (pair,) = pool.next(order, seed=seed)
        pool.judge(pair.query, pair.document, truth.get(pair.query, {}).get(pair.document, 0))
        judged += 1
    found = 0.0 if settlement is None else settlement.difference
    a, b = (assay.evaluate(truth, run, MEASURE)[MEASURE] for run in runs.values())
    return Trial(judged, size, sign_of(found), sign_of(b - a))


def sign_of(value: float) -> int:
    """1, -1, or 0 for what is only rounding."""
    return 0 if abs(value) < ROUNDING else int(np.sign(value))


def generate(seed: int) -> tuple[dict[str, dict[str, float]], dict[str, object]]:
    """Judgments with few relevant documents, and two runs that find them by scores with more or less noise."""
    generator = np.random.default_rng(seed)
    grades = generator.choice(4, size=(QUERIES, DOCUMENTS), p=[0.92, 0.04, 0.025, 0.015])
    truth = {f"q{n}": {f"d{m}": float(grade) for m, grade in enumerate(row)} for n, row in enumerate(grades)}
    runs: dict[str, object] = {}
    for name, noise in zip("ab", generator.uniform(0.5, 3.0, 2), strict=True):
        scores = grades + generator.normal(0, noise, grades.shape)
        first = np.argsort(-scores, axis=1)[:, :30]
        runs[name] = {f"q{n}": [f"d{m}" for m in row] for n, row in enumerate(first)}
    return truth, runs


def demo() -> tuple[dict[str, dict[str, float]], dict[str, object]]:
    """The demo collection: its judgments, and its runs by name."""
    folder = files("assay") / "demo"
    qrels = assay.read_qrels(str(folder / "qrels.txt"))
    truth = {query: {document: max(grade, 0.0) for document, grade in qrels[query].items()} for query in qrels}
    names = ("bm25", "dense", "hybrid")
    return truth, {name: assay.read_run(str(folder / f"{name}.run")) for name in names}


def collections(count: int) -> list[tuple[str, dict[str, dict[str, float]], dict[str, object]]]:
    """Every pair of runs that is compared: those of the demo collection, and generated ones."""
    truth, runs = demo()
    pairs = [(f"{a}, {b}", truth, {a: runs[a], b: runs[b]}) for a, b in combinations(runs, 2)]
    return [*pairs, *((f"generated {seed}", *generate(seed)) for seed in range(count))]


def write_run(path: Path, queries: int, documents: int, seed: int) -> str:
    """A run that has a random half of the documents of each query."""
    generator = np.random.default_rng(seed)
    with path.open("w") as file:
        for query in range(queries):
            chosen = generator.permutation(2 * documents)[:documents].tolist()
            file.writelines(f"{query} Q0 {query}-{each} 0 {-rank} x\n" for rank, each in enumerate(chosen))
    return str(path)


def speed(queries: int, documents: int) -> None:
    """Prints the time and memory of a pool of two runs."""
    with tempfile.TemporaryDirectory() as folder:
        runs = [write_run(Path(folder) / f"{name}.run", queries, documents, seed) for seed, name in enumerate("ab")]
        start = time.process_time()
        pool = make_pool(None, runs, MEASURE, depth=documents, grade_range={"top": TOP})
        built = time.process_time() - start
    taken = []
    for grade in range(TURNS):
        (pair,) = pool.next("worth")
        start = time.process_time()
        pool.judge(pair.query, pair.document, grade % 2)
        if pool.settlement is not None and pool.next("worth"):
            taken.append(time.process_time() - start)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    each = 1000 * float(np.median(taken))
    print(f"{len(pool):,} pairs: built in {built:.1f} s, {each:.1f} ms per judgment, {memory:.2f} GiB")


def main() -> None:
    """Prints the share of the pool that had to be judged, by order."""
    if sys.argv[1:2] == ["--speed"]:
        sizes = [sys.argv[2:4]] if len(sys.argv) > SPEED_WORDS else [("7000", "20"), ("100000", "67")]
        for queries, documents in sizes:
            speed(int(queries), int(documents))
        return
    count = int(sys.argv[1]) if len(sys.argv) > 1 else COLLECTIONS
    shares: dict[str, list[float]] = {order: [] for order in ORDERS}
    wrong = 0
    print(f"{'':24}{''.join(f'{order:>10}' for order in ORDERS)}      pool")
    for name, truth, runs in collections(count):
        trials = {order: judge_until_settled(truth, runs, order) for order in ORDERS}
        wrong += sum(trial.sign != trial.truth for trial in trials.values())
        for order, trial in trials.items():
            shares[order].append(trial.judged / trial.pool)
        judged = "".join(f"{trial.judged:10,}" for trial in trials.values())
        print(f"{name:24}{judged}{trials['worth'].pool:10,}")
    print(f"{'share of the pool, mean':24}{''.join(f'{np.mean(shares[order]):10.0%}' for order in ORDERS)}")
    print(f"settled with the wrong sign: {wrong} of {len(ORDERS) * len(shares['worth'])}")


if __name__ == "__main__":
    main()
