"""Pages of a studio with a very large pool: how long each takes, with everything that it asks for."""

from __future__ import annotations

import json
import time
import urllib.parse
import urllib.request
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars
from studio_process import Server, serving

from assay.studio.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

DOCUMENTS = 100
JUDGED = 10
TIMES = 5
NUMBERS = count()


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


class Taken(NamedTuple):
    """Seconds that passed, and for which the server computed."""

    passed: float
    computed: float

    def __str__(self) -> str:
        return f"{1000 * self.passed:,.0f} | {1000 * self.computed:,.0f}"


def open_page(server: Server, page: Page) -> Taken:
    """How long a page and all that it asks for take, one after the other."""
    start, busy = time.perf_counter(), server.cpu_seconds()
    for path in (page.path, "/api/session", *page.asks):
        with urllib.request.urlopen(server.url + path, timeout=3600) as answer:  # noqa: S310 - loopback
            answer.read()
    return Taken(time.perf_counter() - start, server.cpu_seconds() - busy)


def cast_vote(server: Server, token: str, pair: tuple[str, str], number: int) -> None:
    """A vote on a pair of the pool: it changes the numbers."""
    vote = {"query": pair[0], "document": pair[1], "voter": "ann", "vote": number % 4, "key": str(number)}
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    request = urllib.request.Request(f"{server.url}/api/votes", json.dumps(vote).encode(), headers)  # noqa: S310
    urllib.request.urlopen(request, timeout=600).close()  # noqa: S310 - loopback


def page_lines(folder: Path, queries: int) -> list[str]:
    """The table of pages."""
    files = write_collection(folder, queries)
    store = str(folder / "pages.sqlite")
    with Store.open(store) as opened:
        token = opened.add_token("shop")
    start = time.perf_counter()
    with serving(store, *files, "--pool", str(DOCUMENTS)) as server:
        print(f"started after {time.perf_counter() - start:.1f} s", flush=True)
        head = "| page | first ms | CPU ms | again ms | CPU ms | after a vote ms | CPU ms |"
        lines = [head, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |"]
        pairs = pairs_to_vote(server)
        for page in pages(f"q{queries // 2}"):
            lines.append(page_line(server, page, token, pairs))
            print(lines[-1], flush=True)
        lines += ["", f"Resident memory of the server: {memory_of(server):,} MB."]
    return lines


def pairs_to_vote(server: Server) -> Iterator[tuple[str, str]]:
    """Pairs of two queries, found at the top of a run: votes on them move the numbers and the settlement."""
    for query in ("q1", "q2"):
        with urllib.request.urlopen(f"{server.url}/api/query?query={query}", timeout=3600) as answer:  # noqa: S310 - loopback
            yield from ((query, document) for document in json.load(answer)["view"]["documents"])


def page_line(server: Server, page: Page, token: str, pairs: Iterator[tuple[str, str]]) -> str:
    """How long a page takes: the first time, again with nothing changed, and after each of some votes."""
    first = open_page(server, page)
    again = [open_page(server, page) for _ in range(TIMES)]
    voted = []
    for _ in range(TIMES):
        cast_vote(server, token, next(pairs), next(NUMBERS))
        voted.append(open_page(server, page))
    return f"| {page.title} | {first} | {middle(again)} | {middle(voted)} |"


def middle(times: list[Taken]) -> Taken:
    """The medians."""
    return Taken(*(float(np.median(each)) for each in zip(*times, strict=True)))


def memory_of(server: Server) -> int:
    """Megabytes, where the system tells."""
    import psutil

    return int(psutil.Process(server.process.pid).memory_info().rss) >> 20
