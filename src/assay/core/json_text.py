"""JSON as assay reads it, wherever it is: an object that has a key twice is an error, and errors have one wording."""

import json
import re
import sys
from typing import Any

from assay.core.text import show

# Texts and words in a list or a dict of Python; a text that does not end goes on to the end.
PYTHON_TOKEN = re.compile(
    r"""'(?:[^'\\]|\\.)*+(?:'|\Z)|"(?:[^"\\]|\\.)*+(?:"|\Z)|\b(?:None|True|False|nan)\b""", re.DOTALL
)
JSON_WORDS = {"None": "null", "True": "true", "False": "false", "nan": "null"}
ESCAPE = re.compile(r"\\(?:(x[0-9a-f]{2}|u[0-9a-f]{4}|U[0-9a-f]{8})|(.))", re.DOTALL)
ESCAPED = {"n": "\n", "r": "\r", "t": "\t", "\\": "\\", "'": "'", '"': '"'}


class ContentError(ValueError):
    """An object has a key twice, or a number is NaN or infinite, which Python's json reads as numbers."""


def refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of keys and values, none of which may be there twice."""
    result = dict(pairs)
    if len(result) < len(pairs):
        seen: set[str] = set()
        repeated = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
        raise ContentError(f"duplicate key {show(repeated)}; keep one")
    return result


def refuse_constant(word: str) -> None:
    raise ContentError(f"{word} is not JSON; a missing value is null")


# Of both, only the second one refuses NaN: files of others have it.
decode_json = json.JSONDecoder(object_pairs_hook=refuse_repeats).decode
decode_finite_json = json.JSONDecoder(object_pairs_hook=refuse_repeats, parse_constant=refuse_constant).decode


def explain_json_error(error: Exception) -> str:
    if isinstance(error, UnicodeDecodeError):
        return "bytes that are not UTF-8; save the file as UTF-8"
    if isinstance(error, ContentError):
        return str(error)
    if isinstance(error, json.JSONDecodeError):
        return f"invalid JSON: {plain_message(error)} at column {error.colno}"
    if isinstance(error, RecursionError):
        return "invalid JSON: the values are nested too deeply"
    return "invalid JSON: a number has too many digits"


def plain_message(error: json.JSONDecodeError) -> str:
    """What Python's json says, without the word that leads over to its own place."""
    said = error.msg.removesuffix(" at").removesuffix(" starting")
    return "unexpected text after the end" if said == "Extra data" else said


def python_to_json(text: str) -> str:
    r"""A list or a dict as `print` shows it, and as pandas writes it to CSV, as JSON; other text makes no JSON.

    >>> print(python_to_json("['it is 5 o\\'clock', None]"))
    ["it is 5 o'clock", null]
    """

    def rewrite(found: re.Match[str]) -> str:
        token = found[0]
        return JSON_WORDS[token] if token in JSON_WORDS else json.dumps(ESCAPE.sub(unescape, token[1:-1]))

    return PYTHON_TOKEN.sub(rewrite, text)


def unescape(found: re.Match[str]) -> str:
    """The character that an escape of Python means."""
    code, letter = found[1], found[2]
    number = int(code[1:], 16) if code else 0
    if number > sys.maxunicode or letter not in (None, *ESCAPED):
        raise ValueError(found[0])
    return chr(number) if code else ESCAPED[letter]
