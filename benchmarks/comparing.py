"""What comparing systems costs: the randomization test next to scipy's, and the command next to its parts."""

from __future__ import annotations

import sys
from itertools import combinations
from pathlib import Path

import numpy as np
from collection import QUERIES
from lines import MEASURES, Line, at_least, at_most
from scipy.stats import permutation_test
from timing import command, interleaved, peak_memory, seconds

import assay
from assay.stats.paired import randomization

RUNS = 10
SAMPLES = 100_000
FEW_SAMPLES = 1000
MANY_RUNS = 40
MANY_RUNS_SAMPLES = 20_000


def made_up(runs: int = RUNS) -> dict[str, assay.Result]:
    """Results of systems with random scores."""
    generator = np.random.default_rng(0)
    measures = {name: assay.parse_measure(name) for name in MEASURES}
    queries = [str(number) for number in range(QUERIES)]

    def scores() -> dict[str, np.ndarray]:
        return {name: generator.beta(2, 3, size=QUERIES) for name in measures}

    return {str(run): assay.Result(measures, queries, scores(), "assay", assay.Policies()) for run in range(runs)}


def many_systems() -> tuple[dict[str, float], list[Line]]:
    """All pairs of ten systems by five measures, against scipy on one pair."""
    results = made_up()
    time = seconds(lambda: assay.compare(None, results))
    first, second = (results[run].scores[MEASURES[0]] for run in ("0", "1"))

    def difference(a: np.ndarray, b: np.ndarray, axis: int) -> np.ndarray:
        return np.mean(a, axis=axis) - np.mean(b, axis=axis)

    options = {"permutation_type": "samples", "n_resamples": FEW_SAMPLES, "vectorized": True}
    one = seconds(lambda: permutation_test((first, second), difference, **options))
    pairs = len(list(combinations(results, 2))) * len(MEASURES)
    scaled = one * pairs * SAMPLES / FEW_SAMPLES
    size = f"{RUNS} runs, {len(MEASURES)} measures, {SAMPLES:,} samples"
    lines = [
        at_least(f"compare {size}: times as fast as scipy's permutation_test, scaled", scaled / time, 40),
        at_most(f"compare {size}: seconds", time, 2.5),
        at_most(f"compare {size}: peak memory, MB", memory_of(RUNS, SAMPLES), 400),
    ]
    return {f"compare {size}": time, f"permutation_test, one pair, {FEW_SAMPLES:,} samples": one}, lines


def more_systems() -> tuple[dict[str, float], list[Line]]:
    """All pairs of forty systems, of which there are twenty times as many as systems."""
    results = made_up(MANY_RUNS)
    time = seconds(lambda: assay.compare(None, results, samples=MANY_RUNS_SAMPLES))
    size = f"{MANY_RUNS} runs, {len(MEASURES)} measures, {MANY_RUNS_SAMPLES:,} samples"
    lines = [
        at_most(f"compare {size}: seconds", time, 3),
        at_most(f"compare {size}: peak memory, MB", memory_of(MANY_RUNS, MANY_RUNS_SAMPLES), 400),
    ]
    return {f"compare {size}": time}, lines


def memory_of(runs: int, samples: int) -> float:
    """The peak memory of a process that compares so many systems, in MB."""
    folder = str(Path(__file__).parent)
    load = f"import sys; sys.path.insert(0, {folder!r}); from comparing import assay, made_up"
    return peak_memory(f"{load}; assay.compare(0, made_up({runs}), samples={samples})")


def two_files(qrels: Path, run: Path, other: Path) -> tuple[dict[str, float], list[Line]]:
    """`assay compare` on two files, against evaluating both and testing."""
    results = [assay.evaluate(qrels, path, MEASURES) for path in (run, other)]
    moved = np.stack([results[1].scores[name] - results[0].scores[name] for name in MEASURES], axis=1)
    program = str(Path(sys.executable).parent / "assay")
    options = ["-m", " ".join(MEASURES)]
    times = interleaved(
        {
            "assay eval, one file": command(program, "eval", str(qrels), str(run), *options),
            "assay eval, the other": command(program, "eval", str(qrels), str(other), *options),
            "the test": lambda: randomization(moved, SAMPLES, 0),
            "assay compare, both": command(program, "compare", str(qrels), str(run), str(other), *options),
        },
        rounds=3,
    )
    *parts, whole = times.values()
    return times, [at_most("`assay compare`, times two `assay eval` and the test", whole / sum(parts), 1.3)]
