"""Speed and memory of assay, side by side with the peers. `make bench` writes what it finds to docs/benchmarks.md."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pytrec_eval
from answers import PEERS, answer_times
from billion import REPORT, billion_section
from collection import collection, read_dicts
from comparing import many_systems, more_systems, two_files
from data_forms import data_forms
from drop_ins import commands, evaluators
from file_forms import COMMANDS, chunk_forms, file_forms, parquet_forms
from judging import judging
from lines import MEASURES, PEER_MEASURES, Line, at_least, at_most, exactly
from peers import libraries
from records import record_figures
from timing import command, interleaved, peak_memory

import assay

# Tools whose names in a figure tell users something.
PEER_LIBRARIES = ("pytrec_eval", "ir_measures", "ranx", "rouge-score", "nltk", "sacrebleu", "scipy")
KNOWN = (*PEER_LIBRARIES, "polars", "numpy", "`wc -w`", "`gzip -dc`", "`zstd -dc`", "`json.loads`")


def in_memory(qrels: dict[str, Any], run: dict[str, Any]) -> tuple[dict[str, float], list[Line]]:
    """From dicts, ordered lists and a polars frame."""
    lists = {query: list(documents) for query, documents in run.items()}
    frame = assay.Run(run).to_polars()

    def floor() -> None:
        for documents in run.values():
            sum(documents.values())

    times = interleaved(
        {
            "floor": floor,
            "dicts": lambda: assay.evaluate(qrels, run, MEASURES),
            "lists": lambda: assay.evaluate(qrels, lists, MEASURES),
            "frame": lambda: assay.evaluate(qrels, frame, MEASURES),
            "pytrec_eval": lambda: pytrec_eval.RelevanceEvaluator(qrels, PEER_MEASURES).evaluate(run),
        },
        rounds=9,
    )
    peer_time = times["pytrec_eval"]
    lines = [
        at_least("dicts: times as fast as pytrec_eval", peer_time / times["dicts"], 20),
        at_most("dicts: times the floor `sum(d.values())`", times["dicts"] / times["floor"], 2),
        at_least("ordered lists: times as fast as pytrec_eval on dicts", peer_time / times["lists"], 8),
        at_least("polars frame: times as fast as pytrec_eval on dicts", peer_time / times["frame"], 8),
    ]
    return times, lines


def from_file(qrels: Path, run: Path, deep: Path, expected: assay.Result) -> tuple[dict[str, float], list[Line]]:
    """From the TREC file, with its memory, and from one ten times as deep."""
    results: list[assay.Result] = []
    times = interleaved(
        {
            "wc -w": command("wc", "-w", str(run), LC_ALL="C.UTF-8"),
            "file": lambda: results.append(assay.evaluate(qrels, run, MEASURES)),
        },
        rounds=9,
    )
    one = assay.evaluate(qrels, run, MEASURES, threads=1)
    two = assay.evaluate(qrels, run, MEASURES, threads=2)
    times |= interleaved({"deep file": lambda: assay.evaluate(qrels, deep, MEASURES)}, rounds=3)
    code = f"import assay; assay.evaluate({str(qrels)!r}, {{path!r}}, {MEASURES!r})"
    peak, peak_deep = (peak_memory(code.format(path=str(path))) for path in (run, deep))
    lines = [
        at_most("file: share of the time of `wc -w`", times["file"] / times["wc -w"], 0.15),
        exactly("file: results identical to the dicts'", same(results[0], expected)),
        exactly("file: one thread and two give the same bits", same(one, two)),
        at_most("file: peak memory, MB", peak, 200),
        at_most("file ten times as deep: peak memory, times that", peak_deep / peak, 1.1),
        at_most("file ten times as deep: time, times that", times["deep file"] / times["file"], 11),
    ]
    return times, lines


def start_up(qrels: Path, run: Path) -> tuple[dict[str, float], list[Line]]:
    """Importing, the command on a small file, and what it adds to `evaluate` on a large one."""
    python, program = sys.executable, str(Path(sys.executable).parent / "assay")
    with tempfile.TemporaryDirectory() as folder:
        few, small = Path(folder) / "qrels.txt", Path(folder) / "run.txt"
        few.write_text("".join(f"q{number} 0 d{number} 1\n" for number in range(2)))
        small.write_text("".join(f"q{number % 2} Q0 d{number} {number} {10 - number} t\n" for number in range(10)))
        times = interleaved(
            {
                "import numpy": command(python, "-c", "import numpy"),
                "import assay": command(python, "-c", "import assay"),
                "assay eval": command(program, "eval", str(few), str(small)),
                "assay --help": command(program, "--help"),
                "assay --version": command(program, "--version"),
            },
            rounds=21,
        )
        options = ("-m", " ".join(MEASURES))
        times |= interleaved(
            {
                "assay eval, ten lines": command(program, "eval", str(few), str(small), *options),
                "assay eval, the file": command(program, "eval", str(qrels), str(run), *options),
                "evaluate, the file": lambda: assay.evaluate(qrels, run, MEASURES),
            },
            rounds=9,
        )
    numpy_time = times["import numpy"]
    own = times["assay eval, the file"] - times["assay eval, ten lines"]
    lines = [
        at_most("`import assay`, times `import numpy`", times["import assay"] / numpy_time, 0.3),
        at_most("`assay eval` on ten lines, times `import numpy`", times["assay eval"] / numpy_time, 1.5),
        at_most("`assay --help`, times `import numpy`", times["assay --help"] / numpy_time, 0.7),
        at_most("`assay --version`, times `import numpy`", times["assay --version"] / numpy_time, 0.3),
        at_most("`assay eval` on the file without its start, times `evaluate`", own / times["evaluate, the file"], 1.1),
    ]
    return times, lines


def more_measures(qrels: Path, run: Path, rankings: dict[str, dict[str, float]]) -> tuple[dict[str, float], list[Line]]:
    """A thousand more measures: what they cost on the file is what they cost on a ranking that is there already."""
    many = [*MEASURES, *(f"precision@{cutoff}" for cutoff in range(1, 1001))]
    judged = {}
    for name, measures in (("few", MEASURES), ("many", many)):
        evaluator = assay.Evaluator(qrels, measures)
        for query, ranking in rankings.items():
            evaluator.add(query, ranking)
        judged[name] = evaluator
    times = interleaved(
        {
            "5 measures": lambda: assay.evaluate(qrels, run, MEASURES),
            "1,005 measures": lambda: assay.evaluate(qrels, run, many),
            "their NumPy, 5": judged["few"].result,
            "their NumPy, 1,005": judged["many"].result,
        },
        rounds=5,
    )
    passes = times["1,005 measures"] - times["5 measures"]
    numpy_alone = times["their NumPy, 1,005"] - times["their NumPy, 5"]
    lines = [at_most("a thousand more measures: their time, times their NumPy's alone", passes / numpy_alone, 1.25)]
    return times, lines


def answers() -> tuple[dict[str, float], list[Line]]:
    """Measures of answers against the libraries that have them too."""
    times = answer_times()
    lines = [
        at_least(f"{each.measure}: times as fast as {each.label}", times[each.label] / times[each.measure], each.target)
        for each in PEERS
    ]
    return times, lines


def rag() -> tuple[dict[str, float], list[Line]]:
    """`assay rag` on many records, against Python's json, which only reads them."""
    times, memory = record_figures()
    ratio = times["assay rag"] / times["json.loads of each record"]
    lines = [
        at_most("`assay rag`, 100,000 records, five measures: times `json.loads` of each", ratio, 6),
        at_most("`assay rag`, 100,000 records, five measures: seconds", times["assay rag"], 5),
        at_most("`assay rag`, 100,000 records, five measures: peak memory, MB", memory, 400),
    ]
    return times, lines


