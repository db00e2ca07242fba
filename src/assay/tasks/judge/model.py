"""What answers a chat: a server, an embedded model or a function, behind one interface."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from assay.core.ruling import JudgeFailure, RulingKind

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


class Model(Protocol):
    """What answers. `endpoint` and `name` say who it is, without secrets; both are part of the key of a kept reply."""

    endpoint: str
    name: str

    def chat(self, chat: Chat) -> Completion:
        """One reply. Raises `TemporaryError` if a retry may help, else `JudgeFailure`."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """One vector per text, from the same model."""

    def hide(self, text: str) -> str:
        """The text without secrets."""

    def close(self) -> None:
        """Ends what is still open."""


def estimate_tokens(text: str) -> int:
    """About how many tokens a text has.

    >>> estimate_tokens("Is Paris in France?")
    5
    """
    return -(-len(text) // TOKEN_LENGTH)


def call_within(function: Callable[[], Any], seconds: float | None) -> Any:  # noqa: ANN401 - whatever it returns
    """What a function returns, or a failure if it takes too long.

    Python cannot stop a thread: one that takes too long is left to itself, and as a daemon it does not keep the
    interpreter alive.
    """
    if seconds is None:
        return function()
    outcome: list[tuple[Any, BaseException | None]] = []
    done = threading.Event()

    def run() -> None:
        try:
            outcome.append((function(), None))
        except BaseException as error:  # noqa: BLE001 - raised again in the thread that waits
            outcome.append((None, error))
        finally:
            done.set()

    threading.Thread(target=run, daemon=True, name="assay-judge-call").start()
    if not done.wait(seconds):
        raise JudgeFailure(RulingKind.TIMED_OUT, f"no reply within {seconds:g} s")
    value, error = outcome[0]
    if error is not None:
        raise error
    return value
