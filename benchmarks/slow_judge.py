"""A server that answers every chat after 50 ms, in a process of its own; prints its port and waits to be ended."""

from __future__ import annotations

import asyncio
import json

DELAY = 0.05
TEXT = json.dumps({"reason": "It says so.", "verdict": True})
CONTENT = json.dumps(
    {
        "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": TEXT}}],
        "usage": {"prompt_tokens": 200, "completion_tokens": 12},
    }
).encode()
RESPONSE = (b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(CONTENT)) + CONTENT


async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answers one request after another."""
    try:
        while True:
            head = await reader.readuntil(b"\r\n\r\n")
            length = next(line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:"))
            await reader.readexactly(int(length.split(b":")[1]))
            await asyncio.sleep(DELAY)
            writer.write(RESPONSE)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


async def main() -> None:
    server = await asyncio.start_server(answer, "127.0.0.1", 0, backlog=256)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
