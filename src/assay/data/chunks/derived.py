"""Judgments and a run made from other data: from texts or spans that are compared, instead of ids."""

import math
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from assay.core.errors import DataError, MismatchError, PolicyError
from assay.core.judged import FloatArray
from assay.core.text import count, show, some
from assay.data.chunks.spans import CHUNK_ID, Overlap, Span, check_share, read_chunks, read_span
from assay.data.frames.columns import as_id
from assay.data.passages import find_field, place_name
from assay.data.qrels import Qrels
from assay.data.run import Run

ROUNDING = 1e-9
# Each distance, and rapidfuzz's name for it.
DISTANCES = {"levenshtein": "Levenshtein", "hamming": "Hamming", "jaro": "Jaro", "jaro_winkler": "JaroWinkler"}
Lists = Mapping[Any, Sequence[Any]] | Sequence[Sequence[Any]]
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


class Wanted(NamedTuple):
    """One thing to retrieve: its group, of which one is enough, its id while nothing hits it, and its grade."""

    group: str
    name: str
    grade: float = 1.0


class TextMatch(NamedTuple):
    """For each retrieved text the references that it matches, and which references match exactly, or by similarity."""

    hits: list[list[int]]
    exact: set[int]
    similar: set[int]


def match_texts(
    references: Texts, retrieved: Texts, *, threshold: float | None = None, distance: str = "levenshtein"
) -> QrelsAndRun:
    """Makes judgments and a run from texts that have no ids.

    Both hold a list of texts per query, as a dict or as lists of the same length. Each reference is a group, so that
    `group_recall` is the share of the references found. With a `threshold`, a retrieved text matches a reference that
    is the same up to case, blanks and Unicode's variants of characters (NFKC); the rest match by similarity: each
    retrieved text the most similar of the references left, if their similarity is at least the threshold. That is 1
    minus the normalised distance (`levenshtein`, `hamming`, `jaro` or `jaro_winkler`).

    >>> import assay
    >>> references = {"q1": ["The cat sat on the mat.", "It rained."]}
    >>> retrieved = {"q1": ["the cat  sat on the mat", "Dogs bark.", "The cat sat on a mat."]}
    >>> matched = match_texts(references, retrieved, threshold=0.8)
    >>> assay.evaluate(*matched, ["group_recall", "rr", "precision"]).mean
    {'group_recall': 0.5, 'rr': 1.0, 'precision': 0.3333333333333333}

    A reference counts once: a later text that matches only what was found before has grade 0. It takes up a rank, and
    `precision(rel=0)` counts it too.

    Without a threshold, texts are compared as they are and similarities become grades, as ragas' measures need them:

    >>> matched = match_texts({"q1": ["a cat sat", "it rained"]}, {"q1": ["cats sat", "no", "a cat sat"]})
    >>> assay.evaluate(*matched, "NonLLMContextRecall", convention="ragas")["NonLLMContextRecall"]
    0.5
    """
    if distance not in DISTANCES:
        raise PolicyError(f"distance must be {' or '.join(map(repr, DISTANCES))}, not {show(distance)}")
    if threshold is not None:
        check_share(threshold, "threshold must be a number")
    wanted, found = pair_queries(references, retrieved, "references", "retrieved texts")
    named = [("references", *each) for each in wanted.items()] + [("retrieved texts", *each) for each in found.items()]
    for what, query, texts in named:
        if not all(isinstance(text, str) for text in texts):
            raise DataError(f"the {what} of query {show(query)} must be a list of texts, not {show(texts)}")
    rows: list[Judgment] = []
    for query, texts in wanted.items():
        others = found.get(query, [])
        if threshold is None:
            rows += grade_texts(query, texts, others, distance)
        else:
            golds = [Wanted(str(number), f"reference-{number}") for number in range(len(texts))]
            names = [place_name(place) for place in range(len(others))]
            rows += judge_hits(query, golds, names, compare_texts(texts, others, threshold, distance).hits)
    rankings = {query: [place_name(place) for place in range(len(texts))] for query, texts in found.items()}
    return QrelsAndRun(qrels_of(rows), Run(rankings))


