"""How tools take judgments and rankings that are given as Python objects, before they measure.

Tools differ on a query that cannot be read, such as None or one with an empty group: for one it is an error, for
another the query is NaN. Which it is does not depend on the other tools in the same call: if it is an error for one of
them, it is an error; else each tool has a value or not, as if it were alone.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from assay._kernel import Rows
from assay.core.convention import Convention
from assay.core.errors import PASSING, DataError
from assay.core.policies import LARGEST
from assay.core.text import EMPTY_ID
from assay.data.frames.columns import find_columns
from assay.data.frames.frame import from_tuples, is_frame, is_tuples, to_polars
from assay.data.qrels import as_dicts, has_queries

# Whatever the user gave.
Given: TypeAlias = Any
INFINITE = (math.inf, -math.inf)
LISTS = (list, tuple, np.ndarray)
NUMBERS = (int, float, np.integer, np.floating)
PAIR = 2
# For each tool, the queries that it cannot use.
Refused = dict[str, list[str]]


class Prepared(NamedTuple):
    """The data to read, and the queries that each tool cannot use."""

    data: Given
    refused: Refused


def prepare(data: Given, tools: Sequence[Convention], *, judgments: bool) -> Prepared:
    """The data as these tools take them. Only queries that a tool changes are looked at."""
    if all(tool.prepare is None for tool in tools) or not has_queries(data):
        return Prepared(data, {})
    return _prepare_queries(data, tools, judgments=judgments, thorough=False)


def prepare_every_query(
    data: Given, tools: Sequence[Convention], *, judgments: bool, columns: Mapping[str, str] | None = None
) -> Prepared | None:
    """The same for data that could not be read: looks at every query. None if no tool makes allowances."""
    if is_frame(data) or is_tuples(data):
        table = filled_frame(data, columns, judgments=judgments) if all(tool.empty_ids for tool in tools) else None
        return None if table is None else Prepared(table, {})
    is_lenient = any(tool.infinite or tool.empty_ids or tool.unreadable != "error" for tool in tools)
    if not is_lenient or not has_queries(data):
        return None
    if not judgments and all(tool.infinite for tool in tools):
        if isinstance(data, Mapping):
            data = {query: finite_part(ranking) for query, ranking in data.items()}
        elif isinstance(data, LISTS):
            data = [finite_part(ranking) for ranking in data]
    return _prepare_queries(data, tools, judgments=judgments, thorough=True)


def _prepare_queries(data: Given, tools: Sequence[Convention], *, judgments: bool, thorough: bool) -> Prepared:
    is_finite_made = not judgments and all(tool.infinite for tool in tools)
    rows = Rows.from_judgments if judgments else Rows.from_rankings

    def is_readable(value: object) -> bool:
        try:
            rows([finite_part(value) if is_finite_made else value])
        except DataError:
            return False
        return True

    refused: Refused = {}
    values = []
    data = as_dicts(data)
    for query, value in data.items() if isinstance(data, Mapping) else enumerate(data):
        made, refusing = prepare_query(value, tools, is_readable, thorough=thorough)
        values.append(made)
        for tool in refusing:
            refused.setdefault(tool, []).append(str(query))
    return Prepared(dict(zip(data, values, strict=True)) if isinstance(data, Mapping) else values, refused)


def prepare_query(
    value: Given, tools: Sequence[Convention], is_readable: Callable[[Any], bool], *, thorough: bool
) -> tuple[Given, list[str]]:
    """One query's judgments or ranking to read, and the tools that cannot use them; unchanged if one must raise."""
    made = {tool.name: value if tool.prepare is None else tool.prepare(value) for tool in tools}
    if not thorough and all(each is value for each in made.values()):
        return value, []
    plain = [tool for tool in tools if tool.prepare is None]
    refusing = [tool for tool, each in made.items() if each is not value and not len(each)]
    if any(tool.empty_ids for tool in plain):
        filled, others = filled_ids(value), [tool for tool in plain if not tool.empty_ids]
        is_for_some = filled is not value and is_readable(filled)
        if is_for_some and all(tool.unreadable != "error" for tool in others):
            return filled, refusing + [tool.name for tool in others]
    if plain and not is_readable(value):
        is_known = usable_part(value) is not value
        if not is_known or any(tool.unreadable == "error" for tool in plain):
            return value, []
        refusing += [tool.name for tool in plain]
    taken = [each for tool, each in made.items() if tool not in refusing]
    return next((each for each in taken if each is not value), value if taken else []), refusing


