"""`HttpSearch`: an HTTP endpoint that takes a question and gives JSON, as a search that `probe` can ask.

Connections are kept for the next call, so that times are those of the search. A redirect is not followed: the time
would be that of two calls, and headers with keys in them would go elsewhere. Proxies are not used.
"""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Iterable, Mapping
from copy import copy

from assay._kernel import __version__
from assay.core.errors import DataError
from assay.tasks.probe.connections import Connections
from assay.tasks.probe.failures import TryAgain
from assay.tasks.probe.found import at_path, is_scores, look_for_list, no_list
from assay.tasks.probe.hiding import hide, in_address, in_headers
from assay.tasks.probe.replies import check, excerpt, trouble
from assay.tasks.probe.request import DEFAULT_BODY, filled, read_address, read_body, read_headers

LARGEST = 64 << 20
CHUNK = 1 << 16
DEFAULT_TIMEOUT = 30.0
CONNECTIONS: dict[str, type[http.client.HTTPConnection]] = {
    "http": http.client.HTTPConnection,
    "https": http.client.HTTPSConnection,
}

USUAL = {"Accept": "application/json", "Content-Type": "application/json", "User-Agent": f"assay/{__version__}"}
Failed = (OSError, http.client.HTTPException)


class HttpSearch:
    """An endpoint that is sent a question as JSON and gives a list of documents.

    `body` is JSON in which `{query}` and `{k}` stand for the question and k. An address with `{query}` in it is asked
    with GET, unless there is a body. `path` says where in the answer the list stands, such as `data.hits`; without it
    the usual names are looked for. An answer that is a dict of ids and scores is taken for one only where `path` says
    so: "." is the whole answer. A header such as `Authorization: Bearer $TOKEN` takes `$TOKEN` from the environment.
    Values of headers, and what stands behind the question mark of the address, are never shown.

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
        self.secrets = [*in_address(url), *in_headers(own.values, own.used)]
        self.timeout = timeout
        self.connections = Connections(self.connect)
        # All that decides what is found, for a checkpoint, which keeps a digest of it.
        sent = sorted((name.lower(), value) for name, value in own.values.items())
        self.request = json.dumps([self.method, url, self.body, path, sent])

    @property
    def name(self) -> str:
        """The address, without what may be secret in it."""
        return self.address.name

    @property
    def method(self) -> str:
        """How the endpoint is asked."""
        return "GET" if self.is_get else "POST"

    def __repr__(self) -> str:
        return f"HttpSearch({self.name!r})"

    def hide(self, text: str) -> str:
        """The text without what is secret, should the other side have sent it back."""
        return hide(text, self.secrets)

    def opened(self) -> HttpSearch:
        """The same search with connections of its own, which can be closed while this one goes on."""
        search = copy(self)
        search.connections = Connections(self.connect)
        return search

    def connect(self) -> http.client.HTTPConnection:
        """A connection that is not used yet."""
        return CONNECTIONS[self.address.scheme](self.address.host, self.address.port, timeout=self.timeout)

    def close(self) -> None:
        """Closes the connections that are kept; a later call has one for itself alone."""
        self.connections.close()

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
        if self.path is not None:
            return at_path(found, self.path)
        if isinstance(found, dict) and look_for_list(found) is None:
            raise no_list(found, "if these are ids with scores, give the path '.'" if is_scores(found) else "")
        return found

    def fetch(self, question: str, k: int) -> bytes:
        """The content of the answer."""
        while True:
            is_used, connection = self.connections.take()
            try:
                response, answer = self.exchange(connection, question, k)
            except Failed as error:
                connection.close()
                # The other side may have closed a connection that was kept: that is no failure yet.
                if not is_used or not isinstance(error, (ConnectionError, http.client.BadStatusLine)):
                    raise TryAgain(trouble(error, self.timeout)) from None
                continue
            except BaseException:
                connection.close()
                raise
            if response.will_close:
                connection.close()
            else:
                self.connections.give_back(connection)
            check(response, answer)
            return answer

    def exchange(
        self, connection: http.client.HTTPConnection, question: str, k: int
    ) -> tuple[http.client.HTTPResponse, bytes]:
        """Sends the question and reads the answer."""
        content = None if self.is_get else json.dumps(filled(self.body, question, k)).encode()
        connection.request(self.method, self.address.path(question, k), content, self.sent)
        response = connection.getresponse()
        return response, self.read(response)

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
