"""Runs the fuzz targets in turn, counts executions in executions.json and writes the table of docs/reliability.md.

    make fuzz, or: python fuzz/run.py [TARGET…] [--seconds 600] [--no-record]

The targets of the kernel need nightly Rust and cargo-fuzz; those in Python need atheris. An input that fails is kept in
artifacts/, inputs that find more in corpus/.
"""

# ruff: noqa: INP001, T201 - a script, not a package
import argparse
import datetime
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
RECORD = HERE / "executions.json"
PAGE = ROOT / "docs" / "reliability.md"
TABLE = re.compile(r"(?<=<!-- fuzzed -->\n).*?(?=<!-- end of fuzzed -->)", re.DOTALL)
EXECUTIONS = re.compile(r"^stat::number_of_executed_units: *(\d+)", re.MULTILINE)
GOAL = 10**9
# Without a sanitizer, for speed, comparisons are not traced either: the obvious way to count compares all pairs.
BUILD = {"none": ["--sanitizer", "none", "--no-trace-compares"], "address": ["--sanitizer", "address"]}
Record = dict[str, dict[str, int]]


class Target(NamedTuple):
    """What is fuzzed, the longest input, and of a part of the kernel the sanitizer.

    The kernel's logic forbids unsafe code, so that a sanitizer would only slow it down; decoders are C code in part.
    """

    about: str
    longest: int
    sanitizer: str = ""


TARGETS = {
    "lines": Target("lines, words and numbers of TREC files, against a plain reader", 256, "none"),
    "surplus": Target("lines with too many fields, against a plain reader", 24, "none"),
    "rank": Target("ranks, ties and repeated documents, against comparing all pairs", 72, "none"),
    "scan": Target("whole runs in blocks on threads, against comparing all pairs", 512, "address"),
    "words": Target("words of texts, and what texts have in common, against the obvious way", 256, "none"),
    "cells": Target("tables in JSON Lines and CSV, against a plain reader, in one block and in two", 256, "none"),
    "decompress": Target("compressed files, whole, damaged and cut", 512, "address"),
    "formats": Target("every reader of files; written and read again; ranked while read", 1024),
    "stored": Target("stored results, changed, or made by a stranger", 2048),
    "grammar": Target("names of measures; a name parses back to its measure", 256),
    "resolve": Target("names of measures under each tool's convention", 256),
}


def main() -> int:
    options = argparse.ArgumentParser(description="Fuzz assay.")
    options.add_argument("targets", nargs="*", metavar="TARGET", help=f"{', '.join(TARGETS)}; all if none is named")
    options.add_argument("--seconds", type=int, default=600, help="how long each target runs")
    options.add_argument("--no-record", action="store_true", help="leave executions.json and the page as they are")
    chosen = options.parse_args()
    if unknown := set(chosen.targets) - set(TARGETS):
        options.error(f"unknown target {min(unknown)}; the targets are {', '.join(TARGETS)}")
    failed = []
    for name in chosen.targets or TARGETS:
        code, executions = run(name, chosen.seconds)
        print(f"{name}: {executions:,} executions{'' if code == 0 else ', FAILED'}", flush=True)
        failed += [name] if code else []
        if not chosen.no_record:
            record(name, executions)
    return 1 if failed else 0


def run(name: str, seconds: int) -> tuple[int, int]:
    """Fuzzes one target; its exit code and the number of executions."""
    with subprocess.Popen(  # noqa: S603 - our own program
        command(name, seconds), cwd=ROOT / "kernel", stderr=subprocess.PIPE, text=True, errors="replace"
    ) as process:
        said = []
        for line in process.stderr or ():
            sys.stderr.write(line)
            said.append(line)
    return process.returncode, count_executions("".join(said))


def command(name: str, seconds: int) -> list[str]:
    """How a target is started."""
    target = TARGETS[name]
    # No leak detection: threads that are just ending still hold memory of the C library.
    limits = [f"-max_len={target.longest}", f"-max_total_time={seconds}", "-timeout=60", "-detect_leaks=0"]
    limits.append("-print_final_stats=1")
    if target.sanitizer:
        return ["cargo", "+nightly", "fuzz", "run", *BUILD[target.sanitizer], name, "--", *limits]
    corpus, artifacts = HERE / "corpus" / name, HERE / "artifacts" / name
    for folder in (corpus, artifacts):
        folder.mkdir(parents=True, exist_ok=True)
    return [sys.executable, str(HERE / f"{name}.py"), str(corpus), f"-artifact_prefix={artifacts}/", *limits]


def count_executions(said: str) -> int:
    """The number in libFuzzer's last statistics; zero if it did not get so far."""
    return int(found[-1]) if (found := EXECUTIONS.findall(said)) else 0


def record(name: str, executions: int) -> None:
    """Adds the executions of today."""
    today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
    known: Record = json.loads(RECORD.read_text(encoding="utf-8"))
    days = known.setdefault(name, {})
    days[today] = days.get(today, 0) + executions
    RECORD.write_text(json.dumps(known, indent=2) + "\n", encoding="utf-8")
    page = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(lambda _: table(known), page), encoding="utf-8")


def table(known: Record) -> str:
    """The table of the page: each target, how often it ran, and when last."""
    rows = []
    for name, target in TARGETS.items():
        days = known.get(name, {})
        rows.append(f"| `{name}` | {target.about} | {sum(days.values()):,} | {max(days, default='never')} |")
    total = sum(sum(days.values()) for days in known.values())
    return "\n".join(
        [
            "| target | what is fuzzed | executions | last on |",
            "| --- | --- | ---: | --- |",
            *rows,
            f"| **all** | {total / GOAL:.1%} of the goal, {GOAL:,} | **{total:,}** | |",
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
