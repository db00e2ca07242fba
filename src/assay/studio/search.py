"""Live search: a question typed in the studio goes to a retriever, and what it returns is judged like any ranking."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import DataError
from assay.data.frames.columns import as_id
from assay.data.passages import PASSAGE_TEXT, find_field, read_passages
from assay.net.http import TemporaryError
from assay.studio.views import votes_on
from assay.tasks.probe.endpoint import HttpSearch
from assay.tasks.probe.response import RankingReader, find_list, split_answer

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

    def __init__(self, url: str, *, k: int = RESULTS, **options: Any) -> None:  # noqa: ANN401 - those of HttpSearch
        self._search = HttpSearch(url, **options)
        self._reader = RankingReader(k)

    @property
    def name(self) -> str:
        """The URL, without what may be secret in it."""
        return self._search.name

    def __call__(self, question: str) -> list[Hit]:
        """What the retriever returns, the best first; each document once."""
        try:
            response = self._search(question, self._reader.k)
            found = self._reader.read(response)
        except TemporaryError as error:
            raise DataError(f"live search failed: {error}") from None
        size = len(found.ids)
        scores = found.scores or [float(size - rank) for rank in range(size)]
        texts = texts_in(response)
        return [Hit(each, score, texts.get(each)) for each, score in zip(found.ids, scores, strict=True)]

    def close(self) -> None:
        self._search.close()


def texts_in(response: object) -> dict[str, str]:
    """The first text of each document in a response, of those that have one."""
    answered = split_answer(response)
    passages = read_passages(find_list(response if answered is None else answered.contexts), "the response")
    found: dict[str, str] = {}
    for name, item in zip(passages.ids, passages.items or (), strict=False):
        text = None if as_id(item) is not None else find_field(item, PASSAGE_TEXT)
        if isinstance(text, str):
            found.setdefault(name, text)
    return found


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
            **votes_on(studio, query, hit.document, voter),
        }
        for rank, hit in enumerate(hits, start=1)
    ]
    return {"query": query, "question": asked, "results": results}
