"""How a retriever is called, and how what it returns becomes a ranking.

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
from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from functools import partial
from itertools import count, islice, pairwise
from operator import ne
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError
from assay.core.text import show
from assay.data.passages import is_number, read_passages
from assay.tasks.probe.answers import CONTEXT_KEYS, split_answer

if TYPE_CHECKING:
    from assay.core.doc_id import DocIdRule

METHODS = ("invoke", "retrieve", "ainvoke", "aretrieve")
NAMED_QUERY = ("run", "run_async")
LIMITS = ("k", "top_k")
LAMBDA = "<lambda>"
# Keys under which a response keeps its list of documents, the likeliest first.
LIST_KEYS = (
    *("ids", "results", "documents", "hits", "docs", "passages", "nodes", "matches", "points", "items"),
    *("result", "response", "data"),
    *CONTEXT_KEYS,
)
# A dict of plain numbers under these keys reports on the search; it is not a ranking.
STATUS_KEYS = frozenset({"code", "status", "total", "count", "took", "error"})
MOST_KEYS = 8
# In one response, unless k is larger: reading more would take seconds.
MOST_DOCUMENTS = 100_000


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
    """The retriever that a function or another library's object is."""
    return Retriever(name or own_name(search) or "search", function_of_question(search, k))


def function_of_question(search: Any, k: int) -> Callable[[str], object]:  # noqa: ANN401 - any library's retriever
    """How to call a retriever with nothing but a question."""
    if isinstance(search, type):
        raise DataError(f"{show(search.__name__)} is a class; pass an instance of it")
    for method in METHODS:
        if callable(getattr(search, method, None)):
            return with_limit(getattr(search, method), k)
    for method in NAMED_QUERY:
        run = getattr(search, method, None)
        if callable(run):
            return with_named_query(run, k)
    if not callable(search):
        raise DataError(
            f"{show(search)} cannot be searched; pass a function of a question, or an object with invoke (LangChain), "
            "retrieve (LlamaIndex) or run (haystack); for a URL use assay.live.HttpSearch"
        )
    return with_limit(search, k)


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
    name = getattr(search, "__name__", None)
    if not isinstance(name, str):
        name = type(search).__name__
    return None if name == LAMBDA or isinstance(search, partial) else name


class LiveRanking(NamedTuple):
    """The retrieved documents, best first, with their scores, and their texts, if all have them; perhaps an answer.

    `duplicates` is how many repeated documents were dropped; `is_rising` says that scores rise, as distances do, and
    `is_ordered` that the order counts and not the scores, because these rise or are equal. `unmatched` are the ids that
    a rule for chunks does not match, and `concealed` is how many ids had a key in them.
    """

    ids: list[str]
    scores: list[float] | None = None
    duplicates: int = 0
    is_rising: bool = False
    is_ordered: bool = False
    answer: str | None = None
    texts: list[str] | None = None
    unmatched: tuple[str, ...] = ()
    concealed: int = 0

    @property
    def entries(self) -> list[str] | list[tuple[str, float]] | list[tuple[str, float, int]]:
        """The ranking as a run holds it."""
        if self.scores is None:
            return self.ids
        if self.is_ordered:
            return list(zip(self.ids, self.scores, range(1, len(self.ids) + 1), strict=True))
        return list(zip(self.ids, self.scores, strict=True))

    def hidden(self, hide: Callable[[str], str], is_judged: Callable[[str], bool]) -> LiveRanking:
        """The ranking without secrets; a judged id is none, whatever is in it."""
        ids = hide_in_ids(self.ids, hide, is_judged)
        return self._replace(
            ids=ids,
            answer=None if self.answer is None else hide(self.answer),
            texts=None if self.texts is None else [hide(each) for each in self.texts],
            unmatched=tuple(hide_in_ids(self.unmatched, hide, is_judged)),
            concealed=sum(map(ne, self.ids, ids)),
        )


def hide_in_ids(ids: Sequence[str], hide: Callable[[str], str], is_judged: Callable[[str], bool]) -> list[str]:
    """Ids without secrets, still different from each other."""
    together = "\n".join(ids)
    if hide(together) == together:
        return list(ids)
    shown = [each if is_judged(each) else hide(each) for each in ids]
    seen = set(ids)
    for place, (given, each) in enumerate(zip(ids, shown, strict=True)):
        if given != each:
            free = (each if number == 1 else f"{each} {number}" for number in count(1))
            shown[place] = next(name for name in free if name not in seen)
            seen.add(shown[place])
    return shown


