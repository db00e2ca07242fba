"""`Judge`: an LLM that is asked for verdicts, with limits, retries, a cache of replies, and counts of what it cost."""

from __future__ import annotations

import math
import os
import re
import threading
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, Self

from assay.core.errors import PolicyError
from assay.core.policies import check_whole
from assay.core.ruling import Embed, JudgeFailure, Reply, ReplyError, Request, RulingKind
from assay.core.text import Option, show
from assay.net.http import NoResponseError, TemporaryError, pause_before_retry
from assay.tasks.judge.cache import ReplyCache, default_place, digest_of
from assay.tasks.judge.limits import EstimateOnly, JudgeEstimate, Prices, Throttle, Usage
from assay.tasks.judge.model import (
    FILE_DIGEST,
    Chat,
    Completion,
    FunctionModel,
    KeptModel,
    Model,
    Vector,
    estimate_tokens,
    find_object,
    weights_of,
)
from assay.tasks.judge.words import read_prompts

KEY_VARIABLE = "ASSAY_JUDGE_KEY"
OPENAI = re.compile(r"https://api\.openai\.com(?:/|$)")
TOO_MANY = 429
# A reply in a block of code, or with words around it.
REPAIR = "That reply does not have the required form: {error}. Reply again with the JSON object only."
EMBEDDED_WINDOW = 4096


