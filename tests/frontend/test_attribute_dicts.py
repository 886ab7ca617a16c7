"""`vars` and `__dict__`, attributes that no method assigns, objects made without `__init__`."""

from __future__ import annotations

import copy
from typing import ClassVar

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false


class Pair:
    scale = 3.0

    def __init__(self, b, a):
        self.b = b
        self.a = a

    def __eq__(self, other):
        return self.__dict__ == other.__dict__

    __hash__ = None  # pyright: ignore[reportAssignmentType]


class Given:
    def __init__(self, **given):
        self.__dict__.update(given)


class Set:
    defaults: ClassVar = dict(a=1.0, b=2.0)

    def __init__(self, **given):
        for name, value in self.defaults.items():
            setattr(self, name, value)
        for name, value in given.items():
            if not hasattr(self, name):
                raise AttributeError(name)
            setattr(self, name, value)

    def clone(self, **others):
        new = self.__class__.__new__(self.__class__)
        new.__dict__.update(self.__dict__)
        new.__dict__.update(others)
        return new


class Slots:
    __slots__ = ("a",)

    def __init__(self, a):
        self.a = a


class Fitted:
    def __init__(self, w):
        self.w = w

    def fit(self, x):
        self.coef_ = self.w * x
        return self


def in_order(x):
    o = Pair(x, 2.0)
    o.zz, o.aa, o.b = 1.0, 5.0, 3.0
    return list(vars(o)), sum(vars(o).values()), list(o.__dict__.items()), len(vars(o))


def both_ways(x):
    o = Pair(x, 2.0)
    d = vars(o)
    o.c = 7.0
    d["e"] = 4.0 * x
    d["b"] += 1.0
    return d["c"] + o.e + o.b, "c" in d, "scale" in d, d.get("q", 9.0), d.setdefault("n", 2.0), o.n


def of_the_class(x):
    o = Pair(x, 2.0)
    before = "scale" in vars(o), o.scale
    o.scale = 5.0
    return before, "scale" in vars(o), o.scale, Pair.scale


def handed_on(x):
    one = Pair(**{**vars(Pair(x, 2.0)), "a": 7.0})
    two = dict(vars(one))
    two["a"] = 1.0
    return one.a * one.b, two, one == Pair(x, 7.0), one == Pair(x, 8.0)


def made_by_update(x):
    o = Given(a=x, b=2.0)
    o.name = "abc"
    return o.a * o.b, o.name, list(vars(o))


def made_by_setattr(x):
    return sum(getattr(Set(a=x), k) for k in sorted(Set.defaults))


def cloned(x):
    one = Set(a=x)
    two = one.clone(a=3.0 * x)
    two.b = 0.5
    return one.a, one.b, two.a, two.b, type(two) is Set


def copied(x):
    o = Pair(x, 1.0)
    o.extra = 2.0
    p = copy.copy(o)
    p.more = 1.0
    return list(vars(p)), list(vars(o))


def on_a_path(x):
    o = Pair(x, 1.0)
    if x > 1.0:
        o.q = 2.0
    return o.q * o.a


def many(x, n=6):
    every = []
    for i in range(n):
        one = Pair(x * i, 1.0)
        one.tag = float(i)
        every.append(one)
    return sum(one.a * one.b + one.tag for one in every)


def not_there(x):
    return vars(Pair(x, 1.0))["c"]


def no_such_attribute(x):
    return Set(c=x).a


def in_slots(x):
    s = Slots(x)
    s.b = 2.0
    return s.a


@pytest.mark.parametrize(
    "f",
    [
        in_order, both_ways, of_the_class, handed_on, made_by_update, made_by_setattr, cloned,
        copied, on_a_path, many, not_there, no_such_attribute,
    ],
)  # fmt: skip
def test_as_in_python(f) -> None:
    agree(f, 1.5)


def test_a_path_without_the_attribute_raises() -> None:
    agree(on_a_path, 0.5)


def from_outside(model, x):
    model.note = 5.0 * x
    return model.fit(x).coef_ * model.note + vars(model)["w"] * len(vars(model))


def test_objects_from_outside_are_given_attributes() -> None:
    ours, theirs = Fitted(2.0), Fitted(2.0)
    assert rg.jit(from_outside)(ours, 1.5) == from_outside(theirs, 1.5)
    assert vars(ours) == vars(theirs)
    assert rg.grad(from_outside, argnums=1)(Fitted(2.0), 1.5) == pytest.approx(30.0)


def listed(model):
    return sum(vars(model).values())


def two_orders(x):
    o = Pair(x, 1.0)
    if x > 1.0:
        o.q, o.r = 1.0, 2.0
    else:
        o.r, o.q = 2.0, 1.0
    return list(vars(o))


def removed(x):
    o = Pair(x, 1.0)
    del vars(o)["a"]
    return x


@pytest.mark.parametrize(
    ("f", "given", "text"),
    [
        (listed, Pair(1.0, 2.0), "which comes from outside"), (two_orders, 1.5, "chosen at run"),
        (removed, 1.5, "removed by its name"), (lambda x: vars()["x"], 1.0, "`vars` of the var"),
        (in_slots, 1.0, "'Slots' object has no attribute 'b'"),
        (lambda x: vars(Slots(x))["a"], 1.0, "has no `__dict__`"),
    ],
)  # fmt: skip
def test_refusals(f, given, text) -> None:
    with pytest.raises(UserError, match=text):
        rg.jit(f)(given)
