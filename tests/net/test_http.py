"""The HTTP client: what it needs, what it does not do by itself, and what it never shows."""

import logging
import subprocess
import sys

import pytest

from assay.core.errors import DataError
from assay.net.http import HttpClient
from assay.net.secrets import Secret
from search_server import Reply, SearchServer

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


def test_cookies_are_not_kept(client):
    with SearchServer(lambda *_: Reply([], headers={"Set-Cookie": "session=1"})) as server:
        send(client, server)
        send(client, server)
    sent = [{name.lower() for name in headers} for *_, headers in server.requests]
    assert [("x-key" in names, "cookie" in names) for names in sent] == [(True, False)] * 2


def test_an_address_that_cannot_be_one(client):
    with pytest.raises(DataError, match=r"^invalid address: "):
        client.send("GET", "http://a..b\u2024c:x/", headers={})


def test_keys_and_headers_of_a_response_are_not_logged(client, caplog):
    caplog.set_level(logging.DEBUG)
    with SearchServer(lambda *_: Reply(["d1"], headers={"X-Echo": "s3cret-key"})) as server:
        send(client, server, "?key=s3cret-key")
    assert server.requests[0][1].endswith("?key=s3cret-key")
    assert "receive_response_headers.started" in caplog.text
    assert "s3cret" not in caplog.text
