"""Replaces a file by a new one atomically, whatever ends the process or the computer.

The new file is written beside the old one, with its mode and owner, and renamed once it is on the disk. While it is
written it is locked; one that is not locked is the leftover of a killed process, and the next writer removes it.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from assay.core.errors import FileError
from assay.core.text import quoted
from assay.files.source import check_path, leftover

PARTIAL = re.compile(r"\.assay-[0-9a-f]{16}\.partial")
OPEN = os.O_RDWR | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
# For everyone, less what the process's mask takes away; and for the owner alone.
ORDINARY, PRIVATE = 0o666, 0o600
# Windows locks bytes, which nobody else can then read: one that files do not reach.
FAR = 0x7FFFFFFE


def lock(descriptor: int) -> None:
    """Locks an open file until it is closed.

    Raises `BlockingIOError` if another open file has the lock, another `OSError` if the file system has no locks.
    """
    if sys.platform == "win32":
        import msvcrt

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


def target_of(path: str | os.PathLike[str]) -> Path:
    name = os.fsdecode(path)
    if name.endswith(("/", os.sep)):
        raise FileError(f"{quoted(name)} names a directory, not a file")
    return check_path(name)


def status_of(target: Path) -> os.stat_result | None:
    try:
        found = target.stat()
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise FileError(f"{quoted(target)} is a directory, not a file")
    return found


@contextmanager
def replaced(target: Path) -> Iterator[Path]:
    """A file beside `target` that replaces it at the end; a device or a pipe is written to instead."""
    old = status_of(target)
    if old is not None and not stat.S_ISREG(old.st_mode):
        with partial_file(Path(tempfile.gettempdir()), PRIVATE) as (partial, _):
            yield partial
            with partial.open("rb") as whole, target.open("wb") as device:
                shutil.copyfileobj(whole, device)
        return
    final = Path(os.path.realpath(target))
    remove_leftovers(final.parent)
    with partial_file(final.parent, ORDINARY if old is None else PRIVATE) as (partial, file):
        yield partial
        if old is not None:
            keep_rights(partial, old)
        os.fsync(file.fileno())
        if sys.platform == "win32":
            # An open file can be neither renamed nor removed there.
            file.close()
        partial.replace(final)
        # The rename is put on the disk, too, where folders can be opened.
        with suppress(OSError), opened(final.parent, os.O_RDONLY) as descriptor:
            os.fsync(descriptor)


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    descriptor = os.open(path, flags)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def partial_file(folder: Path, mode: int = PRIVATE) -> Iterator[tuple[Path, IO[bytes]]]:
    """The path of a new file, which is removed at the end, and the open file, which has its lock."""
    while True:
        path = folder / f".assay-{secrets.token_hex(8)}.partial"
        with leftover(path), os.fdopen(os.open(path, OPEN | os.O_CREAT | os.O_EXCL, mode), "r+b", buffering=0) as file:
            try:
                lock(file.fileno())
                is_mine = path.exists()
            except OSError as error:
                # Another writer took it for a leftover; or the file system has no locks.
                is_mine = not isinstance(error, BlockingIOError)
            if is_mine:
                yield path, file
                return


def remove_leftovers(folder: Path) -> None:
    """Removes what killed processes left behind; what is locked, or belongs to others, stays."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if PARTIAL.fullmatch(entry.name) and entry.is_file(follow_symlinks=False):
                with suppress(OSError), ExitStack() as locks:
                    # A file that somebody has open cannot be removed on Windows anyway.
                    if sys.platform != "win32":
                        lock(locks.enter_context(opened(Path(entry.path), OPEN)))
                    Path(entry.path).unlink()


def keep_rights(path: Path, old: os.stat_result) -> None:
    """Gives a file the mode and owner of another one, as far as this user may."""
    mode = stat.S_IMODE(old.st_mode)
    if sys.platform != "win32":
        here = path.stat()
        if here.st_uid != old.st_uid:
            with suppress(PermissionError):
                os.chown(path, old.st_uid, -1)
        if here.st_gid != old.st_gid:
            try:
                os.chown(path, -1, old.st_gid)
            except PermissionError:
                # What the old group could do is not given to another one.
                mode = mode & ~stat.S_IRWXG | (mode & stat.S_IRWXO) << 3
    with suppress(PermissionError):
        path.chmod(mode)
