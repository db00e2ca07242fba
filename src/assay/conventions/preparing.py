"""What tools make of judgments and rankings given as Python objects, before they measure.

Every tool has its own way with a query that cannot be read, such as None or one with an empty group: to one it is an
error, for another the query has no value. That does not depend on which other tools are asked in the same call: where
one of them has an error, there is one; else each has a value or not, as if it were alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from assay._kernel import Rows
from assay.conventions.usable import LISTS, NUMBERS, PAIR, usable_part
from assay.core.errors import DataError, DuplicateError, MismatchError
from assay.core.parameter import LARGEST
from assay.data.tuples import is_tuples

if TYPE_CHECKING:
    from assay.core.convention import Convention

INFINITE = (math.inf, -math.inf)
Read = TypeVar("Read")
# Whether one query's judgments or ranking can be read as they are.
Readable = Callable[[Any], bool]


# For each tool, the queries that it refuses.
Refused = dict[str, list[str]]


class Prepared(NamedTuple):
    """The data as they are read, and the queries that each tool refuses."""

    data: Any
    refused: Refused


def read_as(
    tools: Sequence[Convention],
    data: Any,  # noqa: ANN401 - whatever the user gave
    read: Callable[[Any], Read],
    *,
    judgments: bool,
) -> tuple[Read, Refused]:
    """What is read of the data as these tools take them, and the queries that each tool refuses."""
    may_be_infinite = not judgments and all(tool.infinite for tool in tools)

    def is_readable(value: object) -> bool:
        rows = Rows.from_judgments if judgments else Rows.from_rankings
        try:
            rows([finite_part(value) if may_be_infinite else value])
        except DataError:
            return False
        return True

    prepared = prepare_data(data, tools, is_readable, thorough=False)
    try:
        return read(prepared.data), prepared.refused
    except (DuplicateError, MismatchError):
        raise
    except DataError:
        is_lenient = any(tool.infinite or tool.unreadable != "error" for tool in tools)
        if not is_lenient or not isinstance(data, (Mapping, *LISTS)) or is_tuples(data):
            raise
    # Only where something is wrong with the data is every query looked at.
    if may_be_infinite:
        data = finite_data(data)
    prepared = prepare_data(data, tools, is_readable, thorough=True)
    return read(prepared.data), prepared.refused


def prepare_data(data: Any, tools: Sequence[Convention], is_readable: Readable, *, thorough: bool) -> Prepared:  # noqa: ANN401 - whatever the user gave
    """The data as these tools take them.

    Unless `thorough`, only the queries that some tool takes otherwise than they are given are looked at.
    """
    is_idle = not thorough and all(tool.prepare is None for tool in tools)
    if is_idle or not isinstance(data, (Mapping, *LISTS)) or is_tuples(data):
        return Prepared(data, {})
    refused: dict[str, list[str]] = {}
    values = []
    for query, value in data.items() if isinstance(data, Mapping) else enumerate(data):
        made, refusing = prepare_query(value, tools, is_readable, thorough=thorough)
        values.append(made)
        for tool in refusing:
            refused.setdefault(tool, []).append(str(query))
    return Prepared(dict(zip(data, values, strict=True)) if isinstance(data, Mapping) else values, refused)


def prepare_query(
    value: Any,  # noqa: ANN401 - whatever the user gave
    tools: Sequence[Convention],
    is_readable: Readable,
    *,
    thorough: bool,
) -> tuple[Any, list[str]]:
    """One query's judgments or ranking as they are read, and the tools that refuse them; as given if one must raise."""
    made = {tool.name: value if tool.prepare is None else tool.prepare(value) for tool in tools}
    if not thorough and all(each is value for each in made.values()):
        return value, []
    plain = [tool for tool in tools if tool.prepare is None]
    refusing = [tool for tool, each in made.items() if each is not value and not len(each)]
    if plain and not is_readable(value):
        is_known = usable_part(value) is not value
        if not is_known or any(tool.unreadable == "error" for tool in plain):
            return value, []
        refusing += [tool.name for tool in plain]
    taken = [each for tool, each in made.items() if tool not in refusing]
    return next((each for each in taken if each is not value), value if taken else []), refusing


def finite_data(data: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """The rankings of a dict or a list of queries, with finite scores."""
    if isinstance(data, Mapping):
        return {query: finite_part(ranking) for query, ranking in data.items()}
    return [finite_part(ranking) for ranking in data] if isinstance(data, LISTS) else data


def finite_part(value: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """One query's ranking with finite scores, which stand in the same order.

    >>> finite_part({"a": math.inf, "b": 1.0}), finite_part([("a", -math.inf)]), finite_part(["a"])
    ({'a': 1.7976931348623157e+308, 'b': 1.0}, [('a', -1.7976931348623157e+308)], ['a'])
    """
    if isinstance(value, Mapping):
        return {document: bounded(score) for document, score in value.items()}
    if not isinstance(value, (list, tuple)):
        return value
    return [(item[0], bounded(item[1])) if isinstance(item, LISTS) and len(item) == PAIR else item for item in value]


def bounded(score: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """A score; the largest number there is instead of an infinite one."""
    return math.copysign(LARGEST, score) if isinstance(score, NUMBERS) and score in INFINITE else score
