"""Locks on open files, which end with the process that holds them, however it ends."""

from __future__ import annotations

import sys

# Windows locks bytes, which nobody else can then read: one that files do not reach.
FAR = 0x7FFFFFFE


def lock(descriptor: int) -> None:
    """Locks an open file until it is closed.

    Raises `BlockingIOError` if another open file has the lock, another `OSError` if the file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt
        import os

        place = os.lseek(descriptor, 0, os.SEEK_CUR)
        os.lseek(descriptor, FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError as error:
            raise BlockingIOError(*error.args) from None
        finally:
            os.lseek(descriptor, place, os.SEEK_SET)
    else:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
