"""A run as a file in several forms: in order, shuffled, compressed, in Parquet. Prints each figure with its target.

    python benchmarks/file_forms.py

Each form is compared with the command that only reads it, in one run of about two minutes: fastest of interleaved
rounds.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from functools import partial
from typing import TYPE_CHECKING

import polars
from collection import judged_run
from lines import MEASURES, Line, at_most, exactly, show
from timing import command, interleaved, peak_memory

import assay

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROUNDS = 7
# Of the run as chunks, so many rows of a query are of one document.
CHUNKS = 4
COLUMNS = ("query_id", "q0", "doc_id", "rank", "score", "tag")
COMMANDS = ("wc", "gzip", "zstd")


def make_forms(run: Path) -> dict[str, Path]:
    """The run with its rows shuffled and compressed in two ways, beside it; made on first use."""
    makers: dict[str, Callable[[Path], object]] = {
        "shuffled": lambda path: shuffle_rows(run, path),
        "gz": lambda path: compress(run, path, "gzip"),
        "zst": lambda path: compress(run, path, "zstd"),
        "chunks": lambda path: write_chunks(run, path),
        "parquet": lambda path: read_rows(run).write_parquet(path),
        "shuffled.parquet": lambda path: read_rows(run).sample(fraction=1, shuffle=True, seed=4).write_parquet(path),
    }
    forms = {name: run.with_name(f"run-form.{name}") for name in makers}
    for name, path in forms.items():
        if not path.exists():
            makers[name](path.with_suffix(".part"))
            path.with_suffix(".part").replace(path)
    return forms


def read_lines(run: Path) -> polars.DataFrame:
    rows = polars.read_csv(run, has_header=False, separator=" ", new_columns=list(COLUMNS))
    return rows.with_columns(polars.col("query_id", "doc_id").cast(polars.String))


def read_rows(run: Path) -> polars.DataFrame:
    """The rows of the run, their ids as text."""
    return read_lines(run).select("query_id", "doc_id", "score")


def write_chunks(run: Path, path: Path) -> None:
    """The run with documents in place of their chunks: 17#0, 17#1 … for the first rows of a query."""
    rows = read_lines(run)
    numbers = polars.int_range(len(rows), eager=True)
    part = (numbers % CHUNKS).alias("part")
    chunks = rows["doc_id"].gather(numbers - part) + "#" + part.cast(polars.String)
    rows.with_columns(doc_id=chunks).write_csv(path, include_header=False, separator=" ")


def judge_chunks(qrels: Path, path: Path) -> Path:
    """Judgments of documents, and the same of the first chunk of each."""
    lines = qrels.read_text(encoding="utf-8").splitlines()
    fields = [line.split() for line in lines]
    lines += [f"{query} {group} {document}#0 {grade}" for query, group, document, grade in fields]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def touch_rows(path: Path) -> Callable[[], object]:
    """What polars takes to read the same columns, one value after another."""
    rows = polars.scan_parquet(path).select(polars.col("score").sum(), polars.col("doc_id").hash().sum())
    return lambda: rows.collect(engine="streaming")


def shuffle_rows(run: Path, path: Path) -> None:
    # No character of the file parts columns or quotes, so that a row is a line.
    rows = polars.read_csv(run, has_header=False, separator="\x01", quote_char=None, new_columns=["row"])
    shuffled = rows.sample(fraction=1, shuffle=True, seed=4)
    shuffled.write_csv(path, include_header=False, separator="\x01", quote_style="never")


def compress(run: Path, path: Path, tool: str) -> None:
    with path.open("wb") as file:
        subprocess.run([tool, "-c", str(run)], check=True, stdout=file)


