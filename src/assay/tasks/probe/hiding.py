"""Keys in requests: which texts may be one, and how they are kept out of messages.

Whatever stands behind the question mark of an address may be a key, and so may every value of a header. The other side
may send it back as it was sent, decoded, or escaped. A text of four characters or more is hidden wherever it stands; a
shorter one would be found in any message, so it is hidden only with its name in front.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from urllib.parse import quote, quote_plus, unquote, unquote_plus, urlsplit

from assay.core.text import printable

PLACE = re.compile(r"\{(query|k)\}")
# What stands in an address as it is; anything else is written in percent signs.
KEPT = "/%:=&?~+!$,;'@()*[]"
SHORTEST = 4
# A word of a header's value, such as that behind `Bearer`, is hidden alone if it is as long as keys are.
SHORTEST_WORD = 8
MARK = "…"
ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([/\\\"]))")


class Secret(NamedTuple):
    """A text that must not be shown, and the name that it has."""

    name: str
    value: str


def in_address(url: str) -> list[Secret]:
    """What stands behind the question mark of an address, but for the places of the question and k.

    >>> in_address("http://h/?q={query}&token=abc&s3cret")
    [Secret(name='token', value='abc'), Secret(name='', value='s3cret')]
    """
    secrets = []
    for part in re.split("[&;]", urlsplit(url).query):
        name, _, value = part.partition("=")
        if not value.strip("="):
            name, value = "", name
        # The pattern's group stands at every other place.
        secrets += [Secret(name, each) for each in PLACE.split(value)[::2] if each]
    return secrets


def in_headers(values: Mapping[str, str], used: Iterable[str]) -> list[Secret]:
    """The values of headers, what they took from the environment, and the long words in them but for the first."""
    secrets = [Secret(name, value) for name, value in values.items()] + [Secret("", value) for value in used]
    for value in values.values():
        words = re.split(r"[\s;,=]+", value)[1:]
        secrets += [Secret("", word) for word in words if len(word) >= SHORTEST_WORD]
    return [secret for secret in secrets if secret.value]


def hide(text: str, secrets: Iterable[Secret]) -> str:
    r"""The text without secrets, and without the beginning of one where it was cut.

    >>> secrets = [Secret("key", "s3cret/key"), Secret("v", "4")]
    >>> hide("got s3cret%2Fkey and s3cret…, HTTP 404, v=4", secrets)
    'got … and …, HTTP 404, …'
    >>> hide(r"got s3cret\/key and s3cret\u002Fkey", secrets)
    'got … and …'
    """
    # The longest first, so that none is left over in part.
    forms = sorted({form for secret in secrets for form in shown_as(secret)}, key=len, reverse=True)
    hidden = without(text, forms)
    # JSON may write any character as an escape; where that hid a secret from us, the text is shown without escapes.
    plain = ESCAPE.sub(unescaped, hidden)
    clear = without(plain, forms)
    return hidden if clear == plain else clear


def without(text: str, forms: Iterable[str]) -> str:
    """The text without these forms, and without their beginnings where it was cut."""
    for form in forms:
        text = text.replace(form, MARK)
        for length in range(min(len(form) - 1, len(text)), SHORTEST - 1, -1):
            text = text.replace(form[:length] + MARK, MARK)
    return text


def unescaped(escape: re.Match[str]) -> str:
    """The character that an escape of JSON stands for."""
    return chr(int(escape[1], 16)) if escape[1] else escape[2]


def shown_as(secret: Secret) -> list[str]:
    """All the ways in which a secret may stand in a message."""
    forms = forms_of(secret.value)
    long = [form for form in forms if len(form) >= SHORTEST]
    short = [form for form in forms if len(form) < SHORTEST]
    before = [f"{name}{sign}" for name in forms_of(secret.name) for sign in ("=", ": ", ":")] or ["?"]
    return long + [f"{name}{form}" for form in short for name in before]


def forms_of(text: str) -> set[str]:
    """A text as it is, decoded, encoded, and as JSON and assay's messages write it.

    >>> sorted(forms_of("a%2Fb"))
    ['a%252Fb', 'a%2Fb', 'a%2fb', 'a/b']
    """
    if not text:
        return set()
    plain = {text, unquote(text), unquote_plus(text)}
    encoded = {
        write(each, safe=safe, errors="replace")
        for each in plain
        for write in (quote, quote_plus)
        for safe in (KEPT, "")
    }
    lower = {re.sub("%[0-9A-F]{2}", lambda code: code[0].lower(), each) for each in encoded}
    escaped = {json.dumps(each, ensure_ascii=is_ascii)[1:-1] for each in plain for is_ascii in (True, False)}
    forms = plain | encoded | lower | escaped
    return {printable(" ".join(each.split())) for each in forms} - {""}
