"""Fuzzes the readers of files: any bytes are judgments, a run, records, or an AssayError in one printable line.

What was read is written in a format that can hold it and read again: it is equal. A run that is ranked while it is read
scores as one that is read first.

    make fuzz, or: python fuzz/formats.py [CORPUS] [-max_total_time=600]

The first byte of an input chooses what is read and in which format, the second the one to write; the rest is the file.
"""

# ruff: noqa: INP001 - a script, not a package
import io
from collections.abc import Iterator
from typing import Any

import harness

with harness.instrumented():
    import assay
    from assay.conventions import parse_measure
    from assay.data.formats import BY_NAME, NAMES
    from assay.data.formats.trec import DEFAULT_TAG
    from assay.data.records.read import read_records
    from assay.tasks.evaluate.api import evaluate

FORMATS = [None, *BY_NAME]
KINDS = ["judgments", "run", "records"]
READ = [(kind, name) for kind in KINDS for name in FORMATS]
QRELS = assay.Qrels({"q1": {"d1": 1, "d2": 0}, "q2": {"d1": 2, "d3": 1}})
MEASURES = [parse_measure("ndcg@10"), parse_measure("rr"), parse_measure("num_ret")]
FILE, AGAIN = harness.FOLDER / "file", harness.FOLDER / "again"


def one_input(data: bytes) -> None:
    if len(data) < 2:  # noqa: PLR2004 - the two choices
        return
    kind, name = READ[data[0] % len(READ)]
    FILE.write_bytes(data[2:])
    try:
        if kind == "records":
            read_records(FILE)
            return
        read: Any = (assay.read_qrels if kind == "judgments" else assay.read_run)(FILE, format=name)
    except assay.AssayError as error:
        harness.check_refusal(error)
        return
    check_written(read, NAMES[data[1] % len(NAMES)])
    if kind == "run":
        check_ranked(read, name)


def check_written(read: Any, format: str) -> None:  # noqa: ANN401 - judgments or a run
    """What is written and read again is equal, unless the format cannot hold it."""
    try:
        read.write(AGAIN, format=format)
    except assay.AssayError as error:
        harness.check_refusal(error)
        return
    before, after = content(read), content(type(read)(AGAIN, format=format))
    if before != after:
        raise AssertionError(f"{format}: {before} is read again as {after}")


def content(data: Any) -> Any:  # noqa: ANN401 - judgments or a run
    """All that is in it; the order of a dict does not count."""
    if isinstance(data, assay.Run):
        return data.to_dict(), data.tag or DEFAULT_TAG
    return data.to_dict(), {query: data.groups(query) for query in data.queries}


def check_ranked(read: assay.Run, format: str | None) -> None:
    """A run is ranked while it is read as it is when it was read."""
    scores = [outcome(run, format) for run in (FILE, read)]
    if scores[0] != scores[1]:
        raise AssertionError(f"the file scores {scores[0]}, what is read from it {scores[1]}")


def outcome(run: Any, format: str | None) -> Any:  # noqa: ANN401 - a path or a run
    """The scores, or the class of the refusal."""
    try:
        result = evaluate(QRELS, run, MEASURES, format=format if run is FILE else None)
    except assay.AssayError as error:
        harness.check_refusal(error)
        return type(error)
    return {name: dict(zip(result.queries, values.tolist(), strict=True)) for name, values in result.scores.items()}


def seeds() -> Iterator[bytes]:
    """A file of each format, and records in each of theirs."""
    run = assay.Run({"q1": {"d1": 1.5, "d2": 1.5, "d9": -2}, "q2": {"d3": 0.25}})
    for number, (kind, name) in enumerate(READ):
        if kind == "records" or (name is not None and BY_NAME[name].write is None):
            continue
        data = QRELS if kind == "judgments" else run
        if not (kind == "run" and name == "beir"):
            data.write(FILE, format=name or "trec")
            yield bytes([number, number]) + FILE.read_bytes()
    yield bytes([READ.index(("judgments", "prefs")), 0]) + b"q1 0 0 d1 2\nq1 0 0 d2 1\n"
    yield bytes([READ.index(("run", "trec")), 0]) + b"q1 assay-order=0.5 d1 1 2 t\nq1 assay-order=0.75 d2 2 1 t\n"
    record = (
        '{"qid":"q1","query":"a b","retrieved_ids":["d1","d2"],"retrieval_gt":[["d1"]],"answer":"c","scores":[2,1]}'
    )
    number = READ.index(("records", None))
    yield bytes([number, 0]) + record.encode()
    yield bytes([number, 0]) + f"[{record}]".encode()
    yield bytes([number, 0]) + b"qid,query,retrieved_ids,answer\nq1,a b,\"['d1', 'd2']\",c\n"
    import polars

    table = io.BytesIO()
    polars.DataFrame({"qid": ["q1"], "answer": ["c"], "retrieved_ids": [["d1"]]}).write_parquet(table)
    yield bytes([number, 0]) + table.getvalue()


if __name__ == "__main__":
    harness.fuzz(one_input, seeds())
