"""`Background`: a value that takes time to make. The last one is given while the next is on its way."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Made = TypeVar("Made")
# Seconds to wait for a value that takes longer than somebody waits, or that was never made.
HARDLY = 0.1


class Background(Generic[Made]):
    """What `make` gives for the present `version`; `done` is called when a new value is there.

    Whoever asks waits for it, at most as long as they say: then they get the one before, or None if there is none yet.
    They hardly wait if it is not to be expected in that time: nobody stands before a page that will not have it anyway.
    """

    def __init__(self, make: Callable[[], Made], version: Callable[[], object], done: Callable[[], None]) -> None:
        self._make, self._version, self._done = make, version, done
        self._changed = threading.Condition()
        self._is_busy = False
        self._error: BaseException | None = None
        # The seconds that it took the last time.
        self._took: float | None = None
        # The value with the version that it was made for, once there is one.
        self._known: tuple[object, Made] | None = None

    def get(self, patience: float) -> Made | None:
        """The value of now, or the last one if that takes longer; raises if it cannot be made."""
        with self._changed:
            if self._is_current():
                return self._last()
            if not self._is_busy:
                self._is_busy = True
                threading.Thread(target=self._work, name="assay-studio-background", daemon=True).start()
            is_expected = self._took is not None and self._took <= patience
            waiting = patience if is_expected else min(patience, HARDLY)
            self._changed.wait_for(lambda: self._is_current() or not self._is_busy, waiting)
            if self._error is not None:
                error, self._error = self._error, None
                raise error
            return self._last()

    def _is_current(self) -> bool:
        return self._known is not None and self._known[0] == self._version()

    def _last(self) -> Made | None:
        return None if self._known is None else self._known[1]

    def _work(self) -> None:
        """Makes the value until it is that of now."""
        try:
            while not self._is_current():
                version, started = self._version(), time.monotonic()
                made = self._make()
                with self._changed:
                    self._known, self._took = (version, made), time.monotonic() - started
                    self._changed.notify_all()
        except BaseException as error:  # noqa: BLE001 - it reaches whoever asked
            self._error = error
        finally:
            with self._changed:
                self._is_busy = False
                self._changed.notify_all()
        self._done()
