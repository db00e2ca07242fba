"""Draws the charts in the README on the demo collection: `make images`."""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

from importlib.resources import as_file, files
from pathlib import Path

import assay

IMAGES = Path(__file__).parent / "images"
RUNS = ("bm25", "dense", "hybrid")


def draw(folder: Path) -> dict[str, assay.Chart]:
    """The charts by the name of their file."""
    runs = [folder / f"{name}.run" for name in RUNS]
    comparison = assay.compare(folder / "qrels.txt", runs, ["ndcg@10", "recall@100"])
    return {
        "differences.png": comparison.plot("differences"),
        "queries.png": comparison.plot("queries", a="bm25", b="hybrid"),
    }


def main() -> None:
    """Writes each chart."""
    with as_file(files("assay") / "demo") as folder:
        for name, chart in draw(folder).items():
            chart.save(IMAGES / name, scale=2)


if __name__ == "__main__":
    main()
