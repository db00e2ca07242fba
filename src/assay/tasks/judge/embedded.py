"""`EmbeddedModel`: a GGUF file, run by llama.cpp in this process (xllamacpp, the extra `local`)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, FileError
from assay.core.ruling import JudgeFailure, RulingKind
from assay.core.text import printable
from assay.tasks.judge.model import Chat, Completion, Vector, call_within
from assay.tasks.judge.server import ALTERNATIVES, read_completion

# How much of a file identifies a model: its header has its name, its sizes and its words.
IDENTIFYING = 1 << 20


class EmbeddedModel:
    """The file of a model, its context window in tokens, and how many requests it works on at a time."""

    def __init__(
        self, path: str, name: str | None = None, *, context: int, parallel: int, timeout: float | None
    ) -> None:
        try:
            import xllamacpp
        except ImportError:
            raise AssayError(
                'an embedded model needs the package xllamacpp; install it with: pip install "assay[local]"'
            ) from None
        self.endpoint, own = endpoint_of_file(path)
        self.name = name or own
        self._timeout = timeout
        settings = xllamacpp.CommonParams()
        settings.model.path = path
        settings.n_ctx = context * parallel
        settings.n_parallel = parallel
        settings.verbosity = -1
        settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads_to_use()
        try:
            self._server = xllamacpp.Server(settings)
        except Exception as error:  # noqa: BLE001 - of any kind, from C++
            raise FileError(f"{path}: llama.cpp cannot load it: {printable(str(error))}") from None

    def chat(self, chat: Chat) -> Completion:
        """One reply; its form is enforced by a grammar."""
        schema = {"name": "reply", "schema": chat.schema, "strict": True}
        body = {
            "messages": list(chat.messages),
            "temperature": chat.temperature,
            "seed": chat.seed,
            "max_tokens": chat.max_tokens,
            "response_format": {"type": "json_schema", "json_schema": schema},
        }
        if chat.with_weights:
            body |= {"logprobs": True, "top_logprobs": ALTERNATIVES}
        return read_completion(self._call(self._server.handle_chat_completions, body), chat)

    def embed(self, texts: Sequence[str]) -> list[Vector]:  # noqa: ARG002 - of the interface
        """Vectors need a model that was trained for them."""
        raise JudgeFailure(RulingKind.UNJUDGEABLE, "an embedded judge has no embeddings; pass embedder=")

    def hide(self, text: str) -> str:
        """There is no key."""
        return text

    def close(self) -> None:
        """The model stays loaded as long as the judge lives."""

    def _call(self, handle: Any, body: dict[str, Any]) -> Any:  # noqa: ANN401 - JSON in and out
        try:
            response = call_within(lambda: handle(body), self._timeout)
        except JudgeFailure:
            raise
        except Exception as error:  # noqa: BLE001 - of any kind, from C++
            raise JudgeFailure(RulingKind.HTTP_ERROR, printable(str(error))) from None
        if isinstance(response, dict) and "error" in response:
            raise JudgeFailure(RulingKind.HTTP_ERROR, printable(str(response["error"])))
        return response


def threads_to_use() -> int:
    """All cores but one: llama.cpp's threads wait for each other, and one without a core holds up all of them."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores - 1)


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
