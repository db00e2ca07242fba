"""The ids in one query's judgments or ranking, whatever else stands between them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

LISTS = (list, tuple, np.ndarray)
NUMBERS = (int, float, np.integer, np.floating)
PAIR = 2


def usable_part(value: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """One query's judgments or ranking without what is no id; floats, and numbers beside texts, become text.

    >>> usable_part([["a", None], [], [2.0, 1.5, 3]]), usable_part({"a": 1, "": 2}), usable_part(None)
    ([['a'], ['2', '1.5', '3']], {'a': 1}, [])
    """
    if value is None:
        return []
    if isinstance(value, Mapping):
        ids = {key: usable_id(key) for key in value}
        is_same = all(each is key for key, each in ids.items())
        return value if is_same else {each: value[key] for key, each in ids.items() if each is not None}
    if not isinstance(value, LISTS):
        return value
    items = list(value)
    parts = [usable_item(item) for item in items]
    if any(isinstance(part, str) for part in parts):
        parts = [str(part) if isinstance(part, (int, np.integer)) else part for part in parts]
    is_same = all(part is item and part is not None for part, item in zip(parts, items, strict=True))
    return value if is_same else [part for part in parts if part is not None]


def usable_item(item: Any) -> Any:  # noqa: ANN401 - whatever the user gave
    """An id, a pair of an id and its score, or a group of ids; None where nothing is left of it."""
    if isinstance(item, tuple) and len(item) == PAIR and isinstance(item[1], NUMBERS):
        found = usable_id(item[0])
        return item if found is item[0] else None if found is None else (found, item[1])
    if isinstance(item, LISTS):
        part = usable_part(item)
        return part if len(part) else None
    return usable_id(item)


def usable_id(item: object) -> object:
    """The item as an id, None where it is none; a float becomes text, and a whole one that of its number."""
    if isinstance(item, str):
        return item if item.strip() else None
    if isinstance(item, bool) or not isinstance(item, NUMBERS):
        return None
    if isinstance(item, (float, np.floating)):
        return str(int(item)) if float(item).is_integer() else repr(float(item))
    return item
