"""`frozen`: frozen dataclasses that are quick to define, for classes that every command loads.

`dataclasses.dataclass(frozen=True)` compiles six functions per class, which for a dozen classes takes longer than all
other code that `assay eval` loads. Here nothing is compiled: the methods are the same for every class, and know its
fields. What is made is a dataclass: `replace` and `fields` work.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from inspect import Parameter, Signature
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

Class = TypeVar("Class", bound=type)
COMPARISONS = ("__eq__", "__hash__")


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
        known = fields(cls)
        methods = {"__init__": initialiser(known), **comparisons(known)}
        for name, method in methods.items():
            method.__qualname__ = f"{cls.__qualname__}.{name}"
        methods |= {"__repr__": write, "__setattr__": refuse_change, "__delattr__": refuse_deletion}
        left_out = {*(() if eq else COMPARISONS), *(() if repr else ("__repr__",))}
        for name, method in methods.items():
            if name not in left_out and vars(cls).get(name) is None:
                setattr(cls, name, method)
        return cls

    return make


def initialiser(known: tuple[Field[Any], ...]) -> Callable[..., None]:
    """An `__init__` that takes the fields."""
    names = [each.name for each in known]
    places = [each.name for each in known if not each.kw_only]
    defaults = {each.name: each.default for each in known if each.default is not MISSING}
    factories = {each.name: each.default_factory for each in known if each.default_factory is not MISSING}
    signature = signature_of(known)

    def __init__(self: Any, *given: Any, **named: Any) -> None:  # noqa: ANN401, N807 - it becomes a method
        values = {**defaults, **dict(zip(places, given, strict=False)), **named}
        for name in factories.keys() - values.keys():
            values[name] = factories[name]()
        is_clear = len(given) <= len(places) and named.keys().isdisjoint(places[: len(given)])
        if not is_clear or values.keys() != set(names):
            refuse_arguments(self, signature, given, named)
        self.__dict__.update((name, values[name]) for name in names)

    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


def signature_of(known: tuple[Field[Any], ...]) -> Signature:
    """The parameters: those by place, then those that need their name."""
    parameters = [Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)]
    for each in sorted(known, key=attrgetter("kw_only")):
        kind = Parameter.KEYWORD_ONLY if each.kw_only else Parameter.POSITIONAL_OR_KEYWORD
        default = each.default if each.default_factory is MISSING else each.default_factory
        shown = Parameter.empty if default is MISSING else default
        parameters.append(Parameter(each.name, kind, default=shown, annotation=each.type))
    return Signature(parameters)


def refuse_arguments(self: object, signature: Signature, given: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Raises what a call says that has too few arguments, or too many."""
    try:
        signature.bind(self, *given, **named)
    except TypeError as error:
        raise TypeError(f"{type(self).__qualname__}.__init__(): {error}") from None


def comparisons(known: tuple[Field[Any], ...]) -> dict[str, Callable[..., Any]]:
    """Equality and hash by the values of the fields that count."""
    values_of = attrgetter(*(each.name for each in known if each.compare))

    def __eq__(self: Any, other: object) -> Any:  # noqa: ANN401, N807 - it becomes a method
        return values_of(self) == values_of(other) if type(other) is type(self) else NotImplemented

    def __hash__(self: Any) -> int:  # noqa: ANN401, N807 - it becomes a method
        return hash(values_of(self))

    return {"__eq__": __eq__, "__hash__": __hash__}


def write(self: Any) -> str:  # noqa: ANN401 - any value
    """The class and its fields, as in code."""
    inside = ", ".join(f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({inside})"


def refuse_change(_: object, name: str, __: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def refuse_deletion(_: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")