def same(one: assay.Result, other: assay.Result) -> bool:
    equal = all(np.array_equal(one.scores[name], other.scores[name]) for name in MEASURES)
    return equal and one.queries == other.queries


def report(times: dict[str, float], lines: list[Line]) -> str:
    figures = "\n".join(f"| {line.what} | {line.figure} |" for line in lines if is_for_users(line))
    seconds = "\n".join(f"| {name} | {value:.4f} |" for name, value in times.items())
    return f"""# Benchmarks

Made by `make bench`: one run, everything side by side, medians of interleaved rounds. The collection is generated by
`benchmarks/collection.py`: 6,980 queries × 1,000 documents, the size of MS MARCO's development set, with up to ten
judged documents per query. Five measures: {", ".join(MEASURES)}. Times depend on the machine; the ratios are what
counts.

| what | measured |
| --- | ---: |
{figures}

## Times

| way | seconds |
| --- | ---: |
{seconds}

Files in several forms (in order, shuffled, compressed) and data in other forms (Python's own, frames, JSON Lines, CSV)
are the fastest of their rounds.

`floor` is `for d in run.values(): sum(d.values())`, which only touches each score. `deep file` has 10,000 documents per
query. Everything is timed from the raw data to the result, judgments included. Measures of answers have 1,000 answers
of 60 words, made by `benchmarks/answers.py`, and start with empty caches; nltk is given the synonyms that assay has.
The records have such answers and ten retrieved ids each, in a JSON Lines file of 140 MB (`benchmarks/records.py`).

ranx compiles its measures at the first call, which is not timed; from its `Qrels` and `Run`, only `ranx.evaluate` is.
trec_eval 10 took 14 s for all_trec on a file of this size where `wc -w` took 1.5 s: 9.3 times as long as `wc -w`.

`permutation_test` is timed on one pair of systems with 1,000 samples and scaled to all pairs, measures and samples:
times 225 for the pairs and measures, times 100 for the samples. What assay takes for them includes intervals and effect
sizes.

{versions()}; {platform.system()} on {platform.machine()}, {len(os.sched_getaffinity(0))} cores.
"""


