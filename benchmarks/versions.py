"""Two versions of assay, interleaved in one run: `make bench-versions OLD=path/to/another/checkout`.

Each version runs in a process of its own, with the same interpreter and libraries. A round times every row once in one
version and then in the other; the table shows the ratio of the fastest times. Only public names are used, so that any
two versions can be compared.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from collection import FOLDER, collection, read_dicts
from lines import MEASURES, PEER_MEASURES
from timing import command

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HERE = Path(__file__).parent
LIMIT = 1.05
ROUNDS = 7
# A row of a few milliseconds is repeated until it takes this long.
LEAST_SECONDS = 0.2
ANSWER_MEASURES = ("em", "f1", "rouge_1", "rouge_2", "rouge_l", "rouge_lsum", "meteor", "bleu", "chrf")
WORDS = ("the", "of", "search", "query", "rank", "document", "find", "relevant", "index", "answer", "user", "a", "in")


class Worker:
    """A process that runs the rows of one version when told to."""

    def __init__(self, checkout: Path) -> None:
        environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.rows = self.answer().split("\t")

    def answer(self) -> str:
        line = self.process.stdout.readline()  # type: ignore[union-attr]
        if not line:
            sys.exit("a version stopped; its error is above")
        return line.rstrip("\n")

    def run(self, row: str, times: int) -> float:
        """The seconds that one run of a row takes, the mean of several in a row."""
        print(row, times, sep="\t", file=self.process.stdin, flush=True)
        return float(self.answer())


def main() -> None:
    if len(sys.argv) != 2:  # noqa: PLR2004 - the program and the checkout
        sys.exit("usage: versions.py OLD_CHECKOUT")
    collection()
    old, new = Worker(Path(sys.argv[1]).resolve()), Worker(HERE.parent)
    print("| row | old, s | new, s | new / old | |", "| --- | ---: | ---: | ---: | --- |", sep="\n")
    slower = []
    for row in new.rows:
        best_old, best_new = race(old, new, row)
        ratio = best_new / best_old
        if ratio > LIMIT:
            slower.append(row)
        mark = "✓" if ratio <= LIMIT else "✗"
        print(f"| {row} | {best_old:.4f} | {best_new:.4f} | {ratio:.3f} | {mark} |", flush=True)
    print(f"\n{len(new.rows)} rows; slower than {LIMIT}: {', '.join(slower) or 'none'}")


def race(old: Worker, new: Worker, row: str) -> tuple[float, float]:
    """The fastest time of each version, taken in turns; more rounds where the first ones do not settle it."""
    warm = max(old.run(row, 1), new.run(row, 1))
    times = max(1, round(LEAST_SECONDS / warm))
    best_old = best_new = float("inf")
    for number in range(3 * ROUNDS):
        best_old, best_new = min(best_old, old.run(row, times)), min(best_new, new.run(row, times))
        if number + 1 >= ROUNDS and best_new / best_old <= LIMIT:
            break
    return best_old, best_new


def work() -> None:
    """The side of a worker: reads names of rows, writes seconds."""
    with tempfile.TemporaryDirectory() as folder:
        rows = {**in_memory(), **from_files(), **texts(), **small_commands(Path(folder))}
        print("\t".join(rows), flush=True)
        for line in sys.stdin:
            row, times = line.rstrip("\n").split("\t")
            start = time.perf_counter()
            for _ in range(int(times)):
                rows[row]()
            print((time.perf_counter() - start) / int(times), flush=True)


def in_memory() -> dict[str, Callable[[], object]]:
    """Python data: dicts, lists, a frame, the drop-in, and finished results."""
    import numpy as np

    import assay
    from assay.compat import pytrec_eval

    qrels_path, run_path, _, _ = collection()
    qrels, run = read_dicts(qrels_path, run_path)
    lists = {query: list(documents) for query, documents in run.items()}
    frame = assay.Run(run).to_polars()
    generator = np.random.default_rng(0)
    evaluator = assay.Evaluator(qrels, MEASURES)
    result = evaluator.evaluate(run)
    finished = {
        str(number): assay.evaluate_labels(generator.integers(0, 3, size=(2000, 20)).tolist(), MEASURES)
        for number in range(10)
    }
    return {
        "evaluate, dicts": lambda: assay.evaluate(qrels, run, MEASURES),
        "evaluate, lists": lambda: assay.evaluate(qrels, lists, MEASURES),
        "evaluate, polars frame": lambda: assay.evaluate(qrels, frame, MEASURES),
        "evaluate, one tiny query": lambda: assay.evaluate({"q": {"d": 1}}, {"q": {"d": 1.0}}, MEASURES),
        "Evaluator.evaluate, dicts": lambda: evaluator.evaluate(run),
        "intervals of a result": lambda: str(assay.evaluate(lists_of_one(qrels), lists_of_one(run), "ap")),
        "per_query, to_json": lambda: (result.per_query(), result.to_json()),
        "assay.compat.pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(qrels, PEER_MEASURES).evaluate(run),
        "compare, 10 results, 10,000 samples": lambda: assay.compare(None, finished, samples=10_000),
    }


def lists_of_one(data: Mapping[str, dict[str, float]]) -> dict[str, dict[str, float]]:
    """The first hundred queries."""
    return {query: data[query] for query in list(data)[:100]}


def from_files() -> dict[str, Callable[[], object]]:
    """The TREC file, the demo's files, other formats."""
    import assay

    qrels, run, _, other = collection()
    many = [*MEASURES, *(f"precision@{cutoff}" for cutoff in range(1, 1001))]
    demo = Path(assay.__file__).parent / "demo"
    demo_qrels, bm25, dense = (demo / name for name in ("qrels.txt", "bm25.run", "dense.run"))
    some = FOLDER / "run-some.txt"
    if not some.exists():
        with run.open() as file:
            some.write_text("".join(line for line, _ in zip(file, range(200_000), strict=False)))
    copies = {ending: FOLDER / f"run-some.{ending}" for ending in ("jsonl", "csv", "parquet", "json")}
    for path in copies.values():
        if not path.exists():
            assay.read_run(some).write(path, lossy=True)
    rows: dict[str, Callable[[], object]] = {
        "evaluate, TREC file": lambda: assay.evaluate(qrels, run, MEASURES),
        "evaluate, TREC file, one thread": lambda: assay.evaluate(qrels, run, MEASURES, threads=1),
        "evaluate, TREC file, 1,005 measures": lambda: assay.evaluate(qrels, run, many),
        "evaluate, demo": lambda: assay.evaluate(demo_qrels, bm25),
        "compare, two TREC files": lambda: assay.compare(qrels, [run, other], MEASURES, samples=10_000),
        "compare, demo": lambda: assay.compare(demo_qrels, [bm25, dense]),
        "audit map, demo": lambda: assay.audit(demo_qrels, bm25, "map"),
        "evaluate_rag, demo": lambda: assay.evaluate_rag(demo / "rag_bm25.jsonl"),
    }
    for ending, path in copies.items():
        rows[f"evaluate, .{ending} of 200,000 rows"] = lambda path=path: assay.evaluate(qrels, path, MEASURES)
    return rows