class RankingReader(NamedTuple):
    """How to read a response: the first k documents, the rule for their ids, whether each counts only once."""

    k: int
    rule: DocIdRule | None = None
    once: bool = True

    def read(self, response: object) -> LiveRanking:
        """The ranking in a response, and its answer."""
        answered = split_answer(response)
        listed = limit_documents(find_list(response if answered is None else answered.contexts), self.k)
        path = self.rule.argument if self.rule is not None and self.rule.is_field else None
        passages = read_passages(listed, "the response", doc_id=path)
        documents, unmatched = self.documents(passages.ids)
        first: dict[str, int] = {}
        for place, each in enumerate(documents):
            first.setdefault(each, place)
        places = list(first.values()) if self.once else list(range(len(documents)))
        kept = passages.at(places[: self.k])
        return LiveRanking(
            [documents[place] for place in places[: self.k]],
            kept.scores,
            len(documents) - len(places),
            passages.rises,
            # Equal scores would leave the order open.
            (passages.is_list and any(left <= right for left, right in pairwise(kept.scores or ()))) or passages.rises,
            None if answered is None else answered.answer,
            kept.texts,
            unmatched,
        )

    def documents(self, ids: list[str]) -> tuple[list[str], tuple[str, ...]]:
        """The documents of chunks, and the ids that the rule does not match, which stay as they are."""
        if self.rule is None or self.rule.is_field or not ids:
            return ids, ()
        found = self.rule.match_all(ids).to_list()
        unmatched = tuple(each for each, document in zip(ids, found, strict=True) if document is None)
        return [document or each for each, document in zip(ids, found, strict=True)], unmatched


def limit_documents(listed: object, k: int) -> object:
    """The documents, unless there are far too many, or no end of them."""
    if isinstance(listed, (str, bytes)) or not isinstance(listed, Iterable):
        return listed
    most = max(MOST_DOCUMENTS, k)
    documents = listed if isinstance(listed, Sized) else list(islice(listed, most + 1))
    if len(documents) > most:
        raise DataError(f"the response has more than {most:,} documents; k is {k:,}, return that many")
    return documents


def find_list(response: object) -> object:
    """The list in a response that is a dict, such as haystack's `{"documents": […]}`; otherwise the response itself.

    >>> find_list({"took": 3, "hits": {"total": 1, "hits": [{"_id": "d1"}]}})
    [{'_id': 'd1'}]
    >>> find_list({"d1": 0.7})
    {'d1': 0.7}
    """
    if not isinstance(response, Mapping):
        return response
    if holds_scores(response):
        if response and STATUS_KEYS.issuperset(response):
            raise no_list(response)
        return response
    listed = look_for_list(response)
    if listed is None:
        raise no_list(response)
    return listed


def no_list(response: Mapping[str, Any], hint: str = "") -> DataError:
    """The error for a response without documents."""
    return DataError(f"the response has no list of documents; its keys are {keys_of(response)}{hint and f'; {hint}'}")


def holds_scores(response: Mapping[str, Any]) -> bool:
    """Whether a dict may map ids to scores."""
    return all(is_number(each) for each in response.values())


def look_for_list(response: Mapping[str, Any]) -> object:
    """The list under one of the usual keys, here or deeper."""
    inside = [response[name] for name in LIST_KEYS if name in response]
    for each in inside:
        if isinstance(each, (list, tuple)):
            return each
    for each in inside:
        listed = look_for_list(each) if isinstance(each, Mapping) else None
        if listed is not None:
            return listed
    return None


def at_path(response: object, path: str) -> object:
    """The value at a path of keys and positions, such as `result.0.hits`; `.` is the whole response."""
    if path == ".":
        return response
    here = response
    for step in path.split("."):
        inner = None
        if isinstance(here, Mapping):
            inner = here.get(step)
        elif isinstance(here, list) and step.isdecimal() and int(step) < len(here):
            inner = here[int(step)]
        if inner is None:
            raise DataError(f"the response has nothing at {show(path)}: no {show(step)} in {describe_value(here)}")
        here = inner
    return here


def describe_value(value: object) -> str:
    if isinstance(value, Mapping):
        return f"an object with the keys {keys_of(value)}" if value else "an empty object"
    return f"a list of length {len(value)}" if isinstance(value, list) else show(value)


def keys_of(value: Mapping[str, Any]) -> str:
    names = list(value)
    return (", ".join(map(show, names[:MOST_KEYS])) + (" …" if len(names) > MOST_KEYS else "")) or "none"