class Judge:
    """Who gives verdicts: a server with OpenAI's interface, a GGUF file, or a function from messages to text.

    >>> import assay
    >>> def agree(messages):
    ...     return '{"reason": "It sounds right.", "verdict": true}'
    >>> judge = assay.Judge(agree, cache=False)
    >>> polite = assay.extend.Prompt("polite", 1, "Is the answer polite?", {"reason": str, "verdict": bool})
    >>> judge.ask(polite.ask({"answer": "Hi!"}))
    Reply(value={'reason': 'It sounds right.', 'verdict': True}, weights={})

    The key of a server is `key`, or that of the environment: ASSAY_JUDGE_KEY. `embedder` gives the vectors that some
    measures need: the name of a model on the same server, a function from texts to vectors, or another `Judge`.
    `cache` is the file that keeps replies (default: one in your cache directory; False: none, they are kept in memory).
    `samples` draws each verdict several times. `prices` are per million input and output tokens; `max_cost`
    stops asking once it is reached. `context` is the model's window in tokens. `prompts` replaces the words of prompts,
    by name. `offline` asks nothing: only the replies in the cache count, and its file stays as it is; what it does not
    have is `not asked`. No telemetry: requests go to the judge, and nowhere else.
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Callable[..., Any],
        *,
        model: str | None = None,
        key: str | None = None,
        headers: Mapping[str, str] | None = None,
        embedder: str | Callable[..., Any] | Judge | None = None,
        cache: str | os.PathLike[str] | bool | None = None,
        samples: int = 1,
        temperature: float = 0.0,
        seed: int = 0,
        concurrency: int = 8,
        timeout: float | None = 120.0,
        retries: int = 3,
        tokens_per_minute: float | None = None,
        prices: object = None,
        max_cost: float | None = None,
        max_tokens: int = 2048,
        context: int | None = None,
        prompts: Mapping[str, str] | str | os.PathLike[str] | None = None,
        offline: bool = False,
    ) -> None:
        self.samples = check_whole("samples", samples, 1)
        self.temperature = number_from("temperature", temperature)
        self.seed = check_whole("seed", seed, 0)
        self.concurrency = check_whole("concurrency", concurrency, 1)
        self.retries = check_whole("retries", retries, 0)
        self.max_tokens = check_whole("max_tokens", max_tokens, 1)
        self.max_cost = None if max_cost is None else number_from("max_cost", max_cost)
        self.context = None if context is None else check_whole("context", context, 1)
        self.prompts = {} if prompts is None else read_prompts(prompts)
        self.offline = offline
        self.estimate: JudgeEstimate | None = None
        self.usage = Usage(Prices.read(prices))
        if max_cost is not None and self.usage.prices is None:
            meaning = "the price per million input and output tokens"
            raise PolicyError(f"{Option('max_cost')} needs {Option('prices')}, {meaning}")
        timeout = None if timeout is None else number_from("timeout", timeout, above=True)
        if tokens_per_minute is not None:
            number_from("tokens_per_minute", tokens_per_minute, above=True)
        self._model = self._open(source, model, key, headers, timeout)
        if isinstance(embedder, str):
            self._embedder: Model | None = self._open(source, embedder, key, headers, timeout)
        elif embedder is None or isinstance(embedder, Judge):
            self._embedder = None if embedder is None else embedder._model  # noqa: SLF001 - of the same class
        else:
            self._embedder = self._open(embedder, None, None, None, timeout)
        self._cache = self._open_cache(cache)
        self._asking: weakref.WeakValueDictionary[bytes, threading.Lock] = weakref.WeakValueDictionary()
        self._asking_lock = threading.Lock()
        self._closing = weakref.finalize(self, close_all, self._cache, self._model, self._embedder)
        self._throttle = Throttle(self.concurrency, tokens_per_minute)

    def __repr__(self) -> str:
        return f"<Judge: {self.name} at {self._model.endpoint}>"

    @property
    def name(self) -> str:
        """The name of the model."""
        return self._model.name

    @property
    def description(self) -> str:
        """Who judges and how, for signatures."""
        temperature = self._model.adjusted or f"temperature={self.temperature:g}"
        own = ",".join(f"{name}={digest_of(text).hex()[:8]}" for name, text in sorted(self.prompts.items()))
        how = f"judge={self.name} {temperature} seed={self.seed} samples={self.samples}"
        return f"{how} own_prompts={own}" if own else how

    @property
    def room(self) -> float:
        """How many characters of texts fit into a request; infinite if the window is not known."""
        return math.inf if self.context is None else max(0, self.context - self.max_tokens) * 3.0

    @contextmanager
    def dry_run(self) -> Iterator[JudgeEstimate]:
        """Asks nothing inside this context: the call ends once its cost is estimated.

        >>> import assay
        >>> judge = assay.Judge(print, cache=False, prices=(0.15, 0.6))
        >>> record = {"question": "Who?", "answer": "Ann wrote it.", "retrieved_texts": ["Ann wrote the report."]}
        >>> with judge.dry_run() as estimate:
        ...     assay.evaluate_rag([record], ["faithfulness"], judge=judge)
        >>> estimate.calls
        2
        """
        self.estimate = estimate = JudgeEstimate(self.usage.prices)
        try:
            with suppress(EstimateOnly):
                yield estimate
        finally:
            self.estimate = None

    def messages(self, request: Request) -> list[dict[str, str]]:
        """What is sent, with the user's own words where they replace a prompt's."""
        return request.messages(self.prompts.get(request.prompt.name))

    def find(self, request: Request, *, sample: int = 0) -> Reply | None:
        """The reply that the cache has, without asking."""
        return self._kept(self._chat(request, sample)[1])

    def ask(self, request: Request, *, sample: int = 0) -> Reply:
        """The reply to a request, from the cache if it was given before. Raises `JudgeFailure`."""
        chat, key = self._chat(request, sample)
        # Of two threads with the same request the second waits, and finds the reply of the first in the cache.
        with self._asking_lock:
            asking = self._asking.setdefault(key, threading.Lock())
        with asking:
            if (kept := self._kept(key)) is not None:
                self.usage.add(kept=1)
                return kept
            reply, completion = self._ask_again(chat, request)
            content = {"reply": reply.value, **({"weights": dict(reply.weights)} if reply.weights else {})}
            tokens = (completion.sent_tokens, completion.reply_tokens)
            self._cache.put(key, content, model=self.name, prompt=str(request.prompt), sample=sample, tokens=tokens)
        return reply

    def _chat(self, request: Request, sample: int) -> tuple[Chat, bytes]:
        """What is sent, and the key of the reply, which has everything that determines it."""
        messages, seed = self.messages(request), self.seed + sample
        chat = Chat(messages, request.schema(), self.temperature, seed, self.max_tokens, bool(request.weigh))
        return chat, digest_of(self._model.endpoint, self.name, chat, str(request.prompt), request.weigh, sample)

    def _kept(self, key: bytes) -> Reply | None:
        kept = self._cache.get(key)
        return None if kept is None else Reply(kept["reply"], kept.get("weights", {}))

    def embed(self, request: Embed) -> list[Vector]:
        """One vector per text, from the cache if it was given before."""
        if self._embedder is None:
            hint = "a model on the judge's server or a function from texts to vectors"
            raise JudgeFailure(RulingKind.UNJUDGEABLE, f"it needs embeddings; pass embedder=, {hint}")
        model = self._embedder
        keys = [digest_of(model.endpoint, model.name, "embedding", text) for text in request.texts]
        found = {key: kept["vector"] for key in keys if (kept := self._cache.get(key)) is not None}
        self.usage.add(kept=len(found))
        missing = {key: text for key, text in zip(keys, request.texts, strict=True) if key not in found}
        if missing:
            texts = list(missing.values())
            sent = sum(map(estimate_tokens, texts))
            vectors = self._repeat(lambda: model.embed(texts), sent)
            about: dict[str, Any] = {"model": model.name, "prompt": "embedding", "sample": 0}
            for (key, text), vector in zip(missing.items(), vectors, strict=True):
                found[key] = list(vector)
                self._cache.put(key, {"vector": found[key]}, tokens=(estimate_tokens(text), 0), **about)
            self.usage.add(calls=1, sent_tokens=sent)
        return [found[key] for key in keys]

    def restart(self) -> None:
        """Lets requests through again after `stop`."""
        self._throttle.is_over = False

    def stop(self) -> None:
        """Ends what is under way."""
        self._throttle.stop()
        self._model.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the cache and the connections; this also happens when nothing refers to the judge any more."""
        self._closing()

    def _ask_again(self, chat: Chat, request: Request) -> tuple[Reply, Completion]:
        """A reply that has its form; one that has not is sent back with what is wrong."""
        asked = list(chat.messages)
        for _ in range(self.retries + 1):
            sent = sum(estimate_tokens(each["content"]) for each in chat.messages)
            if self.context is not None and sent + self.max_tokens > self.context:
                said = f"about {sent:,} tokens and {self.max_tokens:,} of the reply exceed context={self.context:,}"
                raise JudgeFailure(RulingKind.UNJUDGEABLE, said)
            try:
                completion = self._repeat(partial(self._model.chat, chat), sent + self.max_tokens)
            except JudgeFailure as failure:
                if failure.spent is not None:
                    self.usage.add(calls=1, sent_tokens=failure.spent[0], reply_tokens=failure.spent[1])
                raise
            self.usage.add(calls=1, sent_tokens=completion.sent_tokens, reply_tokens=completion.reply_tokens)
            text = self._model.hide(completion.text)
            try:
                value = request.read(find_object(text))
            except ReplyError as error:
                wrong = str(error)
                repair = {"role": "user", "content": REPAIR.format(error=wrong)}
                again = [*asked, {"role": "assistant", "content": text}, repair]
                chat = chat._replace(messages=again, seed=chat.seed + 1)
            else:
                return Reply(value, weights_of(completion.tokens, request.weigh)), completion
        raise JudgeFailure(RulingKind.UNPARSABLE, wrong)

    def _repeat(self, call: Callable[[], Any], tokens: int) -> Any:  # noqa: ANN401 - what the call returns
        """A call within the limits, again while it fails in a way that may pass."""
        for attempt in range(1, self.retries + 2):
            if self.max_cost is not None and self.usage.prices is not None:
                expected = self.usage.prices.cost(max(0, tokens - self.max_tokens), 0)
                if (self.usage.cost or 0.0) + expected > self.max_cost:
                    raise JudgeFailure(RulingKind.NOT_ASKED, f"max_cost={self.max_cost:g} is reached")
            with self._throttle.slot(tokens) as epoch:
                try:
                    value = call()
                except TemporaryError as error:
                    failure = error
                    if error.status == TOO_MANY:
                        self._throttle.halve(epoch)
                else:
                    self._throttle.climb()
                    return value
            if attempt <= self.retries:
                self._throttle.pause(pause_before_retry(attempt, failure))
        kind = RulingKind.TIMED_OUT if isinstance(failure, NoResponseError) else RulingKind.HTTP_ERROR
        raise JudgeFailure(kind, self._model.hide(str(failure)))

    def _open(self, source: Any, model: str | None, key: str | None, headers: Any, timeout: float | None) -> Model:  # noqa: ANN401 - a judge in any form
        """What answers; offline what stands for it, so that replies are found, without opening it."""
        if callable(source):
            asked = FunctionModel(source, model, timeout)
            return KeptModel(asked.endpoint, asked.name) if self.offline else asked
        if not isinstance(source, (str, os.PathLike)):
            raise PolicyError(f"a judge is an address, a GGUF file or a function, not {show(source)}")
        address = os.fspath(source)
        if "://" in address:
            from assay.tasks.judge.server import ChatServer, endpoint_of_server

            if model is None:
                raise PolicyError('a server has several models; name one, as in assay.Judge(url, model="qwen3-8b")')
            if self.offline:
                return KeptModel(endpoint_of_server(address), model)
            # OpenAI's own variable counts for its own server only: no key goes elsewhere.
            own = os.environ.get("OPENAI_API_KEY") if OPENAI.match(address) else None
            key = key or os.environ.get(KEY_VARIABLE) or own
            return ChatServer(address, model, key=key, headers=headers, timeout=timeout)
        self.context = self.context or EMBEDDED_WINDOW
        if self.offline and FILE_DIGEST.fullmatch(address):
            return KeptModel(address, model or address)
        from assay.tasks.judge.server import EmbeddedModel, endpoint_of_file

        if self.offline:
            endpoint, name = endpoint_of_file(address)
            return KeptModel(endpoint, model or name)
        return EmbeddedModel(address, model, context=self.context, parallel=self.concurrency, timeout=timeout)

    def _open_cache(self, cache: Any) -> ReplyCache:  # noqa: ANN401 - a file, True, False or None
        if cache is False and self.offline:
            raise PolicyError("offline=True needs the cache that has the replies")
        if cache is None or isinstance(cache, bool):
            cache = None if cache is False else default_place()
        elif not isinstance(cache, (str, os.PathLike)):
            raise PolicyError(f"cache= is a file, or False for none, not {show(cache)}")
        return ReplyCache(cache, read_only=self.offline)


def close_all(*parts: ReplyCache | Model | None) -> None:
    for part in parts:
        if part is not None:
            part.close()


def number_from(name: str, value: object, *, above: bool = False) -> float:
    """A number from 0 on, or above it."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    if not is_number or value < 0 or (above and not value):  # type: ignore[operator]
        raise PolicyError(f"{name} must be a number {'above' if above else 'from'} 0, not {show(value)}")
    return float(value)  # type: ignore[arg-type]
