"""A studio served on a free port of this machine, in a thread: what the pages are tested against."""

import socket
import threading
from contextlib import contextmanager

import uvicorn

from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.stats.significance import ComparisonSettings, check_settings
from assay.studio.app import make_app, make_server
from assay.studio.collection import demo_files, open_collection
from assay.studio.search import LiveSearch
from assay.studio.store.store import Store
from assay.studio.studio import Studio, StudioSettings

MEASURES = ("ndcg@10", "dcg@10", "ap")


def demo_collection():
    """The demo collection."""
    with demo_files() as demo:
        return open_collection(**demo)


def small_collection(qrels, runs, *, title="small", queries=None, corpus=None):
    """A collection from dicts; `qrels` is None if nothing is judged."""
    judged = None if qrels is None else Qrels(qrels)
    named = {name: Run(each) for name, each in runs.items()}
    return open_collection(title, judged, named, queries=queries, corpus=corpus)


@contextmanager
def served(collection, folder, *, login=False, search=None, measures=MEASURES, **settings):
    """The studio of a collection and the address where it is served; its votes are in a new store."""
    store = Store.open(folder / "votes.sqlite")
    comparing = check_settings(ComparisonSettings(samples=1000))
    live = None if search is None else LiveSearch(search)
    studio = Studio(collection, store, StudioSettings(measures, comparing, **settings), live)
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    app = make_app(studio, login=login)
    config = uvicorn.Config(app, log_level="warning", access_log=False, lifespan="on", timeout_graceful_shutdown=5)
    server = make_server(app, config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield studio, f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(20)
        listening.close()
