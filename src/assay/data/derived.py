"""Judgments and a run made from other data: from texts that are compared, and from queries that were asked in parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from assay.core.errors import DataError, DuplicateError, MismatchError, PolicyError
from assay.core.text import count, show
from assay.data.frames import as_id
from assay.data.qrels import Qrels
from assay.data.run import Run

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

# Each distance, and rapidfuzz's name for it.
DISTANCES = {"levenshtein": "Levenshtein", "hamming": "Hamming", "jaro": "Jaro", "jaro_winkler": "JaroWinkler"}
Texts = Mapping[Any, Sequence[str]] | Sequence[Sequence[str]]


class QrelsAndRun(NamedTuple):
    """Judgments and a run, ready for `evaluate`."""

    qrels: Qrels
    run: Run


class Judgment(NamedTuple):
    """One judgment."""

    query_id: str
    doc_id: str
    relevance: float
    group: str


def match_texts(references: Texts, retrieved: Texts, *, distance: str = "levenshtein") -> QrelsAndRun:
    """Makes judgments and a run from texts; the similarity of two texts is the grade.

    Both hold a list of texts per query, as a dict or as lists of the same length. Each reference is a group: the
    reference itself, with grade 1, and every retrieved text with its similarity to it, which is 1 minus the normalised
    distance (`levenshtein`, `hamming`, `jaro` or `jaro_winkler`).

    >>> import assay
    >>> matched = match_texts({"q1": ["a cat sat", "it rained"]}, {"q1": ["cats sat", "no", "a cat sat"]})
    >>> result = assay.evaluate(*matched, ["NonLLMContextRecall"], convention="ragas")
    >>> result["NonLLMContextRecall"]
    0.5
    """
    if distance not in DISTANCES:
        raise PolicyError(f"distance must be {' or '.join(map(repr, DISTANCES))}, not {show(distance)}")
    wanted, found = texts_by_query(references, "references"), texts_by_query(retrieved, "retrieved texts")
    if not isinstance(references, Mapping) and not isinstance(retrieved, Mapping) and len(wanted) != len(found):
        raise MismatchError(
            f"{count(len(wanted), 'list')} of references but {len(found)} of retrieved texts; "
            "lists must have the same length"
        )
    rows = [row for query, texts in wanted.items() for row in judge_texts(query, texts, found.get(query, []), distance)]
    rankings = {query: [retrieved_id(place) for place in range(len(texts))] for query, texts in found.items()}
    return QrelsAndRun(qrels_of(rows), Run(rankings))


def texts_by_query(texts: Texts, what: str) -> dict[str, list[str]]:
    """The texts of each query, numbered where they are a list."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, (Mapping, Sequence)):
        raise DataError(f"the {what} must be a dict or a list of lists of texts, not {show(texts)}")
    if not texts:
        raise DataError(f"no {what}")
    found: dict[str, list[str]] = {}
    for query, each in texts.items() if isinstance(texts, Mapping) else enumerate(texts):
        name = as_id(query)
        if name is None:
            raise DataError(f"the {what}: an id must be a string or an integer, not {show(query)}")
        is_list = isinstance(each, Sequence) and not isinstance(each, (str, bytes))
        if not is_list or not all(isinstance(text, str) for text in each):
            raise DataError(f"the {what} of query {show(name)} must be a list of texts, not {show(each)}")
        found[name] = list(each)
    return found


def judge_texts(query: str, references: list[str], retrieved: list[str], distance: str) -> Iterator[Judgment]:
    """The judgments of one query, one group per reference."""
    if not references:
        # So that the query exists, with nothing to find.
        yield Judgment(query, "reference-none", 0.0, "none")
    similarity = similarities(retrieved, references, distance)
    for number in range(len(references)):
        group = str(number)
        yield Judgment(query, f"reference-{number}", 1.0, group)
        for place in range(len(retrieved)):
            yield Judgment(query, retrieved_id(place), float(similarity[place, number]), group)


