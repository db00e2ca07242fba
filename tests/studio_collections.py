"""A studio of any collection for the tests of its pages, on a free port of this machine."""

from contextlib import contextmanager

from assay.data.qrels import Qrels
from assay.data.run import Run
from assay.stats.significance import ComparisonSettings, check_settings
from assay.studio.collection import open_collection
from assay.studio.search import LiveSearch
from assay.studio.store.store import Store
from assay.studio.studio import Studio, StudioSettings
from studio_server import serving

MEASURES = ("ndcg@10", "dcg@10", "ap")


def small_collection(qrels, runs, *, title="small", queries=None, corpus=None):
    """A collection from dicts; `qrels` is None if nothing is judged."""
    judged = None if qrels is None else Qrels(qrels)
    named = {name: Run(each) for name, each in runs.items()}
    return open_collection(title, judged, named, queries=queries, corpus=corpus)


@contextmanager
def served(collection, folder, *, login=False, search=None, measures=MEASURES, **settings):
    """The studio of a collection and the address where it is served; its votes are in a new store."""
    comparing = check_settings(ComparisonSettings(samples=1000))
    live = None if search is None else LiveSearch(search)
    chosen = StudioSettings(measures, comparing, **settings)
    studio = Studio(collection, Store.open(folder / "votes.sqlite"), chosen, live)
    with serving(studio, login=login) as base:
        yield studio, base
