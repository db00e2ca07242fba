"""Keys, users and passwords: wherever they stand, and however a server sends them back, nothing shows or stores them."""

import base64
import html
import json
import logging
from urllib.parse import quote

import pytest
from click.testing import CliRunner

from assay.cli.main import commands
from raw_server import RawServer
from tables import for_each, with_hostile

pytestmark = pytest.mark.attack("Secrets")

KEY = "s3cret/Key+0123&é"
ASCII_KEY = "s3cret/Key+0123&x"
PARTS = ("s3cret", "Key+0123", "Key%2B0123", "S3CRET", "s%33cret")
OUTPUTS = [
    "--checkpoint", "c.jsonl", "--save-run", "live.run", "--save-records", "r.jsonl", "--save", "saved.assay", "-o",
    "out.txt",
]  # fmt: skip
ENDINGS = ("table", "json", "markdown", "latex", "html", "csv")


def run_probe(folder, monkeypatch, *arguments):
    """Runs the command in a folder, and returns its exit code and all that was said and written."""
    monkeypatch.chdir(folder)
    (folder / "queries.jsonl").write_text('{"_id": "q0", "text": "question 0"}\n{"_id": "q1", "text": "question 1"}\n')
    (folder / "qrels.txt").write_text("q0 0 d0 1\nq1 0 d1 1\n")
    files = ("--queries", "queries.jsonl", "--qrels", "qrels.txt", "-m", "rr", "--retries", "0", "--timeout", "9")
    before = set(folder.iterdir())
    result = CliRunner().invoke(commands, ["probe", *arguments, *files], prog_name="assay")
    assert result.exception is None or isinstance(result.exception, SystemExit), repr(result.exception)
    written = [path.read_text(errors="replace") for path in set(folder.iterdir()) - before]
    return result.exit_code, "\n".join([result.stdout, result.stderr, *written])


def shows_key(text):
    """Whatever of the key is in a text."""
    return [part for part in PARTS if part in text]


# A URL with a user and a password, in every spelling.
URLS = [
    f"{scheme}{each}{at}{rest}"
    for scheme in ("http://", "https://", "HTTP://", "ftp://", "http:/", "//", "", "http:", "http:\\\\", "ws://")
    for each in (
        *(f"us3r:pa55{each}wort" for each in ("", "/", "#", "?", "@", "%40", " ", ":", "\\", "\n", "%")),
        *("us3r:", ":pa55wort", "us3r", "us3r/x:pa55wort", "us3r:[pa55wort", "us3r:pa55é", "us3r%3A:pa55wort"),
    )
    for at, rest in (("@", "h/x"), ("@", "h:1/x?q={query}"), ("@", "[::1]/"), ("@", ""), ("%40", "h/"), ("＠", "h/"))
    # Here the user is the host, as in any other URL with a path.
    if "us3r/x" not in each or at != "%40"
]


@pytest.mark.parametrize("every", with_hostile([9], [1]))
def test_users_and_passwords_in_a_url(every, tmp_path, monkeypatch, tried):
    for url in URLS[::every]:
        code, said = run_probe(tmp_path, monkeypatch, url, *OUTPUTS)
        assert code == 2, url
        assert not [part for part in ("us3r", "pa55", "wort") if part in said.replace("password", "")], (url, said)
    tried(len(URLS[::every]))


BASIC = base64.b64encode(f"me:{KEY}".encode()).decode()
BODY = {"query": "{query}", "auth": {"apiKey": KEY}}
# Where the key is: the URL after the server, and options.
PLACES = {
    "the query string": (f"?token={quote(KEY)}",),
    "the query string, as it is": (f"?token={KEY.replace('&', '%26')}",),
    "the query string, encoded twice": (f"?token={quote(quote(KEY))}",),
    "the query string, alone": (f"?{quote(KEY, safe='')}",),
    "the query string of a GET": (f"?q={{query}}&token={quote(KEY, safe='')}",),
    "beside the question": (f"?q={{query}}{quote(KEY, safe='')}",),
    "after a semicolon": (f"?a=1;token={quote(KEY, safe='')}",),
    "a header": ("", "--header", f"X-Api-Key: {ASCII_KEY}"),
    "a header of the environment": ("", "--header", "X-Api-Key: $SEARCH_KEY"),
    "a part of a header": ("", "--header", "Authorization: Bearer ${SEARCH_KEY}"),
    "a cookie": ("", "--header", f"Cookie: theme=dark; session={ASCII_KEY}"),
    "basic authentication": ("", "--header", f"Authorization: Basic {BASIC}"),
    "the body": ("", "--body", json.dumps(BODY)),
    "the body, in a list": ("", "--body", json.dumps({"query": "{query}", "tokens": [["x", KEY]]})),
    "the body, beside the question": ("", "--body", json.dumps({"query": "{query}", "password": f"{KEY}-{{query}}"})),
    "the body, in a file": ("", "--body", "@body.json"),
    "the body, by its looks": ("", "--body", json.dumps({"query": "{query}", "x": f"Bearer {ASCII_KEY}"})),
}