def file_forms(qrels: Path, run: Path) -> tuple[dict[str, float], list[Line]]:
    """From each form, on two threads and the file in order on one as well."""
    forms = make_forms(run)

    def evaluated(path: Path, threads: int = 2) -> Callable[[], object]:
        return lambda: assay.evaluate(qrels, path, MEASURES, threads=threads)

    times = interleaved(
        {
            "wc -w, beside the forms": command("wc", "-w", str(run), LC_ALL="C.UTF-8"),
            "file, two threads": evaluated(run),
            "file, one thread": evaluated(run, threads=1),
            "file, rows shuffled": evaluated(forms["shuffled"]),
            "gzip -dc": command("gzip", "-dc", str(forms["gz"])),
            "file, .gz": evaluated(forms["gz"]),
            "zstd -dc": command("zstd", "-dcq", str(forms["zst"])),
            "file, .zst": evaluated(forms["zst"]),
        },
        rounds=ROUNDS,
        of=min,
    )
    code = f"import assay; assay.evaluate({str(qrels)!r}, {str(forms['shuffled'])!r}, {MEASURES!r})"
    words, plain = times["wc -w, beside the forms"], times["file, two threads"]
    whole, scattered = (assay.evaluate(qrels, path, MEASURES) for path in (run, forms["shuffled"]))
    same = all((whole.scores[name] == scattered.scores[name]).all() for name in MEASURES)
    lines = [
        at_most("file, two threads: share of the time of `wc -w`", plain / words, 0.1),
        at_most("file, one thread: share of the time of `wc -w`", times["file, one thread"] / words, 0.19),
        at_most("file, rows shuffled: times the file in order", times["file, rows shuffled"] / plain, 4),
        exactly("file, rows shuffled: the same bits", same),
        at_most("file, rows shuffled: peak memory, MB", peak_memory(code), 200),
        at_most("file, .gz: share of the time of `gzip -dc`", times["file, .gz"] / times["gzip -dc"], 0.32),
        at_most("file, .zst: times the time of `zstd -dc`", times["file, .zst"] / times["zstd -dc"], 1.2),
    ]
    return times, lines


def chunk_forms(qrels: Path, run: Path) -> tuple[dict[str, float], list[Line]]:
    """From a run of chunks: their documents by a rule for ids, and the chunks themselves."""
    chunks = make_forms(run)["chunks"]
    judged = judge_chunks(qrels, chunks.with_suffix(".qrels"))
    how: dict[str, dict[str, str]] = {"chunks": {}, "chunks, documents by `doc_id`": {"doc_id": "before:#"}}
    actions: dict[str, Callable[[], object]] = {
        name: partial(assay.evaluate, judged, chunks, MEASURES, threads=2, **policies) for name, policies in how.items()
    }
    times = interleaved(actions, rounds=ROUNDS, of=min)
    code = "import assay; assay.evaluate({!r}, {!r}, {!r}, **{!r})"
    peaks = [peak_memory(code.format(str(judged), str(chunks), MEASURES, policies)) for policies in how.values()]
    plain, ruled = times.values()
    lines = [
        at_most("chunks, documents by `doc_id`: times the chunks", ruled / plain, 2),
        at_most("chunks, documents by `doc_id`: peak memory, times that", peaks[1] / peaks[0], 1.3),
    ]
    return times, lines


def parquet_forms(qrels: Path, run: Path) -> tuple[dict[str, float], list[Line]]:
    """From Parquet, its rows in order and shuffled, beside polars' streaming sum of scores and of hashes of ids."""
    forms = {name: path for name, path in make_forms(run).items() if path.suffix == ".parquet"}
    titles = {"parquet": "Parquet", "shuffled.parquet": "Parquet, rows shuffled"}
    actions: dict[str, Callable[[], object]] = {}
    for name, path in forms.items():
        actions[f"polars' sums, {titles[name]}"] = touch_rows(path)
        actions[titles[name]] = lambda path=path: assay.evaluate(qrels, path, MEASURES, threads=2)
    times = interleaved(actions, rounds=ROUNDS, of=min)
    expected = assay.evaluate(qrels, run, MEASURES)
    lines = []
    for name, limit, memory in (("parquet", 1.5, 150), ("shuffled.parquet", 6, 200)):
        title, path = titles[name], forms[name]
        ratio = times[title] / times[f"polars' sums, {title}"]
        found = assay.evaluate(qrels, path, MEASURES)
        same = all((found.scores[each] == expected.scores[each]).all() for each in MEASURES)
        code = f"import assay; assay.evaluate({str(qrels)!r}, {str(path)!r}, {MEASURES!r})"
        lines += [
            at_most(f"{title}: times polars' sums of scores and of hashes", ratio, limit),
            exactly(f"{title}: the same bits as the file", same),
            at_most(f"{title}: peak memory, MB", peak_memory(code), memory),
        ]
    return times, lines


def main() -> None:
    if missing := [name for name in COMMANDS if shutil.which(name) is None]:
        sys.exit(f"the benchmark needs the command {missing[0]}")
    qrels, run = judged_run()
    times, lines = {}, []
    for measure in (file_forms, parquet_forms, chunk_forms):
        more_times, more_lines = measure(qrels, run)
        times, lines = times | more_times, lines + more_lines
    show(times, lines)


if __name__ == "__main__":
    main()
