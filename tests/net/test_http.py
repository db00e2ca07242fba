"""The HTTP client: what it needs, what it does not do by itself, and what it never shows."""

import logging
import subprocess
import sys

import pytest

import assay
from assay.core.errors import DataError
from assay.net.http import HttpClient, TemporaryError
from assay.net.secrets import Secret
from raw_server import RawServer, drip, flood
from search_server import Reply, SearchServer
from tables import for_each

WITHOUT = "import sys; sys.modules['httpx2'] = None; import assay; "
HINT = 'HTTP needs the package httpx2; install it with: pip install "assay[probe]", or "assay[judge]" for a judge'


def run_python(code):
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)  # noqa: S603 - our own code


def test_a_missing_package_is_named_with_the_command_that_installs_it():
    code = f"{WITHOUT}\ntry: assay.live.HttpSearch('http://h/')\nexcept assay.AssayError as error: print(error)"
    assert run_python(code).stdout == f"{HINT}\n"
    arguments = "['assay', 'probe', 'http://h/', '--queries', 'q.jsonl', '--qrels', 'qrels.txt']"
    done = run_python(f"{WITHOUT} sys.argv = {arguments}; from assay.cli.main import main; main()")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"assay: {HINT}\n")


def test_other_retrievers_need_no_package():
    search = "{'one': ['d1']}.get"
    done = run_python(f"{WITHOUT} print(assay.probe({search}, {{'q1': 'one'}}, {{'q1': ['d1']}}, 'rr')['rr'])")
    assert (done.stdout, done.stderr) == ("1.0\n", "")


@pytest.fixture
def client():
    made = HttpClient(timeout=5, secrets=[Secret("key", "s3cret-key")])
    yield made
    made.close()


def send(client, server, target=""):
    return client.send("GET", server.url + target, headers={"X-Key": "s3cret-key"})


def test_proxies_of_the_environment_are_not_used(monkeypatch):
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    with SearchServer(lambda *_: Reply(["d1"])) as server:
        client = HttpClient(timeout=5)
        assert send(client, server) == b'["d1"]'
        client.close()


def test_cookies_are_not_kept(client):
    with SearchServer(lambda *_: Reply([], headers={"Set-Cookie": "session=1"})) as server:
        send(client, server)
        send(client, server)
    sent = [{name.lower() for name in headers} for *_, headers in server.requests]
    assert [("x-key" in names, "cookie" in names) for names in sent] == [(True, False)] * 2


def test_a_redirect_is_not_followed(client):
    with SearchServer(lambda *_: Reply([], 302, {"Location": "/elsewhere?key=s3cret-key"})) as server:
        with pytest.raises(DataError, match=r"^HTTP 302 Found: redirected to /elsewhere; redirects are not followed"):
            send(client, server)
        assert len(server.requests) == 1


def test_a_compressed_response_is_read(client):
    import gzip

    content = gzip.compress(b'["d1"]')
    with SearchServer(lambda *_: Reply(content, headers={"Content-Encoding": "gzip"})) as server:
        assert send(client, server) == b'["d1"]'
    broken = Reply(b"no gzip", headers={"Content-Encoding": "gzip"})
    with SearchServer(lambda *_: broken) as server, pytest.raises(TemporaryError, match=r"^invalid response: "):
        send(client, server)


def test_keys_are_not_logged(client, caplog):
    caplog.set_level(logging.DEBUG)
    with SearchServer(lambda *_: Reply(["d1"])) as server:
        send(client, server, "?key=s3cret-key")
    assert server.requests[0][1].endswith("?key=s3cret-key")
    assert caplog.text
    assert "s3cret" not in caplog.text


def test_a_host_that_is_not_there(client):
    with pytest.raises(TemporaryError, match=r"^host not found: "):
        client.send("GET", "http://nowhere.invalid/", headers={})


def test_an_address_that_cannot_be_one(client):
    with pytest.raises(DataError, match=r"^invalid address: "):
        client.send("GET", "http://a..b\u2024c:x/", headers={})


def test_a_server_without_tls(client):
    with SearchServer() as server, pytest.raises(TemporaryError, match=r"^connection failed: "):
        client.send("GET", server.url.replace("http://", "https://"), headers={})


# What a server sends, the time limit, and the error; without a limit, what never ends is cut by its size.
ENDLESS = [
    (drip(b"HTTP/1.1 200 OK\r\nX: ", b"x"), 0.2, TemporaryError, r"^no response within 0\.2 s$"),
    (drip(b"", b"HTTP/1.1 103 Early Hints\r\n\r\n"), 0.2, TemporaryError, r"^no response within 0\.2 s$"),
    (flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), 0.02, TemporaryError, r"^no response within 0\.02 s$"),
    (flood(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), None, DataError, r"^the response does not end$"),
    (
        flood(b"HTTP/1.1 200 OK\r\n\r\n", b" "),
        None,
        DataError,
        r"^the response is larger than 1 MiB; if that is right, raise the limit: with assay\.limits\(response=2097152\):$",
    ),
]


@for_each(("behave", "timeout", "error", "message"), ENDLESS)
def test_limits_hold_for_the_whole_exchange(behave, timeout, error, message):
    with assay.limits(response=1 << 20):
        client = HttpClient(timeout=timeout)
    with RawServer(behave) as server:
        # Without a limit none of them ever ends.
        with pytest.raises(error, match=message):
            client.send("GET", server.url, headers={})
        client.close()


def test_headers_of_a_response_are_not_logged(client, caplog):
    caplog.set_level(logging.DEBUG)
    with SearchServer(lambda *_: Reply(["d1"], headers={"X-Echo": "s3cret-key"})) as server:
        send(client, server)
    assert "receive_response_headers.started" in caplog.text
    assert "s3cret" not in caplog.text