def filled_ids(value: Given) -> Given:
    """One query's judgments or ranking with `EMPTY_ID` in place of empty ids; the same object if it has none."""
    if isinstance(value, str):
        return value or EMPTY_ID
    if isinstance(value, Mapping):
        return {(key if key != "" else EMPTY_ID): grade for key, grade in value.items()} if "" in value else value
    if isinstance(value, tuple) and len(value) == PAIR and isinstance(value[1], NUMBERS):
        return (EMPTY_ID, value[1]) if isinstance(value[0], str) and not value[0] else value
    if not isinstance(value, LISTS):
        return value
    items = list(value)
    filled = [filled_ids(item) for item in items]
    return value if all(one is other for one, other in zip(filled, items, strict=True)) else filled


def filled_frame(frame: Given, columns: Mapping[str, str] | None, *, judgments: bool) -> Given:
    """A frame, or a list of named tuples, with `EMPTY_ID` in place of empty documents' ids; None if it has none."""
    import polars

    try:
        table = to_polars(from_tuples(frame), columns, judgments=judgments)
        name = find_columns(table.columns, columns, judgments=judgments, name="the frame")["doc_id"]
    except PASSING:
        raise
    except Exception:  # noqa: BLE001 - each library raises its own; reading has said what is wrong
        return None
    if table[name].dtype != polars.String or not (table[name] == "").any():
        return None
    return table.with_columns(polars.col(name).replace("", EMPTY_ID))


def finite_part(value: Given) -> Given:
    """One query's ranking with finite scores, in the same order."""
    if isinstance(value, Mapping):
        return {document: bounded(score) for document, score in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    return [(item[0], bounded(item[1])) if isinstance(item, LISTS) and len(item) == PAIR else item for item in value]


def bounded(score: Given) -> Given:
    """A score; the largest float instead of an infinite one."""
    return math.copysign(LARGEST, score) if isinstance(score, NUMBERS) and score in INFINITE else score


def usable_part(value: Given) -> Given:
    """One query's judgments or ranking without what is not an id; floats, and numbers beside texts, become text."""
    if value is None:
        return []
    if isinstance(value, Mapping):
        ids = {key: usable_id(key) for key in value}
        is_same = all(each is key for key, each in ids.items())
        return value if is_same else {each: value[key] for key, each in ids.items() if each is not None}
    if not isinstance(value, LISTS):
        return value
    items, parts = list(value), list[Any]()
    for item in items:
        if isinstance(item, tuple) and len(item) == PAIR and isinstance(item[1], NUMBERS):
            found = usable_id(item[0])
            parts.append(item if found is item[0] else None if found is None else (found, item[1]))
        elif isinstance(item, LISTS):
            part = usable_part(item)
            parts.append(part if len(part) else None)
        else:
            parts.append(usable_id(item))
    if any(isinstance(part, str) for part in parts):
        parts = [str(part) if isinstance(part, (int, np.integer)) else part for part in parts]
    is_same = all(part is item and part is not None for part, item in zip(parts, items, strict=True))
    return value if is_same else [part for part in parts if part is not None]


def usable_id(item: object) -> object:
    """The item as an id, None if it is not one; a float becomes text, a whole one without its point."""
    if isinstance(item, str):
        return item if item.strip() else None
    if isinstance(item, bool) or not isinstance(item, NUMBERS):
        return None
    if isinstance(item, (float, np.floating)):
        return str(int(item)) if float(item).is_integer() else repr(float(item))
    return item
