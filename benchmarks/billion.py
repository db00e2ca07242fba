"""A billion rows on one machine: a run in Parquet, its judgments, five measures on two threads.

    python benchmarks/billion.py [--rows 1000000 10000000 …] [--folder FOLDER] [--keep] [--write]

The largest run takes 11 GB of disk, and 11 more bytes for each further row. It is a folder of files of a million rows
each, as a cluster writes them, and it is deleted afterwards unless it is to be kept. Smaller runs are the first of its
files. Each is evaluated as a whole, in a process of its own, and once more in parts: the bits must be the same.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars
from lines import MEASURES

import assay

REPORT = Path(__file__).parent.parent / "docs" / "benchmarks.md"
START, END = "<!-- billion -->", "<!-- /billion -->"
SIZES = (10**6, 10**7, 10**8, 10**9)
DEPTH = 1000
FILE_ROWS = 10**6
# A prime number of documents: any step through them meets each document once.
DOCUMENTS = 8_841_823
THREADS = 2
MOST_MEMORY = 1000
PARTS = 10
BYTES_OF_ROW = 11
EVALUATE = """
import json, sys, time
import numpy as np
import assay
qrels, run, scores, measures, threads = sys.argv[1:]
start = time.perf_counter()
result = assay.evaluate(qrels, run, measures.split(), threads=int(threads))
seconds = time.perf_counter() - start
status = open("/proc/self/status").read()
np.save(scores, np.stack([result.scores[name] for name in measures.split()]))
print(json.dumps([seconds, int(status.partition("VmHWM:")[2].split()[0]) / 1024]))
"""


class Figures(NamedTuple):
    """What one run took."""

    rows: int
    seconds: float
    memory: float
    is_same: bool


def query_ids(first: int, count: int) -> polars.Series:
    return polars.Series(np.arange(first, first + count)).cast(polars.String).str.zfill(7)


def make_file(folder: Path, number: int) -> None:
    """One file of the run, and the judgments of its queries."""
    generator = np.random.default_rng(number)
    queries = FILE_ROWS // DEPTH
    first, step = generator.integers(1, DOCUMENTS, size=(2, queries, 1))
    documents = (first + step * np.arange(DEPTH)) % DOCUMENTS
    scores = np.sort(generator.integers(0, 30_000_000, size=(queries, DEPTH)), axis=1)[:, ::-1] / 1e6
    names = query_ids(number * queries, queries)
    run = polars.DataFrame(
        {
            "query_id": names.gather(np.repeat(np.arange(queries), DEPTH)),
            "doc_id": polars.Series(documents.ravel()).cast(polars.String),
            "score": scores.ravel(),
        }
    )
    run.write_parquet(folder / "run" / f"part-{number:04d}.parquet", compression_level=1)
    # One judgment per query, as MS MARCO has for most.
    ranks = generator.integers(0, DEPTH, size=(queries, 1))
    judged = polars.DataFrame(
        {
            "query": names,
            "zero": 0,
            "document": np.take_along_axis(documents, ranks, axis=1).ravel(),
            "grade": generator.integers(0, 3, queries),
        }
    )
    judged.write_csv(folder / "qrels" / f"{number:04d}.qrels", separator=" ", include_header=False)


def make_collection(folder: Path, rows: int) -> None:
    """The files of the run and of the judgments; those that are there are kept."""
    for name in ("run", "qrels"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    missing = [n for n in range(rows // FILE_ROWS) if not (folder / "qrels" / f"{n:04d}.qrels").exists()]
    # Processes that share nothing: polars has threads, which a copy of a process would lack.
    with ProcessPoolExecutor(THREADS, mp_context=get_context("spawn")) as workers:
        for done, _ in enumerate(workers.map(partial(make_file, folder), missing), start=1):
            if done % 100 == 0:
                print(f"made {done * FILE_ROWS:,} of {len(missing) * FILE_ROWS:,} rows", file=sys.stderr)


def some_files(folder: Path, target: Path, numbers: range) -> tuple[Path, Path]:
    """The judgments, in one file, and the run of some of the files."""
    (target / "run").mkdir(parents=True)
    with (target / "qrels.txt").open("wb") as qrels:
        for number in numbers:
            qrels.write((folder / "qrels" / f"{number:04d}.qrels").read_bytes())
            name = f"part-{number:04d}.parquet"
            (target / "run" / name).symlink_to((folder / "run" / name).resolve())
    return target / "qrels.txt", target / "run"


def measure(folder: Path, rows: int) -> Figures:
    """The time and memory of the whole run, and whether its parts give the same scores."""
    count = rows // FILE_ROWS
    with tempfile.TemporaryDirectory(dir=folder) as made:
        qrels, run = some_files(folder, Path(made) / "whole", range(count))
        scores = Path(made) / "scores.npy"
        words = [sys.executable, "-c", EVALUATE, str(qrels), str(run), str(scores), " ".join(MEASURES), str(THREADS)]
        done = subprocess.run(words, check=True, capture_output=True, text=True)
        seconds, memory = json.loads(done.stdout)
        whole = np.load(scores)
        step = -(-count // PARTS)
        parts = []
        for start in range(0, count, step):
            files = some_files(folder, Path(made) / f"part-{start}", range(start, min(start + step, count)))
            result = assay.evaluate(*files, MEASURES, threads=THREADS)
            parts.append(np.stack([result.scores[name] for name in MEASURES]))
        is_same = np.concatenate(parts, axis=1).tobytes() == np.ascontiguousarray(whole).tobytes()
    return Figures(rows, seconds, memory, is_same)


def section(figures: list[Figures]) -> list[str]:
    """The part of the documentation that has the figures."""
    text = [
        "",
        "## A billion rows",
        "",
        f"Made by `make billion`: a run in Parquet files of {FILE_ROWS:,} rows, {DEPTH:,} documents and one",
        f"judgment per query. Five measures on {THREADS} threads, judgments included. Memory grows with the",
        "judgments and what was found of them, not with the rows.",
        "",
    ]
    heading = ["| rows | queries | seconds | rows per second | peak memory, MB | the same bits in parts |"]
    rows = [
        f"| {each.rows:,} | {each.rows // DEPTH:,} | {each.seconds:,.2f} | {each.rows / each.seconds:,.0f} | "
        f"{each.memory:,.0f} | {'yes' if each.is_same else 'no'} |"
        for each in figures
    ]
    return [*text, *heading, "| ---: | ---: | ---: | ---: | ---: | --- |", *rows]


def billion_section(text: str) -> str:
    """The part of the report that this benchmark writes."""
    return START + text.partition(START)[2].partition(END)[0] + END + "\n" if START in text else ""


def write_section(lines: list[str]) -> None:
    text = REPORT.read_text()
    before, _, rest = text.partition(START)
    REPORT.write_text(f"{before}{START}\n" + "\n".join(lines) + f"\n{END}{rest.partition(END)[2]}")


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=SIZES, help="sizes of runs, in millions of rows each")
    parser.add_argument("--folder", type=Path, help="where the run is made (default: a temporary folder)")
    parser.add_argument("--keep", action="store_true", help="keep the run; needs --folder")
    parser.add_argument("--write", action="store_true", help="write the table to docs/benchmarks.md")
    return parser.parse_args()


def main() -> None:
    chosen = parse_arguments()
    if any(rows < FILE_ROWS or rows % FILE_ROWS for rows in chosen.rows):
        sys.exit(f"a run has a multiple of {FILE_ROWS:,} rows")
    with tempfile.TemporaryDirectory(dir=chosen.folder) as temporary:
        folder = chosen.folder if chosen.keep and chosen.folder else Path(temporary)
        needed = max(chosen.rows) * BYTES_OF_ROW
        if shutil.disk_usage(folder).free < needed and not (folder / "run").exists():
            sys.exit(f"the run needs {needed / 1e9:.0f} GB of disk in {folder}; name another place with --folder")
        figures = []
        for rows in sorted(chosen.rows):
            make_collection(folder, rows)
            figures.append(measure(folder, rows))
            print(figures[-1])
    lines = section(figures)
    print("\n".join(lines))
    if chosen.write:
        write_section(lines)
    if not all(each.is_same and each.memory < MOST_MEMORY for each in figures):
        sys.exit(f"the bits differ, or the memory is not under {MOST_MEMORY} MB")


if __name__ == "__main__":
    main()
