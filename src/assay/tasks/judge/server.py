"""What has the chat completions of OpenAI's interface: a server over HTTP, or llama.cpp in this process.

Servers differ in the forms of structured output they take: JSON Schema is tried first, then JSON in general, then plain
text; what works is remembered for the server. llama.cpp (xllamacpp, the extra `local`) runs a GGUF file.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from assay._kernel import __version__
from assay.core.errors import AssayError, DataError, FileError
from assay.core.ruling import JudgeFailure, RulingKind
from assay.core.text import Option, printable, show
from assay.net.calls import Callers
from assay.net.http import HttpClient, HttpError, TemporaryError, excerpt
from assay.net.secrets import secrets_in_address, secrets_in_headers
from assay.tasks.judge.model import Chat, Completion, Model, Token, Vector, estimate_tokens

FORMS = ("json_schema", "json_object", "text")
# What servers say of a form of output that they do not take. Some end with a 500, which may also pass.
NOT_TAKEN = (400, 404, 415, 422, 500, 501)
MAY_PASS = 500
REFUSED = 400
UNSUPPORTED = re.compile(r"unsupported|not support|max_completion", re.IGNORECASE)
ALTERNATIVES = 10
# How much of a file identifies a model: its header has its name, its sizes and its words.
IDENTIFYING = 1 << 20


class ChatServer(Model):
    """The address up to `/v1`, the model there, and the key for the header `Authorization`."""

    def __init__(
        self, url: str, model: str, *, key: str | None, headers: Mapping[str, str] | None, timeout: float | None
    ) -> None:
        self.endpoint, self.name = endpoint_of_server(url), model
        query = urlsplit(url).query
        self._query = f"?{query}" if query else ""
        own = dict(headers or {}) | ({"Authorization": f"Bearer {key}"} if key else {})
        self._headers = {"Content-Type": "application/json", "User-Agent": f"assay/{__version__}"} | own
        secrets = [*secrets_in_address(url), *secrets_in_headers(own, [key] if key else [])]
        self._client = HttpClient(timeout=timeout, secrets=secrets)
        self._lock = threading.Lock()
        # How many forms of output the server is known not to take, and whether it is known to take the next one.
        self._first, self._is_known = 0, False
        # How the server calls the limit of a reply; whether it takes a temperature is in `adjusted`. Newer models of
        # OpenAI differ.
        self._limit = "max_tokens"

    def chat(self, chat: Chat) -> Completion:
        """One reply, in the strictest form of output that the server takes."""
        # As long as no form is known to be taken, a 500 says nothing about a form if it passes, so it is tried twice.
        place, may_pass = self._first, not self._is_known
        while True:
            body = {"model": self.name, self._limit: chat.max_tokens, **body_of(chat, FORMS[place])}
            if self.adjusted:
                del body["temperature"]
            try:
                response = self._post("/chat/completions", body)
            except (HttpError, TemporaryError) as error:
                if self._adjust(error):
                    continue
                if may_pass and error.status == MAY_PASS:
                    may_pass = False
                elif error.status in NOT_TAKEN and place + 1 < len(FORMS) and not self._is_known:
                    place, may_pass = place + 1, True
                elif isinstance(error, TemporaryError):
                    raise
                else:
                    raise JudgeFailure(RulingKind.HTTP_ERROR, str(error)) from None
            else:
                self._first, self._is_known = place, True
                return read_completion(response, chat)

    def _adjust(self, error: HttpError | TemporaryError) -> bool:
        """Whether an error names a parameter that the server does not take, which is sent otherwise from now on."""
        said = str(error) if error.status == REFUSED and UNSUPPORTED.search(str(error)) else ""
        if self._limit == "max_tokens" and "max_tokens" in said:
            self._limit = "max_completion_tokens"
        elif not self.adjusted and "temperature" in said:
            self.adjusted = "temperature=server"
        else:
            return False
        return True

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        try:
            response = self._post("/embeddings", {"model": self.name, "input": list(texts)})
        except HttpError as error:
            raise JudgeFailure(RulingKind.HTTP_ERROR, str(error)) from None
        try:
            rows = sorted(response["data"], key=lambda row: row["index"])
            vectors = [[float(value) for value in row["embedding"]] for row in rows]
        except (LookupError, TypeError, ValueError):
            raise JudgeFailure(RulingKind.UNPARSABLE, "the response has no embeddings") from None
        if len(vectors) != len(texts) or len({len(each) for each in vectors}) > 1:
            raise JudgeFailure(RulingKind.UNPARSABLE, f"{len(vectors)} embeddings for {len(texts)} texts")
        return vectors

    def hide(self, text: str) -> str:
        return self._client.hide(text)

    def close(self) -> None:
        """Closes the connections, those in use too; a later request opens others."""
        with self._lock:
            closed, self._client = self._client, HttpClient(timeout=self._client.timeout, secrets=self._client.secrets)
        closed.close()

    def _post(self, path: str, body: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON
        content = json.dumps(body).encode()
        received = self._client.send("POST", self.endpoint + path + self._query, headers=self._headers, content=content)
        try:
            return json.loads(received)
        except (ValueError, RecursionError):
            # A proxy that fails sends a page; the next attempt may reach the server.
            raise TemporaryError(self.hide(f"the response is not JSON: {excerpt(received)}")) from None


def body_of(chat: Chat, form: str) -> dict[str, Any]:
    """A request as every server takes it, for one form of output."""
    body = {"messages": list(chat.messages), "temperature": chat.temperature, "seed": chat.seed}
    if form == "json_schema":
        schema = {"name": "reply", "schema": chat.schema, "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif form == "json_object":
        body["response_format"] = {"type": "json_object"}
    return body | ({"logprobs": True, "top_logprobs": ALTERNATIVES} if chat.with_weights else {})


def endpoint_of_server(url: str) -> str:
    """The address without what may be secret; raises if it is not one of a server, or has a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise DataError(f"the address of a judge is like http://localhost:8000/v1, not {show(parts.path)}")
    if parts.username is not None or parts.password is not None or "@" in parts.netloc:
        raise DataError("the address of a judge has a user name or a password; remove it and set ASSAY_JUDGE_KEY")
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def read_completion(response: Any, chat: Chat) -> Completion:  # noqa: ANN401 - JSON
    """The first choice of a response; raises if it was refused, cut off or is not there."""
    try:
        choice = response["choices"][0]
        message = choice["message"]
        text, refusal = message.get("content"), message.get("refusal")
    except (LookupError, TypeError, AttributeError):
        raise JudgeFailure(RulingKind.UNPARSABLE, "the response has no choices") from None
    words = text if isinstance(text, str) else ""
    spent, finish = spent_tokens(response.get("usage"), chat, words), choice.get("finish_reason")
    if refusal or finish == "content_filter":
        raise JudgeFailure(RulingKind.REFUSED, str(refusal or "the server's filter stopped the reply"), spent)
    if finish == "length":
        said = f"the reply was cut off after {chat.max_tokens} tokens; raise {Option('max_tokens')}"
        raise JudgeFailure(RulingKind.TRUNCATED, said, spent)
    if not words.strip():
        raise JudgeFailure(RulingKind.UNPARSABLE, "the reply is empty", spent)
    return Completion(words, *spent, read_tokens(choice.get("logprobs")) if chat.with_weights else ())


