"""`frozen`: frozen dataclasses that are quick to define, for classes that every command loads.

A method that is the same for every class is not compiled anew for each. What is made is a dataclass.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(*, eq: bool = True, repr: bool = True, kw_only: bool = False) -> Callable[[Class], Class]:
    """Makes a class a frozen dataclass.

    >>> @frozen()
    ... class Point:
    ...     x: float
    ...     y: float = 0
    >>> Point(1), Point(1, 0) == Point(1), hash(Point(2)) == hash(Point(2))
    (Point(x=1, y=0), True, True)
    """

    def make(cls: Class) -> Class:
        if repr and "__repr__" not in vars(cls):
            cls.__repr__ = write  # type: ignore[assignment, method-assign]
        dataclass(frozen=True, eq=eq, repr=False, kw_only=kw_only)(cls)
        return cls

    return make


def write(self: Any) -> str:  # noqa: ANN401 - any value
    """The class and its fields, as in code."""
    inside = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({inside})"
