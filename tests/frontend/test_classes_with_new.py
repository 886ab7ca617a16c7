"""Classes with a `__new__` of their own, `super()` in class methods, and what they register."""

from __future__ import annotations

from collections import namedtuple

import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree

# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
# pyright: reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false, reportUnknownLambdaType=false
# pyright: reportAttributeAccessIssue=false, reportUntypedNamedTuple=false
# pyright: reportInconsistentConstructor=false, reportUnknownLambdaType=false


class Tagged:
    count = 0

    def __new__(cls, name, *args):
        made = super().__new__(cls)
        made.tag = name + "!"
        return made

    def __init__(self, name, v):
        self.name = name
        self.v = v
        Tagged.count += 1


class Sub(Tagged):
    @classmethod
    def make(cls, v):
        return cls("sub", v)

    def __init__(self, name, v):
        super().__init__(name, 2.0 * v)


class Further(Sub):
    @classmethod
    def make(cls, v):
        return super().make(v + 1.0)


class Point(namedtuple("Point", "x y")):
    __slots__ = ()

    def __new__(cls, x, y=None):
        return super().__new__(cls, x, x * 2.0 if y is None else y)

    def norm(self):
        return self.x**2 + self.y**2


class Unit(namedtuple("Unit", "x y")):
    __slots__ = ()

    def __new__(cls, x):
        return tuple.__new__(cls, (x, 1.0))


class Only:
    made = None

    def __new__(cls, *args):
        if cls.made is None:
            cls.made = super().__new__(cls)
        return cls.made

    def __init__(self, v):
        self.v = v


class Number(float):
    def __new__(cls, v):
        return super().__new__(cls, v)


def registered(x):
    Tagged.count = 0
    one, two = Tagged("a", x), Tagged("bb", 2.0)
    return one.v * two.v, one.tag, two.tag, Tagged.count


def made_by_class_methods(x):
    one, two = Sub.make(x), Further.make(x)
    return one.v, two.v, two.tag, isinstance(two, Further), isinstance(one, Further)


def points(x):
    p = Point(x)
    return p.norm(), Point(x, 1.0), p._replace(y=0.0), Unit(x).y, isinstance(p, tuple), p[1]


def once(x):
    one = Only(x)
    two = Only(3.0 * x)
    return one.v, one is two


@pytest.mark.parametrize("f", [registered, made_by_class_methods, points])
def test_as_in_python(f) -> None:
    agree(f, 1.5)


def test_an_object_that_the_class_keeps() -> None:
    try:
        assert rg.jit(once)(1.5) == (4.5, True)
        assert isinstance(Only.made, Only)
        assert Only.made.v == 4.5
    finally:
        Only.made = None


def test_from_outside() -> None:
    assert rg.grad(lambda o, x: o.v * x, argnums=1)(Tagged("a", 2.0), 1.5) == 2.0


@pytest.mark.parametrize("f", [lambda x: Number(x) * 2.0])
def test_refusals(f) -> None:
    with pytest.raises(UserError, match="has the base 'float'"):
        rg.jit(f)(1.5)
