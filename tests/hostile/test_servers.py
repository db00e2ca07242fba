"""Servers that break HTTP: each question ends with a reason or a ranking, soon, in little memory, without keys."""

import gzip
import logging
import math
import time
import zlib
from collections.abc import Callable
from typing import NamedTuple

import pyarrow
import pytest

from assay.net import http
from raw_server import KEYS, RawServer, answer, check_outcome, drip, flood, hang, probe_in, reset
from tables import for_each, with_hostile

pytestmark = pytest.mark.attack("Servers")

OK = b"HTTP/1.1 200 OK\r\n"
IDS = b'["d1"]'
LATE = "no response within 2 s"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"
CUT = "invalid response: peer closed connection without sending complete message body"
NOTHING = "invalid response: Server disconnected without sending a response."


def encoded(content, encoding):
    return answer(content, f"Content-Encoding: {encoding}\r\n")


class Bomb(NamedTuple):
    """200 MB of blanks in a small response, made when a test needs it."""

    compress: Callable[[bytes], bytes]
    encoding: str

    def make(self):
        return encoded(self.compress(b" " * (200 << 20)), self.encoding)


# What the server sends, and how the failure begins, or the documents.
WIRE = [
    *((each, LATE) for each in (
        hang(), drip(b"", b"H"), drip(OK + b"X: ", b"x"), drip(OK, b"X: 1\r\n"), drip(OK + b"\r\n[", b" "),
        drip(OK + b"Content-Length: 9999\r\n\r\n[", b" "), drip(CHUNKED, b"1\r\n \r\n"), hang(b"HTTP/1.1 2"),
        hang(OK + b"Content-"), hang(answer(IDS)[:-2]), hang(CHUNKED + b"2\r\n[]\r\n"), flood(CHUNKED, b"1\r\n \r\n"),
        drip(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"),
    )),
    (b"", NOTHING),
    *((reset(each), "connection failed: Connection reset by peer") for each in (b"", OK, answer(IDS)[:-2])),
    *((each, "invalid response: Receive buffer too long") for each in (
        flood(b"HTTP/1.1 200 ", b"x"), flood(OK, b"X: 1\r\n"), flood(OK + b"X: ", b"x"), flood(CHUNKED + b"1;x=", b"x"),
        flood(CHUNKED + b"0\r\n", b"X: 1\r\n"), answer(IDS, f"X: {'x' * 1_000_000}\r\n"),
        answer(IDS, "X: 1\r\n" * 30_000),
    )),
    (flood(OK + b"\r\n[", b" "), "the response is larger than 64 MiB"),
    (Bomb(gzip.compress, "gzip"), "the response is larger than 64 MiB"),
    (flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), "the response does not end"),
    *((each, ["d1"]) for each in (
        answer(IDS + b"garbage", "Content-Length: 6\r\n"), answer(IDS, "Content-Length: 6\r\nContent-Length: 6\r\n"),
        answer(b"6\r\n" + IDS + b"\r\n0\r\n\r\n", "Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
        CHUNKED + b"6\r\n" + IDS + b"\r\n0\r\n\r\ngarbage", CHUNKED + b"6;x=1\r\n" + IDS + b"\r\n0\r\nX: 1\r\n\r\n",
        encoded(gzip.compress(IDS), "gzip"), encoded(gzip.compress(IDS), "GZIP"), encoded(zlib.compress(IDS), "deflate"),
        encoded(zlib.compress(IDS, wbits=-15), "deflate"), encoded(IDS, "identity"),
        encoded(gzip.compress(IDS) + b"garbage", "gzip"), b"HTTP/1.0 200 OK\r\n\r\n" + IDS,
        b"HTTP/9.9 200 OK\r\n\r\n" + IDS, b"HTTP/1.1 200\r\n\r\n" + IDS,
        OK.replace(b"\r", b"") + b"Content-Length: 6\n\n" + IDS, OK + b"X: 1\r\n 2\r\n\r\n" + IDS,
        b"HTTP/1.1 100 Continue\r\n\r\n" + answer(IDS), b"HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n" + answer(IDS),
        answer(IDS) + answer(["d2"]),
    )),
    (answer(IDS, "Content-Length: 7\r\n"), CUT),
    *((each, "invalid response: bad Content-Length") for each in (
        answer(IDS, "Content-Length: -6\r\n"), answer(IDS, "Content-Length: +6\r\n"),
        answer(IDS, "Content-Length: 0x6\r\n"), answer(IDS, "Content-Length: six\r\n"),
        answer(IDS, "Content-Length: \r\n"), answer(IDS, f"Content-Length: {'9' * 40}\r\n"),
    )),
    *((answer(IDS, f"Content-Length: 6{each}\r\n"), "invalid response: conflicting Content-Length") for each in ("\r\nContent-Length: 5", ", 5")),
    *((CHUNKED + each + b"\r\n" + IDS, "invalid response: illegal chunk header") for each in (b"six", b"-6", b"f" * 40)),
    (CHUNKED + b"1000000000000000\r\n" + IDS, CUT.replace("message body", "message")),
    (CHUNKED + b"3\r\n" + IDS + b"\r\n0\r\n\r\n", "invalid response: malformed chunk footer"),
    (CHUNKED + b"6\r\n" + IDS + b"\r\n", CUT.replace(" body", "")),
    *((each, "invalid response: ") for each in (
        answer(IDS, "Transfer-Encoding: gzip\r\n"), answer(IDS, "Transfer-Encoding: chunked, chunked\r\n"), IDS,
        b"\0\0\x12\4\0\0\0\0\0\0\3\0\0\0\x80\0\4\0\1\0\0\0\5\0\xff\xff\xff", b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x15\x03\x03\x00\x02\x02\x28", b"\0" * 9999,
    )),
    (Bomb(lambda blanks: gzip.compress(gzip.compress(blanks)), "gzip, gzip"), "the response is compressed 2 times"),
    (encoded(IDS, ", ".join(["gzip"] * 20)), "the response is compressed 20 times"),
    *((encoded(each, kind), "invalid response: the compressed content is cut off") for each, kind in (
        (gzip.compress(IDS * 99)[:-12], "gzip"), (gzip.compress(IDS)[:-4], "gzip"), (IDS, "deflate"),
    )),
    *((encoded(each, "gzip"), "invalid response: Error -3") for each in (gzip.compress(IDS)[:-8] + b"\0" * 8, IDS)),
    (encoded(b"", "gzip"), "the response is not JSON: it is empty"),
    *((encoded(each, kind), f"the response is compressed with '{kind}'") for each, kind in (
        (pyarrow.compress(IDS, "zstd", asbytes=True), "zstd"), (b'\x8b\x02\x80["d1"]\x03', "br"), (IDS, "rot13"),
    )),
    (encoded(IDS, KEYS[1]), "the response is compressed with '…'"),
    *((each, "invalid response: illegal status line") for each in (
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", b"HTTP/1.1 abc\r\n\r\n", b"HTTP/1.1 99 Few\r\n\r\n",
        b"HTTP/1.1 2000 OK\r\n\r\n", b"ICY 200 OK\r\n\r\n", b"220 mail ESMTP ready\r\n\r\n",
    )),
    *((OK + each + b"\r\n\r\n" + IDS, "invalid response: illegal header line") for each in (b"X", b": 1", b"X: \x00\x1b[2J")),
]  # fmt: skip
# These take a second each; the others of their kind are quick.
LONG = [
    (flood(OK + b"Content-Length: 99999999999\r\n\r\n[", b" "), "the response is larger than 64 MiB"),
    (flood(CHUNKED, b"1000\r\n" + b" " * 4096 + b"\r\n"), "the response is larger than 64 MiB"),
    (flood(b"HTTP/1.1 500 No\r\n\r\n", b"x"), "the response is larger than 64 MiB"),
    (Bomb(zlib.compress, "deflate"), "the response is larger than 64 MiB"),
]  # fmt: skip


@pytest.mark.parametrize(("behave", "expected"), with_hostile(WIRE, LONG))
def test_how_it_is_sent(behave, expected, tmp_path):
    behave = behave.make() if isinstance(behave, Bomb) else behave
    options = ("--timeout", "2") if expected == LATE else ()
    check_outcome(probe_in(tmp_path, RawServer(behave), *options), expected)


HTML = b"<html><body>Bad \x1b]0;title\x07 gateway</body></html>"
# The status and headers of an answer, its content, and how the failure begins.
STATUSES = [
    ("101 Switching Protocols", "Upgrade: websocket\r\n", b"", "HTTP 101: the server changes to another protocol"),
    *((status, "", b"", "the response is not JSON: it is empty") for status in ("204 No Content", "205 Reset Content")),
    ("206 Partial Content", "Content-Range: bytes 0-3/6\r\n", IDS[:4], "the response is not JSON: '[\"d1'"),
    ("300 Multiple Choices", "", b"", "HTTP 300 Multiple Choices: redirected; redirects are not followed"),
    ("301 Moved", "Location: /search\r\n", b"", "HTTP 301 Moved: redirected to /search;"),
    ("302 Found", "Location: file:///etc/passwd\r\n", b"", "HTTP 302 Found: redirected to file:///etc/passwd;"),
    ("303 See Other", "Location: \r\n", b"", "HTTP 303 See Other: redirected; redirects"),
    ("307 To", "Location: /a\r\nLocation: /b\r\n", b"", "HTTP 307 To: redirected to /a, /b;"),
    ("308 To", f"Location: http://h/{KEYS[1]}?token={KEYS[0]}\r\n", b"", "HTTP 308 To: redirected to http://h/…;"),
    ("302 To", "Location: /\x9b31m\xe2\x80\xae\r\n", b"", "HTTP 302 To: redirected to /"),
    ("304 Not Modified", "", b"", "HTTP 304 Not Modified: neither an answer nor an error"),
    ("305 Use Proxy", "Location: http://127.0.0.1:1/\r\n", b"", "HTTP 305 Use Proxy: redirected to http://127.0.0.1:1/"),
    ("306 Switch Proxy", "", b"", "HTTP 306 Switch Proxy: neither an answer nor an error"),
    ("400 Bad Request", "", KEYS[0].encode(), "HTTP 400 Bad Request: '…'"),
    ("401 Unauthorized", f"WWW-Authenticate: Basic realm={KEYS[1]}\r\n", b"no", "HTTP 401 Unauthorized: 'no'"),
    ("403 Forbidden", "", {"error": f"key {KEYS[1]} is not valid"}, 'HTTP 403 Forbidden: \'{"error": "key … is'),
    ("407 Proxy Authentication Required", "Proxy-Authenticate: Basic\r\n", b"", "HTTP 407 Proxy Authentication"),
    ("418 I'm a teapot", "", b"short and stout", "HTTP 418 I'm a teapot: 'short and stout'"),
    ("451 Unavailable For Legal Reasons", "", HTML, r"HTTP 451 Unavailable For Legal Reasons: '<html><body>Bad \x1b]0;"),
    ("500 Error", "", HTML, r"HTTP 500 Error: '<html><body>Bad \x1b]0;title\x07 gateway</body></html>'"),
    ("500 Error", "", b"<p>" + KEYS[2].encode() + b"x" * (8 << 20), "HTTP 500 Error: '<p>…xxx"),
    ("502 Bad Gateway", "", b"\xff\xfe\x00", "HTTP 502 Bad Gateway: '"),
    (f"403 {KEYS[1]} denied", "", b"", "HTTP 403 … denied"),
    (f"500 {'x' * 70}{KEYS[1]} denied", "", b"", f"HTTP 500 {'x' * 70}…"),
    ("500 " + "x" * 50_000, "", b"", f"HTTP 500 {'x' * 80}…"),
    ("500 No", "", f"POST /search?token={KEYS[0]} X-Api-Key: {KEYS[1]}".encode(), "HTTP 500 No: 'POST /search?"),
    ("500 No", "", b"x" * 70 + KEYS[1].encode(), f"HTTP 500 No: '{'x' * 70}…'"),
    *((status, "", b"", f"HTTP {status}") for status in (
        "408 Request Timeout", "413 Content Too Large", "421 Misdirected Request", "503 Busy", "504 Gateway Timeout",
        "599 Odd", "600 Odd", "999 Denied",
    )),
]  # fmt: skip


@for_each(("status", "headers", "content", "expected"), STATUSES)
def test_statuses(status, headers, content, expected, tmp_path, caplog):  # noqa: PLR0917 - fixtures
    caplog.set_level(logging.DEBUG)
    outcome = probe_in(tmp_path, server := RawServer(answer(content, headers, status)))
    assert outcome.failure.startswith(expected), outcome.failure
    assert (outcome.code, len(server.requests)) == (0, 2)
    assert "s3cret" not in caplog.text


# What `Retry-After` says, and how many seconds that is; None where it cannot be told, so that the usual pause is made.
WAITS = {
    "0": 0, " 0 ": 0, "1": 1, str(10**9): 1e9, "9" * 5000: math.inf, "Wed, 21 Oct 2015 07:28:00 GMT": 0,
    "Mon, 01 Jan 0000 00:00:00 GMT": 0,
    **dict.fromkeys([
        "-1", "0.5", "1e9", "", "soon", "0, 0", "\u0663", "nan", "inf", "0x1", KEYS[1], "Wed, 99 Oct 2015",
        "Wed, 21 Oct 2015 07:28:00 -9999",
    ]),
}  # fmt: skip


@pytest.mark.parametrize("value", WAITS, ids=lambda value: value[:30])
def test_when_it_is_asked_again(value, tmp_path, monkeypatch):
    monkeypatch.setattr(http, "FIRST_PAUSE", 0.05)
    monkeypatch.setattr(http, "LONGEST_PAUSE", 0.2)
    times = []

    def behave(stream, over):  # noqa: ARG001 - what a behaviour is called with
        times.append(time.monotonic())
        stream.sendall(answer(IDS) if len(times) > 1 else answer(b"", f"Retry-After: {value}\r\n", "429 Slow Down"))

    outcome = probe_in(tmp_path, RawServer(behave), "--retries", "1")
    assert (outcome.code, outcome.documents, len(times)) == (0, ["d1"], 2)
    assert http.seconds_to_wait(value) == WAITS[value]
    assert times[1] - times[0] >= min({None: 0.05}.get(WAITS[value], WAITS[value]), 0.2) - 0.01
