"""How much assay takes: data before it refuses it, so that no hostile file takes all memory, time or disk; threads.

A limit never changes a number, so it is not a policy or part of a signature. In Python it is set for a block of code,
`with assay.limits(line=4 << 20):`, and in the shell for a command, `assay --limit line=4Mi eval …`.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, fields, replace

from assay.core.errors import LimitError, PolicyError
from assay.core.text import INTERFACE, Interface, show

# The kernel's counters end there.
LARGEST = (1 << 63) - 1
MOST_THREADS = 1024
MOST = {"rows": (1 << 32) - 2, "threads": MOST_THREADS}
UNITS = {"": 1, **{unit: 1000**power for power, unit in enumerate("kmgt", 1)}}
UNITS |= {f"{unit}i": 1024**power for power, unit in enumerate("kmgt", 1)}
AMOUNT = re.compile(r"(\d{1,19})([kmgt]i?)?b?", re.ASCII | re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The limits in force, which `limits` describes. The kernel has the same defaults (`kernel/src/limits.rs`)."""

    line: int = 1 << 20
    rows: int = 100_000_000
    decompressed: int = 1 << 40
    ratio: int = 500
    temporary: int = 1 << 36
    values: int = 1 << 22
    stored: int = 1 << 26
    response: int = 64 << 20
    threads: int | None = None


LIMITS: ContextVar[Limits] = ContextVar("assay_limits", default=Limits())  # noqa: B039 - it is frozen
NAMES = tuple(each.name for each in fields(Limits))


@contextmanager
def limits(**changes: int) -> Iterator[None]:
    """Sets limits on how much data is taken, inside a `with` block; they never change a number.

    >>> import assay
    >>> with assay.limits(line=4 << 20, temporary=10**12):
    ...     result = assay.evaluate({"q": {"d": 1}}, {"q": {"d": 0.5}})

    `line` is the longest line of a TREC or JSON Lines file in bytes, `rows` the rows of one query in a TREC file,
    `decompressed` the bytes in a compressed file, `ratio` how many times its size that may be if it is more than a
    gigabyte, `temporary` the bytes of a temporary file (a copy of standard input or of a pipe, or of what a compressed
    file holds), `values` and `stored` the values and the decompressed bytes of a stored result, `response` the bytes of
    a server's response, `threads` the threads to compute with (by default, one per processor).
    """
    for name, value in changes.items():
        check_limit(name, value)
    token = LIMITS.set(replace(LIMITS.get(), **changes))
    try:
        yield
    finally:
        LIMITS.reset(token)


def check_limit(name: str, value: object) -> None:
    if name not in NAMES:
        raise PolicyError(f"unknown limit {show(name)}; the limits are {', '.join(NAMES)}")
    most = MOST.get(name, LARGEST)
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise PolicyError(f"limit {name} must be a whole number from 1 to {most:,}, not {show(str(value))}")


def read_limits(pairs: Iterable[str]) -> dict[str, int]:
    """What `assay.limits` takes, from texts such as `line=4Mi`."""
    found = {}
    for pair in pairs:
        name, _, amount = pair.partition("=")
        parts = AMOUNT.fullmatch(amount)
        if name in NAMES and parts is None:
            raise PolicyError(
                f"--limit {show(pair)}: write a whole number, such as {name}=5000000, {name}=4Mi or {name}=2G"
            )
        value = int(parts[1]) * UNITS[(parts[2] or "").lower()] if parts else 0
        check_limit(name, value)
        found[name] = value
    return found


def size(count: int) -> str:
    """A number of bytes, in the largest unit that writes it exactly."""
    for shift, unit in ((40, "TiB"), (30, "GiB"), (20, "MiB"), (10, "KiB")):
        if count % (1 << shift) == 0:
            return f"{count >> shift:,} {unit}"
    return f"{count:,} bytes"


def refuse(what: str, name: str, most: int | None = None) -> LimitError:
    """The error for data past the limit of that name; `most` is what it was, if it was set in another thread."""
    twice = min(2 * (most or getattr(LIMITS.get(), name)), MOST.get(name, LARGEST))
    in_shell = INTERFACE.get() is Interface.SHELL
    option = f"assay --limit {name}={twice} …" if in_shell else f"with assay.limits({name}={twice}):"
    return LimitError(f"{what}; if that is right, raise the limit: {option}")
