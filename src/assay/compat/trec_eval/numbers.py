"""Numbers as the C library reads them: the longest beginning of a text that is one, else 0."""

from __future__ import annotations

import re

LARGEST = 2**63 - 1
WHOLE = re.compile(rb"[ \t\n\v\f\r]*([+-]?\d+)")
REAL = re.compile(
    rb"[ \t\n\v\f\r]*([+-]?)(?:(0x(?:[0-9a-f]+\.?[0-9a-f]*|\.[0-9a-f]+)(?:p[+-]?\d+)?)"
    rb"|((?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|inf(?:inity)?|nan))",
    re.IGNORECASE,
)


def whole(text: bytes) -> int:
    """The whole number that a text begins with, as `atol` reads it.

    >>> whole(b"23.4"), whole(b" -7x"), whole(b"x")
    (23, -7, 0)
    """
    found = WHOLE.match(text)
    return max(-LARGEST - 1, min(LARGEST, int(found[1][:30]))) if found else 0


def real(text: bytes) -> float:
    """The number that a text begins with, as `atof` reads it.

    >>> real(b"1.5e3x"), real(b".5."), real(b"0x1p-1"), real(b"none")
    (1500.0, 0.5, 0.5, 0.0)
    """
    found = REAL.match(text)
    if found is None:
        return 0.0
    sign = -1.0 if found[1] == b"-" else 1.0
    try:
        return sign * (float.fromhex(found[2].decode()) if found[2] else float(found[3]))
    except OverflowError:
        return sign * float("inf")