def spellings():
    """The key as servers may send it back."""
    for key in (KEY, ASCII_KEY):
        yield from (key, quote(key), quote(key, safe=""), quote(key).lower(), html.escape(key), json.dumps(key)[1:-1])
        yield from (json.dumps(key)[1:-1].replace("/", "\\/"), key.upper(), key.lower(), f"me:{key}")
        yield "".join(f"\\u{ord(letter):04x}" for letter in key)


def echo(key):
    """A server that sends the key back in every place it can."""

    def behave(stream, over):  # noqa: ARG001 - what a behaviour is called with
        documents = [{"id": f"{each} {number}", "text": each, "title": each} for number, each in enumerate(key)]
        content = json.dumps({"answer": " ".join(key), "contexts": documents, key[0]: key}, ensure_ascii=False).encode()
        header = "".join(f"X-Echo: {quote(each, safe='/+&:%')}\r\n" for each in key)
        stream.sendall(f"HTTP/1.1 200 OK\r\n{header}Content-Length: {len(content)}\r\n\r\n".encode() + content)

    return behave


def fail(status, key):
    """A server that sends the key back in an error."""

    def behave(stream, over):  # noqa: ARG001 - what a behaviour is called with
        reason = quote(key[0], safe="/+&:")
        content = (" ".join(key)).encode()
        head = f"HTTP/1.1 {status} {reason}\r\nLocation: http://h/{reason}?{reason}\r\nContent-Length: {len(content)}\r\n\r\n"
        stream.sendall(head.encode() + content)

    return behave


@pytest.mark.parametrize("place", PLACES)
def test_a_key_that_comes_back(place, tmp_path, monkeypatch, tried, caplog):
    caplog.set_level(logging.DEBUG)
    monkeypatch.setenv("SEARCH_KEY", ASCII_KEY)
    target, *options = PLACES[place]
    # A key is looked for as it was sent; a server has no other.
    sent = ASCII_KEY if ASCII_KEY in str(options) or "SEARCH_KEY" in str(options) else KEY
    key = [
        each
        for each in spellings()
        if (each.isascii() and "%c3" not in each.lower() and "00e9" not in each) == (sent == ASCII_KEY)
    ]
    for number, behave in enumerate([echo(key), *(fail(status, key) for status in (302, 400, 401, 429, 500))]):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "body.json").write_text(json.dumps(BODY))
        with RawServer(behave) as server:
            form = ("--format", ENDINGS[number])
            code, said = run_probe(folder, monkeypatch, server.url + target, *options, *OUTPUTS, *form)
        assert code in (0, 2)
        assert any(sent_key_in(request, sent) for request in server.requests), server.requests
        assert not shows_key(said), (number, said)
        assert not shows_key(caplog.text)
    tried(6)


def sent_key_in(request, key):
    """Whether the key reached the server, so that the test can fail."""
    text = request.decode("utf-8", "replace")
    quoted = (quote(key), quote(key, safe=""), quote(quote(key)), quote(key, safe="/+"))
    return any(way in text for way in (key, *quoted, json.dumps(key)[1:-1], BASIC))


# Commands that are wrong, with a key in them: none shows it.
NOBODY = "http://127.0.0.1:1/"
WRONG = [
    *((NOBODY, "--header", each) for each in (KEY, f"X {KEY}: 1", f"X: {KEY}\r\nY: 1", f"X: {KEY}é", f"X: {KEY}$")),
    *((NOBODY, "--body", each) for each in (
        f'{{"key": "{KEY}", }}', f'{{"key": "{KEY}', json.dumps({"key": KEY}), json.dumps(KEY),
        f'{{"query": "{{query}}", "k": "{KEY}", "k": 1}}',
    )),
    *((f"{each}token={KEY}",) for each in (
        "127.0.0.1:1/?", "http:///?", "http://h:x/?", "http://127.0.0.1:1/#", "http://127.0.0.1:1/?",
    )),
    # Quotes are missing, and an option is misspelt.
    (NOBODY, "--header", "Authorization:", "Bearer", ASCII_KEY),
    (NOBODY, "--body", '{"query":', '"{query}",', f'"key":"{ASCII_KEY}"}}'),
    (NOBODY, f"--headr=X: {KEY}"),
]  # fmt: skip


@for_each("command", WRONG)
def test_a_wrong_command(command, tmp_path, monkeypatch):
    code, said = run_probe(tmp_path, monkeypatch, *command)
    assert code == 2
    assert not shows_key(said), said
