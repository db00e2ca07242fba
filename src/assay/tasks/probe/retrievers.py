"""What can be searched: functions, and other libraries' retrievers, known by the methods that they have.

| library | is asked by | result |
| --- | --- | --- |
| LangChain | `invoke(question)` | documents |
| LlamaIndex | `retrieve(question)` | nodes with scores |
| haystack | `run(query=question)` | `{"documents": […]}` |

None of them is imported. Where an object has only the asynchronous method (`ainvoke`, `aretrieve`, `run_async`), that
one is taken.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import show
from assay.tasks.probe.http import HttpSearch

METHODS = ("invoke", "retrieve", "ainvoke", "aretrieve")
NAMED_QUERY = ("run", "run_async")
LIMITS = ("k", "top_k")
LAMBDA = "<lambda>"


class Retriever(NamedTuple):
    """A name for what is searched, and a function of a question.

    `request` is what else decides on what is found; `hide` takes out of a message what must not be shown; `close` lets
    go of what is kept between calls.
    """

    name: str
    ask: Callable[[str], object]
    request: str = ""
    hide: Callable[[str], str] = str
    close: Callable[[], None] = lambda: None


def as_retriever(search: Any, k: int, name: str | None = None) -> Retriever:  # noqa: ANN401 - any library's retriever
    """One way to ask whatever can be searched."""
    if isinstance(search, HttpSearch):
        opened = search.opened()
        return Retriever(name or search.name, partial(opened, k=k), search.request, search.hide, opened.close)
    return Retriever(name or own_name(search) or "search", asking(search, k))


def asking(search: Any, k: int) -> Callable[[str], object]:  # noqa: ANN401 - any library's retriever
    """A function of a question."""
    if isinstance(search, type):
        raise DataError(f"{show(search.__name__)} is a class; give a retriever made of it")
    for method in METHODS:
        if callable(getattr(search, method, None)):
            return limited(getattr(search, method), k)
    for method in NAMED_QUERY:
        run = getattr(search, method, None)
        if callable(run):
            return named_query(run, k)
    if not callable(search):
        raise DataError(
            f"{show(search)} cannot be searched: give a function of a question, or an object with invoke (LangChain), "
            "retrieve (LlamaIndex) or run (haystack); for an address there is assay.tasks.probe.HttpSearch"
        )
    return limited(search, k)


def limited(search: Callable[..., object], k: int) -> Callable[[str], object]:
    """The function, given k if it has a parameter for it beside the question."""
    others = list(parameters_of(search).values())[1:]
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    name = next((each.name for each in others if each.name in LIMITS and each.kind in by_name), None)
    return partial(search, **{name: k}) if name else search


def named_query(run: Callable[..., object], k: int) -> Callable[[str], object]:
    """Haystack's `run`, which takes its input by name."""
    names = parameters_of(run)
    if "query" not in names:
        raise DataError(
            f"this retriever's run takes {', '.join(names) or 'nothing'}, not query; "
            "put what makes that of a question and the retriever into one function"
        )
    known = {name: k for name in LIMITS if name in names}
    return lambda question: run(query=question, **known)


def parameters_of(function: Callable[..., object]) -> dict[str, inspect.Parameter]:
    """The parameters of a function; none where they cannot be told."""
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def check_named(search: object) -> None:
    """Raises where a checkpoint could not tell a search from another."""
    if own_name(search) is None:
        kind = "a lambda" if getattr(search, "__name__", None) == LAMBDA else "a partial"
        raise DataError(f"a checkpoint knows a search by its name, and {kind} has none; give it one with name=")


def own_name(search: object) -> str | None:
    """The name that a search has of its own; a lambda has none, nor a partial."""
    given = getattr(search, "name", None)
    if isinstance(given, str) and given:
        return given
    name = getattr(search, "__name__", None)
    if not isinstance(name, str):
        name = type(search).__name__
    return None if name == LAMBDA or isinstance(search, partial) else name
