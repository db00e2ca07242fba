"""A server on loopback that sends whatever bytes a test wants, or none, and a probe that asks it with keys.

Question q0 gets a good answer; question q1 gets the hostile one. The keys are in the URL, in a header and in the body.
"""

import gc
import json
import socket
import struct
import tempfile
import threading
import time
from collections import Counter
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from assay.cli.main import commands
from assay.tasks.probe import checkpoint

KEYS = ("s3cret-in-url-0123456", "s3cret-in-header-0123", "s3cret-in-body-01234")
GOOD = b'HTTP/1.1 200 OK\r\nContent-Length: 24\r\nConnection: close\r\n\r\n{"ids": ["d0", "other"]}'
QUESTIONS = {"q0": "question 0", "q1": "question 1"}
FILES = "--checkpoint checkpoint.jsonl --save-run live.run --save-records records.jsonl --save saved.assay"
OUTPUTS = FILES.split()
USUAL = "--queries queries.jsonl --qrels qrels.txt --timeout 9 --retries 0 -m rr -k 5"
BODY = json.dumps({"query": "{query}", "k": "{k}", "auth": {"apiKey": KEYS[2]}})
# What hangs does so for a minute.
SECONDS = 50


def answer(content, headers="", status="200 OK"):
    """A whole response."""
    content = content if isinstance(content, bytes) else json.dumps(content).encode()
    has_length = "Content-Length" in headers or "Transfer-Encoding" in headers
    length = "" if has_length else f"Content-Length: {len(content)}\r\n"
    return f"HTTP/1.1 {status}\r\n{headers}{length}Connection: close\r\n\r\n".encode() + content


class RawServer:
    """Listens on a free port; `behave` is the bytes to send, or a function of the connection that sends them.

    `meet` is called with each connection before anything is read from it, as TLS needs it.
    """

    def __init__(self, behave, *, host="127.0.0.1", meet=None, scheme="http"):
        self.behave = behave
        self.meet = meet or (lambda connection: connection)
        self.scheme = scheme
        self.requests = []
        self.over = threading.Event()
        self.threads = []
        self.socket = socket.create_server((host, 0), family=socket.AF_INET6 if ":" in host else socket.AF_INET)
        self.host = f"[{host}]" if ":" in host else host

    @property
    def port(self):
        return self.socket.getsockname()[1]

    @property
    def url(self):
        return f"{self.scheme}://{self.host}:{self.port}/search"

    def accept(self):
        while not self.over.is_set():
            with suppress(OSError):
                connection, _ = self.socket.accept()
                thread = threading.Thread(target=self.serve, args=(connection,), daemon=True, name="raw-server")
                self.threads.append(thread)
                thread.start()

    def serve(self, connection):
        # A client that has gone is no news.
        with connection, suppress(OSError), self.meet(connection) as stream:
            request = read_request(stream)
            self.requests.append(request)
            if b"question 0" in request or b"question%200" in request:
                stream.sendall(GOOD)
            elif isinstance(self.behave, bytes):
                stream.sendall(self.behave)
            else:
                self.behave(stream, self.over)

    def __enter__(self):
        self.thread = threading.Thread(target=self.accept, daemon=True, name="raw-server")
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.over.set()
        # Wakes `accept`, which closing alone does not.
        with suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        for thread in (self.thread, *self.threads):
            thread.join(10)
            assert not thread.is_alive()


def read_request(stream):
    """A request: its head, and its body if it has a length."""
    received = b""
    while b"\r\n\r\n" not in received:
        part = stream.recv(65536)
        if not part:
            return received
        received += part
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line.split(b":")[1] for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")]
    while lengths and len(body) < int(lengths[0]):
        body += stream.recv(65536)
    return head + b"\r\n\r\n" + body


def hang(before=b""):
    """Sends something, and then nothing more."""

    def behave(stream, over):
        stream.sendall(before)
        over.wait(60)

    return behave


def drip(before, piece, pause=0.02):
    """Sends something, and then a little again and again."""

    def behave(stream, over):
        stream.sendall(before)
        while not over.wait(pause):
            stream.sendall(piece)

    return behave


