"""`frozen` makes what `dataclass(frozen=True)` makes."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, field, fields, replace
from inspect import signature

import pytest

from assay.core.frozen import frozen


def made(decorate, **also):
    """A class with fields of every kind."""

    class Thing:
        name: str
        values: list = field(compare=False)
        count: int = 0
        more: dict = field(default_factory=dict, repr=False)

    for name, method in also.items():
        setattr(Thing, name, method)
    Thing.__qualname__ = "Thing"
    return decorate(Thing)


Ours, Theirs = made(frozen()), made(dataclass(frozen=True))
BOTH = pytest.mark.parametrize("kind", [Ours, Theirs])
Thing = Ours


def test_signature_fields_and_text_are_the_same():
    assert [str(each) for each in signature(Ours).parameters] == [str(each) for each in signature(Theirs).parameters]
    assert [each.name for each in fields(Ours)] == [each.name for each in fields(Theirs)]
    assert Ours.__match_args__ == Theirs.__match_args__
    assert (
        repr(Ours("a", [1], more={"b": 2}))
        == repr(Theirs("a", [1], more={"b": 2}))
        == ("Thing(name='a', values=[1], count=0)")
    )


@BOTH
def test_values_and_defaults(kind):
    one, other = kind("a", [1]), kind(name="a", values=[2], count=0, more={})
    assert (one.name, one.values, one.count, one.more) == ("a", [1], 0, {})
    assert one == other
    assert one != kind("b", [1])
    assert one != replace(one, count=3) == kind("a", [9], 3)
    assert one != ("a", [1], 0, {})
    assert one.more is not other.more
    with pytest.raises(TypeError, match=r"^Thing\.__init__\(\) missing 1 required positional argument: 'values'"):
        kind("a")
    with pytest.raises(TypeError, match="multiple values for argument 'name'"):
        kind("a", [1], name="b")
    with pytest.raises(TypeError, match="unexpected keyword argument 'nothing'"):
        kind("a", [1], nothing=1)
    with pytest.raises(TypeError, match="takes from 3 to 5 positional arguments"):
        kind("a", [1], 0, {}, 5)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


@BOTH
def test_nothing_can_be_changed(kind):
    one = kind("a", [1])
    with pytest.raises(FrozenInstanceError, match="cannot assign to field 'name'"):
        one.name = "b"
    with pytest.raises(FrozenInstanceError, match="cannot delete field 'name'"):
        del one.name
    assert one.name == "a"


def test_copies_and_pickles():
    one = Thing("a", [1], more={"b": 2})
    for other in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):  # noqa: S301 - our own
        assert (other.name, other.values, other.count, other.more) == ("a", [1], 0, {"b": 2})


def test_hash_equality_and_text_of_its_own():
    own = {"__repr__": lambda _: "own", "__hash__": lambda _: 7}
    ours, theirs = made(frozen(), **own), made(dataclass(frozen=True), **own)
    assert repr(ours("a", [])) == repr(theirs("a", [])) == "own"
    assert hash(ours("a", [])) == hash(theirs("a", [])) == 7
    apart = made(frozen(eq=False, repr=False))
    assert apart("a", []) != apart("a", [])
    assert repr(apart("a", [])).startswith("<")


def test_keywords_only():
    kind = made(frozen(kw_only=True))
    assert kind(name="a", values=[]).name == "a"
    with pytest.raises(TypeError, match=r"positional argument"):
        kind("a", [])
