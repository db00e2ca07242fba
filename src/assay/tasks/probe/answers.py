"""Systems that answer: what of a response is the answer, and what the contexts it was made from.

| response | answer | contexts |
| --- | --- | --- |
| a dict | under `answer` or another usual key, if it is a text | under `contexts`, `retrieved` or another usual key |
| a pair | its first part, a text | its second part |
| an object, such as LlamaIndex's `Response` | its `answer` or `response` | its `contexts` or `source_nodes` |

Any other response is what a retriever returned, without an answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import show
from assay.data.frames.columns import as_id

ANSWER_KEYS = ("answer", "response", "result", "output", "generated_text", "prediction", "completion")
CONTEXT_KEYS = (
    *("contexts", "retrieved", "retrieved_contexts", "context", "source_documents", "source_nodes", "sources"),
    *("retrieved_documents", "citations"),
)
# Ids that stand beside the texts of the contexts.
ID_KEYS = ("retrieved", "retrieved_ids", "context_ids", "doc_ids", "ids")
PAIR = 2


class Answered(NamedTuple):
    """An answer, and the contexts it was made from, in any form that a retriever may return."""

    answer: str
    contexts: object


def split_answer(response: object) -> Answered | None:
    """The answer and the contexts in a response; None if it has no answer.

    >>> split_answer({"answer": "in 2023", "contexts": ["d1", "d2"]})
    Answered(answer='in 2023', contexts=['d1', 'd2'])
    >>> split_answer(("in 2023", ["d1"])), split_answer(["d1", "d2"])
    (Answered(answer='in 2023', contexts=['d1']), None)
    """
    if isinstance(response, Answered):
        return response
    if isinstance(response, tuple) and len(response) == PAIR and not hasattr(response, "_fields"):
        answer, contexts = response
        is_answer = isinstance(answer, str) and isinstance(contexts, (list, tuple, Mapping))
        return Answered(answer, contexts) if is_answer else None
    if isinstance(response, Mapping):
        answer = find_answer(response)
        return None if answer is None else Answered(answer, find_contexts(response))
    if isinstance(response, (str, bytes)) or hasattr(response, "__iter__"):
        return None
    fields = {name: getattr(response, name, None) for name in ("answer", "response", *CONTEXT_KEYS)}
    return split_answer({name: value for name, value in fields.items() if value is not None})


def find_answer(response: Mapping[str, Any]) -> str | None:
    """The text under one of the usual keys."""
    return next((response[name] for name in ANSWER_KEYS if isinstance(response.get(name), str)), None)


def find_contexts(response: object) -> object:
    """The contexts under one of the usual keys, with their ids if these stand beside them; else the whole response."""
    if not isinstance(response, Mapping):
        return response
    contexts = next((response[name] for name in CONTEXT_KEYS if is_list(response.get(name))), None)
    if contexts is None:
        others = {name: value for name, value in response.items() if name not in ANSWER_KEYS or is_list(value)}
        if not others:
            raise DataError("the response has an answer, but no contexts; it needs the list of what was retrieved")
        return others
    ids = next((response[name] for name in ID_KEYS if is_list(response.get(name))), None)
    texts = response.get("contexts", response.get("retrieved_contexts"))
    are_ids = ids and is_list(texts) and all(as_id(each) is not None for each in ids)
    if ids is None or texts is None or ids is texts or not are_ids or not all(isinstance(each, str) for each in texts):
        return contexts
    if len(ids) != len(texts):
        raise DataError(f"the response has {len(ids)} ids but {len(texts)} contexts")
    return [{"id": name, "text": text} for name, text in zip(ids, texts, strict=True)]


def is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


def check_answer(value: object, path: str) -> str:
    """The answer at a path of a response, which must be a text."""
    if not isinstance(value, str):
        raise DataError(f"the response has no answer at {show(path)}: expected a text, found {show(value)}")
    return value