def texts() -> dict[str, Callable[[], object]]:
    """Measures of answers, of 200 answers of 60 words."""
    import assay

    generator = random.Random(0)  # noqa: S311 - made-up data
    vocabulary = [word + ending for word in WORDS for ending in ("", "s", "ing", "ed", "er", "ly")]

    def text() -> str:
        return "\n".join(" ".join(generator.choices(vocabulary, k=20)).capitalize() + "." for _ in range(3))

    references, predictions = [text() for _ in range(200)], [text() for _ in range(200)]
    return {
        f"answers, {name}": lambda name=name: assay.evaluate_answers(references, predictions, name).mean
        for name in ANSWER_MEASURES
    }


def small_commands(folder: Path) -> dict[str, Callable[[], object]]:
    """Whole processes: importing, and the command."""
    import assay

    qrels, run, _, other = map(str, collection())
    demo = Path(assay.__file__).parent / "demo"
    few, ten = folder / "qrels.txt", folder / "run.txt"
    few.write_text("".join(f"q{number} 0 d{number} 1\n" for number in range(2)))
    ten.write_text("".join(f"q{number % 2} Q0 d{number} {number} {10 - number} t\n" for number in range(10)))
    demo_files = [str(demo / name) for name in ("qrels.txt", "bm25.run")]

    def program(*words: str) -> Callable[[], object]:
        return command(sys.executable, "-m", "assay", *words)

    return {
        "import assay": command(sys.executable, "-c", "import assay"),
        "assay --version": program("--version"),
        "assay --help": program("--help"),
        "assay eval, ten lines": program("eval", str(few), str(ten)),
        "assay eval, TREC file": program("eval", qrels, run),
        "assay compare, two TREC files": program("compare", qrels, run, other),
        "assay gate, demo": program("gate", *demo_files, "--min", "ndcg@10=0.1"),
        "assay check, demo": program("check", *demo_files),
        "assay trec_eval -m all_trec, TREC file": program("trec_eval", "-m", "all_trec", qrels, run),
        "assay trec_eval -q, demo": program("trec_eval", "-q", *demo_files),
    }


if __name__ == "__main__":
    work() if sys.argv[1:] == ["--worker"] else main()
