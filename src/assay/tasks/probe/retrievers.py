"""How a retriever is called: a function, an object of another library, or an HTTP endpoint, `HttpSearch`.

| library | called as | returns |
| --- | --- | --- |
| LangChain | `invoke(question)` | documents |
| LlamaIndex | `retrieve(question)` | nodes with scores |
| haystack | `run(query=question)` | `{"documents": […]}` |

Libraries are recognised by these methods; none of them is imported. If an object has only the asynchronous method
(`ainvoke`, `aretrieve`, `run_async`), that one is called.
"""

from __future__ import annotations

import inspect
import json
import os
import re
from collections.abc import Callable, Iterable, Mapping
from copy import copy
from functools import partial
from string import Template
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from assay._kernel import __version__
from assay.core.errors import DataError
from assay.core.json_text import decode_json, explain_json_error, refuse_repeats
from assay.core.text import show
from assay.net.http import HttpClient, excerpt
from assay.net.secrets import KEPT, PLACEHOLDER, secrets_in_address, secrets_in_body, secrets_in_headers
from assay.tasks.probe.response import (
    Answered,
    at_path,
    find_contexts,
    holds_scores,
    look_for_list,
    no_list,
    split_answer,
)

DEFAULT_BODY = '{"query": "{query}", "k": "{k}"}'
AS_JSON = "application/json"
DEFAULT_HEADERS = {"Accept": AS_JSON, "Content-Type": AS_JSON, "User-Agent": f"assay/{__version__}"}
# An @, also as Unicode and addresses write it.
AT = re.compile("[@﹫＠]|%40")
PLAIN_AT = re.compile("[@﹫＠]")
METHODS = ("invoke", "retrieve", "ainvoke", "aretrieve")
NAMED_QUERY = ("run", "run_async")
LIMITS = ("k", "top_k")
LAMBDA = "<lambda>"
HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")


class Retriever(NamedTuple):
    """A retriever's name, the function that is called with a question, and whatever else determines the results."""

    name: str
    ask: Callable[[str], object]
    request: str = ""
    hide: Callable[[str], str] = str
    close: Callable[[], None] = lambda: None


def as_retriever(search: Any, k: int, name: str | None = None) -> Retriever:  # noqa: ANN401 - any library's retriever
    """The retriever that a function or another library's object is, called with nothing but a question."""
    if isinstance(search, type):
        raise DataError(f"{show(search.__name__)} is a class; pass an instance of it")
    found: dict[str, Any] = {name: getattr(search, name, None) for name in (*METHODS, *NAMED_QUERY)}
    method = next((name for name, each in found.items() if callable(each)), "")
    ask = found.get(method, search)
    if not callable(ask):
        raise DataError(
            f"{show(search)} cannot be searched; pass a function of a question, or an object with invoke (LangChain), "
            "retrieve (LlamaIndex) or run (haystack); for a URL use assay.live.HttpSearch"
        )
    if method in NAMED_QUERY:
        ask = with_named_query(ask, k)
    else:
        others = list(parameters_of(ask).values())[1:]
        by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        limit = next((each.name for each in others if each.name in LIMITS and each.kind in by_name), None)
        ask = partial(ask, **{limit: k}) if limit else ask
    return Retriever(name or own_name(search) or "search", ask)


def with_named_query(run: Callable[..., object], k: int) -> Callable[[str], object]:
    """Haystack's `run`, which takes its input by name."""
    names = parameters_of(run)
    if "query" not in names:
        hint = "write a function that turns a question into that input and calls the retriever"
        raise DataError(f"this retriever's run takes {', '.join(names) or 'nothing'}, not query; {hint}")
    known = {name: k for name in LIMITS if name in names}
    return lambda question: run(query=question, **known)


