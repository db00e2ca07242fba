"""Many voters at once, over HTTP: each sends a vote, waits for the answer, and sends it again until there is one."""

from __future__ import annotations

import asyncio
import json
import random
import threading
import time
from dataclasses import dataclass, field

OK, CREATED, TOO_MANY, BROKEN = 200, 201, 429, 500
PAUSE = 0.05


@dataclass
class Tally:
    """What was sent and acknowledged: votes by key, seconds until each answer, and how often a vote was sent again."""

    votes: dict[str, tuple[str, str, str, float]] = field(default_factory=dict)
    seconds: list[float] = field(default_factory=list)
    retries: int = 0
    known: int = 0
    last: float = 0.0
    longest_wait: float = 0.0
    is_over: threading.Event = field(default_factory=threading.Event)


class Connection:
    """One connection that is kept, as a browser keeps it."""

    def __init__(self, port: int, token: str) -> None:
        self.port = port
        self.head = f"Host: 127.0.0.1:{port}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
        self.streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        """The status and the body of the answer."""
        if self.streams is None:
            self.streams = await asyncio.open_connection("127.0.0.1", self.port)
        reader, writer = self.streams
        writer.write(f"POST {path} HTTP/1.1\r\n{self.head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        await writer.drain()
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").lower()
        size = int(head.partition("content-length:")[2].partition("\r\n")[0])
        content = await reader.readexactly(size)
        if "connection: close" in head:
            self.close()
        return int(head.split(" ", 2)[1]), content

    def close(self) -> None:
        if self.streams is not None:
            self.streams[1].close()
            self.streams = None


async def send(connection: Connection, vote: dict[str, object], tally: Tally) -> None:
    """Sends a vote, with the same key, until it is acknowledged."""
    body = json.dumps(vote).encode()
    while True:
        try:
            status, content = await asyncio.wait_for(connection.post("/api/votes", body), 30)
        except (OSError, EOFError, TimeoutError, asyncio.IncompleteReadError, ValueError):
            connection.close()
            status, content = BROKEN, b""
        if status in (OK, CREATED):
            tally.known += status == OK
            return
        if status < BROKEN and status != TOO_MANY:
            raise SystemExit(f"the studio refused a vote ({status}): {content.decode()}")
        tally.retries += 1
        await asyncio.sleep(PAUSE)


@dataclass(frozen=True)
class Load:
    """How many vote, for how long, how many seconds apart, and how often the server is killed meanwhile."""

    title: str
    voters: int
    seconds: float
    pause: float = 0.0
    kills: int = 0


async def vote_until(connection: Connection, name: str, pairs: list[tuple[str, str]], load: Load, tally: Tally) -> None:
    """One voter, who votes until the time is over."""
    chance = random.Random(name)  # noqa: S311 - not for secrets
    number = 0
    await asyncio.sleep(chance.random() * load.pause)
    while not tally.is_over.is_set():
        (query, document), grade = chance.choice(pairs), float(chance.randint(0, 3))
        key = f"{name} {number}"
        vote = {"query": query, "document": document, "voter": name, "vote": grade, "key": key}
        start = time.monotonic()
        await send(connection, vote, tally)
        now = time.monotonic()
        tally.votes[key] = (query, document, name, grade)
        tally.seconds.append(now - start)
        tally.longest_wait = max(tally.longest_wait, now - tally.last)
        tally.last = now
        number += 1
        if load.pause:
            await asyncio.sleep(max(0.0, load.pause * (0.5 + chance.random()) - (now - start)))
    connection.close()


async def vote_together(port: int, tokens: list[str], pairs: list[tuple[str, str]], load: Load, tally: Tally) -> None:
    """All voters at once, until it is over; those who share a token are users of one program."""
    tally.last = time.monotonic()
    connections = [Connection(port, tokens[number % len(tokens)]) for number in range(load.voters)]
    names = [f"voter {number}" for number in range(load.voters)]
    voting = (vote_until(*each, pairs, load, tally) for each in zip(connections, names, strict=True))
    await asyncio.gather(*voting)
