"""Times things side by side: each round runs every one of them once, and the medians are compared."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def seconds(action: Callable[[], object]) -> float:
    start = time.perf_counter()
    action()
    return time.perf_counter() - start


def interleaved(
    actions: dict[str, Callable[[], object]], rounds: int, of: Callable[[list[float]], float] = statistics.median
) -> dict[str, float]:
    """The median time of each, or what `of` says, taken in turns so that a noisy machine disturbs all alike."""
    times: dict[str, list[float]] = {name: [] for name in actions}
    for _ in range(rounds):
        for name, action in actions.items():
            times[name].append(seconds(action))
    return {name: of(each) for name, each in times.items()}


def command(*words: str, **variables: str) -> Callable[[], object]:
    """A command to be timed, its output thrown away."""
    environment = {**compiled(), **variables}
    return lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=environment)


def compiled() -> dict[str, str]:
    """The environment, with Python allowed to keep its compiled files as it does for anyone who installs a package."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def peak_memory(code: str) -> float:
    """The peak memory, in MB, of a process that runs some Python code."""
    # The process's own high-water mark: what getrusage tells starts from that of the process it came from.
    wrapped = f"{code}\nprint(*open('/proc/self/status'))"
    done = subprocess.run([sys.executable, "-c", wrapped], check=True, capture_output=True, text=True)
    line = next(line for line in done.stdout.splitlines() if line.strip().startswith("VmHWM"))
    return int(line.split()[1]) / 1024
