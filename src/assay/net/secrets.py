"""Secrets: which texts of a request may be keys, and how they are kept out of whatever is shown or stored.

Any value of a header, and anything after the `?` of an address, may be a key; in a body, which has many other values,
what is named or looks like one. The server may send it back as it was sent, decoded, or escaped. A text of four or more
characters is hidden wherever it occurs; a shorter one could occur in any message, so it is hidden only right after its
name.
"""

from __future__ import annotations

import base64
import html
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache, partial
from html.entities import codepoint2name
from typing import NamedTuple
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

from assay.core.text import printable

# Characters that are left as they are in an address; anything else is percent-encoded.
KEPT = "/%:=&?~+!$,;'@()*[]"
SHORTEST_SECRET = 4
# A word of a header's value, such as the one after `Bearer`, is hidden by itself if it is as long as keys are.
SHORTEST_WORD = 8
MARK = "…"
# How much of a secret that was cut off is looked for in any encoding: more than messages show of a response.
LONGEST_CUT = 80
# What a template of a request has in place of the question and k.
PLACEHOLDER = re.compile(r"\{(query|k)\}")
ESCAPES = re.compile(r"[%\\&]")
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([/\\\"]))")
# The words of a name, as in `api_key`, `apiKey` and `X-API-Key`, and those that name a key.
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
KEY_WORDS = frozenset(
    (
        *("key", "apikey", "token", "secret", "password", "passwd", "passphrase", "pass", "pwd", "auth", "jwt"),
        *("authorization", "authentication", "credential", "credentials", "bearer", "signature", "sig", "session"),
        "cookie",
    )
)
# What looks like a key wherever it stands: long, without blanks, of letters and digits; or after a scheme's name.
LOOKS_LIKE_KEY = re.compile(r"(?=\S*[0-9])(?=\S*[A-Za-z])[\w+/=.~\-]{20,}|(?i:bearer|basic|token)\s+\S+")


class Secret(NamedTuple):
    """A text that must not be shown, and its name."""

    name: str
    value: str


def secrets_in_address(url: str) -> list[Secret]:
    """What follows the `?` of a URL, except the placeholders."""
    secrets = []
    for part in re.split("[&;]", urlsplit(url).query):
        name, _, value = part.partition("=")
        if not value.strip("="):
            name, value = "", name
        # Every other part is the group of the pattern.
        secrets += [Secret(name, each) for each in PLACEHOLDER.split(value)[::2] if each]
    return secrets


def secrets_in_headers(values: Mapping[str, str], substituted: Iterable[str] = ()) -> list[Secret]:
    """The values of headers, what was substituted in them, and the long words in them except the first."""
    secrets = [Secret(name, value) for name, value in values.items()] + [Secret("", value) for value in substituted]
    for value in values.values():
        secrets += [Secret("", word) for word in re.split(r"[\s;,=]+", value)[1:] if len(word) >= SHORTEST_WORD]
        secrets += decoded_login(value)
    return [secret for secret in secrets if secret.value]


def decoded_login(value: str) -> list[Secret]:
    """The user and password in a header of basic authentication."""
    scheme, _, encoded = value.partition(" ")
    if scheme.lower() != "basic":
        return []
    try:
        login = base64.b64decode(encoded, validate=True).decode()
    except ValueError:
        return []
    user, _, password = login.partition(":")
    return [Secret("", login), Secret(user, password)]


def secrets_in_body(body: object, name: str = "", *, is_key: bool = False) -> Iterator[Secret]:
    """The texts of a body that are named like a key, or look like one."""
    if isinstance(body, Mapping):
        for key, value in body.items():
            words = [word.lower() for word in WORD.findall(key)]
            named = any(word in KEY_WORDS or word.removesuffix("s") in KEY_WORDS for word in words)
            yield from secrets_in_body(value, key, is_key=is_key or named)
    elif isinstance(body, list):
        for value in body:
            yield from secrets_in_body(value, name, is_key=is_key)
    elif isinstance(body, str) and body and (is_key or LOOKS_LIKE_KEY.fullmatch(body)):
        for part in filter(None, PLACEHOLDER.split(body)[::2]):
            # Beside the question, a sign may separate them.
            yield from (Secret(name, each) for each in {part, part.strip("-_.:;,/| ")} if each)
            yield from secrets_in_headers({"": part})[1:]


def hide(text: str, secrets: Iterable[Secret]) -> str:
    """The text without secrets, and without the beginning of a secret that was cut off.

    >>> secrets = [Secret("key", "s3cret/key"), Secret("v", "4")]
    >>> hide("got s3cret%2Fkey and s3cret…, HTTP 404, v=4", secrets)
    'got … and …, HTTP 404, …'
    """
    secrets = tuple(secrets)
    forms = all_forms(secrets)
    hidden = remove_forms(text, forms)
    if ESCAPES.search(hidden):
        decoded = ESCAPE.sub(unescape, html.unescape(unquote(unquote(hidden)))).lower()
        # That the beginning of a secret is there, however its characters are encoded, is quicker to tell.
        if any(each[:SHORTEST_SECRET].lower() in decoded for each in long_values(secrets)):
            hidden = any_spelling(secrets).sub(MARK, hidden)
    # JSON may escape any character; if escapes concealed a secret, the text is shown without them.
    plain = ESCAPE.sub(unescape, hidden)
    clear = remove_forms(plain, forms)
    return hidden if clear == plain else clear


@lru_cache(maxsize=16)
def all_forms(secrets: tuple[Secret, ...]) -> list[str]:
    """Every way in which secrets may appear, the longest first, so that no part of one is left over."""
    found: set[str] = set()
    for secret in secrets:
        before = [f"{name}{sign}" for name in encoded_forms(secret.name) for sign in ("=", ": ", ":")] or ["?"]
        for form in encoded_forms(secret.value):
            found |= {form} if len(form) >= SHORTEST_SECRET else {name + form for name in before}
    return sorted(found, key=len, reverse=True)


def long_values(secrets: tuple[Secret, ...]) -> list[str]:
    """The secrets that are long enough to be hidden anywhere, as they are and decoded, the longest first."""
    texts = {each for _, text in secrets for each in (text, unquote(text), unquote_plus(text), unquote(unquote(text)))}
    return sorted((each for each in texts if len(each) >= SHORTEST_SECRET), key=len, reverse=True)


@lru_cache(maxsize=16)
def any_spelling(secrets: tuple[Secret, ...]) -> re.Pattern[str]:
    """Long secrets with any of their characters encoded, which servers do as they like, whole or cut off."""
    values = ((each, "i" * (len(each) >= SHORTEST_WORD)) for each in long_values(secrets))
    patterns = [f"(?{flag}:{''.join(map(spellings, each))}|{cut_spelling(each)})" for each, flag in values]
    # Without long secrets, nothing matches.
    return re.compile("|".join(patterns) or r"(?!)")


def cut_spelling(text: str) -> str:
    """A pattern of the beginning of a text, up to the mark of what was cut off, perhaps in the middle of an escape."""
    rest = ""
    for character in reversed(text[SHORTEST_SECRET:LONGEST_CUT]):
        rest = f"(?:{spellings(character)}{rest})?"
    begun = r"(?:%[0-9a-fA-F]{0,3}|&[#\w]{0,6}|\\+u?[0-9a-fA-F]{0,4})?"
    return "".join(map(spellings, text[:SHORTEST_SECRET])) + rest + begun + MARK


@lru_cache(maxsize=256)
def spellings(character: str) -> str:
    """A pattern of a character as it is, percent-encoded, even repeatedly, and as JSON and HTML escape it."""
    code = ord(character)
    octets = "".join(f"%(?:25)*{octet:02x}" for octet in character.encode("utf-8", "replace"))
    units = character.encode("utf-16-be", "surrogatepass").hex()
    unicode = "".join(rf"\\+u{units[start : start + 4]}" for start in range(0, len(units), 4))
    named = "".join(f"|&{name};" for name in [codepoint2name.get(code)] if name)
    return rf"(?:\\*{re.escape(character)}|(?i:{octets}|{unicode}|&#0*{code};|&#x0*{code:x};{named}))"


def remove_forms(text: str, forms: Iterable[str]) -> str:
    """The text without these forms, and without their beginnings where it was cut."""
    for form in forms:
        text = text.replace(form, MARK)
        if MARK in text:
            for length in range(min(len(form) - 1, len(text)), SHORTEST_SECRET - 1, -1):
                text = text.replace(form[:length] + MARK, MARK)
    return text


def unescape(escape: re.Match[str]) -> str:
    return chr(int(escape[1], 16)) if escape[1] else escape[2]


def encoded_forms(text: str) -> set[str]:
    """A text as it is, decoded, encoded, as JSON, HTML and assay's messages write it, and, if long, in one case."""
    if not text:
        return set()
    plain = {text, unquote(text), unquote_plus(text)}
    if len(text) >= SHORTEST_WORD:
        plain |= {recased for each in plain for recased in (each.upper(), each.lower())}
    ways = [partial(write, safe=safe, errors="replace") for write in (quote, quote_plus) for safe in (KEPT, "")]
    encoded = {write(each) for each in plain for write in ways}
    lower = {re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), each) for each in encoded}
    escaped = {json.dumps(each, ensure_ascii=is_ascii)[1:-1] for each in plain for is_ascii in (True, False)}
    marked = {html.escape(each, quote=is_quoted) for each in plain for is_quoted in (True, False)}
    return {printable(" ".join(each.split())) for each in plain | encoded | lower | escaped | marked} - {""}
