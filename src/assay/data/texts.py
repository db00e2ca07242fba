"""Texts that were retrieved, compared with those that should have been: judgments and a run of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from assay.core.errors import DataError, MismatchError, PolicyError
from assay.core.text import show
from assay.data.frames import as_id
from assay.data.qrels import Qrels
from assay.data.run import Run

if TYPE_CHECKING:
    from assay.core.judged import FloatArray

# Each distance, and rapidfuzz's name for it.
DISTANCES = {"levenshtein": "Levenshtein", "hamming": "Hamming", "jaro": "Jaro", "jaro_winkler": "JaroWinkler"}
Texts = Mapping[Any, Sequence[str]] | Sequence[Sequence[str]]


class Matched(NamedTuple):
    """Judgments and a run, ready for `evaluate`."""

    qrels: Qrels
    run: Run


class Row(NamedTuple):
    """One judgment."""

    query_id: str
    doc_id: str
    relevance: float
    group: str


def match_texts(references: Texts, retrieved: Texts, *, distance: str = "levenshtein") -> Matched:
    """Makes judgments and a run of texts, where how much two texts are alike is the grade.

    Both hold a list of texts for each query, as a dict or as lists that pair up. Each reference is a group: the
    reference itself, with the grade 1, and every retrieved text with its likeness to it, which is 1 less the normalised
    distance (`levenshtein`, `hamming`, `jaro` or `jaro_winkler`).

    >>> import assay
    >>> matched = match_texts({"q1": ["a cat sat", "it rained"]}, {"q1": ["cats sat", "no", "a cat sat"]})
    >>> result = assay.evaluate(*matched, ["NonLLMContextRecall"], convention="ragas")
    >>> result["NonLLMContextRecall"]
    0.5
    """
    if distance not in DISTANCES:
        raise PolicyError(f"distance must be {' or '.join(map(repr, DISTANCES))}, not {show(distance)}")
    wanted, found = by_query(references, "references"), by_query(retrieved, "retrieved texts")
    if not isinstance(references, Mapping) and not isinstance(retrieved, Mapping) and len(wanted) != len(found):
        raise MismatchError(f"there are {len(wanted)} lists of references and {len(found)} of retrieved texts")
    rows = [row for query, texts in wanted.items() for row in judgments(query, texts, found.get(query, []), distance)]
    rankings = {query: [retrieved_id(place) for place in range(len(texts))] for query, texts in found.items()}
    return Matched(judged(rows), Run(rankings))


def by_query(texts: Texts, what: str) -> dict[str, list[str]]:
    """The texts of each query, numbered where they are a list."""
    if isinstance(texts, (str, bytes)) or not isinstance(texts, (Mapping, Sequence)):
        raise DataError(f"the {what} must be a dict or a list of lists of texts, not {show(texts)}")
    if not texts:
        raise DataError(f"there are no {what}")
    checked: dict[str, list[str]] = {}
    for query, each in texts.items() if isinstance(texts, Mapping) else enumerate(texts):
        name = as_id(query)
        if name is None:
            raise DataError(f"the {what}: an id must be a string or an integer, not {show(query)}")
        is_list = isinstance(each, Sequence) and not isinstance(each, (str, bytes))
        if not is_list or not all(isinstance(text, str) for text in each):
            raise DataError(f"the {what} of query {show(name)} must be a list of texts, not {show(each)}")
        checked[name] = list(each)
    return checked


def judgments(query: str, references: list[str], retrieved: list[str], distance: str) -> Iterator[Row]:
    """The judgments of one query, one group a reference."""
    if not references:
        # So that the query is there, with nothing to find.
        yield Row(query, "reference-none", 0.0, "none")
    likeness = alike(retrieved, references, distance)
    for number in range(len(references)):
        group = str(number)
        yield Row(query, f"reference-{number}", 1.0, group)
        for place in range(len(retrieved)):
            yield Row(query, retrieved_id(place), float(likeness[place, number]), group)


def retrieved_id(place: int) -> str:
    return f"retrieved-{place}"


def alike(retrieved: list[str], references: list[str], distance: str) -> FloatArray:
    """How much each retrieved text is like each reference, from 0 to 1."""
    if not retrieved or not references:
        return np.zeros((len(retrieved), len(references)))
    from rapidfuzz import distance as distances
    from rapidfuzz import process

    scorer = getattr(distances, DISTANCES[distance]).normalized_distance
    return 1.0 - process.cdist(retrieved, references, scorer=scorer, dtype=np.float64)


def judged(rows: list[Row]) -> Qrels:
    import polars

    columns = zip(*rows, strict=True)
    return Qrels(polars.DataFrame(dict(zip(Row._fields, map(list, columns), strict=True))))