def match_spans(
    references: Lists,
    retrieved: Any,  # noqa: ANN401 - lists of spans, or a run in any form
    *,
    chunks: object = None,
    overlap: float | str = "any",
    overlap_of: str = "gold",
) -> QrelsAndRun:
    """Makes judgments and a run from spans of source documents, so that labels outlive the chunks.

    Both hold a list of spans per query, as a dict or as lists of the same length. A span is `(document, start, end)`,
    or an object with such fields, and half-open as a slice of Python. A chunk hits a gold span if they have a character
    in common (`overlap="any"`), or if they share at least `overlap` of the gold span (`overlap_of="gold"`), of the
    chunk (`"chunk"`), or of both together (`"iou"`, intersection over union). Each gold span is a group, so that
    `group_recall` is the share of the spans found.

    >>> import assay
    >>> gold = {"q1": [("guide.md", 100, 180), ("faq.md", 0, 50)]}
    >>> chunks = {"q1": [("guide.md", 0, 150), ("guide.md", 150, 300), ("faq.md", 50, 90)]}
    >>> assay.evaluate(*match_spans(gold, chunks), ["group_recall", "rr", "precision", "precision(rel=0)"]).mean
    {'group_recall': 0.5, 'rr': 1.0, 'precision': 0.3333333333333333, 'precision(rel=0)': 0.6666666666666666}
    >>> assay.evaluate(*match_spans(gold, chunks, overlap=0.5), ["group_recall", "precision(rel=0)"]).mean
    {'group_recall': 0.5, 'precision(rel=0)': 0.3333333333333333}

    With `chunks`, a table with the id and the span of each chunk (a dict, a frame or a file), `retrieved` is a run of
    their ids, in any form that runs have:

    >>> places = {"c1": ("guide.md", 0, 150), "c2": ("guide.md", 150, 300)}
    >>> matched = match_spans(gold, {"q1": {"c1": 0.3, "c2": 0.9}}, chunks=places)
    >>> assay.evaluate(*matched, "group_recall")["group_recall"]
    0.5

    A gold span counts once: a later chunk that hits only what was found before has grade 0. It takes up a rank, and
    `precision(rel=0)` counts it too.
    """
    rule = Overlap.parse(overlap, overlap_of)
    run = None if chunks is None else retrieved if isinstance(retrieved, Run) else Run(retrieved)
    if run is None:
        wanted, found = pair_queries(references, retrieved, "gold spans", "retrieved chunks")
        spans = read_spans(found, "retrieved chunks")
        names = {query: span_names(items, spans[query]) for query, items in found.items()}
    else:
        wanted, names = lists_by_query(references, "gold spans"), {query: ranked_ids(run[query]) for query in run}
        known = read_chunks(chunks)
        lacking = list(dict.fromkeys(name for ids in names.values() for name in ids if name not in known))
        if lacking:
            said = f"{count(len(lacking), 'retrieved id')} not in the table of chunks: {some(lacking)}"
            raise DataError(f"{said}; the run and the table must be of the same chunking")
        spans = {query: [known[name].span for name in ids] for query, ids in names.items()}
    rows: list[Judgment] = []
    for query, golds in read_spans(wanted, "gold spans").items():
        each = [Wanted(str(number), f"gold {span}") for number, span in enumerate(golds)]
        hits = [rule.hits(golds, chunk) for chunk in spans.get(query, [])]
        rows += judge_hits(query, each, names.get(query, []), hits)
    return QrelsAndRun(qrels_of(rows), Run(names) if run is None else run)


def ranked_ids(ranking: Sequence[Any]) -> list[str]:
    """The ids of a ranking, best first; tied ones by id, descending."""
    if not ranking or isinstance(ranking[0], str):
        return list(ranking)
    return [name for name, _ in sorted(ranking, key=lambda pair: pair[::-1], reverse=True)]


def read_spans(lists: Mapping[str, list[Any]], what: str) -> dict[str, list[Span]]:
    return {
        query: [read_span(each, f"the {what} of query {show(query)}, number {at}") for at, each in enumerate(items)]
        for query, items in lists.items()
    }


def span_names(items: Sequence[object], spans: Sequence[Span]) -> list[str]:
    """A different id for each chunk: its own if all have one, else its span, with its place after a repeated one."""
    own = [None if isinstance(item, (tuple, list)) else as_id(find_field(item, CHUNK_ID)) for item in items]
    names = [each for each in own if each]
    return names if len(set(names)) == len(items) else unique_names([str(span) for span in spans])


def unique_names(names: Sequence[str]) -> list[str]:
    """Names without duplicates: a repeated one gets its place after it, as `a (2)`."""
    if len(set(names)) == len(names):
        return list(names)
    return [name if name not in names[:place] else f"{name} ({place})" for place, name in enumerate(names)]


def pair_queries(wanted: Lists, found: Lists, *names: str) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    both = lists_by_query(wanted, names[0]), lists_by_query(found, names[1])
    if not isinstance(wanted, Mapping) and not isinstance(found, Mapping) and len(both[0]) != len(both[1]):
        said = f"{count(len(both[0]), 'list')} of {names[0]} but {len(both[1])} of {names[1]}"
        raise MismatchError(f"{said}; lists must have the same length")
    return both


