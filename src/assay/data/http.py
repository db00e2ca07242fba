"""HTTP: one client for everything that talks to a server, and what keeps keys out of its messages.

httpx2 opens, pools and closes connections and speaks TLS. This file adds what its callers need: limits on the time and
the size of a response, which failures may pass and how long to wait before a retry, and messages without secrets.
Its transport is used without the client on top: that one would keep cookies and write whole addresses to the log.
Redirects are not followed, since keys would go elsewhere; proxy settings of the environment are ignored.

Any value of a header, and anything after the `?` of an address, may be a key. The server may send it back as it was
sent, decoded, or escaped. A text of four or more characters is hidden wherever it occurs; a shorter one could occur in
any message, so it is hidden only right after its name.
"""

from __future__ import annotations

import json
import re
import socket
import time
from collections.abc import Iterable, Iterator, Mapping
from email.utils import parsedate_to_datetime
from functools import cache
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, quote_plus, unquote, unquote_plus

from assay.core.errors import AssayError, DataError
from assay.core.text import printable

if TYPE_CHECKING:
    import ssl

    import httpx2

LARGEST = 64 << 20
# Shorter than the five seconds after which common servers close an idle connection.
IDLE_SECONDS = 4.0
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_EXCERPT = 80
# Too slow or too many requests: like a server's own failure, these may pass.
PASSING = (408, 425, 429)
OK, REDIRECT, REFUSED, BROKEN = 200, 300, 400, 500

