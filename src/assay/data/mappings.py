"""Subclasses of dict, read as the mappings they say they are.

The kernel walks dicts as they are stored. A subclass may show something else: an `OrderedDict` its own order, a class
with its own `items` whatever it likes. Such a mapping is copied to a plain dict through its own methods first.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core.errors import DataError
from assay.core.text import show
from assay.data.frames.frame import is_tuples

# The methods that say what is in a mapping.
VIEWS = ("items", "keys", "__iter__", "__getitem__")


def as_dicts(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """Judgments or rankings with plain dicts for such mappings, of queries and of documents; else the same object.

    >>> from collections import OrderedDict
    >>> ranking = OrderedDict(d1=2.0, d2=1.0)
    >>> ranking.move_to_end("d1")
    >>> as_dicts({"q1": ranking})
    {'q1': {'d2': 1.0, 'd1': 2.0}}
    """
    try:
        return plain_dicts(data)
    except RuntimeError as error:
        # What Python says of a dict, and of the views of one.
        if "during iteration" not in str(error):
            raise
        raise DataError("the data changed while being read; pass a copy that nothing else changes") from error


def plain_dicts(data: Any) -> Any:  # noqa: ANN401 - any form of data
    """The same; Python's own error if a mapping changes meanwhile."""
    if has_own_view(type(data)):
        data = as_dict(data)
    elif not isinstance(data, (dict, list, tuple)):
        # Mappings of other kinds, and a pandas Series, whose index are the queries.
        if isinstance(data, type):
            raise DataError(f"the data is the class {show(data.__name__)}; pass an object")
        if not hasattr(data, "keys"):
            return data
        data = dict(data)
    if isinstance(data, dict):
        is_same = not any(map(has_own_view, set(map(type, data.values()))))
        return data if is_same else {query: as_dict(each) for query, each in data.items()}
    return [as_dict(each) for each in data] if any(map(has_own_view, set(map(type, data)))) else data


def has_own_view(kind: type) -> bool:
    """Whether it is a subclass of dict that may show something else than it stores."""
    return issubclass(kind, dict) and any(getattr(kind, name) is not getattr(dict, name) for name in VIEWS)


def as_dict(value: Any) -> Any:  # noqa: ANN401 - any form of data
    """What such a mapping says of itself, as a plain dict; any other value as it is."""
    kind = type(value)
    if not has_own_view(kind):
        return value
    pairs = value.items() if kind.items is not dict.items else [(key, value[key]) for key in value.keys()]  # noqa: SIM118 - keys and iteration may differ
    result: dict[Any, Any] = {}
    for key, each in pairs:
        if key in result:
            raise DataError(f"a {kind.__name__} has the key {show(key)} twice; keep one")
        result[key] = each
    return result


def has_queries(data: object) -> bool:
    """Whether the data are a dict or a list of queries, not a file, a frame or rows."""
    return isinstance(data, (Mapping, list, tuple, np.ndarray)) and not is_tuples(data)
