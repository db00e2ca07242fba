"""What `assay studio` does, for Python: to open a studio, and to manage its people, tokens and backups.

`open_studio` and `serve` of `assay.studio.serve` make the server; the rest needs only the store.
"""

from __future__ import annotations

from contextlib import nullcontext
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError, DataError, MismatchError
from assay.core.text import Option, show, some

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from assay.data.qrels import Qrels
    from assay.data.run import Run
    from assay.studio.collection import Collection
    from assay.studio.search import LiveSearch
    from assay.studio.serve import ServerAddress
    from assay.studio.store.store import Store
    from assay.studio.studio import Studio, StudioSettings

MEASURES = ("ndcg@10", "dcg@10", "ap", "rr@10", "recall@100")
STORE = "assay-studio.sqlite"
DEMO_STORE = "studio-demo.sqlite"
PACKAGES = ("fastapi", "uvicorn", "jinja2", "sqlalchemy")
SHORTEST_PASSWORD = 8


def need_studio() -> None:
    """Raises if a package is missing that the studio needs."""
    for name in PACKAGES:
        if find_spec(name) is None:
            raise AssayError(f'the studio needs the package {name}; install it with: pip install "assay[studio]"')


def default_store(*, is_demo: bool = False) -> str:
    """Where votes are kept if nobody says: in this folder, those on the demo in the user's cache directory."""
    from assay.tasks.judge.cache import default_place

    if not is_demo:
        return STORE
    folder = default_place().parent
    folder.mkdir(parents=True, exist_ok=True)
    return str(folder / DEMO_STORE)


def open_studio(
    collection: Collection,
    where: str,
    settings: StudioSettings,
    *,
    address: ServerAddress | None = None,
    search: LiveSearch | None = None,
) -> Studio:
    """The studio of a collection with its store in a file or at a URL; close it at the end.

    It raises if the settings or the store do not fit the collection, or if it could not be served at the address.
    """
    from assay.studio.serve import check_files, check_people
    from assay.studio.studio import Studio

    settings.check(collection)
    if address is not None:
        check_files(address)
    store = open_store(where)
    try:
        if address is not None:
            check_people(store, address)
        check_store(store, collection, where)
        return Studio(collection, store, settings, search)
    except BaseException:
        store.close()
        raise


def run_studio(
    collection: Collection,
    where: str,
    measures: Sequence[str],
    *,
    search: Mapping[str, Any] | None = None,
    host: str = "127.0.0.1",
    port: int | None = None,
    names: tuple[str, ...] = (),
    tls: tuple[str, str] | None = None,
    browse: bool = True,
    dry_run: bool = False,
    say: Callable[[str], None],
    while_serving: AbstractContextManager[None] = nullcontext(),  # noqa: B008 - it holds nothing
    **how: Any,  # noqa: ANN401 - those of `StudioSettings.of`
) -> None:
    """Opens a store and serves a studio until a signal ends it; `search` has the options of a live retriever."""
    from assay.studio.search import LiveSearch
    from assay.studio.serve import ServerAddress, serve
    from assay.studio.studio import StudioSettings

    address = ServerAddress(host, port, names, *(tls or (None, None)))
    live = None if search is None else LiveSearch(**search)
    settings = StudioSettings.of(collection.runs, measures, **how)
    studio = open_studio(collection, where, settings, address=address, search=live)
    say(f"{studio.describe()} in {where}")
    if dry_run:
        studio.close()
    else:
        with while_serving:
            serve(studio, address, browse=browse, say=say)


def read_collection(title: str | None, qrels: Qrels | None, runs: Mapping[str, Run], **texts: object) -> Collection:
    """The collection of judgments and runs, or the demo if there are no runs."""
    from assay.studio.collection import demo_collection, open_collection

    return open_collection(title or "assay studio", qrels, runs, **texts) if runs else demo_collection()


def open_store(where: str, *, is_there: bool = False) -> Store:
    """The store in a file or at a URL, with `is_there` only if there is one; use it in a `with` statement."""
    need_studio()
    from assay.studio.store.store import Store

    # A database says itself that it is not there.
    if is_there and "://" not in where and not Path(where).exists():
        raise DataError(f"{show(where)} does not exist; name the store with {Option('store')}")
    return Store.open(where)


def check_store(store: Store, collection: Collection, where: str) -> None:
    """Raises if the store has votes and none of them is on a query of the collection."""
    known = {*collection.queries, *store.questions()}
    voted = {event.query for event in store.events(limit=1000)}
    if voted and not voted & known:
        raise MismatchError(
            f"{where} has votes on other queries ({some(sorted(voted))}) than this collection "
            f"({some(collection.queries)}); choose another file with {Option('store')}"
        )


def add_person(where: str, name: str, password: str, *, is_admin: bool | None = None) -> None:
    """Adds somebody who may log in, or sets a new password; `is_admin` is whether they may manage the studio."""
    if len(password) < SHORTEST_PASSWORD:
        raise DataError(f"a password needs at least {SHORTEST_PASSWORD} characters")
    with open_store(where) as store:
        store.add_voter(name, password=password, is_admin=is_admin)


def add_token(where: str, name: str) -> str:
    """A token for a program that sends votes; the store keeps only its digest."""
    with open_store(where) as store:
        return store.add_token(name)


def revoke_tokens(where: str, name: str) -> int:
    """Makes the tokens of a program worthless; how many there were."""
    with open_store(where, is_there=True) as store:
        return store.revoke_tokens(name)


def back_up(where: str, path: str | os.PathLike[str]) -> None:
    """Copies a store, also while it is in use, to an SQLite file that opens as a store."""
    with open_store(where, is_there=True) as store:
        store.backup(path)
