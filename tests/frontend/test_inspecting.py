"""Members of Enum classes, `functools`, and questions about the kind of a value."""

import functools
import numbers
from collections.abc import Callable
from enum import Enum, Flag, IntEnum, auto

import numpy as np
import pytest

import retrograd as rg
from retrograd.errors import UserError
from tests.frontend.harness import agree, interpreted


class Kind(Enum):
    LINEAR = 1
    SQUARE = "square"
    SCALED = 2.5

    def applied(self, x):
        return x * x if self is Kind.SQUARE else x

    @property
    def plain(self):
        return self is Kind.LINEAR


class Level(IntEnum):
    LOW = 1
    HIGH = 3


class Parts(Flag):
    FIRST = auto()
    SECOND = auto()


class Point:
    scale = 3.0

    def __init__(self, x):
        self.x = x
        self.late = None

    def twice(self):
        return 2.0 * self.x


TABLE = np.array([1.0, 2.0, 4.0, 8.0])


def power(x, n, shift=0.0):
    return x**n + shift


@functools.cache
def series(n):
    return 1.0 if n < 2 else series(n - 1) + series(n - 2)


cube = functools.partial(power, n=3)
shifted = functools.partial(cube, shift=TABLE)
weighted = functools.partial(np.dot, TABLE)


def by_member(x, kind=Kind.SCALED):
    total = kind.value * x if kind == Kind.SCALED else x
    for one in Kind:
        total += one.applied(x) if not one.plain else 0.0
    return total + len(Kind.SQUARE.name) + len(Kind)


def by_int_member(x):
    total = x * Level.HIGH + TABLE[Level.LOW]
    for one in Level:
        total += x**one
    return total if Level(3) is Level["HIGH"] and Level.LOW < 2 else 0.0


def by_flags(x):
    both = Parts.FIRST | Parts.SECOND
    return x if both & Parts.SECOND and not (Parts.FIRST & Parts.SECOND) else 2.0 * x


def partials(x):
    half = functools.partial(power, shift=x)
    return half(x, 2) + cube(x) + np.sum(shifted(x)) + weighted(x * TABLE) + half(n=2.0, x=x)


def remembered(x):
    return x * series(5)


def kinds(x, xs, f=power):
    point = Point(x)
    found = 0
    found += isinstance(x, numbers.Number) + isinstance(x, int | float) + isinstance(x, (str, list))
    found += isinstance(xs, (list, (np.ndarray, tuple))) + isinstance(f, Callable)
    found += isinstance("a", str) + isinstance(None, Point) + isinstance(Kind.SQUARE, Enum)
    found += type(point) is Point and type(xs) is np.ndarray
    other = type(point)(3.0 * x)
    return found + other.x * len(type(other).__name__)


def attributes(x, xs):
    point = Point(x)
    total = x if hasattr(point, "x") and hasattr(point, "twice") else 0.0
    total += 1.0 if hasattr(point, "missing") or hasattr(x, "__len__") else 0.0
    total += xs[0] if hasattr(xs, "shape") else 0.0
    setattr(point, "x", 5.0 * x)  # noqa: B010 - what is tested
    total += getattr(point, "x") + getattr(point, "y", 3.0) + getattr(point, "scale")  # noqa: B009
    return total + getattr(point, "twice")() * (1.0 if hasattr(np, "sum") else x)  # noqa: B009


def flags(x, flag=True):
    other = None
    return x if flag is True and flag is not False and other is not True else 2.0 * x


CASES = [
    (by_member, (1.5,)), (by_int_member, (1.5,)), (by_flags, (1.5,)), (partials, (1.5,)),
    (remembered, (1.5,)), (kinds, (1.5, TABLE)), (attributes, (1.5, TABLE)), (flags, (1.5,)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args"), CASES, ids=lambda v: getattr(v, "__name__", ""))
def test_as_in_python(f, args):
    agree(f, *args)
    slope = rg.value_and_grad(f)(*args)
    assert slope[0] == pytest.approx(f(*args), rel=1e-12)
    up, down = (f(args[0] + s, *args[1:]) for s in (1e-6, -1e-6))
    assert slope[1] == pytest.approx((up - down) / 2e-6, rel=1e-6)


@pytest.mark.parametrize("f", [cube, functools.cache(lambda x: x * x * x)])
def test_functions_of_functools_from_outside(f):
    assert rg.jit(f)(2.0) == 8.0
    assert rg.value_and_grad(f, memory="1MB")(2.0) == (8.0, 12.0)
    assert rg.jvp(f, (2.0,), (1.0,)) == (8.0, 12.0)
    assert rg.vjp(f, 2.0)[1](1.0) == (12.0,)


def test_an_argument_by_name_of_a_partial():
    assert rg.jit(functools.partial(power, 3.0))(n=2, shift=1.0) == 10.0


def test_arrays_in_a_partial_are_read_at_every_call():
    weights = np.array([1.0, 2.0])
    f = rg.jit(functools.partial(np.dot, weights))
    assert f(np.ones(2)) == 3.0
    weights[0] = 5.0
    assert f(np.ones(2)) == 7.0


def test_numbers_in_a_partial_are_guarded():
    made = functools.partial(power, n=2)
    f = rg.jit(made)
    assert f(3.0) == 9.0
    made.keywords["n"] = 3
    assert f(3.0) == 27.0


def test_a_member_as_an_argument():
    f = rg.jit(by_member)
    assert [f(2.0, kind) for kind in Kind] == [by_member(2.0, kind) for kind in Kind]


def test_a_gradient_inside_of_a_partial():
    def f(x):
        return rg.grad(functools.partial(power, n=3))(x)

    assert rg.value_and_grad(f)(2.0) == (12.0, 12.0)


def ambiguous_type(x):
    return x if type(x) is float else 2.0 * x


def ambiguous_attribute(x):
    return x.shape if hasattr(x, "shape") else ()


def run_time_flag(x):
    return x if (x > 1.0) is True else 2.0 * x


def unknown_member(x, n):
    return x if Level(n) is Level.LOW else 2.0 * x


@pytest.mark.parametrize(
    ("f", "args", "code"),
    [
        (ambiguous_type, (1.0,), "RG0107"),
        (ambiguous_attribute, (1.0,), "RG0123"), (run_time_flag, (1.0,), "RG0110"),
        (unknown_member, (1.0, 1), "RG0113"),
    ],
)  # fmt: skip
def test_refused(f, args, code):
    with pytest.raises(UserError) as caught:
        interpreted(f, *args)
    assert caught.value.code == code
    assert caught.value.span is not None
    assert caught.value.way_out
