"""Serves a studio until it is stopped: on loopback by default, elsewhere only to people with passwords."""

from __future__ import annotations

import ipaddress
import socket
import threading
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import DataError, PolicyError
from assay.core.text import show
from assay.studio.guard import LOCAL_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from assay.studio.store.store import Store
    from assay.studio.studio import Studio

HOST = "127.0.0.1"
PORT = 8484
# Ports that are tried if the usual one is taken and none was chosen.
MORE_PORTS = 20
# Seconds that open requests have when the studio ends.
LAST_WAIT = 2


class Address(NamedTuple):
    """Where a studio is served: the host and port, other names that it answers to, and the files for HTTPS."""

    host: str = HOST
    port: int | None = None
    names: Sequence[str] = ()
    certificate: str | None = None
    key: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it."""
        return self.host == "localhost" or is_loopback(self.host)

    @property
    def hosts(self) -> list[str]:
        """The names under which it may be reached."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return [*LOCAL_NAMES, own, *self.names]


def is_loopback(host: str) -> bool:
    """Whether an address is one of this machine alone."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def check_people(store: Store, address: Address) -> None:
    """Raises if others could reach the studio and nobody has a password."""
    if address.is_local or any(voter.has_password for voter in store.voters()):
        return
    raise PolicyError(
        f"--host {address.host} can be reached by others, and nobody has a password yet; "
        "add people first: assay studio --store FILE --add-user NAME"
    )


def serve(studio: Studio, address: Address, *, browse: bool, say: Callable[[str], None]) -> None:
    """Serves a studio until Ctrl-C or a signal ends it."""
    import uvicorn

    from assay.studio.app import make_app, make_server

    check_people(studio.store, address)
    listening = listen(address)
    port = listening.getsockname()[1]
    scheme = "http" if address.certificate is None else "https"
    shown = f"[{address.host}]" if ":" in address.host else address.host
    url = f"{scheme}://{shown}:{port}/"
    app = make_app(studio, login=not address.is_local, hosts=address.hosts)
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        ssl_certfile=address.certificate,
        ssl_keyfile=address.key,
        timeout_graceful_shutdown=LAST_WAIT,
        lifespan="on",
    )
    # Those who come first find the numbers, or need not wait as long for them.
    studio.numbers.get(0)
    say(f"assay studio at {url} (Ctrl-C ends it)")
    if browse:
        threading.Thread(target=open_browser, args=(url,), daemon=True).start()
    with suppress(KeyboardInterrupt):
        make_server(app, config).run(sockets=[listening])


def listen(address: Address) -> socket.socket:
    """A listening socket on the port that was chosen, or on the first free one."""
    ports = [address.port] if address.port is not None else [*range(PORT, PORT + MORE_PORTS), 0]
    family = socket.AF_INET6 if ":" in address.host else socket.AF_INET
    error: OSError | None = None
    for port in ports:
        try:
            return socket.create_server((address.host, port), family=family, backlog=2048)
        except OSError as found:
            error = found
    reason = "" if error is None else error.strerror or str(error)
    raise DataError(f"cannot listen on {show(address.host)} port {ports[0]}: {reason}; choose another with --port")


def open_browser(url: str) -> None:
    """Opens the browser, if there is one."""
    with suppress(webbrowser.Error, OSError):
        webbrowser.open(url)
