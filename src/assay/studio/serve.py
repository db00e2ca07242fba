"""Serves a studio until it is stopped: on loopback by default, elsewhere only to people with passwords."""

from __future__ import annotations

import ipaddress
import signal
import socket
import ssl
import threading
import webbrowser
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from assay.core.errors import DataError, FileError, PolicyError
from assay.core.text import quoted, show
from assay.files.source import reason_of
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


class ServerAddress(NamedTuple):
    """Where a studio is served: the host and port, other names that it answers to, and the files for HTTPS."""

    host: str = HOST
    port: int | None = None
    names: Sequence[str] = ()
    certificate: str | None = None
    key: str | None = None

    @property
    def is_local(self) -> bool:
        """Whether only this machine can reach it: a proxy that has another name for it may let others in."""
        return self.elsewhere is None

    @property
    def elsewhere(self) -> str | None:
        """The option by which others may reach it, as it was given."""
        given = [("--host", self.host), *(("--allow-host", name) for name in self.names)]
        return next((f"{option} {name}" for option, name in given if not is_of_this_machine(name)), None)

    @property
    def hosts(self) -> list[str]:
        """The names under which it may be reached."""
        own = f"[{self.host}]" if ":" in self.host else self.host
        return [*LOCAL_NAMES, own, *self.names]


def is_of_this_machine(host: str) -> bool:
    """Whether a name or an address is one of this machine alone.

    >>> [is_of_this_machine(host) for host in ("localhost", "127.0.0.2", "[::1]", "0.0.0.0", "example.org")]
    [True, True, True, False, False]
    """
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.removeprefix("[").removesuffix("]")).is_loopback
    except ValueError:
        return False


def check_people(store: Store, address: ServerAddress) -> None:
    """Raises if others could reach the studio and nobody has a password."""
    if address.is_local or any(voter.has_password for voter in store.voters()):
        return
    raise PolicyError(
        f"with {address.elsewhere} others can reach the studio, and nobody has a password yet; "
        "add people first: assay studio admin --store FILE add-user NAME"
    )


def check_files(address: ServerAddress) -> None:
    """Raises unless the certificate and its key can be used, where they are given."""
    if address.certificate is None or address.key is None:
        return
    for path in (address.certificate, address.key):
        try:
            with open(path, "rb"):  # noqa: PTH123 - a path as it was given
                pass
        except OSError as error:
            raise FileError(f"{quoted(path)} cannot be read: {reason_of(error)}") from None
    try:
        # A key with a password is refused: nobody is there to type one.
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(address.certificate, address.key, password=lambda: "")
    except (ssl.SSLError, ValueError) as error:
        files = f"{quoted(address.certificate)} and {quoted(address.key)}"
        raise DataError(f"{files} are not a certificate and its key without a password: {error}") from None


def serve(studio: Studio, address: ServerAddress, *, browse: bool, say: Callable[[str], None]) -> None:
    """Serves a studio until a signal ends it: after Ctrl-C it raises KeyboardInterrupt, else it returns.

    Either way, open requests have had some seconds, and what was pending is recorded.
    """
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
    studio.warm_up()
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
