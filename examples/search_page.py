"""A search page whose thumbs feed a studio: the feedback system of a product, in the standard library alone.

It searches the demo collection. What visitors vote goes to `POST /api/votes` of a studio, with this application's token
and a key per thumb, so that a vote that is sent twice counts once. From the root of the project, in two terminals:

    assay studio --store votes.sqlite
    ASSAY_STUDIO_TOKEN=$(assay studio admin --store votes.sqlite new-token shop) python examples/search_page.py

Then open http://127.0.0.1:8500/, search and vote, and watch the numbers in the studio. The page is a retriever too:
start the studio with `--search 'http://127.0.0.1:8500/search?q={query}'` to ask it from there.
"""

from __future__ import annotations

import json
import math
import os
import re
import secrets
import urllib.error
import urllib.request
from collections import Counter
from html import escape
from http.cookies import SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import NamedTuple
from urllib.parse import parse_qs, urlencode, urlsplit

PORT = 8500
STUDIO = "http://127.0.0.1:8484"
RESULTS = 8
MOST_BYTES = 10_000
# The usual parameters of BM25.
SATURATION, LENGTH = 1.2, 0.75

PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quillmarsh annual report</title>
<style>
:root {{ color-scheme: light dark; }}
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }}
form.ask {{ display: flex; gap: .5rem; }} form.ask input {{ flex: 1; }}
input, button {{ font: inherit; padding: .4rem .7rem; }}
li {{ margin: 1.25rem 0; }} p {{ margin: .25rem 0; }} .said {{ font-weight: 600; }}
</style>
<h1>Quillmarsh annual report</h1>
<form class="ask" role="search"><input name="q" aria-label="Search" value="{question}"><button>Search</button></form>
{said}<ol>{results}</ol>
</html>
"""
RESULT = """<li><b>{title}</b><p>{text}</p><form method="post" action="/vote">{hidden}
<button name="vote" value="up" aria-label="Relevant: {title}">👍</button>
<button name="vote" value="down" aria-label="Not relevant: {title}">👎</button></form></li>"""


class Passage(NamedTuple):
    """A passage of the collection."""

    id: str
    title: str
    text: str


class Index:
    """The passages, ranked by BM25."""

    def __init__(self, passages: list[Passage]) -> None:
        self.passages = passages
        self.counts = [Counter(words_of(f"{each.title} {each.text}")) for each in passages]
        self.mean = sum(each.total() for each in self.counts) / len(passages)
        self.having = Counter(word for each in self.counts for word in each)

    def search(self, question: str, k: int = RESULTS) -> list[tuple[float, Passage]]:
        """The best passages with their scores."""
        words = words_of(question)
        scored = [(self.score(words, counts), each) for counts, each in zip(self.counts, self.passages, strict=True)]
        return sorted((pair for pair in scored if pair[0] > 0), key=lambda pair: (-pair[0], pair[1].id))[:k]

    def score(self, words: list[str], counts: Counter[str]) -> float:
        """The sum over the words of the question."""
        size = 1 - LENGTH + LENGTH * counts.total() / self.mean
        return sum(
            math.log(1 + (len(self.passages) - self.having[word] + 0.5) / (self.having[word] + 0.5))
            * counts[word]
            * (SATURATION + 1)
            / (counts[word] + SATURATION * size)
            for word in words
            if word in counts
        )


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.lower())


class Studio:
    """Where votes go. The ids of questions that the studio knows are its own; any other question is its own id."""

    def __init__(self, address: str, token: str, known: dict[str, str]) -> None:
        self.address, self.token, self.known = address, token, known

    def query_of(self, question: str) -> str:
        """The id of a question: of one word, as ids in TREC files are."""
        return self.known.get(question.strip()) or "_".join(words_of(question))[:200]

    def send(self, vote: dict[str, str]) -> str:
        """Forwards a vote; what became of it, in words."""
        request = urllib.request.Request(  # noqa: S310 - the studio's address, which whoever starts this chose
            f"{self.address}/api/votes",
            data=json.dumps(vote).encode(),
            headers={"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=10) as answer:  # noqa: S310 - as above
                return "Thank you!" if answer.status == 201 else "Thank you, we have that vote already."  # noqa: PLR2004
        except urllib.error.HTTPError as error:
            return f"The vote was not taken: {json.loads(error.read())['error']}"
        except OSError:
            return "The vote could not be sent; please try again."


class Page(BaseHTTPRequestHandler):
    """Answers a search with a page or with JSON, and takes votes."""

    index: Index
    studio: Studio

    def do_GET(self) -> None:
        """A page of results, or the results as JSON at /search."""
        address = urlsplit(self.path)
        asked = parse_qs(address.query)
        question = asked.get("q", [""])[0]
        found = self.index.search(question)
        if address.path == "/search":
            results = [{"id": each.id, "text": each.text, "score": score} for score, each in found]
            self.answer(json.dumps({"results": results}), "application/json")
        elif address.path == "/":
            said = asked.get("said", [""])[0]
            self.answer(self.page(question, [each for _, each in found], said), "text/html; charset=utf-8")
        else:
            self.send_error(404)

    def do_POST(self) -> None:
        """Takes a vote, forwards it, and shows the results again."""
        length = int(self.headers.get("Content-Length") or 0)
        if self.path != "/vote" or length > MOST_BYTES:
            self.send_error(404 if self.path != "/vote" else 413)
            return
        fields = {name: values[0] for name, values in parse_qs(self.rfile.read(length).decode()).items()}
        question = fields.pop("question", "")
        vote = {name: fields.get(name, "") for name in ("document", "vote", "key")}
        said = self.studio.send({**vote, "query": self.studio.query_of(question), "voter": self.visitor()})
        self.send_response(303)
        self.send_header("Location", "/?" + urlencode({"q": question, "said": said}))
        self.end_headers()

    def page(self, question: str, found: list[Passage], said: str) -> str:
        """The page, with a key for each thumb: pressing it twice is one vote."""
        results = []
        for each in found:
            fields = {"question": question, "document": each.id, "key": secrets.token_hex(16)}
            hidden = "".join(
                f'<input type="hidden" name="{name}" value="{escape(value)}">' for name, value in fields.items()
            )
            results.append(RESULT.format(title=escape(each.title), text=escape(each.text), hidden=hidden))
        shown = f'<p class="said" role="status">{escape(said)}</p>' if said else ""
        return PAGE.format(question=escape(question), said=shown, results="".join(results))

    def visitor(self) -> str:
        """Who votes: a name that says nothing about the person, in a cookie."""
        known = SimpleCookie(self.headers.get("Cookie")).get("visitor")
        return f"visitor-{known.value[:16]}" if known else "visitor-unknown"

    def answer(self, body: str, kind: str) -> None:
        content = body.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        if "visitor=" not in (self.headers.get("Cookie") or ""):
            self.send_header("Set-Cookie", f"visitor={secrets.token_hex(8)}; HttpOnly; SameSite=Lax; Path=/")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *values: object) -> None:
        """Says nothing about requests."""


def rows_of(name: str) -> list[dict[str, str]]:
    """The rows of a file of the demo collection."""
    return [json.loads(line) for line in (files("assay") / "demo" / name).read_text(encoding="utf-8").splitlines()]


def make_server(studio: str, token: str, port: int = PORT) -> ThreadingHTTPServer:
    """A server of the page on this machine."""
    passages = [Passage(row["doc_id"], row["title"], row["text"]) for row in rows_of("passages.jsonl")]
    known = {row["text"]: row["query_id"] for row in rows_of("queries.jsonl")}
    handler = type("DemoPage", (Page,), {"index": Index(passages), "studio": Studio(studio, token, known)})
    return ThreadingHTTPServer(("127.0.0.1", port), handler)


def main() -> None:
    token = os.environ.get("ASSAY_STUDIO_TOKEN")
    if not token:
        raise SystemExit("set ASSAY_STUDIO_TOKEN, made with: assay studio admin --store votes.sqlite new-token shop")
    server = make_server(os.environ.get("ASSAY_STUDIO", STUDIO), token)
    print(f"a search page at http://127.0.0.1:{PORT}/")
    server.serve_forever()


if __name__ == "__main__":
    main()
