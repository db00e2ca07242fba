"""A made-up collection of the size of MS MARCO's development set: 6,980 queries, 1,000 documents each."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np
import polars

if TYPE_CHECKING:
    from collections.abc import Callable

QUERIES = 6980
DOCUMENTS = 8_841_823
DEPTH = 1000
JUDGED = 10
# Named after what makes the data, so that a change here makes it again.
FOLDER = Path(__file__).parent / "data" / sha256(Path(__file__).read_bytes()).hexdigest()[:8]


def query_ids() -> list[str]:
    return [str(1_000_000 + number) for number in range(QUERIES)]


def make_run(path: Path, batch: int = 200) -> None:
    """A run of distinct random documents, with falling scores of six decimals."""
    generator = np.random.default_rng(0)
    queries = query_ids()
    with path.open("wb") as file:
        for start in range(0, QUERIES, batch):
            names = queries[start : start + batch]
            documents = np.concatenate([distinct(generator, DEPTH) for _ in names])
            write_rows(file, names, documents, falling(generator, len(names), DEPTH))


def make_deeper(run: Path, path: Path, times: int = 10, batch: int = 200) -> None:
    """The documents of another run, followed by others: the same system, asked for that many times as many."""
    generator = np.random.default_rng(3)
    depth = times * DEPTH
    queries, first = query_ids(), retrieved(run)
    with path.open("wb") as file:
        for start in range(0, QUERIES, batch):
            names = queries[start : start + batch]
            documents = [followed(row, distinct(generator, depth))[:depth] for row in first[start : start + batch]]
            write_rows(file, names, np.concatenate(documents), falling(generator, len(names), depth))


def followed(documents: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The documents, and after them those of the others that are not among them."""
    return np.concatenate([documents, others[~np.isin(others, documents)]])


def falling(generator: np.random.Generator, queries: int, depth: int) -> np.ndarray:
    """Scores that fall within each query."""
    return np.sort(generator.random((queries, depth)) * 30, axis=1)[:, ::-1].ravel()


def make_shuffled(run: Path, path: Path, batch: int = 200) -> None:
    """The same documents as another run has, in another order: a system to compare it with."""
    generator = np.random.default_rng(2)
    queries, documents = query_ids(), retrieved(run)
    scores = np.arange(documents.shape[1], 0, -1) / 100
    with path.open("wb") as file:
        for start in range(0, QUERIES, batch):
            names = queries[start : start + batch]
            shuffled = generator.permuted(documents[start : start + batch], axis=1)
            write_rows(file, names, shuffled.ravel(), np.tile(scores, len(names)))


def write_rows(file: IO[bytes], names: list[str], documents: np.ndarray, scores: np.ndarray) -> None:
    """Some queries of a run, with as many documents each."""
    depth = len(documents) // len(names)
    frame = polars.DataFrame(
        {
            "query": polars.Series(names).gather(np.repeat(np.arange(len(names)), depth)),
            "q0": "Q0",
            "document": documents,
            "rank": np.tile(np.arange(1, depth + 1), len(names)),
            "score": scores,
            "tag": "bench",
        }
    )
    frame.write_csv(file, include_header=False, separator=" ", float_precision=6, quote_style="never")


def retrieved(run: Path) -> np.ndarray:
    """The documents of a run, one row per query."""
    documents = polars.read_csv(run, separator=" ", has_header=False, columns=[2]).to_series()
    return documents.to_numpy().reshape(QUERIES, -1)


def distinct(generator: np.random.Generator, count: int) -> np.ndarray:
    """Distinct document numbers: one from each of `count` equal stretches of the collection, shuffled."""
    stretch = DOCUMENTS // count
    return generator.permutation(np.arange(count) * stretch + generator.integers(stretch, size=count))


def make_qrels(run: Path, path: Path) -> None:
    """Up to ten judged documents per query, with grades 0 to 3; about half of them were retrieved."""
    generator = np.random.default_rng(1)
    with path.open("w") as file:
        for query, documents in zip(query_ids(), retrieved(run), strict=True):
            count = int(generator.integers(1, JUDGED + 1))
            found = generator.choice(documents, size=(count + 1) // 2, replace=False).tolist()
            others = (DOCUMENTS + generator.choice(100_000, size=count // 2, replace=False)).tolist()
            for document in [*found, *others]:
                file.write(f"{query} 0 {document} {generator.integers(0, 4)}\n")


def collection() -> tuple[Path, Path, Path, Path]:
    """The judgments, the run, the same run ten times as deep, and another run; made on first use."""
    qrels, run = judged_run()
    deep, other = FOLDER / "run-deep.txt", FOLDER / "run-other.txt"
    make_missing({deep: lambda path: make_deeper(run, path), other: lambda path: make_shuffled(run, path)})
    return qrels, run, deep, other


def judged_run() -> tuple[Path, Path]:
    """The judgments and the run alone; made on first use."""
    FOLDER.mkdir(exist_ok=True, parents=True)
    qrels, run = FOLDER / "qrels.txt", FOLDER / "run.txt"
    make_missing({run: make_run, qrels: lambda path: make_qrels(run, path)})
    return qrels, run


def make_missing(makers: dict[Path, Callable[[Path], None]]) -> None:
    for path, make in makers.items():
        if not path.exists():
            make(path.with_suffix(".part"))
            path.with_suffix(".part").replace(path)


def read_dicts(qrels_path: Path, run_path: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Judgments and run as the dicts that pytrec_eval takes, each string an object of its own."""
    qrels: dict[str, dict[str, int]] = {}
    for line in qrels_path.open():
        query, _, document, grade = line.split()
        qrels.setdefault(query, {})[document] = int(grade)
    run: dict[str, dict[str, float]] = {}
    for line in run_path.open():
        query, _, document, _, score, _ = line.split()
        run.setdefault(query, {})[document] = float(score)
    return qrels, run
