"""What is sent to an HTTP endpoint: the address, the body and the headers, with places for the question and k."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from string import Template
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from assay.core.errors import DataError
from assay.core.text import show
from assay.tasks.probe.hiding import KEPT, PLACE

DEFAULT_BODY = '{"query": "{query}", "k": "{k}"}'
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Address(NamedTuple):
    """An address in its parts; `target` is the path and what follows it, with places."""

    scheme: str
    host: str
    port: int | None
    target: str

    @property
    def name(self) -> str:
        """The address without what may be secret in it."""
        port = "" if self.port is None else f":{self.port}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}{port}{self.target.partition('?')[0]}"

    def path(self, question: str, k: int) -> str:
        """What to ask for."""
        parts = re.split(PLACE, self.target)
        values = {"query": quote(question, safe="", errors="replace"), "k": str(k)}
        # The pattern's group stands at every other place.
        return "".join(values[part] if place % 2 else quote(part, safe=KEPT) for place, part in enumerate(parts))


def read_address(url: str) -> Address:
    """The parts of an address that can be asked."""
    # Neither what may be a key nor a name with a password is shown.
    shown = f"the address {show(re.sub('[^/]*@', '', re.split('[?#]', url)[0]))}"
    if "://" not in url:
        raise DataError(f"{shown} must begin with http:// or https://")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise DataError(f"{shown} cannot be read: {error}") from None
    if parts.scheme not in ("http", "https"):
        raise DataError(f"{shown} must begin with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise DataError("put no name and password into the address; send them in a header, such as Authorization")
    if not host or not re.fullmatch(r"[\w.:\-]+", host):
        raise DataError(f"{shown} has no host that can be asked")
    target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Address(parts.scheme, host, port, target)


def read_body(text: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The template of the body."""
    if not isinstance(text, str):
        raise DataError(f"the body must be JSON as a text, such as {DEFAULT_BODY}, not {show(text)}")
    try:
        body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"the body is not JSON: {error}; a body is such as {DEFAULT_BODY}") from None
    if "{query}" not in json.dumps(body):
        raise DataError(f"the body has no place for the question; write {{query}} there, as in {DEFAULT_BODY}")
    return body


def filled(template: Any, question: str, k: int) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The template with the question and k in their places; they are values, so nothing in them is taken for JSON.

    >>> filled({"q": "{query}", "size": "{k}", "note": "for {query}"}, 'a "b" {k}', 5)
    {'q': 'a "b" {k}', 'size': 5, 'note': 'for a "b" {k}'}
    """
    if isinstance(template, dict):
        return {name: filled(value, question, k) for name, value in template.items()}
    if isinstance(template, list):
        return [filled(value, question, k) for value in template]
    if template == "{k}":
        return k
    if isinstance(template, str):
        return PLACE.sub(lambda place: question if place[1] == "query" else str(k), template)
    return template


class Headers(NamedTuple):
    """The headers to send, and what they took from the environment."""

    values: dict[str, str]
    used: tuple[str, ...]


def read_headers(lines: Iterable[str], environment: Mapping[str, str]) -> Headers:
    """Headers such as `Authorization: Bearer $TOKEN`, where `$TOKEN` is taken from the environment, `$$` is `$`.

    >>> read_headers(["X-Key: $KEY"], {"KEY": "s3cret"}).values["X-Key"]
    's3cret'
    """
    values: dict[str, str] = {}
    taken: list[str] = []
    for line in lines:
        name, colon, template = line.partition(":")
        if not colon or not HEADER_NAME.fullmatch(name.strip()):
            raise DataError(f"a header is 'Name: value', and {show(name)} begins none")
        used: dict[str, str] = {}
        value = header_value(name.strip(), template.strip(), environment, used)
        values[name.strip()] = value
        taken += used.values()
    return Headers(values, tuple(taken))


def header_value(name: str, template: str, environment: Mapping[str, str], used: dict[str, str]) -> str:
    """A header's value; what it took from the environment is noted in `used`."""
    try:
        for match in Template.pattern.finditer(template):
            variable = match["named"] or match["braced"]
            if variable:
                used[variable] = environment[variable]
        value = Template(template).substitute(used)
    except KeyError as error:
        raise DataError(f"header {show(name)}: there is no environment variable {error.args[0]}") from None
    except ValueError:
        raise DataError(f"header {show(name)}: a $ must be followed by a variable's name; $$ is a plain $") from None
    if not value.isprintable() or not value.isascii():
        raise DataError(f"header {show(name)}: the value must be one line of plain ASCII")
    return value