def spent_tokens(usage: object, chat: Chat, text: str) -> tuple[int, int]:
    """The tokens sent and replied, as the server says or estimated."""
    spent = [sum(estimate_tokens(each["content"]) for each in chat.messages), estimate_tokens(text)]
    for at, name in enumerate(("prompt_tokens", "completion_tokens")):
        value = usage.get(name) if isinstance(usage, dict) else None
        if isinstance(value, int) and not isinstance(value, bool) and value >= 0:
            spent[at] = value
    return spent[0], spent[1]


def read_tokens(logprobs: object) -> tuple[Token, ...]:
    """The tokens of a reply with their alternatives; none if the server does not say."""
    try:
        return tuple(
            Token(each["token"], {other["token"]: float(other["logprob"]) for other in each["top_logprobs"]})
            for each in logprobs["content"]  # type: ignore[index]
        )
    except (LookupError, TypeError, ValueError):
        return ()


class EmbeddedModel(Model):
    """The file of a model, its context window in tokens, and how many requests it works on at a time."""

    def __init__(
        self, path: str, name: str | None = None, *, context: int, parallel: int, timeout: float | None
    ) -> None:
        try:
            import xllamacpp
        except ImportError:
            hint = 'pip install "assay[local]"'
            raise AssayError(f"an embedded model needs the package xllamacpp; install it with: {hint}") from None
        self.endpoint, own = endpoint_of_file(path)
        self.name = name or own
        self._timeout, self._callers = timeout, Callers("assay-judge-call")
        settings = xllamacpp.CommonParams()
        settings.model.path = path
        settings.n_ctx = context * parallel
        settings.n_parallel = parallel
        settings.verbosity = -1
        # All cores but one: llama.cpp's threads wait for each other, and one without a core holds up all of them.
        cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = max(1, cores - 1)
        try:
            self._server = xllamacpp.Server(settings)
        except Exception as error:  # noqa: BLE001 - of any kind, from C++
            raise FileError(f"{path}: llama.cpp cannot load it: {printable(str(error))}") from None

    def chat(self, chat: Chat) -> Completion:
        """One reply; its form is enforced by a grammar."""
        body = {"max_tokens": chat.max_tokens, **body_of(chat, "json_schema")}
        try:
            response = self._callers.call(lambda: self._server.handle_chat_completions(body), self._timeout)
        except TimeoutError:
            raise JudgeFailure(RulingKind.TIMED_OUT, f"no reply within {self._timeout or 0:g} s") from None
        except Exception as error:  # noqa: BLE001 - of any kind, from C++
            raise JudgeFailure(RulingKind.HTTP_ERROR, printable(str(error))) from None
        if isinstance(response, dict) and "error" in response:
            raise JudgeFailure(RulingKind.HTTP_ERROR, printable(str(response["error"])))
        return read_completion(response, chat)

    def embed(self, texts: Sequence[str]) -> list[Vector]:  # noqa: ARG002 - of the interface
        raise JudgeFailure(RulingKind.UNJUDGEABLE, "an embedded judge has no embeddings; pass embedder=")


def endpoint_of_file(path: str) -> tuple[str, str]:
    """What identifies the model in a GGUF file, in whatever folder it is, and its name; raises if it is not one."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            start = opened.read(IDENTIFYING)
            size = opened.seek(0, 2)
    except OSError as error:
        raise FileError(f"{path}: {error.strerror}") from None
    if not start.startswith(b"GGUF"):
        raise FileError(f"{path}: not a GGUF file; an embedded judge is a model in this format")
    return f"gguf:{hashlib.sha256(start + str(size).encode()).hexdigest()[:16]}", file.stem
