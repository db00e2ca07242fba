"""Draws the pictures in the README and in docs/ on the demo collection: `make images`. Pages need Chromium."""
# ruff: noqa: INP001 - a script, no package

from __future__ import annotations

import random
import tempfile
import threading
import time
from contextlib import contextmanager
from importlib.resources import as_file, files
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING, Any

import assay

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.studio.studio import Studio

IMAGES = Path(__file__).parent / "images"
RUNS = ("bm25", "dense", "hybrid")
SIZE = {"width": 1200, "height": 860}
# Who votes in the pictures of the studio, and how often each is off by a grade or two.
VOTERS = {"ann": 0.1, "bob": 0.3, "carla": 0.15}


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


def show_studio(folder: Path) -> None:
    """Takes pictures of the studio, in which three people have voted."""
    from playwright.sync_api import sync_playwright

    with (
        tempfile.TemporaryDirectory() as name,
        studio_at(Path(name)) as (studio, address),
        sync_playwright() as playwright,
    ):
        vote(studio, assay.read_qrels(folder / "qrels.txt").to_dict())
        browser = playwright.chromium.launch(executable_path=which("chromium"), args=["--no-sandbox"])
        phone = {"viewport": {"width": 390, "height": 780}, "is_mobile": True, "has_touch": True}
        wide = {"viewport": {"width": 1200, "height": 760}}
        shots: dict[str, tuple[str, str, dict[str, Any]]] = {
            "studio.png": ("/judge", ".card .passage", wide),
            "studio-overview.png": ("/", "#runs tbody tr", wide),
            "studio-query.png": ("/queries/q09?show=bm25|dense", ".beside", wide),
            "studio-agreement.png": ("/agreement", ".difference", wide),
            "studio-phone.png": ("/judge", ".card .passage", {**phone, "color_scheme": "dark"}),
        }
        for picture, (page, wanted, options) in shots.items():
            context = browser.new_context(**options)
            known = context.request.get(f"{address}/api/session").json()
            headers = {"X-CSRF-Token": known["csrf"]}
            context.request.post(f"{address}/api/session", data={"voter": "ann"}, headers=headers)
            tab = context.new_page()
            tab.goto(address + page)
            tab.wait_for_selector(wanted)
            tab.wait_for_timeout(500)
            tab.screenshot(path=IMAGES / picture)
            context.close()
        browser.close()


@contextmanager
def studio_at(folder: Path) -> Iterator[tuple[Studio, str]]:
    """A studio of the demo collection, and where it is served."""
    import uvicorn

    from assay.stats.significance import ComparisonSettings, check_settings
    from assay.studio.app import make_app, make_server
    from assay.studio.collection import demo_collection
    from assay.studio.store.store import Store
    from assay.studio.studio import Studio, StudioSettings

    settings = StudioSettings(("ndcg@10", "dcg@10", "ap"), check_settings(ComparisonSettings()), votes=3)
    studio = Studio(demo_collection(), Store.open(folder / "votes.sqlite"), settings)
    app = make_app(studio)
    server = make_server(app, uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield studio, f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = True
    thread.join()


def vote(studio: Studio, judged: dict[str, dict[str, float]]) -> None:
    """Three people vote on the pairs that matter most, and on some that are judged."""
    from assay.studio.store.schema import NewVote

    draw = random.Random(0)  # noqa: S311 - invented votes
    for voter, off in VOTERS.items():
        pairs = [(query, document) for query in ("q09", "q03") for document in judged[query]]
        for _ in range(24):
            pair = studio.next_pair(voter, "worth", set(pairs))["pair"]
            pairs.append((pair["query"], pair["document"]))
        for query, document in pairs:
            true = judged[query].get(document, 0)
            said = true if draw.random() > off else min(3, max(0, true + draw.choice((-1, 1, 2))))
            studio.writer.record(NewVote(query, document, voter, said)).result()


def main() -> None:
    """Writes each picture."""
    with as_file(files("assay") / "demo") as folder:
        for name, chart in draw(folder).items():
            chart.save(IMAGES / name, scale=2)
        show_report(folder)
        show_studio(folder)


if __name__ == "__main__":
    main()
