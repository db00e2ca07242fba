"""What answers a chat: a server, an embedded model, a function or only a cache, behind one interface."""

from __future__ import annotations

import inspect
import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any, NamedTuple

from assay.core.errors import AssayError
from assay.core.ruling import JudgeFailure, ReplyError, RulingKind
from assay.core.text import printable, show
from assay.net.calls import Callers, CallLoop
from assay.net.http import TemporaryError

Vector = list[float]
# Characters of a token, on average, in English; only for estimates.
TOKEN_LENGTH = 4


class Chat(NamedTuple):
    """One request: the messages, the schema of the reply, and how it is sampled."""

    messages: Sequence[Mapping[str, str]]
    schema: Mapping[str, Any]
    temperature: float
    seed: int
    max_tokens: int
    # Whether the alternatives of each token are wanted with their probabilities.
    with_weights: bool = False


class Token(NamedTuple):
    """A token of a reply, and the logarithms of the probabilities of what it might have been."""

    text: str
    alternatives: Mapping[str, float]


class Completion(NamedTuple):
    """What a model replied. The numbers of tokens are estimates where it does not say."""

    text: str
    sent_tokens: int
    reply_tokens: int
    tokens: tuple[Token, ...] = ()


class Model:
    """What answers. `endpoint` and `name` say who it is, without secrets; both are part of the key of a kept reply.

    `adjusted` says what the model does not take and is not sent.
    """

    endpoint: str
    name: str
    adjusted = ""

    def chat(self, chat: Chat) -> Completion:
        """One reply. Raises `TemporaryError` if a retry may help, else `JudgeFailure`."""
        raise NotImplementedError

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        raise NotImplementedError

    def hide(self, text: str) -> str:
        """The text without secrets."""
        return text

    def close(self) -> None:
        """Ends what is still open."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has.

    >>> estimate_tokens("Is Paris in France?")
    5
    """
    return -(-len(text) // TOKEN_LENGTH)


class FunctionModel(Model):
    """A function that takes a list of messages, `{"role": …, "content": …}`, and returns the reply as text."""

    def __init__(self, function: Callable[..., Any], name: str | None, timeout: float | None) -> None:
        own = getattr(function, "__qualname__", type(function).__qualname__)
        self.endpoint = f"python:{getattr(function, '__module__', '')}.{own}"
        self.name = name or own
        self._function, self._timeout = function, timeout
        self._callers, self._loop = Callers("assay-judge-call"), CallLoop("assay-judge-loop")

    def chat(self, chat: Chat) -> Completion:
        said = self._call([dict(each) for each in chat.messages])
        text = getattr(said, "content", said)  # chat models of libraries return a message
        if not isinstance(text, str):
            raise JudgeFailure(RulingKind.UNPARSABLE, f"the function returned {show(text)}, not text")
        sent = sum(estimate_tokens(each["content"]) for each in chat.messages)
        return Completion(text, sent, estimate_tokens(text))

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        vectors = self._call(list(texts))
        try:
            rows = [[float(value) for value in row] for row in vectors]
        except (TypeError, ValueError):
            raise JudgeFailure(RulingKind.UNPARSABLE, "the function did not return one vector per text") from None
        if len(rows) != len(texts):
            raise JudgeFailure(RulingKind.UNPARSABLE, f"{len(rows)} embeddings for {len(texts)} texts")
        return rows

    def close(self) -> None:
        self._loop.close()
        self._callers.close()

    def _call(self, argument: Any) -> Any:  # noqa: ANN401 - messages or texts in, whatever the function returns
        try:
            value = self._callers.call(lambda: self._function(argument), self._timeout)
            return self._loop.wait_for(value, self._timeout)[0] if inspect.isawaitable(value) else value
        except (AssayError, JudgeFailure, TemporaryError):
            raise
        except TimeoutError:
            raise JudgeFailure(RulingKind.TIMED_OUT, f"no reply within {self._timeout or 0:g} s") from None
        except Exception as error:
            raise TemporaryError(printable(f"{type(error).__name__}: {error}")) from error


# What stands for a GGUF file that is not here.
FILE_DIGEST = re.compile(r"gguf:[0-9a-f]{16}")


class KeptModel(Model):
    """Stands for a model by its endpoint and its name, as the keys of its replies have them; it never replies."""

    def __init__(self, endpoint: str, name: str) -> None:
        self.endpoint, self.name = endpoint, name

    def chat(self, chat: Chat) -> Completion:  # noqa: ARG002 - the cache was looked into before
        said = "the cache has no reply (failures are not kept), and the judge is offline"
        raise JudgeFailure(RulingKind.NOT_ASKED, said)

    embed = chat  # type: ignore[assignment]


# Where a model that thinks aloud has done so, and how many beginnings of an object are tried.
THOUGHT = "</think>"
MOST_BEGINNINGS = 100


def find_object(text: str) -> Any:  # noqa: ANN401 - JSON
    """The JSON object in a reply, also in a block of code, with words around it, or after a model's thinking."""
    said = text.rpartition(THOUGHT)[2]
    with suppress(ValueError, RecursionError):
        return json.loads(said)
    for match in islice(re.finditer(r"\{", said), MOST_BEGINNINGS):
        with suppress(ValueError, RecursionError):
            return json.JSONDecoder().raw_decode(said, match.start())[0]
    raise ReplyError("it is not JSON")


def weights_of(tokens: Sequence[Token], field: str) -> dict[str, float]:
    """The probabilities of what the value of a field might have been: those of its first token."""
    before = ""
    for token in tokens:
        if field and re.search(rf'"{re.escape(field)}"\s*:\s*"?$', before) and token.text.strip(' "'):
            return {word.strip(' "'): math.exp(value) for word, value in token.alternatives.items()}
        before += token.text
    return {}
