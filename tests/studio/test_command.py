"""`assay studio` as people start it: what it refuses before it serves, the store that it uses, and how it ends."""

import re
import signal
import socket
import sqlite3
import subprocess
import sys
from contextlib import closing, contextmanager

import pytest
from click.testing import CliRunner

from assay.cli.main import commands
from assay.studio.store import Store
from studio_server import Client

QRELS = "q1 0 d1 1\nq1 0 d2 0\n"
RUN = "q1 Q0 d1 1 0.9 a\nq1 Q0 d2 2 0.8 a\nq1 Q0 d3 3 0.7 a\n"
LISTEN = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
START = [sys.executable, "-c", LISTEN + "from assay.__main__ import main; main()", "studio"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    """A folder with a small collection, in which commands run."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("ASSAY_STUDIO_PASSWORD", "correct horse")
    (tmp_path / "qrels.txt").write_text(QRELS)
    (tmp_path / "one.run").write_text(RUN)
    return tmp_path


def run(*arguments):
    """A command that ends by itself: its exit code and what it says."""
    done = subprocess.run([*START, *arguments], capture_output=True, text=True, timeout=60, check=False)  # noqa: S603
    return done.returncode, done.stderr


@contextmanager
def started(*arguments):
    """A studio that is served: the process and its address."""
    command = [*START, "qrels.txt", "one.run", "--no-open", "--port", "0", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:  # noqa: S603
        said = ""
        try:
            while not (found := re.search(r"studio at (\S+)/ ", said)):
                line = process.stderr.readline()
                assert line, said
                said += line
            yield process, found[1]
        finally:
            process.kill()


def listens(host, port):
    try:
        socket.create_connection((host, int(port)), timeout=10).close()
    except ConnectionError:
        return False
    return True


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_votes_on_their_way_are_recorded_before_it_ends(folder, number, code):
    with (
        started("--store", "votes.sqlite") as (process, url),
        closing(sqlite3.connect("votes.sqlite", isolation_level=None)) as other,
    ):
        ann = Client(url, "ann")
        # The vote waits for this transaction, and the server for the vote.
        other.execute("BEGIN IMMEDIATE")
        host, port = url.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as sending:
            body = b'{"query": "q1", "document": "d3", "vote": 1}'
            cookie = "; ".join(f"{name}={value}" for name, value in ann.http.cookies.items())
            head = ["POST /api/votes HTTP/1.1", f"Host: {host}:{port}", f"Cookie: {cookie}", "Expect: 100-continue"]
            head += [f"X-CSRF-Token: {ann.csrf}", "Content-Type: application/json", f"Content-Length: {len(body)}"]
            sending.sendall("\r\n".join([*head, "", ""]).encode())
            # The application has begun with the request once it asks for its body.
            assert sending.recv(1000).startswith(b"HTTP/1.1 100 ")
            sending.sendall(body)
            process.send_signal(number)
            # It is ending once it takes no more connections.
            while listens(host, port):
                pass
            assert process.poll() is None
            other.execute("ROLLBACK")
            other.close()
            ann.close()
            assert sending.recv(1000).startswith(b"HTTP/1.1 201 ")
        assert process.wait(10) == code
    assert not (folder / "votes.sqlite-wal").exists()
    with Store.open("votes.sqlite") as store:
        assert [(event.voter, event.vote) for event in store.events()] == [("ann", 1.0)]


def test_managing_uses_the_store_of_this_folder(folder):
    assert run("admin", "add-user", "ann", "--admin")[0] == 0
    assert run("admin", "add-user", "ann", "--no-admin")[0] == 0
    assert run("admin", "new-token", "shop")[0] == 0
    with Store.open("assay-studio.sqlite") as store:
        assert store.check_password("ann", "correct horse")
        assert [(voter.name, voter.is_admin) for voter in store.voters()] == [("ann", False)]
        assert store.applications() == ["shop"]
    assert run("admin", "backup", "copy.sqlite")[0] == 0
    assert run("admin", "revoke-tokens", "shop") == (0, "revoked 1 token of shop\n")
    assert not (folder / "cache").exists()


def test_what_needs_a_store_creates_none(folder):
    before = sorted(folder.iterdir())
    for option in ("backup", "revoke-tokens"):
        refused = "assay: 'assay-studio.sqlite' does not exist; name the store with --store\n"
        assert run("admin", option, "x") == (2, refused)
    assert run("admin", "--store", "typo.sqlite", "backup", "x")[0] == 2
    for command in (["admin", "--store", "", "backup", "x"], ["qrels.txt", "one.run", "--store", "", "--dry-run"]):
        refused = CliRunner().invoke(commands, ["studio", *command])
        assert (refused.exit_code, refused.stderr) == (2, "assay: the path is empty; name a file\n")
    assert sorted(folder.iterdir()) == before


UNSERVED = [
    ("qrels.txt one.run --allow-host judging.example.org", "--allow-host judging.example.org others can"),
    ("qrels.txt one.run --host 0.0.0.0", "with --host 0.0.0.0 others can reach"),
    ("none one.run -m nosuch", "nosuch"),
    ("qrels.txt one.run --header A:b", "--header is for a live retriever; add --search URL"),
    ("qrels.txt one.run --tls c.pem k.pem", "'c.pem' cannot be read: No such"),
    ("qrels.txt one.run --tls one.run one.run", "are not a certificate"),
]


def test_what_cannot_be_served_is_said_before_it_is():
    for arguments, said in UNSERVED:
        code, heard = run(*arguments.split(), "--no-open", "--port", "0")
        assert (code, said in heard, "studio at" in heard) == (2, True, False), heard


def test_another_name_demands_login():
    assert run("admin", "add-user", "ann")[0] == 0
    for name, voter, status in (("judging.example.org", None, 401), ("localhost", "bob", 200)):
        with started("--allow-host", name) as (_, url):
            somebody = Client(url, voter)
            assert somebody.get("/api/overview").status_code == status
            somebody.close()
