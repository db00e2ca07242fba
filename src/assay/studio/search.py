"""Live search: a question typed in the studio goes to a retriever, and what it returns is judged like any ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError
from assay.data.texts import read_passages
from assay.tasks.probe.answers import Answered
from assay.tasks.probe.endpoint import HttpSearch
from assay.tasks.probe.retrievers import find_list, limit_documents

if TYPE_CHECKING:
    from assay.studio.studio import Studio

RESULTS = 10
LONGEST = 1000


class Hit(NamedTuple):
    """A document that live search returned."""

    document: str
    score: float
    passage: str | None


class LiveSearch:
    """A retriever behind a URL, called as `assay probe` calls it."""

    def __init__(self, url: str, *, k: int = RESULTS, doc_id: str | None = None, **options: Any) -> None:  # noqa: ANN401 - those of HttpSearch
        self._search = HttpSearch(url, **options)
        self.k, self._doc_id = k, doc_id

    @property
    def name(self) -> str:
        """The URL, without what may be secret in it."""
        return self._search.name

    def __call__(self, question: str) -> list[Hit]:
        """What the retriever returns, the best first; each document once."""
        found = self._search(question, self.k)
        listed = find_list(found.contexts if isinstance(found, Answered) else found)
        passages = read_passages(limit_documents(listed, self.k), "live search", doc_id=self._doc_id)
        size = len(passages.ids)
        scores = passages.scores or [float(size - rank) for rank in range(size)]
        texts: list[str] | list[None] = passages.texts or [None] * size
        hits = map(Hit, passages.ids, scores, texts)
        return list({hit.document: hit for hit in reversed(list(hits))}.values())[::-1][: self.k]

    def close(self) -> None:
        """Closes the connections."""
        self._search.close()


def search(studio: Studio, question: str, voter: str) -> dict[str, Any]:
    """Asks live search; the question becomes a query of the collection, and its passages are kept."""
    if studio.search is None:
        raise DataError("this studio has no live search; start it with --search URL")
    asked = question.strip()
    if not asked:
        raise DataError("the question is empty")
    if len(asked) > LONGEST:
        raise DataError(f"the question is longer than {LONGEST:,} characters")
    hits = studio.search(asked)
    query = studio.keep_search(asked, voter, [(hit.document, hit.score) for hit in hits])
    studio.store.keep_passages({hit.document: hit.passage for hit in hits if hit.passage is not None})
    texts = studio.passages([hit.document for hit in hits])
    results = [
        {
            "document": hit.document,
            "passage": texts.get(hit.document),
            "score": hit.score,
            "rank": rank,
            **studio.votes_on(query, hit.document, voter),
        }
        for rank, hit in enumerate(hits, start=1)
    ]
    return {"query": query, "question": asked, "results": results}