# Characters that are left as they are in an address; anything else is percent-encoded.
KEPT = "/%:=&?~+!$,;'@()*[]"
SHORTEST_SECRET = 4
# A word of a header's value, such as the one after `Bearer`, is hidden by itself if it is as long as keys are.
SHORTEST_WORD = 8
MARK = "…"
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([/\\\"]))")


class TemporaryError(Exception):
    """A request failed in a way that may pass; `after` is how many seconds the server asked to wait, if it did."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def pause_before_retry(attempt: int, error: BaseException | None) -> float:
    """The seconds to wait after a failed attempt: twice as long each time, or what the server asked for.

    >>> pause_before_retry(1, None), pause_before_retry(3, None), pause_before_retry(1, TemporaryError("busy", 7))
    (0.5, 2.0, 7)
    """
    after = error.after if isinstance(error, TemporaryError) else None
    return min(FIRST_PAUSE * 2 ** (attempt - 1) if after is None else after, LONGEST_PAUSE)


class Secret(NamedTuple):
    """A text that must not be shown, and its name."""

    name: str
    value: str


class HttpClient:
    """Connections that are kept between requests, with limits; may be used from many threads.

    `timeout` is a limit in seconds, or None for none. It applies to connecting, to each wait for data, and to the time
    from the request on, which is checked after each part of the content: headers sent bit by bit can take longer.
    """

    def __init__(self, *, timeout: float | None, secrets: Iterable[Secret] = ()) -> None:
        self.timeout = timeout
        self.secrets = tuple(secrets)
        self._is_closed = False
        self._transport = open_transport()

    def send(self, method: str, url: str, *, headers: Mapping[str, str], content: bytes | None = None) -> bytes:
        """The content of the response. Raises `TemporaryError` if a retry may help, else `DataError`."""
        try:
            if not self._is_closed:
                return self._exchange(self._transport, method, url, headers, content)
            with open_transport() as transport:
                return self._exchange(transport, method, url, headers, content)
        except DataError as error:
            raise DataError(self.hide(str(error))) from None
        except TemporaryError as error:
            raise TemporaryError(self.hide(str(error)), error.after) from None

    def hide(self, text: str) -> str:
        """The text without secrets."""
        return hide(text, self.secrets)

    def close(self) -> None:
        """Closes all connections, those in use too; a later request gets a connection for itself alone."""
        self._is_closed = True
        self._transport.close()

    def _exchange(
        self,
        transport: httpx2.HTTPTransport,
        method: str,
        url: str,
        headers: Mapping[str, str],
        content: bytes | None,
    ) -> bytes:
        import httpx2

        end = None if self.timeout is None else time.monotonic() + self.timeout
        try:
            limits = httpx2.Timeout(self.timeout).as_dict()
            request = httpx2.Request(method, url, headers=headers, content=content, extensions={"timeout": limits})
            response = transport.handle_request(request)
            try:
                received = b"".join(receive(response, end))
            finally:
                response.close()
                if self._is_closed:
                    # It was still being opened when the others were closed.
                    response.extensions["network_stream"].close()
        except httpx2.InvalidURL as error:
            raise DataError(f"invalid address: {error}") from None
        except (httpx2.TimeoutException, TimeoutError):
            raise TemporaryError(f"no response within {self.timeout or 0:g} s") from None
        except httpx2.RequestError as error:
            raise TemporaryError(describe_failure(error)) from None
        check_status(response, received)
        return received


def open_transport() -> httpx2.HTTPTransport:
    """A pool of connections without limits of its own: callers decide how many requests they make at a time."""
    try:
        import httpx2
    except ImportError:
        raise AssayError('HTTP needs the package httpx2; install it with: pip install "assay[probe]"') from None
    limits = httpx2.Limits(keepalive_expiry=IDLE_SECONDS)
    return httpx2.HTTPTransport(verify=tls_settings(), trust_env=False, limits=limits)


@cache
def tls_settings() -> ssl.SSLContext:
    """The certificates to trust: slow to load, so loaded once."""
    import httpx2

    return httpx2.create_ssl_context()


def receive(response: httpx2.Response, end: float | None) -> Iterator[bytes]:
    """The response, piece by piece, unless it is too long or too slow."""
    size = 0
    for part in response.iter_bytes():
        yield part
        size += len(part)
        if size > LARGEST:
            raise DataError(f"the response is larger than {LARGEST >> 20} MiB")
        if end is not None and time.monotonic() > end:
            raise TimeoutError


def check_status(response: httpx2.Response, content: bytes) -> None:
    """Raises unless the status is a success."""
    status = response.status_code
    if OK <= status < REDIRECT:
        return
    said = f"HTTP {status} {shorten(response.reason_phrase)}".strip()
    if status < REFUSED:
        target = response.headers.get("Location", "").partition("?")[0]
        where = f" to {shorten(target)}" if target else ""
        raise DataError(f"{said}: redirected{where}; redirects are not followed, use the final address")
    said += f": {excerpt(content)}" if content.strip() else ""
    if status in PASSING or status >= BROKEN:
        raise TemporaryError(said, seconds_to_wait(response.headers.get("Retry-After")))
    raise DataError(said)


def describe_failure(error: httpx2.RequestError) -> str:
    """A connection or a response that failed, in words."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, socket.gaierror):
            return f"host not found: {cause.strerror}"
        if isinstance(cause, OSError):
            return f"connection failed: {cause.strerror or type(cause).__name__}"
        cause = cause.__cause__ or cause.__context__
    return f"invalid response: {shorten(str(error))}"


def seconds_to_wait(value: str | None) -> float | None:
    """The meaning of `Retry-After`: seconds, or a date."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def excerpt(content: bytes) -> str:
    """The beginning of a response, in quotes."""
    if not content.strip():
        return "it is empty"
    return "'" + shorten(" ".join(content[: 4 * LONGEST_EXCERPT].decode("utf-8", "replace").split())) + "'"


def shorten(text: str) -> str:
    return printable(text[:LONGEST_EXCERPT] + (MARK if len(text) > LONGEST_EXCERPT else ""))


def secrets_in_headers(values: Mapping[str, str], substituted: Iterable[str] = ()) -> list[Secret]:
    """The values of headers, what was substituted in them, and the long words in them except the first."""
    secrets = [Secret(name, value) for name, value in values.items()] + [Secret("", value) for value in substituted]
    for value in values.values():
        words = re.split(r"[\s;,=]+", value)[1:]
        secrets += [Secret("", word) for word in words if len(word) >= SHORTEST_WORD]
    return [secret for secret in secrets if secret.value]


def hide(text: str, secrets: Iterable[Secret]) -> str:
    r"""The text without secrets, and without the beginning of a secret that was cut off.

    >>> secrets = [Secret("key", "s3cret/key"), Secret("v", "4")]
    >>> hide("got s3cret%2Fkey and s3cret…, HTTP 404, v=4", secrets)
    'got … and …, HTTP 404, …'
    >>> hide(r"got s3cret\/key and s3cret\u002Fkey", secrets)
    'got … and …'
    """
    # The longest first, so that no part of one is left over.
    forms = sorted({form for secret in secrets for form in shown_forms(secret)}, key=len, reverse=True)
    hidden = remove_forms(text, forms)
    # JSON may escape any character; if escapes concealed a secret, the text is shown without them.
    plain = ESCAPE.sub(unescape, hidden)
    clear = remove_forms(plain, forms)
    return hidden if clear == plain else clear


def remove_forms(text: str, forms: Iterable[str]) -> str:
    """The text without these forms, and without their beginnings where it was cut."""
    for form in forms:
        text = text.replace(form, MARK)
        for length in range(min(len(form) - 1, len(text)), SHORTEST_SECRET - 1, -1):
            text = text.replace(form[:length] + MARK, MARK)
    return text


def unescape(escape: re.Match[str]) -> str:
    """The character that a JSON escape stands for."""
    return chr(int(escape[1], 16)) if escape[1] else escape[2]


def shown_forms(secret: Secret) -> list[str]:
    """Every way in which a secret may appear in a message."""
    forms = encoded_forms(secret.value)
    long = [form for form in forms if len(form) >= SHORTEST_SECRET]
    short = [form for form in forms if len(form) < SHORTEST_SECRET]
    before = [f"{name}{sign}" for name in encoded_forms(secret.name) for sign in ("=", ": ", ":")] or ["?"]
    return long + [f"{name}{form}" for form in short for name in before]


def encoded_forms(text: str) -> set[str]:
    """A text as it is, decoded, encoded, and as JSON and assay's messages write it.

    >>> sorted(encoded_forms("a%2Fb"))
    ['a%252Fb', 'a%2Fb', 'a%2fb', 'a/b']
    """
    if not text:
        return set()
    plain = {text, unquote(text), unquote_plus(text)}
    encoded = {
        write(each, safe=safe, errors="replace")
        for each in plain
        for write in (quote, quote_plus)
        for safe in (KEPT, "")
    }
    lower = {re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), each) for each in encoded}
    escaped = {json.dumps(each, ensure_ascii=is_ascii)[1:-1] for each in plain for is_ascii in (True, False)}
    forms = plain | encoded | lower | escaped
    return {printable(" ".join(each.split())) for each in forms} - {""}
