"""A run as Python data, as a frame, and as a table of text. Prints each figure with its target.

    python benchmarks/data_forms.py

Each form is compared, in one run, with the least that touches all of it: fastest of interleaved rounds.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

import polars
from collection import collection, read_dicts
from lines import MEASURES, Line, at_most, exactly, show
from timing import interleaved, peak_memory

import assay

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Data = dict[str, Any]

ROUNDS = 9
# A million rows of a thousand documents each.
QUERIES = 1000
TEXT = "a passage that no measure looks at, as long as one line of text, "


def data_forms(qrels_path: Path, qrels: Data, run: Data) -> tuple[dict[str, float], list[Line]]:
    """Python data and frames of all queries, and tables of text of the first thousand."""
    times, lines = python_data(qrels, run)
    for more_times, more_lines in (frames(qrels, run), tables(qrels_path, run)):
        times |= more_times
        lines += more_lines
    return times, lines


def evaluated(qrels: object, run: object) -> Callable[[], object]:
    return lambda: assay.evaluate(qrels, run, MEASURES)


def python_data(qrels: Data, run: Data) -> tuple[dict[str, float], list[Line]]:
    """Dicts, dicts with a tie in each query, lists of ids, lists of pairs."""
    ids = {query: list(documents) for query, documents in run.items()}
    pairs = {query: list(documents.items()) for query, documents in run.items()}
    tied = {query: with_tie(documents, qrels.get(query, {})) for query, documents in run.items()}

    def sum_scores() -> None:
        for documents in run.values():
            sum(documents.values())

    def touch_ids() -> None:
        for documents in ids.values():
            for _ in documents:
                pass

    def touch_pairs() -> None:
        for documents in pairs.values():
            for _, _ in documents:
                pass

    times = interleaved(
        {
            "touching dicts": sum_scores,
            "from dicts": evaluated(qrels, run),
            "from dicts with ties": evaluated(qrels, tied),
            "touching ids": touch_ids,
            "from ids": evaluated(qrels, ids),
            "touching pairs": touch_pairs,
            "from pairs": evaluated(qrels, pairs),
        },
        rounds=ROUNDS,
        of=min,
    )
    lines = [
        at_most("dicts: times `sum(d.values())`", times["from dicts"] / times["touching dicts"], 1.6),
        at_most("dicts with ties: times that", times["from dicts with ties"] / times["touching dicts"], 2.5),
        at_most("lists of ids: times iterating", times["from ids"] / times["touching ids"], 2.3),
        at_most("lists of pairs: times iterating", times["from pairs"] / times["touching pairs"], 3),
    ]
    return times, lines


def with_tie(documents: dict[str, float], judged: dict[str, float]) -> dict[str, float]:
    """The documents with a tie between a judged one and another."""
    found = next((each for each in judged if each in documents), None)
    other = next(each for each in documents if each not in judged)
    return documents if found is None else {**documents, other: documents[found]}


def frames(qrels: Data, run: Data) -> tuple[dict[str, float], list[Line]]:
    """Frames of polars, of pyarrow, and of pandas with its own strings."""
    frame = assay.Run(run).to_polars()
    table = frame.to_arrow()
    pandas_frame = frame.to_pandas()
    times = interleaved(
        {
            "hashing the columns": frame.hash_rows,
            "from a polars frame": evaluated(qrels, frame),
            "from a pyarrow table": evaluated(qrels, table),
            "from a pandas frame": evaluated(qrels, pandas_frame),
        },
        rounds=ROUNDS,
        of=min,
    )
    least = times["hashing the columns"]
    lines = [
        at_most("polars frame: times hashing its columns", times["from a polars frame"] / least, 2),
        at_most("pyarrow table: times that", times["from a pyarrow table"] / least, 3),
        at_most("pandas frame of strings: times that", times["from a pandas frame"] / least, 4),
    ]
    return times, lines


def tables(qrels: Path, run: Data) -> tuple[dict[str, float], list[Line]]:
    """JSON Lines and CSV, and CSV with a column of text that nothing needs."""
    lines_path, cells, wide = make_tables(qrels.parent, dict(islice(run.items(), QUERIES)))
    times = interleaved(
        {
            "polars.read_ndjson": lambda: polars.read_ndjson(lines_path),
            "from JSON Lines": evaluated(qrels, lines_path),
            "polars.read_csv": lambda: polars.read_csv(cells),
            "from CSV": evaluated(qrels, cells),
            "polars.read_csv, with a text": lambda: polars.read_csv(wide),
            "from CSV with a text": evaluated(qrels, wide),
        },
        rounds=ROUNDS,
        of=min,
    )
    code = f"import assay; assay.evaluate({str(qrels)!r}, {{path!r}}, {MEASURES!r})"
    narrow_peak, wide_peak = (peak_memory(code.format(path=str(path))) for path in (cells, wide))
    from_lines, from_cells = (assay.evaluate(qrels, path, MEASURES) for path in (lines_path, wide))
    same = all((from_lines.scores[name] == from_cells.scores[name]).all() for name in MEASURES)
    lines = [
        at_most("JSON Lines: times `polars.read_ndjson`", times["from JSON Lines"] / times["polars.read_ndjson"], 1.5),
        at_most("CSV: times `polars.read_csv`", times["from CSV"] / times["polars.read_csv"], 2),
        at_most(
            "CSV with a text: times `polars.read_csv`",
            times["from CSV with a text"] / times["polars.read_csv, with a text"],
            2,
        ),
        at_most("CSV with a text: peak memory, times that without", wide_peak / narrow_peak, 1.1),
        exactly("JSON Lines and CSV: the same bits", same),
    ]
    return times, lines


def make_tables(folder: Path, run: Data) -> tuple[Path, Path, Path]:
    """The files, made on first use."""
    lines, cells, wide = (folder / name for name in ("run-form.jsonl", "run-form.csv", "run-form-text.csv"))
    if not wide.exists():
        frame = assay.Run(run).to_polars()
        frame.write_ndjson(lines)
        frame.write_csv(cells)
        frame.with_columns(text=TEXT + polars.col("doc_id")).write_csv(wide)
    return lines, cells, wide


def main() -> None:
    qrels_path, run_path, *_ = collection()
    qrels, run = read_dicts(qrels_path, run_path)
    times, lines = data_forms(qrels_path, qrels, run)
    show(times, lines)


if __name__ == "__main__":
    main()
