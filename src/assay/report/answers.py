"""What a report shows of one question to a RAG system or a live retriever: texts and passages, in parts."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

# Questions in a part of the page's data.
CHUNK = 100
# Characters of a text that is shown.
LONGEST = 2_000


def answer_parts(answers: Iterable[dict[str, Any]]) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """The questions in parts, under their names."""
    part: list[dict[str, Any]] = []
    number = 0
    for answer in answers:
        part.append(answer)
        if len(part) == CHUNK:
            yield f"answers-{number}", part
            part, number = [], number + 1
    if part:
        yield f"answers-{number}", part


def answer_entry(
    answer: str | None,
    *,
    references: Iterable[str] = (),
    gold: str = "",
    passages: Sequence[dict[str, Any]] = (),
    wanted: Sequence[dict[str, Any]] = (),
    verdicts: Iterable[str] = (),
) -> dict[str, Any]:
    """One question; `gold` says whether a gold passage was retrieved, `wanted` are the gold passages."""
    return {
        "answer": cut(answer),
        "references": [cut(each) for each in references],
        "gold": gold,
        "passages": list(passages),
        "wanted": list(wanted),
        "verdicts": [cut(each) for each in verdicts],
    }


def passage_entries(ids: Sequence[str], texts: Sequence[str], wanted: Collection[str] = ()) -> list[dict[str, Any]]:
    """Passages in order, those that are gold marked.

    >>> passage_entries(["a", "b"], [], {"b"})
    [{'id': 'a', 'text': '', 'gold': False}, {'id': 'b', 'text': '', 'gold': True}]
    """
    pairs = zip_longest(ids, texts, fillvalue="")
    return [{"id": name, "text": cut(text), "gold": name in wanted} for name, text in pairs]


def cut(text: str | None) -> str | None:
    """A text, cut if it is very long."""
    return text if text is None or len(text) <= LONGEST else f"{text[:LONGEST]} …"
