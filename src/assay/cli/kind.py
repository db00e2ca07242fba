"""Whether a file holds judgments or a run, told from its content."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from assay.core.errors import FormatError
from assay.data.columns import GRADE, SCORE, simple
from assay.data.detect import HEAD, column_names, detect
from assay.data.formats.json import read_json
from assay.data.source import Readable, open_source

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from assay.data.source import Source

QRELS_FIELDS = 4
RUN_FIELDS = 6
PAIR = 2
# What a kind of value marks, judgments or a run, and the share of all values that must be of it. Some scores are whole.
NEEDED = {"grade": (True, 1.0), "group": (True, 1.0), "fraction": (False, 0.9), "pair": (False, 1.0)}
# Whole numbers up to this are taken for grades, larger ones may be either.
HIGHEST_GRADE = 10
# BEIR calls grades scores; its names for the other columns give it away.
BEIR = {"query_id", "corpus_id", "score"}


def holds_judgments(data: Readable, format_: str | None) -> bool:
    """True for judgments, false for a run; an error where neither can be told."""
    with open_source(data) as source:
        chosen = detect(source, format_)
        answer = by_format(source, chosen)
        if answer is None:
            raise FormatError(f"cannot tell whether {source.name} holds judgments or a run; say --qrels or --run")
        return answer


def by_format(source: Source, format_: str) -> bool | None:
    if format_ == "beir":
        return True
    if format_ == "trec":
        return by_fields(source)
    if format_ == "json":
        content = read_json(source)
        return by_values(content.values() if isinstance(content, dict) else content)
    return by_columns(column_names(source, format_))


def by_fields(source: Source) -> bool | None:
    """TREC: four fields are a judgment, six a retrieved document."""
    for line in source.read(HEAD).decode("utf-8", errors="replace").splitlines():
        if line.strip() and not line.startswith("#"):
            return {QRELS_FIELDS: True, RUN_FIELDS: False}.get(len(line.split()))
    return None


def by_columns(names: Sequence[str]) -> bool | None:
    """A column of grades marks judgments, one of scores a run."""
    found = {simple(name) for name in names}
    if found == BEIR:
        return True
    has_grades, has_scores = bool(found & (set(GRADE) - set(SCORE))), bool(found & set(SCORE))
    return has_grades if has_grades != has_scores else None


def by_values(queries: Iterable[Any]) -> bool | None:
    """JSON: small whole numbers are grades, lists in lists groups; fractions and pairs with a number are scores."""
    kinds = Counter(kind for query in queries for kind in value_kinds(query))
    for kind, (is_judgments, share) in NEEDED.items():
        if kinds[kind] and kinds[kind] >= share * kinds.total():
            return is_judgments
    return None


def value_kinds(query: Any) -> Iterator[str]:  # noqa: ANN401 - whatever the file holds
    """What the values of one query look like."""
    if isinstance(query, dict):
        return map(number_kind, query.values())
    return map(entry_kind, query if isinstance(query, list) else [])


def number_kind(value: object) -> str:
    if not isinstance(value, (int, float)):
        return "other"
    return "fraction" if value % 1 else "grade" if abs(value) <= HIGHEST_GRADE else "whole"


def entry_kind(entry: object) -> str:
    """What one entry of a list is: an id, a document with its score, or a group of ids."""
    if not isinstance(entry, list):
        return "id"
    is_pair = len(entry) == PAIR and isinstance(entry[1], (int, float))
    return "pair" if is_pair else "group"
