"""Python's search for cycles, put off while many objects are made that are all kept."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


@contextmanager
def collection_put_off() -> Iterator[None]:
    """Does not search for cycles inside the context: the time would grow with the square of the objects made.

    >>> with collection_put_off():
    ...     gc.isenabled()
    False
    """
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
