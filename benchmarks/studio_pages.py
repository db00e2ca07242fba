"""Pages of a studio with a very large pool: how long each takes, with everything that it asks for."""

from __future__ import annotations

import time
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars
from studio_process import Server, serving

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENTS = 100
JUDGED = 10
TIMES = 5


class Page(NamedTuple):
    """A page, and what it asks for when it is opened."""

    title: str
    path: str
    asks: tuple[str, ...]


def pages(query: str) -> list[Page]:
    """The pages, with the requests that their scripts make at the start."""
    one = urllib.parse.quote(query)
    return [
        Page("overview", "/", ("/api/overview",)),
        Page("queries", "/queries", ("/api/queries",)),
        Page("one query", f"/queries/{one}", (f"/api/query?query={one}",)),
        Page("judge", "/judge", ("/api/next?order=worth",)),
        Page("agreement", "/agreement", ("/api/agreement",)),
        Page("data", "/data", ("/api/voters",)),
    ]


def write_collection(folder: Path, queries: int) -> list[str]:
    """Judgments and two runs over the same documents of each query, in different orders."""
    chance = np.random.default_rng(0)
    ids = polars.Series("query_id", [f"q{number}" for number in range(queries)])
    rows = ids.gather(np.repeat(np.arange(queries), DOCUMENTS))
    documents = chance.integers(0, 10**9, size=(queries, DOCUMENTS))
    names = polars.Series("doc_id", documents.ravel()).cast(polars.String)
    for name in ("a", "b"):
        scores = polars.Series("score", chance.random(queries * DOCUMENTS))
        polars.DataFrame([rows, names, scores]).unique(["query_id", "doc_id"], maintain_order=True).write_parquet(
            folder / f"{name}.parquet"
        )
    judged = polars.DataFrame([rows, names]).gather_every(DOCUMENTS // JUDGED)
    grades = polars.Series("relevance", chance.integers(0, 4, len(judged)))
    judged.with_columns(grades).unique(["query_id", "doc_id"], maintain_order=True).write_parquet(
        folder / "qrels.parquet"
    )
    return [str(folder / f"{name}.parquet") for name in ("qrels", "a", "b")]


def open_page(server: Server, page: Page) -> float:
    """Seconds for a page and all that it asks for, one after the other."""
    start = time.perf_counter()
    for path in (page.path, "/api/session", *page.asks):
        with urllib.request.urlopen(server.url + path, timeout=600) as answer:  # noqa: S310 - loopback
            answer.read()
    return time.perf_counter() - start


def page_lines(folder: Path, queries: int) -> list[str]:
    """The table of pages."""
    files = write_collection(folder, queries)
    start = time.perf_counter()
    with serving(str(folder / "pages.sqlite"), *files, "--pool", str(DOCUMENTS)) as server:
        print(f"started after {time.perf_counter() - start:.1f} s", flush=True)
        lines = ["| page | first ms | median ms |", "| --- | ---: | ---: |"]
        for page in pages(f"q{queries // 2}"):
            seconds = [open_page(server, page) for _ in range(TIMES)]
            lines.append(f"| {page.title} | {1000 * seconds[0]:,.0f} | {1000 * float(np.median(seconds)):,.0f} |")
            print(lines[-1], flush=True)
        lines += ["", f"Resident memory of the server: {memory_of(server):,} MB."]
    return lines


def memory_of(server: Server) -> int:
    """Megabytes, where the system tells."""
    import psutil

    return int(psutil.Process(server.process.pid).memory_info().rss) >> 20