def is_for_users(line: Line) -> bool:
    """Whether a figure compares with a tool that users know, or is what they have to have room for."""
    return any(name in line.what for name in (*KNOWN, "peak memory"))


def targets(lines: list[Line]) -> str:
    """Every figure with its target, for those who work on assay."""
    rows = "\n".join(f"| {line.what} | {line.figure} | {line.target} | {line.verdict} |" for line in lines)
    return f"""
## For contributors: figures and targets

All figures of the same run. A target that is missed stays until it is met.

| what | measured | target | |
| --- | ---: | ---: | --- |
{rows}
"""


def versions() -> str:
    """What was measured, with versions."""
    libraries = ("pytrec-eval-terrier", "ranx", "ir_measures", "rouge-score", "nltk", "sacrebleu")
    packages = ("assay", "numpy", "polars", *libraries)
    return ", ".join([f"Python {platform.python_version()}", *(f"{name} {version(name)}" for name in packages)])


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    if missing := [name for name in COMMANDS if shutil.which(name) is None]:
        sys.exit(f"the benchmark needs the command {missing[0]}")
    qrels_path, run_path, deep_path, other_path = collection()
    times, lines = start_up(qrels_path, run_path)
    qrels, run = read_dicts(qrels_path, run_path)
    expected = assay.evaluate(qrels, run, MEASURES)
    for more_times, more_lines in (
        in_memory(qrels, run),
        libraries(qrels, run),
        from_file(qrels_path, run_path, deep_path, expected),
        file_forms(qrels_path, run_path),
        data_forms(qrels_path, qrels, run),
        parquet_forms(qrels_path, run_path),
        chunk_forms(qrels_path, run_path),
        more_measures(qrels_path, run_path, run),
        evaluators(qrels, run, PEER_MEASURES),
        commands(qrels_path, run_path),
        two_files(qrels_path, run_path, other_path),
        many_systems(),
        more_systems(),
        answers(),
        rag(),
        judging(),
    ):
        times |= more_times
        lines += more_lines
    text = report(times, lines) + billion_section(REPORT.read_text()) + targets(lines)
    REPORT.write_text(text)
    print(text)


if __name__ == "__main__":
    main()