def retrieved_id(place: int) -> str:
    return f"retrieved-{place}"


def similarities(retrieved: list[str], references: list[str], distance: str) -> FloatArray:
    """The similarity of each retrieved text to each reference, from 0 to 1."""
    if not retrieved or not references:
        return np.zeros((len(retrieved), len(references)))
    from rapidfuzz import distance as distances
    from rapidfuzz import process

    scorer = getattr(distances, DISTANCES[distance]).normalized_distance
    return 1.0 - process.cdist(retrieved, references, scorer=scorer, dtype=np.float64)


def qrels_of(rows: list[Judgment]) -> Qrels:
    import polars

    columns = zip(*rows, strict=True)
    return Qrels(polars.DataFrame(dict(zip(Judgment._fields, map(list, columns), strict=True))))


def merge_subqueries(qrels: object, run: object) -> QrelsAndRun:
    """Merges queries whose ids are the same up to their last underscore, such as `q1_0` and `q1_1`.

    A document gets the highest of its scores. The judgments are those of the last part; the parts have the same ones.
    mteb's `max_over_subqueries_map_at_1000` is `map_at_1000` of the result:

    >>> import assay
    >>> qrels = {"q1_0": {"d1": 1}, "q1_1": {"d1": 1}}
    >>> run = {"q1_0": {"d1": 0.2, "d2": 0.9}, "q1_1": {"d1": 0.7, "d3": 0.3}}
    >>> merged = merge_subqueries(qrels, run)
    >>> merged.run["q1"]
    [('d1', 0.7), ('d2', 0.9), ('d3', 0.3)]
    >>> assay.evaluate(*merged, "map_at_1000", convention="mteb")["map_at_1000"]
    0.5

    An id without an underscore is a query of its own. A query of the run without judgments is never merged; it stays as
    it is, unless a merged query has its id. Duplicate documents are an error.
    """
    parts = Subqueries(qrels if isinstance(qrels, Qrels) else Qrels(qrels))
    return QrelsAndRun(parts.qrels, parts.merge(run if isinstance(run, Run) else Run(run)))


class Subqueries:
    """Judgments of queries that were asked in parts, ready to merge the parts in runs."""

    def __init__(self, judgments: Qrels) -> None:
        self.whole = {query: whole_query(query) for query in judgments.queries}
        for query, whole in self.whole.items():
            if query != whole and whole in self.whole and self.whole[whole] == whole:
                both = f"{show(whole)} and {show(query)}"
                raise DataError(f"queries {both} would both become {show(whole)}; rename or remove one of them")
        if judgments.repeats:
            raise DuplicateError("the judgments have a document twice; remove duplicates before merging queries")
        grades = judgments.to_dict()
        self.qrels = Qrels({whole: grades[query] for query, whole in self.whole.items()})

    def merge(self, run: Run) -> Run:
        """The run with one ranking for each query that was asked in parts."""
        scores: dict[str, dict[str, float]] = {}
        for query in run.queries:
            if query not in self.whole and query in self.qrels:
                continue
            merged = scores.setdefault(self.whole.get(query, query), {})
            found = scored_documents(run, query)
            if len({document for document, _ in found}) < len(found):
                raise DuplicateError(
                    f"the ranking of query {show(query)} has a document twice; remove duplicates before merging queries"
                )
            for document, score in found:
                merged[document] = max(score, merged.get(document, score))
        return Run(scores)


def whole_query(query: str) -> str:
    """The id of the query that a part belongs to."""
    whole, underscore, _ = query.rpartition("_")
    return whole if underscore else query


def scored_documents(run: Run, query: str) -> list[tuple[str, float]]:
    """A query's documents with their scores, which merging needs."""
    ranking = run[query]
    if ranking and isinstance(ranking[0], str):
        raise DataError(f"the ranking of query {show(query)} has no scores; merging subqueries needs them")
    return cast("list[tuple[str, float]]", ranking)
