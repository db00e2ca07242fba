"""A search on this computer that answers over HTTP, as well or as badly as a test wants."""

import json
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import parse_qs, urlsplit

INDEX = {f"question {number}": [f"d{number}", f"e{number}"] for number in range(40)}
QUESTIONS = {f"q{number}": f"question {number}" for number in range(40)}
QRELS = {f"q{number}": [f"d{number}"] for number in range(40)}


class Reply(NamedTuple):
    """What to send: JSON unless it is bytes."""

    content: object = None
    status: int = 200
    headers: dict = MappingProxyType({})
    hang: bool = False


def found(question, times):  # noqa: ARG001 - what a behaviour is called with
    """What a good search does."""
    return Reply({"results": [{"id": each} for each in INDEX[question]]})


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.answer(body.get("query", ""), body)

    def do_GET(self):
        values = {name: value[0] for name, value in parse_qs(urlsplit(self.path).query).items()}
        self.answer(values.get("q", ""), values)

    def answer(self, question, body):
        server = self.server
        with server.lock:
            server.asked[question] += 1
            server.requests.append((self.command, self.path, body, dict(self.headers)))
            server.in_flight += 1
            server.most_in_flight = max(server.most_in_flight, server.in_flight)
            times = server.asked[question]
        time.sleep(server.delay)
        reply = server.behave(question, times)
        with server.lock:
            server.in_flight -= 1
        self.send(reply)

    def send(self, reply):
        if reply.hang:
            self.server.over.wait(30)
            self.close_connection = True
            return
        content = reply.content if isinstance(reply.content, bytes) else json.dumps(reply.content).encode()
        self.send_response(reply.status)
        for name, value in {"Content-Length": str(len(content)), **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        """Keeps quiet."""


class SearchServer(ThreadingHTTPServer):
    """Serves on a free port. `behave` is called with the question and how often it was asked."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, behave=found, delay=0.0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave = behave
        self.delay = delay
        self.asked = Counter()
        self.requests = []
        self.in_flight = self.most_in_flight = 0
        self.connections = self.open_connections = 0
        self.lock = threading.Lock()
        self.over = threading.Event()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/search"

    def process_request(self, request, client_address):
        with self.lock:
            self.connections += 1
            self.open_connections += 1
        super().process_request(request, client_address)

    def shutdown_request(self, request):
        super().shutdown_request(request)
        with self.lock:
            self.open_connections -= 1

    def wait_until_closed(self):
        """Whether every connection is closed, at last."""
        end = time.monotonic() + 60
        while self.open_connections and time.monotonic() < end:
            time.sleep(0.01)
        return self.open_connections == 0

    def handle_error(self, *_):
        """A client that has gone is no news."""

    def __enter__(self):
        threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.over.set()
        self.shutdown()
        self.server_close()
