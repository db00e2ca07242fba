"""The report at size: 10 runs of 6,980 queries, the first 20 documents of each. Prints each figure with its target.

    python benchmarks/report.py

The page is opened in Chromium through Playwright, if both are there.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
import polars

import assay

QUERIES = 6980
RUNS = 10
DEPTH = 100
POOL = 150
JUDGED = 10
MEASURES = ["ndcg@10", "ap", "rr@10", "recall@100", "precision@10"]


def make_files(folder: Path) -> tuple[Path, dict[str, Path]]:
    """Judgments of ten documents per query, and runs that share most of their documents, some better than others."""
    generator = np.random.default_rng(0)
    queries = np.array([str(1_000_000 + number) for number in range(QUERIES)])
    pool = generator.integers(0, 8_841_823, size=(QUERIES, POOL))
    for row in pool:
        row[:] = (
            np.resize(np.unique(row), POOL) if len(np.unique(row)) == POOL else generator.permutation(8_841_823)[:POOL]
        )
    grades = np.zeros((QUERIES, POOL))
    grades[:, :JUDGED] = generator.integers(0, 4, size=(QUERIES, JUDGED))
    judged = polars.DataFrame(
        {
            "query": np.repeat(queries, JUDGED),
            "zero": 0,
            "document": pool[:, :JUDGED].ravel(),
            "grade": grades[:, :JUDGED].ravel().astype(int),
        }
    )
    qrels = folder / "qrels.txt"
    judged.write_csv(qrels, separator=" ", include_header=False)
    runs = {}
    for number in range(RUNS):
        scores = generator.normal(size=(QUERIES, POOL)) + grades * (0.3 + 0.05 * number)
        order = np.argsort(-scores, axis=1)[:, :DEPTH]
        run = polars.DataFrame(
            {
                "query": np.repeat(queries, DEPTH),
                "q0": "Q0",
                "document": np.take_along_axis(pool, order, axis=1).ravel(),
                "rank": np.tile(np.arange(1, DEPTH + 1), QUERIES),
                "score": np.take_along_axis(scores, order, axis=1).ravel(),
                "tag": "bench",
            }
        )
        runs[f"system-{number}"] = folder / f"system-{number}.run"
        run.write_csv(runs[f"system-{number}"], separator=" ", include_header=False)
    return qrels, runs


def say(name: str, value: float, target: float, unit: str) -> None:
    verdict = "reached" if value <= target else "missed"
    print(f"{name:<48} {value:8.2f} {unit}   target {target:g} {unit}, {verdict}")


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        qrels, runs = make_files(folder)
        page = folder / "report.html"
        before = time.perf_counter()
        comparison = assay.compare(qrels, runs, MEASURES)
        compared = time.perf_counter() - before
        before = time.perf_counter()
        comparison.report(page)
        written = time.perf_counter() - before
        print(f"evaluating and comparing takes {compared:.2f} s, the report {written:.2f} s more")
        say("the report, over evaluating and comparing", written / compared, 2, "times")
        say("file", page.stat().st_size / 1e6, 12, "MB")
        browse(page)


def browse(page: Path) -> None:
    """How fast the page is in a browser."""
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        print("the page was not opened: pip install playwright")
        return
    from shutil import which

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium"), args=["--no-sandbox", "--enable-precise-memory-info"]
        )
        tab = browser.new_page()
        tab.goto(page.as_uri(), wait_until="commit")
        tab.wait_for_selector("html[data-ready]")
        say("interactive after", tab.evaluate("performance.now()") / 1000, 2, "s")
        times = [tab.evaluate(OPEN, query) for query in ("1000003", "1002500", "1006979")]
        say("a query opens, the slowest of three", max(times), 100, "ms")
        say("memory of the page", tab.evaluate("performance.memory.usedJSHeapSize") / 1e6, 300, "MB")
        browser.close()


OPEN = """async (query) => {
  const before = performance.now();
  const is = () => document.querySelector(".query h3 bdi")?.textContent === query && document.querySelector(".run li");
  location.hash = `#query=${query}`;
  while (!is()) await new Promise((done) => requestAnimationFrame(done));
  return performance.now() - before;
}"""


if __name__ == "__main__":
    main()
