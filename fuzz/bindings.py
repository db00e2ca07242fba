"""Calls each way from Python into the kernel with good and bad data, for a tool that watches memory.

    make sanitize, or: PYTHONMALLOC=malloc valgrind --error-exitcode=1 python fuzz/bindings.py

It imports nothing but the kernel, since a watched program is slow; what is computed is tested elsewhere.
"""

# ruff: noqa: INP001, S101 - a script, not a package; its checks
import contextlib
import tempfile
from pathlib import Path

from assay._kernel import Index, Options, Ranker, Rows, compress_zst, read_bytes
from assay.core.errors import AssayError

JUDGMENTS = {f"q{query}": {f"d{number}": number % 3 for number in range(20)} for query in range(8)}
RANKINGS = {f"q{query}": {f"d{number}": number * 7 % 11 for number in range(60)} for query in range(10)}
UNTIED = {
    query: {document: 1 / (1 + number) for number, document in enumerate(each)} for query, each in RANKINGS.items()
}
OPTIONS = [
    Options(top=5),
    Options(duplicates="count", single=True, spread=True),
    Options(foreign=True, exclude_query=True),
]
# Where dicts are walked through the C API, and where that has to give up.
BAD = [{"q1": {"d1": value}} for value in (10**400, float("nan"), "1", None, True, 2**64, 1e308)]
BAD += [{"q1": {key: 1.0}} for key in ("", 1, b"d", "\ud800", None)] + [{"q1": [1, 2]}, {"q1": 1}, {1: {}}, [], 7]


class Released:
    """A frame whose stream was taken before."""

    def __init__(self, frame: Rows) -> None:
        self.stream = frame.__arrow_c_stream__()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.stream


def rank(index: Index, add: str, *arguments: object) -> Ranker:
    """What a new ranker finds."""
    ranker = Ranker(index, OPTIONS)
    getattr(ranker, add)(*arguments)
    return ranker


def main() -> None:
    judged = Rows.from_judgments(JUDGMENTS)
    index = Index(judged, "error")
    for data in (RANKINGS, UNTIED):
        rows = Rows.from_rankings(data)
        ways = [rank(index, "add_rankings", data), rank(index, "add_rows", rows, "run", 3)]
        ways.append(rank(index, "add_frame", rows, "run", 2))
        for number in range(len(OPTIONS)):
            assert len({len(each.columns(number)["score"]) for each in ways}) == 1
            assert len({each.tops(number)["ids"] for each in ways}) == 1
    for data in BAD:
        with contextlib.suppress(AssayError, TypeError, OverflowError):
            rank(index, "add_rankings", data)
        with contextlib.suppress(AssayError, TypeError, OverflowError):
            Rows.from_judgments(data)
    assert len(Rows.from_frame(judged, "frame")) == len(judged)
    once = Released(judged)
    assert len(Rows.from_frame(once, "frame")) == len(judged)
    for frame in (once, 7, "frame"):
        try:
            Rows.from_frame(frame, "frame")
        except (AssayError, AttributeError):
            continue
        raise AssertionError(f"{frame} is read as a frame")
    read_files(index)


def read_files(index: Index) -> None:
    """A run in a file, plain, compressed and damaged, on several threads."""
    lines = (f"{q} Q0 {d} 1 {score} t" for q, each in RANKINGS.items() for d, score in each.items())
    text = "\n".join(lines).encode()
    with tempfile.TemporaryDirectory() as folder:
        path, packed = Path(folder, "run"), Path(folder, "run.zst")
        path.write_bytes(text)
        compress_zst(path, packed)
        assert read_bytes(packed, "run") == text
        for file in (path, packed):
            rank(index, "add_files", [(file, "run")], "run", 3)
        packed.write_bytes(packed.read_bytes()[:-9])
        with contextlib.suppress(AssayError):
            rank(index, "add_files", [(packed, "run")], "run", 3)


if __name__ == "__main__":
    main()
