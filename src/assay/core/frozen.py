"""`frozen`: frozen dataclasses that are quick to define, for classes that every command loads.

`dataclasses.dataclass(frozen=True)` compiles six functions per class, which for a dozen classes takes longer than all
other code that `assay eval` loads. Here three are compiled at once; the others are the same for every class.
What is made is a dataclass: `replace` and `fields` work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
COMPARISONS = ("__eq__", "__hash__")
COMPARISON = """
def __eq__(self, other):
    return values_of(self) == values_of(other) if other.__class__ is self.__class__ else NotImplemented
def __hash__(self):
    return hash(values_of(self))
"""


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
        dataclass(init=False, repr=False, eq=False, kw_only=kw_only)(cls)
        methods = compile_methods(fields(cls))
        for name, method in methods.items():
            method.__qualname__ = f"{cls.__qualname__}.{name}"
        methods |= {"__setattr__": refuse_change, "__delattr__": refuse_deletion, "__repr__": write}
        left_out = {*(() if eq else COMPARISONS), *(() if repr else ("__repr__",))}
        for name, method in methods.items():
            if name not in left_out and vars(cls).get(name) is None:
                setattr(cls, name, method)
        return cls

    return make


def compile_methods(known: tuple[Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    """`__init__` with a parameter per field, and the comparison of their values."""
    space: dict[str, Any] = {"MISSING": MISSING}
    parameters, lines = ["self"], ["fields__ = self.__dict__"]
    for each in sorted(known, key=attrgetter("kw_only")):
        if each.kw_only and "*" not in parameters:
            parameters.append("*")
        name = given = each.name
        if each.default_factory is not MISSING:
            space[f"make_{name}"] = each.default_factory
            given = f"make_{name}() if {name} is MISSING else {name}"
            parameters.append(f"{name}=MISSING")
        elif each.default is not MISSING:
            space[f"default_{name}"] = each.default
            parameters.append(f"{name}=default_{name}")
        else:
            parameters.append(name)
        lines.append(f"fields__[{name!r}] = {given}")
    space["values_of"] = attrgetter(*(each.name for each in known if each.compare))
    body = "\n    ".join(lines)
    exec(f"def __init__({', '.join(parameters)}):\n    {body}\n{COMPARISON}", space)  # noqa: S102 - names of fields
    return {name: space[name] for name in ("__init__", *COMPARISONS)}


def write(self: Any) -> str:  # noqa: ANN401 - any value
    """The class and its fields, as in code."""
    inside = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({inside})"


def refuse_change(_: object, name: str, __: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_deletion(_: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
