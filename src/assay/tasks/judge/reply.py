"""What a model's reply holds: the JSON object in it, and how probable other values of a field were."""

from __future__ import annotations

import json
import math
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.core.prompt import ReplyError
from assay.tasks.judge.model import Token

if TYPE_CHECKING:
    from collections.abc import Sequence

OBJECT = re.compile(r"\{")
# Where a model that thinks aloud has done so, and how many beginnings of an object are tried.
THOUGHT = "</think>"
MOST_BEGINNINGS = 100


def find_object(text: str) -> Any:  # noqa: ANN401 - JSON
    r"""The JSON object in a reply, also in a block of code, with words around it, or after a model's thinking.

    >>> find_object('Sure: ```json\n{"verdict": true}\n```')
    {'verdict': True}
    >>> find_object('<think>Maybe {"verdict": false}?</think>{"verdict": true}')
    {'verdict': True}
    """
    said = text.rpartition(THOUGHT)[2]
    try:
        return json.loads(said)
    except (ValueError, RecursionError):
        pass
    decoder = json.JSONDecoder()
    for begin in islice((match.start() for match in OBJECT.finditer(said)), MOST_BEGINNINGS):
        try:
            return decoder.raw_decode(said, begin)[0]
        except (ValueError, RecursionError):
            continue
    raise ReplyError("it is not JSON")


def weights_of(tokens: Sequence[Token], field: str) -> dict[str, float]:
    """The probabilities of what the value of a field might have been: those of its first token.

    >>> tokens = [Token('{"score": ', {}), Token("4", {"4": -0.105, "5": -2.303})]
    >>> {word: round(share, 2) for word, share in weights_of(tokens, "score").items()}
    {'4': 0.9, '5': 0.1}
    """
    before = ""
    for token in tokens:
        if field and re.search(rf'"{re.escape(field)}"\s*:\s*"?$', before) and token.text.strip(' "'):
            return {word.strip(' "'): math.exp(value) for word, value in token.alternatives.items()}
        before += token.text
    return {}
