"""What a format cannot hold: refused and named, or left out where that is allowed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.errors import LossError
from assay.data.detect import FORMATS

if TYPE_CHECKING:
    import polars

DEFAULT_TAG = "assay"
BLANK = r"[\t\n\x0b\x0c\r ]"
NUL = r"\x00"
# A TREC line that begins with # is a comment, and a mark of the byte order at the start of a file is passed over.
NOT_FIRST = r"^[#\x{feff}]"


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that judgments or runs may have, the formats that cannot hold it, and how it is recognized."""

    what: str
    lost_in: tuple[str, ...]
    is_in: Callable[[Any], bool]


def refuse_losses(data: Any, format: str) -> None:  # noqa: ANN401 - the option's name; Qrels or Run
    """Raises if the format cannot hold everything."""
    losses = [each.what for each in LOSSES if format in each.lost_in and each.is_in(data)]
    if losses:
        raise LossError(
            f"{format} cannot hold {' and '.join(losses)}; choose another format, or go on with --lossy (lossy=True)"
        )


def has_graded_groups(qrels: Any) -> bool:  # noqa: ANN401 - Qrels
    return qrels.is_judgments and qrels.rows.has_groups() and not qrels.has_equal_grades


def has_named_groups(qrels: Any) -> bool:  # noqa: ANN401 - Qrels
    """Whether the groups of some query are called anything but 0, 1, 2 …, as JSON's lists count them."""
    if not qrels.is_judgments or not qrels.rows.has_groups() or has_graded_groups(qrels):
        return False
    return any(list(qrels.groups(query)) != [str(n) for n in range(len(qrels.groups(query)))] for query in qrels)


def has(data: Any, pattern: str, *columns: str) -> bool:  # noqa: ANN401 - Qrels or Run
    """Whether some id matches the pattern."""
    frame = data.to_polars()
    return any(frame[name].str.contains(pattern).any() for name in columns or ids_of(frame))


def ids_of(frame: polars.DataFrame) -> list[str]:
    return [each for each in ("query_id", "doc_id", "group") if each in frame.columns]


def without(frame: polars.DataFrame, format: str) -> polars.DataFrame:
    """The rows with ids that the format can hold; raises if two of them would become one."""
    import polars

    names = ids_of(frame)
    unwanted = f"{BLANK}|{NUL}" if format == "trec" else NUL
    if not any(frame[name].str.contains(f"{unwanted}|{NOT_FIRST}").any() for name in names):
        return frame
    cleaned = frame.with_columns(polars.col(names).str.replace_all(unwanted, "_"))
    if format == "trec":
        cleaned = cleaned.with_columns(polars.col("query_id").str.replace(NOT_FIRST, "_"))
    for columns in (["query_id"], names):
        if cleaned.select(columns).n_unique() < frame.select(columns).n_unique():
            raise LossError(f"{format} cannot hold some ids, and what it can hold of them is the same; rename them")
    return cleaned


def plain_tag(tag: str) -> str:
    """The tag as TREC can hold it."""
    return re.sub(f"{BLANK}|{NUL}", "_", tag)


def all_but(*formats: str) -> tuple[str, ...]:
    return tuple(each for each in FORMATS if each not in formats)


LOSSES = (
    Loss("the run's tag", all_but("trec"), lambda data: not data.is_judgments and data.tag not in ("", DEFAULT_TAG)),
    Loss("blanks in the run's tag", ("trec",), lambda data: not data.is_judgments and plain_tag(data.tag) != data.tag),
    Loss("the groups of the judgments", ("beir",), lambda data: data.is_judgments and data.rows.has_groups()),
    Loss("groups together with grades", ("json",), has_graded_groups),
    Loss("the names of the groups", ("json",), has_named_groups),
    Loss("an order without scores", all_but("json"), lambda data: data.rows.has_order()),
    Loss("repeated documents", ("json",), lambda data: data.is_judgments and data.has_repeats),
    Loss("a query without documents", all_but("json"), lambda data: data.has_empty_queries),
    Loss("blanks in ids", ("trec",), lambda data: has(data, BLANK)),
    Loss("a NUL in an id", ("trec", "csv", "tsv", "beir"), lambda data: has(data, NUL)),
    Loss("a query id that begins with #", ("trec",), lambda data: has(data, NOT_FIRST, "query_id")),
)
