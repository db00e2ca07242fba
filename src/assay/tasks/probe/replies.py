"""What an HTTP endpoint replied when it gave no answer, in words, and whether to try again."""

from __future__ import annotations

import http.client
import socket
import time
from email.utils import parsedate_to_datetime

from assay.core.errors import DataError
from assay.core.text import printable
from assay.tasks.probe.failures import TryAgain

LONGEST_SHOWN = 80
# Too slow, too many, or the other side's own trouble: these may pass.
PASSING = (408, 425, 429)
OK, REDIRECT, REFUSED, BROKEN = 200, 300, 400, 500


def check(response: http.client.HTTPResponse, answer: bytes) -> None:
    """Raises unless the status says that all is well."""
    status = response.status
    if OK <= status < REDIRECT:
        return
    said = f"HTTP {status} {short(response.reason)}".strip()
    if status < REFUSED:
        target = (response.headers.get("Location") or "nowhere").partition("?")[0]
        raise DataError(f"{said}: redirected to {short(target)}; give the address that is to be asked")
    said += f": {excerpt(answer)}" if answer.strip() else ""
    if status in PASSING or status >= BROKEN:
        raise TryAgain(said, seconds_after(response.headers.get("Retry-After")))
    raise DataError(said)


def trouble(error: Exception, timeout: float | None) -> str:
    """What went wrong on the way, in words."""
    if isinstance(error, TimeoutError):
        return f"no answer within {timeout or 0:g} s"
    if isinstance(error, socket.gaierror):
        return f"there is no such host: {error.strerror}"
    if isinstance(error, OSError):
        return f"the connection failed: {error.strerror or type(error).__name__}"
    return f"the answer is broken: {type(error).__name__} {short(str(error))}"


def seconds_after(value: str | None) -> float | None:
    """What `Retry-After` says: seconds, or a date."""
    if value is None:
        return None
    if value.strip().isdecimal():
        return float(value)
    try:
        return max(0.0, parsedate_to_datetime(value).timestamp() - time.time())
    except (ValueError, OverflowError):
        return None


def excerpt(content: bytes) -> str:
    """The beginning of an answer, in quotes."""
    if not content.strip():
        return "it is empty"
    return "'" + short(" ".join(content[: 4 * LONGEST_SHOWN].decode("utf-8", "replace").split())) + "'"


def short(text: str) -> str:
    return printable(text[:LONGEST_SHOWN] + ("…" if len(text) > LONGEST_SHOWN else ""))
