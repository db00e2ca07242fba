"""A server with the chat completions of OpenAI's interface, on loopback, that replies as a script says."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def completion(text, **choice):
    """A response with one choice, as servers send it."""
    message = {"role": "assistant", "content": text} | choice.pop("message", {})
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {"choices": [{"index": 0, "finish_reason": "stop", "message": message} | choice], "usage": usage}


def drip(reply, seconds):
    """A whole response with this JSON, one byte at a time, with a pause after each."""
    content = json.dumps(reply).encode()
    head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n\r\n"
    for byte in head.encode() + content:
        yield bytes([byte])
        time.sleep(seconds)


class Chats:
    """What was asked, and the replies to come: the last one again and again.

    A reply is a dict (sent as JSON), a status, a pair of status and headers, bytes sent as they are (no HTTP around
    them), an iterator of such bytes, or a function from the body of the request to one of these.
    """

    def __init__(self, *replies):
        self.replies = list(replies)
        self.bodies = []
        self.headers = []
        self.times = []
        self.lock = threading.Lock()
        self.url = ""

    def take(self, body, headers):
        with self.lock:
            self.bodies.append(body)
            self.headers.append(headers)
            self.times.append(time.monotonic())
            reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        return reply(body) if callable(reply) else reply


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    # Without this, a small response waits for the acknowledgement of its headers.
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.server.chats.take({"path": self.path, **body}, dict(self.headers))
        if isinstance(reply, bytes | Iterator):
            for part in [reply] if isinstance(reply, bytes) else reply:
                self.wfile.write(part)
            self.close_connection = True
            return
        status, headers = (200, {}) if isinstance(reply, dict) else reply if isinstance(reply, tuple) else (reply, {})
        content = json.dumps(reply if isinstance(reply, dict) else {"error": {"message": f"status {status}"}}).encode()
        self.send_response(status)
        for name, value in ({"Content-Type": "application/json"} | headers).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, *_):
        """A client that goes away is no error of the server's."""


@contextmanager
def serve(*replies):
    """A server with these replies, for as long as the context lasts."""
    chats = Chats(*replies)
    with Server(("127.0.0.1", 0), Handler) as server:
        server.chats = chats
        chats.url = f"http://127.0.0.1:{server.server_port}/v1"
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield chats
        finally:
            server.shutdown()
