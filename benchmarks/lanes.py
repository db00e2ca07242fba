"""A TREC file read and ranked by the kernel with each kind of vectors, beside `wc -w`: each figure with its target.

    python benchmarks/lanes.py

Needs cargo: the kernel is compiled without Python, and measures are not computed. Fastest of interleaved rounds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

from collection import judged_run
from lines import Line, at_most, show
from timing import command, seconds

ROUNDS = 9
MANIFEST = Path(__file__).parent.parent / "kernel" / "Cargo.toml"
# The share of the time of `wc -w` on one thread and on two.
TARGETS = {"Avx2": (0.19, 0.1), "Sse2": (0.28, 0.15)}


def build() -> Path:
    """Compiles the program that reads with each kind of vectors."""
    cargo = shutil.which("cargo")
    if cargo is None:
        sys.exit("the benchmark needs cargo")
    words = [cargo, "build", "--quiet", "--release", "--example", "lanes", "--manifest-path", str(MANIFEST)]
    subprocess.run(words, check=True)
    return MANIFEST.parent / "target" / "release" / "examples" / "lanes"


def lane_times(program: Path, qrels: Path, run: Path) -> dict[str, float]:
    """The least seconds of `wc -w`, and of each kind of vectors on one thread and on two."""
    count_words = command("wc", "-w", str(run), LC_ALL="C.UTF-8")
    times: dict[str, list[float]] = {}
    for _ in range(ROUNDS):
        times.setdefault("wc -w", []).append(seconds(count_words))
        done = subprocess.run([str(program), str(qrels), str(run)], check=True, capture_output=True, text=True)
        for vectors, threads, taken in map(str.split, done.stdout.splitlines()):
            times.setdefault(f"{vectors}, threads: {threads}", []).append(float(taken))
    return {name: min(each) for name, each in times.items()}


def lane_lines(times: dict[str, float]) -> list[Line]:
    """What each takes of the time of `wc -w`, where there is a target."""
    targets = {
        f"{vectors}, threads: {threads}": limit
        for vectors, limits in TARGETS.items()
        for threads, limit in enumerate(limits, start=1)
    }
    return [
        at_most(f"{name}: share of the time of `wc -w`", times[name] / times["wc -w"], limit)
        for name, limit in targets.items()
        if name in times
    ]


def main() -> None:
    times = lane_times(build(), *judged_run())
    show(times, lane_lines(times))


if __name__ == "__main__":
    main()
