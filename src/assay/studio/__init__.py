"""The studio: a web application where people judge, and where every number follows their votes.

Here one is opened and served, and its people, tokens and backups are managed. It is served until it is stopped: on
loopback by default, elsewhere only to people with passwords.
"""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
import ssl
import threading
import webbrowser
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import AssayError, DataError, FileError, MismatchError, PolicyError
from assay.core.text import Option, quoted, show, some
from assay.files.source import reason_of
from assay.studio.access import LOCAL_NAMES

if TYPE_CHECKING:
    from assay.data.qrels import Qrels
    from assay.data.run import Run
    from assay.studio.collection import Collection
    from assay.studio.store.store import Store
    from assay.studio.studio import Studio

MEASURES = ("ndcg@10", "dcg@10", "ap", "rr@10", "recall@100")
STORE = "assay-studio.sqlite"
DEMO_STORE = "studio-demo.sqlite"
PACKAGES = ("fastapi", "uvicorn", "jinja2", "sqlalchemy")
SHORTEST_PASSWORD = 8
HOST = "127.0.0.1"
PORT = 8484
# Ports that are tried if the usual one is taken and none was chosen.
MORE_PORTS = 20
# Seconds that open requests have when the studio ends.
LAST_WAIT = 2


def need_studio() -> None:
    """Raises if a package that the studio needs is missing."""
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


def read_collection(title: str | None, qrels: Qrels | None, runs: Mapping[str, Run], **texts: object) -> Collection:
    """The collection of judgments and runs, or the demo if there are no runs."""
    from assay.studio.collection import demo_collection, open_collection

    return open_collection(title or "assay studio", qrels, runs, **texts) if runs else demo_collection()


def run_studio(
    collection: Collection,
    where: str,
    measures: Sequence[str],
    *,
    search: Mapping[str, Any] | None = None,
    host: str = HOST,
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
    from assay.studio.studio import Studio, StudioSettings

    address = ServerAddress(host, port, names, tls)
    live = None if search is None else LiveSearch(**search)
    settings = StudioSettings.of(collection.runs, measures, **how)
    settings.check(collection)
    if tls is not None:
        check_files(*tls)
    store = open_store(where)
    try:
        check_store(store, collection, where, address.elsewhere)
        studio = Studio(collection, store, settings, live)
    except BaseException:
        store.close()
        raise
    say(f"{studio.describe()} in {where}")
    if dry_run:
        studio.close()
    else:
        with while_serving:
            serve(studio, address, browse=browse, say=say)


def check_store(store: Store, collection: Collection, where: str, elsewhere: str | None) -> None:
    """Raises if others can reach the studio and nobody has a password, or if all votes are on other queries."""
    if elsewhere is not None and not any(voter.has_password for voter in store.voters()):
        said = f"with {elsewhere} others can reach the studio, and nobody has a password yet"
        raise PolicyError(f"{said}; add people first: assay studio admin --store FILE add-user NAME")
    voted = {event.query for event in store.events(limit=1000)}
    if voted and not voted & {*collection.queries, *store.questions()}:
        others, own = some(sorted(voted)), some(collection.queries)
        said = f"{where} has votes on other queries ({others}) than this collection ({own})"
        raise MismatchError(f"{said}; choose another file with {Option('store')}")


def check_files(certificate: str, key: str) -> None:
    """Raises unless a certificate and its key can be used."""
    for path in (certificate, key):
        try:
            with open(path, "rb"):  # noqa: PTH123 - a path as it was given
                pass
        except OSError as error:
            raise FileError(f"{quoted(path)} cannot be read: {reason_of(error)}") from None
    try:
        # A key with a password is refused: nobody is there to type one.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password=lambda: "")
    except (ssl.SSLError, ValueError) as error:
        files = f"{quoted(certificate)} and {quoted(key)}"
        raise DataError(f"{files} are not a certificate and its key without a password: {error}") from None


def open_store(where: str, *, is_there: bool = False) -> Store:
    """The store in a file or at a URL, with `is_there` only if there is one; use it in a `with` statement."""
    need_studio()
    from assay.studio.store.store import Store

    # A database says itself that it is not there.
    if is_there and "://" not in where and not Path(where).exists():
        raise DataError(f"{show(where)} does not exist; name the store with {Option('store')}")
    return Store.open(where)


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


class ServerAddress(NamedTuple):
    """Where a studio is served: the host and port, other names that it answers to, and the files for HTTPS."""

    host: str
    port: int | None
    names: Sequence[str]
    tls: tuple[str, str] | None

    @property
    def elsewhere(self) -> str | None:
        """The option by which others may reach it, as it was given; None if only this machine can.

        A proxy that has another name for it may let others in.

        >>> ServerAddress("127.0.0.2", None, ("LOCALHOST", "[::1]"), None).elsewhere
        >>> ServerAddress("::1", None, ("example.org",), None).elsewhere
        '--allow-host example.org'
        """
        for option, name in (("--host", self.host), *(("--allow-host", name) for name in self.names)):
            try:
                is_here = name.lower() == "localhost" or ipaddress.ip_address(name.strip("[]")).is_loopback
            except ValueError:
                is_here = False
            if not is_here:
                return f"{option} {name}"
        return None


def serve(studio: Studio, address: ServerAddress, *, browse: bool, say: Callable[[str], None]) -> None:
    """Serves a studio until a signal ends it; Ctrl-C raises KeyboardInterrupt once what is pending is recorded."""
    import uvicorn

    from assay.studio.app import make_app, make_server

    listening = listen(address)
    host = f"[{address.host}]" if ":" in address.host else address.host
    url = f"{'https' if address.tls else 'http'}://{host}:{listening.getsockname()[1]}/"
    app = make_app(studio, login=address.elsewhere is not None, hosts=[*LOCAL_NAMES, host, *address.names])
    tls: Any = dict(zip(("ssl_certfile", "ssl_keyfile"), address.tls or (), strict=False))
    quiet: Any = {"log_level": "warning", "access_log": False, "server_header": False, "date_header": False}
    config = uvicorn.Config(app, **quiet, **tls, timeout_graceful_shutdown=LAST_WAIT, lifespan="on")
    # Whoever comes first does not wait.
    studio.next_pair(None, "worth", set())
    studio.numbers.get(0)
    say(f"assay studio at {url} (Ctrl-C ends it)")
    if browse:
        threading.Thread(target=open_browser, args=(url,), daemon=True).start()
    # The server ends at SIGTERM and then sends it once more, to whoever handled it before.
    before = signal.signal(signal.SIGTERM, lambda *_: None)
    try:
        make_server(app, config).run(sockets=[listening])
    finally:
        signal.signal(signal.SIGTERM, before)
        studio.close()


def listen(address: ServerAddress) -> socket.socket:
    """A listening socket on the port that was chosen, or on the first free one."""
    ports = [address.port] if address.port is not None else [*range(PORT, PORT + MORE_PORTS), 0]
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    reason = ""
    for port in ports:
        try:
            return socket.create_server((address.host, port), family=family, backlog=2048)
        except OSError as error:
            reason = error.strerror or str(error)
    raise DataError(f"cannot listen on {show(address.host)} port {ports[0]}: {reason}; choose another with --port")


def open_browser(url: str) -> None:
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(url)
