"""A studio as people start it, in a process of its own, that can be killed and started again."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

COMMAND = (sys.executable, "-m", "assay", "studio")
SECONDS_TO_START = 600


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])


class Server:
    """The command, on a port that it keeps when it is started again."""

    def __init__(self, store: str, *arguments: str) -> None:
        self.port = free_port()
        self.command = [*COMMAND, *arguments, "--store", store, "--port", str(self.port), "--no-open"]
        self.process = self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self.command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def wait(self) -> None:
        """Waits until it answers."""
        until = time.monotonic() + SECONDS_TO_START
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise SystemExit(f"the studio ended with {self.process.returncode}: {' '.join(self.command)}")
            try:
                urllib.request.urlopen(f"{self.url}/api/openapi.json", timeout=10).close()  # noqa: S310 - loopback
            except (urllib.error.URLError, ConnectionError, TimeoutError):
                time.sleep(0.1)
            else:
                return
        raise SystemExit("the studio does not answer")

    def cpu_seconds(self) -> float:
        """How long it has computed so far."""
        import psutil

        spent = psutil.Process(self.process.pid).cpu_times()
        return float(spent.user + spent.system)

    def kill(self) -> None:
        """Ends it as a loss of power would end its process."""
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def restart(self) -> None:
        self.kill()
        self.process = self.start()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(60)


@contextmanager
def serving(store: str, *arguments: str) -> Iterator[Server]:
    """A studio until the end of the block."""
    server = Server(store, *arguments)
    try:
        server.wait()
        yield server
        server.stop()
    finally:
        server.process.kill()
        server.process.wait()
