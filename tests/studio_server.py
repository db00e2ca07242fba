"""A real studio on loopback: a server in a thread, and clients that behave as its pages do."""

import ssl
import threading
import time
from contextlib import contextmanager
from functools import lru_cache

import httpx2
import uvicorn

from assay.stats.significance import ComparisonSettings, check_settings
from assay.studio import MEASURES
from assay.studio.app import make_app, make_server
from assay.studio.collection import demo_collection
from assay.studio.judgments import VoteCounting
from assay.studio.store.store import Store
from assay.studio.studio import Studio, StudioSettings

# Those that are closed when the server ends.
CLIENTS = []
# Read once: that takes longer than most requests, and no client here needs them.
CERTIFICATES = ssl.create_default_context()


@lru_cache(maxsize=1)
def demo():
    """The demo collection, read once."""
    return demo_collection()


def settings(**changes):
    """Settings as the command has them by default."""
    comparing = check_settings(ComparisonSettings("randomization", "holm", "measure", 0.05, 10_000, 0, None))
    counting = VoteCounting(*(changes.pop(name, default) for name, default in COUNTING))
    return StudioSettings(measures=MEASURES, comparing=comparing, counting=counting, **changes)


COUNTING = (("method", "majority"), ("min_votes", 1), ("whose", "people"))


def make_studio(path, collection=None, search=None, **changes):
    """A studio with its store in a file or at a URL."""
    return Studio(collection or demo(), Store.open(path), settings(**changes), search)


@contextmanager
def serving(studio, **options):
    """The address of a studio that is served until the block ends."""
    app = make_app(studio, **options)
    server = make_server(app, uvicorn.Config(app, port=0, log_level="error", timeout_graceful_shutdown=1))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        while CLIENTS:
            CLIENTS.pop().close()
        server.should_exit = True
        thread.join(10)


def check_refused(answer, status, said):
    """A request was refused, for this reason."""
    assert (answer.status_code, said in answer.json()["error"]) == (status, True), answer.text


class Client:
    """A browser with a cookie, or a program with a token."""

    def __init__(self, url, voter=None, token=None, password=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.http = httpx2.Client(base_url=url, headers=headers, timeout=30, verify=CERTIFICATES)
        CLIENTS.append(self)
        self.csrf = ""
        if token is None:
            self.csrf = self.get("/api/session").json()["csrf"]
        if voter is not None:
            said = self.send("POST", "/api/session", {"voter": voter, "password": password})
            assert said.status_code == 200, said.text
            self.csrf = said.json()["csrf"]

    def get(self, path, **parameters):
        return self.http.get(path, params=parameters)

    def send(self, method, path, body=None, **headers):
        return self.http.request(method, path, json=body, headers={"X-CSRF-Token": self.csrf, **headers})

    def vote(self, query, document, vote, **more):
        return self.send("POST", "/api/votes", {"query": query, "document": document, "vote": vote, **more})

    def close(self):
        self.http.close()
