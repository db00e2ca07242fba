"""A server that answers every chat after 50 ms, in a process of its own; prints its port and waits to be ended.

It stands for a machine elsewhere, so it takes as little as possible from the client beside it.
"""

from __future__ import annotations

import asyncio
import json

DELAY = 0.05
LENGTH = b"content-length:"
TEXT = json.dumps({"reason": "It says so.", "verdict": True})
CONTENT = json.dumps(
    {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 12},
    }
).encode()
RESPONSE = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(CONTENT)) + CONTENT


class Answers(asyncio.Protocol):
    """Answers one request after another on a connection."""

    def __init__(self) -> None:
        self.received = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.received += data
        head, _, body = self.received.partition(b"\r\n\r\n")
        start = head.lower().find(LENGTH)
        if start < 0 or len(body) < int(head[start + len(LENGTH) :].split(b"\r\n", 1)[0]):
            return
        self.received = b""
        asyncio.get_running_loop().call_later(DELAY, self.transport.write, RESPONSE)  # type: ignore[attr-defined]


async def main() -> None:
    server = await asyncio.get_running_loop().create_server(Answers, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
