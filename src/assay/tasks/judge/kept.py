"""`KeptModel`: a model that is not asked. Only the replies that a cache has count, on any machine and offline."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NoReturn

from assay.core.ruling import JudgeFailure, RulingKind
from assay.tasks.judge.model import Chat, Completion, Vector

# What stands for a GGUF file that is not here.
FILE_DIGEST = re.compile(r"gguf:[0-9a-f]{16}")


class KeptModel:
    """Stands for a model by its endpoint and its name, as the keys of its replies have them."""

    def __init__(self, endpoint: str, name: str) -> None:
        self.endpoint = endpoint
        self.name = name

    def chat(self, chat: Chat) -> Completion:
        """Nothing: the cache was looked into before."""
        self._refuse(chat)

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Nothing: the cache was looked into before."""
        self._refuse(texts)

    def hide(self, text: str) -> str:
        """There is no key."""
        return text

    def close(self) -> None:
        """Nothing is open."""

    def _refuse(self, _: object) -> NoReturn:
        said = "the cache has no reply (failures are not kept), and the judge is offline"
        raise JudgeFailure(RulingKind.NOT_ASKED, said)


def kept_model(source: str, model: str | None) -> KeptModel:
    """The model that a judge would ask, without opening it: that of a server, of a GGUF file, or of a file's digest."""
    if "://" in source:
        from assay.tasks.judge.server import endpoint_of_server

        return KeptModel(endpoint_of_server(source), model or "")
    if FILE_DIGEST.fullmatch(source):
        return KeptModel(source, model or source)
    from assay.tasks.judge.embedded import endpoint_of_file

    endpoint, name = endpoint_of_file(source)
    return KeptModel(endpoint, model or name)
