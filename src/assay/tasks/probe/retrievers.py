"""How a retriever is called.

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
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import show

METHODS = ("invoke", "retrieve", "ainvoke", "aretrieve")
NAMED_QUERY = ("run", "run_async")
LIMITS = ("k", "top_k")
LAMBDA = "<lambda>"


class Retriever(NamedTuple):
    """A retriever's name, and the function that is called with a question.

    `request` is whatever else determines the results; `hide` removes secrets from a message; `close` releases what is
    kept between calls.
    """

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
    if method in NAMED_QUERY:
        ask = with_named_query(found[method], k)
    elif method or callable(search):
        ask = with_limit(found.get(method, search), k)
    else:
        raise DataError(
            f"{show(search)} cannot be searched; pass a function of a question, or an object with invoke (LangChain), "
            "retrieve (LlamaIndex) or run (haystack); for a URL use assay.live.HttpSearch"
        )
    return Retriever(name or own_name(search) or "search", ask)


def with_limit(search: Callable[..., object], k: int) -> Callable[[str], object]:
    """The function, given k if it has a parameter for it besides the question."""
    others = list(parameters_of(search).values())[1:]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    name = next((each.name for each in others if each.name in LIMITS and each.kind in by_name), None)
    return partial(search, **{name: k}) if name else search


def with_named_query(run: Callable[..., object], k: int) -> Callable[[str], object]:
    """Haystack's `run`, which takes its input by name."""
    names = parameters_of(run)
    if "query" not in names:
        raise DataError(
            f"this retriever's run takes {', '.join(names) or 'nothing'}, not query; "
            "write a function that turns a question into that input and calls the retriever"
        )
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
