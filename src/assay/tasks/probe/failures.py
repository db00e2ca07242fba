"""What went wrong with a call: whether another attempt makes sense, when, and how to say it."""

from __future__ import annotations

from assay.core.errors import AssayError
from assay.core.text import count, printable

FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
LONGEST_MESSAGE = 200


class TryAgain(Exception):  # noqa: N818 - it says what to do
    """A call failed in a way that may pass; `after` is how many seconds to wait, where the other side said so."""

    def __init__(self, message: str, after: float | None = None) -> None:
        super().__init__(message)
        self.after = after


def pause_after(attempt: int, error: BaseException | None) -> float:
    """The seconds to wait before the next attempt: twice as long each time, or what the other side said.

    >>> pause_after(1, None), pause_after(3, None), pause_after(1, TryAgain("busy", 7))
    (0.5, 2.0, 7)
    """
    after = error.after if isinstance(error, TryAgain) else None
    return min(FIRST_PAUSE * 2 ** (attempt - 1) if after is None else after, LONGEST_PAUSE)


def failure(error: BaseException | None, attempts: int) -> str:
    """What went wrong, in one line.

    >>> failure(KeyError("d1"), 3)
    "KeyError: 'd1' (3 attempts)"
    """
    kind = "" if isinstance(error, (AssayError, TryAgain)) else type(error).__name__
    said = ": ".join(part for part in (kind, message_of(error)) if part)
    line = printable(" ".join(said.split()))
    cut = line[:LONGEST_MESSAGE] + ("…" if len(line) > LONGEST_MESSAGE else "")
    return cut + (f" ({count(attempts, 'attempt')})" if attempts > 1 else "")


def message_of(error: object) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 - a message must not fail on what it is about
        return "an error without a message"
