"""`HttpSearch`: an HTTP endpoint that takes a question and gives JSON, as a search that `probe` can ask.

Connections are kept for the next call, so that times are those of the search. A redirect is not followed: the time
would be that of two calls, and headers with keys in them would go elsewhere. Proxies are not used.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from collections import deque
from collections.abc import Iterable, Mapping
from threading import Lock

from assay._kernel import __version__
from assay.core.errors import DataError
from assay.live.failures import TryAgain
from assay.live.found import at_path
from assay.live.replies import check, excerpt, trouble
from assay.live.request import DEFAULT_BODY, filled, hide, read_address, read_body, read_headers, secrets_of

LARGEST = 64 << 20
CHUNK = 1 << 16
DEFAULT_TIMEOUT = 30.0
CONNECTIONS = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}

USUAL = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": f"assay/{__version__}"}
Failed = (OSError, http.client.HTTPException)


class HttpSearch:
    """An endpoint that is sent a question as JSON and gives a list of documents.

    `body` is JSON in which `{query}` and `{k}` stand for the question and k. An address with `{query}` in it is asked
    with GET, unless there is a body. `path` says where in the answer the list stands, such as `data.hits`; without it
    the usual names are looked for. A header such as `Authorization: Bearer $TOKEN` takes `$TOKEN` from the environment;
    values of headers are never shown.

    >>> HttpSearch("https://search.example/api?key=s3cret", headers=["X-Key: $$"]).name
    'https://search.example/api'
    """

    def __init__(
        self,
        url: str,
        *,
        body: str | None = None,
        path: str | None = None,
        headers: Iterable[str] = (),
        timeout: float | None = DEFAULT_TIMEOUT,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self.address = read_address(url)
        self.is_get = body is None and "{query}" in self.address.target
        self.body = None if self.is_get else read_body(body or DEFAULT_BODY)
        self.path = path
        own = read_headers(headers, environment)
        given = {name.lower() for name in own.values}
        if self.is_get:
            given.add("content-type")
        self.sent = {name: value for name, value in USUAL.items() if name.lower() not in given} | own.values
        self.secrets = (*own.secrets, *secrets_of(url))
        self.timeout = timeout
        self.idle: deque[http.client.HTTPConnection] = deque()
        self.lock = Lock()
        # All that decides what is found, for a checkpoint; a key does not.
        self.request = json.dumps([hide(url, self.secrets), self.body, path])

    @property
    def name(self) -> str:
        """The address, without what may be secret in it."""
        return self.address.name

    def __repr__(self) -> str:
        return f"HttpSearch({self.name!r})"

    def hide(self, text: str) -> str:
        """The text without what is secret, should the other side have sent it back."""
        return hide(text, self.secrets)

    def close(self) -> None:
        """Closes the connections that are kept; the next call opens one anew."""
        with self.lock:
            idle, self.idle = self.idle, deque()
        for connection in idle:
            connection.close()

    def __call__(self, question: str, k: int) -> object:
        """What the endpoint finds; raises `DataError` where another attempt would end the same, else `TryAgain`."""
        try:
            return self.read_found(self.fetch(question, k))
        except DataError as error:
            raise DataError(self.hide(str(error))) from None
        except TryAgain as error:
            raise TryAgain(self.hide(str(error)), error.after) from None

    def read_found(self, content: bytes) -> object:
        """What the answer holds."""
        try:
            found = json.loads(content)
        except (ValueError, RecursionError):
            raise DataError(f"the answer is not JSON: {excerpt(content)}") from None
        if found == {}:
            raise DataError("the answer is an empty object")
        return found if self.path is None else at_path(found, self.path)

    def fetch(self, question: str, k: int) -> bytes:
        """The content of the answer."""
        while True:
            is_used, connection = self.connection()
            try:
                return self.exchange(connection, question, k)
            except Failed as error:
                connection.close()
                # The other side may have closed a connection that was kept: that is no failure yet.
                if not is_used or not isinstance(error, (ConnectionError, http.client.BadStatusLine)):
                    raise TryAgain(trouble(error, self.timeout)) from None

    def connection(self) -> tuple[bool, http.client.HTTPConnection]:
        """A connection, and whether it was used before."""
        try:
            return True, self.idle.pop()
        except IndexError:
            make = CONNECTIONS[self.address.scheme]
            return False, make(self.address.host, self.address.port, timeout=self.timeout)

    def exchange(self, connection: http.client.HTTPConnection, question: str, k: int) -> bytes:
        """Sends the question and reads the answer."""
        idle = self.idle
        content = None if self.is_get else json.dumps(filled(self.body, question, k)).encode()
        connection.request("GET" if self.is_get else "POST", self.address.path(question, k), content, self.sent)
        response = connection.getresponse()
        try:
            answer = self.read(response)
        except DataError:
            connection.close()
            raise
        with self.lock:
            # Others were let go while this call was under way.
            is_kept = idle is self.idle and not response.will_close
            if is_kept:
                idle.append(connection)
        if not is_kept:
            connection.close()
        check(response, answer)
        return answer

    def read(self, response: http.client.HTTPResponse) -> bytes:
        """All of the answer, unless it is too long or comes too slowly."""
        end = None if self.timeout is None else time.monotonic() + self.timeout
        parts, size = [], 0
        while part := response.read1(CHUNK):
            parts.append(part)
            size += len(part)
            if size > LARGEST:
                raise DataError(f"the answer is longer than {LARGEST >> 20} MiB")
            if end is not None and time.monotonic() > end:
                raise TimeoutError
        if response.length:
            raise http.client.IncompleteRead(b"", response.length)
        # What was read piece by piece does not count as read until it is closed.
        response.close()
        return b"".join(parts)