def flood(before, piece):
    """Sends something, and then as much as there is room for, without end."""

    def behave(stream, over):
        stream.sendall(before)
        while not over.is_set():
            stream.sendall(piece * (1 + 65536 // len(piece)))

    return behave


def reset(before=b""):
    """Sends something, and ends the connection with a reset."""

    def behave(stream, over):  # noqa: ARG001 - what a behaviour is called with
        stream.sendall(before)
        stream.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))

    return behave


class Outcome(NamedTuple):
    """What the command did with the hostile answer: the failure of q1, or the error of all, or q1's documents."""

    code: int
    failure: str
    documents: list | None
    stdout: str
    stderr: str


def probe_in(folder, server, *options, url=None):
    """Runs `assay probe` against a server, and checks what must hold whatever it does."""
    warm_up()
    with nothing_left():
        started = time.monotonic()
        result = run_command(folder, server, *options, url=url)
        elapsed = time.monotonic() - started
    assert elapsed < SECONDS, f"{elapsed:.1f} s"
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    return inspect_outcome(folder, result.exit_code, result.stdout, result.stderr)


def run_command(folder, server, *options, url=None):
    lines = [json.dumps({"_id": query, "text": text}) + "\n" for query, text in QUESTIONS.items()]
    (folder / "queries.jsonl").write_text("".join(lines))
    (folder / "qrels.txt").write_text("q0 0 d0 1\nq1 0 d1 1\n")
    with server, pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setenv("SEARCH_KEY", KEYS[1])
        # Slow on purpose, and the same for every answer.
        patch.setattr(checkpoint, "ROUNDS", 1)
        arguments = [*USUAL.split(), *OUTPUTS, "--header", "X-Api-Key: $SEARCH_KEY", "--body", BODY, *options]
        command = ["probe", f"{url or server.url}?token={KEYS[0]}", *arguments]
        return CliRunner().invoke(commands, command, prog_name="assay")


@cache
def warm_up():
    """What is opened once, such as the threads of other libraries, does not count as left over."""
    with tempfile.TemporaryDirectory() as folder:
        run_command(Path(folder), RawServer(GOOD))


def inspect_outcome(folder, code, stdout, stderr):
    """What was said and written: all of it, without keys, and nothing else."""
    files = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert set(files) == {"queries.jsonl", "qrels.txt", *(OUTPUTS[1::2] if code == 0 else OUTPUTS[1:2])}
    everything = "\n".join([stdout, stderr, *(content.decode("utf-8", "replace") for content in files.values())])
    assert not [part for part in ("s3cret", *(key[-14:] for key in KEYS)) if part in everything], everything
    assert "Traceback" not in everything
    assert [line for line in (stdout + stderr).split("\n") if not line.isprintable()] == []
    said = [line for line in stderr.splitlines() if line.startswith(("failed: q1: ", "assay: "))]
    failure = said[0].removeprefix("failed: q1: ") if said else ""
    entries = [json.loads(line) for line in files["checkpoint.jsonl"].splitlines()[1:]]
    found = {entry["query_id"]: entry["ids"] for entry in entries}
    assert code in (0, 2)
    if code == 0:
        assert found["q0"] == ["d0", "other"]
        assert ("q1" in found) == (not failure)
    else:
        assert (stdout, found) == ("", {})
    return Outcome(code, failure, found.get("q1"), stdout, stderr)


def check_outcome(outcome, expected):
    """Checks that the documents are these, or that the failure begins like this."""
    assert outcome.code == 0
    if isinstance(expected, list):
        assert (outcome.documents, outcome.failure) == (expected, "")
    else:
        assert outcome.failure.startswith(expected), outcome.failure
        assert len(outcome.failure) < 400


@contextmanager
def nothing_left():
    """Checks that neither descriptors nor threads are left."""
    before = open_things()
    yield
    end = time.monotonic() + 60
    while (after := open_things() - before) and time.monotonic() < end:
        time.sleep(0.01)
    assert not after


def open_things():
    """How many threads and descriptors there are."""
    gc.collect()
    return Counter(threads=threading.active_count(), descriptors=sum(1 for _ in Path("/dev/fd").iterdir()))