def parameters_of(function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """The parameters of a function; none if they cannot be inspected."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def require_name(search: object) -> None:
    """Raises if a checkpoint could not tell this retriever from another."""
    if own_name(search) is None:
        kind = "a lambda" if getattr(search, "__name__", None) == LAMBDA else "a partial"
        raise DataError(f"a checkpoint identifies a retriever by its name, and {kind} has none; pass name=")


def own_name(search: object) -> str | None:
    """The retriever's own name; lambdas and partials have none."""
    given = getattr(search, "name", None)
    if isinstance(given, str) and given:
        return given
    own = getattr(search, "__name__", None)
    name = own if isinstance(own, str) else type(search).__name__
    return None if name == LAMBDA or isinstance(search, partial) else name


class HttpSearch:
    """An endpoint that takes a question as JSON and returns a list of documents as JSON.

    `body` is JSON in which `{query}` and `{k}` stand for the question and k. A URL that contains `{query}` is called
    with GET, unless there is a body. `path` says where the list is in the response, such as `data.hits`; by default the
    usual keys are tried. A response that maps ids to scores is read as a ranking only if `path` says so: "." is the
    whole response. `answer_path` says where a system that answers has its answer. A header such as
    `Authorization: Bearer $TOKEN` takes `$TOKEN` from the environment. Values of headers, what follows the `?` of the
    URL, and keys in the body are never shown.

    >>> HttpSearch("https://search.example/api?key=s3cret", headers=["X-Key: $$"]).name
    'https://search.example/api'
    """

    def __init__(
        self,
        url: str,
        *,
        body: str | None = None,
        path: str | None = None,
        answer_path: str | None = None,
        headers: Iterable[str] = (),
        timeout: float | None = 30.0,
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._address = read_address(url)
        self._method = "GET" if body is None and "{query}" in self._address.target else "POST"
        self._body = None if self._method == "GET" else read_body(body or DEFAULT_BODY)
        self._path = path
        self._answer_path = answer_path
        own, substituted = read_headers(headers, environment)
        given = {name.lower() for name in own} | (set() if self._method == "POST" else {"content-type"})
        self._headers = {name: value for name, value in DEFAULT_HEADERS.items() if name.lower() not in given} | own
        secrets = [*secrets_in_address(url), *secrets_in_body(self._body), *secrets_in_headers(own, substituted)]
        self._client = HttpClient(timeout=timeout, secrets=secrets)
        # Everything that determines the results; a checkpoint keeps a digest of it.
        sent = sorted((name.lower(), value) for name, value in own.items())
        places = [path] if answer_path is None else [path, answer_path]
        self._request = json.dumps([self._method, url, self._body, *places, sent])

    @property
    def name(self) -> str:
        """The URL, without what may be secret in it."""
        return self._address.name

    def __repr__(self) -> str:
        return f"HttpSearch({self.name!r})"

    def __call__(self, question: str, k: int) -> object:
        """The documents in the response; raises `DataError` if a retry would fail too, else `TemporaryError`."""
        content = None if self._body is None else json.dumps(fill_template(self._body, question, k)).encode()
        url = self._address.origin + self._address.fill_target(question, k)
        response = self._client.send(self._method, url, headers=self._headers, content=content)
        try:
            return read_response(response, self._path, self._answer_path)
        except DataError as error:
            raise DataError(self.hide(str(error))) from None

    def hide(self, text: str) -> str:
        """The text without secrets, in case the server sent them back."""
        return self._client.hide(text)

    def close(self) -> None:
        """Closes the connections that are kept; a later call opens one for itself alone."""
        self._client.close()

    def as_retriever(self, k: int, name: str | None = None) -> Retriever:
        """The same endpoint with its own connections, which can be closed while this one is in use."""
        search = copy(self)
        search._client = HttpClient(timeout=self._client.timeout, secrets=self._client.secrets)  # noqa: SLF001 - a copy
        return Retriever(name or self.name, partial(search, k=k), self._request, self.hide, search.close)


def read_response(content: bytes, path: str | None, answer_path: str | None = None) -> object:
    """What a response holds, at the path if there is one; with the answer if it has one."""
    try:
        response = json.loads(content, object_pairs_hook=refuse_repeats)
    except (json.JSONDecodeError, UnicodeDecodeError):
        raise DataError(f"the response is not JSON: {excerpt(content)}") from None
    except (ValueError, RecursionError) as error:
        raise DataError(f"the response: {explain_json_error(error)}") from None
    if response == {}:
        raise DataError("the response is an empty object")
    if answer_path is not None:
        answer = at_path(response, answer_path)
        if not isinstance(answer, str):
            raise DataError(f"the response has no answer at {show(answer_path)}: expected a text, found {show(answer)}")
        return Answered(answer, find_contexts(response) if path is None else at_path(response, path))
    if path is not None:
        answered, contexts = split_answer(response), at_path(response, path)
        return contexts if answered is None else answered._replace(contexts=contexts)
    if isinstance(response, dict) and look_for_list(response) is None:
        raise no_list(response, "if it maps ids to scores, set the path to '.'" if holds_scores(response) else "")
    return response


class Address(NamedTuple):
    """A URL in parts; `target` is the path and the query string, with placeholders."""

    origin: str
    target: str

    @property
    def name(self) -> str:
        """The URL without what may be secret in it."""
        return self.origin + self.target.partition("?")[0]

    def fill_target(self, question: str, k: int) -> str:
        """The path and the query string for one question."""
        parts = re.split(PLACEHOLDER, self.target)
        values = {"query": quote(question, safe="", errors="replace"), "k": str(k)}
        # Every other part is the group of the pattern.
        return "".join(values[part] if place % 2 else quote(part, safe=KEPT) for place, part in enumerate(parts))


def read_address(url: str) -> Address:
    shown = describe_url(url)
    if "://" not in url:
        raise DataError(f"{shown} must begin with http:// or https://")
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        # Python names what is wrong, which may be part of a password.
        reason = "" if AT.search(url) else f": {error}"
        raise DataError(f"{shown} is invalid{reason}") from None
    if parts.scheme not in ("http", "https"):
        raise DataError(f"{shown} must begin with http:// or https://")
    if parts.username is not None or parts.password is not None:
        raise DataError("the URL contains a user name or password; send them in a header such as Authorization")
    if PLAIN_AT.search(url):
        said = "if it belongs to a user name or password, send them in a header such as Authorization, else write %40"
        raise DataError(f"the URL has an @ after its host; {said}")
    if not host or not re.fullmatch(r"[\w.:\-]+", host):
        raise DataError(f"{shown} has no valid host")
    origin = f"{parts.scheme}://" + (f"[{host}]" if ":" in host else host) + ("" if port is None else f":{port}")
    return Address(origin, (parts.path or "/") + (f"?{parts.query}" if parts.query else ""))


def describe_url(url: str) -> str:
    """A URL in a message, without a possible key or password."""
    if not AT.search(url):
        return f"the URL {show(re.split('[?#]', url)[0])}"
    parts = re.fullmatch(r"([a-z]+://)?[^/?#@]*@([^?#@]*)(?:[?#][^@]*)?", url, re.DOTALL)
    # With a / or another @ in it, a password may end anywhere.
    return f"the URL {show((parts[1] or '') + parts[2])}" if parts and not AT.search(parts[2]) else "the URL"


def read_body(text: object) -> Any:  # noqa: ANN401 - whatever JSON holds
    if not isinstance(text, str):
        raise DataError(f"the body must be a string of JSON, such as {DEFAULT_BODY}, not {type(text).__name__}")
    try:
        body = decode_json(text)
    except (ValueError, RecursionError) as error:
        raise DataError(f"the body: {explain_json_error(error)}; an example is {DEFAULT_BODY}") from None
    if "{query}" not in json.dumps(body):
        raise DataError(f"the body has no placeholder for the question; write {{query}}, as in {DEFAULT_BODY}")
    return body


def fill_template(template: Any, question: str, k: int) -> Any:  # noqa: ANN401 - whatever JSON holds
    """The template with the question and k filled in; they are values, so nothing in them is read as JSON."""
    if isinstance(template, dict):
        return {name: fill_template(value, question, k) for name, value in template.items()}
    if isinstance(template, list):
        return [fill_template(value, question, k) for value in template]
    if template == "{k}":
        return k
    if isinstance(template, str):
        return PLACEHOLDER.sub(lambda place: question if place[1] == "query" else str(k), template)
    return template


def read_headers(lines: Iterable[str], environment: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    """Headers such as `Authorization: Bearer $TOKEN`, and the values that came from the environment; `$$` is `$`."""
    values: dict[str, str] = {}
    used: dict[str, str] = {}
    for number, line in enumerate(lines, start=1):
        name, colon, text = (part.strip() for part in line.partition(":"))
        if not colon or not HEADER_NAME.fullmatch(name):
            # Any part of it may be a key.
            raise DataError(f"header {number} is not of the form 'Name: value'; check its name and the colon")
        template = Template(text)
        try:
            used |= {variable: environment[variable] for variable in template.get_identifiers()}
            value = template.substitute(used)
        except KeyError as error:
            raise DataError(f"header {show(name)}: environment variable {error.args[0]} is not set") from None
        except ValueError:
            raise DataError(f"header {show(name)}: $ must be followed by a variable's name; write $$ for a $") from None
        if not value.isprintable() or not value.isascii():
            raise DataError(f"header {show(name)}: the value must be one line of printable ASCII")
        values[name] = value
    return values, list(used.values())
