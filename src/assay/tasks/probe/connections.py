"""Connections to one host, kept for the next call until they are closed for good."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from http.client import HTTPConnection
from threading import Lock


class Connections:
    """Connections that nobody uses just now; after `close`, what comes back is closed too, however late."""

    def __init__(self, make: Callable[[], HTTPConnection]) -> None:
        self.make = make
        self.idle: deque[HTTPConnection] = deque()
        self.is_closed = False
        self.lock = Lock()

    def take(self) -> tuple[bool, HTTPConnection]:
        """A connection, and whether it was used before."""
        with self.lock:
            if self.idle:
                return True, self.idle.pop()
        return False, self.make()

    def give_back(self, connection: HTTPConnection) -> None:
        """Keeps a connection for the next call."""
        with self.lock:
            if not self.is_closed:
                self.idle.append(connection)
                return
        connection.close()

    def close(self) -> None:
        """Closes what is kept, and keeps nothing any more."""
        with self.lock:
            self.is_closed = True
            idle, self.idle = self.idle, deque()
        for connection in idle:
            connection.close()
