"""A made-up collection of the size of MS MARCO's development set: 6,980 queries, 1,000 documents each."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars

QUERIES = 6980
DOCUMENTS = 8_841_823
JUDGED = 10
FOLDER = Path(__file__).parent / "data"


def query_ids() -> list[str]:
    return [str(1_000_000 + number) for number in range(QUERIES)]


def make_run(path: Path, depth: int, batch: int = 200) -> None:
    """A run of `depth` distinct random documents a query, with falling scores of six decimals."""
    generator = np.random.default_rng(0)
    queries = query_ids()
    with path.open("wb") as file:
        for start in range(0, QUERIES, batch):
            names = queries[start : start + batch]
            documents = np.concatenate([distinct(generator, depth) for _ in names])
            scores = np.sort(generator.random((len(names), depth)) * 30, axis=1)[:, ::-1].ravel()
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


def distinct(generator: np.random.Generator, count: int) -> np.ndarray:
    """Distinct document numbers: one from each of `count` equal stretches of the collection, shuffled."""
    stretch = DOCUMENTS // count
    return generator.permutation(np.arange(count) * stretch + generator.integers(stretch, size=count))


def make_qrels(run: Path, path: Path) -> None:
    """Up to ten judged documents a query with grades 0 to 3; about half of them were retrieved."""
    generator = np.random.default_rng(1)
    documents = polars.read_csv(run, separator=" ", has_header=False, columns=[2]).to_series()
    retrieved = documents.to_numpy().reshape(QUERIES, -1)
    with path.open("w") as file:
        for query, documents in zip(query_ids(), retrieved, strict=True):
            count = int(generator.integers(1, JUDGED + 1))
            found = generator.choice(documents, size=(count + 1) // 2, replace=False).tolist()
            others = (DOCUMENTS + generator.choice(100_000, size=count // 2, replace=False)).tolist()
            for document in [*found, *others]:
                file.write(f"{query} 0 {document} {generator.integers(0, 4)}\n")


def collection() -> tuple[Path, Path, Path]:
    """The judgments, the run, and the same run ten times as deep; made on first use."""
    FOLDER.mkdir(exist_ok=True)
    qrels, run, deep = FOLDER / "qrels.txt", FOLDER / "run.txt", FOLDER / "run-deep.txt"
    for path, depth in ((run, 1000), (deep, 10_000)):
        if not path.exists():
            make_run(path.with_suffix(".part"), depth)
            path.with_suffix(".part").replace(path)
    if not qrels.exists():
        make_qrels(run, qrels)
    return qrels, run, deep
