"""What a response holds: a ranking, and perhaps an answer with the contexts that it was made from.

| response | answer | contexts |
| --- | --- | --- |
| a dict | under `answer` or another usual key, if it is a text | under `contexts`, `retrieved` or another usual key |
| a pair | its first part, a text | its second part |
| an object, such as LlamaIndex's `Response` | its `answer` or `response` | its `contexts` or `source_nodes` |

Any other response is what a retriever returned, without an answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence, Sized
from itertools import chain, count, islice, pairwise
from operator import ne
from typing import Any, NamedTuple

from assay.core.doc_id import DocIdRule
from assay.core.errors import DataError
from assay.core.text import show
from assay.data.frames.columns import as_id
from assay.data.passages import is_number, read_passages

ANSWER_KEYS = ("answer", "response", "result", "output", "generated_text", "prediction", "completion")
CONTEXT_KEYS = (
    *("contexts", "retrieved", "retrieved_contexts", "context", "source_documents", "source_nodes", "sources"),
    *("retrieved_documents", "citations"),
)
# Ids that stand beside the texts of the contexts.
ID_KEYS = ("retrieved", "retrieved_ids", "context_ids", "doc_ids", "ids")
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


class Answered(NamedTuple):
    """An answer, and the contexts it was made from, in any form that a retriever may return."""

    answer: str
    contexts: object


def split_answer(response: object) -> Answered | None:
    """The answer and the contexts in a response; None if it has no answer."""
    if isinstance(response, Answered):
        return response
    if isinstance(response, tuple) and len(response) == 2 and not hasattr(response, "_fields"):  # noqa: PLR2004 - a pair
        answer, contexts = response
        is_answer = isinstance(answer, str) and isinstance(contexts, (list, tuple, Mapping))
        return Answered(answer, contexts) if is_answer else None
    if isinstance(response, Mapping):
        answer = next((response[name] for name in ANSWER_KEYS if isinstance(response.get(name), str)), None)
        return None if answer is None else Answered(answer, find_contexts(response))
    if isinstance(response, (str, bytes)) or hasattr(response, "__iter__"):
        return None
    fields = {name: getattr(response, name, None) for name in ("answer", "response", *CONTEXT_KEYS)}
    return split_answer({name: value for name, value in fields.items() if value is not None})


def find_contexts(response: object) -> object:
    """The contexts under one of the usual keys, with their ids if these stand beside them; else the whole response."""
    if not isinstance(response, Mapping):
        return response
    contexts, ids = (
        next((response[name] for name in names if is_list(response.get(name))), None)
        for names in (CONTEXT_KEYS, ID_KEYS)
    )
    if contexts is None:
        others = {name: value for name, value in response.items() if name not in ANSWER_KEYS or is_list(value)}
        if not others:
            raise DataError("the response has an answer, but no contexts; it needs the list of what was retrieved")
        return others
    texts = response.get("contexts", response.get("retrieved_contexts"))
    are_ids = ids and is_list(texts) and all(as_id(each) is not None for each in ids)
    if ids is None or texts is None or ids is texts or not are_ids or not all(isinstance(each, str) for each in texts):
        return contexts
    if len(ids) != len(texts):
        raise DataError(f"the response has {len(ids)} ids but {len(texts)} contexts")
    return [{"id": name, "text": text} for name, text in zip(ids, texts, strict=True)]


def is_list(value: object) -> bool:
    return isinstance(value, (list, tuple))


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
        answer = None if self.answer is None else hide(self.answer)
        texts = None if self.texts is None else [hide(each) for each in self.texts]
        unmatched = tuple(hide_in_ids(self.unmatched, hide, is_judged))
        concealed = sum(map(ne, self.ids, ids))
        return self._replace(ids=ids, answer=answer, texts=texts, unmatched=unmatched, concealed=concealed)


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
        documents, unmatched = passages.ids, list[str]()
        if self.rule is not None and path is None and documents:
            found = self.rule.match_all(passages.ids).to_list()
            documents = [document or each for each, document in zip(passages.ids, found, strict=True)]
            unmatched = [each for each, document in zip(passages.ids, found, strict=True) if document is None]
        first: dict[str, int] = {}
        for place, each in enumerate(documents):
            first.setdefault(each, place)
        places = list(first.values()) if self.once else list(range(len(documents)))
        kept = passages.at(places[: self.k])
        ids, dropped = [documents[place] for place in places[: self.k]], len(documents) - len(places)
        # Equal scores would leave the order open.
        is_open = passages.is_list and any(left <= right for left, right in pairwise(kept.scores or ()))
        order = (passages.rises, is_open or passages.rises)
        answer = None if answered is None else answered.answer
        return LiveRanking(ids, kept.scores, dropped, *order, answer, kept.texts, tuple(unmatched))


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
    """The list in a response that is a dict, such as haystack's `{"documents": […]}`; otherwise the response itself."""
    if not isinstance(response, Mapping):
        return response
    if not holds_scores(response):
        if (listed := look_for_list(response)) is not None:
            return listed
    elif not response or not STATUS_KEYS.issuperset(response):
        return response
    raise no_list(response)


def no_list(response: Mapping[str, Any], hint: str = "") -> DataError:
    return DataError(f"the response has no list of documents; its keys are {keys_of(response)}{hint and f'; {hint}'}")


def holds_scores(response: Mapping[str, Any]) -> bool:
    """Whether a dict may map ids to scores."""
    return all(is_number(each) for each in response.values())


def look_for_list(response: Mapping[str, Any]) -> object:
    """The list under one of the usual keys, here or deeper."""
    inside = [response[name] for name in LIST_KEYS if name in response]
    deeper = (look_for_list(each) for each in inside if isinstance(each, Mapping))
    return next((each for each in chain(filter(is_list, inside), deeper) if each is not None), None)


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
            shown = f"a list of length {len(here)}" if isinstance(here, list) else show(here)
            if isinstance(here, Mapping):
                shown = f"an object with the keys {keys_of(here)}" if here else "an empty object"
            raise DataError(f"the response has nothing at {show(path)}: no {show(step)} in {shown}")
        here = inner
    return here


def keys_of(value: Mapping[str, Any]) -> str:
    names = list(value)
    return (", ".join(map(show, names[:MOST_KEYS])) + (" …" if len(names) > MOST_KEYS else "")) or "none"