def lists_by_query(lists: Lists, what: str) -> dict[str, list[Any]]:
    noun = what.rpartition(" ")[2] if what != "references" else "texts"
    if isinstance(lists, (str, bytes)) or not isinstance(lists, (Mapping, Sequence)):
        raise DataError(f"the {what} must be a dict or a list of lists of {noun}, not {show(lists)}")
    if not lists:
        raise DataError(f"no {what}")
    found: dict[str, list[Any]] = {}
    for query, each in lists.items() if isinstance(lists, Mapping) else enumerate(lists):
        name = as_id(query)
        if name is None:
            raise DataError(f"the {what}: an id must be a string or an integer, not {show(query)}")
        if not isinstance(each, Sequence) or isinstance(each, (str, bytes)):
            raise DataError(f"the {what} of query {show(name)} must be a list of {noun}, not {show(each)}")
        found[name] = list(each)
    return found


def judge_hits(
    query: str, golds: Sequence[Wanted], names: Sequence[str], hits: Sequence[Sequence[int]]
) -> Iterator[Judgment]:
    """The judgments of one query, from the ids of what was retrieved and the numbers of the gold that each hits.

    What hits only groups that were hit before has grade 0. The best item of a group without hits stays to be found.
    """
    if not golds:
        # So that the query exists, with nothing to find.
        yield Judgment(query, "reference-none", 0.0, "none")
    found: set[str] = set()
    for name, hit in zip(names, hits, strict=True):
        best: dict[str, float] = {}
        for gold in (golds[number] for number in hit):
            best[gold.group] = max(gold.grade, best.get(gold.group, gold.grade))
        fresh = {group: grade for group, grade in best.items() if group not in found}
        for group, grade in (fresh or dict.fromkeys(list(best)[:1], 0.0)).items():
            yield Judgment(query, name, grade, group)
        found |= fresh.keys()
    left: dict[str, Wanted] = {}
    for gold in golds:
        if gold.group not in found and gold.grade > left.get(gold.group, gold._replace(grade=-math.inf)).grade:
            left[gold.group] = gold
    for gold in left.values():
        yield Judgment(query, unlike(gold.name, names), gold.grade, gold.group)


def unlike(name: str, names: Sequence[str]) -> str:
    return unlike(f"{name}'", names) if name in names else name


def compare_texts(
    references: Sequence[str], retrieved: Sequence[str], threshold: float, distance: str = "levenshtein"
) -> TextMatch:
    """Which references each retrieved text matches: those equal once normalised, else the most similar; blanks none."""
    wanted, found = (
        [" ".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in texts]
        for texts in (references, retrieved)
    )
    hits = [[number for number, text in enumerate(wanted) if text and text == each] for each in found]
    exact = {number for hit in hits for number in hit}
    left = [number for number, text in enumerate(wanted) if text and number not in exact]
    rest = [place for place, hit in enumerate(hits) if not hit and found[place]]
    similar: set[int] = set()
    if left and rest and threshold < 1:
        texts = [found[place] for place in rest], [wanted[number] for number in left]
        likeness = similarities(*texts, distance, threshold)
        for row, place in enumerate(rest):
            column = int(likeness[row].argmax())
            if likeness[row, column] >= threshold:
                hits[place] = [left[column]]
                similar.add(left[column])
    return TextMatch(hits, exact, similar)


def grade_texts(
    query: str, references: list[str], retrieved: list[str], distance: str = "levenshtein", names: Sequence[str] = ()
) -> Iterator[Judgment]:
    """The judgments of one query by similarity, one group per reference; `names` are the ids of what was retrieved."""
    if not references:
        yield from judge_hits(query, [], [], [])
    similarity = similarities(retrieved, references, distance)
    for number in range(len(references)):
        group = str(number)
        yield Judgment(query, unlike(f"reference-{number}", names), 1.0, group)
        for place in range(len(retrieved)):
            name = names[place] if names else place_name(place)
            yield Judgment(query, name, float(similarity[place, number]), group)


def similarities(retrieved: list[str], references: list[str], distance: str, least: float = 0.0) -> FloatArray:
    """The similarity of each retrieved text to each reference, from 0 to 1; 0 if it is below `least`."""
    if not retrieved or not references:
        return np.zeros((len(retrieved), len(references)))
    from rapidfuzz import distance as distances
    from rapidfuzz import process

    scorer = getattr(distances, DISTANCES[distance]).normalized_distance
    # Distances beyond the cutoff are 1, and cost little; rounding must not put one there that is as far as allowed.
    most = 1.0 - least + ROUNDING if least else None
    return 1.0 - process.cdist(retrieved, references, scorer=scorer, score_cutoff=most, dtype=np.float64)


def qrels_of(rows: list[Judgment]) -> Qrels:
    import polars

    return Qrels(polars.DataFrame(dict(zip(Judgment._fields, map(list, zip(*rows, strict=True)), strict=True))))
