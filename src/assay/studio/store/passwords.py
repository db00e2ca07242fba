"""Passwords as salted scrypt hashes, with the parameters that OWASP's cheat sheet of 2025 names for 16 MB."""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata

from assay.core.errors import DataError

COST, BLOCK, LANES = 1 << 14, 8, 5
MEMORY = 64 << 20
SALT = 16
LONGEST = 1000


def hash_password(password: str) -> str:
    """A password as it is kept: the parameters, the salt and the hash."""
    if not password or len(password) > LONGEST:
        raise DataError(f"a password has 1 to {LONGEST:,} characters")
    salt = secrets.token_bytes(SALT)
    derived = derive(password, salt, COST, BLOCK, LANES)
    return f"scrypt:{COST}:{BLOCK}:{LANES}:{salt.hex()}:{derived.hex()}"


def is_password(password: str, kept: str | None) -> bool:
    """Whether a password is the one that was kept; takes as long where none was."""
    _, cost, block, lanes, salt, expected = (kept or NOBODY).split(":")
    derived = derive(password[:LONGEST], bytes.fromhex(salt), int(cost), int(block), int(lanes))
    return hmac.compare_digest(derived, bytes.fromhex(expected)) and kept is not None


def mark_of(kept: str | None) -> str:
    """What tells a kept password from any other, and says nothing about it; empty where none is kept."""
    return "" if kept is None else hashlib.sha256(b"mark:" + kept.encode()).hexdigest()[:32]


def derive(password: str, salt: bytes, cost: int, block: int, lanes: int) -> bytes:
    """The hash; a letter with an accent is the same however the keyboard composes it."""
    text = unicodedata.normalize("NFC", password).encode(errors="surrogatepass")
    return hashlib.scrypt(text, salt=salt, n=cost, r=block, p=lanes, maxmem=MEMORY)


# What nobody's password is checked against.
NOBODY = f"scrypt:{COST}:{BLOCK}:{LANES}:{'00' * SALT}:{'00' * 64}"
