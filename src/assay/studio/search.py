"""Live search: a question typed in the studio goes to a retriever, and what it returns is judged like any ranking."""

from __future__ import annotations

from typing import Any

from assay.core.errors import DataError
from assay.data.frames.columns import as_id
from assay.data.passages import PASSAGE_TEXT, find_field, read_passages
from assay.net.http import TemporaryError
from assay.studio.access import RefusedError
from assay.studio.studio import Studio
from assay.tasks.probe.response import RankingReader, find_list, split_answer
from assay.tasks.probe.retrievers import HttpSearch

RESULTS = 10


class LiveSearch:
    """A retriever behind a URL, called as `assay probe` calls it."""

    def __init__(self, url: str, *, k: int = RESULTS, **options: Any) -> None:  # noqa: ANN401 - those of HttpSearch
        self._search = HttpSearch(url, **options)
        self._reader = RankingReader(k)

    def __call__(self, question: str) -> tuple[list[tuple[str, float]], dict[str, str]]:
        """The documents that the retriever returns with their scores, the best first; and the first text of each."""
        try:
            response = self._search(question, self._reader.k)
            found = self._reader.read(response)
        except TemporaryError as error:
            raise DataError(f"live search failed: {error}") from None
        size = len(found.ids)
        scores = found.scores or [float(size - rank) for rank in range(size)]
        answered = split_answer(response)
        passages = read_passages(find_list(response if answered is None else answered.contexts), "the response")
        texts: dict[str, str] = {}
        for name, item in zip(passages.ids, passages.items or (), strict=False):
            text = None if as_id(item) is not None else find_field(item, PASSAGE_TEXT)
            if isinstance(text, str):
                texts.setdefault(name, text)
        return list(zip(found.ids, scores, strict=True)), {name: texts[name] for name in found.ids if name in texts}

    def close(self) -> None:
        self._search.close()


def search(studio: Studio, question: str, voter: str) -> dict[str, Any]:
    """Asks live search; the question becomes a query of the collection, and its passages are kept."""
    if studio.search is None:
        raise RefusedError(404, "this studio has no live search; start it with --search URL")
    asked = question.strip()
    if not asked:
        raise DataError("the question is empty")
    ranking, passages = studio.search(asked)
    query = studio.store.add_question(asked, voter)
    studio.store.keep_ranking(query, ranking)
    studio.store.keep_passages(passages)
    with studio.lock:
        studio.asked[query], studio.found[query] = asked, ranking
    texts = studio.passages([document for document, _ in ranking])
    results = [
        {
            "document": document,
            "passage": texts.get(document),
            "score": score,
            "rank": rank,
            **studio.judgments.votes_on((query, document), voter),
        }
        for rank, (document, score) in enumerate(ranking, start=1)
    ]
    return {"query": query, "question": asked, "results": results}
