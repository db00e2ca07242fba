"""Draws the pictures in the README on the demo collection: `make images`. The report needs Chromium."""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import tempfile
from importlib.resources import as_file, files
from pathlib import Path
from shutil import which

import assay

IMAGES = Path(__file__).parent / "images"
RUNS = ("bm25", "dense", "hybrid")
SIZE = {"width": 1200, "height": 860}


def draw(folder: Path) -> dict[str, assay.Chart]:
    """The charts by the name of their file."""
    runs = [folder / f"{name}.run" for name in RUNS]
    comparison = assay.compare(folder / "qrels.txt", runs, ["ndcg@10", "recall@100"])
    return {
        "differences.png": comparison.plot("differences"),
        "queries.png": comparison.plot("queries", a="bm25", b="hybrid"),
    }


def show_report(folder: Path) -> None:
    """Takes a picture of the report, at the query whose rankings differ most."""
    from playwright.sync_api import sync_playwright

    comparison = assay.compare(folder / "qrels.txt", [folder / f"{name}.run" for name in RUNS])
    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        page = Path(name) / "report.html"
        comparison.report(page, queries=folder / "queries.jsonl", corpus=folder / "passages.jsonl")
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        tab = browser.new_page(viewport=SIZE, color_scheme="light")
        tab.goto(page.as_uri() + "#query=q09&a=bm25&b=dense&show=bm25|dense")
        tab.wait_for_selector(".query .run li")
        tab.locator("#queries h2").scroll_into_view_if_needed()
        tab.evaluate("document.querySelector('#queries').scrollIntoView()")
        tab.wait_for_timeout(500)
        tab.screenshot(path=IMAGES / "report.png")
        browser.close()


def main() -> None:
    """Writes each picture."""
    with as_file(files("assay") / "demo") as folder:
        for name, chart in draw(folder).items():
            chart.save(IMAGES / name, scale=2)
        show_report(folder)


if __name__ == "__main__":
    main()
