"""The studio under load, written to docs/reliability.md: many voters at once, kills, and a very large pool.

Run by `make studio-load`. Every vote has a key; at the end the store must have each acknowledged key exactly once, with
the vote that was sent, and nothing else.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import threading
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from studio_large import DOCUMENTS, page_lines
from studio_process import Server, serving
from studio_voters import Load, Tally, vote_together

from assay.studio.store import Store

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = 20
DOCUMENT = Path(__file__).parents[1] / "docs" / "reliability.md"
START, END = "<!-- studio -->", "<!-- /studio -->"


class Figures(NamedTuple):
    """What came of a load."""

    store: str
    title: str
    votes: int
    per_second: float
    p50: float
    p95: float
    p99: float
    cpu: float | None
    sent_again: int
    lost: int
    doubled: int
    longest_wait: float


def read_json(url: str) -> Any:  # noqa: ANN401 - whatever is there
    with urllib.request.urlopen(url, timeout=60) as answer:  # noqa: S310 - loopback
        return json.load(answer)


def pairs_of(server: Server) -> list[tuple[str, str]]:
    """Pairs to vote on."""
    rows = read_json(f"{server.url}/api/queries?limit=500")["rows"]
    return [
        (row["query"], document)
        for row in rows
        for document in read_json(f"{server.url}/api/query?query={row['query']}")["view"]["documents"]
    ]


def watch(server: Server, load: Load, tally: Tally) -> None:
    """Lets the time pass; kills the server evenly over the time that it serves, and starts it again at once."""
    time.sleep(load.seconds / (load.kills + 1))
    for _ in range(load.kills):
        server.restart()
        server.wait()
        time.sleep(load.seconds / (load.kills + 1))
    tally.is_over.set()


def load_store(store: str, name: str, load: Load) -> Figures:
    """Puts a load on a studio with an empty store, and counts."""
    with Store.open(store) as opened:
        tokens = [opened.add_token(f"program {number}") for number in range(PROGRAMS)]
    with serving(store) as server:
        pairs = pairs_of(server)
        tally = Tally()
        watching = threading.Thread(target=watch, args=(server, load, tally))
        start, busy = time.monotonic(), server.cpu_seconds()
        watching.start()
        asyncio.run(vote_together(server.port, tokens, pairs, load, tally))
        taken, busy = time.monotonic() - start, server.cpu_seconds() - busy
        watching.join()
    lost, doubled = count(store, tally)
    cuts = statistics.quantiles(tally.seconds, n=100)
    votes = len(tally.votes)
    # A server that was killed has not told how busy it was.
    cpu = None if load.kills else busy / votes
    times = (votes / taken, cuts[49], cuts[94], cuts[98])
    return Figures(name, load.title, votes, *times, cpu, tally.retries, lost, doubled, tally.longest_wait)


def count(store: str, tally: Tally) -> tuple[int, int]:
    """How many acknowledged votes are not in the store as they were sent, and how many of its events are too many."""
    with Store.open(store) as opened:
        events = opened.events()
    recorded = {event.key: (event.query, event.document, event.voter, event.vote) for event in events}
    lost = sum(recorded.get(key) != vote for key, vote in tally.votes.items())
    return lost, len(events) - len(tally.votes)


@contextmanager
def stores(folder: Path) -> Iterator[dict[str, list[str]]]:
    """Places for new stores of both kinds, three of each."""
    import pgserver

    (folder / "pg").mkdir()
    with pgserver.get_server(folder / "pg") as server:
        names = [f"studio{number}" for number in range(3)]
        for name in names:
            server.psql(f"CREATE DATABASE {name}")
        files = [str(folder / f"{name}.sqlite") for name in names]
        yield {"SQLite": files, "PostgreSQL": [server.get_uri(name) for name in names]}


def load_lines(folder: Path, voters: int, seconds: float) -> list[str]:
    """The table of all loads on both stores."""
    loads = [
        Load("each about once a second", voters, seconds, pause=1.0),
        Load("as fast as they can", voters, seconds),
        Load("the same, killed ten times", voters, seconds, kills=10),
    ]
    found = []
    with stores(folder) as places:
        for name, where in places.items():
            for load, place in zip(loads, where, strict=True):
                found.append(load_store(place, name, load))
                print(found[-1], flush=True)
    head = [
        "| store | voting | votes | per second | p50 ms | p95 ms | p99 ms | CPU ms | sent again | lost | doubled |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    return [*head, *map(as_line, found)]


def as_line(row: Figures) -> str:
    times = " | ".join(f"{1000 * each:,.0f}" for each in (row.p50, row.p95, row.p99))
    cpu = "" if row.cpu is None else f"{1000 * row.cpu:.1f}"
    counts = f"{row.sent_again:,} | {row.lost} | {row.doubled}"
    return f"| {row.store} | {row.title} | {row.votes:,} | {row.per_second:,.0f} | {times} | {cpu} | {counts} |"


def write_section(lines: list[str]) -> None:
    text = DOCUMENT.read_text()
    before, _, rest = text.partition(START)
    after = rest.partition(END)[2]
    DOCUMENT.write_text(f"{before}{START}\n" + "\n".join(lines) + f"\n{END}{after}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--voters", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--queries", type=int, default=100_000, help="queries of the large pool; 0 leaves it out")
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        lines = load_lines(folder, chosen.voters, chosen.seconds) if chosen.voters else []
        if chosen.queries:
            pool = f"With {chosen.queries:,} queries and {DOCUMENTS} documents each in the pool:"
            lines += ["", pool, "", *page_lines(folder, chosen.queries)]
    print("\n".join(lines))
    if chosen.write:
        write_section(lines)


if __name__ == "__main__":
    main()
