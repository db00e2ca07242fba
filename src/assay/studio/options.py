"""What `assay studio` needs before it starts: the packages, the store, and that both belong together."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import AssayError, DataError, MismatchError
from assay.core.text import show, some

if TYPE_CHECKING:
    from assay.studio.collection import Collection
    from assay.studio.store.store import Store
    from assay.studio.studio import StudioSettings

STORE = "assay-studio.sqlite"
DEMO_STORE = "studio-demo.sqlite"
PACKAGES = ("fastapi", "uvicorn", "jinja2", "sqlalchemy")


def need_studio() -> None:
    """Raises if a package is missing that the studio needs."""
    for name in PACKAGES:
        if find_spec(name) is None:
            raise AssayError(f'the studio needs the package {name}; install it with: pip install "assay[studio]"')


def default_store(*, is_demo: bool) -> str:
    """Where votes are kept if nobody says: in this folder, those on the demo in the user's cache directory."""
    from assay.tasks.judge.cache import default_place

    if not is_demo:
        return STORE
    folder = default_place().parent
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / DEMO_STORE)


def need_store(where: str) -> None:
    """Raises if there is no file where a store is said to be; a database says so itself."""
    if "://" not in where and not Path(where).exists():
        raise DataError(f"{show(where)} does not exist; name the store with --store")


def check_measures(settings: StudioSettings) -> None:
    """Raises if a measure is not known, also while there is nothing to score."""
    from assay.tasks.evaluate.scorer import make_scorer

    make_scorer({"query": {"document": 1}}, list(settings.measures), **settings.scoring)


def open_store(where: str) -> Store:
    """The store in a file or at a URL."""
    from assay.studio.store.store import Store

    return Store.open(where)


def check_store(store: Store, collection: Collection, where: str) -> None:
    """Raises if the store has votes and none of them is on a query of the collection."""
    known = {*collection.queries, *store.questions()}
    voted = {event.query for event in store.events(limit=1000)}
    if voted and not voted & known:
        raise MismatchError(
            f"{where} has votes on other queries ({some(sorted(voted))}) than this collection "
            f"({some(collection.queries)}); choose another file with --store"
        )
